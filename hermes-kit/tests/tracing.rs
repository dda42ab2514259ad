//! What logs tell of a call: all but its secrets.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected must fail"
)]

use std::io;
use std::sync::{Arc, Mutex};

use hermes_kit::Hermes;
use hermes_kit::toolkit::CallContext;
use serde_json::json;
use tracing_subscriber::fmt::format::FmtSpan;

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn logged(calls: impl FnOnce(&Hermes)) -> String {
    let folder = tempfile::tempdir().unwrap();
    let hermes = Hermes::builder()
        .home(folder.path())
        .variables(|_| None)
        .open()
        .unwrap();
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(move || writer.clone())
        .with_span_events(FmtSpan::CLOSE)
        .with_ansi(false)
        .finish();
    tracing::subscriber::with_default(subscriber, || calls(&hermes));
    let bytes = log.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_call_is_traced_with_its_verdict_and_without_its_secrets() {
    let text = logged(|hermes| {
        let context = CallContext::new()
            .with_task_id("task-7")
            .with_session_id("s-1")
            .with_tool_call_id("call-9");
        for command in [
            "TOKEN=hunter2hunter2 true # sk-proj-abcdefghijklmnopqrst",
            "rm -rf x",
        ] {
            let _ = hermes.handle_function_call("terminal", json!({"command": command}), &context);
        }
    });
    for part in [
        "tool=\"terminal\"",
        "task=\"task-7\"",
        "session=\"s-1\"",
        "call=\"call-9\"",
        "status=\"ok\"",
        "duration_ms=",
        "verdict=allowed (",
        "verdict=denied (",
        "TOKEN=***",
        "rm -rf x",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    assert!(!text.contains("hunter2"), "{text}");
    assert!(!text.contains("abcdefghijklmnop"), "{text}");
}
