//! Measures the analysis: over a file of commands, and on a megabyte of hostile text of each kind.

use std::hint::black_box;
use std::time::Instant;

use hermes_approval::{AnalysisEnv, Platform, analyse};

fn main() {
    let env = AnalysisEnv::new("/home/agent");
    let mut arguments = std::env::args().skip(1);
    if let Some(path) = arguments.next().filter(|p| p != "-") {
        corpus(&path, &env);
    }
    for unit in arguments {
        let unit = unit.replace("\\n", "\n").replace("\\0", "\0");
        for size in [1 << 18, 1 << 20] {
            let text = unit.repeat(size / unit.len());
            let start = Instant::now();
            let analysis = black_box(analyse(&text, &env, Platform::Posix));
            let took = start.elapsed();
            println!(
                "{unit:?} × {} bytes: {took:?}, {} invocations",
                text.len(),
                analysis.invocations().len()
            );
        }
    }
}

fn corpus(path: &str, env: &AnalysisEnv) {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let commands: Vec<String> = text
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter_map(|row| row.get("command")?.as_str().map(str::to_owned))
        .collect();
    let mut times: Vec<u128> = Vec::new();
    for command in &commands {
        let mut best = u128::MAX;
        for _ in 0..20 {
            let start = Instant::now();
            black_box(analyse(black_box(command), env, Platform::Posix));
            best = best.min(start.elapsed().as_nanos());
        }
        times.push(best);
    }
    times.sort_unstable();
    let at = |share: f64| {
        times
            .get((times.len() as f64 * share) as usize)
            .copied()
            .unwrap_or(0)
    };
    println!(
        "{} commands: p50 {} ns, p90 {} ns, p99 {} ns, max {:?} ns",
        times.len(),
        at(0.5),
        at(0.9),
        at(0.99),
        times.last()
    );
}
