//! `search`.

use hermes_kit::state::{SearchMatch, SearchOptions, SearchResults, Session, SessionId, Store};
use serde_json::json;

use crate::cli::{Global, Search};
use crate::failure::Failure;
use crate::json::Rows;
use crate::output::{Output, Tone};
use crate::progress::Progress;
use crate::text::{indented, one_line};
use crate::when::When;
use crate::{home, query};

const MARGIN: &str = "    ";

/// The marks that the store puts around what matched.
const BEGIN: &str = ">>>";
const END: &str = "<<<";

pub(crate) fn run(global: &Global, args: &Search, output: &mut Output) -> Result<(), Failure> {
    let mut options = options(args)?;
    let limit = options.limit;
    if !output.json() {
        // One more than shown tells whether there are more.
        options.limit = limit.saturating_add(1);
    }
    let store = home::store_to_read(global, output)?;
    let mut results = match &store {
        Some(store) => Some(find(store, &options)?),
        None => None,
    };
    if output.json() {
        return machines(&options.query, results.as_ref(), output);
    }
    let (Some(store), Some(results)) = (store, &mut results) else {
        return Ok(());
    };
    let more = results.matches.len() > limit;
    results.matches.truncate(limit);
    if !more || limit > 0 {
        people(&store, results, args.context > 0, output)?;
    }
    if more {
        let next = options.offset.saturating_add(limit);
        let text = format!("\nmore: --offset {next}, or --limit N");
        output.line(output.paint(Tone::Faint, text))?;
    }
    Ok(())
}

fn options(args: &Search) -> Result<SearchOptions, Failure> {
    let mut options = SearchOptions::new(query::typed(&args.query)?);
    options.sources = Some(args.sources.only.clone()).filter(|only| !only.is_empty());
    options.exclude_sources.clone_from(&args.sources.except);
    options.roles.clone_from(&args.roles);
    options.limit = args.page.limit;
    options.offset = args.page.offset;
    Ok(options)
}

fn find(store: &Store, options: &SearchOptions) -> Result<SearchResults, Failure> {
    let _progress = Progress::spinner("searching");
    Ok(store.search(options)?)
}

fn machines(
    query: &str,
    results: Option<&SearchResults>,
    output: &mut Output,
) -> Result<(), Failure> {
    let mut rows = Rows::begin(
        output,
        &format!("{{\"query\": {}, ", json!(query)),
        "matches",
    )?;
    for found in results.map_or(&[][..], |results| &results.matches) {
        rows.push(output, found)?;
    }
    let degraded = results.is_some_and(|results| results.degraded);
    let truncated = results.is_some_and(|results| results.truncated_query);
    rows.end(
        output,
        &format!(", \"degraded\": {degraded}, \"truncated_query\": {truncated}}}"),
    )
}

/// Matches in their order, under the name of their session where it changes.
pub(crate) fn people(
    store: &Store,
    results: &SearchResults,
    with_context: bool,
    output: &mut Output,
) -> Result<(), Failure> {
    if results.truncated_query {
        output.remark("warning: the query is long: only its first 2,048 characters were used");
    }
    if results.degraded {
        let why = store
            .index_trouble()
            .unwrap_or_else(|| "the search index is damaged".to_owned());
        output.remark(format_args!(
            "warning: searched message by message, newest first ({why})"
        ));
    }
    if results.matches.is_empty() {
        return Ok(output.line("no matches")?);
    }
    let when = When::now();
    let mut shown: Option<&SessionId> = None;
    for found in &results.matches {
        if shown != Some(&found.session_id) {
            if shown.is_some() {
                output.line("")?;
            }
            session_line(
                store.session(&found.session_id)?.as_ref(),
                found,
                &when,
                output,
            )?;
            shown = Some(&found.session_id);
        }
        match_lines(found, with_context, &when, output)?;
    }
    Ok(())
}

fn session_line(
    session: Option<&Session>,
    found: &SearchMatch,
    when: &When,
    output: &mut Output,
) -> Result<(), Failure> {
    let title = session
        .and_then(|session| session.title.as_deref())
        .map(one_line);
    let id = output.paint(Tone::Name, one_line(found.session_id.as_str()));
    let title = output.paint(
        Tone::Strong,
        title.unwrap_or_else(|| "(untitled)".to_owned()),
    );
    let facts = format!(
        "{} · {}",
        one_line(&found.source),
        when.minute(found.session_started)
    );
    output.line(format_args!(
        "{id}  {title}  {}",
        output.paint(Tone::Faint, facts)
    ))?;
    Ok(())
}

fn match_lines(
    found: &SearchMatch,
    with_context: bool,
    when: &When,
    output: &mut Output,
) -> Result<(), Failure> {
    let tool = found.tool_name.as_deref().filter(|tool| !tool.is_empty());
    let who = match tool {
        Some(tool) => format!("{} {}", one_line(&found.role), one_line(tool)),
        None => one_line(&found.role),
    };
    let about = format!("  {who} {} #{}", when.ago(found.timestamp), found.id);
    output.line(output.paint(Tone::Faint, about))?;
    let neighbour = |output: &Output, at: Option<usize>| {
        let message = found
            .context
            .get(at?)
            .filter(|m| with_context && !m.content.trim().is_empty())?;
        let text = format!("{}: {}", message.role, one_line(&message.content));
        Some(output.paint(Tone::Faint, indented(&text, MARGIN, output.width())))
    };
    if let Some(before) = neighbour(output, found.context_index.checked_sub(1)) {
        output.line(before)?;
    }
    let snippet = found
        .snippet
        .as_deref()
        .unwrap_or("(no text of its own: see `sessions show`)");
    let snippet = indented(&one_line(snippet), MARGIN, output.width());
    output.line(highlighted(&snippet, output))?;
    if let Some(after) = neighbour(output, found.context_index.checked_add(1)) {
        output.line(after)?;
    }
    Ok(())
}

/// What matched in colour; where there is none, the marks stay.
fn highlighted(snippet: &str, output: &Output) -> String {
    if !output.in_color() {
        return snippet.to_owned();
    }
    let mut text = String::new();
    let mut rest = snippet;
    while let Some((before, behind)) = rest.split_once(BEGIN) {
        let Some((matched, after)) = behind.split_once(END) else {
            break;
        };
        text.push_str(before);
        text.push_str(&output.paint(Tone::Match, matched));
        rest = after;
    }
    text + rest
}
