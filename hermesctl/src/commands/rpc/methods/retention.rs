//! Sessions: deleted, pruned, archived.

use std::ops::ControlFlow;

use hermes_kit::state::{
    Age, Archived, AutoPrune, DeleteOptions, Deleted, IndexWork, PruneFilter, Retention, SessionId,
};

use super::lists::filter as text_filter;
use super::{Method, Outcome, method};
use crate::commands::rpc::arguments::Arguments;
use crate::commands::rpc::connection::Connection;
use crate::commands::rpc::fault::Fault;
use crate::commands::rpc::json::Json;

macro_rules! filters {
    ($($more:literal),*) => {
        &[
            "older_than_days", "source", "started_before", "started_after", "title_like",
            "end_reason", "cwd_prefix", "min_messages", "max_messages", "archived", "model_like",
            "provider", "user_id", "chat_id", "chat_type", "branch_like", "min_tokens",
            "max_tokens", "min_cost", "max_cost", "min_tool_calls", "max_tool_calls", $($more),*
        ]
    };
}

pub(super) const METHODS: &[Method] = &[
    method("delete_session", &["session_id", "sessions_dir"], delete),
    method(
        "delete_sessions",
        &["session_ids", "sessions_dir"],
        delete_several,
    ),
    method(
        "delete_session_if_empty",
        &["session_id", "sessions_dir"],
        delete_if_empty,
    ),
    method("count_empty_sessions", &[], count_empty),
    method("delete_empty_sessions", &["sessions_dir"], delete_empty),
    method("prune_sessions", filters!("sessions_dir"), prune),
    method("list_prune_candidates", filters!(), candidates),
    method("archive_sessions", filters!(), archive),
    method(
        "set_session_archived",
        &["session_id", "archived"],
        set_archived,
    ),
    method(
        "prune_empty_ghost_sessions",
        &["sessions_dir"],
        prune_ghosts,
    ),
    method(
        "finalize_orphaned_compression_sessions",
        &[],
        finalize_orphans,
    ),
    method(
        "maybe_auto_prune_and_vacuum",
        &[
            "retention_days",
            "min_interval_hours",
            "vacuum",
            "sessions_dir",
        ],
        auto_prune,
    ),
    method("vacuum", &[], vacuum),
    method("optimize_fts", &[], optimize_index),
    method("rebuild_fts", &[], rebuild_index),
];

/// Nobody is told how far it is.
fn silently(_: &Deleted) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn options(arguments: &Arguments) -> Result<DeleteOptions, Fault> {
    let options = DeleteOptions::new();
    Ok(match arguments.text("sessions_dir")? {
        Some(folder) => options.files_in(folder),
        None => options,
    })
}

fn delete(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = SessionId::new(arguments.required_text("session_id")?);
    let deleted = connection
        .store()?
        .delete_session(id.clone(), &options(arguments)?)?;
    Ok(Json::of(&deleted.ids.contains(&id)))
}

fn delete_several(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let ids = arguments.texts("session_ids")?.unwrap_or_default();
    let ids: Vec<SessionId> = ids.into_iter().map(SessionId::new).collect();
    let options = options(arguments)?;
    let deleted = connection
        .store()?
        .delete_sessions(&ids, &options, &mut silently)?;
    // Delegates that went along do not count.
    let asked = deleted.ids.iter().filter(|id| ids.contains(id));
    Ok(Json::of(&asked.count()))
}

fn delete_if_empty(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    let store = connection.store()?;
    let deleted = store.delete_session_if_empty(id, &options(arguments)?)?;
    Ok(Json::of(&deleted))
}

fn count_empty(connection: &mut Connection, _: &Arguments) -> Outcome {
    Ok(Json::of(&connection.store()?.empty_sessions()?.len()))
}

fn delete_empty(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let options = options(arguments)?;
    let deleted = connection
        .store()?
        .delete_empty_sessions(&options, &mut silently)?;
    Ok(Json::of(&deleted.ids.len()))
}

/// The filter that the arguments describe: as in Hermes, archived sessions and delegates count like
/// any other.
fn filter(arguments: &Arguments, days: Option<f64>) -> Result<PruneFilter, Fault> {
    let mut filter = PruneFilter::new().with_delegates();
    let days = match arguments.given("older_than_days") || arguments.is_null("older_than_days") {
        true => arguments.float("older_than_days")?,
        false => days,
    };
    for (name, set) in [
        (
            "started_before",
            PruneFilter::started_before as fn(PruneFilter, f64) -> PruneFilter,
        ),
        ("started_after", PruneFilter::started_after),
        ("min_messages", PruneFilter::min_messages),
        ("max_messages", PruneFilter::max_messages),
        ("min_tokens", PruneFilter::min_tokens),
        ("max_tokens", PruneFilter::max_tokens),
        ("min_cost", PruneFilter::min_cost),
        ("max_cost", PruneFilter::max_cost),
        ("min_tool_calls", PruneFilter::min_tool_calls),
        ("max_tool_calls", PruneFilter::max_tool_calls),
    ] {
        if let Some(number) = arguments.float(name)? {
            filter = set(filter, number);
        }
    }
    for (name, set) in [
        (
            "source",
            PruneFilter::source as fn(PruneFilter, String) -> PruneFilter,
        ),
        ("title_like", PruneFilter::title_like),
        ("end_reason", PruneFilter::end_reason),
        ("cwd_prefix", PruneFilter::cwd_prefix),
        ("model_like", PruneFilter::model_like),
        ("provider", PruneFilter::provider),
        ("user_id", PruneFilter::user_id),
        ("chat_id", PruneFilter::chat_id),
        ("chat_type", PruneFilter::chat_type),
        ("branch_like", PruneFilter::branch_like),
    ] {
        if let Some(text) = text_filter(arguments, name)? {
            filter = set(filter, text);
        }
    }
    filter = filter.archived(match arguments.flag("archived")? {
        None => Archived::Include,
        Some(true) => Archived::Only,
        Some(false) => Archived::Leave,
    });
    Ok(match days {
        Some(days) => filter.older_than_days(days),
        None => filter,
    })
}

/// As Hermes prunes if nothing is said.
const DAYS: f64 = 90.0;

fn prune(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let filter = filter(arguments, Some(DAYS))?;
    let options = options(arguments)?;
    let deleted = connection
        .store()?
        .prune(&filter, &options, &mut silently)?;
    Ok(Json::of(&deleted.ids.len()))
}

fn candidates(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let filter = filter(arguments, None)?;
    let store = connection.store()?;
    let mut found = Vec::new();
    for candidate in store.prune_candidates(&filter)?.sessions {
        // The counter, which need not be the number of rows.
        let counted = store.session(&candidate.id)?.and_then(|s| s.message_count);
        found.push(Json::object([
            ("id", Json::of(&candidate.id)),
            ("source", Json::of(&candidate.source)),
            ("title", Json::of(&candidate.title)),
            ("model", Json::of(&candidate.model)),
            ("started_at", Json::of(&candidate.started_at)),
            ("ended_at", Json::of(&candidate.ended_at)),
            ("message_count", Json::of(&counted)),
            ("archived", Json::of(&candidate.archived.map(u8::from))),
        ]));
    }
    Ok(Json::list(found))
}

fn archive(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let filter = filter(arguments, None)?.archived(Archived::Leave);
    Ok(Json::of(&connection.store()?.archive(&filter)?.len()))
}

fn set_archived(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let id = arguments.required_text("session_id")?;
    let archived = arguments.is_set("archived")?;
    let lineage = connection.store()?.set_session_archived(id, archived)?;
    Ok(Json::of(&!lineage.is_empty()))
}

fn prune_ghosts(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let options = options(arguments)?;
    let deleted = connection.store()?.sweep_ghost_sessions(&options)?;
    Ok(Json::of(&deleted.ids.len()))
}

fn finalize_orphans(connection: &mut Connection, _: &Arguments) -> Outcome {
    let ended = connection.store()?.finalize_orphaned_compressions()?;
    Ok(Json::of(&ended))
}

fn auto_prune(connection: &mut Connection, arguments: &Arguments) -> Outcome {
    let mut policy = AutoPrune::default();
    let days = arguments.float("retention_days")?.unwrap_or(DAYS);
    policy.retention = Retention::days(days)?;
    policy.age = Age::Start;
    if let Some(hours) = arguments.float("min_interval_hours")? {
        policy.min_interval_hours = hours;
    }
    policy.vacuum = arguments.flag("vacuum")?.unwrap_or(true);
    policy.delete = options(arguments)?;
    let done = connection.store()?.auto_prune(&policy, &mut silently)?;
    Ok(Json::object([
        ("skipped", Json::of(&done.skipped)),
        ("pruned", Json::of(&done.deleted.ids.len())),
        ("vacuumed", Json::of(&done.vacuumed.is_some())),
    ]))
}

/// How many index tables Hermes merges with it, where it tells.
const INDEX_TABLES: u8 = 2;

fn optimize_index(connection: &mut Connection, _: &Arguments) -> Outcome {
    let on = &mut |_: &_| ControlFlow::Continue(());
    Ok(Json::of(&connection.store()?.merge_index(on)?.indexes))
}

fn rebuild_index(connection: &mut Connection, _: &Arguments) -> Outcome {
    match connection.store()?.rebuild_index(&|_| {})? {
        IndexWork::Done => Ok(Json::of(&INDEX_TABLES)),
        // It was stopped, or gave up after several attempts: none is whole.
        _ => Ok(Json::of(&0)),
    }
}

fn vacuum(connection: &mut Connection, _: &Arguments) -> Outcome {
    let (store, newer) = connection.store_and_rules()?;
    store.vacuum()?;
    Ok(match newer {
        true => Json::of(&INDEX_TABLES),
        false => Json::null(),
    })
}
