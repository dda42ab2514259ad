//! Lists the latest sessions of a store, or searches it, without changing anything.
//!
//! ```console
//! $ cargo run -p hermes-state --example recent -- ~/.hermes/state.db
//! $ cargo run -p hermes-state --example recent -- ~/.hermes/state.db 'docker OR podman'
//! ```

use std::env;
use std::io::{self, Write};
use std::process::ExitCode;

use hermes_state::{Error, ListOptions, SearchMatch, SearchOptions, SessionSummary, Store};

fn main() -> ExitCode {
    let mut arguments = env::args_os().skip(1);
    let Some(path) = arguments.next() else {
        eprintln!("usage: recent STATE_DB [WORD…]");
        return ExitCode::from(64);
    };
    let words: Vec<String> = arguments
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let outcome = Store::open_read_only(path).and_then(|store| {
        if words.is_empty() {
            list(&store)
        } else {
            search(&store, &words.join(" "))
        }
    });
    match outcome {
        Ok(lines) => {
            let mut out = io::stdout().lock();
            // A reader that has seen enough closes the pipe.
            let _ = lines.iter().try_for_each(|line| writeln!(out, "{line}"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{}\n{}", error.problem(), error.hint());
            ExitCode::FAILURE
        }
    }
}

fn list(store: &Store) -> Result<Vec<String>, Error> {
    let list = store.list_sessions(&ListOptions::default())?;
    let line = |summary: SessionSummary| {
        let session = summary.session;
        let name = session.title.unwrap_or(summary.preview);
        let messages = session.message_count.unwrap_or(0);
        format!(
            "{:<28} {:<10} {messages:>5}  {name}",
            session.id.as_str(),
            session.source
        )
    };
    Ok(list.into_iter().map(line).collect())
}

fn search(store: &Store, query: &str) -> Result<Vec<String>, Error> {
    let results = store.search(&SearchOptions::new(query))?;
    if results.degraded {
        eprintln!("The index cannot be used: every message was looked at.");
    }
    let line = |hit: SearchMatch| {
        let snippet = hit.snippet.unwrap_or_default();
        let snippet = snippet.trim().replace(['\n', '\r'], " ");
        format!("{} {} #{}\n    {snippet}", hit.session_id, hit.role, hit.id)
    };
    Ok(results.matches.into_iter().map(line).collect())
}
