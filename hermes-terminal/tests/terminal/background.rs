//! Processes that are left running.

mod endings;
mod input;
mod notifications;
mod restart;
pub(crate) mod setup;
mod surface;
mod terminals;
