//! What users ran into, and what is to happen instead. Cases that are about one capability are
//! tested with it; a test here sees to it that none is forgotten.
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
use std::process::Command;

use hermes_home::{
    CreateOptions, Environment, Error, HermesHome, HomeSource, ImportOptions, Platform,
    ProfileName, RenameOptions, Selection, Warning, resolve,
};
use support::{Sandbox, assert_chosen, listed, name};

#[test]
fn every_case_of_this_area_is_tested_somewhere() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut tests = String::new();
    for entry in fs::read_dir(here.join("tests")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            tests.push_str(&fs::read_to_string(path).unwrap());
        }
    }
    let cases = fs::read_to_string(here.join("../testdata/cases/user-cases.jsonl")).unwrap();
    let mut count = 0;
    for line in cases.lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        if case["area"] == "home-profile" {
            count += 1;
            let id = case["id"].as_str().unwrap();
            assert!(
                tests.contains(&format!("/// {id}.\n")),
                "{id}: {}",
                case["expected"]
            );
        }
    }
    assert!(count >= 21, "{count} cases");
}

/// HOME-01.
#[test]
fn a_bypassed_active_profile_is_said_once_on_standard_error_and_nowhere_else() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    sandbox.activate("coder");
    let output = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "the_child_that_resolves_three_times",
            "--ignored",
            "--nocapture",
        ])
        .env("CHILDS_USER_HOME", sandbox.home())
        .output()
        .unwrap();
    assert!(output.status.success());
    let (out, err) = (
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    );
    assert_eq!(err.matches("warning:").count(), 1, "{err}");
    assert!(
        err.contains("\"coder\"") && !out.contains("warning"),
        "{err}{out}"
    );
}

#[test]
#[ignore = "this is the process that another test starts"]
fn the_child_that_resolves_three_times() {
    let home = std::env::var_os("CHILDS_USER_HOME").unwrap();
    let env = Environment::new(Platform::Unix).with_user_home(home);
    for _ in 0..3 {
        let found = resolve(&env).unwrap();
        assert_eq!(found.source, HomeSource::Platform);
        found.announce();
    }
}

/// HOME-03.
#[test]
fn jobs_and_their_scripts_come_from_the_same_home() {
    let sandbox = Sandbox::with_profiles(&["p"]);
    let _scope = sandbox.home_at(sandbox.profile("p")).enter();
    let home = resolve(&sandbox.env()).unwrap().home;
    assert_eq!(home.cron_dir(), sandbox.profile("p").join("cron"));
    assert_eq!(home.scripts_dir(), sandbox.profile("p").join("scripts"));
}

/// HOME-04.
#[test]
fn a_home_that_a_profile_gave_its_child_is_not_taken_for_the_users() {
    let sandbox = Sandbox::with_profiles(&["p"]);
    let given = sandbox.mkdir("home/.hermes/profiles/p/home");
    let env = sandbox
        .env()
        .with_user_home(&given)
        .with_account_home(sandbox.home());
    assert_eq!(env.real_user_home(), Some(sandbox.home()));
    for env in [
        env.clone(),
        env.clone().with_hermes_home(sandbox.profile("p")),
    ] {
        assert_eq!(resolve(&env).unwrap().home.root(), sandbox.default());
    }
    // The saved value says it too, where there is no account.
    let saved = sandbox
        .env()
        .with_user_home(&given)
        .with_real_home(sandbox.home());
    assert_eq!(saved.real_user_home(), Some(sandbox.home()));
    assert_eq!(resolve(&saved).unwrap().home.root(), sandbox.default());
    // Whoever really lives in such a place lives there.
    let lives = sandbox
        .env()
        .with_user_home(&given)
        .with_account_home(&given);
    assert_eq!(lives.real_user_home().as_deref(), Some(given.as_path()));
    assert_eq!(resolve(&lives).unwrap().home.path(), given.join(".hermes"));
    assert_eq!(sandbox.env().real_user_home(), Some(sandbox.home()));
}

/// HOME-07.
#[test]
fn a_supervised_service_stays_in_the_root_with_one_notice() {
    let sandbox = Sandbox::with_profiles(&["x"]);
    sandbox.activate("x");
    let at_root = sandbox.env_at(sandbox.default());
    for env in [
        at_root.clone().with_supervisor(),
        at_root.clone().with_invocation_id("1"),
    ] {
        let chosen = Selection::new().resolve(&env).unwrap();
        assert_chosen(&chosen, sandbox.default(), HomeSource::Env, "default");
        assert!(matches!(
            &chosen.warnings[..],
            [Warning::ServiceKeepsRoot { .. }]
        ));
    }
    let chosen = Selection::new().resolve(&at_root).unwrap();
    assert_chosen(
        &chosen,
        sandbox.profile("x"),
        HomeSource::ActiveProfile,
        "x",
    );
}

/// HOME-13.
#[test]
fn a_home_that_nobody_expanded_is_expanded_and_stays_where_it_is() {
    let sandbox = Sandbox::new();
    for value in ["~/.hermes", "$HOME/.hermes"] {
        assert_eq!(sandbox.home_at(value).path(), sandbox.default(), "{value}");
    }
    let error = sandbox.resolve_at("~nosuchuser/x").unwrap_err();
    assert!(matches!(error, Error::UnknownUser { .. }), "{error}");
    let home = sandbox.home_at("./tmp-home");
    assert_eq!(home.path(), sandbox.path("work/tmp-home"));
    let elsewhere = sandbox
        .env()
        .with_current_dir("/")
        .with_hermes_home(home.env_value());
    assert_eq!(resolve(&elsewhere).unwrap().home, home);
    assert!(!sandbox.path("work/~").exists());
}

/// HOME-16.
#[test]
fn a_folder_that_is_a_broken_link_is_named_and_the_rest_goes_on() {
    let sandbox = Sandbox::with_profiles(&[]);
    let link = sandbox.link("home/.hermes/hooks", "/no/such/hooks");
    let home = sandbox.home_at(sandbox.default());
    let warnings = home.prepare().unwrap();
    match &warnings[..] {
        [warning @ Warning::LinkLeadsNowhere { link: named, .. }] => {
            assert_eq!(*named, link);
            let text = warning.to_string();
            assert!(
                text.contains("/no/such/hooks") && !text.contains("config"),
                "{text}"
            );
        }
        other => panic!("{other:?}"),
    }
    assert!(home.logs_dir().is_dir() && fs::symlink_metadata(link).unwrap().is_symlink());
}

/// HOME-18.
#[test]
fn bad_and_reserved_names_are_refused_for_new_profiles_and_old_ones_stay_usable() {
    let sandbox = Sandbox::with_profiles(&["coder", "main"]);
    let profiles = sandbox.profiles();
    let archive = sandbox.path("coder.tar.gz");
    profiles
        .export(&name("coder"), &archive, Default::default())
        .unwrap();
    let before = sandbox.tree();
    let long = "x".repeat(65);
    for bad in [
        "a b",
        "../x",
        "",
        &long,
        "\u{fc}n\u{ef}",
        "-x",
        "a/b",
        "x\0",
    ] {
        let error = ProfileName::parse(bad).unwrap_err();
        assert!(matches!(error, Error::InvalidProfileName { .. }), "{error}");
    }
    for reserved in [
        "main", "hermes", "default", "root", "Test", "con", "tmp", "sudo", "LPT1",
    ] {
        let reserved = name(reserved);
        let import = ImportOptions::new().with_name(&reserved);
        for error in [
            profiles
                .create(&reserved, CreateOptions::blank())
                .unwrap_err(),
            profiles.import(&archive, import).unwrap_err(),
            profiles
                .rename(&name("coder"), &reserved, RenameOptions::new())
                .unwrap_err(),
        ] {
            assert!(
                matches!(error, Error::ReservedProfileName { .. }),
                "{error}"
            );
        }
    }
    let locked: Vec<_> = sandbox.tree().difference(&before).cloned().collect();
    assert_eq!(locked, Vec::<std::path::PathBuf>::new());
    // An old one of such a name.
    profiles.activate(&name("main")).unwrap();
    assert_eq!(sandbox.select().unwrap().home.profile().as_str(), "main");
    profiles
        .rename(&name("main"), &name("better"), RenameOptions::new())
        .unwrap();
    sandbox.mkdir("home/.hermes/profiles/main");
    profiles.delete(&name("main"), Default::default()).unwrap();
    assert_eq!(listed(&profiles), ["default", "better", "coder"]);
}

/// HOME-19.
#[test]
fn capitals_mean_the_same_in_every_command() {
    let sandbox = Sandbox::new();
    let typed = ProfileName::parse("MyConfig").unwrap();
    let profiles = sandbox.profiles();
    let home = profiles.create(&typed, CreateOptions::blank()).unwrap();
    assert_eq!(home.path(), sandbox.profile("myconfig"));
    profiles.activate(&typed).unwrap();
    assert_eq!(sandbox.select().unwrap().home, home);
    assert_eq!(sandbox.select_profile("MyConfig").unwrap().home, home);
    profiles.activate(&name("default")).unwrap();
    profiles.delete(&typed, Default::default()).unwrap();
    assert!(!home.path().exists());
}

/// HOME-24.
#[test]
fn writes_land_in_the_home_that_was_current_when_the_store_was_asked_for() {
    let sandbox = Sandbox::with_profiles(&["a", "b"]);
    let store = || {
        resolve(&sandbox.env())
            .unwrap()
            .home
            .state_db()
            .to_path_buf()
    };
    let (a, b) = (
        sandbox.home_at(sandbox.profile("a")),
        sandbox.home_at(sandbox.profile("b")),
    );
    let mut handles = Vec::new();
    for home in [&a, &b, &a] {
        let _scope = home.enter();
        handles.push(store());
    }
    assert_eq!(handles, [a.state_db(), b.state_db(), a.state_db()]);
    for (number, handle) in handles.iter().enumerate() {
        let mut content = fs::read_to_string(handle).unwrap_or_default();
        content.push_str(&number.to_string());
        fs::write(handle, content).unwrap();
    }
    assert_eq!(fs::read_to_string(a.state_db()).unwrap(), "02");
    assert_eq!(fs::read_to_string(b.state_db()).unwrap(), "1");
}

/// HOME-25.
#[test]
fn what_another_profile_holds_is_found_there_and_not_made_here() {
    let sandbox = Sandbox::with_profiles(&["a", "b"]);
    sandbox.write("home/.hermes/profiles/a/state.db", "session x");
    let here = sandbox.home_at(sandbox.profile("b"));
    let has = |home: &HermesHome| {
        fs::read_to_string(home.state_db()).is_ok_and(|rows| rows.contains("session x"))
    };
    let before = sandbox.tree();
    assert!(!has(&here));
    let holders: Vec<String> = here
        .profiles()
        .list()
        .unwrap()
        .into_iter()
        .filter(|one| has(&one.home))
        .map(|one| one.name.to_string())
        .collect();
    assert_eq!(holders, ["a"]);
    assert_eq!(sandbox.tree(), before);
}
