//! The end of a profile, and what stands in its way.
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
use std::path::Path;
use std::process::{Child, Command, Stdio};

use hermes_home::{ActiveChoice, DeleteOptions, Error, RenameOptions};
use support::{Sandbox, listed, name};

#[test]
fn the_active_profile_is_deleted_only_when_told() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    sandbox.activate("coder");
    let profiles = sandbox.profiles();
    let error = profiles
        .delete(&name("coder"), DeleteOptions::new())
        .unwrap_err();
    assert!(matches!(error, Error::ProfileActive { .. }), "{error}");
    let told = DeleteOptions::new().even_if_active();
    profiles.delete(&name("coder"), told).unwrap();
    assert_eq!(listed(&profiles), ["default"]);
    assert_eq!(profiles.active(), ActiveChoice::Default);
    sandbox.select().unwrap();
}

/// A process that holds a file of a profile: `cat` with it as its input and a pipe to wait for.
fn holder(file: &Path) -> Child {
    let mut child = Command::new("sh")
        .args(["-c", "echo ready; exec cat - \"$0\" 3<\"$0\""])
        .arg(file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let out = child.stdout.as_mut().unwrap();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut line).unwrap();
    assert_eq!(line, "ready\n");
    // The shell says so before it becomes `cat`; the file is open then, or soon.
    let held = || {
        fs::read_dir(format!("/proc/{}/fd", child.id())).is_ok_and(|mut fds| {
            fds.any(|fd| fs::read_link(fd.unwrap().path()).is_ok_and(|to| to == file))
        })
    };
    while !held() {
        std::thread::yield_now();
    }
    child
}

#[cfg(target_os = "linux")]
#[test]
fn a_profile_whose_files_another_process_holds_is_left_alone_unless_told() {
    let sandbox = Sandbox::with_profiles(&["coder", "writer"]);
    let file = sandbox.write("home/.hermes/profiles/coder/logs/agent.log", "x");
    let mut child = holder(&file);
    let profiles = sandbox.profiles();
    let running = profiles.running(&name("coder"));
    assert_eq!(
        running.iter().map(|one| one.pid).collect::<Vec<_>>(),
        [child.id()]
    );
    assert_eq!(profiles.running(&name("writer")), []);
    assert_eq!(profiles.running(&name("default")), []);
    let delete = profiles
        .delete(&name("coder"), DeleteOptions::new())
        .unwrap_err();
    let rename = profiles
        .rename(&name("coder"), &name("new"), RenameOptions::new())
        .unwrap_err();
    for (error, expected) in [(delete, "delete"), (rename, "rename")] {
        match &error {
            Error::ProfileRunning {
                action, processes, ..
            } => {
                assert_eq!(*action, expected);
                assert_eq!(processes[0].pid, child.id());
            }
            other => panic!("{other}"),
        }
        assert!(
            error.to_string().contains(&format!("pid {}", child.id())),
            "{error}"
        );
    }
    let told = RenameOptions::new().even_if_running();
    profiles.rename(&name("coder"), &name("new"), told).unwrap();
    assert_eq!(profiles.running(&name("new"))[0].pid, child.id());
    let told = DeleteOptions::new().even_if_running();
    profiles.delete(&name("new"), told).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_deletion_follows_no_link_out_of_the_profile() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    let kept = sandbox.write("work/kept.txt", "x");
    sandbox.link("home/.hermes/profiles/coder/away", sandbox.path("work"));
    sandbox.link(
        "home/.hermes/profiles/coder/skills/deep",
        sandbox.path("work"),
    );
    sandbox
        .profiles()
        .delete(&name("coder"), DeleteOptions::new())
        .unwrap();
    assert!(kept.exists());
    // Of a profile that is a link, only the link goes; and so does one that leads nowhere.
    sandbox.link("home/.hermes/profiles/linked", sandbox.path("work"));
    sandbox.link("home/.hermes/profiles/gone", "/no/such/place");
    for profile in ["linked", "gone"] {
        sandbox
            .profiles()
            .delete(&name(profile), DeleteOptions::new())
            .unwrap();
    }
    assert!(kept.exists());
    assert_eq!(listed(&sandbox.profiles()), ["default"]);
}
