//! Records a small conversation, as an agent would, and finds it again.
//!
//! ```console
//! $ cargo run -p hermes-state --example record
//! ```

use std::error::Error;

use hermes_state::{JsonText, ListOptions, NewMessage, NewSession, SearchOptions, Store};
use serde_json::json;

const SESSION: &str = "20260101_120000_abc123";

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let store = Store::open(folder.path().join("state.db"))?;
    println!("a new store at {}", store.path().display());

    store.create_session(&NewSession::new(SESSION, "cli").model("hermes-4"))?;
    // A message that must not be lost is stored as soon as it is there …
    store.append_message(&NewMessage::new(SESSION, "user").content("什么占用了 8080 端口?"))?;
    // … and what belongs together is stored together: all of it or nothing.
    let call = json!([{
        "id": "call_1",
        "type": "function",
        "function": {"name": "terminal", "arguments": "{\"command\": \"ss -ltnp\"}"},
    }]);
    store.append_messages(&[
        NewMessage::new(SESSION, "assistant")
            .tool_calls(JsonText::from_value(&call))
            .finish_reason("tool_calls"),
        NewMessage::new(SESSION, "tool")
            .tool_call_id("call_1")
            .tool_name("terminal")
            .content("LISTEN 0 128 *:8080 users:((\"nginx\",pid=4711))"),
        NewMessage::new(SESSION, "assistant").content("nginx 占用了 8080 端口。"),
    ])?;
    store.end_session(SESSION, "user_exit")?;

    for summary in store.list_sessions(&ListOptions::default())? {
        let session = summary.session;
        println!(
            "{}: {} messages, {} tool call: {}",
            session.id,
            session.message_count.unwrap_or(0),
            session.tool_call_count.unwrap_or(0),
            summary.preview
        );
    }
    for query in ["nginx", "占用了", "端口", "\"ss -ltnp\""] {
        let results = store.search(&SearchOptions::new(query))?;
        for hit in results.matches {
            println!(
                "{query} → {}: {}",
                hit.role,
                hit.snippet.unwrap_or_default().trim()
            );
        }
    }
    println!("what goes back to the model:");
    for message in store.conversation(SESSION)? {
        println!("  {}", serde_json::to_string(&message)?);
    }
    Ok(())
}
