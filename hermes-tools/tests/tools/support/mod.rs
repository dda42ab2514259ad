//! Handlers that misbehave on demand, and ways to see what became of them.

pub(crate) mod alone;
pub(crate) mod carried;
pub(crate) mod later;

use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

use hermes_tools::{CallContext, Dispatcher, Registry, Tool, ToolResult};
use serde_json::Value;

/// Longer than anything here takes, on any machine.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// A dispatcher of these tools.
pub(crate) fn tools(tools: impl IntoIterator<Item = Tool>) -> Dispatcher {
    Dispatcher::new(registry(tools))
}

pub(crate) fn registry(tools: impl IntoIterator<Item = Tool>) -> Registry {
    let registry = Registry::new();
    for tool in tools {
        registry.register(tool).unwrap();
    }
    registry
}

/// The error that a result is, which has to be JSON.
pub(crate) fn error_of(result: &ToolResult) -> String {
    let text = result.to_string();
    let value: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
    value["error"]
        .as_str()
        .unwrap_or_else(|| panic!("no error: {text}"))
        .to_owned()
}

/// Asks until it is so; fails after a minute.
pub(crate) fn eventually(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < LONG, "never happened: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// What a long plain handler does: asks its flag now and then. Panics after a minute.
pub(crate) fn wait_for_the_flag(context: &CallContext) {
    let started = Instant::now();
    while !context.cancellation().is_cancelled() {
        assert!(started.elapsed() < LONG, "nobody set the flag");
        std::thread::yield_now();
    }
}

/// A place where several have to be at the same time.
pub(crate) struct Meeting {
    expected: usize,
    there: Mutex<usize>,
    complete: Condvar,
}

impl Meeting {
    pub(crate) fn of(expected: usize) -> Meeting {
        Meeting {
            expected,
            there: Mutex::new(0),
            complete: Condvar::new(),
        }
    }

    /// Waits for the others; `false` if they do not come.
    pub(crate) fn attend(&self) -> bool {
        let mut there = self.there.lock().unwrap();
        *there += 1;
        self.complete.notify_all();
        let (_there, waited) = self
            .complete
            .wait_timeout_while(there, LONG, |there| *there < self.expected)
            .unwrap();
        !waited.timed_out()
    }
}
