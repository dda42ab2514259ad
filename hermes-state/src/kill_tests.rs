//! A migration is killed before each of its statements in turn; the next open finishes it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use rusqlite::Connection;

use crate::kill_point;
use crate::{IndexWork, Store};

const PATH: &str = "HERMES_STATE_KILLED_STORE";
const POINT: &str = "HERMES_STATE_KILL_POINT";

/// One of each kind: external content, both layouts of version 10, half-migrated, double titles.
/// Where `true`, every statement of the steps before and after the fill is tried.
const FILES: [(&str, bool); 6] = [
    ("v1.db", true),
    ("v9.db", false),
    ("v10_external.db", false),
    ("v10_inline.db", false),
    ("partial_v9_with_trigram.db", false),
    ("dup_titles_v3.db", true),
];

const STRIDE: usize = 17;

/// The child's side: opens the store and stops before the statement.
#[test]
#[ignore = "run by the test below"]
fn killed_child() {
    let (Ok(path), Ok(point)) = (std::env::var(PATH), std::env::var(POINT)) else {
        return;
    };
    kill_point::arm(point.parse().unwrap());
    drop(Store::open(path).unwrap());
    println!("\nDONE");
}

/// Whether the statement was reached: the child is killed then.
fn killed_at(path: &Path, point: usize) -> bool {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "kill_tests::killed_child",
            "--ignored",
            "--nocapture",
        ])
        .env(PATH, path)
        .env(POINT, point.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let said = BufReader::new(child.stdout.take().unwrap()).lines();
    let last = said
        .map_while(Result::ok)
        .find(|line| line.starts_with("REACHED ") || line == "DONE");
    let reached = last.unwrap().starts_with("REACHED ");
    if reached {
        child.kill().unwrap();
    }
    let status = child.wait().unwrap();
    assert_eq!(status.success(), !reached);
    reached
}

fn rows(path: &Path) -> Vec<String> {
    let conn = Connection::open(path).unwrap();
    let mut all = Vec::new();
    for sql in [
        "SELECT 's', id, source, started_at, message_count, parent_session_id FROM sessions ORDER BY rowid",
        "SELECT 'm', id, session_id, role, content, timestamp FROM messages ORDER BY id",
    ] {
        let mut statement = conn.prepare(sql).unwrap();
        let width = statement.column_count();
        let found = statement
            .query_map([], |row| {
                (0..width)
                    .map(|n| row.get_ref(n).map(|value| format!("{value:?}")))
                    .collect::<rusqlite::Result<String>>()
            })
            .unwrap();
        all.extend(found.map(Result::unwrap));
    }
    all
}

fn assert_whole(path: &Path, what: &str) {
    let conn = Connection::open(path).unwrap();
    for table in ["messages_fts", "messages_fts_trigram"] {
        conn.execute_batch(&format!(
            "INSERT INTO {table}({table}) VALUES('integrity-check')"
        ))
        .unwrap_or_else(|e| panic!("{what} {table}: {e}"));
        let odd: i64 = conn
            .query_row(
                &format!(
                    "SELECT (SELECT COUNT(*) FROM messages) - (SELECT COUNT(*) FROM {table}_docsize)
                          + (SELECT COUNT(*) FROM messages m LEFT JOIN {table}_docsize d ON d.id = m.id WHERE d.id IS NULL)"
                ),
                [],
                |row| row.get(0),
            )
            .unwrap();
        assert_eq!(odd, 0, "{what} {table}");
    }
    let left: i64 = conn
        .query_row(
            "SELECT COUNT(*) FROM sqlite_master WHERE name LIKE 'hermes\\_re%' ESCAPE '\\'",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(left, 0, "{what}");
}

#[test]
fn a_migration_killed_before_any_of_its_statements_is_finished_by_the_next_open() {
    for (file, every) in FILES {
        let count = {
            let fixture = testdata::fixture(file);
            let before = kill_point::seen();
            drop(Store::open(fixture.path()).unwrap());
            kill_point::seen() - before
        };
        assert!(count > 100, "{file} {count}");
        let before = rows(testdata::fixture(file).path());
        // The statements of the fill are many and alike: every few of them.
        let points = (0..count).filter(|n| {
            let own = every && (*n < 120 || n + 60 > count);
            own || n % STRIDE == 0
        });
        let mut killed = 0;
        for point in points {
            let fixture = testdata::fixture(file);
            killed += usize::from(killed_at(fixture.path(), point));
            let what = format!("{file} killed before statement {point} of {count}");
            let store = Store::open(fixture.path()).unwrap_or_else(|e| panic!("{what}: {e}"));
            let work = store.complete_index(None, &|_| {}).unwrap();
            assert_eq!(work, IndexWork::Done, "{what}");
            assert_eq!(store.schema_version(), 11, "{what}");
            assert_eq!(store.index_trouble(), None, "{what}");
            drop(store);
            assert!(rows(fixture.path()) == before, "{what}: rows differ");
            assert_whole(fixture.path(), &what);
        }
        assert!(killed > 10, "{file} {killed}");
    }
}
