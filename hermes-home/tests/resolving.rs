//! The order, and how the text of a home is read.
#![cfg(unix)]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test stops where it fails, also in its helpers"
)]

mod support;

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use hermes_home::{Environment, Error, HomeSource, Platform, Warning, resolve};
use support::Sandbox;

#[test]
fn without_anything_the_default_of_the_platform_is_the_home() {
    let sandbox = Sandbox::new();
    let found = resolve(&sandbox.env()).unwrap();
    assert_eq!(found.home.path(), sandbox.default());
    assert_eq!(found.home.root(), sandbox.default());
    assert_eq!(found.home.profile().as_str(), "default");
    assert_eq!(found.source, HomeSource::Platform);
    assert_eq!(found.warnings, []);
}

#[test]
fn hermes_home_wins_over_the_default() {
    let sandbox = Sandbox::with_profiles(&[]);
    let found = sandbox.resolve_at("/opt/data").unwrap();
    assert_eq!(found.home.path(), Path::new("/opt/data"));
    assert_eq!(found.source, HomeSource::Env);
}

#[test]
fn home_matters_only_when_hermes_home_is_unset() {
    let sandbox = Sandbox::new();
    let env = sandbox.env_at("/opt/data");
    let elsewhere = env.clone().with_user_home("/nowhere");
    let (one, other) = (resolve(&env).unwrap(), resolve(&elsewhere).unwrap());
    assert_eq!(one.home.path(), other.home.path());
    assert_eq!(one.source, other.source);
}

#[test]
fn blank_is_unset() {
    let sandbox = Sandbox::new();
    for blank in ["", " ", "\t \r\n", "\u{a0}", "\u{1c}"] {
        let found = sandbox.resolve_at(blank).unwrap();
        assert_eq!(found.source, HomeSource::Platform, "{blank:?}");
    }
}

#[test]
fn white_space_around_the_value_is_dropped_and_inside_kept() {
    let sandbox = Sandbox::new();
    for padded in ["  /opt/my data", "/opt/my data \n", "\t/opt/my data\u{a0}"] {
        let found = sandbox.resolve_at(padded).unwrap();
        assert_eq!(found.home.path(), Path::new("/opt/my data"), "{padded:?}");
        assert_eq!(found.home.root(), Path::new("/opt/my data"), "{padded:?}");
    }
}

#[test]
fn the_users_home_is_expanded_at_the_start_only() {
    let sandbox = Sandbox::new();
    let work = sandbox.path("work");
    for (value, expected) in [
        ("~", sandbox.home()),
        ("~/", sandbox.home()),
        ("~/.hermes", sandbox.default()),
        (" ~/.hermes ", sandbox.default()),
        ("~//.hermes/.", sandbox.default()),
        ("$HOME", sandbox.home()),
        ("$HOME/.hermes", sandbox.default()),
        ("${HOME}/.hermes", sandbox.default()),
        ("$HOMEX/a", work.join("$HOMEX/a")),
        ("a/~/b", work.join("a/~/b")),
        ("a/$HOME", work.join("a/$HOME")),
        ("./~ann", work.join("~ann")),
        ("/~/a", PathBuf::from("/~/a")),
    ] {
        let found = sandbox.resolve_at(value).unwrap();
        assert_eq!(found.home.path(), expected, "{value:?}");
    }
}

#[test]
fn the_home_of_another_user_is_an_error_and_not_a_folder_of_that_name() {
    let sandbox = Sandbox::new();
    let error = sandbox.resolve_at("~nosuchuser/x").unwrap_err();
    assert!(matches!(error, Error::UnknownUser { .. }), "{error}");
    assert!(error.to_string().contains("./~name"), "{error}");
}

#[test]
fn a_relative_path_is_made_absolute_once() {
    let sandbox = Sandbox::new();
    for (value, expected) in [
        ("tmp-home", "work/tmp-home"),
        ("./tmp-home", "work/tmp-home"),
        (".", "work"),
        ("../other", "work/../other"),
    ] {
        let found = sandbox.resolve_at(value).unwrap();
        assert_eq!(found.home.path(), sandbox.path(expected), "{value:?}");
        let again = sandbox.env_at(found.home.path()).with_current_dir("/");
        assert_eq!(resolve(&again).unwrap().home, found.home, "{value:?}");
    }
}

/// Not on macOS, whose file system refuses such names.
#[cfg(not(target_os = "macos"))]
#[test]
fn names_that_are_not_unicode_pass_through() {
    let sandbox = Sandbox::new();
    let value = OsString::from_vec(b" /opt/\xff\xfe data/ ".to_vec());
    let expected = OsString::from_vec(b"/opt/\xff\xfe data".to_vec());
    let found = resolve(&sandbox.env().with_hermes_home(value)).unwrap();
    assert_eq!(found.home.path().as_os_str(), expected);
    assert_eq!(found.home.state_db(), Path::new(&expected).join("state.db"));
    assert!(found.home.display().starts_with("/opt/"));
}

#[test]
fn everything_well_known_lies_in_the_home_or_in_the_root() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    let coder = sandbox.profile("coder");
    let home = sandbox.resolve_at(&coder).unwrap().home;
    assert_eq!(home.state_db(), coder.join("state.db"));
    assert_eq!(home.config_file(), coder.join("config.yaml"));
    assert_eq!(home.env_file(), coder.join(".env"));
    assert_eq!(home.logs_dir(), coder.join("logs"));
    assert_eq!(home.sessions_dir(), coder.join("sessions"));
    assert_eq!(home.skills_dir(), coder.join("skills"));
    assert_eq!(home.profiles_dir(), sandbox.default().join("profiles"));
    assert_eq!(
        home.active_profile_file(),
        sandbox.default().join("active_profile")
    );
}

#[test]
fn nothing_is_made_by_resolving() {
    let sandbox = Sandbox::new();
    let before = sandbox.tree();
    sandbox.resolve_at("~/a/b/c").unwrap();
    sandbox.select_at("x/y").unwrap();
    sandbox.select().unwrap();
    sandbox.select_profile("ghost").unwrap_err();
    assert_eq!(sandbox.tree(), before);
}

#[test]
fn without_a_users_home_the_default_is_an_error_and_hermes_home_is_not() {
    let env = Environment::new(Platform::Unix);
    let error = resolve(&env).unwrap_err();
    assert!(matches!(error, Error::NoUserHome { .. }), "{error}");
    assert!(error.to_string().contains("HERMES_HOME"), "{error}");
    let error = resolve(&env.clone().with_hermes_home("~/x")).unwrap_err();
    assert!(matches!(error, Error::NoUserHome { .. }), "{error}");
    let found = resolve(&env.with_hermes_home("/opt/data")).unwrap();
    assert_eq!(found.home.root(), Path::new("/opt/data"));
    assert_eq!(found.home.display(), "/opt/data");
}

#[test]
fn without_a_current_directory_a_relative_path_is_an_error() {
    let env = Environment::new(Platform::Unix).with_user_home("/home/ann");
    let error = resolve(&env.clone().with_hermes_home("rel")).unwrap_err();
    assert!(matches!(error, Error::NoCurrentDir { .. }), "{error}");
    let error = resolve(&env.with_hermes_home("rel").with_current_dir("also/rel")).unwrap_err();
    assert!(matches!(error, Error::NoCurrentDir { .. }), "{error}");
}

#[test]
fn a_nul_is_refused_before_the_file_system_sees_it() {
    let error = Sandbox::new().resolve_at("/opt/a\0b").unwrap_err();
    assert!(
        matches!(
            error,
            Error::NulInPath {
                origin: HomeSource::Env
            }
        ),
        "{error}"
    );
}

/// HOME-15.
#[test]
fn a_linked_home_works_and_a_broken_link_is_named() {
    let sandbox = Sandbox::new();
    sandbox.mkdir("data");
    sandbox.link("home/.hermes", sandbox.path("data"));
    let found = resolve(&sandbox.env()).unwrap();
    assert_eq!(found.home.path(), sandbox.default());

    let sandbox = Sandbox::new();
    sandbox.link("home/.hermes", "/no/such/place");
    let error = resolve(&sandbox.env()).unwrap_err();
    assert!(matches!(error, Error::DanglingLink { .. }), "{error}");
    assert!(error.to_string().contains("/no/such/place"), "{error}");
    assert!(error.to_string().contains(".hermes"), "{error}");

    let sandbox = Sandbox::new();
    let file = sandbox.write("notes.txt", "");
    sandbox.link("home/.hermes", &file);
    let error = resolve(&sandbox.env()).unwrap_err();
    assert!(
        matches!(
            error,
            Error::NotADirectory {
                target: Some(_),
                ..
            }
        ),
        "{error}"
    );
    assert!(
        error.to_string().contains(file.to_str().unwrap()),
        "{error}"
    );

    let sandbox = Sandbox::new();
    sandbox.link("home/.hermes", sandbox.path("loop"));
    sandbox.link("loop", sandbox.default());
    let error = resolve(&sandbox.env()).unwrap_err();
    assert!(matches!(error, Error::LinkLoop { .. }), "{error}");
    assert!(error.to_string().contains("loop"), "{error}");
}

#[test]
fn what_stands_in_the_way_further_up_is_named() {
    let sandbox = Sandbox::new();
    let file = sandbox.write("file", "");
    for value in [file.clone(), file.join("a/b")] {
        match sandbox.resolve_at(&value).unwrap_err() {
            Error::NotADirectory {
                path,
                target,
                origin,
            } => {
                assert_eq!(
                    (path, target, origin),
                    (file.clone(), None, HomeSource::Env)
                );
            }
            other => panic!("{other}"),
        }
    }
    let link = sandbox.link("gone", "/no/such/place");
    match sandbox.resolve_at(link.join("profiles/coder")).unwrap_err() {
        Error::DanglingLink { link: named, .. } => assert_eq!(named, link),
        other => panic!("{other}"),
    }
    let through_file = sandbox.link("odd", file.join("x"));
    let error = sandbox.resolve_at(&through_file).unwrap_err();
    assert!(matches!(error, Error::DanglingLink { .. }), "{error}");
}

#[test]
fn a_name_longer_than_the_file_system_takes_is_an_error() {
    let sandbox = Sandbox::new();
    for value in ["x".repeat(5000), "a/".repeat(100_000)] {
        let error = sandbox.resolve_at(&value).unwrap_err();
        assert!(matches!(error, Error::Io { .. }), "{error}");
    }
}

/// HOME-01: how data ends up in the wrong profile.
#[test]
fn passing_by_an_active_profile_is_said() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    sandbox.activate("coder\n");
    let answers: Vec<_> = (0..3).map(|_| resolve(&sandbox.env()).unwrap()).collect();
    for found in &answers {
        assert_eq!(found.home.path(), sandbox.default());
        assert_eq!(found.source, HomeSource::Platform);
        assert_eq!(found.warnings.len(), 1);
        assert!(matches!(
            found.warnings[0],
            Warning::ActiveProfileBypassed { .. }
        ));
        let text = found.warnings[0].to_string();
        assert!(text.contains("\"coder\""), "{text}");
        let variable = format!("HERMES_HOME={}", sandbox.profile("coder").display());
        assert!(text.contains(&variable), "{text}");
    }
    // All equal, so that a caller can tell that it has printed this one.
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[1], answers[2]);
}

#[test]
fn an_active_profile_is_not_passed_by_when_the_home_is_explicit_or_the_same() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    sandbox.activate("coder");
    assert_eq!(sandbox.resolve_at(sandbox.default()).unwrap().warnings, []);
    for same in ["default", " DEFAULT\r\n", "", "no name at all!"] {
        sandbox.activate(same);
        assert_eq!(resolve(&sandbox.env()).unwrap().warnings, [], "{same:?}");
    }
}

#[test]
fn variables_are_read_from_whoever_has_them() {
    let lookup = |name: &str| match name {
        "HERMES_HOME" => Some(OsString::from("~/data")),
        "HOME" => Some(OsString::from("/home/ann")),
        "USERPROFILE" => Some(OsString::from(r"C:\Users\ann")),
        _ => None,
    };
    let env = Environment::from_variables(Platform::Unix, lookup);
    assert_eq!(
        resolve(&env).unwrap().home.path(),
        Path::new("/home/ann/data")
    );
    let env = Environment::from_variables(Platform::Windows, lookup);
    assert_eq!(
        resolve(&env).unwrap().home.path(),
        Path::new(r"C:\Users\ann\data")
    );
    let empty = Environment::from_variables(Platform::Unix, |_| Some(OsString::new()));
    assert_eq!(empty, Environment::new(Platform::Unix));
}

#[test]
fn the_environment_of_this_process_can_be_read() {
    let env = Environment::from_process();
    assert_eq!(env.platform(), Platform::host());
    assert!(env.user_home().is_some_and(Path::is_absolute));
    assert!(env.current_dir().is_some_and(Path::is_absolute));
}
