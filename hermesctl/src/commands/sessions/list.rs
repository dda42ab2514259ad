//! `sessions list`.

use hermes_kit::state::{ListOptions, SessionSummary, Store};

use crate::cli::{Global, List, Order};
use crate::failure::Failure;
use crate::home;
use crate::json::Rows;
use crate::output::{Output, Tone};
use crate::table::Table;
use crate::when::When;

pub(crate) fn run(global: &Global, args: &List, output: &mut Output) -> Result<(), Failure> {
    let store = home::store_to_read(global, output)?;
    if !output.json() {
        return match store {
            Some(store) => people(&store, options(args), args.preview, output),
            None => Ok(()),
        };
    }
    let sessions = match store {
        Some(store) => store.list_sessions(&options(args))?,
        None => Vec::new(),
    };
    let mut rows = Rows::begin(output, "{", "sessions")?;
    for session in &sessions {
        rows.push(output, session)?;
    }
    rows.end(output, "}")
}

fn options(args: &List) -> ListOptions {
    let mut options = ListOptions::default();
    options.sources.clone_from(&args.sources.only);
    options.exclude_sources.clone_from(&args.sources.except);
    options.limit = args.page.limit;
    options.offset = args.page.offset;
    options.include_children = args.all || args.children;
    options.include_archived = args.all;
    options.archived_only = args.archived;
    options.order_by_last_active = args.by != Order::Started;
    options.best_match_first = args.by == Order::Match;
    options.cwd_prefix.clone_from(&args.cwd);
    options.min_message_count = args.min_messages;
    options.id_query.clone_from(&args.id_query);
    options.search_query.clone_from(&args.query);
    options.title_query.clone_from(&args.title);
    options.id_prefix.clone_from(&args.id_prefix);
    options
}

pub(crate) fn people(
    store: &Store,
    mut options: ListOptions,
    preview: bool,
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
    output.line(table(&sessions, preview, output).render(output))?;
    if more {
        let next = options.offset.saturating_add(limit);
        let text = format!("more: --offset {next}, or --limit N");
        output.line(output.paint(Tone::Faint, text))?;
    }
    Ok(())
}

/// On a narrow terminal the title matters more than when a session began or where it was held.
const WIDE: usize = 110;
const MEDIUM: usize = 80;

fn table(sessions: &[SessionSummary], preview: bool, output: &Output) -> Table {
    let when = When::now();
    let columns = output.width().unwrap_or(WIDE);
    let mut heading = vec!["ID", "LAST ACTIVE", "MSGS"];
    if columns >= MEDIUM {
        heading.insert(1, "SOURCE");
    }
    if columns >= WIDE {
        heading.insert(2, "STARTED");
    }
    heading.push("TITLE");
    let mut table = Table::new(&heading).number(heading.len() - 2);
    for summary in sessions {
        let session = &summary.session;
        let title = session.title.as_deref().filter(|title| !title.is_empty());
        table.row(heading.iter().map(|column| {
            match *column {
                "ID" => session.id.to_string(),
                "SOURCE" => session.source.clone(),
                "STARTED" => when.minute(session.started_at),
                "LAST ACTIVE" => when.ago(summary.last_active),
                "MSGS" => session
                    .message_count
                    .map_or_else(|| "?".to_owned(), |n| n.to_string()),
                _ => match (title, summary.preview.as_str()) {
                    (Some(title), begins) if preview && !begins.is_empty() => {
                        format!("{title} · {begins}")
                    }
                    (Some(title), _) => title.to_owned(),
                    (None, begins) => begins.to_owned(),
                },
            }
        }));
    }
    table
}
