//! Paths as people read them.
#![cfg(unix)]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test stops where it fails, also in its helpers"
)]

mod support;

use std::path::Path;

use hermes_home::{Environment, Platform, resolve};

fn shown(home: &str) -> String {
    let env = Environment::new(Platform::Unix)
        .with_user_home("/home/ann")
        .with_hermes_home(home);
    resolve(&env).unwrap().home.display()
}

#[test]
fn a_home_below_the_users_is_shortened_and_another_is_not() {
    for (home, expected) in [
        ("/home/ann/.hermes", "~/.hermes"),
        (
            "/home/ann/.hermes/profiles/coder",
            "~/.hermes/profiles/coder",
        ),
        ("/home/ann//x/./y/", "~/x/y"),
        ("/home/ann", "~"),
        ("/home/anna/.hermes", "/home/anna/.hermes"),
        ("/opt/data", "/opt/data"),
        ("/", "/"),
        ("/home/ann/a/../b", "~/a/../b"),
        ("/home/ann/../bob", "/home/ann/../bob"),
        ("/home/ann/a/../../bob", "/home/ann/a/../../bob"),
    ] {
        assert_eq!(shown(home), expected, "{home}");
    }
}

#[test]
fn a_path_with_control_characters_stays_on_one_line() {
    assert_eq!(shown("/opt/a\nb\u{1b}[31m"), "/opt/a\\nb\\u{1b}[31m");
}

#[test]
fn other_paths_are_shown_in_the_same_way() {
    let env = Environment::new(Platform::Unix).with_user_home("/home/ann");
    let home = resolve(&env).unwrap().home;
    assert_eq!(home.display_path(home.state_db()), "~/.hermes/state.db");
    assert_eq!(home.display_path(Path::new("/srv/copy.db")), "/srv/copy.db");
}
