//! Calls that nobody wants any more.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use hermes_tools::{
    BatchOptions, CallContext, Cancellation, Dispatcher, Status, Tool, ToolCall, ToolResult,
    abandoned_handlers,
};
use serde_json::json;

use crate::support::alone::{alone, no_thread_is_left};
use crate::support::later::Never;
use crate::support::{LONG, error_of, eventually, tools, wait_for_the_flag};

/// Sets the flag once so many handlers have started.
struct After {
    started: Arc<AtomicUsize>,
    flag: Cancellation,
}

impl After {
    fn new() -> After {
        After {
            started: Arc::default(),
            flag: Cancellation::default(),
        }
    }

    fn context(&self) -> CallContext {
        CallContext::new().with_cancellation(self.flag.clone())
    }

    fn cancel_when_started<T>(&self, count: usize, run: impl FnOnce() -> T) -> T {
        thread::scope(|threads| {
            threads.spawn(|| {
                eventually("the handlers have started", || {
                    self.started.load(Ordering::SeqCst) >= count
                });
                self.flag.cancel();
            });
            run()
        })
    }
}

fn never(after: &After, dropped: &Arc<AtomicBool>) -> Tool {
    let (started, dropped) = (Arc::clone(&after.started), Arc::clone(dropped));
    Tool::new("never", "s")
        .parallel_safe()
        .async_handler(move |_, _| {
            let never = Never(Arc::clone(&dropped));
            started.fetch_add(1, Ordering::SeqCst);
            async move {
                never.await;
                Ok("")
            }
        })
}

fn obedient(after: &After) -> Tool {
    let started = Arc::clone(&after.started);
    Tool::new("obedient", "s")
        .parallel_safe()
        .handler(move |_, context| {
            started.fetch_add(1, Ordering::SeqCst);
            wait_for_the_flag(context);
            Ok("half of it")
        })
}

#[test]
fn a_running_async_call_is_dropped_when_its_flag_is_set() {
    for limit in [None, Some(LONG)] {
        let after = After::new();
        let dropped = Arc::default();
        let mut tool = never(&after, &dropped);
        if let Some(limit) = limit {
            tool = tool.timeout(limit);
        }
        let tools = tools([tool]);
        let result = after.cancel_when_started(1, || {
            tools.handle_function_call("never", json!({}), &after.context())
        });
        assert_eq!(result.status(), Status::Cancelled);
        assert_eq!(
            error_of(&result),
            "Error executing never: the call was cancelled"
        );
        assert!(dropped.load(Ordering::SeqCst));
    }
}

#[test]
fn a_plain_handler_that_sees_the_flag_in_time_gives_what_it_has() {
    for limit in [None, Some(LONG)] {
        let after = After::new();
        let mut tool = obedient(&after);
        if let Some(limit) = limit {
            tool = tool.timeout(limit);
        }
        let tools = tools([tool]);
        let result = after.cancel_when_started(1, || {
            tools.handle_function_call("obedient", json!({}), &after.context())
        });
        assert_eq!(result.into_text(), "half of it");
    }
}

#[test]
fn a_batch_that_is_cancelled_gives_a_result_for_every_call() {
    alone(
        "cancellation::a_batch_that_is_cancelled_gives_a_result_for_every_call",
        || {
            let after = After::new();
            let dropped = Arc::default();
            let (go_on, wait) = mpsc::channel::<()>();
            let wait = Mutex::new(wait);
            let started = Arc::clone(&after.started);
            let stubborn = Tool::new("stubborn", "s")
                .parallel_safe()
                .handler(move |_, _| {
                    started.fetch_add(1, Ordering::SeqCst);
                    let _ = wait.lock().unwrap().recv_timeout(LONG);
                    Ok("late")
                });
            let ran = Arc::new(AtomicBool::new(false));
            let seen = Arc::clone(&ran);
            let last = Tool::new("last", "s").handler(move |_, _| {
                seen.store(true, Ordering::SeqCst);
                Ok("ran")
            });
            let tools = tools([never(&after, &dropped), obedient(&after), stubborn, last]);
            let calls = ["never", "obedient", "stubborn", "last", "last"]
                .map(|name| ToolCall::new(name, json!({})));
            let begun = Instant::now();
            let results = after.cancel_when_started(3, || {
                tools.handle_batch(calls.to_vec(), &BatchOptions::default(), &after.context())
            });
            // The one that does not listen gets a second.
            assert!(begun.elapsed() < Duration::from_secs(15));
            let ended: Vec<Status> = results.iter().map(ToolResult::status).collect();
            let cancelled = Status::Cancelled;
            assert_eq!(
                ended,
                [cancelled, Status::Ok, cancelled, cancelled, cancelled]
            );
            assert_eq!(results[1].to_string(), "half of it");
            assert!(dropped.load(Ordering::SeqCst));
            assert!(!ran.load(Ordering::SeqCst));
            assert_eq!(abandoned_handlers(), 1);
            go_on.send(()).unwrap();
            eventually("the stubborn handler has ended", || {
                abandoned_handlers() == 0
            });
            no_thread_is_left();
        },
    );
}

#[test]
fn a_sequential_batch_stops_where_it_is_cancelled() {
    let flag = Cancellation::default();
    let stop = flag.clone();
    let stops = Tool::new("stops", "s").handler(move |_, _| {
        stop.cancel();
        Ok("stopped")
    });
    let tools: Dispatcher = tools([stops, Tool::new("t", "s").handler(|_, _| Ok("ran"))]);
    let calls = ["t", "stops", "t"].map(|name| ToolCall::new(name, json!({})));
    let options = BatchOptions {
        sequential: true,
        ..BatchOptions::default()
    };
    let context = CallContext::new().with_cancellation(flag);
    let results = tools.handle_batch(calls.to_vec(), &options, &context);
    assert_eq!(results[0].to_string(), "ran");
    assert_eq!(results[1].to_string(), "stopped");
    assert_eq!(results[2].status(), Status::Cancelled);
}

#[test]
fn cancelling_one_call_of_a_batch_leaves_the_others() {
    let suicidal =
        Tool::new("suicidal", "s")
            .parallel_safe()
            .async_handler(|_, context| async move {
                context.cancellation().cancel();
                Never(Arc::default()).await;
                Ok("")
            });
    let tools = tools([
        suicidal,
        Tool::new("t", "s")
            .parallel_safe()
            .handler(|_, _| Ok("ran")),
    ]);
    let calls = ["t", "suicidal", "t"].map(|name| ToolCall::new(name, json!({})));
    let context = CallContext::new();
    let results = tools.handle_batch(calls.to_vec(), &BatchOptions::default(), &context);
    let ended: Vec<Status> = results.iter().map(ToolResult::status).collect();
    assert_eq!(ended, [Status::Ok, Status::Cancelled, Status::Ok]);
    assert!(!context.cancellation().is_cancelled());
}
