//! Searching messages.

use hermes_kit::state::SearchOptions;

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
    Ok(Json::of(&connection.store()?.search(&options)?.matches))
}
