//! A disk that fails at any one call, or from one call on: what was acknowledged is there, the
//! error is typed, and the store is usable as soon as the disk is.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use faults::{Armed, Fault, Operation, Plan};
use hermes_state::{
    Checkpoint, DeleteOptions, Error, NewMessage, NewSession, PruneFilter, Store, StoreOptions,
};
use rusqlite::types::Value as Sql;
use std::ops::ControlFlow;

use crate::support::{Home, ask, assert_index_whole, export, list_all, raw};

/// Calls of one kind that are tried, at most, spread over all that a work makes. All of them are
/// tried on demand: `cargo nextest run --release -p hermes-state --run-ignored only -E
/// 'test(every_call)'`.
const SOME: u64 = 8;

const NOW: f64 = 1_800_000_000.0;
const DAY: f64 = 86_400.0;

const KINDS: [(Operation, Fault); 8] = [
    (Operation::Write, Fault::Full),
    (Operation::Write, Fault::Broken),
    (Operation::Write, Fault::Half),
    (Operation::Sync, Fault::Broken),
    (Operation::Truncate, Fault::Broken),
    (Operation::Open, Fault::Broken),
    (Operation::Map, Fault::Broken),
    (Operation::Read, Fault::Broken),
];

/// What a work came to.
#[derive(Default)]
struct Outcome {
    /// Texts of messages that were acknowledged.
    acknowledged: Vec<String>,
    errors: Vec<Error>,
}

impl Outcome {
    fn note<T>(&mut self, result: Result<T, Error>) -> Option<T> {
        result.map_err(|error| self.errors.push(error)).ok()
    }
}

/// Something that is done in a folder with a store, on a disk that fails meanwhile. It ends with
/// the disk in order again and a message written through the same handle, if there is one.
type Work = fn(&Path, Armed) -> Outcome;

fn append_to(store: &Store, text: &str, outcome: &mut Outcome) {
    let stored = store.append_message(&NewMessage::new("young0", "user").content(text));
    if outcome.note(stored).is_some() {
        outcome.acknowledged.push(text.to_owned());
    }
}

/// Opens the store, does it, and goes on when the disk is in order.
fn with_store(path: &Path, disk: Armed, what: impl FnOnce(&Store, &mut Outcome)) -> Outcome {
    let mut outcome = Outcome::default();
    let opened = StoreOptions::new().clock(|| NOW).open(path);
    let store = outcome.note(opened);
    if let Some(store) = &store {
        what(store, &mut outcome);
    }
    drop(disk);
    if let Some(store) = store {
        let text = "written as soon as the disk was in order";
        store
            .append_message(&NewMessage::new("young0", "user").content(text))
            .unwrap();
        outcome.acknowledged.push(text.to_owned());
    }
    outcome
}

fn appends(path: &Path, disk: Armed) -> Outcome {
    with_store(path, disk, |store, outcome| {
        for n in 0..3 {
            append_to(store, &format!("acknowledged zebra number{n}"), outcome);
        }
    })
}

fn batch(path: &Path, disk: Armed) -> Outcome {
    with_store(path, disk, |store, outcome| {
        let texts: Vec<String> = (0..40).map(|n| format!("batch zebra number{n}")).collect();
        let messages: Vec<_> = texts
            .iter()
            .map(|text| NewMessage::new("young1", "user").content(text.as_str()))
            .collect();
        if outcome.note(store.append_messages(&messages)).is_some() {
            outcome.acknowledged.extend(texts);
        }
    })
}

fn checkpoints(path: &Path, disk: Armed) -> Outcome {
    with_store(path, disk, |store, outcome| {
        append_to(store, "before the checkpoint", outcome);
        outcome.note(store.checkpoint(Checkpoint::Passive));
        append_to(store, "between the checkpoints", outcome);
        outcome.note(store.checkpoint(Checkpoint::Truncate));
        append_to(store, "after the checkpoints", outcome);
    })
}

fn prunes(path: &Path, disk: Armed) -> Outcome {
    with_store(path, disk, |store, outcome| {
        let filter = PruneFilter::new().older_than_days(30.0);
        let go_on = &mut |_: &_| ControlFlow::Continue(());
        outcome.note(store.prune(&filter, &DeleteOptions::new(), go_on));
    })
}

fn vacuums(path: &Path, disk: Armed) -> Outcome {
    with_store(path, disk, |store, outcome| {
        outcome.note(store.vacuum());
    })
}

fn opens(path: &Path, disk: Armed) -> Outcome {
    with_store(path, disk, |store, outcome| {
        outcome.note(store.complete_index(None, &|_| {}));
    })
}

fn imports(path: &Path, disk: Armed) -> Outcome {
    with_store(path, disk, |store, outcome| {
        let line = |n| {
            format!(
                r#"{{"id":"in{n}","source":"cli","started_at":{NOW},"messages":[{{"role":"user","content":"imported zebra number{n}","timestamp":{NOW}}}]}}"#
            )
        };
        let lines: Vec<String> = (0..5).map(line).collect();
        let report = store.import(&mut lines.join("\n").as_bytes(), &mut |_| {});
        if let Some(report) = outcome.note(report) {
            let there = report.imported.iter().map(|id| {
                let number = id.as_str().trim_start_matches("in");
                format!("imported zebra number{number}")
            });
            outcome.acknowledged.extend(there);
        }
    })
}

/// Copies the store away; a copy that was reported is whole, and one that was not is not there.
fn copies(path: &Path, disk: Armed) -> Outcome {
    let copy = path.with_file_name("copy.db");
    let mut made = false;
    let outcome = with_store(path, disk, |store, outcome| {
        made = outcome.note(store.snapshot(&copy)).is_some();
    });
    assert_eq!(made, copy.exists());
    if made {
        let checked: String = ask(&copy, "PRAGMA integrity_check");
        assert_eq!(checked, "ok");
        let mut all = rows(path);
        all.pop_last();
        assert!(rows(&copy) == all);
    }
    outcome
}

type Rows = BTreeMap<i64, (String, Sql)>;

fn rows(path: &Path) -> Rows {
    let conn = raw(path);
    let mut statement = conn
        .prepare("SELECT id, session_id, content FROM messages")
        .unwrap();
    let found = statement.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))));
    found.unwrap().map(Result::unwrap).collect()
}

/// A store with old sessions, which a prune takes, and young ones.
fn made() -> Home {
    let home = Home::new();
    let store = home.store_at(NOW);
    for n in 0..6 {
        for (name, time) in [("old", NOW - 90.0 * DAY), ("young", NOW - DAY)] {
            let id = format!("{name}{n}");
            let session = NewSession::new(id.as_str(), "cli").started_at(time);
            store.create_session(&session).unwrap();
            let messages: Vec<_> = (0..8)
                .map(|m| {
                    NewMessage::new(id.as_str(), "user")
                        .content(format!(
                            "{name} words of message {m} 部署 {}",
                            "text ".repeat(60)
                        ))
                        .timestamp(time)
                })
                .collect();
            store.append_messages(&messages).unwrap();
            store.end_session(id.as_str(), "user_exit").unwrap();
        }
    }
    drop(store);
    raw(&home.path())
        .execute_batch(&format!(
            "UPDATE sessions SET ended_at = {} WHERE id LIKE 'old%'",
            NOW - 90.0 * DAY
        ))
        .unwrap();
    home
}

fn tried(name: &str, template: &Path, work: Work, points: u64) {
    let before = rows(template);
    for (operation, fault) in KINDS {
        for forever in [false, true] {
            let calls = {
                let home = Home::new();
                fs::copy(template, home.path()).unwrap();
                let disk = faults::arm(home.dir(), Plan::new(operation, fault).after(u64::MAX));
                let calls = disk.counter();
                let outcome = work(&home.path(), disk);
                assert!(outcome.errors.is_empty(), "{name}: {:?}", outcome.errors);
                calls.seen()
            };
            let stride = (calls / points).max(1);
            for point in (0..calls).step_by(usize::try_from(stride).unwrap()) {
                let what = format!(
                    "{name}: {operation:?} {fault:?} at {point} of {calls}, forever: {forever}"
                );
                let home = Home::new();
                fs::copy(template, home.path()).unwrap();
                let plan = Plan::new(operation, fault).after(point);
                let plan = if forever { plan } else { plan.once() };
                let outcome = work(&home.path(), faults::arm(home.dir(), plan));
                for error in &outcome.errors {
                    let typed = ["disk_full", "io", "cannot_open"];
                    assert!(
                        typed.contains(&error.code()),
                        "{what}: {} {error}",
                        error.code()
                    );
                }
                assert_whole(&home, &before, &outcome, &what);
            }
        }
    }
}

/// What was there and what was acknowledged is there, and everything is in order.
fn assert_whole(home: &Home, before: &Rows, outcome: &Outcome, what: &str) {
    let store = Store::open(home.path()).unwrap_or_else(|e| panic!("{what}: {e}"));
    store.complete_index(None, &|_| {}).unwrap();
    store
        .append_message(&NewMessage::new("young0", "user").content("afterwards"))
        .unwrap();
    export(&store);
    drop(store);
    let checked: String = ask(&home.path(), "PRAGMA integrity_check");
    assert_eq!(checked, "ok", "{what}");
    assert_index_whole(&home.path());
    let after = rows(&home.path());
    for (id, row) in before {
        let may_go = row.0.starts_with("old");
        assert!(
            after.get(id) == Some(row) || may_go && !after.contains_key(id),
            "{what}: message {id}"
        );
    }
    for text in &outcome.acknowledged {
        let there = after
            .values()
            .any(|(_, content)| *content == Sql::Text(text.clone()));
        assert!(there, "{what}: {text:?} was acknowledged");
    }
    let odd: i64 = ask(
        &home.path(),
        "SELECT COUNT(*) FROM sessions s WHERE message_count <>
             (SELECT COUNT(*) FROM messages m WHERE m.session_id = s.id)",
    );
    assert_eq!(odd, 0, "{what}: counters");
}

const WORKS: [(&str, Work); 7] = [
    ("appends", appends),
    ("a batch", batch),
    ("checkpoints", checkpoints),
    ("a prune", prunes),
    ("a vacuum", vacuums),
    ("an import", imports),
    ("a copy", copies),
];

fn all_tried(points: u64) {
    let home = made();
    for (name, work) in WORKS {
        tried(name, &home.path(), work, points);
    }
}

fn migrations_tried(points: u64) {
    for file in ["v1.db", "v10_inline.db"] {
        let fixture = testdata::fixture(file);
        let home = Home::new();
        fs::copy(fixture.path(), home.path()).unwrap();
        // The session that the works append to.
        raw(&home.path())
            .execute_batch(
                "INSERT INTO sessions (id, source, started_at) VALUES ('young0', 'cli', 1.0)",
            )
            .unwrap();
        tried(file, &home.path(), opens, points);
    }
}

#[test]
fn a_failing_call_loses_nothing_that_was_acknowledged() {
    all_tried(SOME);
}

#[test]
fn a_failing_call_loses_nothing_in_a_migration() {
    migrations_tried(SOME);
}

#[test]
#[ignore = "takes long"]
fn every_call_may_fail() {
    all_tried(u64::MAX);
}

#[test]
#[ignore = "takes long"]
fn every_call_of_a_migration_may_fail() {
    migrations_tried(u64::MAX);
}

/// CORR-18, and of CORR-19 that what fails once does not surface.
#[test]
fn what_fails_once_in_reading_is_tried_again_and_what_stays_is_told_soon() {
    faults::install();
    let home = made();
    let open: [fn(&Path) -> Result<Store, Error>; 2] =
        [|path| Store::open_read_only(path), |path| Store::open(path)];
    for operation in [Operation::Map, Operation::Read] {
        for open in open {
            let disk = faults::arm(home.dir(), Plan::new(operation, Fault::Broken).once());
            let calls = disk.counter();
            let store = open(&home.path()).unwrap();
            assert_eq!(list_all(&store).len(), 12);
            assert!(calls.seen() > 0, "{operation:?}");
            drop((store, disk));

            let disk = faults::arm(home.dir(), Plan::new(operation, Fault::Broken));
            let calls = disk.counter();
            let began = Instant::now();
            let error = open(&home.path()).unwrap_err();
            assert_eq!(error.code(), "io", "{operation:?}: {error}");
            assert!(error.to_string().contains(home.path().to_str().unwrap()));
            assert!(began.elapsed() < Duration::from_secs(2));
            // No endless trying.
            assert!((2..=8).contains(&calls.seen()), "{}", calls.seen());
            drop(disk);

            let store = open(&home.path()).unwrap();
            assert_eq!(list_all(&store).len(), 12);
        }
    }
}

#[test]
fn a_read_of_an_open_store_outlasts_a_failure() {
    faults::install();
    let home = made();
    let store = StoreOptions::new()
        .page_cache(1024)
        .open(home.path())
        .unwrap();
    list_all(&store);
    // Somebody else writes, so that what is kept in memory is read again.
    raw(&home.path())
        .execute_batch("UPDATE messages SET content = content || 'x' WHERE id = 1")
        .unwrap();
    let disk = faults::arm(home.dir(), Plan::new(Operation::Read, Fault::Broken).once());
    let calls = disk.counter();
    assert_eq!(list_all(&store).len(), 12);
    assert!(calls.seen() > 1, "{}", calls.seen());
}
