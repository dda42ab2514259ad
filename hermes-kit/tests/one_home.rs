//! The facade: one resolved home, one store.

use hermes_kit::home::Environment;
use hermes_kit::state::{NewSession, Store};
use hermes_kit::{Error, Hermes};

#[test]
fn the_store_is_the_one_of_the_resolved_home() {
    let folder = tempfile::tempdir().unwrap();
    let environment =
        Environment::new(hermes_kit::home::Platform::Unix).with_user_home(folder.path());
    let hermes = Hermes::builder().environment(environment).open().unwrap();
    assert!(!hermes.home().path().exists(), "resolving creates nothing");

    hermes
        .store()
        .unwrap()
        .create_session(&NewSession::new("s", "cli"))
        .unwrap();
    let beside = Store::open_read_only(folder.path().join(".hermes/state.db")).unwrap();
    assert!(beside.session("s").unwrap().is_some());
}

#[test]
fn a_store_that_is_not_there_is_not_created_to_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let hermes = Hermes::builder()
        .home(folder.path())
        .read_only()
        .open()
        .unwrap();
    let error = hermes.store().unwrap_err();
    assert!(
        matches!(
            error,
            Error::State(hermes_kit::state::Error::NoStore { .. })
        ),
        "{error:?}"
    );
    assert_eq!(error.code(), "no_store");
    assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none());
}

#[test]
fn a_failed_open_is_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let hermes = Hermes::builder()
        .home(folder.path())
        .read_only()
        .open()
        .unwrap();
    hermes.store().unwrap_err();
    Store::open(folder.path().join("state.db")).unwrap();
    hermes.store().unwrap();
}
