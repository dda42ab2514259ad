//! Opening a store that is in order, and many opening at once.

use std::time::Instant;

use hermes_state::Store;

use crate::report::{Report, median, ms};
use crate::workload;
use crate::writers::{finish, spawn};

pub(crate) fn run(report: &mut Report) {
    let path = workload::copy(&workload::big(), "ours");
    // Once to write, so that side files are where they will be.
    drop(Store::open(&path).unwrap());
    let held = Store::open(&path).unwrap();
    for (what, beside) in [
        ("open, alone", false),
        ("open, beside another handle", true),
    ] {
        let held = beside.then(|| held.clone());
        let times = (0..200)
            .map(|_| {
                let began = Instant::now();
                let store = Store::open(&path).unwrap();
                let took = ms(began.elapsed());
                drop(store);
                took
            })
            .collect();
        drop(held);
        report.at_most(what, median(times), "ms", 1.0);
    }
    drop(held);
    first_opens(report);
}

/// 8 processes, 10 rounds, on no file and on a file of version 9.
fn first_opens(report: &mut Report) {
    let old = testdata::fixture("v9.db");
    let mut failed = 0;
    for round in 0..10 {
        for from in [None, Some(old.path())] {
            let path = workload::scratch("first").join("state.db");
            if let Some(from) = from {
                std::fs::copy(from, &path).unwrap();
            }
            let children: Vec<_> = (0..8)
                .map(|_| spawn("child-open", &[path.to_str().unwrap()]))
                .collect();
            failed += children
                .into_iter()
                .filter_map(|child| finish(child).is_none().then_some(()))
                .count();
            let store = Store::open(&path).unwrap();
            store.complete_index(None, &|_| {}).unwrap();
            let info = store.info().unwrap();
            assert!(info.index.complete, "round {round}: {:?}", info.index);
            assert_eq!(store.schema_version(), 11);
        }
    }
    report.at_most("of 160 first opens at once, failed", failed as f64, "", 0.0);
}
