//! From version 10 to 11: the index of a big store made anew, while another process writes.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hermes_state::{IndexWork, Store};

use crate::append::texts;
use crate::bare::Bare;
use crate::report::{Report, ms, percentile};
use crate::workload;
use crate::writers::{say, spawn, waits_of};

pub(crate) fn run(report: &mut Report) {
    let path = old(&workload::big());
    let mut wal = path.as_os_str().to_owned();
    wal.push("-wal");
    let wal = PathBuf::from(wal);

    let writer = spawn("child-write-until", &[path.to_str().unwrap()]);
    std::thread::sleep(Duration::from_millis(300));
    let done = AtomicBool::new(false);
    let greatest = AtomicU64::new(0);
    let (opened, took) = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let bytes = std::fs::metadata(&wal).map_or(0, |m| m.len());
                greatest.fetch_max(bytes, Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(20));
            }
        });
        let began = Instant::now();
        let store = Store::open(&path).unwrap();
        let opened = began.elapsed();
        let work = store.complete_index(None, &|_| {}).unwrap();
        let took = began.elapsed();
        assert_eq!(work, IndexWork::Done);
        assert_eq!(store.schema_version(), 11);
        done.store(true, Ordering::Relaxed);
        (opened, took)
    });
    let waits = waits_of(writer);
    report.note(
        "re-index of 202,000 messages: open",
        opened.as_secs_f64(),
        "s",
    );
    report.note("re-index of 202,000 messages", took.as_secs_f64(), "s");
    report.note(
        "messages that another process wrote meanwhile",
        waits.len() as f64,
        "",
    );
    report.note("its median wait", ms(percentile(&waits, 50)), "ms");
    report.note("its p99", ms(percentile(&waits, 99)), "ms");
    report.at_most("its longest wait", ms(percentile(&waits, 100)), "ms", 300.0);
    let mib = greatest.load(Ordering::Relaxed) as f64 / (1 << 20) as f64;
    report.at_most("write-ahead log at its greatest", mib, "MiB", 64.0);
    let store = Store::open(&path).unwrap();
    let info = store.info().unwrap();
    assert!(info.index.complete, "{:?}", info.index);
    drop(store);
    report.at_least(
        "in order afterwards",
        f64::from(u8::from(is_whole(&path))),
        "",
        1.0,
    );
}

/// The big store with the index that version 10 had: over the content alone, without own text.
fn old(big: &Path) -> PathBuf {
    let kept = big.with_file_name("big-v10.db");
    if !kept.exists() {
        println!("making the store of version 10, once …");
        let draft = workload::copy(big, "v10");
        let conn = rusqlite::Connection::open(&draft).unwrap();
        for table in ["messages_fts", "messages_fts_trigram"] {
            let tokenize = if table == "messages_fts" {
                ""
            } else {
                ", tokenize='trigram'"
            };
            conn.execute_batch(&format!(
                "DROP TRIGGER {table}_insert; DROP TRIGGER {table}_delete; DROP TRIGGER {table}_update;
                 DROP TABLE {table};
                 CREATE VIRTUAL TABLE {table} USING fts5(content, content=messages, content_rowid=id{tokenize});
                 CREATE TRIGGER {table}_insert AFTER INSERT ON messages BEGIN
                    INSERT INTO {table}(rowid, content) VALUES (new.id, new.content); END;
                 CREATE TRIGGER {table}_delete AFTER DELETE ON messages BEGIN
                    INSERT INTO {table}({table}, rowid, content) VALUES ('delete', old.id, old.content); END;
                 CREATE TRIGGER {table}_update AFTER UPDATE ON messages BEGIN
                    INSERT INTO {table}({table}, rowid, content) VALUES ('delete', old.id, old.content);
                    INSERT INTO {table}(rowid, content) VALUES (new.id, new.content); END;
                 INSERT INTO {table}({table}) VALUES ('rebuild')"
            ))
            .unwrap();
        }
        conn.execute_batch(
            "ALTER TABLE sessions DROP COLUMN handoff_state;
             ALTER TABLE sessions DROP COLUMN handoff_platform;
             ALTER TABLE sessions DROP COLUMN handoff_error;
             DROP INDEX idx_messages_session_id;
             UPDATE schema_version SET version = 10; PRAGMA wal_checkpoint(TRUNCATE); VACUUM",
        )
        .unwrap();
        drop(conn);
        std::fs::rename(&draft, &kept).unwrap();
    }
    workload::copy_file(&kept, "reindex")
}

fn is_whole(path: &Path) -> bool {
    let conn = rusqlite::Connection::open(path).unwrap();
    ["messages_fts", "messages_fts_trigram"]
        .iter()
        .all(|table| {
            conn.execute_batch(&format!(
                "INSERT INTO {table}({table}) VALUES('integrity-check')"
            ))
            .is_ok()
        })
}

/// The child: appends every few milliseconds until its input ends, then says how long each took.
pub(crate) fn write_until_told(path: &str) {
    let bare = Bare::open(Path::new(path), "FULL");
    bare.0.busy_timeout(Duration::from_secs(20)).unwrap();
    bare.ensure("beside");
    let told = std::thread::spawn(|| std::io::stdin().read_to_end(&mut Vec::new()));
    let texts = texts(5, 500);
    let mut times = Vec::new();
    let mut n = 0;
    while !told.is_finished() {
        let began = Instant::now();
        bare.append(
            "beside",
            std::slice::from_ref(&texts[n % texts.len()]),
            1.7e9,
        )
        .unwrap();
        times.push(began.elapsed());
        n += 1;
        std::thread::sleep(Duration::from_millis(20));
    }
    say(&times);
}
