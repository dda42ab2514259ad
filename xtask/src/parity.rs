//! Comparisons with real Hermes Agent releases, run by Python where it can be had.
//!
//! Nothing of the releases is in this repository: they are installed into `target/parity`, or
//! found where `HERMES_PARITY_VENVS` points (a folder with `venv-0.13.0` and so on).

mod difference;
mod environment;
mod store_reads;

use crate::error::{Error, Result};
use crate::process::Program;
use crate::workspace::Workspace;
use environment::Environment;

/// One comparison with one or more releases.
struct Comparison {
    name: &'static str,
    about: &'static str,
    releases: &'static [&'static str],
    /// Gives the differences, each in a line or a few.
    run: fn(&Workspace, &Environment) -> Result<Vec<String>>,
}

const COMPARISONS: &[Comparison] = &[
    Comparison {
        name: "store-reads",
        about: "search and session list of v11.db: every row, key and value, in order",
        releases: &["0.13.0"],
        run: store_reads::rows,
    },
    Comparison {
        name: "search-order",
        about: "search of v11.db by a release that migrates it first: the same matches, in order",
        releases: &["0.19.0"],
        run: store_reads::search_order,
    },
];

pub(crate) fn command(ws: &Workspace, arguments: &[String]) -> Result<()> {
    if arguments == ["--list"] {
        for comparison in COMPARISONS {
            println!(
                "{:<13} {} ({})",
                comparison.name,
                comparison.about,
                comparison.releases.join(", ")
            );
        }
        return Ok(());
    }
    for name in arguments {
        if !COMPARISONS.iter().any(|comparison| comparison.name == name) {
            return Err(Error::usage(format!("parity has no comparison {name:?}")));
        }
    }
    Program::cargo(&ws.root)
        .args(["build", "--quiet", "--package", "hermesctl"])
        .run()?;
    let (mut same, mut different, mut skipped) = (0, 0, 0);
    for comparison in COMPARISONS {
        if !arguments.is_empty() && !arguments.iter().any(|name| name == comparison.name) {
            continue;
        }
        for release in comparison.releases {
            println!(
                "\n== {} with {release}: {}",
                comparison.name, comparison.about
            );
            let environment = match environment::find_or_make(ws, release) {
                Ok(environment) => environment,
                Err(reason) => {
                    println!("   skipped: {reason}");
                    skipped += 1;
                    continue;
                }
            };
            let found = (comparison.run)(ws, &environment)
                .unwrap_or_else(|error| vec![format!("could not compare: {error}")]);
            if found.is_empty() {
                println!("   no difference");
                same += 1;
            } else {
                println!("   {}", found.join("\n   "));
                different += 1;
            }
        }
    }
    println!("\nparity: {same} passed, {different} failed, {skipped} skipped");
    if skipped > 0 {
        println!("SKIPPED COMPARISONS PROVE NOTHING: see the reasons above.");
    }
    if different > 0 {
        return Err(Error::failed("hermesctl and a real release differ"));
    }
    Ok(())
}
