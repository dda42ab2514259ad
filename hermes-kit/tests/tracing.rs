//! What logs tell of a call, whichever way it comes: all but its secrets.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets the unexpected must fail"
)]

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use hermes_kit::Hermes;
use hermes_kit::toolkit::{BatchOptions, CallContext, Registry, Tool, ToolCall, ToolResult};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::{Layer, registry};

type Fields = BTreeMap<&'static str, String>;

struct Collected(Fields);

impl Visit for Collected {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }
}

/// The spans of calls, with their fields and the name of what they stand in.
#[derive(Clone, Default)]
struct Calls(Arc<Mutex<Vec<Fields>>>);

/// Which of them a span is.
struct Index(usize);

impl<S: tracing::Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Calls {
    fn on_new_span(&self, new: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let span = context.span(id).unwrap();
        if span.name() != "tool_call" {
            return;
        }
        let parent = span.parent().map_or("none", |parent| parent.name());
        let mut collected = Collected(Fields::from([("parent", parent.to_owned())]));
        new.record(&mut collected);
        let mut calls = self.0.lock().unwrap();
        span.extensions_mut().insert(Index(calls.len()));
        calls.push(collected.0);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let span = context.span(id).unwrap();
        let extensions = span.extensions();
        let Some(Index(index)) = extensions.get() else {
            return;
        };
        let mut calls = self.0.lock().unwrap();
        let mut collected = Collected(std::mem::take(&mut calls[*index]));
        values.record(&mut collected);
        calls[*index] = collected.0;
    }
}

/// What was traced of these calls, in the order of their ids.
fn traced(calls: impl FnOnce(&Hermes)) -> Vec<Fields> {
    let folder = tempfile::tempdir().unwrap();
    let registry = Registry::new();
    registry.register_builtins();
    let echo = Tool::new("echo", "test").parallel_safe();
    registry
        .register(echo.handler(|arguments, _| Ok(format!("{arguments:?}"))))
        .unwrap();
    let hermes = Hermes::builder()
        .home(folder.path())
        .registry(registry)
        .variables(|_| None)
        .open()
        .unwrap();
    let seen = Calls::default();
    let subscriber = registry::Registry::default().with(seen.clone());
    tracing::subscriber::with_default(subscriber, || calls(&hermes));
    let mut seen = std::mem::take(&mut *seen.0.lock().unwrap());
    seen.sort_by(|one, other| one["call"].cmp(&other["call"]));
    seen
}

fn context() -> CallContext {
    CallContext::new()
        .with_task_id("task-7")
        .with_session_id("s-1")
}

/// A call of each kind: run, denied, of another tool, of no tool.
fn calls() -> Vec<ToolCall> {
    let secret = "TOKEN=hunter2hunter2 true # sk-proj-abcdefghijklmnopqrst";
    let as_text = json!({"command": "rm -rf x", "api_key": "hunter2"}).to_string();
    vec![
        ToolCall::new("terminal", json!({"command": secret})).with_id("a"),
        ToolCall::new("terminal", json!(as_text)).with_id("b"),
        ToolCall::new("echo", json!({"password": "hunter2", "n": 1})).with_id("c"),
        ToolCall::new("none", json!({"secret": "hunter2"})).with_id("d"),
    ]
}

fn check(seen: &[Fields], parent: &str) {
    assert_eq!(seen.len(), 4, "{seen:#?}");
    let expected = [
        ("terminal", "ok", Some("allowed (clean)"), "TOKEN=***"),
        ("terminal", "ok", Some("denied (headless)"), "rm -rf x"),
        ("echo", "ok", None, r#"{"password":"***","n":1}"#),
        ("none", "unknown_tool", None, r#"{"secret":"***"}"#),
    ];
    for (fields, (tool, status, verdict, arguments)) in seen.iter().zip(expected) {
        assert_eq!(fields["tool"], tool);
        assert_eq!(fields["task"], "task-7");
        assert_eq!(fields["session"], "s-1");
        assert_eq!(fields["status"], status);
        assert_eq!(
            fields.get("verdict").map(String::as_str),
            verdict,
            "{fields:?}"
        );
        assert!(fields["arguments"].contains(arguments), "{fields:?}");
        assert!(fields["duration_ms"].parse::<f64>().unwrap() >= 0.0);
        assert_eq!(fields["parent"], parent, "{fields:?}");
    }
    let all = format!("{seen:?}");
    assert!(!all.contains("hunter2"), "{all}");
    assert!(!all.contains("abcdefghijklmnop"), "{all}");
}

fn one_by_one(run: impl Fn(&str, serde_json::Value, &CallContext) -> ToolResult) {
    for call in calls() {
        let context = context().with_tool_call_id(call.id.unwrap());
        let _ = run(&call.name, call.arguments, &context);
    }
}

#[test]
fn a_single_call_is_traced_with_its_verdict_and_without_its_secrets() {
    let seen = traced(|hermes| {
        one_by_one(|name, arguments, context| {
            hermes.handle_function_call(name, arguments, context)
        });
    });
    check(&seen, "none");
}

#[test]
fn so_is_one_by_a_dispatcher_that_a_program_has_changed() {
    let seen = traced(|hermes| {
        let tools = hermes.dispatcher_builder().post_hook(|_, _| Ok(())).build();
        one_by_one(|name, arguments, context| tools.handle_function_call(name, arguments, context));
    });
    check(&seen, "none");
}

#[test]
fn so_is_each_call_of_a_batch_in_line_or_beside_each_other() {
    for sequential in [true, false] {
        let options = BatchOptions {
            sequential,
            ..BatchOptions::default()
        };
        let seen = traced(|hermes| drop(hermes.handle_batch(calls(), &options, &context())));
        check(&seen, "turn");
    }
}

#[test]
fn so_is_each_call_of_a_turn() {
    let seen = traced(|hermes| {
        let store = hermes.store().unwrap();
        store.ensure_session("s-1").unwrap();
        let options = BatchOptions::default();
        let turn = hermes.run_turn("s-1", None, calls(), &options, &context());
        assert_eq!(turn.recorded.unwrap().len(), 5);
    });
    check(&seen, "turn");
}

#[test]
fn one_call_that_makes_another_has_a_span_of_its_own() {
    let seen = traced(|hermes| {
        let outer = hermes.clone();
        let registry = hermes.registry();
        let nested = Tool::new("nested", "test").handler(move |_, context| {
            let arguments = json!({"command": "rm -rf x"});
            let context = context.clone().with_tool_call_id("b");
            Ok(outer
                .handle_function_call("terminal", arguments, &context)
                .to_string())
        });
        registry.register(nested).unwrap();
        let context = context().with_tool_call_id("a");
        let _ = hermes.handle_function_call("nested", json!({}), &context);
        registry.deregister("nested").unwrap();
    });
    assert_eq!(seen.len(), 2);
    assert_eq!(
        (&*seen[0]["tool"], seen[0].get("verdict")),
        ("nested", None)
    );
    assert_eq!(seen[1]["verdict"], "denied (headless)");
    assert_eq!(seen[1]["parent"], "tool_call");
}

#[cfg(feature = "tokio")]
#[test]
fn so_are_calls_that_are_awaited() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let seen = traced(|hermes| {
        runtime.block_on(async {
            for call in calls() {
                let context = context().with_tool_call_id(call.id.unwrap());
                let _ = hermes
                    .handle_function_call_async(&call.name, call.arguments, &context)
                    .await;
            }
        });
    });
    check(&seen, "none");
    for sequential in [true, false] {
        let options = BatchOptions {
            sequential,
            ..BatchOptions::default()
        };
        let seen = traced(|hermes| {
            runtime.block_on(hermes.handle_batch_async(calls(), &options, &context()));
        });
        check(&seen, "turn");
    }
}
