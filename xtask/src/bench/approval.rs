//! What judging a command costs: hermes-approval's own benchmark, which knows its limits; and the
//! detector of a real release over the same corpus.

use super::{figure, figures_file};
use crate::error::{Error, Result};
use crate::parity;
use crate::process::Program;
use crate::workspace::Workspace;

const RELEASE: &str = "0.13.0";
const CORPUS: &str = "testdata/approval.jsonl";
/// How many times as fast as the reference the median is to stay.
const FASTER: f64 = 3.0;
/// What was aimed at. The analysis of a command alone takes more than a twentieth of what the
/// reference takes for its patterns.
const AIM: f64 = 20.0;

pub(super) fn run(ws: &Workspace) -> Result<()> {
    let figures = figures_file(ws, "bench-approval.json")?;
    // The limits are judged at the end: the release is measured in the same run in any case.
    let ours = Program::cargo(&ws.root)
        .args(["bench", "--quiet", "--package", "hermes-approval"])
        .args(["--bench", "approval", "--", "--figures"])
        .arg(&figures)
        .run();
    let compared = match parity::environment(ws, RELEASE) {
        Ok(environment) => {
            let answer = environment
                .script(ws, "bench_approval.py")
                .arg(CORPUS)
                .output()?;
            compare(&std::fs::read(&figures).unwrap_or_default(), &answer)
        }
        Err(reason) => {
            println!("\nHermes Agent {RELEASE} was NOT measured: {reason}");
            Ok(())
        }
    };
    ours.and(compared)
}

fn compare(ours: &[u8], theirs: &[u8]) -> Result<()> {
    println!("\nHermes Agent {RELEASE} on the same corpus and machine:");
    for (name, what) in [
        ("p50_us", "its detector, p50"),
        ("p99_us", "its detector, p99"),
        ("both_p50_us", "its hardline rules and its detector, p50"),
    ] {
        println!("{what:<58} {:>10.2} µs", figure(theirs, name)?);
    }
    let ratio = figure(theirs, "p50_us")? / figure(ours, "p50_us")?;
    println!(
        "{:<58} {ratio:>10.1} ×   at least {FASTER:.0} × (the aim: {AIM:.0} ×)",
        "its detector over ours, p50"
    );
    if ratio < FASTER {
        return Err(Error::failed(format!(
            "the median is only {ratio:.1} times as fast as that of {RELEASE}"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_that_is_not_fast_enough_fails() {
        let theirs = br#"{"p50_us": 100.0, "p99_us": 900.0, "both_p50_us": 120.0}"#;
        assert!(compare(br#"{"p50_us": 33.0}"#, theirs).is_ok());
        assert!(compare(br#"{"p50_us": 34.0}"#, theirs).is_err());
        assert!(compare(b"", theirs).is_err());
    }
}
