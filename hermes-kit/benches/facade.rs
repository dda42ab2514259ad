//! What the facade adds to a dispatch.
//!
//! ```text
//! cargo bench -p hermes-kit --bench facade
//! ```
//!
//! Exits with 1 when it is beyond its limit.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a bench stops where it fails"
)]

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use hermes_kit::Hermes;
use hermes_kit::toolkit::{CallContext, Dispatcher, Registry, Tool};
use serde_json::json;

const ROUNDS: usize = 101;
const CALLS: u32 = 1_000;
/// What the facade may add.
const LIMIT_US: f64 = 5.0;

fn main() -> ExitCode {
    let folder = tempfile::tempdir().expect("a folder");
    let registry = Registry::new();
    let nothing = Tool::new("nothing", "test").handler(|_, _| Ok("ok"));
    registry.register(nothing).expect("a tool");
    let hermes = Hermes::builder()
        .home(folder.path())
        .registry(registry.clone())
        .open()
        .expect("a home");
    let alone = Dispatcher::new(registry);
    let context = CallContext::new().with_session_id("s").with_task_id("t");
    let arguments = json!({"path": "src/main.rs", "limit": 20, "text": "a few words of text"});

    let (mut without, mut with) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        without.push(per_call(|| {
            let _ = black_box(alone.handle_function_call("nothing", arguments.clone(), &context));
        }));
        with.push(per_call(|| {
            let _ = black_box(hermes.handle_function_call("nothing", arguments.clone(), &context));
        }));
    }
    let (without, with) = (median(without), median(with));
    println!("a dispatch                {without:8.2} µs");
    println!("the same by the facade    {with:8.2} µs");
    println!(
        "added                     {:8.2} µs (limit {LIMIT_US} µs)",
        with - without
    );
    match with - without <= LIMIT_US {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// In microseconds.
fn per_call(call: impl Fn()) -> f64 {
    let start = Instant::now();
    for _ in 0..CALLS {
        call();
    }
    start.elapsed().as_secs_f64() * 1e6 / f64::from(CALLS)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
