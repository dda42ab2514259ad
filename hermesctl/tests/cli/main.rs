//! The program as its users meet it: arguments in, output, exit code and files out.

mod errors;
mod export_import;
mod help;
mod home;
mod output;
mod program;
mod quickstart;
mod reading;
