//! The rules of Windows, asked for on any system. Nothing exists where no disk is looked at; the
//! cases with files are beside the code.
#![cfg(not(windows))]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test stops where it fails, also in its helpers"
)]

use hermes_home::{Environment, Error, HomeSource, Platform, Selection, resolve};

fn env() -> Environment {
    Environment::new(Platform::Windows)
        .with_user_home(r"C:\Users\Ann")
        .with_current_dir(r"D:\work")
}

fn text(path: &std::path::Path) -> &str {
    path.to_str().unwrap()
}

/// HOME-22.
#[test]
fn the_default_is_in_the_local_application_data() {
    for (local, expected) in [
        (Some(r"E:\Local"), r"E:\Local\hermes"),
        (Some(r" E:/Local/ "), r"E:\Local\hermes"),
        (Some(""), r"C:\Users\Ann\AppData\Local\hermes"),
        (Some("  "), r"C:\Users\Ann\AppData\Local\hermes"),
        (None, r"C:\Users\Ann\AppData\Local\hermes"),
    ] {
        let env = match local {
            Some(local) => env().with_local_app_data(local),
            None => env(),
        };
        let found = resolve(&env).unwrap();
        assert_eq!(text(found.home.path()), expected, "{local:?}");
        assert_eq!(found.source, HomeSource::Platform);
        assert_eq!(text(&env.platform_default().unwrap()), expected);
    }
    let error = resolve(&Environment::new(Platform::Windows)).unwrap_err();
    assert!(matches!(error, Error::NoUserHome { .. }), "{error}");
}

#[test]
fn paths_are_read_by_the_rules_of_windows() {
    for (value, expected) in [
        (r"C:\data\hermes", r"C:\data\hermes"),
        (r"C:/data//hermes/.\", r"C:\data\hermes"),
        (r"~", r"C:\Users\Ann"),
        (r"~\.hermes", r"C:\Users\Ann\.hermes"),
        (r"~/.hermes", r"C:\Users\Ann\.hermes"),
        (r"$HOME\.hermes", r"C:\Users\Ann\.hermes"),
        (r"${HOME}/.hermes", r"C:\Users\Ann\.hermes"),
        (r"rel\hermes", r"D:\work\rel\hermes"),
        (r".\rel", r"D:\work\rel"),
        (r"..\rel", r"D:\work\..\rel"),
        // The root of the current drive, a folder on the current drive, one on another.
        (r"\data", r"D:\data"),
        (r"d:rel", r"D:\work\rel"),
        (r"E:rel", r"E:\rel"),
        (r"\\server\share\hermes", r"\\server\share\hermes"),
        (r"//server/share/hermes", r"\\server\share\hermes"),
        (r"\\server\share", r"\\server\share\"),
        (r"\\?\C:\data", r"\\?\C:\data"),
        (r"\\?\UNC\server\share\data", r"\\?\UNC\server\share\data"),
        (r"C:\", r"C:\"),
    ] {
        let found = resolve(&env().with_hermes_home(value)).unwrap();
        assert_eq!(text(found.home.path()), expected, "{value}");
    }
}

#[test]
fn the_root_and_the_profile_ignore_case() {
    let default = r"C:\Users\Ann\AppData\Local\hermes";
    for (value, root, profile) in [
        (default, default, "default"),
        (r"c:\users\ANN\appdata\local\Hermes", default, "default"),
        (
            r"C:\Users\Ann\AppData\Local\hermes\profiles\coder",
            default,
            "coder",
        ),
        (
            r"c:\users\ann\appdata\local\hermes\Profiles\Coder",
            default,
            "coder",
        ),
        (r"D:\data", r"D:\data", "default"),
        (r"D:\data\profiles\coder", r"D:\data", "coder"),
        (
            r"D:\data\profiles\My Data",
            r"D:\data\profiles\My Data",
            "default",
        ),
        (
            r"\\server\share\profiles\coder",
            r"\\server\share\",
            "coder",
        ),
        (r"D:\data\..\data\profiles\coder", r"D:\data", "coder"),
    ] {
        let found = resolve(&env().with_hermes_home(value)).unwrap();
        assert_eq!(text(found.home.root()), root, "{value}");
        assert_eq!(found.home.profile().as_str(), profile, "{value}");
    }
}

#[test]
fn paths_below_the_home_and_what_is_shown_use_backslashes() {
    let home = resolve(&env()).unwrap().home;
    let default = r"C:\Users\Ann\AppData\Local\hermes";
    assert_eq!(text(home.state_db()), format!(r"{default}\state.db"));
    assert_eq!(text(&home.config_file()), format!(r"{default}\config.yaml"));
    assert_eq!(text(&home.profiles_dir()), format!(r"{default}\profiles"));
    let coder = "coder".parse().unwrap();
    assert_eq!(
        text(&home.profile_dir(&coder)),
        format!(r"{default}\profiles\coder")
    );
    assert_eq!(home.display(), r"~\AppData\Local\hermes");
    let other = resolve(&env().with_hermes_home(r"D:\data")).unwrap().home;
    assert_eq!(other.display(), r"D:\data");
    let other_case = resolve(&env().with_hermes_home(r"c:\users\ann\x"))
        .unwrap()
        .home;
    assert_eq!(other_case.display(), r"~\x");
}

#[test]
fn flags_are_read_by_the_same_rules() {
    let chosen = Selection::new()
        .with_home(std::path::PathBuf::from(r"~\data"))
        .resolve(&env())
        .unwrap();
    assert_eq!(text(chosen.home.path()), r"C:\Users\Ann\data");
    let chosen = Selection::new()
        .with_db(std::path::PathBuf::from(r"D:\copies\state.db"))
        .resolve(&env())
        .unwrap();
    assert_eq!(text(chosen.home.path()), r"D:\copies");
    assert_eq!(text(chosen.home.state_db()), r"D:\copies\state.db");
}
