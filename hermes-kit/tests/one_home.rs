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

#[test]
fn old_sessions_go_only_where_the_config_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let hermes = Hermes::builder().home(folder.path()).open().unwrap();
    let store = hermes.store().unwrap();
    for (id, ended) in [("old", 1_000.0), ("young", 4_000_000_000.0)] {
        let line = format!(
            r#"{{"id": "{id}", "source": "cli", "started_at": 500.0, "ended_at": {ended},
                "end_reason": "done", "messages": []}}"#
        );
        let session = serde_json::from_str(&line).unwrap();
        store.import_sessions(&[session]).unwrap();
    }
    let config = |text: &str| std::fs::write(folder.path().join("config.yaml"), text).unwrap();
    assert_eq!(hermes.auto_prune().unwrap(), None);
    config("sessions: {auto_prune: false, retention_days: 7}\n");
    assert_eq!(hermes.auto_prune().unwrap(), None);
    config("sessions: {auto_prune: true, retention_days: never}\n");
    assert!(matches!(
        hermes.auto_prune().unwrap_err(),
        Error::Settings { .. }
    ));
    assert!(store.session("old").unwrap().is_some());
    config("sessions: {auto_prune: true, retention_days: 7}\n");
    let done = hermes.auto_prune().unwrap().unwrap();
    let ids: Vec<&str> = done.deleted.ids.iter().map(|id| id.as_str()).collect();
    assert_eq!(ids, ["old"]);
    assert!(store.session("young").unwrap().is_some());
    // Another start soon afterwards does nothing.
    assert!(hermes.auto_prune().unwrap().unwrap().skipped);
}
