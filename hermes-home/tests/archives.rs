//! Profiles as archives, and archives that mean harm.
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

use hermes_home::{Error, ExportOptions, ImportOptions, LeftOutReason};
use support::{Sandbox, listed, mode, name};

/// A profile with one of everything.
fn furnished() -> Sandbox {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    for (file, content) in [
        ("config.yaml", "model: x\n"),
        (".env", "KEY=1\n"),
        ("auth.json", "{}"),
        ("skills/one.md", "one"),
        ("state.db", "live"),
        ("state.db-wal", "live"),
        ("state.db.bak", "old"),
        ("scripts/run.sh", "#!/bin/sh\n"),
    ] {
        sandbox.write(format!("home/.hermes/profiles/coder/{file}"), content);
    }
    let script = sandbox.profile("coder").join("scripts/run.sh");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(script, executable).unwrap();
    sandbox
}

fn members(archive: &Path) -> Vec<String> {
    let file = flate2::read::GzDecoder::new(fs::File::open(archive).unwrap());
    tar::Archive::new(file)
        .entries()
        .unwrap()
        .map(|entry| entry.unwrap().path().unwrap().to_str().unwrap().to_owned())
        .collect()
}

#[test]
fn an_export_holds_everything_but_secrets_and_the_store() {
    let sandbox = furnished();
    let archive = sandbox.path("coder.tar.gz");
    let done = sandbox
        .profiles()
        .export(&name("coder"), &archive, ExportOptions::new())
        .unwrap();
    let mut packed = members(&archive);
    packed.sort();
    assert_eq!(
        packed,
        [
            "coder/",
            "coder/config.yaml",
            "coder/scripts/",
            "coder/scripts/run.sh",
            "coder/skills/",
            "coder/skills/one.md"
        ]
    );
    assert_eq!((done.files, done.sessions), (3, false));
    let left: Vec<_> = done
        .left_out
        .iter()
        .map(|one| (one.path.to_str().unwrap(), one.reason))
        .collect();
    assert_eq!(
        left,
        [
            (".env", LeftOutReason::Secret),
            ("auth.json", LeftOutReason::Secret),
            ("state.db", LeftOutReason::Store),
            ("state.db-wal", LeftOutReason::Store),
            ("state.db.bak", LeftOutReason::Store),
        ]
    );
    assert_eq!(mode(&archive), 0o600);
}

#[test]
fn what_was_exported_is_imported_as_it_was() {
    let sandbox = furnished();
    let archive = sandbox.path("coder.tar.gz");
    let options = ExportOptions::new()
        .with_secrets()
        .with_snapshot(|from, to| fs::copy(from, to).map(drop).map_err(Into::into));
    let exported = sandbox
        .profiles()
        .export(&name("coder"), &archive, options)
        .unwrap();
    assert!(exported.sessions);
    let imported = sandbox
        .profiles()
        .import(&archive, ImportOptions::new().with_name(&name("copy")))
        .unwrap();
    assert_eq!(
        (imported.files, imported.bytes),
        (exported.files, exported.bytes)
    );
    let home = imported.home;
    assert_eq!(home.path(), sandbox.profile("copy"));
    assert_eq!(fs::read_to_string(home.env_file()).unwrap(), "KEY=1\n");
    assert_eq!(fs::read_to_string(home.state_db()).unwrap(), "live");
    assert!(!home.path().join("state.db-wal").exists());
    assert_eq!(mode(home.path()), 0o700);
    assert_eq!(mode(home.env_file()), 0o600);
    assert_eq!(mode(home.scripts_dir().join("run.sh")), 0o700);
    // Under its own name, in another root.
    let other = Sandbox::new();
    let imported = other
        .profiles()
        .import(&archive, ImportOptions::new())
        .unwrap();
    assert_eq!(imported.name, name("coder"));
    assert_eq!(listed(&other.profiles()), ["default", "coder"]);
    // No file of ours is left beside the archive.
    let names: Vec<_> = fs::read_dir(sandbox.path(""))
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(names.len(), 3, "{names:?}");
}

#[test]
fn an_archive_that_is_there_is_replaced_only_when_told() {
    let sandbox = furnished();
    let archive = sandbox.write("coder.tar.gz", "mine");
    let export = |options| sandbox.profiles().export(&name("coder"), &archive, options);
    let error = export(ExportOptions::new()).unwrap_err();
    assert!(matches!(error, Error::FileExists { .. }), "{error}");
    assert_eq!(fs::read(&archive).unwrap(), b"mine");
    export(ExportOptions::new().replacing()).unwrap();
    assert!(members(&archive).len() > 3);
}

#[test]
fn an_export_into_the_profile_does_not_hold_itself() {
    let sandbox = furnished();
    let archive = sandbox.profile("coder").join("backup.tar.gz");
    let export = |options| sandbox.profiles().export(&name("coder"), &archive, options);
    export(ExportOptions::new()).unwrap();
    assert!(
        !members(&archive)
            .iter()
            .any(|member| member.contains("backup"))
    );
}

#[test]
fn an_export_of_the_default_leaves_the_other_profiles_out() {
    let sandbox = furnished();
    sandbox.write("home/.hermes/config.yaml", "root: 1");
    sandbox.activate("coder");
    let archive = sandbox.path("default.tar.gz");
    let default = name("default");
    sandbox
        .profiles()
        .export(&default, &archive, ExportOptions::new())
        .unwrap();
    assert_eq!(members(&archive), ["default/", "default/config.yaml"]);
    // `default` cannot be the name of a new one.
    let error = sandbox
        .profiles()
        .import(&archive, ImportOptions::new())
        .unwrap_err();
    assert!(
        matches!(error, Error::ReservedProfileName { .. }),
        "{error}"
    );
}

#[test]
fn links_that_stay_inside_are_kept_and_others_are_left_out() {
    let sandbox = furnished();
    sandbox.write("secret.txt", "not yours");
    let below = |path: &str| format!("home/.hermes/profiles/coder/{path}");
    sandbox.link(below("skills/same.md"), "one.md");
    sandbox.link(below("skills/up.md"), "../config.yaml");
    sandbox.link(below("out.txt"), "../../../../secret.txt");
    sandbox.link(below("absolute.txt"), sandbox.path("secret.txt"));
    fs::hard_link(
        sandbox.profile("coder").join("state.db"),
        sandbox.profile("coder").join("other-name.bin"),
    )
    .unwrap();
    let archive = sandbox.path("coder.tar.gz");
    let done = sandbox
        .profiles()
        .export(&name("coder"), &archive, ExportOptions::new())
        .unwrap();
    let reason = |path: &str| {
        let found = done.left_out.iter().find(|one| one.path == Path::new(path));
        found.map(|one| one.reason)
    };
    assert_eq!(reason("out.txt"), Some(LeftOutReason::LinkLeadsOut));
    assert_eq!(reason("absolute.txt"), Some(LeftOutReason::LinkLeadsOut));
    assert_eq!(reason("other-name.bin"), Some(LeftOutReason::Store));
    assert_eq!(reason("skills/up.md"), None);
    let imported = sandbox
        .profiles()
        .import(&archive, ImportOptions::new().with_name(&name("copy")))
        .unwrap();
    let skills = imported.home.skills_dir();
    assert_eq!(fs::read_to_string(skills.join("same.md")).unwrap(), "one");
    assert_eq!(
        fs::read_to_string(skills.join("up.md")).unwrap(),
        "model: x\n"
    );
    assert!(
        fs::symlink_metadata(skills.join("up.md"))
            .unwrap()
            .is_symlink()
    );
}
