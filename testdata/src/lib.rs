//! Recorded databases, vectors and cases that the tests of this workspace run against, and a podman
//! of a test's own.
//!
//! Unpublished test support: whatever is missing or broken here makes the test that asked for it
//! panic with the name of the file. The README says what there is and where it comes from.
//!
//! ```
//! let fixture = testdata::fixture("v11.db");
//! assert_eq!(std::fs::read(fixture.path()).unwrap(), fixture.bytes());
//! // `fixture` is dropped here, and its folder with it.
//! ```
#![allow(
    clippy::panic,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "test support: a missing or broken file must fail the test that asked for it"
)]

mod files;
mod fixture;
#[cfg(unix)]
mod podman;

pub use files::{approval, approval_second, cases, manifest, queries, vectors, working_day};
pub use fixture::{Fixture, all_fixtures, fixture};
#[cfg(unix)]
pub use podman::{PODMAN_IMAGE, Podman};
