//! What the tool layer costs: hermes-tools' own benchmark, which knows its limits; and the same of
//! a real release, as far as it does the same.

use serde_json::Value;

use super::run_bench_of;
use crate::error::{Context, Result};
use crate::parity;
use crate::workspace::Workspace;

const RELEASE: &str = "0.19.0";

pub(super) fn run(ws: &Workspace) -> Result<()> {
    // The limits are judged at the end: the release is measured in the same run in any case.
    let ours = run_bench_of(ws, "hermes-tools", "tools");
    match parity::environment(ws, RELEASE) {
        Ok(environment) => {
            let answer = environment
                .script(ws, "bench_tools.py")
                .arg("100")
                .output()?;
            let answer: Value =
                serde_json::from_slice(&answer).context(|| "the release's figures".to_owned())?;
            println!("\nHermes Agent {RELEASE} on the same machine (medians):");
            for (key, what) in [
                ("dispatch", "one call of a trivial tool"),
                ("dispatch_coerced", "one call with ten arguments to coerce"),
                ("definitions_again", "definitions of 100 tools, as before"),
                (
                    "definitions_cold",
                    "definitions of 100 tools after a change",
                ),
            ] {
                let nanos = answer.get(key).and_then(Value::as_f64).unwrap_or(f64::NAN);
                println!("{what:<58} {:>10.1} µs", nanos / 1e3);
            }
        }
        Err(reason) => println!("\nHermes Agent {RELEASE} was NOT measured: {reason}"),
    }
    ours
}
