//! `session_search`: what a model gets of earlier conversations, in the shape of Hermes.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets the unexpected must fail"
)]

use hermes_kit::Hermes;
use hermes_kit::state::{JsonText, NewMessage, NewSession, Store};
use hermes_kit::toolkit::{CallContext, Selection, ToolResult};
use hermes_kit::tools::MAX_ANSWER_CHARS;
use proptest::prelude::*;
use serde_json::{Value, json};

fn hermes() -> (tempfile::TempDir, Hermes) {
    let folder = tempfile::tempdir().unwrap();
    let hermes = Hermes::builder().home(folder.path()).open().unwrap();
    (folder, hermes)
}

/// A home with a copy of a recorded store.
fn recorded(name: &str) -> (tempfile::TempDir, Hermes) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(
        testdata::fixture(name).path(),
        folder.path().join("state.db"),
    )
    .unwrap();
    let hermes = Hermes::builder()
        .home(folder.path())
        .read_only()
        .open()
        .unwrap();
    (folder, hermes)
}

fn say(store: &Store, id: &str, new: &NewSession, messages: &[(&str, &str)]) {
    assert!(store.create_session(new).unwrap());
    for (role, text) in messages {
        store
            .append_message(&NewMessage::new(id, *role).content(*text))
            .unwrap();
    }
}

fn session(hermes: &Hermes, id: &str, messages: &[(&str, &str)]) {
    say(
        &hermes.store().unwrap(),
        id,
        &NewSession::new(id, "cli"),
        messages,
    );
}

fn call(hermes: &Hermes, arguments: Value, current: Option<&str>) -> ToolResult {
    let mut context = CallContext::new();
    if let Some(current) = current {
        context = context.with_session_id(current);
    }
    hermes
        .dispatcher()
        .handle_function_call("session_search", arguments, &context)
}

fn ask_in(hermes: &Hermes, arguments: Value, current: Option<&str>) -> Value {
    let result = call(hermes, arguments, current);
    assert!(result.is_ok(), "{result}");
    let text = result.into_text();
    assert!(
        text.chars().count() <= MAX_ANSWER_CHARS,
        "{}",
        text.chars().count()
    );
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(answer["success"], true);
    answer
}

fn ask(hermes: &Hermes, arguments: Value) -> Value {
    ask_in(hermes, arguments, None)
}

fn ids(answer: &Value) -> Vec<&str> {
    let results = answer["results"].as_array().unwrap();
    assert_eq!(answer["count"], results.len());
    results
        .iter()
        .map(|one| one["session_id"].as_str().unwrap())
        .collect()
}

fn keys(object: &Value) -> Vec<&str> {
    object
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

fn numbers(messages: &Value) -> Vec<i64> {
    let messages = messages.as_array().unwrap();
    messages
        .iter()
        .map(|message| message["id"].as_i64().unwrap())
        .collect()
}

#[test]
fn a_home_without_conversations_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let hermes = Hermes::builder()
        .home(folder.path())
        .read_only()
        .open()
        .unwrap();
    for arguments in [json!({}), json!({"query": "x"}), Value::Null] {
        let answer = ask(&hermes, arguments);
        assert!(ids(&answer).is_empty());
        assert!(
            answer["message"]
                .as_str()
                .unwrap()
                .contains("no sessions yet")
        );
    }
    assert!(!folder.path().join("state.db").exists());
}

// The keys were recorded from Hermes 0.19.0 on the same file.
#[test]
fn the_shapes_are_those_of_hermes() {
    let (_folder, hermes) = recorded("v22.db");
    let browse = ask(&hermes, json!({}));
    assert_eq!(browse["mode"], "browse");
    assert_eq!(
        keys(&browse),
        ["success", "mode", "results", "count", "message"]
    );
    assert_eq!(ids(&browse), ["imported_1", "inplace", "rewound"]);
    assert_eq!(
        keys(&browse["results"][0]),
        [
            "session_id",
            "title",
            "source",
            "started_at",
            "last_active",
            "message_count",
            "preview"
        ]
    );
    assert_eq!(browse["results"][1]["preview"], "long ago zebra talk");

    let discover = ask(&hermes, json!({"query": "docker", "limit": 2}));
    assert_eq!(discover["mode"], "discover");
    assert_eq!(
        keys(&discover),
        [
            "success",
            "mode",
            "query",
            "results",
            "count",
            "sessions_searched"
        ]
    );
    let first = &discover["results"][0];
    assert_eq!(first["session_id"], "20251101_090000_root01");
    assert_eq!(
        keys(first)[..13],
        [
            "session_id",
            "when",
            "source",
            "model",
            "title",
            "matched_role",
            "match_message_id",
            "snippet",
            "bookend_start",
            "messages",
            "bookend_end",
            "messages_before",
            "messages_after"
        ]
    );
    assert_eq!(
        first["snippet"],
        "Please set up >>>docker<<< compose for the zebra project  "
    );
    assert_eq!(
        numbers(&first["messages"]),
        [1, 2, 4],
        "tool output is left out"
    );
    assert_eq!(
        (&first["messages_before"], &first["messages_after"]),
        (&json!(0), &json!(3))
    );
    assert_eq!(first["messages"][0]["anchor"], true);
    assert_eq!(
        keys(&first["messages"][2]),
        ["id", "role", "content", "timestamp"]
    );
    assert_eq!(
        first["messages"][1]["tool_calls"][0]["function"],
        json!({"name": "terminal", "arguments": "{\"command\": \"kubectlx get pods --namespace zebra\"}"})
    );

    let scroll = ask(
        &hermes,
        json!({"session_id": "20251101_090000_root01", "around_message_id": 1, "window": 1}),
    );
    assert_eq!(
        keys(&scroll),
        [
            "success",
            "mode",
            "session_id",
            "around_message_id",
            "session_meta",
            "window",
            "messages",
            "messages_before",
            "messages_after"
        ]
    );
    assert_eq!(numbers(&scroll["messages"]), [1, 2]);
    assert_eq!(
        keys(&scroll["session_meta"]),
        ["when", "source", "model", "title"]
    );

    let read = ask(&hermes, json!({"session_id": "20251101_110000_tip003"}));
    assert_eq!(
        keys(&read),
        [
            "success",
            "mode",
            "session_id",
            "session_meta",
            "message_count",
            "truncated",
            "messages"
        ]
    );
    assert_eq!(
        (&read["message_count"], &read["truncated"]),
        (&json!(2), &json!(false))
    );
    assert_eq!(numbers(&read["messages"]), [7, 8]);
    assert_eq!(read["session_meta"]["title"], "Docker setup #3");
}

#[test]
fn a_continuation_names_the_session_that_it_came_from() {
    let (_folder, hermes) = recorded("v22.db");
    let answer = ask(&hermes, json!({"query": "compose summary", "limit": 9}));
    assert_eq!(ids(&answer), ["20251101_100000_cmp002"]);
    let first = &answer["results"][0];
    assert_eq!(first["parent_session_id"], "20251101_090000_root01");
    assert_eq!(
        first["title"], "Docker setup #2",
        "its own, not that of the first one"
    );
}

#[test]
fn a_lineage_is_there_once_and_its_further_matches_are_counted() {
    let (_folder, hermes) = hermes();
    session(
        &hermes,
        "a",
        &[
            ("user", "zebra one"),
            ("assistant", "a zebra, two"),
            ("tool", "zebra"),
        ],
    );
    let store = hermes.store().unwrap();
    say(
        &store,
        "a2",
        &NewSession::new("a2", "cli").parent("a"),
        &[("user", "zebra three")],
    );
    for n in 0..4 {
        session(&hermes, &format!("s{n}"), &[("user", "zebra")]);
    }
    let answer = ask(&hermes, json!({"query": "zebra", "limit": 10}));
    assert_eq!(answer["count"], 5);
    let whole = answer["results"].as_array().unwrap();
    let lineage = whole
        .iter()
        .find(|one| one["session_id"].as_str().unwrap().starts_with('a'));
    assert_eq!(lineage.unwrap()["further_matches"], 2);
    let some = ask(&hermes, json!({"query": "zebra"}));
    assert_eq!((&some["count"], &some["more"]), (&json!(3), &json!(true)));
}

#[test]
fn the_conversation_that_asks_is_left_out_with_all_its_lineage() {
    let (_folder, hermes) = hermes();
    let store = hermes.store().unwrap();
    session(&hermes, "root", &[("user", "zebra in the root")]);
    say(
        &store,
        "now",
        &NewSession::new("now", "cli").parent("root"),
        &[("user", "zebra now")],
    );
    session(&hermes, "other", &[("user", "zebra elsewhere")]);
    let found = |current| ask_in(&hermes, json!({"query": "zebra"}), current);
    assert_eq!(found(None)["count"], 2);
    for current in ["now", "root"] {
        assert_eq!(ids(&found(Some(current))), ["other"]);
        assert_eq!(ids(&ask_in(&hermes, json!({}), Some(current))), ["other"]);
    }
    assert_eq!(found(Some("not stored yet"))["count"], 2);
    store.set_session_title("root", Some("zebra")).unwrap();
    assert_eq!(ids(&found(Some("now"))), ["other"], "nor by its title");
    // What a compression has taken out of sight can be read again; what is in sight need not.
    let scroll = |id: &str, anchor: i64| {
        call(
            &hermes,
            json!({"session_id": id, "around_message_id": anchor}),
            Some("now"),
        )
    };
    assert!(scroll("root", 1).is_ok());
    let error = scroll("now", 2).into_text();
    assert!(error.contains("conversation that you are in"), "{error}");
}

#[test]
fn sessions_that_nobody_held_are_left_out_or_come_last() {
    let (_folder, hermes) = hermes();
    let store = hermes.store().unwrap();
    for (id, source) in [
        ("c", "cron"),
        ("t", "tool"),
        ("s", "subagent"),
        ("p", "telegram"),
    ] {
        say(
            &store,
            id,
            &NewSession::new(id, source),
            &[("user", "zebra zebra zebra")],
        );
    }
    say(
        &store,
        "q",
        &NewSession::new("q", "cli"),
        &[("user", "one zebra among many other words")],
    );
    let answer = ask(&hermes, json!({"query": "zebra", "limit": 10}));
    assert_eq!(ids(&answer), ["p", "q", "c"]);
    let browse = ask(&hermes, json!({"limit": 10}));
    assert_eq!(browse["count"], 3);
}

#[test]
fn a_session_is_found_by_its_title() {
    let (_folder, hermes) = hermes();
    let store = hermes.store().unwrap();
    for (id, title) in [("a", "Garden plan"), ("b", "Garden"), ("c", "House")] {
        session(
            &hermes,
            id,
            &[("user", "what about it?"), ("assistant", "we will see")],
        );
        store.set_session_title(id, Some(title)).unwrap();
    }
    session(&hermes, "d", &[("user", "the garden is green")]);
    let answer = ask(&hermes, json!({"query": "garden"}));
    assert_eq!(
        ids(&answer),
        ["b", "d", "a"],
        "just this title, then what was said"
    );
    let titled = &answer["results"][0];
    assert_eq!(titled["matched_role"], "session_title");
    assert_eq!(titled["snippet"], "Session title matched: Garden");
    assert_eq!(numbers(&titled["messages"]), [3, 4]);
    assert_eq!(titled["match_message_id"], 3);
    store
        .create_session(&NewSession::new("empty", "cli"))
        .unwrap();
    store
        .set_session_title("empty", Some("Nothing said"))
        .unwrap();
    let empty = ask(&hermes, json!({"query": "\"nothing said\""}));
    assert_eq!(empty["results"][0]["match_message_id"], Value::Null);
}

#[test]
fn a_query_with_a_session_searches_only_there() {
    let (_folder, hermes) = hermes();
    session(
        &hermes,
        "a",
        &[
            ("user", "zebra one"),
            ("user", "two"),
            ("user", "zebra three"),
        ],
    );
    session(&hermes, "b", &[("user", "zebra")]);
    let answer = ask(
        &hermes,
        json!({"query": "zebra", "session_id": "a", "sort": "newest"}),
    );
    assert_eq!(ids(&answer), ["a", "a"]);
    let found: Vec<&Value> = answer["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["match_message_id"])
        .collect();
    assert_eq!(found, [&json!(3), &json!(1)]);
}

#[test]
fn roles_and_the_order_are_as_asked_for() {
    let (_folder, hermes) = hermes();
    for n in 0..3 {
        session(
            &hermes,
            &format!("s{n}"),
            &[("user", "zebra"), ("tool", "quokka")],
        );
    }
    assert_eq!(ask(&hermes, json!({"query": "quokka"}))["count"], 0);
    let tool = ask(
        &hermes,
        json!({"query": "quokka", "role_filter": "TOOL , "}),
    );
    assert_eq!(tool["results"][0]["matched_role"], "tool");
    assert_eq!(tool["results"][0]["messages"].as_array().unwrap().len(), 2);
    for (sort, first) in [("newest", "s2"), ("Oldest", "s0")] {
        let answer = ask(&hermes, json!({"query": "zebra", "sort": sort}));
        assert_eq!(ids(&answer)[0], first);
    }
    let read = ask(&hermes, json!({"session_id": "s0", "role_filter": "user"}));
    assert_eq!(numbers(&read["messages"]), [1]);
}

#[test]
fn a_long_session_is_read_at_both_ends_and_scrolled_through() {
    let (_folder, hermes) = hermes();
    let texts: Vec<String> = (1..=1200).map(|n| format!("message {n}")).collect();
    let messages: Vec<(&str, &str)> = texts.iter().map(|text| ("user", text.as_str())).collect();
    session(&hermes, "long", &messages);
    let read = ask(&hermes, json!({"session_id": "lon"}));
    assert_eq!(
        (&read["message_count"], &read["truncated"]),
        (&json!(1200), &json!(true))
    );
    let expected: Vec<i64> = (1..=20).chain(1191..=1200).collect();
    assert_eq!(numbers(&read["messages"]), expected);
    assert!(
        read["message"]
            .as_str()
            .unwrap()
            .contains("around_message_id 20")
    );
    let around = |id: i64, window: Value| {
        let answer = ask(
            &hermes,
            json!({"session_id": "lon", "around_message_id": id, "window": window}),
        );
        let (before, after) = (
            answer["messages_before"].clone(),
            answer["messages_after"].clone(),
        );
        (numbers(&answer["messages"]), before, after)
    };
    assert_eq!(
        around(700, json!("2")),
        ((698..=702).collect(), json!(2), json!(2))
    );
    assert_eq!(around(1, json!(2)), ((1..=3).collect(), json!(0), json!(2)));
    assert_eq!(
        around(1200, json!(2)),
        ((1198..=1200).collect(), json!(2), json!(0))
    );
    assert_eq!(around(700, json!(1_000)).0.len(), 41);
    assert_eq!(around(700, json!(-3)).0.len(), 3);
}

#[test]
fn when_nothing_is_found_it_says_what_to_try() {
    let (_folder, hermes) = hermes();
    session(
        &hermes,
        "s",
        &[("user", "docker compose is up"), ("tool", "quokka")],
    );
    let answer = ask(&hermes, json!({"query": "dokcer"}));
    assert_eq!(answer["suggestions"]["queries"][0]["query"], "docker");
    assert!(answer["message"].as_str().unwrap().contains("suggestions"));
    let filtered = ask(&hermes, json!({"query": "quokka"}));
    assert_eq!(
        filtered["suggestions"]["queries"][0]["without"],
        json!(["role"])
    );
    let long = format!("dokcer {} \"{}\"", "é\"".repeat(900), "\u{1}\\".repeat(200));
    assert_eq!(ask(&hermes, json!({"query": long}))["count"], 0);
    let nothing = ask(&hermes, json!({"query": "xyzzyx"}));
    assert!(nothing["message"].as_str().unwrap().contains("OR"));
}

#[test]
fn what_cannot_be_answered_is_an_error_that_says_what_to_do() {
    let (_folder, hermes) = hermes();
    session(&hermes, "s1", &[("user", "x")]);
    session(&hermes, "s2", &[("user", "x")]);
    for (arguments, kind, says) in [
        (
            json!({"session_id": "nope"}),
            "UnknownSession",
            "take one from a search",
        ),
        (json!({"session_id": "s"}), "UnknownSession", "s1, s2"),
        (
            json!({"session_id": "s1", "around_message_id": 99}),
            "UnknownMessage",
            "take an id",
        ),
        (
            json!({"session_id": "s1", "around_message_id": 2}),
            "UnknownMessage",
            "take an id",
        ),
        (
            json!({"around_message_id": 1}),
            "InvalidArguments",
            "session_id",
        ),
        (json!({"limit": {"a": 1}}), "InvalidArguments", "limit"),
        (
            json!({"query": "x", "sort": "best"}),
            "InvalidArguments",
            "newest",
        ),
        (
            json!({"query": "x", "profile": "nobody"}),
            "profile",
            "nobody",
        ),
        (
            json!({"query": "x", "profile": "No Name!"}),
            "profile",
            "No Name!",
        ),
    ] {
        let result = call(&hermes, arguments.clone(), None);
        assert!(!result.is_ok(), "{arguments}");
        let error: Value = serde_json::from_str(&result.into_text()).unwrap();
        let text = error["error"].as_str().unwrap();
        assert!(
            text.contains(kind) && text.contains(says),
            "{arguments}: {text}"
        );
    }
}

#[test]
fn arguments_are_taken_as_models_write_them() {
    let (_folder, hermes) = hermes();
    session(&hermes, "s", &[("user", "zebra")]);
    let arguments = json!({
        "query": " zebra ", "limit": "2", "window": "3", "sort": "", "role_filter": null,
        "session_id": "", "profile": "", "around_message_id": null, "unknown": 1,
    });
    assert_eq!(ask(&hermes, arguments.clone())["count"], 1);
    let direct =
        hermes_kit::tools::session_search(&hermes, arguments.as_object().unwrap().clone(), None);
    assert_eq!(direct.unwrap()["count"], 1);
    let scroll = ask(
        &hermes,
        json!({"session_id": "s", "around_message_id": "1"}),
    );
    assert_eq!(numbers(&scroll["messages"]), [1]);
    let text = json!("{\"query\": \"zebra\"}");
    assert_eq!(ask(&hermes, text)["count"], 1);
}

#[test]
fn another_profile_is_read_without_being_changed() {
    let (_folder, hermes) = hermes();
    session(&hermes, "here", &[("user", "zebra")]);
    let work = "work".parse().unwrap();
    let home = hermes
        .home()
        .profiles()
        .create(&work, hermes_kit::home::CreateOptions::blank())
        .unwrap();
    assert_eq!(
        ask(&hermes, json!({"query": "zebra", "profile": "work"}))["count"],
        0
    );
    let store = Store::open(home.state_db()).unwrap();
    say(
        &store,
        "there",
        &NewSession::new("there", "cli"),
        &[("user", "zebra at work")],
    );
    drop(store);
    let answer = ask_in(
        &hermes,
        json!({"query": "zebra", "profile": "work"}),
        Some("there"),
    );
    assert_eq!(ids(&answer), ["there"]);
}

#[test]
fn the_tool_is_in_the_global_registry_by_being_linked() {
    let (_folder, hermes) = hermes();
    let definitions = hermes.tool_definitions(&Selection::of(["session_search"]));
    assert_eq!(Vec::from_iter(definitions.names()), ["session_search"]);
}

#[test]
fn bytes_and_broken_rows_are_answered_too() {
    for name in [
        "v11.db",
        "v22.db",
        "v30_external.db",
        "bad_json_v11.db",
        "orphans_and_cycle_v11.db",
    ] {
        let (_folder, hermes) = recorded(name);
        let all = ask(
            &hermes,
            json!({"query": "zebra OR docker OR message OR a*", "limit": 10, "role_filter": "user,assistant,tool,system"}),
        );
        assert!(all["count"].as_u64().unwrap() > 0, "{name}");
        for one in all["results"].as_array().unwrap() {
            let read = ask(&hermes, json!({"session_id": one["session_id"]}));
            assert!(read["message_count"].as_u64().unwrap() > 0);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn the_answer_is_small_and_whole_however_long_the_messages_are(
        text in prop::sample::select(vec!["大", "x", "\u{1F468}\u{200D}\u{1F469}", "\"\\\n", "\u{1b}[31m"]),
        times in prop::sample::select(vec![1_usize, 1_990, 2_010, 4_000]),
        count in 1..40_usize,
    ) {
        let (_folder, hermes) = hermes();
        let long = format!("needle {}", text.repeat(times));
        let store = hermes.store().unwrap();
        for n in 0..count.div_ceil(5) {
            let id = format!("s{n}");
            let mut new = NewSession::new(id.as_str(), "cli");
            new = new.model("m".repeat(500));
            store.create_session(&new).unwrap();
            let one = json!({"function": {"name": "f", "arguments": text.repeat(400)}});
            let calls = JsonText::from_value(&Value::Array(vec![one; 12]));
            let messages: Vec<_> = (0..5)
                .map(|_| NewMessage::new(id.as_str(), "user").content(long.as_str()).tool_calls(calls.clone()))
                .collect();
            store.append_messages(&messages).unwrap();
        }
        for arguments in [
            json!({"query": "needle", "limit": 10}),
            json!({"session_id": "s0"}),
            json!({"session_id": "s0", "around_message_id": 2, "window": 20}),
            json!({"limit": 10}),
        ] {
            // `ask` measures it.
            let answer = ask(&hermes, arguments);
            let results = answer.get("results").or(answer.get("messages")).unwrap();
            prop_assert!(!results.as_array().unwrap().is_empty());
        }
    }
}
