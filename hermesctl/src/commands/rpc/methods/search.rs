//! Searching messages.

use hermes_kit::state::{SearchOptions, SearchOrder};

use super::lists::PAGE;
use super::{Method, Outcome, method};
use crate::commands::rpc::arguments::Arguments;
use crate::commands::rpc::connection::Connection;
use crate::commands::rpc::json::Json;

pub(super) const METHODS: &[Method] = &[method(
    "search_messages",
    &[
        "query",
        "source_filter",
        "exclude_sources",
        "role_filter",
        "limit",
        "offset",
        "sort",
        "include_inactive",
    ],
    search,
)];

fn search(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let query = arguments.text_scrubbed("query", true)?.unwrap_or_default();
    let mut options = SearchOptions::new(query);
    options.sources = arguments.texts("source_filter")?;
    options.exclude_sources = arguments.texts("exclude_sources")?.unwrap_or_default();
    options.roles = arguments.texts("role_filter")?.unwrap_or_default();
    options.limit = arguments.limit("limit", PAGE)?;
    options.offset = arguments.offset("offset")?;
    options.order = order(arguments);
    options.include_inactive = arguments.is_set("include_inactive")?;
    let mut results = connection.store()?.search(&options)?;
    for found in &mut results.matches {
        // No key beyond those of Hermes.
        found.compacted = false;
    }
    Ok(Json::of(&results.matches))
}

/// By rank, unless a time is named; whatever else is given means nothing to Hermes.
fn order(arguments: &Arguments) -> SearchOrder {
    let named = arguments.text("sort").ok().flatten().unwrap_or_default();
    match named.trim().to_lowercase().as_str() {
        "newest" => SearchOrder::Newest,
        "oldest" => SearchOrder::Oldest,
        _ => SearchOrder::Rank,
    }
}
