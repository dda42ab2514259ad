//! What the tool layer costs: medians of many batches, in nanoseconds, and what readers lose to a
//! writer.
//!
//! ```text
//! cargo bench -p hermes-tools --bench tools
//! ```
//!
//! Exits with 1 when a figure that has a limit is beyond it.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a bench stops where it fails"
)]

use std::hint::black_box;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hermes_tools::{Arguments, CallContext, Dispatcher, Registry, Selection, Tool};
use serde_json::{Value, json};

const TOOLS: usize = 100;
const BATCHES: usize = 301;
const READERS: usize = 4;
const WINDOW: Duration = Duration::from_millis(100);
const WINDOWS: usize = 15;

/// The median of the time for one call, in nanoseconds.
fn median(calls: u32, mut work: impl FnMut()) -> f64 {
    let times = (0..BATCHES).map(|_| {
        let start = Instant::now();
        for _ in 0..calls {
            work();
        }
        start.elapsed().as_secs_f64() * 1e9 / f64::from(calls)
    });
    middle(times.collect())
}

fn middle(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn numbered(number: usize) -> Tool {
    Tool::new(format!("tool_{number}"), format!("set_{}", number % 10))
        .description(format!("Does the thing of number {number}."))
        .parameters(json!({
            "type": "object",
            "properties": {
                "text": {"type": "string", "description": "What to do it with"},
                "count": {"type": "integer", "description": "How often"},
            },
            "required": ["text"],
        }))
        .handler(|arguments, _| Ok(trivial(&arguments)))
}

/// What the tools do: as little as there is.
fn trivial(arguments: &Arguments) -> String {
    arguments.len().to_string()
}

fn registry() -> Registry {
    let registry = Registry::new();
    for number in 0..TOOLS {
        registry.register(numbered(number)).expect("a tool");
    }
    let ten: serde_json::Map<String, Value> = (0..10)
        .map(|n| (format!("n{n}"), json!({"type": "integer"})))
        .collect();
    registry
        .register(
            Tool::new("ten", "bench")
                .parameters(json!({"type": "object", "properties": ten}))
                .handler(|arguments, _| Ok(trivial(&arguments))),
        )
        .expect("a tool");
    registry
}

struct Report {
    failed: bool,
}

impl Report {
    fn figure(&mut self, name: &str, value: f64, unit: &str, limit: Option<f64>) {
        let limit_text = limit.map(|limit| format!("limit {limit:.0} {unit}"));
        let limit_text = limit_text.unwrap_or_default();
        println!("{name:<58} {value:>10.1} {unit}   {limit_text}");
        self.failed |= limit.is_some_and(|limit| value > limit);
    }
}

fn main() -> ExitCode {
    let mut report = Report { failed: false };
    calls(&mut report);
    definitions(&mut report);
    readers(&mut report);
    ExitCode::from(u8::from(report.failed))
}

/// Both sides make their arguments anew for each call, as they come from a model.
fn calls(report: &mut Report) {
    let dispatcher = Dispatcher::new(registry());
    let context = CallContext::new().with_session_id("s").with_task_id("t");
    let object = |value: &Value| match value {
        Value::Object(object) => object.clone(),
        _ => Arguments::new(),
    };
    let plain = json!({"text": "x"});
    let ten: Value = (0..10)
        .map(|n| (format!("n{n}"), json!(n.to_string())))
        .collect::<serde_json::Map<String, Value>>()
        .into();
    for (name, tool, arguments, limit) in [
        (
            "dispatch of a trivial tool, over the direct call",
            "tool_50",
            &plain,
            1_000.0,
        ),
        (
            "dispatch with ten arguments to coerce, over the direct call",
            "ten",
            &ten,
            3_000.0,
        ),
    ] {
        let direct = median(500, || {
            let text = trivial(&black_box(object(arguments)));
            drop(black_box(text));
        });
        let dispatched = median(500, || {
            let arguments = Value::Object(black_box(object(arguments)));
            drop(black_box(
                dispatcher.handle_function_call(tool, arguments, &context),
            ));
        });
        report.figure(name, dispatched - direct, "ns", Some(limit));
    }
}

fn definitions(report: &mut Report) {
    let registry = registry();
    let all = Selection::all();
    assert_eq!(registry.tool_definitions(&all).len(), TOOLS + 1);
    let again = median(500, || {
        drop(black_box(registry.tool_definitions(black_box(&all))))
    });
    report.figure(
        "definitions of 100 tools, as before",
        again,
        "ns",
        Some(200.0),
    );
    let some = Selection::of(["set_1", "set_2", "set_3"]).without(["set_2"]);
    drop(registry.tool_definitions(&some));
    let again = median(500, || {
        drop(black_box(registry.tool_definitions(black_box(&some))))
    });
    report.figure(
        "the same of a selection of four toolsets",
        again,
        "ns",
        Some(200.0),
    );
    for (name, selection) in [("all", &all), ("four toolsets", &some)] {
        // Only the call is timed; the change of the registry is what makes it cold.
        let cold = (0..BATCHES).map(|_| {
            registry.register(numbered(0)).expect("a tool");
            let start = Instant::now();
            drop(black_box(registry.tool_definitions(black_box(selection))));
            start.elapsed().as_secs_f64() * 1e6
        });
        let name = format!("definitions of 100 tools after a change, {name}");
        report.figure(&name, middle(cold.collect()), "µs", Some(100.0));
    }
}

/// Looks that `READERS` threads had in a while, in the whole.
fn looks(registry: &Registry, look: impl Fn(&Registry) + Sync) -> f64 {
    let done = AtomicBool::new(false);
    let total = AtomicU64::new(0);
    std::thread::scope(|threads| {
        for _ in 0..READERS {
            threads.spawn(|| {
                let mut own = 0;
                while !done.load(Ordering::Relaxed) {
                    for _ in 0..50 {
                        look(registry);
                    }
                    own += 50;
                }
                total.fetch_add(own, Ordering::Relaxed);
            });
        }
        std::thread::sleep(WINDOW);
        done.store(true, Ordering::Relaxed);
    });
    #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53")]
    let looks = total.load(Ordering::Relaxed) as f64;
    looks
}

/// The same while another thread registers a tool every millisecond.
fn looks_beside_a_writer(registry: &Registry, look: impl Fn(&Registry) + Sync) -> f64 {
    let done = AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                registry.register(numbered(0)).expect("a tool");
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        let looks = looks(registry, look);
        done.store(true, Ordering::Relaxed);
        looks
    })
}

fn readers(report: &mut Report) {
    type Look = fn(&Registry);
    let looked: [(&str, Look); 3] = [
        ("one tool", |registry| {
            drop(black_box(registry.get("tool_50")))
        }),
        ("all tools", |registry| {
            let count = registry
                .snapshot()
                .tools()
                .filter(|t| !t.is_fallback())
                .count();
            black_box(count);
        }),
        ("definitions", |registry| {
            drop(black_box(registry.tool_definitions(&Selection::all())));
        }),
    ];
    for (name, look) in looked {
        let registry = registry();
        // Side by side, so that what else the machine does falls on both.
        let lost = (0..WINDOWS).map(|_| {
            let alone = looks(&registry, look);
            let beside = looks_beside_a_writer(&registry, look);
            100.0 * (1.0 - beside / alone)
        });
        let name = format!("4 readers lose to a writer every ms, reading {name}");
        report.figure(&name, middle(lost.collect()), "%", Some(10.0));
    }
}
