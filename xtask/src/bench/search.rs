//! What a search costs beside a bare statement, beside a writer, as the store grows, and beside a real
//! release on the same store.

use super::state::{beside_release, times_as_fast};
use crate::error::Result;
use crate::workspace::Workspace;

const SECTIONS: &[&str] = &["search", "search-writer", "search-growth", "suggest"];

/// The query, and how many times as fast as the release ours is to be.
const COMPARED: [(&str, f64); 9] = [
    ("rare word", 4.0),
    ("two words", 1.0),
    ("phrase", 1.0),
    ("dotted", 1.0),
    ("prefix", 1.0),
    ("common word", 1.0),
    ("CJK 3", 1.0),
    ("CJK 2", 100.0),
    ("CJK 1", 25.0),
];

pub(super) fn run(ws: &Workspace) -> Result<()> {
    beside_release(ws, SECTIONS, "bench_search.py", |ours, theirs| {
        let names = COMPARED.map(|(name, _)| format!("{name}: ours"));
        let compared: Vec<_> = COMPARED
            .iter()
            .zip(&names)
            .map(|((name, least), ours)| (*name, ours.as_str(), *name, *least))
            .collect();
        times_as_fast(ours, theirs, &compared)
    })
}
