//! The crate through its public API, one module a capability.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test that meets what it does not expect has to fail"
)]

mod allowlist;
mod allowlist_processes;
mod asking;
mod audit;
mod corpus;
mod embedded;
mod examples;
mod flow;
#[cfg(feature = "tokio")]
mod flow_async;
mod flow_invariants;
mod gateway;
mod gateway_crowd;
mod grants;
mod hostile;
mod keys;
mod monotone;
#[cfg(unix)]
mod no_file;
mod normalise;
mod policy;
mod prompt;
mod properties;
mod redact;
mod roundabout;
mod scan;
mod scanner;
mod scripts;
#[cfg(feature = "smart")]
mod smart;
mod support;
mod verdicts;
mod windows;
mod words;
mod working_day;
mod wrappers;
