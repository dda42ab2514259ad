//! Requests that cannot be, and places where nothing can run.

use std::sync::Arc;
use std::time::Duration;

use hermes_terminal::{BACKENDS, Environment, Error, Request, Terminal, select};

use crate::setup::{Place, on};

#[test]
fn commands_that_no_shell_can_be_given_are_errors() {
    let place = Place::new();
    let terminal = place.terminal();
    let error = |request: Request| terminal.run("t", &request).unwrap_err();
    assert!(matches!(
        error(Request::new("echo a\0b")),
        Error::CommandHasNul { at: 6 }
    ));
    for empty in ["", "  \n\t"] {
        assert!(matches!(error(Request::new(empty)), Error::EmptyCommand));
    }
    let latin = Request::from_bytes(b"echo caf\xe9".to_vec()).unwrap_err();
    assert!(matches!(latin, Error::CommandNotUtf8 { at: 8 }));
    assert!(latin.to_string().contains("convert it"));
    assert!(Request::from_bytes("echo café").is_ok());
}

#[test]
fn time_outs_that_are_no_time_are_errors() {
    let place = Place::new();
    let terminal = place.terminal();
    for seconds in [0.0, -0.0, -1.0, f64::NAN, f64::NEG_INFINITY] {
        let error = Request::new("true")
            .with_timeout_seconds(seconds)
            .unwrap_err();
        assert!(matches!(error, Error::BadTimeout { .. }), "{seconds}");
    }
    let zero = Request::new("true").with_timeout(Duration::ZERO);
    assert!(matches!(
        terminal.run("t", &zero),
        Err(Error::BadTimeout { .. })
    ));
    for seconds in [600.1, 1e9, 1e300, f64::INFINITY] {
        let request = Request::new("true").with_timeout_seconds(seconds).unwrap();
        let error = terminal.run("t", &request).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("run the command in the background"),
            "{error}"
        );
    }
    for seconds in [0.5, 600.0] {
        let request = Request::new("true").with_timeout_seconds(seconds).unwrap();
        assert_eq!(terminal.run("t", &request).unwrap().exit_code, 0);
    }
}

#[test]
fn a_background_command_is_not_run_in_the_foreground() {
    let place = Place::new();
    let error = place
        .terminal()
        .run("t", &Request::new("true").in_background());
    assert!(matches!(error, Err(Error::Misuse { .. })));
}

#[test]
fn backends_are_selected_by_name_and_explain_themselves() {
    let place = Place::new();
    let offered: Vec<Arc<dyn Environment>> = vec![Arc::new(place.local())];
    assert_eq!(select("local", &offered).unwrap().name(), "local");
    assert_eq!(select(" Local ", &offered).unwrap().name(), "local");
    let unknown = select("lokal", &offered).unwrap_err().to_string();
    for backend in BACKENDS {
        assert!(unknown.contains(backend), "{unknown}");
    }
    for known in BACKENDS
        .iter()
        .filter(|name| **name != "local")
        .chain(&["apptainer", "podman"])
    {
        let error = select(known, &offered).unwrap_err();
        assert!(matches!(&error, Error::BackendNotBuilt { name, .. } if name == known));
        assert!(error.to_string().ends_with("use one of: local"), "{error}");
    }
}

#[test]
fn a_place_where_nothing_can_run_says_why() {
    let place = Place::new();
    for (local, why) in [
        (
            place.local().with_shell("/no/shell"),
            "there is no shell /no/shell",
        ),
        (
            place
                .local()
                .with_variables(hermes_terminal::Variables::none().with([("PATH", "/none")])),
            "neither bash nor sh",
        ),
        (
            place.local().with_private_folders_in("/none"),
            "/none is no directory",
        ),
    ] {
        assert!(local.usable().unwrap_err().reason.contains(why));
        let terminal = on(local);
        let error = terminal.run("t", &Request::new("true")).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
    assert!(place.local().usable().is_ok());
}

#[test]
fn a_terminal_needs_a_place_and_somebody_who_approves() {
    let place = Place::new();
    assert!(matches!(
        Terminal::builder().without_gate().build(),
        Err(Error::NoEnvironment)
    ));
    assert!(matches!(place.builder().build(), Err(Error::NoGate)));
}
