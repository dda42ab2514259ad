//! Callers that wait for handlers of any form.

use std::future::{pending, poll_fn};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::task::Poll;
use std::thread;
use std::time::{Duration, Instant};

use hermes_tools::{
    CallContext, Cancellation, Dispatcher, Handler, Registry, Status, Tool, ToolError,
    abandoned_handlers,
};
use serde_json::json;

use crate::support::alone::{alone, no_thread_is_left};
use crate::support::carried::{BrokenCarry, CarryOwner, carrying, owner, scope};
use crate::support::later::{Never, later};
use crate::support::{LONG, error_of, eventually, registry, tools};

const SHORT: Duration = Duration::from_millis(100);

#[test]
fn a_plain_handler_without_a_limit_runs_on_the_callers_thread() {
    let name = Tool::new("t", "s").handler(|_, _| Ok(format!("{:?}", thread::current().id())));
    let result = tools([name]).handle_function_call("t", json!({}), &CallContext::new());
    assert_eq!(result.into_text(), format!("{:?}", thread::current().id()));
}

#[test]
fn a_plain_handler_within_its_limit_gives_its_result() {
    let tool = Tool::new("t", "s")
        .timeout(LONG)
        .handler(|arguments, context| Ok(format!("{} {:?}", arguments["n"], context.session_id())));
    let context = CallContext::new().with_session_id("s1");
    let result = tools([tool]).handle_function_call("t", json!({"n": 3}), &context);
    assert_eq!(result.into_text(), "3 Some(\"s1\")");
}

#[test]
fn a_plain_handler_that_hangs_is_given_up_at_its_limit_and_told_so() {
    alone(
        "bridge::a_plain_handler_that_hangs_is_given_up_at_its_limit_and_told_so",
        || {
            let (go_on, wait) = mpsc::channel::<()>();
            let wait = Mutex::new(wait);
            let saw = Arc::new(AtomicBool::new(false));
            let seen = Arc::clone(&saw);
            let tool = Tool::new("t", "s")
                .timeout(SHORT)
                .handler(move |_, context| {
                    let _ = wait.lock().unwrap().recv_timeout(LONG);
                    seen.store(context.cancellation().is_cancelled(), Ordering::SeqCst);
                    Ok("late")
                });
            let caller = CallContext::new();
            let result = tools([tool]).handle_function_call("t", json!({}), &caller);
            assert_eq!(result.status(), Status::TimedOut);
            assert!(error_of(&result).starts_with("Error executing t: "));
            assert!(result.duration() >= SHORT);
            assert_eq!(abandoned_handlers(), 1);
            assert!(
                !caller.cancellation().is_cancelled(),
                "the caller's own flag"
            );
            go_on.send(()).unwrap();
            eventually("the handler has ended", || abandoned_handlers() == 0);
            assert!(saw.load(Ordering::SeqCst));
            no_thread_is_left();
        },
    );
}

#[test]
fn an_async_handler_works_without_any_runtime() {
    let tool = Tool::new("t", "s").async_handler(|arguments, _| async move {
        later(Duration::from_millis(5)).await;
        Ok(arguments["n"].to_string())
    });
    let result = tools([tool]).handle_function_call("t", json!({"n": 3}), &CallContext::new());
    assert_eq!(result.into_text(), "3");
}

#[test]
fn an_async_handler_fails_and_panics_as_a_plain_one_does() {
    let fails = Tool::new("fails", "s")
        .async_handler(|_, _| async { Err::<String, _>(ToolError::new("Oops", "no")) });
    let panics = Tool::new("panics", "s").async_handler(|_, _| async {
        later(Duration::from_millis(5)).await;
        if true {
            panic!("in a poll");
        }
        Ok("")
    });
    #[allow(unreachable_code, reason = "the type of a future that is never made")]
    let unmade = Tool::new("unmade", "s").async_handler(|_, _| {
        panic!("before any poll");
        async { Ok("") }
    });
    let tools = tools([fails, panics, unmade]);
    for (name, expected) in [
        ("fails", "Tool execution failed: Oops: no"),
        ("panics", "Tool execution failed: Panic: in a poll"),
        ("unmade", "Tool execution failed: Panic: before any poll"),
    ] {
        let result = tools.handle_function_call(name, json!({}), &CallContext::new());
        assert_eq!(error_of(&result), expected);
        assert_eq!(result.status(), Status::Failed);
    }
}

// TOOL-34
#[test]
fn an_async_tool_that_would_take_an_hour_ends_at_200_ms_and_the_next_call_works() {
    let dropped = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&dropped);
    let hour = Tool::new("hour", "s")
        .timeout(Duration::from_millis(200))
        .async_handler(move |_, _| {
            let never = Never(Arc::clone(&flag));
            async move {
                never.await;
                Ok("")
            }
        });
    let tools = tools([
        hour,
        Tool::new("next", "s").async_handler(|_, _| async { Ok("ok") }),
    ]);
    let started = Instant::now();
    let result = tools.handle_function_call("hour", json!({}), &CallContext::new());
    // The case says 300 ms; a machine that is busy with other tests gets more.
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(result.status(), Status::TimedOut);
    assert!(error_of(&result).contains("200ms"));
    assert!(
        dropped.load(Ordering::SeqCst),
        "the future is gone when the call returns"
    );
    let next = tools.handle_function_call("next", json!({}), &CallContext::new());
    assert_eq!(next.into_text(), "ok");
}

#[test]
fn the_dispatchers_limit_of_async_handlers_holds_where_no_other_is_given() {
    let tool = Tool::new("t", "s").async_handler(|_, _| async {
        pending::<()>().await;
        Ok("")
    });
    let tools = Dispatcher::builder(registry([tool]))
        .async_limit(SHORT)
        .build();
    let result = tools.handle_function_call("t", json!({}), &CallContext::new());
    assert_eq!(result.status(), Status::TimedOut);
    assert!(error_of(&result).contains("100ms"));
}

#[test]
fn an_async_handler_whose_poll_blocks_is_given_up_too() {
    alone(
        "bridge::an_async_handler_whose_poll_blocks_is_given_up_too",
        || {
            let (go_on, wait) = mpsc::channel::<()>();
            let wait = Arc::new(Mutex::new(wait));
            let tool = Tool::new("t", "s")
                .timeout(SHORT)
                .async_handler(move |_, _| {
                    let wait = Arc::clone(&wait);
                    async move {
                        let _ = wait.lock().unwrap().recv_timeout(LONG);
                        Ok("late")
                    }
                });
            let next = Tool::new("next", "s")
                .timeout(LONG)
                .async_handler(|_, _| async { Ok("ok") });
            let tools = tools([tool, next]);
            let result = tools.handle_function_call("t", json!({}), &CallContext::new());
            assert_eq!(result.status(), Status::TimedOut);
            assert_eq!(abandoned_handlers(), 1);
            let next = tools.handle_function_call("next", json!({}), &CallContext::new());
            assert_eq!(next.into_text(), "ok");
            go_on.send(()).unwrap();
            eventually("the handler has ended", || abandoned_handlers() == 0);
            no_thread_is_left();
        },
    );
}

/// Calls itself through the dispatcher until `n` is 0, and counts the depth.
fn nesting(form: &str, limited: bool, dispatcher: &Arc<Mutex<Option<Dispatcher>>>) -> Tool {
    let dispatcher = Arc::clone(dispatcher);
    let deeper = move |n: i64| {
        if n == 0 {
            return "0".to_owned();
        }
        let next = if n % 3 == 0 { "plain" } else { "async" };
        let tools = dispatcher.lock().unwrap().clone().unwrap();
        let inner = tools.handle_function_call(next, json!({"n": n - 1}), &CallContext::new());
        (inner.into_text().parse::<i64>().unwrap() + 1).to_string()
    };
    let mut tool = Tool::new(form, "s");
    if limited {
        tool = tool.timeout(LONG);
    }
    match form {
        "plain" => tool.handler(move |arguments, _| Ok(deeper(arguments["n"].as_i64().unwrap()))),
        _ => tool.async_handler(move |arguments, _| {
            let deeper = deeper.clone();
            async move {
                later(Duration::from_millis(1)).await;
                Ok(deeper(arguments["n"].as_i64().unwrap()))
            }
        }),
    }
}

/// Fails unless calls can be nested fifty deep from where this is called.
pub(crate) fn fifty_nested_calls_work() {
    for limited in [true, false] {
        let slot = Arc::new(Mutex::new(None));
        let tools = tools(["plain", "async"].map(|form| nesting(form, limited, &slot)));
        *slot.lock().unwrap() = Some(tools.clone());
        let result = tools.handle_function_call("async", json!({"n": 50}), &CallContext::new());
        assert_eq!(result.into_text(), "50");
        // The tools hold the dispatcher that holds them.
        *slot.lock().unwrap() = None;
    }
}

#[test]
fn calls_nest_fifty_deep_without_a_runtime() {
    fifty_nested_calls_work();
}

#[test]
fn a_nested_wait_does_not_swallow_the_wake_up_of_the_outer_one() {
    let inner = tools([Tool::new("inner", "s").async_handler(|_, _| async {
        later(Duration::from_millis(20)).await;
        Ok("")
    })]);
    let outer = Tool::new("outer", "s").async_handler(move |_, _| {
        let inner = inner.clone();
        let mut polls = 0;
        poll_fn(move |context| {
            polls += 1;
            if polls == 1 {
                // The outer is woken before and while the inner sleeps on the same thread.
                context.waker().wake_by_ref();
                let result = inner.handle_function_call("inner", json!({}), &CallContext::new());
                assert!(result.is_ok(), "{result}");
                return Poll::Pending;
            }
            Poll::Ready(Ok("woken"))
        })
    });
    let tools = Dispatcher::builder(registry([outer]))
        .async_limit(LONG)
        .build();
    let started = Instant::now();
    let result = tools.handle_function_call("outer", json!({}), &CallContext::new());
    assert_eq!(result.into_text(), "woken");
    assert!(started.elapsed() < LONG / 2, "woken by the limit only");
}

#[test]
fn a_call_that_was_cancelled_before_does_not_start_and_no_gate_is_asked() {
    let ran = Arc::new(AtomicUsize::new(0));
    let counted = || {
        let ran = Arc::clone(&ran);
        move || ran.fetch_add(1, Ordering::SeqCst)
    };
    let (plain, limited, asynchronous, gate) = (counted(), counted(), counted(), counted());
    let registry = registry([
        Tool::new("plain", "s").handler(move |_, _| Ok(plain().to_string())),
        Tool::new("limited", "s")
            .timeout(LONG)
            .handler(move |_, _| Ok(limited().to_string())),
        Tool::new("async", "s").async_handler(move |_, _| {
            let n = asynchronous();
            async move { Ok(n.to_string()) }
        }),
    ]);
    let tools = Dispatcher::builder(registry)
        .gate(move |_| {
            gate();
            Ok(hermes_tools::Decision::Allow)
        })
        .build();
    let flag = Cancellation::default();
    let context = CallContext::new().with_cancellation(flag.child());
    flag.cancel();
    for name in ["plain", "limited", "async"] {
        let result = tools.handle_function_call(name, json!({}), &context);
        assert_eq!(result.status(), Status::Cancelled, "{name}");
        assert_eq!(
            error_of(&result),
            format!("Error executing {name}: the call was cancelled")
        );
        let raw = tools
            .registry()
            .dispatch(name, Default::default(), &context);
        assert_eq!(raw.status(), Status::Cancelled, "{name}");
    }
    assert_eq!(ran.load(Ordering::SeqCst), 0);
}

/// Tools of each form that say what context they see, before and after a wait.
pub(crate) fn owner_tools() -> Registry {
    let plain = |_, _: &CallContext| Ok(owner().to_string());
    let asynchronous = |_, _| async {
        let before = owner();
        later(Duration::from_millis(5)).await;
        assert_eq!(before, owner(), "after an await");
        Ok(owner().to_string())
    };
    registry([
        Tool::new("plain", "s").parallel_safe().handler(plain),
        Tool::new("plain_limited", "s")
            .parallel_safe()
            .timeout(LONG)
            .handler(plain),
        Tool::new("async", "s")
            .parallel_safe()
            .async_handler(asynchronous),
        Tool::new("async_limited", "s")
            .parallel_safe()
            .timeout(LONG)
            .async_handler(asynchronous),
    ])
}

pub(crate) const OWNER_TOOLS: [&str; 4] = ["plain", "plain_limited", "async", "async_limited"];

#[test]
fn what_belongs_to_the_callers_thread_goes_with_every_call() {
    let tools = Dispatcher::new(carrying(owner_tools(), CarryOwner));
    for value in [7, 8] {
        let _scope = scope(value);
        for name in OWNER_TOOLS {
            let result = tools.handle_function_call(name, json!({}), &CallContext::new());
            assert_eq!(result.into_text(), value.to_string(), "{name}");
        }
    }
    assert_eq!(owner(), 0);
}

#[test]
fn a_carry_that_panics_stops_the_call_and_not_the_program() {
    for broken in [BrokenCarry::Capture, BrokenCarry::Enter] {
        let tools = Dispatcher::new(carrying(owner_tools(), broken));
        for name in ["plain_limited", "async", "async_limited"] {
            let result = tools.handle_function_call(name, json!({}), &CallContext::new());
            assert_eq!(result.status(), Status::Error, "{broken:?} {name}");
            assert!(
                error_of(&result).contains("broken carry"),
                "{broken:?} {name}"
            );
        }
    }
    let tools = Dispatcher::new(carrying(owner_tools(), BrokenCarry::Leave));
    for name in OWNER_TOOLS {
        let result = tools.handle_function_call(name, json!({}), &CallContext::new());
        assert_eq!(result.into_text(), "0", "{name}");
    }
}

#[test]
fn a_future_that_panics_when_it_is_dropped_does_not_harm_the_call() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("in a drop");
        }
    }
    let tool = |name: &str, hangs: bool| {
        // Erased: around an async function it would be dropped inside the last poll.
        let handler = Handler::Async(Arc::new(move |_, _| {
            let bomb = Bomb;
            Box::pin(poll_fn(move |_| {
                let _held = &bomb;
                if hangs {
                    Poll::Pending
                } else {
                    Poll::Ready(Ok("done".into()))
                }
            }))
        }));
        let limit = if hangs { SHORT } else { LONG };
        Tool::new(name, "s").timeout(limit).erased_handler(handler)
    };
    let tools = tools([tool("hangs", true), tool("ends", false)]);
    let hangs = tools.handle_function_call("hangs", json!({}), &CallContext::new());
    assert_eq!(hangs.status(), Status::TimedOut);
    let ends = tools.handle_function_call("ends", json!({}), &CallContext::new());
    assert_eq!(ends.into_text(), "done");
}

#[test]
fn two_hundred_threads_call_at_once_and_no_thread_is_left() {
    alone(
        "bridge::two_hundred_threads_call_at_once_and_no_thread_is_left",
        || {
            let tools = Dispatcher::new(carrying(owner_tools(), CarryOwner));
            thread::scope(|scope_of_threads| {
                for value in 1..=200 {
                    let tools = &tools;
                    scope_of_threads.spawn(move || {
                        let _scope = scope(value);
                        for name in OWNER_TOOLS {
                            let result =
                                tools.handle_function_call(name, json!({}), &CallContext::new());
                            assert_eq!(result.into_text(), value.to_string(), "{name}");
                        }
                    });
                }
            });
            assert_eq!(abandoned_handlers(), 0);
            no_thread_is_left();
        },
    );
}

#[test]
fn a_limit_beyond_all_time_is_no_limit() {
    let tools = tools([
        Tool::new("plain", "s")
            .timeout(Duration::MAX)
            .handler(|_, _| Ok("ok")),
        Tool::new("async", "s")
            .timeout(Duration::MAX)
            .async_handler(|_, _| async {
                later(Duration::from_millis(5)).await;
                Ok("ok")
            }),
    ]);
    for name in ["plain", "async"] {
        let result = tools.handle_function_call(name, json!({}), &CallContext::new());
        assert_eq!(result.into_text(), "ok", "{name}");
    }
}
