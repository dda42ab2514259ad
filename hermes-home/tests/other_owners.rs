//! Homes that belong to somebody else, or may not be entered or written.
#![cfg(unix)]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test stops where it fails, also in its helpers"
)]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use hermes_home::{
    CreateOptions, Environment, Error, HermesHome, Platform, RenameOptions, Selection, resolve,
};
use support::{Sandbox, listed, mode, name, plain_copy};

/// Runs one of the ignored tests below with the rights of nobody, who may look at the sandbox and
/// write nothing in it. Only root can.
fn as_nobody(sandbox: &Sandbox, test: &str) -> bool {
    if uzers::get_effective_uid() != 0 {
        eprintln!("SKIPPED: only root can run a process of another user");
        return false;
    }
    let open = |path: &Path| fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
    open(&sandbox.path(""));
    for path in sandbox.tree() {
        open(&path);
    }
    let program = plain_copy(sandbox);
    open(&program);
    let output = Command::new(&program)
        .args(["--exact", test, "--ignored", "--nocapture"])
        .env("CHILDS_USER_HOME", sandbox.home())
        .current_dir("/")
        .uid(65534)
        .gid(65534)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(text.contains("1 passed"), "{text}");
    true
}

fn childs_home() -> HermesHome {
    let home = std::env::var_os("CHILDS_USER_HOME").unwrap();
    let env = Environment::new(Platform::Unix).with_user_home(home);
    resolve(&env).unwrap().home
}

/// HOME-30.
#[test]
fn files_of_another_user_can_be_read_and_a_write_names_their_owner() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    sandbox.activate("coder");
    if as_nobody(&sandbox, "the_child_that_owns_nothing") {
        assert_eq!(mode(sandbox.default().join("active_profile")), 0o755);
        assert_eq!(listed(&sandbox.profiles()), ["default", "coder"]);
    }
}

#[test]
#[ignore = "this is the process that another test starts"]
fn the_child_that_owns_nothing() {
    let home = childs_home();
    let profiles = home.profiles();
    assert_eq!(listed(&profiles), ["default", "coder"]);
    assert_eq!(profiles.active().name(), name("coder"));
    for error in [
        profiles
            .create(&name("new"), CreateOptions::blank())
            .unwrap_err(),
        profiles.activate(&name("default")).unwrap_err(),
        profiles
            .rename(&name("coder"), &name("new"), RenameOptions::new())
            .unwrap_err(),
    ] {
        assert!(
            matches!(&error, Error::NotOurs { owner, .. } if owner == "root"),
            "{error}"
        );
        let folder = home.profiles_dir();
        assert!(
            error.to_string().contains(folder.to_str().unwrap()),
            "{error}"
        );
    }
}

/// HOME-31.
#[test]
fn a_home_that_cannot_be_written_says_what_it_lacks_and_reading_goes_on() {
    let sandbox = Sandbox::with_profiles(&[]);
    as_nobody(&sandbox, "the_child_with_an_empty_home");
}

#[test]
#[ignore = "this is the process that another test starts"]
fn the_child_with_an_empty_home() {
    let home = childs_home();
    match home.prepare().unwrap_err() {
        Error::HomeIncomplete {
            missing, source, ..
        } => {
            assert_eq!(missing, ["logs", "sessions", "skills"]);
            assert!(matches!(*source, Error::NotOurs { .. }), "{source}");
        }
        other => panic!("{other}"),
    }
    assert_eq!(listed(&home.profiles()), ["default"]);
}

#[test]
fn a_home_is_made_ready_for_its_owner_only_and_twice_is_no_problem() {
    let sandbox = Sandbox::new();
    let home = sandbox.home_at(sandbox.default());
    for _ in 0..2 {
        assert_eq!(home.prepare().unwrap(), []);
    }
    for folder in [
        home.path().to_path_buf(),
        home.logs_dir(),
        home.skills_dir(),
    ] {
        assert_eq!(mode(&folder), 0o700);
    }
}

#[test]
fn a_folder_that_may_not_be_entered_is_named() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    as_nobody(&sandbox, "the_child_that_may_not_enter");
}

#[test]
#[ignore = "this is the process that another test starts"]
fn the_child_that_may_not_enter() {
    let closed = std::env::temp_dir().join(format!("closed-{}", std::process::id()));
    fs::create_dir(&closed).unwrap();
    let shut = |mode| fs::set_permissions(&closed, PermissionsExt::from_mode(mode)).unwrap();
    let env = Environment::new(Platform::Unix).with_user_home("/nowhere");
    shut(0);
    let below = resolve(&env.clone().with_hermes_home(closed.join("a/b")));
    let itself = Selection::new().resolve(&env.clone().with_hermes_home(&closed));
    let library = resolve(&env.with_hermes_home(&closed));
    shut(0o700);
    let left = fs::read_dir(&closed).unwrap().count();
    fs::remove_dir(&closed).unwrap();
    for (outcome, named) in [
        (below, closed.join("a")),
        (itself, closed.clone()),
        (library, closed.clone()),
    ] {
        match outcome.unwrap_err() {
            Error::Io { path, source, .. } => {
                assert_eq!(path, named);
                assert_eq!(source.kind(), std::io::ErrorKind::PermissionDenied);
            }
            other => panic!("{other}"),
        }
    }
    assert_eq!(left, 0);
}
