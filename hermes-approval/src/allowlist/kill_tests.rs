//! Changes that are killed on the way, by a real signal to a real process, at every point there is.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use super::AllowlistFile;
use crate::kill_point;

/// Given to the child process: the file, and the point to stop at.
const FILE: &str = "KILL_TEST_FILE";
const POINT: &str = "KILL_TEST_POINT";

const OLD: &str = "# mine\nmodel: x\ncommand_allowlist:\n  - find -delete  # why\n";
const NEW: &str =
    "# mine\nmodel: x\ncommand_allowlist:\n  - find -delete  # why\n  - recursive delete\n";

/// The child: does nothing unless it is started by the test below.
#[test]
fn child_that_is_killed() {
    let (Ok(file), Ok(point)) = (std::env::var(FILE), std::env::var(POINT)) else {
        return;
    };
    kill_point::arm(point.parse().unwrap());
    AllowlistFile::new(file).add(&["recursive delete"]).unwrap();
    println!("\nDONE");
}

/// The name of the point where the child was killed; `None` if it came to its end.
fn kill_at(file: &Path, point: usize) -> Option<String> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "--nocapture",
            "allowlist::kill_tests::child_that_is_killed",
        ])
        .env(FILE, file)
        .env(POINT, point.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let said = lines
        .map(Result::unwrap)
        .find(|line| line.starts_with("REACHED ") || line == "DONE")
        .expect("the child says where it is");
    child.kill().unwrap();
    child.wait().unwrap();
    said.strip_prefix("REACHED ").map(str::to_owned)
}

#[test]
fn a_change_that_is_killed_leaves_the_old_or_the_new_file() {
    let mut points = Vec::new();
    for point in 0.. {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.yaml");
        fs::write(&path, OLD).unwrap();
        let reached = kill_at(&path, point);
        let left = fs::read_to_string(&path).unwrap();
        match reached.as_deref() {
            None | Some("replaced") => assert_eq!(left, NEW),
            Some(_) => assert_eq!(left, OLD),
        }
        // The lock has gone with the process, and the next change clears away the rest.
        AllowlistFile::new(&path)
            .add(&["recursive delete"])
            .unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), NEW);
        let mut names: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["config.yaml", "config.yaml.lock"]);
        match reached {
            Some(name) => points.push(name),
            None => break,
        }
    }
    assert_eq!(points, ["created", "unsynced", "written", "replaced"]);
}
