//! The tools of the facade: what a model gets of the store, and what handlers have of the caller.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets the unexpected must fail"
)]

use std::time::Duration;

use hermes_kit::Hermes;
use hermes_kit::home::{Environment, HermesHome, Platform, resolve};
use hermes_kit::state::{NewMessage, NewSession};
use hermes_kit::toolkit::{CallContext, Registry, Selection, Tool, ToolError};
use serde_json::{Value, json};

fn hermes() -> (tempfile::TempDir, Hermes) {
    let folder = tempfile::tempdir().unwrap();
    let hermes = Hermes::builder().home(folder.path()).open().unwrap();
    (folder, hermes)
}

fn session(hermes: &Hermes, id: &str, messages: &[(&str, &str)]) {
    let store = hermes.store().unwrap();
    store.create_session(&NewSession::new(id, "cli")).unwrap();
    for (role, text) in messages {
        store
            .append_message(&NewMessage::new(id, *role).content(*text))
            .unwrap();
    }
}

fn ask(hermes: &Hermes, arguments: Value) -> Value {
    let result =
        hermes
            .dispatcher()
            .handle_function_call("session_search", arguments, &CallContext::new());
    assert!(result.is_ok(), "{result}");
    serde_json::from_str(&result.into_text()).unwrap()
}

#[test]
fn a_home_without_conversations_says_so() {
    let (_folder, hermes) = hermes();
    assert_eq!(ask(&hermes, json!({}))["sessions"], json!([]));
    let found = ask(&hermes, json!({"query": "anything"}));
    assert_eq!(found["sessions"], json!([]));
    assert!(found["note"].as_str().unwrap().contains("OR"));
}

#[test]
fn matches_are_grouped_by_session_and_what_is_left_out_is_counted() {
    let (_folder, hermes) = hermes();
    let said = [("user", "the zebra runs"); 5];
    for n in 0..4 {
        session(&hermes, &format!("s{n}"), &said);
    }
    let found = ask(&hermes, json!({"query": "zebra", "limit": 3}));
    let sessions = found["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 3);
    assert_eq!(found["more_sessions"], 1);
    for session in sessions {
        assert_eq!(session["matches"].as_array().unwrap().len(), 3);
        assert_eq!(session["more_matches"], 2);
    }
}

#[test]
fn roles_narrow_a_search_and_a_reading() {
    let (_folder, hermes) = hermes();
    session(
        &hermes,
        "s",
        &[
            ("user", "zebra"),
            ("assistant", "zebra too"),
            ("tool", "zebra"),
        ],
    );
    let found = ask(
        &hermes,
        json!({"query": "zebra", "role_filter": "assistant, TOOL"}),
    );
    let roles: Vec<&Value> = found["sessions"][0]["matches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| &found["role"])
        .collect();
    assert_eq!(roles.len(), 2);
    assert!(!roles.contains(&&json!("user")));
    let read = ask(&hermes, json!({"session_id": "s", "role_filter": "user"}));
    assert_eq!(read["messages"].as_array().unwrap().len(), 1);
}

#[test]
fn a_session_is_read_around_a_message_and_says_what_is_left_on_either_side() {
    let (_folder, hermes) = hermes();
    let texts: Vec<String> = (0..1200).map(|n| format!("message {n}")).collect();
    let messages: Vec<(&str, &str)> = texts.iter().map(|text| ("user", text.as_str())).collect();
    session(&hermes, "long", &messages);
    let around = |id: i64, window: i64| {
        let question = json!({"session_id": "lon", "around_message_id": id, "window": window});
        let read = ask(&hermes, question);
        let ids: Vec<i64> = read["messages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|message| message["message_id"].as_i64().unwrap())
            .collect();
        (ids, read["more_before"].clone(), read["more_after"].clone())
    };
    assert_eq!(
        around(700, 2),
        (vec![698, 699, 700, 701, 702], json!(true), json!(true))
    );
    assert_eq!(around(1, 2), (vec![1, 2, 3], json!(false), json!(true)));
    assert_eq!(
        around(1200, 2),
        (vec![1198, 1199, 1200], json!(true), json!(false))
    );
    assert_eq!(around(700, 1_000).0.len(), 41, "the window is bounded");
    let start = ask(&hermes, json!({"session_id": "long", "window": 2}));
    assert_eq!(start["messages"].as_array().unwrap().len(), 5);
}

#[test]
fn the_answer_stays_small_however_long_the_messages_are() {
    let (_folder, hermes) = hermes();
    let huge = "大".repeat(400_000);
    session(&hermes, "s", &[("user", huge.as_str()); 8]);
    let read = ask(&hermes, json!({"session_id": "s", "window": 20}));
    let text = read["messages"][0]["content"].as_str().unwrap();
    assert!(text.ends_with("[398000 more characters]"));
    assert!(read.to_string().chars().count() < 20_000);
}

#[test]
fn what_cannot_be_answered_is_an_error_for_the_model() {
    let (_folder, hermes) = hermes();
    session(&hermes, "s", &[("user", "x")]);
    for (arguments, says) in [
        (json!({"session_id": "nope"}), "UnknownSession"),
        (json!({"session_id": "s", "query": "x"}), "InvalidArguments"),
        (json!({"limit": {"a": 1}}), "InvalidArguments"),
    ] {
        let context = CallContext::new();
        let result =
            hermes
                .dispatcher()
                .handle_function_call("session_search", arguments, &context);
        assert!(!result.is_ok());
        let error: Value = serde_json::from_str(&result.into_text()).unwrap();
        assert!(error["error"].as_str().unwrap().contains(says), "{error}");
    }
}

#[test]
fn the_tool_is_in_the_global_registry_by_being_linked() {
    let (_folder, hermes) = hermes();
    let definitions = hermes.tool_definitions(&Selection::of(["session_search"]));
    assert_eq!(Vec::from_iter(definitions.names()), ["session_search"]);
}

fn home_of(folder: &std::path::Path, name: &str) -> HermesHome {
    let home = folder.join(name);
    std::fs::create_dir_all(&home).unwrap();
    let environment = Environment::new(Platform::host())
        .with_user_home(folder)
        .with_hermes_home(home);
    resolve(&environment).unwrap().home
}

#[test]
fn handlers_have_the_callers_home_wherever_they_run() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (home_of(folder.path(), "one"), home_of(folder.path(), "two"));
    let registry = Registry::new();
    let environment = Environment::new(Platform::host()).with_user_home(folder.path());
    let current = environment.clone();
    let seen = move || -> Result<String, ToolError> {
        Ok(resolve(&current)?
            .home
            .path()
            .to_string_lossy()
            .into_owned())
    };
    // With a limit a handler runs on a thread of its own; an async one wherever it is polled.
    let handler = seen.clone();
    registry
        .register(
            Tool::new("aside", "t")
                .timeout(Duration::from_secs(60))
                .handler(move |_, _| handler()),
        )
        .unwrap();
    registry
        .register(Tool::new("later", "t").async_handler(move |_, _| {
            let seen = seen.clone();
            async move { seen() }
        }))
        .unwrap();
    let hermes = Hermes::builder()
        .environment(environment)
        .registry(registry)
        .open()
        .unwrap();
    let tools = hermes.dispatcher();
    for home in [&one, &two] {
        let _scope = home.enter();
        for name in ["aside", "later"] {
            let result = tools.handle_function_call(name, json!({}), &CallContext::new());
            assert_eq!(result.into_text(), home.path().to_string_lossy(), "{name}");
        }
    }
}
