//! What the store costs beside SQLite itself: the same statements in a bare loop of rusqlite, on the
//! same tables, in the same run.
//!
//! `cargo bench -p hermes-state --bench state -- [SECTION…] [--figures FILE]`; without a section all
//! of them but those of search. The big store (200,000 messages) is made once and kept in the target folder.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a measurement that cannot be made ends the run"
)]

mod append;
mod bare;
mod opening;
mod pruning;
mod reads;
mod reindexing;
mod report;
mod searching;
mod stream;
mod suggesting;
mod workload;
mod writers;

use std::path::PathBuf;

use report::Report;

type Section = (&'static str, fn(&mut Report));

/// What is measured only when it is named: an area of its own.
const SEARCH: &[Section] = &[
    ("search", searching::run),
    ("search-writer", searching::beside_a_writer),
    ("search-growth", searching::growth),
    ("suggest", suggesting::run),
];

const SECTIONS: &[Section] = &[
    ("append", append::run),
    ("writers", writers::run),
    ("open", opening::run),
    ("reads", reads::run),
    ("stream", stream::run),
    ("reindex", reindexing::run),
    ("prune", pruning::run),
    ("optimize", pruning::optimize),
];

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    if let Some((role, rest)) = arguments.split_first()
        && writers::play(role, rest)
    {
        return;
    }
    let mut chosen = Vec::new();
    let mut figures = None;
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        if argument == "--figures" {
            figures = arguments.next().map(PathBuf::from);
        } else {
            chosen.push(argument);
        }
    }
    let all = || SECTIONS.iter().chain(SEARCH);
    for name in &chosen {
        assert!(
            all().any(|(n, _)| n == name),
            "no section {name:?}: {:?}",
            all().map(|(n, _)| n).collect::<Vec<_>>()
        );
    }
    let mut report = Report::default();
    let sections: Vec<&Section> = if chosen.is_empty() {
        SECTIONS.iter().collect()
    } else {
        all().collect()
    };
    for (name, run) in sections {
        if chosen.is_empty() || chosen.iter().any(|c| c == name) {
            println!("\n-- {name}");
            run(&mut report);
        }
    }
    report.end(figures);
}
