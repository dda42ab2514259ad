//! A normal working day: what developers type all day must not be asked.

use std::collections::BTreeSet;

use hermes_approval::{AnalysisEnv, Decision, Platform, corpus};

/// The share that may be asked. It only falls.
const ASKED: f64 = 0.01;

/// Rows that are asked all the same, and why.
const STILL_ASKED: &[(&str, &str)] = &[
    (
        "day-0256",
        "makes a file executable and runs it at once: a key of the Python Hermes",
    ),
    (
        "day-0266",
        "deletes by an absolute path: a key of the Python Hermes",
    ),
    ("day-0849", "replaces work that was not committed"),
    (
        "day-1464",
        "installs from an address, whose code runs at once",
    ),
    ("day-1467", "removes a package without a question"),
    ("day-3454", "runs a file later, when nobody looks"),
    ("day-3455", "runs something later, when nobody looks"),
    (
        "day-3858",
        "prints every variable, those with tokens too, as `printenv` does",
    ),
    (
        "day-4658",
        "makes a file executable and runs it at once: a key of the Python Hermes",
    ),
    (
        "day-4721",
        "writes what every new shell runs: a key of the Python Hermes",
    ),
    (
        "day2-files-011",
        "makes a file executable and runs it at once: a key of the Python Hermes",
    ),
    (
        "day2-python-120",
        "find -exec rm: a key of the Python Hermes",
    ),
];

#[test]
fn hardly_anything_of_a_working_day_is_asked() {
    let rows = corpus::read(&testdata::working_day()).unwrap();
    assert!(rows.len() > 6000, "{} rows", rows.len());
    let report = corpus::run(&rows, &AnalysisEnv::new("/home/agent"), Platform::Posix);
    let flagged = || {
        report
            .outcomes
            .iter()
            .filter(|o| o.decision != Decision::Allow)
    };
    let list: String = flagged()
        .map(|o| format!("{} {:?} {:?}\n", o.row.id, o.row.command, o.rules))
        .collect();
    let total = report.total();
    assert_eq!(total.safe, rows.len(), "a row that isn't safe");
    assert!(total.safe_flagged_share() <= ASKED, "{list}{report}");
    assert_eq!(total.safe_blocked, 0, "{list}{report}");
    let asked: BTreeSet<&str> = flagged().map(|o| o.row.id.as_str()).collect();
    let known: BTreeSet<&str> = STILL_ASKED.iter().map(|&(id, _)| id).collect();
    let new: Vec<_> = asked.difference(&known).collect();
    let gone: Vec<_> = known.difference(&asked).collect();
    assert!(
        new.is_empty(),
        "asked without a reason: {new:?}\n{list}{report}"
    );
    assert!(gone.is_empty(), "no longer asked, strike them: {gone:?}");
}
