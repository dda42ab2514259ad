//! Lists of sessions with all their options, and that counts agree with them.

use hermes_state::{ListOptions, SessionSummary, Store};

use crate::support::newer::{Planted, empty_v22};
use crate::support::{Home, raw};

/// The ids of a list, and that its count agrees.
fn ids(store: &Store, set: impl Fn(&mut ListOptions)) -> Vec<String> {
    let mut options = ListOptions::default();
    set(&mut options);
    let list = store.list_sessions(&options).unwrap();
    if options.limit >= list.len() && options.offset == 0 {
        let counted = store.session_count(&options).unwrap();
        assert_eq!(counted, list.len() as u64, "{options:?}");
    }
    names(&list)
}

fn names(list: &[SessionSummary]) -> Vec<String> {
    list.iter()
        .map(|s| s.session.id.as_str().to_owned())
        .collect()
}

fn change(store: &Store, sql: &str) {
    raw(store.path()).execute_batch(sql).unwrap();
}

fn session<'a>(id: &'a str, started: f64, messages: &'a [f64]) -> Planted<'a> {
    Planted {
        id,
        started,
        messages,
        ..Planted::default()
    }
}

/// A chain r → c1 → c2, last used at 300; `old` used at 200; `new` without messages.
fn plant(store: &Store) {
    let compressed = |at| Some((at, "compression"));
    Planted {
        ended: compressed(2.0),
        ..session("r", 1.0, &[1.5])
    }
    .into(store);
    Planted {
        parent: Some("r"),
        ended: compressed(4.0),
        ..session("c1", 3.0, &[300.0])
    }
    .into(store);
    Planted {
        parent: Some("c1"),
        ..session("c2", 5.0, &[6.0])
    }
    .into(store);
    session("old", 10.0, &[200.0, 20.0]).into(store);
    session("new", 100.0, &[]).into(store);
}

#[test]
fn by_last_activity_a_chain_is_as_recent_as_the_latest_of_it() {
    let home = Home::new();
    let fixture = empty_v22();
    for store in [home.store(), Store::open(fixture.path()).unwrap()] {
        plant(&store);
        assert_eq!(ids(&store, |_| {}), ["new", "old", "c2"]);
        assert_eq!(
            ids(&store, |o| o.order_by_last_active = true),
            ["c2", "old", "new"]
        );
        let page = |o: &mut ListOptions| {
            o.order_by_last_active = true;
            (o.limit, o.offset) = (1, 1);
        };
        assert_eq!(ids(&store, page), ["old"]);
        let children = |o: &mut ListOptions| {
            o.order_by_last_active = true;
            o.include_children = true;
        };
        assert_eq!(ids(&store, children), ["c1", "r", "old", "new", "c2"]);
        let active = store.search_sessions(Some("cli"), 3, 0).unwrap();
        let active: Vec<_> = active
            .iter()
            .map(|s| (s.session.id.as_str(), s.last_active))
            .collect();
        assert_eq!(active, [("c1", 300.0), ("old", 200.0), ("new", 100.0)]);
        assert!(
            store
                .search_sessions(Some("nowhere"), 3, 0)
                .unwrap()
                .is_empty()
        );
        assert_eq!(store.message_count(None).unwrap(), 5);
        assert_eq!(store.message_count(Some("old")).unwrap(), 2);
    }
}

#[test]
fn equals_have_a_fixed_order() {
    let home = Home::new();
    let store = home.store();
    for id in ["b", "c", "a"] {
        session(id, 1.0, &[5.0]).into(&store);
    }
    assert_eq!(
        ids(&store, |o| o.order_by_last_active = true),
        ["c", "b", "a"]
    );
    assert_eq!(ids(&store, |_| {}), ["b", "c", "a"]);
}

#[test]
fn a_search_looks_at_ids_and_titles_of_the_whole_chain() {
    let home = Home::new();
    let store = home.store();
    plant(&store);
    Planted {
        title: Some("Hello World"),
        ..session("x_1", 50.0, &[])
    }
    .into(&store);
    Planted {
        title: Some("a%b"),
        ..session("y_2", 51.0, &[])
    }
    .into(&store);
    change(
        &store,
        "UPDATE sessions SET title = 'middle' WHERE id = 'c1'",
    );
    let search = |text: &str| ids(&store, |o| o.search_query = Some(text.to_owned()));
    for text in ["hello world", "hello_world", "helloworld", " WORLD ", "x_1"] {
        assert_eq!(search(text), ["x_1"], "{text}");
    }
    assert_eq!(search("%"), ["y_2"]);
    assert_eq!(search("middle"), ["c2"]);
    assert_eq!(search("said in"), [""; 0]);
    assert_eq!(search(" ").len(), 5);
    let by_id = |text: &str| ids(&store, |o| o.id_query = Some(text.to_owned()));
    assert_eq!(by_id("C1"), ["c2"]);
    assert_eq!(by_id("_"), ["y_2", "x_1"]);
    // Exactly, then at the beginning, then anywhere.
    for (id, started) in [("abc", 1.0), ("abcd", 2.0), ("xabc", 3.0)] {
        session(id, started, &[]).into(&store);
    }
    let found = |text, limit| names(&store.search_sessions_by_id(text, limit, true).unwrap());
    assert_eq!(found("ABC", 9), ["abc", "abcd", "xabc"]);
    assert_eq!(found("abc", 2), ["abc", "abcd"]);
    assert_eq!(found("c1", 9), ["c2"]);
    assert_eq!(found(" ", 9), [""; 0]);
}

#[test]
fn filters_that_newer_stores_have_columns_for() {
    let fixture = empty_v22();
    let store = Store::open(fixture.path()).unwrap();
    for (id, cwd) in [
        ("a", "/a/b"),
        ("b", "/a/b/c"),
        ("c", "/a/bc"),
        ("d", "/a_b/c"),
    ] {
        session(id, 1.0, &[1.0]).into(&store);
        change(
            &store,
            &format!("UPDATE sessions SET cwd = '{cwd}' WHERE id = '{id}'"),
        );
    }
    let below = |folder: &str| ids(&store, |o| o.cwd_prefix = Some(folder.to_owned()));
    assert_eq!(below("/a/b"), ["a", "b"]);
    assert_eq!(below("/a/b/"), ["a", "b"]);
    assert_eq!(below("/a_b"), ["d"]);
    change(&store, "UPDATE sessions SET archived = 1 WHERE id = 'a'");
    assert_eq!(ids(&store, |_| {}), ["b", "c", "d"]);
    assert_eq!(ids(&store, |o| o.archived_only = true), ["a"]);
    assert_eq!(ids(&store, |o| o.include_archived = true).len(), 4);
    let home = Home::new();
    let old = home.store();
    let mut options = ListOptions::default();
    options.archived_only = true;
    assert_eq!(
        old.list_sessions(&options).unwrap_err().code(),
        "unsupported"
    );
    options.archived_only = false;
    options.cwd_prefix = Some("/".to_owned());
    assert_eq!(
        old.session_count(&options).unwrap_err().code(),
        "unsupported"
    );
}

#[test]
fn lin_12_a_list_shows_each_conversation_once_and_the_count_agrees() {
    let fixture = empty_v22();
    let store = Store::open(fixture.path()).unwrap();
    plant(&store);
    let mark = |name| format!("{{\"{name}\": \"old\"}}");
    let (branched, delegate) = (mark("_branched_from"), mark("_delegate_from"));
    Planted {
        parent: Some("old"),
        model_config: Some(&branched),
        ..session("branch", 11.0, &[12.0])
    }
    .into(&store);
    Planted {
        parent: Some("old"),
        model_config: Some(&delegate),
        ..session("task", 12.0, &[12.0])
    }
    .into(&store);
    Planted {
        model_config: Some(&delegate),
        ..session("orphan", 13.0, &[13.0])
    }
    .into(&store);
    Planted {
        source: Some("cron"),
        ..session("cron", 14.0, &[14.0])
    }
    .into(&store);
    session("archived", 15.0, &[15.0]).into(&store);
    change(
        &store,
        "UPDATE sessions SET archived = 1 WHERE id = 'archived'",
    );
    // `new` is the empty ghost.
    let shown = ids(&store, |o| {
        o.exclude_sources = vec!["cron".to_owned()];
        o.min_message_count = 1;
    });
    assert_eq!(shown, ["branch", "old", "c2"]);
    let list = store.list_sessions(&ListOptions::default()).unwrap();
    let chain = list.iter().find(|s| s.session.id.as_str() == "c2").unwrap();
    assert_eq!(chain.session.started_at, 1.0);
}

#[test]
fn settings_that_are_no_json_do_not_break_a_list() {
    let fixture = empty_v22();
    let store = Store::open(fixture.path()).unwrap();
    plant(&store);
    for config in ["'no json'", "'{'", "x'00'", "'[1]'", "''", "5"] {
        change(
            &store,
            &format!("UPDATE sessions SET model_config = {config}"),
        );
        for by_activity in [false, true] {
            assert_eq!(
                ids(&store, |o| o.order_by_last_active = by_activity).len(),
                3
            );
        }
    }
}

#[test]
fn a_compact_list_has_no_system_prompts() {
    let home = Home::new();
    let store = home.store();
    plant(&store);
    change(&store, "UPDATE sessions SET system_prompt = 'long'");
    let mut options = ListOptions::default();
    let key = |options: &ListOptions| -> Vec<bool> {
        let list = serde_json::to_value(store.list_sessions(options).unwrap()).unwrap();
        let rows = list.as_array().unwrap().iter();
        rows.map(|row| row.get("system_prompt").is_some()).collect()
    };
    assert_eq!(key(&options), [true; 3]);
    options.compact = true;
    assert_eq!(key(&options), [false; 3]);
    let first = &serde_json::to_value(store.list_sessions(&options).unwrap()).unwrap()[2];
    let keys: Vec<&String> = first.as_object().unwrap().keys().collect();
    assert_eq!(keys[..4], ["id", "source", "user_id", "model"]);
    assert_eq!(keys.last().unwrap().as_str(), "_lineage_root_id");
}

#[test]
fn a_compressed_session_works_where_its_continuation_does() {
    let fixture = empty_v22();
    let store = Store::open(fixture.path()).unwrap();
    plant(&store);
    change(
        &store,
        "UPDATE sessions SET cwd = '/old', git_branch = 'old', profile_name = 'old' WHERE id = 'r';
         UPDATE sessions SET cwd = '/new', profile_name = 'new' WHERE id = 'c2';",
    );
    let list = store.list_sessions(&ListOptions::default()).unwrap();
    let chain = list.iter().find(|s| s.lineage_root_id.is_some()).unwrap();
    let extra = &chain.session.extra;
    assert_eq!(extra["cwd"], "/new");
    assert!(extra["git_branch"].is_null());
    assert_eq!(extra["profile_name"], "old");
}

#[test]
fn lists_are_narrowed_by_title_and_by_the_beginning_of_an_id() {
    let home = Home::new();
    let store = home.store();
    for (id, started, title) in [
        ("a1", 5.0, Some("My plan B")),
        ("a2", 4.0, Some("plan")),
        ("b1", 3.0, Some("Plan-ning")),
        ("b2", 2.0, None),
        ("plan_id", 1.0, Some("100% other")),
    ] {
        session(id, started, &[]).into(&store);
        if title.is_some() {
            store.set_session_title(id, title).unwrap();
        }
    }
    let title = |query: &str, best: bool| {
        ids(&store, |o| {
            o.title_query = Some(query.to_owned());
            o.best_match_first = best;
        })
    };
    assert_eq!(title("plan", false), ["a1", "a2", "b1"]);
    assert_eq!(title("plan", true), ["a2", "b1", "a1"]);
    assert_eq!(title(" PLANNING ", true), ["b1"]);
    assert_eq!(title("100%", true), ["plan_id"]);
    assert!(title("_", true).is_empty() && title("nothing", true).is_empty());
    let begins = |prefix: &str| ids(&store, |o| o.id_prefix = Some(prefix.to_owned()));
    assert_eq!(begins("A"), ["a1", "a2"]);
    assert_eq!(begins("a2"), ["a2"]);
    assert!(begins("1").is_empty() && begins("%").is_empty());
    assert_eq!(begins("").len(), 5);
    let both = ids(&store, |o| {
        o.id_prefix = Some("a".to_owned());
        o.title_query = Some("plan".to_owned());
        o.search_query = Some("b".to_owned());
    });
    assert_eq!(both, ["a1"]);
    let best = ids(&store, |o| {
        o.search_query = Some("plan".to_owned());
        o.best_match_first = true;
    });
    assert_eq!(best, ["a2", "b1", "plan_id", "a1"]);
}

#[test]
fn a_compressed_session_is_found_by_the_title_and_id_of_a_continuation() {
    let home = Home::new();
    let store = home.store();
    plant(&store);
    store.set_session_title("c1", Some("Quokka")).unwrap();
    let titled = ids(&store, |o| o.title_query = Some("quok".to_owned()));
    assert_eq!(titled, ["c2"]);
    assert_eq!(ids(&store, |o| o.id_prefix = Some("c1".to_owned())), ["c2"]);
}
