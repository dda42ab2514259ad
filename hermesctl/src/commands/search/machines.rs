//! Matches for programs.

use hermes_kit::fts::sanitize;
use hermes_kit::state::{SearchCount, SearchMatch, SearchOptions, SearchResults, Store};
use serde_json::{Value, json};

use crate::cli::Search;
use crate::commands::fts;
use crate::failure::Failure;
use crate::json::{self, Rows};
use crate::output::Output;

/// A search that was run: where, for what, and what came of it.
type Found<'a> = (&'a Store, &'a SearchOptions, &'a SearchResults);

pub(super) fn matches(
    query: &str,
    found: Option<Found<'_>>,
    args: &Search,
    output: &mut Output,
) -> Result<(), Failure> {
    let mut head = format!("{{\"query\": {}, ", json!(query));
    if args.explain {
        let explanation = fts::object(query, &sanitize(query));
        head.push_str(&format!("\"explanation\": {}, ", json!(explanation)));
    }
    let mut rows = Rows::begin(output, &head, "matches")?;
    for one in found.map_or(&[][..], |(_, _, results)| &results.matches) {
        match found.filter(|_| args.open) {
            Some((store, ..)) => rows.push(output, &opened(store, one)?)?,
            None => rows.push(output, one)?,
        }
    }
    let flags = found.map(|(_, _, results)| (results.degraded, results.truncated_query));
    let (degraded, truncated) = flags.unwrap_or_default();
    let mut tail = format!(", \"degraded\": {degraded}, \"truncated_query\": {truncated}");
    if let Some((store, options, results)) = found
        && results.matches.is_empty()
        && options.limit > 0
        && options.offset == 0
    {
        let suggestions = store.search_suggestions(options)?;
        let suggestions = serde_json::to_string(&suggestions)?;
        tail.push_str(&format!(", \"suggestions\": {suggestions}"));
    }
    tail.push('}');
    rows.end(output, &tail)
}

pub(super) fn count(
    query: &str,
    counted: Option<&SearchCount>,
    output: &mut Output,
) -> Result<(), Failure> {
    let object = json!({
        "query": query,
        "count": counted.map_or(0, |counted| counted.count),
        "degraded": counted.is_some_and(|counted| counted.degraded),
        "truncated_query": counted.is_some_and(|counted| counted.truncated_query),
    });
    json::object(output, &object)
}

/// A match with its message whole.
fn opened(store: &Store, found: &SearchMatch) -> Result<Value, Failure> {
    let message = store.messages_around(&found.session_id, found.id, 0)?;
    let mut row = serde_json::to_value(found)?;
    if let Value::Object(row) = &mut row {
        let message = message
            .window
            .first()
            .map(serde_json::to_value)
            .transpose()?;
        row.insert("message".to_owned(), message.unwrap_or_default());
    }
    Ok(row)
}
