//! Searching, beyond the recorded corpus.

use hermes_state::{Content, JsonText, NewMessage, NewSession, SearchOptions, Store};
use serde_json::json;

use crate::support::{Home, found, raw, with_messages};

#[test]
fn any_text_is_a_valid_query() {
    let home = Home::new();
    let store = with_messages(&home, &["quokka", "山水画册"]);
    for query in [
        "",
        " ",
        "\"",
        "'",
        "(",
        ")",
        "*",
        "^",
        "AND",
        "NOT x",
        "x NOT",
        "a OR",
        "NEAR(a b)",
        "content:x",
        "{a b}:c",
        "\0",
        "a\0b",
        "-",
        "--",
        "/*",
        ";",
        "a AND NOT b",
        "\u{202e}",
        "👍",
        "😀 OR 山",
        "\\",
        "%",
        "_",
        "]",
        "大",
        "大'",
    ] {
        let results = store.search(&SearchOptions::new(query)).unwrap();
        assert!(!results.degraded, "{query:?}");
        assert_eq!(results.query, query);
    }
    let long = format!("quokka{}numbat", " ".repeat(3000));
    let results = store.search(&SearchOptions::new(long)).unwrap();
    assert!(results.truncated_query);
    assert_eq!(results.matches.len(), 1);
}

#[test]
fn structured_content_and_tool_calls_are_found_in_any_script() {
    let home = Home::new();
    let store = with_messages(&home, &[]);
    let parts = json!([{"type": "text", "text": "look at the quokka 山水画册"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,aaaa"}}]);
    let calls =
        json!([{"id": "c1", "function": {"name": "web", "arguments": "{\"q\": \"漓江旅游\"}"}}]);
    store
        .append_messages(&[
            NewMessage::new("s", "user").content(JsonText::from_value(&parts)),
            NewMessage::new("s", "assistant").tool_calls(JsonText::from_value(&calls)),
        ])
        .unwrap();
    assert_eq!(found(&store, "quokka"), [1]);
    assert_eq!(found(&store, "山水画"), [1]);
    assert_eq!(found(&store, "山水"), [1]);
    assert_eq!(found(&store, "漓江旅游"), [2]);
    assert_eq!(found(&store, "漓江"), [2]);
    assert_eq!(found(&store, "base64"), [] as [i64; 0]);
}

#[test]
fn text_behind_a_nul_is_found_by_every_way() {
    let home = Home::new();
    let store = with_messages(&home, &["before\0quokka 山水画册"]);
    for query in ["quokka", "山水画", "山水", "before"] {
        assert_eq!(found(&store, query), [1], "{query}");
    }
    // Through the rows, too.
    raw(&home.path())
        .execute_batch("DROP TRIGGER messages_fts_update")
        .unwrap();
    let results = store.search(&SearchOptions::new("quokka")).unwrap();
    assert!(results.degraded);
    assert_eq!(results.matches.len(), 1);
}

#[test]
fn an_index_that_is_dropped_under_an_open_handle_is_noticed() {
    let home = Home::new();
    let store = with_messages(&home, &["quokka one", "quokka two"]);
    assert_eq!(found(&store, "quokka"), [1, 2]);
    raw(&home.path())
        .execute_batch("DROP TABLE messages_fts")
        .unwrap();
    let results = store.search(&SearchOptions::new("quokka")).unwrap();
    assert!(results.degraded);
    let ids: Vec<i64> = results.matches.iter().map(|m| m.id.0).collect();
    assert_eq!(ids, [2, 1]);
    assert!(store.index_trouble().unwrap().contains("messages_fts"));
}

#[test]
fn a_context_says_which_of_its_messages_is_the_hit() {
    let home = Home::new();
    let store = with_messages(&home, &["one numbat", "quokka", "three numbat"]);
    for (query, places) in [("quokka", vec![1]), ("numbat", vec![0, 1])] {
        let results = store.search(&SearchOptions::new(query)).unwrap();
        let places_found: Vec<usize> = results.matches.iter().map(|m| m.context_index).collect();
        assert_eq!(places_found, places);
        for hit in &results.matches {
            assert!(hit.context[hit.context_index].content.contains(query));
        }
    }
}

#[test]
fn one_connection_scans_for_one_thing_after_the_other() {
    let home = Home::new();
    drop(with_messages(&home, &["大理", "洱海", "大理 洱海"]));
    let store = hermes_state::StoreOptions::new()
        .readers(1)
        .open(home.path())
        .unwrap();
    for _ in 0..3 {
        assert_eq!(found(&store, "大理"), [3, 1]);
        assert_eq!(found(&store, "洱海"), [3, 2]);
        assert_eq!(found(&store, "大理 NOT 洱海"), [1]);
        assert_eq!(store.session("s").unwrap().unwrap().source, "cli");
    }
}

#[test]
fn matches_of_a_scan_have_a_snippet_around_the_first_term() {
    let home = Home::new();
    let text = format!("{}大理{}", "ä".repeat(100), "ö".repeat(200));
    let store = with_messages(&home, &[text.as_str()]);
    let results = store.search(&SearchOptions::new("大理")).unwrap();
    let expected = format!("{}大理{}", "ä".repeat(40), "ö".repeat(78));
    assert_eq!(
        results.matches[0].snippet.as_deref(),
        Some(expected.as_str())
    );
}

#[test]
fn filters_and_pages_hold_on_every_path() {
    let home = Home::new();
    let store = home.store();
    for source in ["cli", "telegram", "cron"] {
        store
            .create_session(&NewSession::new(source, source))
            .unwrap();
        for role in ["user", "assistant"] {
            for n in 0..5 {
                let text = format!("quokka 山水画册 {n}");
                store
                    .append_message(&NewMessage::new(source, role).content(text))
                    .unwrap();
            }
        }
    }
    for query in ["quokka", "山水画", "山水"] {
        let mut options = SearchOptions::new(query);
        options.limit = usize::MAX;
        let count = |options: &SearchOptions| store.search(options).unwrap().matches.len();
        assert_eq!(count(&options), 30, "{query}");
        options.sources = Some(vec!["cli".to_owned(), "cron".to_owned()]);
        assert_eq!(count(&options), 20, "{query}");
        options.roles = vec!["user".to_owned()];
        assert_eq!(count(&options), 10, "{query}");
        options.exclude_sources = vec!["cron".to_owned()];
        assert_eq!(count(&options), 5, "{query}");
        options.offset = 3;
        assert_eq!(count(&options), 2, "{query}");
        options.limit = 1;
        assert_eq!(count(&options), 1, "{query}");
        options.sources = Some(Vec::new());
        assert_eq!(count(&options), 0, "{query}");
    }
}

#[test]
fn the_context_is_the_neighbours_by_time_cut_to_200_characters() {
    let home = Home::new();
    let store = with_messages(&home, &[]);
    let long = "山".repeat(300);
    let messages = [
        NewMessage::new("s", "user")
            .content(long.as_str())
            .timestamp(5.0),
        NewMessage::new("s", "assistant")
            .content("quokka")
            .timestamp(6.0),
        NewMessage::new("s", "tool").timestamp(7.0),
        NewMessage::new("s", "user")
            .content("earlier")
            .timestamp(1.0),
    ];
    store.append_messages(&messages).unwrap();
    let results = store.search(&SearchOptions::new("quokka")).unwrap();
    let context = serde_json::to_value(&results.matches[0].context).unwrap();
    let cut = "山".repeat(200);
    assert_eq!(
        context,
        json!([
            {"role": "user", "content": cut},
            {"role": "assistant", "content": "quokka"},
            {"role": "tool", "content": ""},
        ])
    );
}

#[test]
fn a_hit_in_content_that_json_cannot_carry_is_shown_all_the_same() {
    let home = Home::new();
    let store = with_messages(&home, &[]);
    raw(&home.path())
        .execute(
            "INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s', 'user', ?1, 1.0)",
            ["\0json:[{\"type\": \"text\", \"text\": \"quokka 山\", \"score\": NaN}]"],
        )
        .unwrap();
    for query in ["quokka", "山"] {
        let results = store.search(&SearchOptions::new(query)).unwrap();
        assert_eq!(
            results.matches[0].context[0].content, "quokka 山",
            "{query}"
        );
    }
    let messages = crate::support::messages_of(&store, "s");
    assert!(matches!(messages[0].content, Some(Content::Json(_))));
}

#[test]
fn a_match_in_a_message_of_any_length_has_a_short_marked_snippet() {
    let home = Home::new();
    let hay = |bytes: usize| "hay ".repeat(bytes / 4);
    for bytes in [1_000, 10_000, 100_000, 1_000_000] {
        let store = Store::open(home.dir().join(format!("{bytes}.db"))).unwrap();
        store.create_session(&NewSession::new("s", "cli")).unwrap();
        let say = |text: String| {
            store
                .append_message(&NewMessage::new("s", "user").content(text))
                .unwrap();
        };
        say(format!(
            "{}a Needle 数据库连接 here {}",
            hay(bytes),
            hay(bytes)
        ));
        say("quokka ".repeat(bytes / 7));
        for (query, marked) in [
            ("needle", ">>>Needle<<<"),
            ("数据库连接", ">>>数据库连接<<<"),
            ("quokka", ">>>quokka<<<"),
            ("needle NOT zebra", ">>>Needle<<<"),
        ] {
            let results = store.search(&SearchOptions::new(query)).unwrap();
            let snippet = results.matches[0].snippet.as_deref().unwrap();
            assert!(snippet.contains(marked), "{bytes} {query}: {snippet}");
            assert!(snippet.len() < 2_000, "{bytes} {query}: {}", snippet.len());
        }
    }
}

#[test]
fn a_match_in_a_tool_call_is_shown_where_the_rows_are_searched() {
    let home = Home::new();
    let store = home.store();
    store.create_session(&NewSession::new("s", "cli")).unwrap();
    let calls = JsonText::from_value(
        &json!([{"function": {"name": "web", "arguments": "{\"q\": \"漓江\"}"}}]),
    );
    let call = NewMessage::new("s", "assistant")
        .content("a moment")
        .tool_calls(calls);
    store.append_message(&call).unwrap();
    let results = store.search(&SearchOptions::new("漓江")).unwrap();
    let snippet = results.matches[0].snippet.as_deref().unwrap();
    assert!(snippet.contains("漓江"), "{snippet}");
}
