//! A model's call of `session_search`, with a gate before it.
//!
//! ```text
//! cargo run -p hermes-kit --example tool_call -- '{"query": "docker"}'
//! ```

use hermes_kit::Hermes;
use hermes_kit::toolkit::{CallContext, Decision};
use serde_json::Value;

fn main() -> Result<(), hermes_kit::Error> {
    let hermes = Hermes::builder().read_only().open()?;
    let tools = hermes
        .dispatcher_builder()
        .gate(|call| {
            Ok(match call.name {
                "session_search" => Decision::Allow,
                name => Decision::Block(format!("{name} is not for this program")),
            })
        })
        .build();
    let arguments = std::env::args().nth(1).unwrap_or_default();
    let result = tools.handle_function_call(
        "session_search",
        Value::String(arguments),
        &CallContext::new(),
    );
    println!("{result}");
    Ok(())
}
