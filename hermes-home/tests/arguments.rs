//! The profile selector in a command line.
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
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use hermes_home::{Arguments, Environment, Error, HomeSource, ProfileName};
use proptest::prelude::*;
use support::{Sandbox, assert_chosen};

fn rules() -> Arguments {
    Arguments::new().with_value_options(["-m", "--model"])
}

/// The name that is selected and the rest.
fn read(arguments: &str) -> (Option<String>, String) {
    let read = rules().read(arguments.split_whitespace()).unwrap();
    let rest: Vec<_> = read
        .remaining
        .iter()
        .map(|one| one.to_str().unwrap())
        .collect();
    (
        read.selector.map(|selector| selector.name.to_string()),
        rest.join(" "),
    )
}

#[test]
fn the_selector_is_found_and_taken_out() {
    for (arguments, name, rest) in [
        ("--profile coder chat", Some("coder"), "chat"),
        ("--profile=coder chat", Some("coder"), "chat"),
        ("-p coder chat", Some("coder"), "chat"),
        ("chat -q hi -p Coder", Some("coder"), "chat -q hi"),
        ("chat hello", None, "chat hello"),
        ("", None, ""),
        ("-p default", Some("default"), ""),
        // The first one counts, and only that one goes.
        ("-p a x -p b", Some("a"), "x -p b"),
        ("--profile=a --profile=b", Some("a"), "--profile=b"),
        // Not ours.
        ("-p no:xdist tests", None, "-p no:xdist tests"),
        ("-p", None, "-p"),
        ("-p -p coder", Some("coder"), "-p"),
        ("-pcoder", None, "-pcoder"),
        (
            "--profiles x --profile-dir y",
            None,
            "--profiles x --profile-dir y",
        ),
        // Behind `--`, and in what another program is given.
        ("exec -- -p coder", None, "exec -- -p coder"),
        ("-p a exec -- -p b", Some("a"), "exec -- -p b"),
        (
            "mcp add x --args -p coder --profile=y",
            None,
            "mcp add x --args -p coder --profile=y",
        ),
        (
            "-p a mcp add x --args -p b",
            Some("a"),
            "mcp add x --args -p b",
        ),
        (
            "mcp add x -p a --args -p b",
            Some("a"),
            "mcp add x --args -p b",
        ),
        ("mcp list --args -p coder", Some("coder"), "mcp list --args"),
        // The value of another option.
        ("-m -p coder", None, "-m -p coder"),
        (
            "--model --profile=x -p coder",
            Some("coder"),
            "--model --profile=x",
        ),
        ("--model=x -p coder", Some("coder"), "--model=x"),
        ("-m", None, "-m"),
    ] {
        let (found, left) = read(arguments);
        assert_eq!(
            (found.as_deref(), left.as_str()),
            (name, rest),
            "{arguments:?}"
        );
    }
}

#[test]
fn the_selector_says_how_and_where_it_was_given() {
    let selector = rules()
        .read(["chat", "--profile=coder"])
        .unwrap()
        .selector
        .unwrap();
    assert_eq!(
        (selector.option, selector.index, selector.length),
        ("--profile", 1, 1)
    );
    let selector = rules()
        .read(["chat", "-p", "coder"])
        .unwrap()
        .selector
        .unwrap();
    assert_eq!(
        (selector.option, selector.index, selector.length),
        ("-p", 1, 2)
    );
}

#[test]
fn a_bad_name_after_the_long_option_is_an_error_that_names_the_rule() {
    for arguments in [
        vec!["--profile=../x"],
        vec!["--profile="],
        vec!["--profile", "a b"],
        vec!["--profile", "--verbose"],
        vec!["--profile="],
    ] {
        let error = rules().read(arguments).unwrap_err();
        assert!(matches!(error, Error::InvalidProfileName { .. }), "{error}");
        assert!(error.to_string().contains("1 to 64 of a-z"), "{error}");
    }
    let error = rules().read(["chat", "--profile"]).unwrap_err();
    let flag = HomeSource::ProfileFlag;
    assert!(
        matches!(error, Error::EmptyFlag { flag: found } if found == flag),
        "{error}"
    );
    let not_text = OsString::from_vec(b"--profile=\xff".to_vec());
    let error = rules().read([not_text]).unwrap_err();
    assert!(matches!(error, Error::InvalidProfileName { .. }), "{error}");
}

#[test]
fn a_program_starts_with_a_home_and_the_rest_of_its_arguments() {
    let sandbox = Sandbox::with_profiles(&["beta", "coder"]);
    sandbox.activate("beta");
    let start = rules()
        .select(["chat", "-p", "coder"], &sandbox.env())
        .unwrap();
    let source = HomeSource::ProfileFlag;
    assert_chosen(&start.resolution, sandbox.profile("coder"), source, "coder");
    assert_eq!(start.remaining, ["chat"]);
    let start = rules().select(["chat"], &sandbox.env()).unwrap();
    let source = HomeSource::ActiveProfile;
    assert_chosen(&start.resolution, sandbox.profile("beta"), source, "beta");
    assert_eq!(start.selector, None);
    let error = rules().select(["-p", "ghost"], &sandbox.env()).unwrap_err();
    assert!(
        error.to_string().contains("default, beta, coder"),
        "{error}"
    );
}

#[test]
fn under_sudo_a_profile_of_the_invoking_user_comes_first() {
    let sandbox = Sandbox::with_profiles(&["both", "roots-own"]);
    sandbox.mkdir("ann/.hermes/profiles/both");
    sandbox.mkdir("ann/.hermes/profiles/anns");
    let sudo = sandbox
        .env()
        .with_effective_uid(0)
        .with_sudo_user("ann")
        .with_account("ann", sandbox.path("ann"));
    let select = |name: &str, env: &Environment| {
        rules()
            .select(["-p", name], env)
            .map(|start| start.resolution)
    };
    let anns = |name: &str| sandbox.path("ann/.hermes/profiles").join(name);
    assert_eq!(select("anns", &sudo).unwrap().home.path(), anns("anns"));
    let both = select("both", &sudo).unwrap();
    assert_chosen(&both, anns("both"), HomeSource::ProfileFlag, "both");
    assert_eq!(both.home.root(), sandbox.path("ann/.hermes"));
    let own = select("roots-own", &sudo).unwrap();
    assert_eq!(own.home.path(), sandbox.profile("roots-own"));
    assert_eq!(
        select("default", &sudo).unwrap().home.path(),
        sandbox.default()
    );
    // Without root's rights, or as root itself, the variable means nothing.
    for env in [
        sudo.clone().with_effective_uid(1000),
        sudo.clone().with_sudo_user("root"),
        sudo.clone().with_sudo_user("nobody-we-know"),
    ] {
        assert_eq!(
            select("both", &env).unwrap().home.path(),
            sandbox.profile("both")
        );
    }
}

fn any_argument() -> impl Strategy<Value = OsString> {
    let known = prop::sample::select(vec![
        "-p",
        "--profile",
        "--profile=coder",
        "--profile=",
        "coder",
        "no:xdist",
        "--",
        "-m",
        "--model",
        "mcp",
        "add",
        "--args",
        "chat",
        "",
        " ",
        "-px",
        "default",
    ]);
    let bytes = prop::collection::vec(any::<u8>(), 0..12).prop_map(OsString::from_vec);
    prop_oneof![4 => known.prop_map(OsString::from), 1 => bytes]
}

proptest! {
    #[test]
    fn any_arguments_survive_but_for_the_selector(
        arguments in prop::collection::vec(any_argument(), 0..12),
    ) {
        let Ok(read) = rules().read(arguments.clone()) else {
            // Only a bad or missing name behind the long option.
            prop_assert!(arguments.iter().any(|one| one.as_bytes().starts_with(b"--profile")));
            return Ok(());
        };
        let mut whole = read.remaining.clone();
        if let Some(selector) = &read.selector {
            let taken: Vec<OsString> =
                arguments[selector.index..selector.index + selector.length].to_vec();
            prop_assert!(taken[0].as_bytes().starts_with(selector.option.as_bytes()));
            let last = taken.last().unwrap().to_str().unwrap();
            let value = last.strip_prefix("--profile=").unwrap_or(last);
            prop_assert_eq!(&ProfileName::parse(value).unwrap(), &selector.name);
            whole.splice(selector.index..selector.index, taken);
        }
        prop_assert_eq!(whole, arguments);
    }
}
