//! Behaviour through the public API, with real processes; one module a capability.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test that meets what it does not expect has to fail"
)]

mod background;
mod containers;
mod directories;
mod docker;
mod endings;
mod environments;
mod gates;
mod input;
mod isolation;
mod logins;
mod memory;
mod output;
mod processes;
mod remote;
mod requests;
mod sessions;
mod setup;
mod shells;
mod singularity;
mod ssh;
mod sudo;
