//! What the flags of a program choose.
#![cfg(unix)]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test stops where it fails, also in its helpers"
)]

mod support;

use std::path::PathBuf;

use hermes_home::{Error, HomeSource, Selection};
use support::{Sandbox, assert_chosen};

#[test]
fn with_nothing_chosen_the_default_root_is_the_home() {
    let sandbox = Sandbox::new();
    let chosen = sandbox.select().unwrap();
    assert_chosen(&chosen, sandbox.default(), HomeSource::Platform, "default");
    assert_eq!(chosen.warnings, []);
}

#[test]
fn the_home_flag_wins_over_everything() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    sandbox.activate("coder");
    let chosen = Selection::new()
        .with_home(PathBuf::from("~/other"))
        .resolve(&sandbox.env_at(sandbox.profile("coder")))
        .unwrap();
    assert_chosen(
        &chosen,
        sandbox.path("home/other"),
        HomeSource::HomeFlag,
        "default",
    );
    assert_eq!(chosen.home.root(), sandbox.path("home/other"));
}

#[test]
fn a_broken_environment_does_not_matter_to_the_home_flag() {
    let sandbox = Sandbox::new();
    let file = sandbox.write("file", "");
    let chosen = Selection::new()
        .with_home(PathBuf::from("/opt/data"))
        .resolve(&sandbox.env_at(file))
        .unwrap();
    assert_chosen(&chosen, "/opt/data", HomeSource::HomeFlag, "default");
}

#[test]
fn a_home_flag_at_a_profile_is_that_profile() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    let chosen = Selection::new()
        .with_home(sandbox.profile("coder"))
        .resolve(&sandbox.env())
        .unwrap();
    assert_chosen(
        &chosen,
        sandbox.profile("coder"),
        HomeSource::HomeFlag,
        "coder",
    );
    assert_eq!(chosen.home.root(), sandbox.default());
}

#[test]
fn an_empty_flag_is_an_error_and_never_the_default() {
    let sandbox = Sandbox::new();
    for blank in ["", "  "] {
        let home = Selection::new().with_home(PathBuf::from(blank));
        let db = Selection::new().with_db(PathBuf::from(blank));
        let profile = Selection::new().with_profile(blank.to_owned());
        let error = home.resolve(&sandbox.env()).unwrap_err();
        assert!(
            matches!(
                error,
                Error::EmptyFlag {
                    flag: HomeSource::HomeFlag
                }
            ),
            "{error}"
        );
        let error = db.resolve(&sandbox.env()).unwrap_err();
        assert!(
            matches!(
                error,
                Error::EmptyFlag {
                    flag: HomeSource::DbFlag
                }
            ),
            "{error}"
        );
        let error = profile.resolve(&sandbox.env()).unwrap_err();
        assert!(matches!(error, Error::InvalidProfileName { .. }), "{error}");
    }
}

#[test]
fn home_and_profile_exclude_each_other() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    let both = Selection::new()
        .with_home(sandbox.default())
        .with_profile("coder".to_owned());
    let error = both.resolve(&sandbox.env()).unwrap_err();
    assert!(matches!(error, Error::HomeAndProfile), "{error}");
}

/// HOME-19: a name means the same however it is typed.
#[test]
fn a_profile_flag_selects_below_the_root() {
    let sandbox = Sandbox::with_profiles(&["coder", "writer"]);
    for typed in ["coder", "Coder", " CODER "] {
        let chosen = sandbox.select_profile(typed).unwrap();
        assert_chosen(
            &chosen,
            sandbox.profile("coder"),
            HomeSource::ProfileFlag,
            "coder",
        );
        assert_eq!(chosen.home.root(), sandbox.default());
    }
    // From another profile, and from a root of its own.
    let coder = Selection::new().with_profile("coder".to_owned());
    let chosen = coder
        .resolve(&sandbox.env_at(sandbox.profile("writer")))
        .unwrap();
    assert_chosen(
        &chosen,
        sandbox.profile("coder"),
        HomeSource::ProfileFlag,
        "coder",
    );
    let own = sandbox.mkdir("opt/data/profiles/coder");
    let chosen = coder
        .resolve(&sandbox.env_at(sandbox.path("opt/data")))
        .unwrap();
    assert_chosen(&chosen, &own, HomeSource::ProfileFlag, "coder");
    assert_eq!(chosen.home.root(), sandbox.path("opt/data"));
}

#[test]
fn a_profile_of_a_root_inside_the_default_home_belongs_to_that_root() {
    let sandbox = Sandbox::new();
    let own = sandbox.mkdir("home/.hermes/.repro/profiles/coder");
    let root = sandbox.path("home/.hermes/.repro");
    let chosen = Selection::new()
        .with_profile("coder".to_owned())
        .resolve(&sandbox.env_at(&root))
        .unwrap();
    assert_chosen(&chosen, &own, HomeSource::ProfileFlag, "coder");
    assert_eq!(chosen.home.root(), root);
}

#[test]
fn a_missing_profile_is_an_error_that_lists_the_others() {
    let sandbox = Sandbox::with_profiles(&["writer", "coder"]);
    sandbox.write("home/.hermes/profiles/notes", "a file");
    for missing in ["ghost", "notes"] {
        let error = sandbox.select_profile(missing).unwrap_err();
        assert!(matches!(error, Error::ProfileNotFound { .. }), "{error}");
        let text = error.to_string();
        assert!(
            text.contains("these exist: default, coder, writer"),
            "{text}"
        );
        assert!(
            text.contains(&format!("hermes profile create {missing}")),
            "{text}"
        );
    }
}

#[test]
fn a_long_list_of_profiles_is_cut() {
    let names: Vec<String> = (0..30).map(|n| format!("p{n:02}")).collect();
    let sandbox = Sandbox::with_profiles(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let text = sandbox.select_profile("ghost").unwrap_err().to_string();
    assert!(
        text.contains("p19 and 10 more") && !text.contains("p20"),
        "{text}"
    );
}

#[test]
fn a_profile_behind_a_broken_link_is_not_called_missing() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    sandbox.link("home/.hermes/profiles/away", "/no/such/disk/away");
    let error = sandbox.select_profile("away").unwrap_err();
    assert!(matches!(error, Error::DanglingLink { .. }), "{error}");
    sandbox.activate("away");
    let error = sandbox.select().unwrap_err();
    assert!(matches!(error, Error::DanglingLink { .. }), "{error}");
}

#[test]
fn a_name_that_climbs_out_is_refused() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    for name in ["../coder", "..", "/etc", "a/b", "coder\0"] {
        let error = sandbox.select_profile(name).unwrap_err();
        assert!(matches!(error, Error::InvalidProfileName { .. }), "{error}");
    }
}

/// HOME-06.
#[test]
fn the_profile_flag_default_is_always_the_root() {
    let sandbox = Sandbox::with_profiles(&["beta"]);
    sandbox.activate("beta");
    for env in [
        sandbox.env(),
        sandbox.env_at(sandbox.default()),
        sandbox.env_at(sandbox.profile("beta")),
    ] {
        let chosen = Selection::new()
            .with_profile("default".to_owned())
            .resolve(&env)
            .unwrap();
        assert_chosen(
            &chosen,
            sandbox.default(),
            HomeSource::ProfileFlag,
            "default",
        );
        assert_eq!(chosen.warnings, []);
    }
    let empty = Sandbox::new();
    empty.select_profile("default").unwrap();
}

/// HOME-06.
/// HOME-07.
/// HOME-21.
/// HOME-21.
/// Opening it for reading would wait for a writer, for ever.
/// HOME-21.
#[test]
fn a_named_database_brings_its_folder_as_the_home() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    sandbox.activate("ghost");
    let broken = sandbox.env_at(sandbox.write("file", ""));
    let db = sandbox.profile("coder").join("state.db");
    let chosen = Selection::new()
        .with_db(db.clone())
        .resolve(&broken)
        .unwrap();
    assert_chosen(
        &chosen,
        sandbox.profile("coder"),
        HomeSource::DbFlag,
        "coder",
    );
    assert_eq!(chosen.home.state_db(), db);
    // A copy under another name makes its folder no profile.
    let chosen = Selection::new()
        .with_db(PathBuf::from("copy.db"))
        .resolve(&broken)
        .unwrap();
    assert_chosen(&chosen, sandbox.path("work"), HomeSource::DbFlag, "custom");
    assert_eq!(chosen.home.state_db(), sandbox.path("work/copy.db"));
}

#[test]
fn a_named_database_goes_together_with_a_named_home_or_profile() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    let db = sandbox.path("copy.db");
    let with_db = Selection::new().with_db(db.clone());
    let at_home = with_db.clone().with_home(PathBuf::from("/opt/data"));
    let chosen = at_home.resolve(&sandbox.env()).unwrap();
    assert_chosen(&chosen, "/opt/data", HomeSource::DbFlag, "default");
    assert_eq!(chosen.home.state_db(), db);
    let of_coder = with_db.with_profile("coder".to_owned());
    let chosen = of_coder.resolve(&sandbox.env()).unwrap();
    assert_chosen(
        &chosen,
        sandbox.profile("coder"),
        HomeSource::DbFlag,
        "coder",
    );
    assert_eq!(chosen.home.state_db(), db);
}

#[test]
fn every_source_has_its_name() {
    for (source, name) in [
        (HomeSource::DbFlag, "db-flag"),
        (HomeSource::HomeFlag, "home-flag"),
        (HomeSource::ProfileFlag, "profile-flag"),
        (HomeSource::Override, "override"),
        (HomeSource::Env, "env"),
        (HomeSource::ActiveProfile, "active-profile"),
        (HomeSource::Platform, "platform"),
    ] {
        assert_eq!(source.as_str(), name);
    }
}
