//! What the store costs beside bare SQLite: hermes-state's own benchmark, which knows its limits;
//! and a real release on the same store.

use super::{figure, figures_file};
use crate::error::{Error, Result};
use crate::parity;
use crate::process::Program;
use crate::workspace::Workspace;

pub(super) const RELEASE: &str = "0.13.0";

/// Figure of the release, figure of ours, what it is, and how many times as fast ours is to be.
const COMPARED: [(&str, &str, &str, f64); 5] = [
    (
        "get_messages_ms",
        "get_messages of 2,000: ours",
        "2,000 messages of a session",
        1.0,
    ),
    ("list_ms", "list_sessions, 20: ours", "a list of 20", 1.0),
    (
        "list_active_ms",
        "list_sessions by activity, 20: ours",
        "a list of 20 by last activity",
        8.0,
    ),
    (
        "search_sessions_ms",
        "search_sessions, 20: ours",
        "search_sessions, 20",
        8.0,
    ),
    (
        "export_s",
        "export of everything",
        "export of everything",
        5.0,
    ),
];

pub(super) fn run(ws: &Workspace) -> Result<()> {
    beside_release(ws, &[], "bench_state.py", compare)
}

/// Runs sections of the crate's benchmark (its own choice if none is named), then a real release on
/// the same store. The limits are judged at the end: the release is measured in any case.
pub(super) fn beside_release(
    ws: &Workspace,
    sections: &[&str],
    script: &str,
    compare: impl FnOnce(&[u8], &[u8]) -> Result<()>,
) -> Result<()> {
    let figures = figures_file(ws, "bench-state.json")?;
    let ours = Program::cargo(&ws.root)
        .args(["bench", "--quiet", "--package", "hermes-state"])
        .args(["--bench", "state", "--"])
        .args(sections)
        .arg("--figures")
        .arg(&figures)
        .run();
    let compared = match parity::environment(ws, RELEASE) {
        Ok(environment) => {
            let folder = ws.target_dir.join("bench-state");
            let answer = environment
                .script(ws, script)
                .arg(folder.join("big-2.db"))
                .arg(&folder)
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

/// Says how many times as fast as the release ours is, and fails where that is not enough: figure
/// of the release, figure of ours, what it is, and the least.
pub(super) fn times_as_fast(
    ours: &[u8],
    theirs: &[u8],
    compared: &[(&str, &str, &str, f64)],
) -> Result<()> {
    println!("\nHermes Agent {RELEASE} on the same store and machine, over ours:");
    let mut slow = Vec::new();
    for (theirs_name, ours_name, what, least) in compared {
        let (theirs, ours) = (figure(theirs, theirs_name)?, figure(ours, ours_name)?);
        let ratio = theirs / ours;
        println!(
            "{what:<58} {ratio:>10.1} ×   at least {least:.0} × ({theirs:.2} against {ours:.2})"
        );
        if ratio < *least {
            slow.push(*what);
        }
    }
    if slow.is_empty() {
        return Ok(());
    }
    Err(Error::failed(format!(
        "not as much faster than {RELEASE} as wanted: {}",
        slow.join(", ")
    )))
}

fn compare(ours: &[u8], theirs: &[u8]) -> Result<()> {
    let memory = figure(theirs, "export_mib")?;
    println!("\nthe release took {memory:.0} MiB of memory for the export");
    times_as_fast(ours, theirs, &COMPARED)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn figures(value: f64, theirs: bool) -> Vec<u8> {
        let mut map: serde_json::Map<String, Value> = COMPARED
            .iter()
            .map(|(t, o, ..)| ((if theirs { *t } else { *o }).to_owned(), value.into()))
            .collect();
        map.insert("export_mib".to_owned(), 100.0.into());
        serde_json::to_vec(&map).unwrap_or_default()
    }

    #[test]
    fn what_is_not_fast_enough_fails() {
        assert!(compare(&figures(1.0, false), &figures(9.0, true)).is_ok());
        assert!(compare(&figures(1.0, false), &figures(7.0, true)).is_err());
        assert!(compare(b"{}", &figures(9.0, true)).is_err());
    }
}
