//! A thousand sessions go while another process writes.

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
    let waits = waits_of(writer);
    assert_eq!(deleted.ids.len(), 1_000);
    report.note("prune of 1,000 sessions", took.as_secs_f64(), "s");
    report.note(
        "messages that another process wrote then",
        waits.len() as f64,
        "",
    );
    report.note("its p99 beside the prune", ms(percentile(&waits, 99)), "ms");
    report.at_most(
        "its longest wait beside the prune",
        ms(percentile(&waits, 100)),
        "ms",
        300.0,
    );
}
