//! The store through its public API, on real files and with real processes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs,
    reason = "a test fails by panicking, and nobody reads its docs"
)]

mod support;

#[cfg(feature = "tokio")]
mod async_store;
mod at_size;
mod backups;
mod bad_input;
mod concurrency;
mod contention;
mod conversation;
mod corruption;
mod damage;
mod damaged_roots;
mod deleting;
mod disk_full;
mod documents;
mod export_import;
mod exports;
#[cfg(unix)]
mod faulty_disk;
mod fixtures;
mod health;
mod hostile_files;
mod hostile_import;
mod import_options;
mod index_faults;
mod journals;
mod killed;
mod lineage;
mod lineage_tree;
mod lists;
mod maintenance;
mod migration;
mod model;
mod odd_places;
#[cfg(target_os = "linux")]
mod open_and_close;
mod paging;
mod platforms;
#[cfg(unix)]
mod power_cut;
mod prune;
mod query_corpus;
mod repairs;
mod repeated_failures;
#[cfg(unix)]
mod replaced_files;
mod replays;
mod rewrite;
mod schema;
mod search;
mod search_cases;
mod search_languages;
mod search_newer;
mod search_options;
mod search_scripts;
mod search_syntax;
mod search_totals;
mod search_vectors;
mod sessions;
mod shared_index;
mod snapshot;
mod suggestions;
mod sweep;
mod titles;
mod under_load;
mod upkeep;
mod usage;
mod user_cases;
mod writes;

/// What the other tests run as a process of its own; alone it does nothing.
#[test]
#[ignore = "run by other tests, as a process of its own"]
fn child_process() {
    support::child::run();
}
