//! Reading a damaged database without SQLite: the file format, page by page.
//!
//! SQLite gives up a table where it meets the first damaged page. Here each page is read for itself:
//! a page that makes no sense costs what was on it, and what it led to is found by looking at every
//! page that nothing else leads to. Nothing is trusted: every number is checked against the file,
//! every page is used at most once, so that any bytes are read in a time that grows with their number.
//!
//! What is read goes into a new file ([`rebuild`]) with the definitions of the old one, or with those
//! of version 11 where they are gone.

mod definitions;
pub(crate) mod header;
mod ids;
mod page;
mod rebuild;
mod record;
mod walk;

pub(crate) use rebuild::rebuild;
pub use rebuild::{Recovered, TableRows};
