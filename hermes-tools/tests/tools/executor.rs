//! Executors that go on while a call or a batch is made ready, however large it is.

use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hermes_tools::{
    BatchOptions, CallContext, Concurrency, Dispatcher, PathAccess, Status, Tool, ToolCall,
};
use serde_json::{Value, json};

use crate::support::registry;

/// Fewer than a task gets while anything large is read elsewhere, and more than it gets when it
/// has to wait for that.
const ENOUGH: usize = 10;

/// Runs this on an executor of one thread, beside a task that counts how often it gets its turn.
fn beside_a_task<F: Future>(run: impl FnOnce(Arc<AtomicUsize>) -> F) -> F::Output {
    let turns = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&turns);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async move {
        let count = Arc::clone(&counted);
        tokio::spawn(async move {
            loop {
                count.fetch_add(1, Ordering::SeqCst);
                tokio::task::yield_now().await;
            }
        });
        run(counted).await
    })
}

/// Says how many turns the task had when the handler began.
fn tool(turns: &Arc<AtomicUsize>, concurrency: Concurrency) -> Tool {
    let turns = Arc::clone(turns);
    Tool::new("t", "s")
        .parameters(json!({"type": "object", "properties": {
            "list": {"type": "array", "items": {"type": "integer"}},
        }}))
        .concurrency(concurrency)
        .async_handler(move |_, _| {
            let seen = turns.load(Ordering::SeqCst).to_string();
            async move { Ok(seen) }
        })
}

/// More than half a megabyte, as an object or as its text.
fn large() -> Value {
    json!({"list": vec!["12345"; 80_000]})
}

fn count(text: &str) -> usize {
    text.parse().unwrap_or_else(|_| panic!("{text}"))
}

#[test]
fn large_arguments_are_read_and_coerced_while_other_tasks_go_on() {
    for arguments in [large(), json!(large().to_string())] {
        let result = beside_a_task(|turns| async move {
            let tools = Dispatcher::new(registry([tool(&turns, Concurrency::Parallel)]));
            let call = tools.handle_function_call_async("t", arguments, &CallContext::new());
            turns.store(0, Ordering::SeqCst);
            call.await
        });
        let seen = count(&result.to_string());
        assert!(seen >= ENOUGH, "{seen}");
    }
}

#[test]
fn large_arguments_are_copied_for_hooks_while_other_tasks_go_on() {
    // A hook before stands between the reading and the copying.
    let result = beside_a_task(|turns| async move {
        let reset = Arc::clone(&turns);
        let tools = Dispatcher::builder(registry([tool(&turns, Concurrency::Parallel)]))
            .pre_hook(move |_| {
                reset.store(0, Ordering::SeqCst);
                Ok(hermes_tools::Decision::Allow)
            })
            .post_hook(|call, _| {
                assert_eq!(call.arguments["list"].as_array().unwrap().len(), 80_000);
                Ok(())
            })
            .build();
        let call = tools.handle_function_call_async("t", large(), &CallContext::new());
        call.await
    });
    let seen = count(&result.to_string());
    assert!(seen >= ENOUGH, "{seen}");
}

#[test]
fn a_call_with_large_arguments_ends_as_one_with_small_ones() {
    let tools = || {
        let broken = Tool::new("broken", "s").handler(|_, _| Ok(Value::Null));
        Dispatcher::new(registry([
            broken,
            tool(&Arc::default(), Concurrency::Parallel),
        ]))
    };
    let cut = large().to_string().replace('}', "");
    for (name, arguments, status) in [
        ("t", large(), Status::Ok),
        ("t", json!(cut), Status::BadArguments),
        ("t", json!(vec![1; 50_000]), Status::BadArguments),
        ("broken", large(), Status::BadResult),
        ("nobody", large(), Status::UnknownTool),
    ] {
        let context = CallContext::new();
        let waits = tools().handle_function_call(name, arguments.clone(), &context);
        let call = tools().handle_function_call_async(name, arguments, &context);
        let awaits = beside_a_task(|_| call);
        assert_eq!(awaits.status(), status, "{name}");
        assert_eq!(awaits.content(), waits.content(), "{name}");
        assert_eq!(awaits.warnings(), waits.warnings(), "{name}");
    }
}

#[test]
fn a_batch_is_read_and_ordered_while_other_tasks_go_on() {
    let paths = Concurrency::paths(|arguments, _| {
        let path = PathBuf::from(format!("/nowhere/{}", arguments["n"]));
        vec![PathAccess { path, writes: true }]
    });
    let calls = |arguments: &dyn Fn(usize) -> Value, count| -> Vec<ToolCall> {
        (0..count)
            .map(|n| ToolCall::new("t", arguments(n)))
            .collect()
    };
    for (what, concurrency, calls) in [
        ("large", Concurrency::Parallel, calls(&|_| large(), 2)),
        (
            "many",
            Concurrency::Parallel,
            calls(&|n| json!({"n": n}), 5_000),
        ),
        ("many with paths", paths, calls(&|n| json!({"n": n}), 5_000)),
    ] {
        let all = calls.len();
        let results = beside_a_task(|turns| async move {
            let tools = Dispatcher::new(registry([tool(&turns, concurrency)]));
            let context = CallContext::new();
            let batch = tools.handle_batch_async(calls, &BatchOptions::default(), &context);
            turns.store(0, Ordering::SeqCst);
            batch.await
        });
        assert_eq!(results.len(), all, "{what}");
        let first = results
            .iter()
            .map(|result| count(&result.to_string()))
            .min();
        assert!(first >= Some(ENOUGH), "{what}: {first:?}");
    }
}
