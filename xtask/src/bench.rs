//! Measurements of the release build, by area.

mod approval;
mod fts;
mod growth;
mod home;
mod kit;
mod search;
mod start;
mod state;
mod terminal;
mod tools;

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use crate::error::{Context, Error, Result};
use crate::process::Program;
use crate::workspace::Workspace;

/// What is measured together.
struct Area {
    name: &'static str,
    about: &'static str,
    run: fn(&Workspace) -> Result<()>,
}

const AREAS: &[Area] = &[
    Area {
        name: "start",
        about: "hermesctl from start to end on a small store, and the size of its binary",
        run: start::run,
    },
    Area {
        name: "approval",
        about: "judging commands: the corpus, the first call, a megabyte of anything, beside a real Hermes",
        run: approval::run,
    },
    Area {
        name: "fts",
        about: "reading a query of 100 characters, and a megabyte, cut and uncut",
        run: fts::run,
    },
    Area {
        name: "home",
        about: "resolving a home, with an override and without",
        run: home::run,
    },
    Area {
        name: "kit",
        about: "what the facade adds to a dispatch",
        run: kit::run,
    },
    Area {
        name: "search",
        about: "searches beside bare statements, beside a writer, as the store grows, and beside a real Hermes",
        run: search::run,
    },
    Area {
        name: "state",
        about: "the session store beside bare SQLite, beside other writers, and beside a real Hermes",
        run: state::run,
    },
    Area {
        name: "terminal",
        about: "a command in the foreground beside a bare shell; output read",
        run: terminal::run,
    },
    Area {
        name: "tools",
        about: "dispatch, definitions and readers of the registry, beside a real Hermes where it can be had",
        run: tools::run,
    },
];

/// Measures searches on stores of up to a million messages, prints the table and draws the plot of
/// `docs/performance.md`.
const PLOT: &str = "--plot";

pub(crate) fn command(ws: &Workspace, arguments: &[String]) -> Result<()> {
    if arguments == ["--list"] {
        for area in AREAS {
            println!("{:<8} {}", area.name, area.about);
        }
        return Ok(());
    }
    let (flags, arguments): (Vec<&String>, Vec<&String>) =
        arguments.iter().partition(|argument| *argument == PLOT);
    for name in &arguments {
        if !AREAS.iter().any(|area| area.name == *name) {
            return Err(Error::usage(format!("bench has no area {name:?}")));
        }
    }
    for area in AREAS {
        let all = arguments.is_empty() && flags.is_empty();
        if all || arguments.iter().any(|name| *name == area.name) {
            println!("\n== {}: {}", area.name, area.about);
            (area.run)(ws)?;
        }
    }
    match flags.is_empty() {
        true => Ok(()),
        false => growth::run(ws),
    }
}

/// Runs a crate's own benchmark, which knows its limits.
fn run_bench_of(ws: &Workspace, package: &str, bench: &str) -> Result<()> {
    Program::cargo(&ws.root)
        .args(["bench", "--quiet", "--package", package])
        .args(["--bench", bench])
        .run()
}

/// Where a crate's benchmark is to leave its figures. Those of an earlier run must not be taken for
/// this one's.
fn figures_file(ws: &Workspace, name: &str) -> Result<PathBuf> {
    let figures = ws.target_dir.join(name);
    if figures.exists() {
        std::fs::remove_file(&figures).context(|| format!("removing {}", figures.display()))?;
    }
    Ok(figures)
}

/// One of the figures that a benchmark has left, or a release has answered.
fn figure(figures: &[u8], name: &str) -> Result<f64> {
    let figures: Value = serde_json::from_slice(figures).context(|| "the figures".to_owned())?;
    let figure = figures.get(name).and_then(Value::as_f64);
    figure.ok_or_else(|| Error::failed(format!("the figures have no {name}")))
}

/// Times of the runs of one thing.
#[derive(Debug)]
struct Times {
    sorted: Vec<Duration>,
}

impl Times {
    fn new(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self { sorted: times }
    }

    /// The smallest time that at least `percent` of the runs do not exceed (nearest rank); zero
    /// without runs.
    fn percentile(&self, percent: usize) -> Duration {
        let rank = (self.sorted.len() * percent).div_ceil(100);
        self.sorted
            .get(rank.saturating_sub(1))
            .copied()
            .unwrap_or_default()
    }

    fn shown(&self) -> String {
        let ms = |time: Duration| format!("{:>7.2} ms", time.as_secs_f64() * 1e3);
        format!(
            "median {}   p99 {}   ({} runs)",
            ms(self.percentile(50)),
            ms(self.percentile(99)),
            self.sorted.len()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let times = Times::new((1..=200).rev().map(Duration::from_millis).collect());
        assert_eq!(times.percentile(50), Duration::from_millis(100));
        assert_eq!(times.percentile(99), Duration::from_millis(198));
        assert_eq!(times.percentile(100), Duration::from_millis(200));
        let one = Times::new(vec![Duration::from_millis(7)]);
        assert_eq!(one.percentile(50), Duration::from_millis(7));
        assert_eq!(Times::new(Vec::new()).percentile(50), Duration::ZERO);
    }
}
