//! Several calls of one turn, for callers that wait and for callers that await.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use hermes_tools::{
    BatchOptions, CallContext, Concurrency, Dispatcher, PathAccess, Status, Tool, ToolCall,
    ToolError, ToolResult,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::bridge::{OWNER_TOOLS, owner_tools};
use crate::support::alone::{alone, no_thread_is_left};
use crate::support::carried::{BrokenCarry, CarryOwner, carrying, scope};
use crate::support::later::{Never, together};
use crate::support::{LONG, Meeting, error_of, registry, tools, wait_for_the_flag};

/// The batch as every kind of caller runs it.
fn every_way(
    tools: &Dispatcher,
    calls: &[ToolCall],
    options: &BatchOptions,
    context: &CallContext,
) -> Vec<(&'static str, Vec<ToolResult>)> {
    let waits = tools.handle_batch(calls.to_vec(), options, context);
    #[cfg(not(feature = "tokio"))]
    return vec![("waits", waits)];
    #[cfg(feature = "tokio")]
    {
        let run = || tools.handle_batch_async(calls.to_vec(), options, context);
        let one = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let several = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .build()
            .unwrap();
        vec![
            ("waits", waits),
            ("awaits on one thread", one.block_on(run())),
            ("awaits on several threads", several.block_on(run())),
            (
                "awaits without a runtime",
                crate::support::later::block_on(run()),
            ),
            ("waits inside a runtime", {
                one.block_on(async { tools.handle_batch(calls.to_vec(), options, context) })
            }),
            ("waits inside several threads", {
                several.block_on(async { tools.handle_batch(calls.to_vec(), options, context) })
            }),
        ]
    }
}

fn texts(results: &[ToolResult]) -> Vec<String> {
    results.iter().map(ToString::to_string).collect()
}

fn call(name: &str) -> ToolCall {
    ToolCall::new(name, json!({}))
}

#[test]
fn an_empty_batch_gives_nothing() {
    let tools = tools([]);
    for (way, results) in every_way(&tools, &[], &BatchOptions::default(), &CallContext::new()) {
        assert!(results.is_empty(), "{way}");
    }
}

#[test]
fn parallel_calls_run_at_the_same_time_and_their_results_come_in_order() {
    // Each way gets a meeting of its own: all of a batch have to be there at once.
    let meetings: Vec<Meeting> = (0..6).map(|_| Meeting::of(4)).collect();
    let meetings = Arc::new(meetings);
    let arrived = Arc::new(AtomicUsize::new(0));
    let tool = Tool::new("meet", "s")
        .parallel_safe()
        .handler(move |arguments, _| {
            let turn = arrived.fetch_add(1, Ordering::SeqCst) / 4;
            assert!(meetings[turn].attend(), "the others did not come");
            Ok(arguments["n"].to_string())
        });
    let calls: Vec<ToolCall> = (0..4)
        .map(|n| ToolCall::new("meet", json!({"n": n})))
        .collect();
    let tools = tools([tool]);
    for (way, results) in every_way(
        &tools,
        &calls,
        &BatchOptions::default(),
        &CallContext::new(),
    ) {
        assert_eq!(texts(&results), ["0", "1", "2", "3"], "{way}");
    }
}

// TOOL-33
#[test]
fn sixteen_async_calls_run_together_so_that_all_take_little_longer_than_one() {
    let options = BatchOptions {
        max_in_flight: 16,
        ..BatchOptions::default()
    };
    let tools = || {
        // None ends before all have begun.
        let all = together(16);
        tools([Tool::new("t", "s")
            .parallel_safe()
            .timeout(LONG)
            .async_handler(move |_, _| {
                let all = all.clone();
                async move {
                    all.await;
                    Ok("ok")
                }
            })])
    };
    let results = tools().handle_batch(vec![call("t"); 16], &options, &CallContext::new());
    assert_eq!(texts(&results), vec!["ok"; 16]);
    #[cfg(feature = "tokio")]
    {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let run = tools().handle_batch_async(vec![call("t"); 16], &options, &CallContext::new());
        assert_eq!(texts(&runtime.block_on(run)), vec!["ok"; 16]);
    }
    let tools = tools();
    thread::scope(|threads| {
        for _ in 0..16 {
            threads.spawn(|| {
                let result = tools.handle_function_call("t", json!({}), &CallContext::new());
                assert_eq!(result.into_text(), "ok");
            });
        }
    });
}

/// Writes down what runs beside what.
#[derive(Default)]
struct Watch {
    running: Mutex<Vec<String>>,
    together: Mutex<BTreeSet<(String, String)>>,
    most: AtomicUsize,
}

impl Watch {
    fn run(&self, name: &str) {
        {
            let mut running = self.running.lock().unwrap();
            let mut together = self.together.lock().unwrap();
            for other in running.iter() {
                let mut pair = [other.clone(), name.to_owned()];
                pair.sort();
                let [a, b] = pair;
                together.insert((a, b));
            }
            running.push(name.to_owned());
            self.most.fetch_max(running.len(), Ordering::SeqCst);
        }
        // Long enough for whatever may run beside this to be seen doing it.
        thread::sleep(Duration::from_millis(10));
        let mut running = self.running.lock().unwrap();
        let place = running.iter().position(|other| other == name).unwrap();
        running.remove(place);
    }

    fn were_together(&self, a: &str, b: &str) -> bool {
        let mut pair = [a.to_owned(), b.to_owned()];
        pair.sort();
        let [a, b] = pair;
        self.together.lock().unwrap().contains(&(a, b))
    }
}

/// Tools of every kind of concurrency; the argument `id` names the call.
fn watched(watch: &Arc<Watch>) -> Dispatcher {
    let tool = |name: &str, concurrency: Concurrency| {
        let watch = Arc::clone(watch);
        Tool::new(name, "s")
            .concurrency(concurrency)
            .handler(move |arguments, _| {
                let id = arguments["id"].as_str().unwrap();
                watch.run(id);
                Ok(id.to_owned())
            })
    };
    let touches = |writes: bool| {
        Concurrency::paths(move |arguments, _| {
            vec![PathAccess {
                path: PathBuf::from(arguments["path"].as_str().unwrap()),
                writes,
            }]
        })
    };
    tools([
        tool("parallel", Concurrency::Parallel),
        tool("serial", Concurrency::Serial),
        tool("read", touches(false)),
        tool("write", touches(true)),
        tool("clarify", Concurrency::Interactive),
    ])
}

fn named(name: &str, id: &str, path: &str) -> ToolCall {
    ToolCall::new(name, json!({"id": id, "path": path}))
}

#[test]
fn calls_run_beside_each_other_only_where_their_tools_allow() {
    let calls = [
        named("write", "write a", "/nowhere/a"),
        named("read", "read a/x", "/nowhere/a/x"),
        named("read", "read a/x again", "/nowhere/../nowhere/a/x"),
        named("write", "write b", "/nowhere/b"),
        named("parallel", "any", ""),
        named("serial", "alone", ""),
        named("parallel", "any later", ""),
        named("write", "write a later", "/nowhere/a"),
    ];
    let ids: Vec<&str> = calls
        .iter()
        .map(|call| call.arguments["id"].as_str().unwrap())
        .collect();
    let may = [
        ("write a", "write b"),
        ("read a/x", "read a/x again"),
        ("write a", "any"),
        ("any later", "write a later"),
    ];
    let watch = Arc::new(Watch::default());
    let tools = watched(&watch);
    until_seen(
        || {
            for (way, results) in every_way(
                &tools,
                &calls,
                &BatchOptions::default(),
                &CallContext::new(),
            ) {
                assert_eq!(texts(&results), ids, "{way}");
            }
        },
        || may.iter().all(|(a, b)| watch.were_together(a, b)),
    );
    for other in &ids {
        assert!(!watch.were_together("alone", other), "{other}");
    }
    for earlier in &ids[..5] {
        assert!(!watch.were_together(earlier, "any later"), "{earlier}");
    }
    assert!(!watch.were_together("write a", "read a/x"));
    assert!(!watch.were_together("write a", "read a/x again"));
}

/// Runs at least twice, and until what may happen has been seen to: on a busy machine not
/// every run shows it.
fn until_seen(run: impl Fn(), seen: impl Fn() -> bool) {
    for times in 1.. {
        run();
        if times >= 2 && seen() {
            return;
        }
        assert!(times < 200, "never seen");
    }
}

#[test]
fn one_interactive_call_makes_the_batch_sequential_on_the_callers_thread() {
    let watch = Arc::new(Watch::default());
    let tools = watched(&watch);
    let calls = [
        named("parallel", "1", ""),
        named("clarify", "2", ""),
        named("parallel", "3", ""),
    ];
    for (way, results) in every_way(
        &tools,
        &calls,
        &BatchOptions::default(),
        &CallContext::new(),
    ) {
        assert_eq!(texts(&results), ["1", "2", "3"], "{way}");
    }
    assert_eq!(watch.most.load(Ordering::SeqCst), 1);

    let here = Tool::new("here", "s")
        .parallel_safe()
        .handler(|_, _| Ok(format!("{:?}", thread::current().id())));
    let tools = crate::support::tools([here]);
    let here = format!("{:?}", thread::current().id());
    let sequential = BatchOptions {
        sequential: true,
        ..BatchOptions::default()
    };
    let results = tools.handle_batch(vec![call("here"); 3], &sequential, &CallContext::new());
    assert_eq!(texts(&results), vec![here.clone(); 3]);
    let single = tools.handle_batch(
        vec![call("here")],
        &BatchOptions::default(),
        &CallContext::new(),
    );
    assert_eq!(texts(&single), [here]);
}

#[test]
fn no_more_calls_run_at_once_than_may() {
    let calls: Vec<ToolCall> = (0..6)
        .map(|n| named("parallel", &n.to_string(), ""))
        .collect();
    for (max_in_flight, most) in [(3, 3), (1, 1), (0, 1)] {
        let watch = Arc::new(Watch::default());
        let tools = watched(&watch);
        let options = BatchOptions {
            max_in_flight,
            ..BatchOptions::default()
        };
        until_seen(
            || {
                for (way, results) in every_way(&tools, &calls, &options, &CallContext::new()) {
                    assert_eq!(results.len(), 6, "{way}");
                }
                assert!(watch.most.load(Ordering::SeqCst) <= most);
            },
            || watch.most.load(Ordering::SeqCst) == most,
        );
    }
}

#[test]
fn a_call_whose_paths_cannot_be_found_runs_alone() {
    let watch = Arc::new(Watch::default());
    let broken = {
        let watch = Arc::clone(&watch);
        Tool::new("broken", "s")
            .concurrency(Concurrency::paths(|_, _| panic!("no idea")))
            .handler(move |_, _| {
                watch.run("broken");
                Ok("broken")
            })
    };
    let tools = watched(&watch);
    tools.registry().register(broken).unwrap();
    let calls = [
        named("parallel", "1", ""),
        call("broken"),
        named("parallel", "2", ""),
        named("parallel", "3", ""),
    ];
    until_seen(
        || {
            for (way, results) in every_way(
                &tools,
                &calls,
                &BatchOptions::default(),
                &CallContext::new(),
            ) {
                assert_eq!(texts(&results), ["1", "broken", "2", "3"], "{way}");
            }
        },
        || watch.were_together("2", "3"),
    );
    for other in ["1", "2", "3"] {
        assert!(!watch.were_together("broken", other), "{other}");
    }
    assert!(!watch.were_together("1", "2"));
}

#[test]
fn one_result_comes_for_each_call_whatever_the_model_sent() {
    let tools = tools([Tool::new("echo", "s")
        .parallel_safe()
        .handler(|arguments, context| {
            Ok(format!("{} {:?}", arguments["n"], context.tool_call_id()))
        })]);
    let entries = [
        json!({"id": "a", "type": "function",
               "function": {"name": "echo", "arguments": {"n": 1}}}),
        json!("echo"),
        json!({"id": "b", "name": "echo", "arguments": {"n": 2}}),
        json!({"id": "c", "function": {"name": null, "arguments": "{}"}}),
        json!({"id": "d", "function": {"name": "echo", "arguments": [1]}}),
        json!({"id": "e", "function": {"name": "ecko", "arguments": "{}"}}),
        json!({"function": {"name": "echo", "arguments": {"n": 3}}}),
    ];
    let calls: Vec<ToolCall> = entries.iter().map(ToolCall::from_model).collect();
    let context = CallContext::new().with_tool_call_id("of the batch");
    for (way, results) in every_way(&tools, &calls, &BatchOptions::default(), &context) {
        assert_eq!(results.len(), entries.len(), "{way}");
        assert_eq!(results[0].to_string(), "1 Some(\"a\")", "{way}");
        assert_eq!(
            error_of(&results[1]),
            "Malformed tool call: the call is not a JSON object"
        );
        assert_eq!(results[2].to_string(), "2 Some(\"b\")", "{way}");
        assert_eq!(
            error_of(&results[3]),
            "Malformed tool call: the call names no tool"
        );
        assert_eq!(results[4].status(), Status::BadArguments, "{way}");
        assert_eq!(results[5].status(), Status::UnknownTool, "{way}");
        assert!(results[5].to_string().contains("\"echo\""), "{way}");
        assert_eq!(results[6].to_string(), "3 None", "{way}");
    }
}

#[test]
fn what_hangs_in_a_batch_ends_at_the_limit_of_the_batch_and_hurts_no_other() {
    let hang = |name: &str| Tool::new(name, "s").parallel_safe();
    let tools = tools([
        hang("plain").handler(|_, context| {
            wait_for_the_flag(context);
            Ok("gave up")
        }),
        hang("async").async_handler(|_, _| async {
            Never(Arc::default()).await;
            Ok("")
        }),
        // The tool's own limit is longer: the shorter counts.
        hang("patient").timeout(LONG).async_handler(|_, _| async {
            Never(Arc::default()).await;
            Ok("")
        }),
        Tool::new("quick", "s")
            .parallel_safe()
            .handler(|_, _| Ok("ok")),
    ]);
    let calls = ["plain", "quick", "async", "quick", "patient"].map(call);
    for sequential in [false, true] {
        let options = BatchOptions {
            timeout: Some(Duration::from_millis(100)),
            sequential,
            ..BatchOptions::default()
        };
        for (way, results) in every_way(&tools, &calls, &options, &CallContext::new()) {
            let ended: Vec<Status> = results.iter().map(ToolResult::status).collect();
            let expected = [
                Status::TimedOut,
                Status::Ok,
                Status::TimedOut,
                Status::Ok,
                Status::TimedOut,
            ];
            assert_eq!(ended, expected, "{way} {sequential}");
        }
    }
}

#[test]
fn a_long_limit_of_the_batch_does_not_lengthen_that_of_async_handlers() {
    let registry = registry([Tool::new("t", "s").async_handler(|_, _| async {
        Never(Arc::default()).await;
        Ok("")
    })]);
    let tools = Dispatcher::builder(registry)
        .async_limit(Duration::from_millis(20))
        .build();
    let options = BatchOptions {
        timeout: Some(Duration::MAX),
        ..BatchOptions::default()
    };
    for (way, results) in every_way(&tools, &[call("t")], &options, &CallContext::new()) {
        assert_eq!(results[0].status(), Status::TimedOut, "{way}");
    }
}

#[test]
fn what_belongs_to_the_callers_thread_goes_with_every_call_of_a_batch() {
    let tools = Dispatcher::new(carrying(owner_tools(), CarryOwner));
    let calls = OWNER_TOOLS.map(call);
    let _scope = scope(9);
    for sequential in [false, true] {
        let options = BatchOptions {
            sequential,
            ..BatchOptions::default()
        };
        for (way, results) in every_way(&tools, &calls, &options, &CallContext::new()) {
            assert_eq!(texts(&results), ["9"; 4], "{way} {sequential}");
        }
    }
}

#[test]
fn a_carry_that_panics_gives_an_error_for_each_call() {
    for broken in [BrokenCarry::Capture, BrokenCarry::Enter] {
        let tools = Dispatcher::new(carrying(owner_tools(), broken));
        let calls = OWNER_TOOLS.map(call);
        for (way, results) in every_way(
            &tools,
            &calls,
            &BatchOptions::default(),
            &CallContext::new(),
        ) {
            for result in &results {
                assert_eq!(result.status(), Status::Error, "{way} {broken:?} {result}");
                assert!(
                    error_of(result).contains("broken carry"),
                    "{way} {broken:?}"
                );
            }
            assert_eq!(results.len(), 4, "{way}");
        }
    }
}

#[test]
fn hooks_see_every_call_of_a_batch_once_also_those_that_cannot_run() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&seen);
    let registry = registry([Tool::new("t", "s").parallel_safe().handler(|_, _| Ok("ok"))]);
    let tools = Dispatcher::builder(registry)
        .post_hook(move |call, outcome| {
            let id = call.context.tool_call_id().unwrap_or("-").to_owned();
            noted.lock().unwrap().push((id, outcome.status));
            Ok(())
        })
        .build();
    let calls = [
        call("t").with_id("1"),
        call("u").with_id("2"),
        call("t").with_id("3"),
    ];
    let ways = every_way(
        &tools,
        &calls,
        &BatchOptions::default(),
        &CallContext::new(),
    )
    .len();
    let mut seen = seen.lock().unwrap().clone();
    seen.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(seen.len(), 3 * ways);
    for (id, status) in seen {
        let expected = if id == "2" {
            Status::UnknownTool
        } else {
            Status::Ok
        };
        assert_eq!(status, expected, "{id}");
    }
}

#[test]
fn batches_leave_no_threads() {
    alone("batches::batches_leave_no_threads", || {
        let tools = Dispatcher::new(carrying(owner_tools(), CarryOwner));
        let calls: Vec<ToolCall> = (0..40).map(|n| call(OWNER_TOOLS[n % 4])).collect();
        thread::scope(|threads| {
            for _ in 0..8 {
                threads.spawn(|| {
                    let results = tools.handle_batch(
                        calls.clone(),
                        &BatchOptions::default(),
                        &CallContext::new(),
                    );
                    assert_eq!(texts(&results), vec!["0"; 40]);
                });
            }
        });
        no_thread_is_left();
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]
    #[test]
    fn any_batch_gives_each_call_its_own_result(
        picks in prop::collection::vec((0_usize..7, 0_u32..1000), 0..30),
        max_in_flight in 0_usize..10,
        sequential: bool,
    ) {
        let echo = |arguments: &hermes_tools::Arguments| arguments["n"].to_string();
        let tools = tools([
            Tool::new("parallel", "s").parallel_safe().handler(move |a, _| Ok(echo(&a))),
            Tool::new("serial", "s").handler(move |a, _| Ok(echo(&a))),
            Tool::new("paths", "s")
                .concurrency(Concurrency::paths(|a, _| vec![PathAccess {
                    path: PathBuf::from(format!("/nowhere/{}", a["n"].as_u64().unwrap() % 3)),
                    writes: a["n"].as_u64().unwrap() % 2 == 0,
                }]))
                .async_handler(move |a, _| async move { Ok(echo(&a)) }),
            Tool::new("fails", "s").parallel_safe()
                .handler(move |a, _| Err::<String, _>(ToolError::message(echo(&a)))),
            Tool::new("panics", "s").parallel_safe()
                .async_handler(move |a, _| async move {
                    if true { panic!("{}", echo(&a)) }
                    Ok("")
                }),
            Tool::new("null", "s").parallel_safe().handler(|_, _| Ok(Value::Null)),
        ]);
        let names = ["parallel", "serial", "paths", "fails", "panics", "null", "unknown"];
        let calls: Vec<ToolCall> = picks
            .iter()
            .map(|(name, n)| ToolCall::new(names[*name], json!({"n": n})))
            .collect();
        let options = BatchOptions { max_in_flight, sequential, timeout: None };
        for (way, results) in every_way(&tools, &calls, &options, &CallContext::new()) {
            prop_assert_eq!(results.len(), picks.len(), "{}", way);
            for ((name, n), result) in picks.iter().zip(results) {
                let expected = match names[*name] {
                    "fails" => json!({"error": format!("Tool execution failed: ToolError: {n}")}),
                    "panics" => json!({"error": format!("Tool execution failed: Panic: {n}")}),
                    "null" => {
                        prop_assert_eq!(result.status(), Status::BadResult);
                        continue;
                    }
                    "unknown" => {
                        prop_assert_eq!(result.status(), Status::UnknownTool);
                        continue;
                    }
                    _ => json!(n),
                };
                let given: Value = serde_json::from_str(&result.into_text()).unwrap();
                prop_assert_eq!(given, expected, "{}", way);
            }
        }
    }
}
