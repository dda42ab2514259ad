//! Comparisons with real Hermes Agent releases, run by Python where it can be had.
//!
//! Nothing of the releases is in this repository: they are installed into `target/parity`, or
//! found where `HERMES_PARITY_VENVS` points (a folder with `venv-0.13.0` and so on).

mod difference;
mod environment;
mod state;
mod store_reads;
mod tools;

use crate::error::{Error, Result};
use crate::process::Program;
use crate::workspace::Workspace;
pub(crate) use environment::{Environment, find_or_make as environment};

/// One comparison with one or more releases.
struct Comparison {
    name: &'static str,
    about: &'static str,
    releases: &'static [&'static str],
    /// Differences that are wanted, by how they begin, with the reason.
    reviewed: &'static [(&'static str, &'static str)],
    /// Gives the differences, each in a line or a few.
    run: fn(&Workspace, &Environment, state::Amount) -> Result<Vec<String>>,
}

/// The release finds messages with one of two short CJK words, and none of what it wrote as \u escapes.
const ALL_WORDS: (&str, &str) = (
    "search \"漓江 桂林\"[1]",
    "both words are asked for, and a tool call that has both is found",
);

/// What becomes of arguments: the releases agree with each other in all of it.
const COERCIONS: &[(&str, &str)] = &[
    (
        "coerce union: ",
        "the releases look into anyOf and oneOf for null alone; an alternative that fits is taken here",
    ),
    (
        "coerce list of types: ",
        "text stays where text is allowed and it is not just how the other type is written; a lone \
         array in the list takes a bare value",
    ),
    ("coerce items: ", "the releases do not look inside arrays"),
    (
        "coerce properties: ",
        "the releases do not look inside objects",
    ),
    ("coerce integer: \"9", "every digit of an integer is kept"),
    ("coerce number: \"9", "every digit of an integer is kept"),
    (
        "coerce integer: \"1_000",
        "1_000 is a number in Python alone",
    ),
    (
        "coerce number: \"1_000",
        "1_000 is a number in Python alone",
    ),
    ("coerce number: \"-0", "the sign of a zero is kept"),
];

/// A disabled preset of a platform took the core tools with it before 0.19.
const PRESETS: (&str, &str) = (
    "definitions without a preset: ",
    "disabling a platform's preset removes only what it adds to the core tools, as in 0.19",
);

const COMPARISONS: &[Comparison] = &[
    Comparison {
        name: "store-reads",
        about: "search, session list and export of v11.db: every row, key and value, in order",
        releases: &["0.13.0"],
        reviewed: &[
            ALL_WORDS,
            (
                "sessions list[8].preview",
                "a first message in parts is previewed by its text",
            ),
            (
                "search \"terminal\"[0].snippet",
                "the snippet of a long message is short, also where it has no blanks",
            ),
            (
                "search \"zebraend\"[0].snippet",
                "the snippet of a long message is short, also where it has no blanks",
            ),
        ],
        run: |ws, environment, _| store_reads::rows(ws, environment),
    },
    Comparison {
        name: "search-order",
        about: "search of v11.db by a release that migrates it first: the same matches, in order",
        releases: &["0.19.0"],
        reviewed: &[ALL_WORDS],
        run: |ws, environment, _| store_reads::search_order(ws, environment),
    },
    Comparison {
        name: "state",
        about: "random operations on twin files, on one file in turns, and at the same time",
        releases: &["0.13.0", "0.19.0"],
        // Has a list of its own.
        reviewed: &[],
        run: state::compare,
    },
    Comparison {
        name: "tools-13",
        about: "definitions and toolsets with the tools of the release",
        releases: &["0.13.0"],
        reviewed: &[PRESETS],
        run: |ws, environment, _| tools::definitions(ws, environment),
    },
    Comparison {
        name: "tools-19",
        about: "definitions and toolsets with the tools of the release",
        releases: &["0.19.0"],
        reviewed: &[],
        run: |ws, environment, _| tools::definitions(ws, environment),
    },
    Comparison {
        name: "coercion",
        about: "what becomes of arguments under a schema",
        releases: &["0.13.0", "0.19.0"],
        reviewed: COERCIONS,
        run: |ws, environment, _| tools::coercion(ws, environment),
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
    let (arguments, amount) = amount(arguments)?;
    for name in &arguments {
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
            let environment = match environment(ws, release) {
                Ok(environment) => environment,
                Err(reason) => {
                    println!("   skipped: {reason}");
                    skipped += 1;
                    continue;
                }
            };
            let found = match (comparison.run)(ws, &environment, amount) {
                Ok(found) => unreviewed(found, comparison.reviewed),
                Err(error) => vec![format!("could not compare: {error}")],
            };
            if found.is_empty() {
                let reviewed = comparison.reviewed.len();
                println!("   no difference but {reviewed} reviewed ones");
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

/// Takes `--seed N` and `--ops N` out of the arguments.
fn amount(arguments: &[String]) -> Result<(Vec<String>, state::Amount)> {
    let mut names = Vec::new();
    let mut amount = state::Amount::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut number = || {
            let given = rest.next().and_then(|text| text.parse::<u64>().ok());
            given.ok_or_else(|| Error::usage(format!("{argument} takes a number")))
        };
        match argument.as_str() {
            "--seed" => amount.seed = number()?,
            "--ops" => amount.operations = usize::try_from(number()?).unwrap_or(usize::MAX),
            _ => names.push(argument.clone()),
        }
    }
    Ok((names, amount))
}

/// The differences that nobody has reviewed, and the reviewed ones that are gone.
fn unreviewed(found: Vec<String>, reviewed: &[(&str, &str)]) -> Vec<String> {
    let gone = reviewed
        .iter()
        .filter(|(start, _)| !found.iter().any(|f| f.starts_with(start)))
        .map(|(start, reason)| {
            format!("no difference any more, take it off the list: {start} ({reason})")
        })
        .collect::<Vec<_>>();
    found
        .into_iter()
        .filter(|f| !reviewed.iter().any(|(start, _)| f.starts_with(start)))
        .chain(gone)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::unreviewed;

    #[test]
    fn reviewed_differences_pass_and_must_still_be_there() {
        let found = || vec!["a[1].x: 1, ours 2".to_owned(), "b: 3, ours 4".to_owned()];
        assert_eq!(unreviewed(found(), &[("a[1]", "why")]), ["b: 3, ours 4"]);
        let left = unreviewed(found(), &[("a", "why"), ("b", "why"), ("c", "why")]);
        assert_eq!(
            left,
            ["no difference any more, take it off the list: c (why)"]
        );
    }
}
