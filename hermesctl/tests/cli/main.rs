//! The program as its users meet it: arguments in, output, exit code and files out.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets the unexpected must fail"
)]

mod approve;
mod changes;
mod chat_log;
mod database;
mod doctor;
mod errors;
mod export_import;
mod fts;
mod health;
mod help;
mod home;
mod hook;
mod output;
mod overview;
mod profiles;
mod program;
mod quickstart;
mod reading;
mod retention;
mod rpc;
mod rpc_client;
#[cfg(unix)]
mod run;
mod search;
mod tools;
mod transfer;
