//! The gate: every check, in an order that fails early and builds as little as possible twice.

use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::process::Program;
use crate::workspace::Workspace;
use crate::{crash, deps, each_alone, outside, packaging, tidy};

/// One check.
struct Step {
    name: &'static str,
    about: &'static str,
    run: fn(&Workspace) -> Result<()>,
}

/// First what takes no build, then what type-checks, then what links, then what repeats.
const STEPS: &[Step] = &[
    Step {
        name: "fmt",
        about: "the code is formatted",
        run: fmt,
    },
    Step {
        name: "tidy",
        about: "house rules that no compiler checks",
        run: tidy::check,
    },
    Step {
        name: "deps",
        about: "licences, duplicate versions, layers",
        run: deps::check,
    },
    Step {
        name: "clippy",
        about: "no warning in any target, with all features",
        run: clippy,
    },
    Step {
        name: "test",
        about: "unit and integration tests, with all features",
        run: test,
    },
    Step {
        name: "crash",
        about: "writers killed at random lose nothing, and many work on one store at once",
        run: crash::check,
    },
    Step {
        name: "doctest",
        about: "examples in the documentation",
        run: doctest,
    },
    Step {
        name: "doc",
        about: "documentation builds without a warning",
        run: doc,
    },
    Step {
        name: "alone",
        about: "each crate by itself, with no, default and all features",
        run: each_alone::check,
    },
    Step {
        name: "outside",
        about: "programs outside the workspace that take the crates as anybody would",
        run: outside::check,
    },
    Step {
        name: "package",
        about: "the published crates can be packaged, and build as packaged",
        run: packaging::check,
    },
];

/// A Debian package that single tests use, and which. Those tests skip loudly without it.
const DEBIAN_PACKAGES: &[(&str, &str)] = &[
    (
        "openssh-server",
        "the tests of the backend ssh, which start their own sshd on a loopback port",
    ),
    (
        "podman",
        "the tests of the backend docker, whose images and containers are in folders of their own",
    ),
    ("catatonit", "the first process of those containers"),
    ("runc", "those containers, where crun does not start them"),
];

#[derive(Debug, Default)]
struct Options {
    install: bool,
    keep_going: bool,
    list: bool,
    steps: Vec<String>,
}

pub(crate) fn command(ws: &Workspace, arguments: &[String]) -> Result<()> {
    let options = parse(arguments)?;
    if options.list {
        for step in STEPS {
            println!("{:<8} {}", step.name, step.about);
        }
        return Ok(());
    }
    let names: Vec<&str> = options.steps.iter().map(String::as_str).collect();
    let steps = chosen(STEPS, &names)?;
    if options.install {
        install(ws)?;
    }
    run(ws, &steps, options.keep_going)
}

fn parse(arguments: &[String]) -> Result<Options> {
    let mut options = Options::default();
    for argument in arguments {
        match argument.as_str() {
            "--install" => options.install = true,
            "--keep-going" => options.keep_going = true,
            "--list" => options.list = true,
            flag if flag.starts_with('-') => {
                return Err(Error::usage(format!("ci has no option {flag}")));
            }
            step => options.steps.push(step.to_owned()),
        }
    }
    Ok(options)
}

/// The named steps in the order of the table, or all.
fn chosen<'a>(all: &'a [Step], names: &[&str]) -> Result<Vec<&'a Step>> {
    for name in names {
        if !all.iter().any(|step| step.name == *name) {
            let known: Vec<&str> = all.iter().map(|step| step.name).collect();
            return Err(Error::usage(format!(
                "ci has no step {name:?}; it has {}",
                known.join(", ")
            )));
        }
    }
    let wanted = |step: &&Step| names.is_empty() || names.contains(&step.name);
    Ok(all.iter().filter(wanted).collect())
}

/// What became of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed(String),
    /// An earlier step failed.
    NotRun,
}

fn run(ws: &Workspace, steps: &[&Step], keep_going: bool) -> Result<()> {
    let start = Instant::now();
    let mut results = Vec::new();
    let mut stopped = false;
    for step in steps {
        if stopped {
            results.push((step.name, Outcome::NotRun, Duration::ZERO));
            continue;
        }
        println!("\n== {}: {}", step.name, step.about);
        let step_start = Instant::now();
        let outcome = match (step.run)(ws) {
            Ok(()) => Outcome::Passed,
            Err(error) => Outcome::Failed(error.to_string()),
        };
        let took = step_start.elapsed();
        match &outcome {
            Outcome::Failed(why) => {
                println!("-- {}: FAILED in {}: {why}", step.name, seconds(took));
                stopped = !keep_going;
            }
            _ => println!("-- {}: ok in {}", step.name, seconds(took)),
        }
        results.push((step.name, outcome, took));
    }
    println!("\n{}", summary(&results, start.elapsed()));
    let failed: Vec<&str> = results
        .iter()
        .filter(|(_, outcome, _)| matches!(outcome, Outcome::Failed(_)))
        .map(|(name, _, _)| *name)
        .collect();
    if failed.is_empty() {
        return Ok(());
    }
    Err(Error::failed(format!("failed: {}", failed.join(", "))))
}

/// The table at the end; its last line counts the steps.
fn summary(results: &[(&str, Outcome, Duration)], total: Duration) -> String {
    let mut lines = vec![format!("{:<8} {:<8} {:>9}", "step", "result", "time")];
    for (name, outcome, took) in results {
        let (word, time) = match outcome {
            Outcome::Passed => ("ok", seconds(*took)),
            Outcome::Failed(_) => ("FAILED", seconds(*took)),
            Outcome::NotRun => ("not run", String::new()),
        };
        lines.push(
            format!("{name:<8} {word:<8} {time:>9}")
                .trim_end()
                .to_owned(),
        );
    }
    lines.push(format!("{:<8} {:<8} {:>9}", "total", "", seconds(total)));
    let count = |wanted: fn(&Outcome) -> bool| results.iter().filter(|r| wanted(&r.1)).count();
    lines.push(format!(
        "\nsteps: {} passed, {} failed, {} skipped",
        count(|o| *o == Outcome::Passed),
        count(|o| matches!(o, Outcome::Failed(_))),
        count(|o| *o == Outcome::NotRun),
    ));
    lines.join("\n")
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

fn fmt(ws: &Workspace) -> Result<()> {
    Program::cargo(&ws.root)
        .args(["fmt", "--all", "--", "--check"])
        .run()
}

fn clippy(ws: &Workspace) -> Result<()> {
    Program::cargo(&ws.root)
        .args(["clippy", "--workspace", "--all-targets", "--all-features"])
        .args(["--", "-D", "warnings"])
        .run()
}

/// nextest where it is installed: it runs all tests of the workspace at once and names slow ones.
fn test(ws: &Workspace) -> Result<()> {
    let nextest = Program::cargo(&ws.root).args(["nextest", "--version"]);
    if nextest.output().is_ok() {
        return Program::cargo(&ws.root)
            .args(["nextest", "run", "--workspace", "--all-features"])
            .args(["--no-fail-fast", "--status-level", "slow"])
            .run();
    }
    println!("   cargo-nextest is not installed; cargo test does the same, more slowly");
    Program::cargo(&ws.root)
        .args(["test", "--workspace", "--all-features", "--no-fail-fast"])
        .args(["--lib", "--bins", "--tests", "--examples"])
        .run()
}

fn doctest(ws: &Workspace) -> Result<()> {
    Program::cargo(&ws.root)
        .args(["test", "--workspace", "--all-features", "--doc"])
        .run()
}

fn doc(ws: &Workspace) -> Result<()> {
    Program::cargo(&ws.root)
        .args(["doc", "--workspace", "--all-features", "--no-deps"])
        .env("RUSTDOCFLAGS", "-D warnings")
        .run()
}

/// Installs what [`DEBIAN_PACKAGES`] lists, where there is apt. Only `--install` comes here.
fn install(ws: &Workspace) -> Result<()> {
    if DEBIAN_PACKAGES.is_empty() {
        return Ok(());
    }
    println!("\n== install: Debian packages that single tests use");
    for (package, used_by) in DEBIAN_PACKAGES {
        println!("   {package}: {used_by}");
    }
    let apt = |arguments: &[&str]| {
        Program::new("apt-get", &ws.root)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .args(arguments)
    };
    if apt(&["--version"]).output().is_err() {
        println!("   skipped: there is no apt-get here");
        return Ok(());
    }
    apt(&["update", "-q"]).run()?;
    apt(&["install", "-q", "-y", "--no-install-recommends"])
        .args(DEBIAN_PACKAGES.iter().map(|(package, _)| package))
        .run()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owned(arguments: &[&str]) -> Vec<String> {
        arguments.iter().map(|&a| a.to_owned()).collect()
    }

    #[test]
    fn arguments_are_options_or_names_of_steps() {
        let options = parse(&owned(&["--install", "fmt", "--keep-going", "doc"])).unwrap();
        assert!(options.install && options.keep_going && !options.list);
        assert_eq!(options.steps, ["fmt", "doc"]);
        assert!(matches!(parse(&owned(&["--fast"])), Err(Error::Usage(_))));
    }

    #[test]
    fn named_steps_run_in_the_order_of_the_table() {
        let names = |wanted: &[&str]| -> Vec<&str> {
            let steps = chosen(STEPS, wanted).unwrap();
            steps.iter().map(|step| step.name).collect()
        };
        assert_eq!(names(&["doc", "fmt"]), ["fmt", "doc"]);
        assert_eq!(names(&[]).len(), STEPS.len());
        assert!(chosen(STEPS, &["tests"]).is_err());
    }

    #[test]
    fn the_summary_counts_and_the_last_line_is_plain() {
        let results = [
            ("fmt", Outcome::Passed, Duration::from_millis(1200)),
            ("tidy", Outcome::Failed("x".to_owned()), Duration::ZERO),
            ("doc", Outcome::NotRun, Duration::ZERO),
        ];
        let text = summary(&results, Duration::from_secs(61));
        assert!(text.contains("fmt      ok           1.2 s"), "{text}");
        assert!(text.contains("total                61.0 s"), "{text}");
        assert_eq!(
            text.lines().last(),
            Some("steps: 1 passed, 1 failed, 1 skipped")
        );
    }
}
