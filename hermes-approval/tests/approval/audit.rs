//! The record of decisions: whole lines, no secrets, no more than was allowed.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, UNIX_EPOCH};

use hermes_approval::audit::{Audit, AuditOptions, Record};
use serde_json::{Value, json};

fn write(audit: &Audit, command: &str) {
    audit
        .record(&Record {
            at: UNIX_EPOCH + Duration::from_millis(1_700_000_000_123),
            session_key: "one",
            command,
            verdict: &json!({"verdict": "ask", "resolved": "TOKEN=abc rm"}),
            decision: &json!({"choice": "once", "by": "person"}),
        })
        .unwrap();
}

fn lines(path: &Path) -> Vec<Value> {
    fs::read_to_string(path)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

#[test]
fn nothing_is_recorded_unless_it_was_asked_for() {
    let audit = Audit::off();
    assert!(!audit.is_on());
    write(&audit, "x");
}

#[test]
fn a_line_says_what_was_decided_and_holds_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let audit = Audit::new(AuditOptions::new(&path));
    write(&audit, "API_KEY=xyz run\nnext");
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        "{\"time\":1700000000.123,\"session_key\":\"one\",\"command\":\"API_KEY=*** run\\nnext\",\
         \"verdict\":{\"verdict\":\"ask\",\"resolved\":\"TOKEN=*** rm\"},\
         \"decision\":{\"choice\":\"once\",\"by\":\"person\"}}\n"
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }
}

#[test]
fn a_long_record_goes_on_in_a_new_file_and_the_oldest_goes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let mut options = AuditOptions::new(&path);
    options.max_bytes = 600;
    options.keep = 2;
    let audit = Audit::new(options);
    for number in 0..20 {
        write(&audit, &format!("command {number}"));
    }
    let mut found = Vec::new();
    for name in ["audit.jsonl.2", "audit.jsonl.1", "audit.jsonl"] {
        let file = folder.path().join(name);
        assert!(fs::metadata(&file).unwrap().len() <= 600);
        found.extend(lines(&file).into_iter().map(|line| line["command"].clone()));
    }
    let first = 20 - found.len();
    let expected: Vec<Value> = (first..20)
        .map(|number| format!("command {number}").into())
        .collect();
    assert_eq!(found, expected);
    assert!(found.len() < 20);
    assert!(!folder.path().join("audit.jsonl.3").exists());
}

#[test]
fn a_line_that_was_left_half_is_ended_first() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    fs::write(&path, "{\"time\":1").unwrap();
    write(&Audit::new(AuditOptions::new(&path)), "x");
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        text.starts_with("{\"time\":1\n{\"time\":1700000000.123,"),
        "{text}"
    );
}

#[test]
fn a_record_that_cannot_be_written_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let audit = Audit::new(AuditOptions::new(folder.path().join("none/audit.jsonl")));
    let error = audit
        .record(&Record {
            at: UNIX_EPOCH,
            session_key: "s",
            command: "c",
            verdict: &Value::Null,
            decision: &Value::Null,
        })
        .unwrap_err();
    assert_eq!(error.code(), "no_folder");
}

const FILE: &str = "AUDIT_TEST_FILE";
const LINES: usize = 200;

/// The child of the next test: does nothing unless it is started by it.
#[test]
fn child_that_records() {
    let Ok(path) = std::env::var(FILE) else {
        return;
    };
    let mut options = AuditOptions::new(path);
    options.max_bytes = 100_000;
    options.keep = 100;
    let audit = Audit::new(options);
    for number in 0..LINES {
        write(
            &audit,
            &format!("{} {number} {}", std::process::id(), "x".repeat(number * 7)),
        );
    }
}

#[test]
fn lines_of_several_processes_are_whole_and_none_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let children: Vec<_> = (0..4)
        .map(|_| {
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "audit::child_that_records"])
                .env(FILE, &path)
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let mut commands = std::collections::BTreeSet::new();
    let mut files = 0;
    for entry in fs::read_dir(folder.path()).unwrap() {
        let file = entry.unwrap().path();
        if file
            .extension()
            .is_some_and(|extension| extension == "lock")
        {
            continue;
        }
        files += 1;
        for line in lines(&file) {
            assert!(commands.insert(line["command"].as_str().unwrap().to_owned()));
        }
    }
    assert_eq!(commands.len(), 4 * LINES);
    assert!(files > 1);
}
