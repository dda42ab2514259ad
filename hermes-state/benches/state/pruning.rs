//! Long work on the store while another process writes: a thousand sessions go, the index is
//! merged.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use hermes_state::{DeleteOptions, PruneFilter, Store};

use crate::report::{Report, ms, percentile};
use crate::workload;
use crate::writers::{spawn, waits_of};

pub(crate) fn run(report: &mut Report) {
    let path = workload::copy(&workload::big(), "prune");
    let conn = rusqlite::Connection::open(&path).unwrap();
    // The first thousand: of age, and ended.
    conn.execute_batch(
        "UPDATE sessions SET ended_at = started_at + 100, end_reason = 'user_exit'
         WHERE id < 'bench_001000'",
    )
    .unwrap();
    conn.execute_batch("UPDATE sessions SET ended_at = NULL WHERE id >= 'bench_001000'")
        .unwrap();
    drop(conn);
    let store = Store::open(&path).unwrap();
    let writer = spawn("child-write-until", &[path.to_str().unwrap()]);
    std::thread::sleep(Duration::from_millis(300));
    let began = Instant::now();
    let filter = PruneFilter::new().older_than_days(30.0);
    let deleted = store
        .prune(&filter, &DeleteOptions::default(), &mut |_| {
            ControlFlow::Continue(())
        })
        .unwrap();
    let took = began.elapsed();
    assert_eq!(deleted.ids.len(), 1_000);
    report.note("prune of 1,000 sessions", took.as_secs_f64(), "s");
    tell(report, "prune", waits_of(writer));
}

pub(crate) fn optimize(report: &mut Report) {
    let path = workload::copy(&workload::big(), "optimize");
    let store = Store::open(&path).unwrap();
    let writer = spawn("child-write-until", &[path.to_str().unwrap()]);
    std::thread::sleep(Duration::from_millis(300));
    let began = Instant::now();
    let done = store.optimize(&mut |_| ControlFlow::Continue(())).unwrap();
    let took = began.elapsed();
    report.note("optimize of 202,000 messages", took.as_secs_f64(), "s");
    report.note("segments before", done.segments_before.unwrap() as f64, "");
    report.note("segments after", done.segments_after.unwrap() as f64, "");
    tell(report, "optimize", waits_of(writer));
}

fn tell(report: &mut Report, beside: &str, waits: Vec<Duration>) {
    report.note(
        "messages that another process wrote then",
        waits.len() as f64,
        "",
    );
    let p99 = ms(percentile(&waits, 99));
    report.note(&format!("its p99 beside the {beside}"), p99, "ms");
    let longest = ms(percentile(&waits, 100));
    let what = format!("its longest wait beside the {beside}");
    report.at_most(&what, longest, "ms", 300.0);
}
