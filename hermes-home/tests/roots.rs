//! The root and the profile of a home, told from where it stands.
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

use support::Sandbox;

/// HOME-10.
/// HOME-27.
#[test]
fn the_root_and_the_profile_follow_from_the_position() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    let default = sandbox.default();
    let default = default.to_str().unwrap();
    let at = |below: &str| format!("{default}{below}");
    for (home, root, profile) in [
        (at(""), at(""), "default"),
        (at("/profiles/coder"), at(""), "coder"),
        (at("/profiles/not-there-yet"), at(""), "not-there-yet"),
        // Other folders inside the default home are their own root (HOME-27).
        (
            at("/.repro/hermes_test"),
            at("/.repro/hermes_test"),
            "custom",
        ),
        (at("/profiles"), at("/profiles"), "custom"),
        (
            at("/profiles/coder/sub"),
            at("/profiles/coder/sub"),
            "custom",
        ),
        (at("/profiles/Coder"), at("/profiles/Coder"), "custom"),
        (at("/a/profiles/b"), at("/a/profiles/b"), "custom"),
        // `default` is the root and nothing else.
        (at("/profiles/default"), at(""), "custom"),
        // Docker (HOME-10).
        ("/opt/data".into(), "/opt/data".into(), "default"),
        (
            "/opt/data/profiles/coder".into(),
            "/opt/data".into(),
            "coder",
        ),
        // Below a folder that happens to be called `profiles`.
        (
            "/home/profiles/.hermes".into(),
            "/home/profiles/.hermes".into(),
            "default",
        ),
        (
            "/mnt/profiles/My Data".into(),
            "/mnt/profiles/My Data".into(),
            "default",
        ),
        ("/mnt/profiles".into(), "/mnt/profiles".into(), "default"),
        ("/profiles".into(), "/profiles".into(), "default"),
        // Ambiguous: a valid name below `profiles` is a profile.
        ("/mnt/profiles/data".into(), "/mnt".into(), "data"),
        ("/profiles/data".into(), "/".into(), "data"),
        ("/".into(), "/".into(), "default"),
    ] {
        let found = sandbox.resolve_at(&home).unwrap().home;
        assert_eq!(found.root(), Path::new(&root), "{home}");
        assert_eq!(found.profile().as_str(), profile, "{home}");
        assert_eq!(found.path(), Path::new(&home), "{home}");
    }
}

#[test]
fn unset_gives_the_default_root() {
    let sandbox = Sandbox::new();
    let found = hermes_home::resolve(&sandbox.env()).unwrap().home;
    assert_eq!(found.root(), sandbox.default());
}

#[test]
fn links_are_followed_before_comparing_and_the_path_stays_as_given() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    let to_default = sandbox.link("to-default", sandbox.default());
    let to_profile = sandbox.link("to-profile", sandbox.profile("coder"));
    for (home, profile) in [
        (to_default.clone(), "default"),
        (to_profile, "coder"),
        (to_default.join("profiles/coder"), "coder"),
        (to_default.join("profiles/not-there-yet"), "not-there-yet"),
    ] {
        let found = sandbox.resolve_at(&home).unwrap().home;
        assert_eq!(found.root(), sandbox.default(), "{}", home.display());
        assert_eq!(found.profile().as_str(), profile, "{}", home.display());
        assert_eq!(found.path(), home);
    }
}

#[test]
fn a_default_home_that_is_a_link_is_recognised_by_its_target() {
    let sandbox = Sandbox::new();
    let data = sandbox.mkdir("data/profiles/coder");
    sandbox.link("home/.hermes", sandbox.path("data"));
    let found = sandbox.resolve_at(sandbox.path("data")).unwrap().home;
    assert_eq!(found.root(), sandbox.default());
    let found = sandbox.resolve_at(data).unwrap().home;
    assert_eq!(found.root(), sandbox.default());
    assert_eq!(found.profile().as_str(), "coder");
}

#[test]
fn a_linked_profile_is_a_profile_under_both_paths() {
    let sandbox = Sandbox::with_profiles(&[]);
    let real = sandbox.mkdir("big-disk/coder");
    let link = sandbox.link("home/.hermes/profiles/coder", &real);
    for home in [real, link] {
        let found = sandbox.resolve_at(&home).unwrap().home;
        assert_eq!(found.root(), sandbox.default(), "{}", home.display());
        assert_eq!(found.profile().as_str(), "coder", "{}", home.display());
    }
}

#[test]
fn steps_to_the_parent_are_taken_before_the_position_is_read() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    let roundabout = sandbox.default().join("profiles/../profiles/coder");
    let found = sandbox.resolve_at(&roundabout).unwrap().home;
    assert_eq!(found.root(), sandbox.default());
    assert_eq!(found.profile().as_str(), "coder");
    // Text alone would call this a folder inside the default home.
    let out = sandbox.default().join("../elsewhere");
    let found = sandbox.resolve_at(&out).unwrap().home;
    assert_eq!(found.root(), out);
    assert_eq!(found.profile().as_str(), "default");
    let docker = sandbox.mkdir("opt/data/profiles/worker");
    let found = sandbox.resolve_at(docker.join("../worker")).unwrap().home;
    assert_eq!(found.root(), sandbox.path("opt/data"));
    assert_eq!(found.profile().as_str(), "worker");
}

/// HOME-12.
#[test]
fn every_listing_looks_below_the_root_of_the_home_at_hand() {
    let sandbox = Sandbox::with_profiles(&["of-the-default"]);
    sandbox.mkdir("opt/data/profiles/my-agent");
    let root = sandbox.path("opt/data");
    for home in [root.clone(), root.join("profiles/my-agent")] {
        let found = sandbox.resolve_at(&home).unwrap().home;
        let names = found.profile_names().unwrap();
        assert_eq!(
            names.iter().map(|n| n.as_str()).collect::<Vec<_>>(),
            ["my-agent"]
        );
        assert!(found.profile_exists(&names[0]).unwrap());
        assert_eq!(found.profile_dir(&names[0]), root.join("profiles/my-agent"));
    }
}

#[test]
fn a_listing_passes_over_what_is_no_profile() {
    let sandbox = Sandbox::with_profiles(&["b", "a", ".hidden", "Upper", "two words", "default"]);
    sandbox.write("home/.hermes/profiles/file", "");
    sandbox.link("home/.hermes/profiles/linked", sandbox.path("work"));
    sandbox.link("home/.hermes/profiles/dangling", "/no/such/place");
    sandbox.link("home/.hermes/profiles/loop", "loop");
    let home = sandbox.resolve_at(sandbox.default()).unwrap().home;
    let names = home.profile_names().unwrap();
    assert_eq!(
        names.iter().map(|n| n.as_str()).collect::<Vec<_>>(),
        ["a", "b", "linked"]
    );
}

#[test]
fn a_root_without_profiles_has_none_and_default_exists() {
    let sandbox = Sandbox::new();
    let home = sandbox.resolve_at(sandbox.default()).unwrap().home;
    assert_eq!(home.profile_names().unwrap(), []);
    assert!(home.profile_exists(&"default".parse().unwrap()).unwrap());
    assert!(!home.profile_exists(&"coder".parse().unwrap()).unwrap());
}
