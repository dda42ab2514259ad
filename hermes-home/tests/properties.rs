//! What holds for any environment.
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

use hermes_home::{Environment, Platform, ProfileName, Selection, resolve};
use proptest::prelude::*;
use support::Sandbox;

/// Bytes, and texts made of the pieces that mean something.
fn any_text() -> impl Strategy<Value = OsString> {
    let piece = prop::sample::select(vec![
        "~", "$HOME", "${HOME}", "/", "\\", "//", ".", "..", "C:", "\\\\?\\", "UNC", " ", "\t",
        "\n", "\0", "profiles", ".hermes", "coder", "default", "\u{a0}", "\u{fc}", "x", "~ann",
    ]);
    let pieces = prop::collection::vec(piece, 0..10).prop_map(|all| OsString::from(all.concat()));
    let bytes = prop::collection::vec(any::<u8>(), 0..40).prop_map(OsString::from_vec);
    prop_oneof![3 => pieces, 1 => bytes]
}

fn any_platform() -> impl Strategy<Value = Platform> {
    prop_oneof![Just(Platform::Unix), Just(Platform::Windows)]
}

/// Every part may be missing, and holds anything when it is there.
fn any_environment() -> impl Strategy<Value = Environment> {
    let text = || prop::option::of(any_text());
    (any_platform(), text(), text(), text(), text()).prop_map(
        |(platform, hermes_home, user_home, local, current)| {
            let mut env = Environment::new(platform);
            if let Some(value) = hermes_home {
                env = env.with_hermes_home(value);
            }
            if let Some(value) = user_home {
                env = env.with_user_home(value);
            }
            if let Some(value) = local {
                env = env.with_local_app_data(value);
            }
            if let Some(value) = current {
                env = env.with_current_dir(value);
            }
            env
        },
    )
}

fn is_absolute(platform: Platform, path: &std::path::Path) -> bool {
    let text = path.to_string_lossy();
    match platform {
        Platform::Windows => text.starts_with(r"\\") || text.get(1..3) == Some(r":\"),
        _ => path.is_absolute(),
    }
}

proptest! {
    #[test]
    fn any_environment_gives_an_absolute_home_or_an_error_and_the_same_twice(
        env in any_environment(),
        profile in prop::option::of(any::<String>()),
    ) {
        let selection = Selection::new().with_profile(profile);
        for _ in 0..2 {
            let (one, other) = (resolve(&env), resolve(&env));
            match (one, other) {
                (Ok(one), Ok(other)) => {
                    prop_assert!(is_absolute(env.platform(), one.home.path()), "{one:?}");
                    prop_assert!(is_absolute(env.platform(), one.home.root()), "{one:?}");
                    prop_assert!(!one.home.display().contains('\n'));
                    prop_assert_eq!(one, other);
                }
                (Err(one), Err(other)) => {
                    prop_assert!(!one.to_string().contains('\n'), "{}", one);
                    prop_assert_eq!(one.to_string(), other.to_string());
                }
                (one, other) => prop_assert!(false, "{one:?} and then {other:?}"),
            }
            match selection.resolve(&env) {
                Ok(chosen) => prop_assert!(is_absolute(env.platform(), chosen.home.path())),
                Err(error) => prop_assert!(!error.to_string().contains('\n'), "{}", error),
            }
        }
    }

    /// What is handed to a child through `HERMES_HOME` means the same there, wherever it runs. (The
    /// separator at the end keeps white space before it from being trimmed.)
    #[test]
    fn a_home_handed_on_is_the_same_home(value in any_text()) {
        let sandbox = Sandbox::with_profiles(&["coder"]);
        if let Ok(found) = sandbox.resolve_at(&value) {
            let child = sandbox.env_at(found.home.path().join("")).with_current_dir("/");
            let again = resolve(&child).unwrap();
            prop_assert_eq!(again.home, found.home);
        }
    }

    #[test]
    fn what_is_shown_never_changes_what_resolves(value in any_text()) {
        let sandbox = Sandbox::with_profiles(&["coder"]);
        let env = sandbox.env_at(&value);
        if let Ok(found) = resolve(&env) {
            let before = found.clone();
            let shown = found.home.display();
            prop_assert_eq!(&found, &before);
            prop_assert_eq!(&resolve(&env).unwrap(), &before);
            // Another user's home shows it otherwise and leaves it where it is.
            let other = env.with_hermes_home(found.home.path().join("")).with_user_home("/nowhere");
            let other = resolve(&other).unwrap();
            prop_assert_eq!(other.home.path(), found.home.path());
            if found.home.path().starts_with(sandbox.home()) && shown.starts_with('~') {
                prop_assert_ne!(other.home.display(), shown);
            }
        }
    }

    #[test]
    fn nothing_is_ever_made(value in any_text(), profile in prop::option::of(any::<String>())) {
        let sandbox = Sandbox::with_profiles(&["coder"]);
        let before = sandbox.tree();
        let env = sandbox.env_at(&value);
        let _ = resolve(&env);
        let _ = Selection::new().with_profile(profile).resolve(&env);
        prop_assert_eq!(sandbox.tree(), before);
    }

    #[test]
    fn a_name_is_one_safe_component_or_no_name(text in any::<String>()) {
        if let Ok(name) = ProfileName::parse(&text) {
            let name = name.as_str();
            prop_assert!((1..=64).contains(&name.len()));
            prop_assert!(name.bytes().all(
                |b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_'
            ));
            prop_assert!(!name.starts_with(['-', '_']));
            let again = ProfileName::parse(name).unwrap();
            prop_assert_eq!(again.as_str(), name);
        }
    }

    #[test]
    fn every_valid_name_is_taken(name in "[a-z0-9][a-z0-9_-]{0,63}") {
        let parsed = ProfileName::parse(&name).unwrap();
        prop_assert_eq!(parsed.as_str(), &name);
        prop_assert!(ProfileName::from_dir_name(name.as_ref()).is_some());
    }
}
