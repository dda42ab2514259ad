//! Sweeps: what was left behind goes, and nothing else.

use std::ops::ControlFlow;

use hermes_state::{DeleteOptions, NewMessage, NewSession, SessionId, Store, SweepOptions, Swept};

use crate::support::Home;

const DAY: f64 = 86_400.0;
const NOW: f64 = 100.0 * DAY;

struct Made<'a> {
    id: &'a str,
    source: &'a str,
    parent: Option<&'a str>,
    age: f64,
    messages: usize,
    title: Option<&'a str>,
    end: Option<&'a str>,
}

fn make(store: &Store, made: &Made<'_>) {
    let mut new = NewSession::new(made.id, made.source).started_at(NOW - made.age * DAY);
    if let Some(parent) = made.parent {
        new = new.parent(parent);
    }
    store.create_session(&new).unwrap();
    for _ in 0..made.messages {
        let message = NewMessage::new(made.id, "user").content("wombat");
        store.append_message(&message).unwrap();
    }
    if made.title.is_some() {
        store.set_session_title(made.id, made.title).unwrap();
    }
    if let Some(reason) = made.end {
        store.end_session(made.id, reason).unwrap();
    }
}

fn filled(home: &Home) -> Store {
    let store = home.store_at(NOW);
    let ghost = Made {
        id: "ghost",
        source: "tui",
        parent: None,
        age: 30.0,
        messages: 0,
        title: None,
        end: Some("user_exit"),
    };
    make(&store, &ghost);
    let others = [
        Made {
            id: "young",
            age: 0.5,
            ..ghost
        },
        Made {
            id: "open",
            end: None,
            ..ghost
        },
        Made {
            id: "titled",
            title: Some("Kept"),
            ..ghost
        },
        Made {
            id: "said",
            messages: 1,
            ..ghost
        },
        Made {
            id: "empty",
            source: "cli",
            ..ghost
        },
        Made {
            id: "root",
            source: "cli",
            messages: 1,
            end: Some("compression"),
            ..ghost
        },
        Made {
            id: "abandoned",
            source: "cli",
            parent: Some("root"),
            messages: 2,
            end: None,
            ..ghost
        },
        Made {
            id: "fresh",
            source: "cli",
            parent: Some("root"),
            messages: 2,
            end: None,
            age: 2.0,
            ..ghost
        },
        Made {
            id: "child",
            source: "cli",
            parent: Some("said"),
            messages: 2,
            end: None,
            ..ghost
        },
    ];
    for made in &others {
        make(&store, made);
    }
    store
}

fn names(ids: &[SessionId]) -> Vec<&str> {
    let mut names: Vec<&str> = ids.iter().map(SessionId::as_str).collect();
    names.sort_unstable();
    names
}

fn sweep(store: &Store, options: &SweepOptions) -> Swept {
    let go_on = &mut |_: &_| ControlFlow::Continue(());
    store.sweep(options, &DeleteOptions::new(), go_on).unwrap()
}

#[test]
fn a_sweep_takes_what_was_foretold_and_a_second_one_nothing() {
    let ghosts = SweepOptions::default();
    let mut empty = SweepOptions::default();
    empty.empty = true;
    for (options, deleted) in [
        (ghosts, &["ghost"][..]),
        // Ended, and without a message: a title does not save it.
        (empty, &["empty", "ghost", "titled", "young"]),
    ] {
        let home = Home::new();
        let store = filled(&home);
        let before = store.session_count(&everything()).unwrap();
        let found = store.sweep_candidates(&options).unwrap();
        let foretold: Vec<_> = found.delete.sessions.iter().map(|s| s.id.clone()).collect();
        assert_eq!(names(&foretold), deleted);
        assert_eq!(names(&found.end), ["abandoned"]);
        let swept = sweep(&store, &options);
        assert_eq!(names(&swept.deleted.ids), deleted);
        assert_eq!(names(&swept.ended), ["abandoned"]);
        let ended = store.session("abandoned").unwrap().unwrap();
        assert_eq!(ended.end_reason.as_deref(), Some("orphaned_compression"));
        assert_eq!(ended.ended_at, Some(NOW));
        let after = store.session_count(&everything()).unwrap();
        assert_eq!(after, before - deleted.len() as u64);
        let again = sweep(&store, &options);
        assert!(again.deleted.ids.is_empty() && again.ended.is_empty());
        let found = store.sweep_candidates(&options).unwrap();
        assert!(found.delete.sessions.is_empty() && found.end.is_empty());
    }
}

fn everything() -> hermes_state::ListOptions {
    let mut options = hermes_state::ListOptions::default();
    options.include_children = true;
    options
}

#[test]
fn stores_of_every_version_can_be_looked_at_before_a_sweep() {
    for name in testdata::all_fixtures() {
        let fixture = testdata::fixture(&name);
        let Ok(store) = Store::open_read_only(fixture.path()) else {
            continue;
        };
        let mut options = SweepOptions::default();
        options.empty = true;
        match store.sweep_candidates(&options) {
            Ok(_) => {}
            Err(error) => assert!(
                ["corrupt", "index_damaged"].contains(&error.code()),
                "{name}: {error}"
            ),
        }
    }
}
