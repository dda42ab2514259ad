//! Lists and counts.

use hermes_kit::state::ListOptions;

use super::{Method, Outcome, method};
use crate::commands::rpc::arguments::Arguments;
use crate::commands::rpc::connection::Connection;
use crate::commands::rpc::fault::Fault;
use crate::commands::rpc::json::Json;
use crate::commands::rpc::rows;

pub(super) const METHODS: &[Method] = &[
    method(
        "list_sessions_rich",
        &[
            "source",
            "exclude_sources",
            "cwd_prefix",
            "limit",
            "offset",
            "include_children",
            "min_message_count",
            "project_compression_tips",
            "order_by_last_active",
            "include_archived",
            "archived_only",
            "id_query",
            "search_query",
            "compact_rows",
        ],
        list,
    ),
    method("search_sessions", &["source", "limit", "offset"], search),
    method(
        "search_sessions_by_id",
        &["query", "limit", "include_archived"],
        search_by_id,
    ),
    method(
        "list_cron_job_runs",
        &["job_id", "limit", "offset"],
        cron_job_runs,
    ),
    method("distinct_session_cwds", &["include_archived"], directories),
    method(
        "session_count",
        &[
            "source",
            "cwd_prefix",
            "min_message_count",
            "include_archived",
            "archived_only",
            "exclude_children",
            "exclude_sources",
        ],
        session_count,
    ),
    method("message_count", &["session_id"], message_count),
];

pub(super) const PAGE: usize = 20;

/// An empty text stands for no filter.
pub(super) fn filter(arguments: &Arguments, name: &str) -> Result<Option<String>, Fault> {
    Ok(arguments.text(name)?.filter(|text| !text.is_empty()))
}

/// What lists and counts share.
fn options(arguments: &Arguments) -> Result<ListOptions, Fault> {
    let mut options = ListOptions::default();
    options.sources = filter(arguments, "source")?.into_iter().collect();
    options.exclude_sources = arguments.texts("exclude_sources")?.unwrap_or_default();
    options.cwd_prefix = filter(arguments, "cwd_prefix")?;
    options.min_message_count = arguments.integer("min_message_count")?.unwrap_or_default();
    options.include_archived = arguments.is_set("include_archived")?;
    options.archived_only = arguments.is_set("archived_only")?;
    Ok(options)
}

fn list(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let mut options = options(arguments)?;
    options.limit = arguments.limit("limit", PAGE)?;
    options.offset = arguments.offset("offset")?;
    options.include_children = arguments.is_set("include_children")?;
    options.project_compression = arguments.flag("project_compression_tips")?.unwrap_or(true);
    options.order_by_last_active = arguments.is_set("order_by_last_active")?;
    options.id_query = filter(arguments, "id_query")?;
    options.search_query = filter(arguments, "search_query")?;
    options.compact = arguments.is_set("compact_rows")?;
    let store = connection.store()?;
    Ok(rows::summaries(store, &store.list_sessions(&options)?))
}

fn search(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let source = filter(arguments, "source")?;
    let limit = arguments.limit("limit", PAGE)?;
    let offset = arguments.offset("offset")?;
    let store = connection.store()?;
    let found = store.search_sessions(source.as_deref(), limit, offset)?;
    Ok(rows::active(store, &found))
}

fn search_by_id(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let query = arguments.text("query")?.unwrap_or_default();
    let limit = arguments.limit("limit", PAGE)?;
    let archived = arguments.flag("include_archived")?.unwrap_or(true);
    let store = connection.store()?;
    let found = store.search_sessions_by_id(&query, limit, archived)?;
    Ok(rows::summaries(store, &found))
}

fn cron_job_runs(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let job = arguments.required_text("job_id")?;
    let limit = arguments.limit("limit", PAGE)?;
    let offset = arguments.offset("offset")?;
    let store = connection.store()?;
    Ok(rows::summaries(
        store,
        &store.cron_job_runs(&job, limit, offset)?,
    ))
}

fn directories(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let archived = arguments.is_set("include_archived")?;
    Ok(Json::of(
        &connection.store()?.session_directories(archived)?,
    ))
}

fn session_count(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let mut options = options(arguments)?;
    options.include_children = !arguments.is_set("exclude_children")?;
    Ok(Json::of(&connection.store()?.session_count(&options)?))
}

fn message_count(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = filter(arguments, "session_id")?;
    Ok(Json::of(&connection.store()?.message_count(id.as_deref())?))
}
