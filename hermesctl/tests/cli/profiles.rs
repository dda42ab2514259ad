//! Profiles, and programs run with a home.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use testdata::fixture;

use crate::program::{Run, hermesctl, run_in};

/// A user with a store and a configuration in the root.
fn user() -> tempfile::TempDir {
    let user = tempfile::tempdir().unwrap();
    let root = user.path().join(".hermes");
    fs::create_dir(&root).unwrap();
    fs::copy(fixture("v11.db").path(), root.join("state.db")).unwrap();
    fs::write(root.join("config.yaml"), "model: hermes-4\n").unwrap();
    fs::write(root.join(".env"), "TOKEN=secret\n").unwrap();
    user
}

fn names(user: &Path) -> Vec<Value> {
    let list = run_in(user, ["--json", "profile", "list"]).ok().json();
    list["profiles"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["name"].clone())
        .collect()
}

#[test]
fn a_profile_is_made_renamed_chosen_and_deleted() {
    let user = user();
    let made = run_in(user.path(), ["--json", "profile", "create", " Coder "])
        .ok()
        .json();
    assert_eq!(made["profile"]["name"], "coder");
    assert_eq!(names(user.path()), ["default", "coder"]);
    run_in(user.path(), ["profile", "rename", "coder", "writer"]).ok();
    assert_eq!(names(user.path()), ["default", "writer"]);

    run_in(user.path(), ["profile", "use", "writer"]).ok();
    let home = run_in(user.path(), ["--json", "home"]).ok().json();
    assert_eq!(
        (&home["profile"], &home["source"]),
        (&json!("writer"), &json!("active-profile"))
    );
    let show = run_in(user.path(), ["--json", "profile", "show"])
        .ok()
        .json();
    assert_eq!(
        (&show["profile"]["name"], &show["profile"]["active"]),
        (&json!("writer"), &json!(true))
    );

    let refused = run_in(
        user.path(),
        ["--json", "profile", "delete", "writer", "--yes"],
    );
    assert_eq!(
        (refused.code, &refused.json()["error"]["code"]),
        (1, &json!("profile_active"))
    );
    run_in(user.path(), ["profile", "use", "default"]).ok();
    run_in(user.path(), ["profile", "delete", "writer", "--yes"]).ok();
    assert_eq!(names(user.path()), ["default"]);
}

#[test]
fn nothing_is_deleted_without_a_yes() {
    let user = user();
    run_in(user.path(), ["profile", "create", "coder"]).ok();
    let run = run_in(user.path(), ["--json", "profile", "delete", "coder"]);
    assert_eq!(
        (run.code, &run.json()["error"]["code"]),
        (64, &json!("confirmation_needed"))
    );
    assert_eq!(names(user.path()), ["default", "coder"]);
}

#[test]
fn a_clone_takes_sessions_only_when_asked() {
    let user = user();
    run_in(user.path(), ["profile", "clone", "default", "plain"]).ok();
    run_in(
        user.path(),
        ["profile", "clone", "default", "full", "--sessions"],
    )
    .ok();
    let profiles = user.path().join(".hermes/profiles");
    assert!(profiles.join("plain/config.yaml").exists());
    assert!(!profiles.join("plain/state.db").exists());
    let found = run_in(user.path(), ["-p", "full", "--json", "search", "kubectlx"])
        .ok()
        .json();
    assert_eq!(found["matches"][0]["id"], 2);
    let empty = run_in(user.path(), ["-p", "plain", "--json", "search", "kubectlx"])
        .ok()
        .json();
    assert_eq!(empty["matches"], json!([]));
}

#[test]
fn an_archive_leaves_secrets_out_and_makes_an_equal_profile() {
    let user = user();
    let export = ["--json", "profile", "export", "default", "--sessions"];
    let done = run_in(user.path(), export).ok().json();
    assert_eq!(done["archive"], "default.tar.gz");
    assert!(user.path().join("default.tar.gz").exists());
    assert_eq!(done["sessions"], true);
    let left: Vec<&Value> = done["left_out"]
        .as_array()
        .unwrap()
        .iter()
        .map(|l| &l["path"])
        .collect();
    assert!(left.contains(&&json!(".env")), "{left:?}");
    assert_eq!(
        run_in(user.path(), export).json()["error"]["code"],
        "file_exists"
    );

    run_in(
        user.path(),
        ["profile", "import", "default.tar.gz", "--name", "copy"],
    )
    .ok();
    let copy = user.path().join(".hermes/profiles/copy");
    assert_eq!(
        fs::read_to_string(copy.join("config.yaml")).unwrap(),
        "model: hermes-4\n"
    );
    assert!(!copy.join(".env").exists());
    let list = run_in(
        user.path(),
        ["-p", "copy", "--json", "sessions", "list", "-n", "100"],
    )
    .ok()
    .json();
    assert_eq!(list["sessions"].as_array().unwrap().len(), 21);
}

#[test]
fn bad_names_and_archives_are_refused_and_make_nothing() {
    let user = user();
    for name in ["../x", "a/b", "", "naïve", "x\n", "-x"] {
        let run = run_in(user.path(), ["--json", "profile", "create", "--", name]);
        assert_ne!(run.code, 0, "{name:?}");
    }
    fs::write(user.path().join("bad.tar.gz"), "not an archive").unwrap();
    let run = run_in(
        user.path(),
        ["--json", "profile", "import", "bad.tar.gz", "--name", "bad"],
    );
    assert_eq!(
        (run.code, &run.json()["error"]["code"]),
        (1, &json!("bad_archive"))
    );
    assert_eq!(names(user.path()), ["default"]);
}

#[test]
fn explain_tells_of_every_step_and_which_one_decided() {
    let user = user();
    let home = run_in(user.path(), ["--json", "home", "--explain"])
        .ok()
        .json();
    let verdict = |source: &str| {
        let steps = home["steps"].as_array().unwrap();
        steps.iter().find(|step| step["source"] == source).unwrap()["verdict"].clone()
    };
    assert_eq!(verdict("env"), "passed-over");
    assert_eq!(verdict("platform"), "chosen");
    fs::write(user.path().join(".hermes/active_profile"), "gone").unwrap();
    let text = run_in(user.path(), ["home", "--explain"]);
    assert_eq!(text.code, 1);
    assert!(text.stdout.contains("names gone"), "{}", text.stdout);
    assert!(text.stderr.contains("hint:"), "{}", text.stderr);
}

#[cfg(unix)]
#[test]
fn exec_hands_the_home_on_and_the_exit_code_back() {
    let user = user();
    run_in(user.path(), ["profile", "create", "coder"]).ok();
    let exec = |args: &[&str]| -> Run {
        hermesctl(user.path())
            .env("PATH", "/usr/bin:/bin")
            .args(args)
            .output()
            .unwrap()
            .into()
    };
    let run = exec(&[
        "-p",
        "coder",
        "exec",
        "--",
        "sh",
        "-c",
        "echo \"$HERMES_HOME\"; exit 7",
    ]);
    assert_eq!(run.code, 7);
    let coder = user
        .path()
        .canonicalize()
        .unwrap()
        .join(".hermes/profiles/coder");
    assert_eq!(Path::new(run.stdout.trim()).canonicalize().unwrap(), coder);
    assert_eq!(exec(&["exec", "no-such-program"]).code, 127);
    let folder = user.path().to_str().unwrap();
    assert_eq!(exec(&["exec", folder]).code, 126);
    assert_eq!(exec(&["-p", "nosuch", "exec", "true"]).code, 125);
}

#[test]
fn an_active_profile_that_is_gone_can_be_mended_and_a_broken_link_deleted() {
    let user = user();
    let root = user.path().join(".hermes");
    fs::write(root.join("active_profile"), "gone\n").unwrap();
    assert_eq!(run_in(user.path(), ["sessions", "list"]).code, 1);
    let list = run_in(user.path(), ["profile", "list"]).ok();
    assert!(list.stderr.contains("gone"), "{}", list.stderr);
    run_in(user.path(), ["profile", "use", "default"]).ok();
    run_in(user.path(), ["sessions", "list"]).ok();
    #[cfg(unix)]
    {
        fs::create_dir(root.join("profiles")).unwrap();
        std::os::unix::fs::symlink("nowhere", root.join("profiles/dang")).unwrap();
        run_in(user.path(), ["profile", "delete", "dang", "--yes"]).ok();
        assert!(fs::symlink_metadata(root.join("profiles/dang")).is_err());
    }
}
