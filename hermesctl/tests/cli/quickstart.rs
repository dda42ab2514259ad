//! The tour.

use std::fs;

use crate::program::{Run, hermesctl};

fn quickstart(args: &[&str]) -> (Run, tempfile::TempDir) {
    let user = tempfile::tempdir().unwrap();
    let temporary = user.path().join("tmp");
    fs::create_dir(&temporary).unwrap();
    let run: Run = hermesctl(user.path())
        .env("TMPDIR", &temporary)
        .arg("quickstart")
        .args(args)
        .output()
        .unwrap()
        .into();
    (run.ok(), user)
}

#[test]
fn the_tour_shows_every_step_and_leaves_nothing() {
    let (run, user) = quickstart(&[]);
    for expected in [
        "imported 7 sessions with 49 messages",
        "Orders API cannot reach Postgres",
        ">>>connection<<< >>>refused<<<",
        ">>>数据库<<<",
        "→ terminal {",
        "index     complete",
        "check     no fault found",
        "hermesctl sessions list",
        "~/.hermes",
    ] {
        assert!(run.stdout.contains(expected), "{expected}: {}", run.stdout);
    }
    assert_eq!(run.stderr, "");
    assert_eq!(fs::read_dir(user.path().join("tmp")).unwrap().count(), 0);
    assert!(!user.path().join(".hermes").exists());
}

#[test]
fn the_home_of_the_tour_can_be_kept_and_used() {
    let (run, user) = quickstart(&["--keep"]);
    let kept = fs::read_dir(user.path().join("tmp"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    assert!(run.stdout.contains(&format!(
        "hermesctl --home {} sessions list",
        kept.display()
    )));
    let list: Run = hermesctl(user.path())
        .arg("--home")
        .arg(&kept)
        .args(["--json", "sessions", "list"])
        .output()
        .unwrap()
        .into();
    // Seven are stored; one continues another and is shown in its place.
    assert_eq!(list.ok().json()["sessions"].as_array().unwrap().len(), 6);
}
