//! The crate through its public API, one module a capability.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test that meets what it does not expect has to fail"
)]

mod support;

mod arguments;
#[cfg(feature = "tokio")]
mod async_dispatch;
mod availability;
mod batches;
mod bridge;
mod cancellation;
mod coercion;
mod contract;
mod definitions;
mod discovery;
mod error_text;
#[cfg(feature = "tokio")]
mod executor;
mod memo;
mod names;
mod near;
mod patches;
mod presence;
mod registry;
mod replay;
mod schemas;
mod toolsets;
mod typed;
