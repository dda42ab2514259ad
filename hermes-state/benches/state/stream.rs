//! Export and import of everything, and the memory that they take.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::time::Instant;

use hermes_state::{ExportOptions, Store, StoreOptions, Synchronous};

use crate::report::Report;
use crate::workload;
use crate::writers::{finish, spawn};

pub(crate) fn run(report: &mut Report) {
    let big = workload::big();
    let folder = workload::scratch("stream");
    let (lines, copy) = (folder.join("all.jsonl"), folder.join("state.db"));
    let [big, lines, copy] = [&big, &lines, &copy].map(|path| path.to_str().unwrap());
    for (role, arguments) in [("export", [big, lines]), ("import", [lines, copy])] {
        let said = finish(spawn(&format!("child-{role}"), &arguments)).expect("failed");
        let [seconds, mib] = [0, 1].map(|n: usize| said[n].parse::<f64>().unwrap());
        report.note(&format!("{role} of everything"), seconds, "s");
        report.at_most(&format!("{role} of everything: memory"), mib, "MiB", 64.0);
    }
    let count = |path: &str| {
        Store::open_read_only(path)
            .unwrap()
            .info()
            .unwrap()
            .messages
    };
    assert_eq!(count(big), count(copy));
}

pub(crate) fn export(store: &str, to: &str) {
    let began = Instant::now();
    let store = Store::open_read_only(store).unwrap();
    let mut out = BufWriter::new(File::create(to).unwrap());
    store
        .export(&ExportOptions::default(), &mut out, &mut |_| {})
        .unwrap();
    out.flush().unwrap();
    println!("{}\n{}", began.elapsed().as_secs_f64(), peak_mib());
}

pub(crate) fn import(from: &str, to: &str) {
    let began = Instant::now();
    let store = StoreOptions::new()
        .synchronous(Synchronous::Normal)
        .open(to)
        .unwrap();
    let mut input = BufReader::new(File::open(from).unwrap());
    let report = store.import(&mut input, &mut |_| {}).unwrap();
    assert!(report.errors.is_empty(), "{:?}", report.errors);
    println!("{}\n{}", began.elapsed().as_secs_f64(), peak_mib());
}

/// The most memory that this process has had; 0 where the system does not tell.
fn peak_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    line.and_then(|l| l.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok())
        .map_or(0.0, |kib| kib / 1024.0)
}
