//! Several processes that change one list, and some that are killed.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use hermes_approval::allowlist::AllowlistFile;

const FILE: &str = "PROCESS_TEST_FILE";
const NAME: &str = "PROCESS_TEST_NAME";
const ROUNDS: &str = "PROCESS_TEST_ROUNDS";

const START: &str =
    "# ours\nmodel: x\ncommand_allowlist:\n  - by hand  # stays\n# below\nother: {k: 1}\n";

/// The child: adds entries of its own and takes each second one off again.
#[test]
fn child_that_adds_and_removes() {
    let (Ok(file), Ok(name), Ok(rounds)) = (
        std::env::var(FILE),
        std::env::var(NAME),
        std::env::var(ROUNDS),
    ) else {
        return;
    };
    let file = AllowlistFile::new(file);
    println!();
    for round in 0..rounds.parse().unwrap() {
        let entry = format!("{name} {round}");
        file.add(&[&entry]).unwrap();
        println!("ADDED {entry}");
        if round % 2 == 1 {
            file.remove(&[&entry]).unwrap();
            println!("REMOVED {entry}");
        }
    }
}

fn child(path: &Path, name: &str, rounds: usize) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "--nocapture",
            "allowlist_processes::child_that_adds_and_removes",
        ])
        .env(FILE, path)
        .env(NAME, name)
        .env(ROUNDS, rounds.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn entries(path: &Path) -> BTreeSet<String> {
    AllowlistFile::new(path)
        .current()
        .unwrap()
        .entries()
        .iter()
        .map(|entry| entry.text.clone())
        .collect()
}

#[test]
fn eight_processes_that_add_and_remove_at_once_lose_nothing() {
    const ROUNDS_EACH: usize = 12;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.yaml");
    fs::write(&path, START).unwrap();
    let children: Vec<Child> = (0..8)
        .map(|number| child(&path, &format!("process {number}"), ROUNDS_EACH))
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        );
    }
    let expected: BTreeSet<String> = (0..8)
        .flat_map(|number| {
            (0..ROUNDS_EACH)
                .step_by(2)
                .map(move |round| format!("process {number} {round}"))
        })
        .chain(["by hand".to_owned()])
        .collect();
    assert_eq!(entries(&path), expected);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("# ours\nmodel: x\ncommand_allowlist:\n  - by hand  # stays\n"));
    assert!(text.ends_with("# below\nother: {k: 1}\n"));
}

#[test]
fn a_process_that_is_killed_leaves_all_it_has_told_and_a_whole_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.yaml");
    fs::write(&path, START).unwrap();
    let mut told: BTreeSet<String> = BTreeSet::new();
    for number in 0..30 {
        let mut child = child(&path, &format!("victim {number}"), 1_000);
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // Killed in whatever it does after so many steps.
        let steps = lines
            .map(Result::unwrap)
            .filter(|line| line.starts_with("ADDED ") || line.starts_with("REMOVED "))
            .take(1 + number % 7);
        let mut unsure = String::new();
        for step in steps {
            if let Some(entry) = step.strip_prefix("ADDED ") {
                told.insert(entry.to_owned());
                unsure = entry.to_owned();
            } else if let Some(entry) = step.strip_prefix("REMOVED ") {
                told.remove(entry);
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // What came after the last line that was read may have happened or not.
        let found = entries(&path);
        let missing: Vec<_> = told
            .difference(&found)
            .filter(|entry| **entry != unsure)
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("# ours\n") && text.ends_with("# below\nother: {k: 1}\n"));
        told = found;
    }
}
