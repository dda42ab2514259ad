//! What `fts` can be told.

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum Fts {
    /// Show what a query is turned into for SQLite, and which index it goes to
    #[command(
        after_help = "A query that begins with a dash goes behind `--`. No store is opened.\n\
                      With --batch, a line that is no JSON string gets an error with its number, the others\n\
                      are answered, and the exit code is 1."
    )]
    Sanitize(Sanitize),
}

#[derive(Debug, Args)]
pub(crate) struct Sanitize {
    /// Tell what is looked for, and what was left out and why
    #[arg(long)]
    pub(crate) explain: bool,
    /// Read queries from standard input, a JSON string a line; answer each with a line of JSON
    #[arg(long, conflicts_with = "query")]
    pub(crate) batch: bool,
    /// The query; several words need not be quoted, - reads it from standard input
    #[arg(required_unless_present = "batch", num_args = 1..)]
    pub(crate) query: Vec<String>,
}
