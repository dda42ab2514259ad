//! Titles: what may be in one, that each is there once, and how a session is found by one.

use std::collections::BTreeMap;

use hermes_state::{Error, NewSession, Store, sanitize_title, title_from_text};
use serde_json::{Value, json};

use crate::support::newer::{Planted, empty_v22};
use crate::support::{Home, ask, assert_reviewed, raw};

/// A recorded answer, out of its one-element list.
fn recorded(case: &Value) -> Value {
    let newer = &case["0.19.0"];
    let answer = if newer == "same" {
        &case["0.13.0"]
    } else {
        newer
    };
    answer[0].clone()
}

#[test]
fn sanitised_titles_are_those_of_the_reference() {
    let vectors = testdata::vectors("sanitize_title");
    let cases = vectors["cases"].as_array().unwrap();
    assert!(cases.len() > 100);
    for case in cases {
        // A lone surrogate is no Rust text.
        let input = case["input"].as_str().unwrap_or_default();
        let answer = match sanitize_title(input) {
            Ok(title) => json!(title),
            Err(Error::Invalid { problem, .. }) => json!({"err": problem}),
            Err(other) => panic!("{other}"),
        };
        let expected = recorded(case);
        if expected["err"].is_null() {
            assert_eq!(answer, expected, "{}", case["id"]);
        } else {
            assert!(answer["err"].is_string(), "{}", case["id"]);
        }
    }
}

fn titled(store: &Store, id: &str, title: Option<&str>, started: f64) {
    store
        .create_session(&NewSession::new(id, "cli").started_at(started))
        .unwrap();
    assert!(store.set_session_title(id, title).unwrap());
}

/// What we answer in another way, and why.
const DIFFERING: &[(&str, &str)] = &[];

#[test]
fn titles_and_ids_are_resolved_as_by_the_reference() {
    let vectors = testdata::vectors("titles_and_ids");
    let home = Home::new();
    let store = home.store();
    let stored = vectors["stored"].as_array().unwrap();
    for (n, title) in stored.iter().enumerate() {
        titled(
            &store,
            &format!("id_{n:02}"),
            title.as_str(),
            1000.0 + n as f64,
        );
    }
    for (n, id) in vectors["untitled"].as_array().unwrap().iter().enumerate() {
        titled(&store, id.as_str().unwrap(), None, 2000.0 + n as f64);
    }
    let mut differing = BTreeMap::new();
    for case in vectors["cases"].as_array().unwrap() {
        let input = case["input"].as_str().unwrap_or_default();
        let answer = match case["op"].as_str().unwrap() {
            "resolve_session_by_title" => json!(store.resolve_session_by_title(input).unwrap()),
            "get_next_title_in_lineage" => json!(store.next_title_in_lineage(input).unwrap()),
            "get_session_by_title" => json!(store.session_by_title(input).unwrap().map(|s| s.id)),
            "resolve_session_id" => json!(store.resolve_session_id(input).unwrap()),
            other => panic!("{other}"),
        };
        if answer != recorded(case) {
            let how = format!("{answer} for {}", recorded(case));
            differing.insert(case["id"].as_str().unwrap().to_owned(), how);
        }
    }
    assert_reviewed(&differing, DIFFERING);
}

#[test]
fn a_title_is_set_read_changed_and_cleared() {
    let home = Home::new();
    let store = home.store();
    titled(&store, "a", Some(" one\ttitle "), 1.0);
    assert_eq!(
        store.session_title("a").unwrap().as_deref(),
        Some("one title")
    );
    assert!(store.set_session_title("a", Some("one title")).unwrap());
    assert!(store.set_session_title("a", Some("\u{200b}")).unwrap());
    assert_eq!(store.session_title("a").unwrap(), None);
    assert!(!store.set_session_title("nobody", Some("x")).unwrap());
    assert_eq!(store.session_title("nobody").unwrap(), None);
}

#[test]
fn a_title_of_another_session_is_refused_and_its_holder_named() {
    let home = Home::new();
    let store = home.store();
    titled(&store, "a", Some("same"), 1.0);
    titled(&store, "b", None, 2.0);
    for id in ["b", "nobody"] {
        match store.set_session_title(id, Some("same")).unwrap_err() {
            Error::TitleInUse { title, holder } => {
                assert_eq!((title.as_str(), holder.as_str()), ("same", "a"));
            }
            other => panic!("{other}"),
        }
    }
    assert_eq!(store.session_title("b").unwrap(), None);
    // Capitals make another title.
    assert!(store.set_session_title("b", Some("Same")).unwrap());
}

#[test]
fn an_automatic_title_never_replaces_one() {
    let home = Home::new();
    let store = home.store();
    titled(&store, "a", None, 1.0);
    titled(&store, "b", Some("mine"), 2.0);
    assert!(store.set_auto_title_if_empty("a", "auto").unwrap());
    assert!(!store.set_auto_title_if_empty("a", "again").unwrap());
    assert!(!store.set_auto_title_if_empty("b", "auto").unwrap());
    assert!(!store.set_auto_title_if_empty("nobody", "auto").unwrap());
    titled(&store, "c", None, 3.0);
    let error = store.set_auto_title_if_empty("c", "mine").unwrap_err();
    assert_eq!(error.code(), "title_in_use");
    assert_eq!(store.session_title("b").unwrap().as_deref(), Some("mine"));
}

/// A "barcode", compressed into B "barcode #2"; a branch, a helper and a stranger beside.
fn barcodes(store: &Store) {
    let child = |id, parent| Planted {
        id,
        parent,
        started: 6.0,
        ..Planted::default()
    };
    Planted {
        id: "a",
        started: 1.0,
        ended: Some((5.0, "compression")),
        title: Some("barcode"),
        ..Planted::default()
    }
    .into(store);
    Planted {
        title: Some("barcode #2"),
        ..child("b", Some("a"))
    }
    .into(store);
    Planted {
        model_config: Some(r#"{"_branched_from": "a"}"#),
        ..child("branch", Some("a"))
    }
    .into(store);
    Planted {
        model_config: Some(r#"{"_delegate_from": "a"}"#),
        ..child("helper", Some("a"))
    }
    .into(store);
    child("stranger", None).into(store);
}

#[test]
fn title_01_a_title_moves_to_the_continuation_and_to_nobody_else() {
    let fixture = empty_v22();
    let store = Store::open(fixture.path()).unwrap();
    barcodes(&store);
    for id in ["branch", "helper", "stranger"] {
        let error = store.set_session_title(id, Some("barcode")).unwrap_err();
        assert_eq!(error.code(), "title_in_use", "{id}");
    }
    assert!(store.set_session_title("b", Some("barcode")).unwrap());
    assert_eq!(
        store.session_title("b").unwrap().as_deref(),
        Some("barcode")
    );
    assert_eq!(store.session_title("a").unwrap(), None);
    // Not back: the continuation keeps it.
    assert!(store.set_session_title("a", Some("barcode")).is_err());
}

#[test]
fn title_01_in_a_store_of_version_11_titles_stay_where_they_are() {
    let home = Home::new();
    let store = home.store();
    barcodes(&store);
    let error = store.set_session_title("b", Some("barcode")).unwrap_err();
    assert_eq!(error.code(), "title_in_use");
}

#[test]
fn title_03_blanks_of_all_kinds_become_one() {
    assert_eq!(sanitize_title("\u{feff}hi").unwrap().as_deref(), Some("hi"));
    assert_eq!(sanitize_title("a\u{a0}b").unwrap().as_deref(), Some("a b"));
    // The recorded answers of both releases have no blank here; a title made from text has.
    assert_eq!(
        sanitize_title("Blue\u{200b}Fox").unwrap().as_deref(),
        Some("BlueFox")
    );
    assert_eq!(
        title_from_text("Blue\u{200b}Fox").as_deref(),
        Some("Blue Fox")
    );
}

#[test]
fn title_04_the_next_number_follows_the_last_one_of_a_title() {
    // The case asks for "atlas #2"; recorded answers of both releases (titles_and_ids-0063) count
    // the last number, whatever stands before it, and both are free.
    let home = Home::new();
    let store = home.store();
    titled(&store, "a", Some("atlas"), 1.0);
    titled(&store, "b", Some("atlas #2 #5"), 2.0);
    assert_eq!(store.next_title_in_lineage("atlas").unwrap(), "atlas #6");
}

#[test]
fn title_06_terminal_sequences_leave_nothing() {
    for (text, title) in [
        ("\u{1b}[31mRed\u{1b}[0m", "Red"),
        ("]11;rgb:1/2/3 hi", "hi"),
        ("\u{1b}]11;rgb:1/2/3\u{7}hi", "hi"),
        ("\u{1b}]0;window\u{1b}\\hi", "hi"),
        ("[1] first steps", "[1] first steps"),
        ("]x; y", "]x; y"),
    ] {
        assert_eq!(title_from_text(text).as_deref(), Some(title), "{text:?}");
    }
    for text in [
        "\u{1b}",
        "\u{1b}[",
        "\u{1b}]",
        "\u{1b}[31",
        "]1;",
        "\u{1b}[\u{1b}[",
    ] {
        assert_eq!(title_from_text(text), None, "{text:?}");
    }
}

#[test]
fn title_07_a_title_is_made_from_what_a_model_answers() {
    for (text, title) in [
        ("\"Title: Fix DB\"", "Fix DB"),
        ("Title: \"Fix DB\"", "Fix DB"),
        ("**Fix DB**", "Fix DB"),
        ("Название: План", "План"),
        ("a\nb", "a b"),
        ("Fix: the parser", "Fix: the parser"),
        ("\"one\" and \"two\"", "\"one\" and \"two\""),
    ] {
        assert_eq!(title_from_text(text).as_deref(), Some(title), "{text:?}");
    }
    for text in ["New Chat", "Title: Untitled", "\"\"", "", "Title:"] {
        assert_eq!(title_from_text(text), None, "{text:?}");
    }
    let long = title_from_text(&"word ".repeat(60)).unwrap();
    assert_eq!(long, "word ".repeat(20).trim_end());
    assert_eq!(title_from_text(&"x".repeat(300)).unwrap(), "x".repeat(100));
}

#[test]
fn title_09_the_limit_counts_code_points_and_a_number_fits_in() {
    for (text, fits) in [
        ("x".repeat(100), true),
        ("x".repeat(101), false),
        ("👍".repeat(100), true),
    ] {
        assert_eq!(sanitize_title(&text).is_ok(), fits, "{text}");
    }
    let home = Home::new();
    let store = home.store();
    let base = format!("{} end", "山".repeat(96));
    titled(&store, "a", Some(&base), 1.0);
    let mut seen = vec![base.clone()];
    for n in 2..13 {
        let next = store.next_title_in_lineage(&base).unwrap();
        assert!(next.chars().count() <= 100, "{next}");
        assert!(
            next.ends_with(&format!(" #{n}")) && !seen.contains(&next),
            "{next}"
        );
        titled(&store, &format!("s{n}"), Some(&next), n as f64);
        seen.push(next);
    }
}

#[test]
fn title_10_wildcards_in_a_title_are_letters() {
    let home = Home::new();
    let store = home.store();
    for (n, title) in ["100% done", "100x done #2", "a_b", "aXb #2"]
        .iter()
        .enumerate()
    {
        titled(&store, &format!("s{n}"), Some(title), n as f64);
    }
    let found = store
        .resolve_session_by_title("100% done")
        .unwrap()
        .unwrap();
    assert_eq!(found.as_str(), "s0");
    assert_eq!(store.next_title_in_lineage("a_b").unwrap(), "a_b #2");
}

#[test]
fn lin_16_an_id_wins_over_a_title_and_a_title_over_the_beginning_of_an_id() {
    let home = Home::new();
    let store = home.store();
    titled(&store, "20260101_aaa", None, 1.0);
    titled(&store, "other", Some("20260101"), 2.0);
    titled(&store, "third", Some("other"), 3.0);
    let find = |text| {
        store
            .find_session(text)
            .unwrap()
            .map(|id| id.as_str().to_owned())
    };
    assert_eq!(find("20260101").as_deref(), Some("other"));
    assert_eq!(find("other").as_deref(), Some("other"));
    assert_eq!(find("20260101_a").as_deref(), Some("20260101_aaa"));
    assert_eq!(find(""), None);
}

#[test]
fn a_number_of_any_length_has_a_next_title() {
    let home = Home::new();
    let store = home.store();
    let huge = format!("big #{}", "9".repeat(60));
    titled(&store, "a", Some(&huge), 1.0);
    titled(&store, "b", Some("big"), 2.0);
    let next = store.next_title_in_lineage("big").unwrap();
    titled(&store, "c", Some(&next), 3.0);
    titled(
        &store,
        "d",
        Some(&store.next_title_in_lineage("big").unwrap()),
        4.0,
    );
    assert_eq!(
        ask::<i64>(&home.path(), "SELECT COUNT(DISTINCT title) FROM sessions"),
        4
    );
    raw(&home.path())
        .execute("UPDATE sessions SET title = NULL", [])
        .unwrap();
    assert_eq!(store.next_title_in_lineage(&huge).unwrap(), "big");
}
