//! Profiles: which there are, and every change to them.
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

use hermes_home::{
    ActiveChoice, CreateOptions, DeleteOptions, Environment, Error, Platform, ProfileName,
    RenameOptions, resolve,
};
use support::{Sandbox, listed, mode, name};

#[test]
fn a_blank_profile_is_for_its_owner_only() {
    let sandbox = Sandbox::new();
    let home = sandbox.create("coder");
    assert_eq!(home.path(), sandbox.profile("coder"));
    assert_eq!(home.profile().as_str(), "coder");
    assert_eq!(home, sandbox.home_at(sandbox.profile("coder")));
    for folder in [
        sandbox.default(),
        home.profiles_dir(),
        home.path().into(),
        home.logs_dir(),
    ] {
        assert_eq!(mode(&folder), 0o700, "{}", folder.display());
    }
    assert_eq!(listed(&sandbox.profiles()), ["default", "coder"]);
}

#[test]
fn a_clone_takes_over_three_files_and_never_the_store() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    for (file, content) in [
        ("config.yaml", "model: x\n"),
        (".env", "KEY=1\n"),
        ("SOUL.md", "calm"),
        ("state.db", "live"),
        ("state.db-wal", "live"),
        ("notes.txt", "mine"),
    ] {
        sandbox.write(format!("home/.hermes/profiles/coder/{file}"), content);
    }
    let options = CreateOptions::clone_of(&name("coder"));
    let home = sandbox.profiles().create(&name("copy"), options).unwrap();
    assert_eq!(
        fs::read_to_string(home.config_file()).unwrap(),
        "model: x\n"
    );
    assert_eq!(fs::read_to_string(home.env_file()).unwrap(), "KEY=1\n");
    assert_eq!(fs::read_to_string(home.soul_file()).unwrap(), "calm");
    assert_eq!(mode(home.env_file()), 0o600);
    assert_eq!(mode(home.config_file()), 0o600);
    assert!(!home.state_db().exists() && !home.path().join("notes.txt").exists());
}

#[test]
fn a_clone_of_the_default_and_a_snapshot_work() {
    let sandbox = Sandbox::with_profiles(&[]);
    sandbox.write("home/.hermes/config.yaml", "a: 1");
    let store = sandbox.write("home/.hermes/state.db", "rows");
    let mut asked = Vec::new();
    let options = CreateOptions::clone_of(&name("default")).with_snapshot(|from, to| {
        asked.push(from.to_path_buf());
        fs::copy(from, to).map(drop).map_err(Into::into)
    });
    let home = sandbox.profiles().create(&name("copy"), options).unwrap();
    assert_eq!(asked, [store]);
    assert_eq!(fs::read_to_string(home.state_db()).unwrap(), "rows");
    assert_eq!(mode(home.state_db()), 0o600);
}

#[test]
fn a_snapshot_that_fails_leaves_nothing_behind_and_one_without_a_store_is_not_asked_for() {
    let sandbox = Sandbox::with_profiles(&["coder", "empty"]);
    sandbox.write("home/.hermes/profiles/coder/state.db", "rows");
    let clone = |source: &str| {
        CreateOptions::clone_of(&name(source)).with_snapshot(|_, _| Err("the disk is full".into()))
    };
    let error = sandbox
        .profiles()
        .create(&name("copy"), clone("coder"))
        .unwrap_err();
    assert!(matches!(error, Error::Snapshot { .. }), "{error}");
    assert!(error.to_string().contains("the disk is full"), "{error}");
    assert_eq!(listed(&sandbox.profiles()), ["default", "coder", "empty"]);
    sandbox
        .profiles()
        .create(&name("copy"), clone("empty"))
        .unwrap();
}

#[test]
fn a_clone_follows_links_inside_the_profile_and_refuses_those_that_lead_out() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    let secret = sandbox.write("secret.txt", "not yours");
    sandbox.write("home/.hermes/profiles/coder/configs/a.yaml", "a: 1");
    sandbox.link("home/.hermes/profiles/coder/config.yaml", "configs/a.yaml");
    let options = || CreateOptions::clone_of(&name("coder"));
    let home = sandbox.profiles().create(&name("copy"), options()).unwrap();
    assert_eq!(fs::read_to_string(home.config_file()).unwrap(), "a: 1");
    assert!(
        !fs::symlink_metadata(home.config_file())
            .unwrap()
            .is_symlink()
    );

    let link = sandbox.link("home/.hermes/profiles/coder/SOUL.md", &secret);
    match sandbox
        .profiles()
        .create(&name("other"), options())
        .unwrap_err()
    {
        Error::LinkLeadsOut {
            link: named,
            target,
        } => assert_eq!((named, target), (link, secret)),
        other => panic!("{other}"),
    }
    assert_eq!(listed(&sandbox.profiles()), ["default", "coder", "copy"]);
}

#[test]
fn what_is_there_already_is_never_replaced() {
    let sandbox = Sandbox::with_profiles(&["coder", "writer"]);
    sandbox.write("home/.hermes/profiles/file", "x");
    sandbox.link("home/.hermes/profiles/gone", "/no/such/place");
    let before = sandbox.tree();
    for taken in ["coder", "file", "gone"] {
        let profiles = sandbox.profiles();
        let error = profiles
            .create(&name(taken), CreateOptions::blank())
            .unwrap_err();
        assert!(matches!(error, Error::ProfileExists { .. }), "{error}");
        let options = RenameOptions::new();
        let error = profiles
            .rename(&name("writer"), &name(taken), options)
            .unwrap_err();
        assert!(matches!(error, Error::ProfileExists { .. }), "{error}");
    }
    assert_eq!(sandbox.tree(), before);
}

#[test]
fn bad_input_makes_nothing() {
    let sandbox = Sandbox::new();
    let before = sandbox.tree();
    let profiles = sandbox.profiles();
    let ghost = name("ghost");
    let errors = [
        profiles
            .create(&name("new"), CreateOptions::clone_of(&ghost))
            .unwrap_err(),
        profiles
            .create(&name("main"), CreateOptions::blank())
            .unwrap_err(),
        profiles
            .rename(&ghost, &name("new"), RenameOptions::new())
            .unwrap_err(),
        profiles.delete(&ghost, DeleteOptions::new()).unwrap_err(),
        profiles.activate(&ghost).unwrap_err(),
    ];
    let codes = errors.map(|error| error.code());
    let missing = "profile_not_found";
    assert_eq!(
        codes,
        [missing, "reserved_profile_name", missing, missing, missing]
    );
    profiles.activate(&name("default")).unwrap();
    profiles.clean_up().unwrap();
    assert_eq!(sandbox.tree(), before);
}

#[test]
fn a_choice_is_written_in_one_step_and_default_removes_it() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    let profiles = sandbox.profiles();
    assert_eq!(profiles.active(), ActiveChoice::Default);
    profiles.activate(&name("coder")).unwrap();
    assert_eq!(profiles.active(), ActiveChoice::Named(name("coder")));
    let file = sandbox.home_at(sandbox.default()).active_profile_file();
    assert_eq!(fs::read_to_string(&file).unwrap(), "coder\n");
    assert_eq!(mode(&file), 0o600);
    assert_eq!(sandbox.select().unwrap().home.profile().as_str(), "coder");
    assert!(profiles.list().unwrap()[1].active && !profiles.list().unwrap()[0].active);
    profiles.activate(&ProfileName::default()).unwrap();
    assert!(!file.exists());
    // A link in its place is replaced, and what it leads to stays.
    let elsewhere = sandbox.write("elsewhere", "untouched");
    sandbox.link("home/.hermes/active_profile", &elsewhere);
    profiles.activate(&name("coder")).unwrap();
    assert_eq!(fs::read_to_string(elsewhere).unwrap(), "untouched");
    assert_eq!(profiles.active().name(), name("coder"));
}

#[test]
fn a_rename_keeps_the_content_and_the_choice() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    sandbox.write("home/.hermes/profiles/coder/state.db", "rows");
    let profiles = sandbox.profiles();
    profiles.activate(&name("coder")).unwrap();
    let home = profiles
        .rename(&name("coder"), &name("writer"), RenameOptions::new())
        .unwrap();
    assert_eq!(fs::read_to_string(home.state_db()).unwrap(), "rows");
    assert_eq!(listed(&profiles), ["default", "writer"]);
    assert_eq!(profiles.active().name(), name("writer"));
}

#[test]
fn the_default_profile_is_neither_renamed_nor_deleted() {
    let sandbox = Sandbox::with_profiles(&[]);
    let (default, new) = (ProfileName::default(), name("new"));
    let error = sandbox
        .profiles()
        .rename(&default, &new, RenameOptions::new())
        .unwrap_err();
    assert!(
        matches!(error, Error::DefaultProfile { action: "rename" }),
        "{error}"
    );
    let all = DeleteOptions::new().even_if_active().even_if_running();
    let error = sandbox.profiles().delete(&default, all).unwrap_err();
    assert!(
        matches!(error, Error::DefaultProfile { action: "delete" }),
        "{error}"
    );
    assert!(sandbox.default().is_dir());
}

#[test]
fn a_linked_profile_is_listed_with_its_target_and_renamed_as_a_link() {
    let sandbox = Sandbox::with_profiles(&[]);
    let real = sandbox.mkdir("big-disk/coder");
    sandbox.link("home/.hermes/profiles/coder", &real);
    let profiles = sandbox.profiles();
    assert_eq!(
        profiles.list().unwrap()[1].link.as_deref(),
        Some(real.as_path())
    );
    profiles
        .rename(&name("coder"), &name("writer"), RenameOptions::new())
        .unwrap();
    assert!(real.is_dir());
    assert_eq!(fs::read_link(sandbox.profile("writer")).unwrap(), real);
}

#[test]
fn what_an_interrupted_change_left_is_cleared_away_and_nothing_else() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    sandbox.write(
        "home/.hermes/profiles/.hermes-staging-create-1-2-3/config.yaml",
        "half",
    );
    sandbox.write("home/.hermes/.hermes-staging-file-1-2-3", "half");
    sandbox.link(
        "home/.hermes/profiles/.hermes-staging-delete-1-2-3",
        sandbox.path("work"),
    );
    let kept = sandbox.write("work/kept.txt", "x");
    let hidden = sandbox.write("home/.hermes/profiles/.mine", "x");
    let theirs = sandbox.write("home/.hermes/.hermes-staging-area/precious.txt", "x");
    let folder = sandbox.write("home/.hermes/.hermes-staging-file-4-5-6/precious.txt", "x");
    sandbox.profiles().clean_up().unwrap();
    let left: Vec<_> = fs::read_dir(sandbox.default().join("profiles"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left.len(), 3, "{left:?}");
    assert!(kept.exists() && hidden.exists() && theirs.exists() && folder.exists());
    assert!(
        !sandbox
            .default()
            .join(".hermes-staging-file-1-2-3")
            .exists()
    );
}

#[test]
fn processes_that_change_profiles_at_once_wait_for_each_other() {
    let sandbox = Sandbox::new();
    let made: usize = std::thread::scope(|threads| {
        let workers: Vec<_> = (0..8)
            .map(|_| {
                threads.spawn(|| {
                    (0..5)
                        .filter(|n| {
                            let made = sandbox
                                .profiles()
                                .create(&name(&format!("p{n}")), CreateOptions::blank());
                            match made {
                                Ok(_) => true,
                                Err(Error::ProfileExists { .. }) => false,
                                Err(other) => panic!("{other}"),
                            }
                        })
                        .count()
                })
            })
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap())
            .sum()
    });
    assert_eq!(made, 5);
    assert_eq!(listed(&sandbox.profiles()).len(), 6);
}

#[test]
fn the_rules_of_another_platform_change_nothing_here() {
    let env = Environment::new(Platform::Windows).with_user_home(r"C:\Users\ann");
    let profiles = resolve(&env).unwrap().home.profiles();
    let error = profiles
        .create(&name("coder"), CreateOptions::blank())
        .unwrap_err();
    assert!(matches!(error, Error::ForeignPlatform), "{error}");
    assert_eq!(listed(&profiles), ["default"]);
}

#[test]
fn every_error_is_one_line_with_a_code() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    sandbox.activate("coder");
    let profiles = sandbox.profiles();
    for error in [
        profiles
            .delete(&name("coder"), DeleteOptions::new())
            .unwrap_err(),
        profiles
            .create(&name("main"), CreateOptions::blank())
            .unwrap_err(),
        profiles
            .create(&name("coder"), CreateOptions::blank())
            .unwrap_err(),
    ] {
        let text = error.to_string();
        assert!(!text.contains('\n') && !error.code().is_empty(), "{text}");
        assert_eq!(text, format!("{}; {}", error.problem(), error.hint()));
    }
}

#[test]
fn a_folder_in_the_place_of_active_profile_is_never_removed() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    let precious = sandbox.write("home/.hermes/active_profile/precious.txt", "x");
    let error = sandbox
        .profiles()
        .activate(&ProfileName::default())
        .unwrap_err();
    assert!(matches!(error, Error::NotAFile { .. }), "{error}");
    assert!(precious.exists());
}

#[cfg(unix)]
#[test]
fn no_change_leaves_the_root_through_a_link_in_the_place_of_its_folder() {
    let sandbox = Sandbox::new();
    let kept = sandbox.write("elsewhere/kept.txt", "x");
    fs::create_dir_all(sandbox.default()).unwrap();
    sandbox.link("home/.hermes/profiles", sandbox.path("elsewhere"));
    let error = sandbox
        .profiles()
        .create(&name("coder"), CreateOptions::blank())
        .unwrap_err();
    assert!(matches!(error, Error::LinkLeadsOut { .. }), "{error}");
    let left = fs::read_dir(kept.parent().unwrap()).unwrap().count();
    assert_eq!(left, 1, "something was made outside of the root");
}
