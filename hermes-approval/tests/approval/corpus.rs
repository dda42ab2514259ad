//! The corpora, and the figures below which no change may bring us.

use hermes_approval::corpus::{self, Report, Row};
use hermes_approval::{AnalysisEnv, Platform};

/// What a corpus has to come to. The figures only rise.
struct Floor {
    recall: f64,
    precision: f64,
    hardline_blocked: f64,
    safe_flagged: f64,
    keys: f64,
}

const FLOOR: Floor = Floor {
    recall: 0.995,
    precision: 0.995,
    hardline_blocked: 1.0,
    safe_flagged: 0.005,
    keys: 0.985,
};

/// Classes with so many dangerous rows have a floor of their own; in the others a few may be missed.
const LARGE: usize = 20;
const CLASS_RECALL: f64 = 0.9;
const CLASS_MISSED: usize = 2;

fn check(text: &str, more_than: usize, floor: &Floor) {
    let rows: Vec<Row> = corpus::read(text).unwrap();
    assert!(rows.len() > more_than, "{} rows", rows.len());
    let report = corpus::run(&rows, &AnalysisEnv::new("/home/agent"), Platform::Posix);
    let total = report.total();
    assert!(total.recall() >= floor.recall, "{report}");
    assert!(total.precision() >= floor.precision, "{report}");
    assert!(
        total.hardline_blocked_share() >= floor.hardline_blocked,
        "{report}"
    );
    assert!(total.safe_flagged_share() <= floor.safe_flagged, "{report}");
    assert!(total.key_share() >= floor.keys, "{report}");
    assert_eq!(total.safe_blocked, 0, "{report}");
    classes(&report);
}

fn classes(report: &Report<'_>) {
    for (class, counts) in report.classes() {
        let missed = counts.dangerous - counts.found;
        let enough = if counts.dangerous >= LARGE {
            counts.recall() >= CLASS_RECALL
        } else {
            missed <= CLASS_MISSED
        };
        assert!(enough, "{class} misses {missed}\n{report}");
    }
}

#[test]
fn the_corpus_is_judged_no_worse_than_before() {
    check(&testdata::approval(), 1500, &FLOOR);
}

#[test]
fn the_second_corpus_is_judged_no_worse_than_before() {
    check(&testdata::approval_second(), 3200, &FLOOR);
}
