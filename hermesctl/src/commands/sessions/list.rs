//! `sessions list`.

use hermes_kit::state::{ListOptions, SessionSummary, Store};

use crate::cli::{Global, List};
use crate::failure::Failure;
use crate::home;
use crate::json::Rows;
use crate::output::{Output, Tone};
use crate::table::Table;
use crate::when::When;

pub(crate) fn run(global: &Global, args: &List, output: &mut Output) -> Result<(), Failure> {
    let store = home::store_to_read(global, output)?;
    if output.json() {
        let mut rows = Rows::begin(output, "{", "sessions")?;
        if let Some(store) = &store {
            for session in store.list_sessions(&options(args))? {
                rows.push(output, &session)?;
            }
        }
        return rows.end(output, "}");
    }
    match store {
        Some(store) => people(&store, options(args), output),
        None => Ok(()),
    }
}

fn options(args: &List) -> ListOptions {
    let mut options = ListOptions::default();
    options.sources.clone_from(&args.sources.only);
    options.exclude_sources.clone_from(&args.sources.except);
    options.limit = args.page.limit;
    options.offset = args.page.offset;
    options.include_children = args.all;
    options
}

pub(crate) fn people(
    store: &Store,
    mut options: ListOptions,
    output: &mut Output,
) -> Result<(), Failure> {
    let limit = options.limit;
    // One more than shown tells whether there are more.
    options.limit = limit.saturating_add(1);
    let mut sessions = store.list_sessions(&options)?;
    let more = sessions.len() > limit;
    sessions.truncate(limit);
    if sessions.is_empty() && !more {
        return Ok(output.line("no sessions")?);
    }
    output.line(table(&sessions).render(output))?;
    if more {
        let next = options.offset.saturating_add(limit);
        let text = format!("more: --offset {next}, or --limit N");
        output.line(output.paint(Tone::Faint, text))?;
    }
    Ok(())
}

fn table(sessions: &[SessionSummary]) -> Table {
    let when = When::now();
    let mut table = Table::new(&[
        "ID",
        "SOURCE",
        "STARTED",
        "LAST ACTIVE",
        "MESSAGES",
        "TITLE",
    ])
    .number(4);
    for summary in sessions {
        let session = &summary.session;
        let title = session.title.as_deref().filter(|title| !title.is_empty());
        table.row([
            session.id.to_string(),
            session.source.clone(),
            when.minute(session.started_at),
            when.ago(summary.last_active),
            session
                .message_count
                .map_or_else(|| "?".to_owned(), |n| n.to_string()),
            title.map_or_else(|| summary.preview.clone(), str::to_owned),
        ]);
    }
    table
}
