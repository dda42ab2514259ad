//! A conversation as a model's API takes it back.

use hermes_state::{Content, JsonText, NewMessage, Store, sanitize_context};
use serde_json::{Value, json};

use crate::support::{Home, messages_of, raw};

fn replayed(store: &Store, id: &str) -> Value {
    serde_json::to_value(store.conversation(id).unwrap()).unwrap()
}

fn keys(message: &Value) -> Vec<&str> {
    message
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect()
}

fn json(text: &str) -> JsonText {
    JsonText::parse(text).unwrap()
}

#[test]
fn an_assistants_message_has_its_keys_in_the_order_of_hermes() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    let full = |role: &str| {
        NewMessage::new("s", role)
            .content("said")
            .tool_call_id("call_1")
            .tool_name("terminal")
            .tool_calls(json(r#"[{"id": "call_1"}]"#))
            .finish_reason("stop")
            .reasoning("because")
            .reasoning_content("because, too")
            .reasoning_details(json(r#"[{"type": "x"}]"#))
            .codex_reasoning_items(json(r#"[{"id": "rs_1"}]"#))
            .codex_message_items(json(r#"[{"id": "msg_1"}]"#))
    };
    store
        .append_messages(&[full("assistant"), full("user"), full("tool")])
        .unwrap();
    let replay = replayed(&store, "s");
    let common = ["role", "content", "tool_call_id", "tool_name", "tool_calls"];
    let assistant = [
        "finish_reason",
        "reasoning",
        "reasoning_content",
        "reasoning_details",
        "codex_reasoning_items",
        "codex_message_items",
    ];
    assert_eq!(keys(&replay[0]), [&common[..], &assistant[..]].concat());
    assert_eq!(keys(&replay[1]), common);
    assert_eq!(keys(&replay[2]), common);
    assert_eq!(replay[0]["codex_message_items"], json!([{"id": "msg_1"}]));
}

#[test]
fn empty_values_are_left_out_but_for_role_content_and_reasoning_content() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    let empty = NewMessage::new("s", "assistant")
        .tool_call_id("")
        .tool_name("")
        .finish_reason("")
        .reasoning("")
        .reasoning_content("");
    store
        .append_messages(&[empty, NewMessage::new("s", "user")])
        .unwrap();
    let replay = replayed(&store, "s");
    assert_eq!(
        replay[0],
        json!({"role": "assistant", "content": null, "reasoning_content": ""})
    );
    assert_eq!(replay[1], json!({"role": "user", "content": null}));
}

#[test]
fn only_what_user_and_assistant_said_is_scrubbed_and_trimmed() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    let said = "  before <memory-context>likes tea</memory-context> after\n";
    for role in ["user", "assistant", "system", "tool"] {
        store
            .append_message(&NewMessage::new("s", role).content(said))
            .unwrap();
    }
    let parts = json(r#"[{"type": "text", "text": " <memory-context>x</memory-context> "}]"#);
    store
        .append_message(&NewMessage::new("s", "user").content(parts.clone()))
        .unwrap();
    let replay = store.conversation("s").unwrap();
    let content: Vec<_> = replay.into_iter().map(|m| m.content.unwrap()).collect();
    for n in [0, 1] {
        assert_eq!(content[n], Content::from("before  after"));
    }
    for n in [2, 3] {
        assert_eq!(content[n], Content::from(said));
    }
    assert_eq!(content[4], Content::Json(parts));
}

#[test]
fn scrubbing_gives_the_recorded_texts() {
    let vectors = testdata::vectors("sanitize_context");
    let cases = vectors["cases"].as_array().unwrap();
    assert!(cases.len() > 20);
    for case in cases {
        let input = case["input"].as_str().unwrap();
        assert_eq!(
            sanitize_context(input),
            case["0.13.0"].as_str().unwrap(),
            "{}",
            case["id"]
        );
    }
}

#[test]
fn json_that_does_not_parse_becomes_an_empty_list_null_or_text() {
    let fixture = testdata::fixture("bad_json_v11.db");
    let store = Store::open_read_only(fixture.path()).unwrap();
    let conn = raw(fixture.path());
    let mut statement = conn
        .prepare("SELECT id, session_id, content, tool_calls, reasoning_details, codex_reasoning_items FROM messages")
        .unwrap();
    let mut rows = statement.query([]).unwrap();
    let broken = |text: &Option<String>| {
        text.as_deref()
            .is_some_and(|text| !text.is_empty() && JsonText::parse(text).is_err())
    };
    let mut seen = [0; 4];
    while let Some(row) = rows.next().unwrap() {
        let id: i64 = row.get(0).unwrap();
        let session: String = row.get(1).unwrap();
        let [content, tool_calls, details, items] =
            [2, 3, 4, 5].map(|n| row.get_ref(n).unwrap().as_str().ok().map(str::to_owned));
        let messages = messages_of(&store, &session);
        let at = messages.iter().position(|m| m.id.0 == id).unwrap();
        let message = &messages[at];
        let exported = serde_json::to_value(message).unwrap();
        let replay = &replayed(&store, &session)[at];
        if broken(&tool_calls) {
            seen[0] += 1;
            assert_eq!(exported["tool_calls"], json!([]));
            assert_eq!(replay["tool_calls"], json!([]));
            assert_eq!(message.raw["tool_calls"], json!(tool_calls));
        }
        if broken(&details) {
            seen[1] += 1;
            assert_eq!(exported["reasoning_details"], json!(details));
            assert_eq!(replay.get("reasoning_details"), Some(&Value::Null));
        }
        if broken(&items) {
            seen[2] += 1;
            assert_eq!(exported["codex_reasoning_items"], json!(items));
            assert_eq!(replay.get("codex_reasoning_items"), Some(&Value::Null));
        }
        let marked = content
            .as_deref()
            .and_then(|text| text.strip_prefix("\0json:"));
        if marked.is_some_and(|text| JsonText::parse(text).is_err()) {
            seen[3] += 1;
            assert_eq!(exported["content"], json!(content));
        }
    }
    assert!(seen.iter().all(|n| *n > 0), "{seen:?}");
}

#[test]
fn a_number_that_no_json_has_is_null_in_a_replay_and_kept_in_the_store() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    raw(&home.path())
        .execute(
            "INSERT INTO messages (session_id, role, content, tool_calls, timestamp) VALUES ('s', 'tool', ?1, ?2, 1.0)",
            ["\0json:{\"rate\": NaN, \"text\": \"shown\"}", "[{\"x\": Infinity}]"],
        )
        .unwrap();
    let message = &store.conversation("s").unwrap()[0];
    let Some(Content::Json(content)) = &message.content else {
        panic!("{message:?}");
    };
    assert_eq!(content.as_str(), "{\"rate\": NaN, \"text\": \"shown\"}");
    let replay = replayed(&store, "s");
    assert_eq!(replay[0]["content"], json!({"rate": null, "text": "shown"}));
    assert_eq!(replay[0]["tool_calls"], json!([{"x": null}]));
}

#[test]
fn an_unknown_session_has_no_conversation() {
    let home = Home::new();
    assert_eq!(home.store().conversation("nobody").unwrap(), []);
}
