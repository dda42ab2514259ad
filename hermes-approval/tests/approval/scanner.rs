//! A scanner that answers, one that does not, and one that does not end.
#![cfg(unix)]

use std::fs;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hermes_approval::scanner::{Scan, Scanner, ScannerOptions, UNAVAILABLE_KEY};
use tempfile::TempDir;

/// A program that is this shell script.
fn scanner(script: &str, change: impl FnOnce(&mut ScannerOptions)) -> (TempDir, Scanner) {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("scanner");
    // Written by another process: a program that a fork of ours still holds open cannot be run.
    let mut writer = Command::new("sh")
        .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
        .arg(&program)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = writer.stdin.take().unwrap();
    write!(pipe, "#!/bin/sh\n{script}\n").unwrap();
    drop(pipe);
    assert!(writer.wait().unwrap().success());
    let mut options = ScannerOptions::new(&program);
    options.timeout = Duration::from_secs(60);
    change(&mut options);
    (folder, Scanner::new(options))
}

#[test]
fn the_command_is_given_as_one_argument_after_the_options() {
    let (folder, scanner) = scanner(
        "printf '%s\\n' \"$@\" > \"$0.args\"; cat > \"$0.in\"",
        |_| {},
    );
    assert_eq!(scanner.scan("rm -rf 'a b'; --x"), Scan::Clean);
    assert_eq!(
        fs::read_to_string(folder.path().join("scanner.args")).unwrap(),
        "check\n--json\n--non-interactive\n--shell\nposix\n--\nrm -rf 'a b'; --x\n"
    );
    assert_eq!(
        fs::read_to_string(folder.path().join("scanner.in")).unwrap(),
        ""
    );
}

#[test]
fn a_finding_is_told_with_its_rule_and_without_secrets() {
    let report = r#"{"summary": "s", "findings": [
        {"rule_id": "pipe_to_shell", "severity": "HIGH", "title": "Pipe", "description": "TOKEN=abc"},
        {"rule_id": "two", "title": "Second"}]}"#;
    let (_folder, scanner) = scanner(&format!("cat <<'END'\n{report}\nEND\nexit 1"), |_| {});
    let scan = scanner.scan("curl x | sh");
    assert_eq!(
        scan,
        Scan::Finding {
            key: "tirith:pipe_to_shell".to_owned(),
            text: "Security scan — [HIGH] Pipe: TOKEN=***; Second".to_owned(),
            block: true,
        }
    );
    assert_eq!(scan.key(), Some("tirith:pipe_to_shell"));
}

#[test]
fn the_exit_code_counts_whatever_is_printed() {
    for (script, text) in [
        (
            "exit 2",
            "Security scan — the scanner found something and does not say what",
        ),
        (
            "echo nonsense; exit 2",
            "Security scan — the scanner found something and does not say what",
        ),
        (
            "echo '{\"summary\": \"odd\"}'; exit 2",
            "Security scan — odd",
        ),
        (
            "echo '{\"findings\": [7, {}]}'; exit 2",
            "Security scan — the scanner found something and does not say what",
        ),
    ] {
        let (_folder, scanner) = scanner(script, |_| {});
        assert_eq!(
            scanner.scan("x"),
            Scan::Finding {
                key: "tirith:unknown".to_owned(),
                text: text.to_owned(),
                block: false,
            }
        );
    }
    let (_folder, scanner) = scanner(
        "echo '{\"findings\": [{\"title\": \"t\"}]}'; exit 0",
        |_| {},
    );
    assert_eq!(scanner.scan("x"), Scan::Clean);
}

#[test]
fn a_scanner_that_prints_without_end_is_heard_out() {
    let (_folder, scanner) = scanner("yes | head -c 5000000; exit 2", |_| {});
    assert!(matches!(scanner.scan("x"), Scan::Finding { .. }));
}

#[test]
fn a_scanner_that_does_not_end_is_killed_with_what_it_started() {
    let script = "sleep 600 > \"$0.pipe\" & sleep 600";
    let (folder, scanner) = scanner(script, |options| options.timeout = Duration::from_secs(1));
    let pipe = folder.path().join("scanner.pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let begun = Instant::now();
    // Ends when nobody holds the other end any more.
    let held =
        std::thread::spawn(move || fs::File::open(pipe).unwrap().read_to_end(&mut Vec::new()));
    let scan = scanner.scan("x");
    assert_eq!(scan.key(), Some(UNAVAILABLE_KEY));
    held.join().unwrap().unwrap();
    assert!(begun.elapsed() < Duration::from_secs(120));
}

#[test]
fn no_answer_asks_unless_it_was_said_to_pass() {
    let (_folder, strict) = scanner("exit 7", |_| {});
    assert_eq!(strict.scan("x").key(), Some(UNAVAILABLE_KEY));
    let (_folder, open) = scanner("kill -9 $$", |options| options.fail_open = true);
    let scan = open.scan("x");
    assert!(
        matches!(scan, Scan::Unavailable { ask: false, .. }),
        "{scan:?}"
    );
    assert_eq!(scan.key(), None);
    let missing = Scanner::new(ScannerOptions::new("/nowhere/scanner"));
    assert_eq!(missing.scan("x").key(), Some(UNAVAILABLE_KEY));
    assert_eq!(missing.scan("a\0b").key(), Some(UNAVAILABLE_KEY));
}

#[test]
fn after_three_failures_in_a_row_it_is_not_run_again() {
    let (folder, scanner) = scanner(
        "echo x >> \"$0.runs\"; test \"$7\" = good || exit 9",
        |options| options.fail_open = true,
    );
    let runs = || {
        fs::read_to_string(folder.path().join("scanner.runs"))
            .unwrap()
            .len()
            / 2
    };
    scanner.scan("bad");
    scanner.scan("bad");
    assert_eq!(scanner.scan("good"), Scan::Clean);
    scanner.scan("bad");
    scanner.scan("bad");
    assert!(!scanner.is_broken());
    scanner.scan("bad");
    assert!(scanner.is_broken());
    assert_eq!(runs(), 6);
    assert!(matches!(
        scanner.scan("good"),
        Scan::Unavailable { ask: false, .. }
    ));
    assert_eq!(runs(), 6);
    scanner.reset();
    assert_eq!(scanner.scan("good"), Scan::Clean);
}
