//! What is told of locks between processes.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use hermes_state::{
    Error, ListOptions, NewMessage, SearchOptions, StatsOptions, Store, StoreOptions, Synchronous,
    WriteBudget,
};

use crate::support::child::{Process, command, say, spawn, wait_to_go};
use crate::support::{
    Home, ask, assert_index_whole, content_of, found, list_all, messages_of, raw,
};

fn say_x(store: &Store, id: &str, text: &str) {
    store
        .append_message(&NewMessage::new(id, "user").content(text))
        .unwrap();
}

/// Starts all at once and waits for all; the longest append in milliseconds.
fn race(path: &Path, processes: usize, each: usize) -> (Duration, u64) {
    let path = path.to_str().unwrap();
    let each = each.to_string();
    let mut writers: Vec<Process> = (0..processes)
        .map(|n| spawn("race", &[path, &format!("s{n}"), &each]))
        .collect();
    for writer in &mut writers {
        assert_eq!(writer.line().as_deref(), Some("ready"));
    }
    let began = Instant::now();
    for writer in &mut writers {
        writer.go();
    }
    let longest = writers
        .into_iter()
        .map(|writer| {
            let (lines, well) = writer.finish();
            assert!(well, "{lines:?}");
            lines[0].parse::<u64>().unwrap()
        })
        .max();
    (began.elapsed(), longest.unwrap())
}

/// The child's side: appends, and says how long the longest took.
pub(crate) fn append_in_a_race(path: &str, session: &str, count: usize) {
    let store = Store::open(path).unwrap();
    store.ensure_session(session).unwrap();
    say("ready");
    wait_to_go();
    let mut longest = 0;
    for n in 0..count {
        let began = Instant::now();
        say_x(&store, session, &format!("planted number {n}"));
        longest = longest.max(began.elapsed().as_millis());
    }
    say(longest);
}

#[test]
fn lock_01_eight_processes_append_500_each_and_none_waits_long() {
    let home = Home::new();
    drop(home.store());
    let (took, longest) = race(&home.path(), 8, 500);
    let store = home.store();
    for n in 0..8 {
        assert_eq!(messages_of(&store, &format!("s{n}")).len(), 500);
    }
    assert_eq!(found(&store, "planted").len(), 4000);
    drop(store);
    assert_index_whole(&home.path());
    let alone = Home::new();
    drop(alone.store());
    let (serial, _) = race(&alone.path(), 1, 4000);
    eprintln!("8 processes {took:?}, the longest append {longest} ms; one {serial:?}");
    // On a machine that has its hands full, one writer alone is slower, too.
    let slow = (serial.as_secs_f64() / 4.0).max(1.0);
    assert!(
        longest as f64 <= 2000.0 * slow,
        "{longest} ms, one alone {serial:?}"
    );
    assert!(
        took < serial * 3 + Duration::from_secs(2),
        "{took:?} against {serial:?}"
    );
}

/// The child's side.
pub(crate) fn live_shortly(path: &str, session: &str) {
    let store = Store::open(path).unwrap();
    store.ensure_session(session).unwrap();
    for n in 0..5 {
        say_x(&store, session, &format!("planted {n}"));
        say(n);
    }
    drop(store);
    say("closed");
}

#[test]
fn lock_04_sixty_short_lived_processes_of_which_five_are_killed() {
    for mode in ["wal", "delete"] {
        let home = Home::new();
        drop(home.store());
        let keeper = raw(&home.path());
        keeper
            .query_row(&format!("PRAGMA journal_mode = {mode}"), [], |_| Ok(()))
            .unwrap();
        let path = home.path();
        let path = path.to_str().unwrap();
        let mut children: Vec<Process> = (0..60)
            .map(|n| spawn("short", &[path, &format!("s{n}")]))
            .collect();
        for n in [3, 17, 30, 44, 59] {
            // Somewhere between its messages, or before it has begun.
            if n % 2 == 1 {
                children[n].line();
            }
            children[n].kill();
        }
        let mut survivors = 0;
        let store = Store::open_read_only(home.path()).unwrap();
        for (n, child) in children.into_iter().enumerate() {
            let (lines, well) = child.finish();
            if !well {
                continue;
            }
            assert_eq!(
                lines.last().map(String::as_str),
                Some("closed"),
                "{mode} {n}"
            );
            survivors += 1;
            assert_eq!(messages_of(&store, &format!("s{n}")).len(), 5, "{mode} {n}");
        }
        assert!(survivors >= 55, "{mode} {survivors}");
        drop(store);
        assert_eq!(ask::<String>(&home.path(), "PRAGMA journal_mode"), mode);
        drop(keeper);
        drop(home.store());
        assert_index_whole(&home.path());
    }
}

#[test]
fn lock_06_an_append_outlasts_a_lock_of_ten_seconds_and_reads_do_not_wait() {
    assert!(WriteBudget::default().append >= Duration::from_secs(20));
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    let mut holder = spawn("hold", &[home.path().to_str().unwrap()]);
    assert_eq!(holder.line().as_deref(), Some("held"));
    std::thread::scope(|threads| {
        let writer = threads.spawn(|| {
            let began = Instant::now();
            say_x(&store, "s", "late");
            began.elapsed()
        });
        let until = Instant::now() + Duration::from_secs(10);
        while Instant::now() < until {
            let began = Instant::now();
            assert_eq!(list_all(&store).len(), 1);
            assert!(found(&store, "late").is_empty());
            assert!(began.elapsed() < Duration::from_secs(1));
            std::thread::sleep(Duration::from_millis(100));
        }
        holder.finish();
        assert!(writer.join().unwrap() >= Duration::from_secs(9));
    });
    assert_eq!(found(&store, "late").len(), 1);
}

#[test]
fn lock_07_what_a_search_has_given_keeps_no_transaction_open() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    say_x(&store, "s", "quokka");
    let reader = Store::open_read_only(home.path()).unwrap();
    let results = reader.search(&SearchOptions::new("quokka")).unwrap();
    let mut hits = results.matches.iter();
    assert!(hits.next().is_some());
    let writer = home.store();
    let text = "some words of a message ".repeat(20);
    for _ in 0..100 {
        let batch = vec![NewMessage::new("s", "user").content(text.as_str()); 100];
        writer.append_messages(&batch).unwrap();
    }
    let log = std::fs::metadata(home.path().with_extension("db-wal")).unwrap();
    assert!(log.len() < 64 << 20, "{}", log.len());
    // The whole log can be moved: nobody reads an old state.
    let conn = raw(&home.path());
    let began = Instant::now();
    let moved = || -> bool {
        conn.query_row("PRAGMA wal_checkpoint(RESTART)", [], |row| {
            Ok(row.get::<_, i64>(0)? == 0 && row.get::<_, i64>(1)? == row.get::<_, i64>(2)?)
        })
        .unwrap()
    };
    // The store's own checkpoint may be at it.
    while !moved() {
        assert!(began.elapsed() < Duration::from_secs(10));
        std::thread::yield_now();
    }
    assert_eq!(hits.next(), None);
}

#[test]
fn lock_10_a_vacuum_gives_space_back_and_leaves_a_small_log() {
    vacuum_after_half(8);
}

/// A session of two goes, of so many hundreds of messages each.
pub(crate) fn vacuum_after_half(hundreds: usize) {
    const LIMIT: u64 = 1 << 20;
    let home = Home::new();
    let store = StoreOptions::new()
        .synchronous(Synchronous::Normal)
        .journal_size_limit(1 << 20)
        .open(home.path())
        .unwrap();
    let text = "some words of a message ".repeat(100);
    for id in ["a", "b"] {
        store.ensure_session(id).unwrap();
        for _ in 0..hundreds {
            let batch = vec![NewMessage::new(id, "user").content(text.as_str()); 100];
            store.append_messages(&batch).unwrap();
        }
    }
    store.clear_messages("a").unwrap();
    let done = store.vacuum().unwrap();
    assert!(done.bytes_after * 3 < done.bytes_before * 2, "{done:?}");
    assert_eq!(
        std::fs::metadata(home.path()).unwrap().len(),
        done.bytes_after
    );
    let log = std::fs::metadata(home.path().with_extension("db-wal")).unwrap();
    assert!(log.len() <= LIMIT, "{}", log.len());
    assert_eq!(messages_of(&store, "b").len(), hundreds * 100);
}

#[test]
fn lock_13_of_two_owners_one_closes_and_the_other_goes_on() {
    let home = Home::new();
    let first = home.store();
    let (clone, second) = (first.clone(), home.store());
    first.ensure_session("s").unwrap();
    drop(first);
    say_x(&clone, "s", "one");
    drop(clone);
    say_x(&second, "s", "two");
    assert_eq!(messages_of(&second, "s").len(), 2);
    drop(second);
    assert_index_whole(&home.path());
}

/// A store of some megabytes with a log that a killed process has left.
fn left_behind(home: &Home, messages: usize) -> PathBuf {
    let store = StoreOptions::new()
        .synchronous(Synchronous::Normal)
        .open(home.path())
        .unwrap();
    store.ensure_session("s").unwrap();
    let text = "some words of a message ".repeat(40);
    let batch = vec![NewMessage::new("s", "user").content(text.as_str()); 500];
    for _ in 0..messages / 500 {
        store.append_messages(&batch).unwrap();
    }
    drop(store);
    let path = home.path();
    let mut writer = spawn("append", &[path.to_str().unwrap(), "late", "100000"]);
    assert_eq!(writer.line().as_deref(), Some("ready"));
    writer.go();
    for _ in 0..40 {
        writer.line().unwrap();
    }
    writer.kill();
    writer.finish();
    let log = path.with_extension("db-wal");
    assert!(std::fs::metadata(log).unwrap().len() > 0);
    path
}

#[test]
fn lock_15_a_store_that_was_not_closed_opens_at_once() {
    open_after_a_kill(10_000, 30 << 20);
}

/// So many messages, in a file of at least so many bytes.
pub(crate) fn open_after_a_kill(messages: usize, bytes: u64) {
    let home = Home::new();
    let path = left_behind(&home, messages);
    assert!(std::fs::metadata(&path).unwrap().len() > bytes);
    let began = Instant::now();
    let store = Store::open(&path).unwrap();
    let took = began.elapsed();
    assert!(took < Duration::from_millis(500), "{took:?}");
    assert!(messages_of(&store, "late").len() >= 40);
    assert_eq!(store.index_trouble(), None);
}

#[test]
fn lock_19_sixteen_openers_meet_the_log_of_a_killed_process() {
    for _ in 0..4 {
        let home = Home::new();
        let path = left_behind(&home, 500);
        let path = path.to_str().unwrap();
        let mut openers: Vec<Process> = (0..16).map(|_| spawn("open", &[path])).collect();
        for opener in &mut openers {
            assert_eq!(opener.line().as_deref(), Some("ready"));
        }
        for opener in &mut openers {
            opener.go();
        }
        for opener in openers {
            assert_eq!(opener.finish(), (vec!["version 11".to_owned()], true));
        }
        assert!(messages_of(&home.store(), "late").len() >= 40);
        assert_index_whole(&home.path());
    }
}

#[test]
fn lock_21_reading_makes_no_file_takes_no_lock_and_tells_what_an_old_store_needs() {
    let home = Home::new();
    let error = Store::open_read_only(home.path()).unwrap_err();
    assert!(matches!(error, Error::NoStore { .. }), "{error}");
    assert_eq!(std::fs::read_dir(home.dir()).unwrap().count(), 0);

    let store = home.store();
    store.ensure_session("s").unwrap();
    say_x(&store, "s", "wombat");
    let mut holder = spawn("hold", &[home.path().to_str().unwrap()]);
    assert_eq!(holder.line().as_deref(), Some("held"));
    let before = content_of(&home.path());
    let reader = Store::open_read_only(home.path()).unwrap();
    let began = Instant::now();
    assert_eq!(
        reader.list_sessions(&ListOptions::default()).unwrap().len(),
        1
    );
    reader.token_stats(&StatsOptions::default()).unwrap();
    assert_eq!(reader.info().unwrap().messages, 1);
    assert!(reader.quick_check().unwrap().is_empty());
    assert_eq!(found(&reader, "wombat").len(), 1);
    // One that could write does not lock for reading either.
    assert_eq!(list_all(&home.store()).len(), 1);
    assert!(began.elapsed() < Duration::from_secs(1));
    assert_eq!(content_of(&home.path()), before);
    holder.finish();

    let old = testdata::fixture("v9.db");
    let reader = Store::open_read_only(old.path()).unwrap();
    reader.token_stats(&StatsOptions::default()).unwrap();
    assert!(reader.info().unwrap().messages > 0);
    let plan = StoreOptions::new().plan_migration(old.path()).unwrap();
    assert!(!plan.is_empty());
}

/// The child's side: makes a store, a message and a copy, and stays.
pub(crate) fn make_and_stay(path: &str, copy: &str) {
    let store = Store::open(path).unwrap();
    store.ensure_session("s").unwrap();
    say_x(&store, "s", "x");
    store.snapshot(copy).unwrap();
    say("made");
    wait_to_go();
}

#[test]
#[cfg(unix)]
fn lock_22_a_store_and_its_side_files_are_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let modes = |home: &Home| -> Vec<(String, u32)> {
        let mut modes: Vec<_> = std::fs::read_dir(home.dir())
            .unwrap()
            .flatten()
            .map(|file| {
                let name = file.file_name().to_string_lossy().into_owned();
                (name, file.metadata().unwrap().permissions().mode() & 0o777)
            })
            .collect();
        modes.sort();
        modes
    };
    let private = |names: &[&str]| -> Vec<(String, u32)> {
        names
            .iter()
            .map(|name| ((*name).to_owned(), 0o600))
            .collect()
    };
    let home = Home::new();
    let copy = home.dir().join("copy.db");
    let inner = command(
        "make-and-stay",
        &[home.path().to_str().unwrap(), copy.to_str().unwrap()],
    );
    let mut shell = std::process::Command::new("sh");
    shell
        .args(["-c", "umask 022 && exec \"$@\"", "sh"])
        .arg(inner.get_program())
        .args(inner.get_args());
    for (name, value) in inner.get_envs() {
        shell.env(name, value.unwrap());
    }
    let mut maker = Process::start(&mut shell);
    assert_eq!(maker.line().as_deref(), Some("made"));
    let all = ["copy.db", "state.db", "state.db-shm", "state.db-wal"];
    assert_eq!(modes(&home), private(&all));

    for name in all {
        let wide = std::fs::Permissions::from_mode(0o644);
        std::fs::set_permissions(home.dir().join(name), wide).unwrap();
    }
    drop(Store::open_read_only(home.path()).unwrap());
    assert!(modes(&home).iter().all(|(_, mode)| *mode == 0o644));
    // A lock that this process has must outlive the tightening: no descriptor is opened for it.
    let conn = raw(&home.path());
    conn.execute_batch("BEGIN IMMEDIATE").unwrap();
    let store = home.store();
    let others = all.map(|name| {
        (
            name.to_owned(),
            if name == "copy.db" { 0o644 } else { 0o600 },
        )
    });
    assert_eq!(modes(&home), others);
    let mut tries = spawn("try-write", &[home.path().to_str().unwrap()]);
    assert_eq!(tries.line().as_deref(), Some("locked"));
    conn.execute_batch("ROLLBACK").unwrap();
    say_x(&store, "s", "y");
    maker.finish();
}

/// The child's side: tries once to write, and says how it went.
pub(crate) fn try_to_write(path: &str) {
    let mut budget = WriteBudget::default();
    budget.busy_timeout = Duration::from_millis(10);
    budget.tries = 1;
    let store = StoreOptions::new().write_budget(budget).open(path).unwrap();
    say(match store.set_meta("key", "value") {
        Ok(()) => "written",
        Err(error) => error.code(),
    });
}
