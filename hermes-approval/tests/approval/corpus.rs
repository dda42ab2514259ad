//! The corpus, and the figures below which no change may bring us.

use hermes_approval::{AnalysisEnv, Platform, corpus};

/// Floors. They only rise.
const RECALL: f64 = 0.67;
const PRECISION: f64 = 0.99;
const HARDLINE_BLOCKED: f64 = 0.95;
const SAFE_FLAGGED: f64 = 0.01;
const KEYS: f64 = 0.98;

#[test]
fn the_corpus_is_judged_no_worse_than_before() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata/approval.jsonl");
    let rows = corpus::read(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert!(rows.len() > 1500, "{} rows", rows.len());
    let report = corpus::run(&rows, &AnalysisEnv::new("/home/agent"), Platform::Posix);
    let total = report.total();
    println!("{report}");
    assert!(total.recall() >= RECALL, "{report}");
    assert!(total.precision() >= PRECISION, "{report}");
    assert!(
        total.hardline_blocked_share() >= HARDLINE_BLOCKED,
        "{report}"
    );
    assert!(total.safe_flagged_share() <= SAFE_FLAGGED, "{report}");
    assert!(total.key_share() >= KEYS, "{report}");
    assert_eq!(total.safe_blocked, 0, "{report}");
}
