//! Two typed tools, and a program that answers a model's calls of them.
//!
//! ```text
//! cargo run -- calls.json      # the results, as messages for the model
//! cargo run -- --definitions   # what the model is told of the tools
//! ```
//!
//! `calls.json` is what a model said: a list of calls, or an assistant message that has them under
//! `tool_calls`.

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use hermes_tools::{
    BatchOptions, CallContext, Concurrency, Dispatcher, PathAccess, Registry, Selection, Tool,
    ToolCall, ToolError,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Counts lines, words and bytes of a text file.
#[derive(Deserialize, JsonSchema)]
struct Count {
    /// The file.
    path: PathBuf,
}

#[derive(Serialize)]
struct Counted {
    lines: usize,
    words: usize,
    bytes: usize,
}

fn count(count: Count) -> Result<Counted, ToolError> {
    let text = fs::read_to_string(&count.path)?;
    Ok(Counted {
        lines: text.lines().count(),
        words: text.split_whitespace().count(),
        bytes: text.len(),
    })
}

/// Shows the first lines of a text file.
#[derive(Deserialize, JsonSchema)]
struct Head {
    /// The file.
    path: PathBuf,
    /// How many lines.
    #[serde(default = "ten")]
    lines: usize,
}

fn ten() -> usize {
    10
}

fn head(head: Head) -> Result<String, ToolError> {
    if head.lines == 0 {
        return Err(ToolError::new("BadCount", "ask for at least one line"));
    }
    let text = fs::read_to_string(&head.path)?;
    Ok(text.lines().take(head.lines).collect::<Vec<_>>().join("\n"))
}

/// Both only read: they may run side by side, but not beside one that writes the same file.
fn reads() -> Concurrency {
    Concurrency::paths(|arguments, _| {
        let path = arguments.get("path").and_then(Value::as_str);
        path.map(|path| PathAccess {
            path: PathBuf::from(path),
            writes: false,
        })
        .into_iter()
        .collect()
    })
}

fn tools() -> Result<Registry, hermes_tools::Error> {
    let registry = Registry::new();
    registry.register(Tool::typed("count", "text", count).concurrency(reads()))?;
    registry.register(Tool::typed("head", "text", head).concurrency(reads()))?;
    Ok(registry)
}

fn answer(file: &str) -> Result<Value, Box<dyn Error>> {
    let said: Value = serde_json::from_str(&fs::read_to_string(file)?)?;
    let entries = said.get("tool_calls").unwrap_or(&said);
    let entries = entries.as_array().ok_or("there is no list of calls")?;
    let calls: Vec<ToolCall> = entries.iter().map(ToolCall::from_model).collect();
    let ids: Vec<Option<String>> = calls.iter().map(|call| call.id.clone()).collect();
    let results =
        Dispatcher::new(tools()?).handle_batch(calls, &BatchOptions::default(), &CallContext::new());
    // One result for each call, in their order.
    let messages = ids.into_iter().zip(results).map(|(id, result)| {
        json!({"role": "tool", "tool_call_id": id, "content": result.into_text()})
    });
    Ok(messages.collect())
}

fn run() -> Result<Value, Box<dyn Error>> {
    match std::env::args().nth(1).as_deref() {
        None => Err("give the file with the calls, or --definitions".into()),
        Some("--definitions") => Ok(tools()?.tool_definitions(&Selection::all()).to_json()),
        Some(file) => answer(file),
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(answer) => {
            println!("{answer:#}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
