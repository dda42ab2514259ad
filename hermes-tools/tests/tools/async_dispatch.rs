//! Runtimes: callers inside and outside of them, and callers that await.

use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use hermes_tools::{
    BatchOptions, CallContext, Cancellation, Decision, Dispatcher, Status, Tool, ToolCall,
    ToolResult, abandoned_handlers,
};
use serde_json::json;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::time::sleep;

use crate::bridge::{OWNER_TOOLS, fifty_nested_calls_work, owner_tools};
use crate::support::alone::{alone, no_thread_is_left, threads_named};
use crate::support::carried::{BrokenCarry, CarryOwner, carrying, scope};
use crate::support::later::{Never, block_on, later};
use crate::support::{LONG, error_of, eventually, registry, tools, wait_for_the_flag};

const TICK: Duration = Duration::from_millis(5);

fn one_thread() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn threads(count: usize) -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(count)
        .enable_all()
        .build()
        .unwrap()
}

/// Needs a runtime with a timer, and gives the id of that.
fn tokio_tool() -> Tool {
    Tool::new("tokio", "s")
        .parallel_safe()
        .async_handler(|_, _| async {
            sleep(TICK).await;
            tokio::spawn(sleep(TICK)).await?;
            Ok(Handle::current().id().to_string())
        })
}

fn call(tools: &Dispatcher, name: &str) -> ToolResult {
    tools.handle_function_call(name, json!({}), &CallContext::new())
}

fn call_async(
    tools: &Dispatcher,
    name: &str,
) -> impl Future<Output = ToolResult> + Send + 'static + use<> {
    tools.handle_function_call_async(name, json!({}), &CallContext::new())
}

/// Lets other tasks run until it is so; fails after a minute.
async fn until(is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < LONG, "never happened");
        tokio::task::yield_now().await;
    }
}

#[test]
fn without_a_runtime_all_calls_share_one_that_lives_on() {
    let tools = tools([tokio_tool(), tokio_tool_with_limit()]);
    let first = call(&tools, "tokio").into_text();
    assert!(first.parse::<u64>().is_ok(), "{first}");
    assert_eq!(call(&tools, "tokio").into_text(), first);
    assert_eq!(call(&tools, "limited").into_text(), first);
    let elsewhere = std::thread::scope(|threads| {
        threads
            .spawn(|| call(&tools, "tokio").into_text())
            .join()
            .unwrap()
    });
    assert_eq!(elsewhere, first);
}

fn tokio_tool_with_limit() -> Tool {
    Tool::new("limited", "s")
        .timeout(LONG)
        .async_handler(|_, _| async {
            sleep(TICK).await;
            Ok(Handle::current().id().to_string())
        })
}

#[test]
fn what_a_handler_starts_without_a_runtime_goes_on_after_its_call() {
    let (done, wait) = mpsc::channel();
    let tool = Tool::new("t", "s").async_handler(move |_, _| {
        let done = done.clone();
        async move {
            tokio::spawn(async move {
                sleep(TICK).await;
                let _ = done.send(());
            });
            Ok("started")
        }
    });
    assert_eq!(call(&tools([tool]), "t").into_text(), "started");
    wait.recv_timeout(LONG).unwrap();
}

#[test]
fn inside_any_runtime_a_call_gets_one_of_its_own() {
    let tools = tools([tokio_tool()]);
    let check = |own: String| {
        let id = call(&tools, "tokio").into_text();
        assert!(id.parse::<u64>().is_ok(), "{id}");
        assert_ne!(id, own);
    };
    for runtime in [one_thread(), threads(1), threads(4)] {
        let own = runtime.handle().id().to_string();
        runtime.block_on(async { check(own.clone()) });
        let task = {
            let (tools, own) = (tools.clone(), own.clone());
            async move { assert_ne!(call(&tools, "tokio").into_text(), own) }
        };
        runtime.block_on(async { tokio::spawn(task).await.unwrap() });
        let entered = runtime.enter();
        check(own.clone());
        drop(entered);
        let (tools, own) = (tools.clone(), own.clone());
        let blocking =
            runtime.spawn_blocking(move || assert_ne!(call(&tools, "tokio").into_text(), own));
        runtime.block_on(blocking).unwrap();
    }
}

#[test]
fn inside_a_local_set_calls_work_too() {
    let tools = tools([tokio_tool()]);
    for runtime in [one_thread(), threads(2)] {
        let set = tokio::task::LocalSet::new();
        set.block_on(&runtime, async {
            let inner = tools.clone();
            let local = tokio::task::spawn_local(async move { call(&inner, "tokio").is_ok() });
            assert!(local.await.unwrap());
            assert!(call(&tools, "tokio").is_ok());
            assert!(call_async(&tools, "tokio").await.is_ok());
        });
    }
}

#[test]
fn a_handler_may_wait_for_a_task_of_the_runtime_that_the_call_holds_up() {
    let (send, receive) = tokio::sync::oneshot::channel::<u8>();
    let receive = Arc::new(Mutex::new(Some(receive)));
    let tool = Tool::new("t", "s")
        .timeout(LONG)
        .async_handler(move |_, _| {
            let receive = receive.lock().unwrap().take().unwrap();
            async move { Ok(receive.await?.to_string()) }
        });
    let tools = tools([tool]);
    let runtime = threads(1);
    let result = runtime.block_on(async {
        tokio::spawn(async move {
            // Next on this very worker, the only one.
            tokio::spawn(async move { send.send(7).unwrap() });
            call(&tools, "t").into_text()
        })
        .await
        .unwrap()
    });
    assert_eq!(result, "7");
}

#[test]
fn calls_nest_fifty_deep_in_every_situation() {
    for runtime in [one_thread(), threads(1), threads(4)] {
        runtime.block_on(async { fifty_nested_calls_work() });
        runtime.block_on(async {
            tokio::spawn(async { fifty_nested_calls_work() })
                .await
                .unwrap()
        });
    }
    let nested = Tool::new("nested", "s").parallel_safe().handler(|_, _| {
        fifty_nested_calls_work();
        Ok("ok")
    });
    let tools = tools([nested]);
    let calls = vec![ToolCall::new("nested", json!({})); 3];
    for result in tools.handle_batch(calls, &BatchOptions::default(), &CallContext::new()) {
        assert_eq!(result.into_text(), "ok");
    }
    assert_eq!(
        one_thread()
            .block_on(call_async(&tools, "nested"))
            .into_text(),
        "ok"
    );
}

#[test]
fn awaited_calls_nest_fifty_deep() {
    let slot = Arc::new(Mutex::new(None::<Dispatcher>));
    let inner = Arc::clone(&slot);
    let tool = Tool::new("t", "s").async_handler(move |arguments, _| {
        let tools = inner.lock().unwrap().clone().unwrap();
        async move {
            let n = arguments["n"].as_i64().unwrap();
            if n == 0 {
                return Ok("0".to_owned());
            }
            let next = json!({"n": n - 1});
            let result = tools
                .handle_function_call_async("t", next, &CallContext::new())
                .await;
            let depth: i64 = result.into_text().parse()?;
            Ok((depth + 1).to_string())
        }
    });
    let tools = tools([tool]);
    *slot.lock().unwrap() = Some(tools.clone());
    let call = || tools.handle_function_call_async("t", json!({"n": 50}), &CallContext::new());
    assert_eq!(one_thread().block_on(call()).into_text(), "50");
    assert_eq!(threads(2).block_on(call()).into_text(), "50");
    assert_eq!(block_on(call()).into_text(), "50");
    *slot.lock().unwrap() = None;
}

#[test]
fn the_workers_of_a_batch_keep_a_runtime_each_and_take_it_with_them() {
    let tool = Tool::new("t", "s")
        .parallel_safe()
        .async_handler(|_, _| async {
            sleep(TICK).await;
            let thread = std::thread::current().id();
            Ok(format!("{thread:?} {}", Handle::current().id()))
        });
    let tools = tools([tool]);
    let outside = tools.handle_function_call("t", json!({}), &CallContext::new());
    let batch = || {
        let calls = vec![ToolCall::new("t", json!({})); 24];
        let options = BatchOptions {
            max_in_flight: 3,
            ..BatchOptions::default()
        };
        let results = tools.handle_batch(calls, &options, &CallContext::new());
        let pairs: std::collections::BTreeSet<String> =
            results.into_iter().map(ToolResult::into_text).collect();
        pairs
    };
    let (first, second) = (batch(), batch());
    let id = |pair: &String| pair.rsplit(' ').next().unwrap().to_owned();
    let outside = id(&outside.into_text());
    for pairs in [&first, &second] {
        // Each worker has one runtime, and no two have the same.
        assert!((1..=3).contains(&pairs.len()), "{pairs:?}");
        let ids: std::collections::BTreeSet<String> = pairs.iter().map(id).collect();
        assert_eq!(ids.len(), pairs.len(), "{pairs:?}");
        assert!(!ids.contains(&outside));
    }
    assert!(
        first
            .iter()
            .map(id)
            .all(|one| second.iter().map(id).all(|other| one != other))
    );
}

#[test]
fn a_worker_whose_runtime_is_blocked_gets_another() {
    let (go_on, wait) = mpsc::channel::<()>();
    let wait = Arc::new(Mutex::new(wait));
    let blocks = Tool::new("blocks", "s")
        .concurrency(hermes_tools::Concurrency::Parallel)
        .timeout(Duration::from_millis(50))
        .async_handler(move |_, _| {
            let wait = Arc::clone(&wait);
            async move {
                let _ = wait.lock().unwrap().recv_timeout(LONG);
                Ok("")
            }
        });
    let tools = tools([blocks, tokio_tool()]);
    let calls: Vec<ToolCall> = ["blocks", "tokio", "blocks", "tokio", "tokio", "tokio"]
        .map(|name| ToolCall::new(name, json!({})))
        .to_vec();
    let options = BatchOptions {
        max_in_flight: 2,
        ..BatchOptions::default()
    };
    let started = Instant::now();
    let results = tools.handle_batch(calls, &options, &CallContext::new());
    let ended: Vec<Status> = results.iter().map(ToolResult::status).collect();
    let (out, ok) = (Status::TimedOut, Status::Ok);
    assert_eq!(ended, [out, ok, out, ok, ok, ok]);
    assert!(
        started.elapsed() < LONG / 2,
        "somebody waited for a blocked runtime"
    );
    drop(go_on);
}

#[test]
fn the_limit_drops_the_future_in_every_situation() {
    let dropped = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&dropped);
    let tool = Tool::new("t", "s")
        .timeout(Duration::from_millis(50))
        .async_handler(move |_, _| {
            let never = Never(Arc::clone(&flag));
            async move {
                never.await;
                Ok("")
            }
        });
    let tools = tools([tool]);
    let check = |result: ToolResult| {
        assert_eq!(result.status(), Status::TimedOut, "{result}");
        assert!(dropped.swap(false, Ordering::SeqCst));
    };
    check(call(&tools, "t"));
    check(one_thread().block_on(async { call(&tools, "t") }));
    check(threads(1).block_on(async { call(&tools, "t") }));
    check(one_thread().block_on(call_async(&tools, "t")));
    check(threads(2).block_on(call_async(&tools, "t")));
    check(block_on(call_async(&tools, "t")));
    // A runtime without timers.
    let bare = Builder::new_current_thread().build().unwrap();
    check(bare.block_on(call_async(&tools, "t")));
    check(
        bare.block_on(tools.registry().dispatch_async(
            "t",
            Default::default(),
            &CallContext::new(),
        )),
    );
}

#[test]
fn a_future_that_is_always_busy_ends_at_its_limit_too() {
    let tool = Tool::new("t", "s")
        .timeout(Duration::from_millis(50))
        .async_handler(|_, _| async {
            let (send, mut receive) = tokio::sync::mpsc::unbounded_channel();
            loop {
                // Uses up all that a task may do in one turn, again and again.
                send.send(())?;
                receive.recv().await;
            }
            #[allow(unreachable_code, reason = "gives the type")]
            Ok("")
        });
    let tools = tools([tool]);
    assert_eq!(call(&tools, "t").status(), Status::TimedOut);
    let runtime = one_thread();
    assert_eq!(
        runtime.block_on(async { call(&tools, "t") }).status(),
        Status::TimedOut
    );
    assert_eq!(
        runtime.block_on(call_async(&tools, "t")).status(),
        Status::TimedOut
    );
}

#[test]
fn an_awaited_call_works_on_every_executor() {
    let form = |name: &str| Tool::new(name, "s");
    let tools = tools([
        form("plain").handler(|_, _| Ok("plain")),
        form("plain_limited")
            .timeout(LONG)
            .handler(|_, _| Ok("plain_limited")),
        form("async").async_handler(|_, _| async {
            later(TICK).await;
            Ok("async")
        }),
        form("panics").async_handler(|_, _| async {
            later(TICK).await;
            if true {
                panic!("in a poll");
            }
            Ok("")
        }),
    ]);
    let (one, several) = (one_thread(), threads(2));
    for name in ["plain", "plain_limited", "async", "panics", "unknown"] {
        let results = [
            one.block_on(call_async(&tools, name)),
            several.block_on(call_async(&tools, name)),
            several
                .block_on(async { tokio::spawn(call_async(&tools, name)).await })
                .unwrap(),
            block_on(call_async(&tools, name)),
        ];
        for result in results {
            match name {
                "panics" => {
                    assert_eq!(error_of(&result), "Tool execution failed: Panic: in a poll");
                }
                "unknown" => assert_eq!(error_of(&result), "Unknown tool: unknown"),
                _ => assert_eq!(result.into_text(), name),
            }
        }
        let raw = |context| {
            tools
                .registry()
                .dispatch_async(name, Default::default(), &context)
        };
        let direct = tools
            .registry()
            .dispatch(name, Default::default(), &CallContext::new());
        assert_eq!(
            one.block_on(raw(CallContext::new())).content(),
            direct.content()
        );
    }
}

#[test]
fn what_blocks_does_not_hold_up_the_executor() {
    let (answer, question) = mpsc::channel::<()>();
    let question = Mutex::new(question);
    let ask = move || question.lock().unwrap().recv_timeout(LONG).is_ok();
    let ask = Arc::new(ask);
    let (gate, handler, observer) = (Arc::clone(&ask), Arc::clone(&ask), ask);
    let registry = registry([Tool::new("t", "s").handler(move |_, _| {
        assert!(handler());
        Ok("ran")
    })]);
    let tools = Dispatcher::builder(registry)
        .gate(move |_| {
            assert!(gate());
            Ok(Decision::Allow)
        })
        .post_hook(move |_, _| {
            assert!(observer());
            Ok(())
        })
        .build();
    // One thread: whoever blocks it keeps the answers from being given.
    one_thread().block_on(async {
        let run = tokio::spawn(call_async(&tools, "t"));
        for _ in 0..3 {
            tokio::task::yield_now().await;
            answer.send(()).unwrap();
        }
        assert_eq!(run.await.unwrap().into_text(), "ran");
    });
}

#[test]
fn dropping_an_awaited_call_cancels_it() {
    let (seen, dropped) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicBool::new(false)),
    );
    let started = Arc::new(AtomicUsize::new(0));
    let (flag, begun) = (Arc::clone(&seen), Arc::clone(&started));
    let plain = Tool::new("plain", "s").handler(move |_, context| {
        begun.fetch_add(1, Ordering::SeqCst);
        wait_for_the_flag(context);
        flag.store(true, Ordering::SeqCst);
        Ok("")
    });
    let (flag, begun) = (Arc::clone(&dropped), Arc::clone(&started));
    let asynchronous = Tool::new("async", "s").async_handler(move |_, _| {
        let never = Never(Arc::clone(&flag));
        begun.fetch_add(1, Ordering::SeqCst);
        async move {
            never.await;
            Ok("")
        }
    });
    let tools = tools([plain, asynchronous]);
    let context = CallContext::new();
    one_thread().block_on(async {
        for (count, name) in [(1, "plain"), (2, "async")] {
            let task = tokio::spawn(tools.handle_function_call_async(name, json!({}), &context));
            until(|| started.load(Ordering::SeqCst) >= count).await;
            task.abort();
            assert!(task.await.unwrap_err().is_cancelled());
        }
    });
    assert!(dropped.load(Ordering::SeqCst));
    eventually("the handler sees the flag", || seen.load(Ordering::SeqCst));
    assert!(
        !context.cancellation().is_cancelled(),
        "the caller's own flag"
    );
}

#[test]
fn dropping_an_awaited_batch_cancels_its_calls() {
    let dropped = Arc::new(AtomicUsize::new(0));
    let started = Arc::new(AtomicUsize::new(0));
    struct Counts(Arc<AtomicUsize>);
    impl Drop for Counts {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let (count, begun) = (Arc::clone(&dropped), Arc::clone(&started));
    let tool = Tool::new("t", "s")
        .parallel_safe()
        .async_handler(move |_, _| {
            let counts = Counts(Arc::clone(&count));
            begun.fetch_add(1, Ordering::SeqCst);
            async move {
                let _counts = counts;
                std::future::pending::<()>().await;
                Ok("")
            }
        });
    let tools = tools([tool]);
    let runtime = one_thread();
    runtime.block_on(async {
        let calls = vec![ToolCall::new("t", json!({})); 20];
        let options = BatchOptions::default();
        let batch = tools.handle_batch_async(calls, &options, &CallContext::new());
        let task = tokio::spawn(batch);
        until(|| started.load(Ordering::SeqCst) >= 8).await;
        task.abort();
        assert!(task.await.unwrap_err().is_cancelled());
        until(|| dropped.load(Ordering::SeqCst) >= 8).await;
    });
    assert_eq!(started.load(Ordering::SeqCst), 8);
}

#[test]
fn a_cancelled_awaited_call_ends_also_while_its_gate_asks() {
    let (go_on, wait) = mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let ran = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&ran);
    let registry = registry([Tool::new("t", "s").handler(move |_, _| {
        flag.store(true, Ordering::SeqCst);
        Ok("")
    })]);
    let (asked, asks) = mpsc::channel();
    let tools = Dispatcher::builder(registry)
        .gate(move |_| {
            let _ = asked.send(());
            let _ = wait.lock().unwrap().recv_timeout(LONG);
            Ok(Decision::Allow)
        })
        .build();
    let cancellation = Cancellation::default();
    let context = CallContext::new().with_cancellation(cancellation.clone());
    let runtime = threads(1);
    let task = runtime.spawn(tools.handle_function_call_async("t", json!({}), &context));
    asks.recv_timeout(LONG).unwrap();
    cancellation.cancel();
    let result = runtime.block_on(task).unwrap();
    assert_eq!(result.status(), Status::Cancelled);
    drop(go_on);
    drop(runtime);
    assert!(!ran.load(Ordering::SeqCst));
}

#[test]
fn what_an_awaited_call_takes_along_is_captured_when_it_is_made() {
    let gate_saw = Arc::new(Mutex::new(Vec::new()));
    let (before, after) = (Arc::clone(&gate_saw), Arc::clone(&gate_saw));
    let tools = Dispatcher::builder(carrying(owner_tools(), CarryOwner))
        .gate(move |_| {
            before
                .lock()
                .unwrap()
                .push(crate::support::carried::owner());
            Ok(Decision::Allow)
        })
        .post_hook(move |_, _| {
            after.lock().unwrap().push(crate::support::carried::owner());
            Ok(())
        })
        .build();
    let runtime = threads(2);
    let calls: Vec<_> = (1..=20)
        .map(|value| {
            let _scope = scope(value);
            let name = OWNER_TOOLS[value as usize % 4];
            (value, runtime.spawn(call_async(&tools, name)))
        })
        .collect();
    for (value, task) in calls {
        let result = runtime.block_on(task).unwrap();
        assert_eq!(result.into_text(), value.to_string());
    }
    let mut saw = gate_saw.lock().unwrap().clone();
    saw.sort_unstable();
    let expected: Vec<u32> = (1..=20).flat_map(|value| [value, value]).collect();
    assert_eq!(saw, expected);
    // Sync calls inside runtimes.
    let _scope = scope(5);
    for name in OWNER_TOOLS {
        let inside = one_thread().block_on(async { call(&tools, name) });
        assert_eq!(inside.into_text(), "5", "{name}");
    }
}

#[test]
fn a_carry_that_panics_stops_an_awaited_call_and_no_gate_lets_it_through() {
    for broken in [BrokenCarry::Capture, BrokenCarry::Enter] {
        let tools = Dispatcher::builder(carrying(owner_tools(), broken))
            .gate(|_| Ok(Decision::Allow))
            .build();
        for name in OWNER_TOOLS {
            let result = one_thread().block_on(call_async(&tools, name));
            assert_eq!(result.status(), Status::Error, "{broken:?} {name}");
            assert!(error_of(&result).contains("broken carry"), "{result}");
        }
    }
}

#[test]
fn a_runtime_that_is_shut_down_ends_its_calls_with_an_error() {
    let tools = tools([Tool::new("t", "s").handler(|_, _| Ok("ran"))]);
    let runtime = one_thread();
    let handle = runtime.handle().clone();
    drop(runtime);
    let _entered = handle.enter();
    let result = block_on(call_async(&tools, "t"));
    assert_eq!(result.status(), Status::Error, "{result}");
}

#[test]
fn a_thousand_calls_at_once_end_in_every_form_and_no_thread_is_left() {
    alone(
        "async_dispatch::a_thousand_calls_at_once_end_in_every_form_and_no_thread_is_left",
        || {
            let started = Instant::now();
            let registry = owner_tools();
            registry.register(tokio_tool()).unwrap();
            let tools = Dispatcher::new(carrying(registry, CarryOwner));
            for runtime in [one_thread(), threads(3)] {
                let calls: Vec<_> = (0..1_000)
                    .map(|value| {
                        let _scope = scope(value);
                        let name = OWNER_TOOLS[value as usize % 4];
                        (value, runtime.spawn(call_async(&tools, name)))
                    })
                    .collect();
                for (value, task) in calls {
                    let result = runtime.block_on(task).unwrap();
                    assert_eq!(result.into_text(), value.to_string());
                }
                let calls: Vec<_> = (0..1_000)
                    .map(|_| runtime.spawn(call_async(&tools, "tokio")))
                    .collect();
                for task in calls {
                    assert!(runtime.block_on(task).unwrap().is_ok());
                }
                // Inside the runtime, waiting, each on a thread of its own.
                runtime.block_on(async {
                    for _ in 0..20 {
                        assert!(call(&tools, "tokio").is_ok());
                    }
                });
            }
            std::thread::scope(|threads| {
                for _ in 0..200 {
                    threads.spawn(|| assert!(call(&tools, "tokio").is_ok()));
                }
            });
            assert_eq!(abandoned_handlers(), 0);
            no_thread_is_left();
            // The one runtime of the process stays, and is small.
            assert!(threads_named("hermes-async").unwrap_or(0) <= 4);
            assert!(started.elapsed() < LONG);
        },
    );
}

#[test]
fn a_plain_handler_that_was_given_up_does_not_keep_a_runtime_from_ending() {
    alone(
        "async_dispatch::a_plain_handler_that_was_given_up_does_not_keep_a_runtime_from_ending",
        || {
            let (go_on, wait) = mpsc::channel::<()>();
            let wait = Mutex::new(wait);
            let tool = Tool::new("t", "s")
                .timeout(Duration::from_millis(50))
                .handler(move |_, _| {
                    let _ = wait.lock().unwrap().recv();
                    Ok("late")
                });
            let runtime = one_thread();
            let result = runtime.block_on(call_async(&tools([tool]), "t"));
            assert_eq!(result.status(), Status::TimedOut);
            assert_eq!(abandoned_handlers(), 1);
            // Would wait for ever for one of its own threads.
            drop(runtime);
            go_on.send(()).unwrap();
            eventually("the handler has ended", || abandoned_handlers() == 0);
            no_thread_is_left();
        },
    );
}

#[test]
fn awaited_calls_start_no_thread_of_ours_on_a_runtime_with_timers() {
    alone(
        "async_dispatch::awaited_calls_start_no_thread_of_ours_on_a_runtime_with_timers",
        || {
            let tools = tools([
                tokio_tool(),
                Tool::new("plain", "s")
                    .parallel_safe()
                    .handler(|_, _| Ok("ok")),
            ]);
            let calls = vec![
                ToolCall::new("tokio", json!({})),
                ToolCall::new("plain", json!({})),
            ];
            let runtime = one_thread();
            let batch =
                tools.handle_batch_async(calls, &BatchOptions::default(), &CallContext::new());
            assert!(runtime.block_on(batch).iter().all(ToolResult::is_ok));
            for name in ["hermes-async", "hermes-call", "hermes-batch"] {
                assert_eq!(threads_named(name).unwrap_or(0), 0, "{name}");
            }
        },
    );
}
