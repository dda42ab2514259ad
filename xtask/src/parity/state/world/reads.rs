//! Operations that only read.

use serde_json::Value;

use super::{CHATS, KEYS, Make, SOURCES, TOPICS, USERS, World, texts};
use crate::client::operation::Operation;

/// Operations that only read.
pub(super) const ALL: &[(usize, bool, Make)] = &[
    (10, false, get_session),
    (14, false, get_messages),
    (16, false, conversation),
    (16, false, list),
    (6, false, search_sessions),
    (6, false, counts),
    (14, false, title_reads),
    (6, false, resolve),
    (10, false, lineage),
    (24, false, search),
    (4, false, export),
    (6, false, handoff_reads),
    (6, false, telegram_reads),
    (2, false, get_meta),
    (10, true, newer_reads),
    (6, true, lineage_newer),
    (6, true, lists_newer),
];

fn get_session(world: &mut World) -> Operation {
    world.on("get_session")
}

fn get_messages(world: &mut World) -> Operation {
    let operation = world.on("get_messages");
    if !world.newer || world.flag() {
        return operation;
    }
    operation
        .with("include_inactive", world.flag())
        .with("limit", world.random.below(10) as u64)
        .with("offset", world.random.below(5) as u64)
}

fn conversation(world: &mut World) -> Operation {
    let ancestors = world.flag();
    let operation = world
        .on("get_messages_as_conversation")
        .with("include_ancestors", ancestors);
    match world.newer {
        true => operation.with("include_inactive", world.random.one_in(4)),
        false => operation,
    }
}

fn list(world: &mut World) -> Operation {
    let mut operation = Operation::of("list_sessions_rich").with("limit", limit(world));
    if world.random.one_in(3) {
        operation = operation.with("source", world.text(SOURCES));
    }
    if world.random.one_in(4) {
        operation = operation.with(
            "exclude_sources",
            vec![world.text(SOURCES), world.text(SOURCES)],
        );
    }
    if world.random.one_in(4) {
        operation = operation.with("offset", world.random.below(10) as u64);
    }
    for (name, one_in) in [("include_children", 3), ("order_by_last_active", 2)] {
        if world.random.one_in(one_in) {
            operation = operation.with(name, true);
        }
    }
    if world.random.one_in(5) {
        operation = operation.with("project_compression_tips", false);
    }
    if world.newer && world.random.one_in(3) {
        operation = operation.with(texts_pick(world), true);
    }
    operation
}

fn texts_pick(world: &mut World) -> &'static str {
    let among: &[&'static str] = &["include_archived", "archived_only", "compact_rows"];
    world.random.pick(among).copied().unwrap_or("compact_rows")
}

fn limit(world: &mut World) -> i64 {
    [-1, 0, 1, 5, 20, 100]
        .get(world.random.below(6))
        .copied()
        .unwrap_or(20)
}

fn search_sessions(world: &mut World) -> Operation {
    let operation = Operation::of("search_sessions").with("limit", limit(world));
    match world.flag() {
        true => operation.with("source", world.text(SOURCES)),
        false => operation.with("offset", world.random.below(5) as u64),
    }
}

fn counts(world: &mut World) -> Operation {
    match world.random.below(4) {
        0 => Operation::of("session_count"),
        1 => Operation::of("session_count").with("source", world.text(SOURCES)),
        2 => Operation::of("message_count"),
        _ => world.on("message_count"),
    }
}

fn title_reads(world: &mut World) -> Operation {
    let title = texts::title(&mut world.random);
    match world.random.below(5) {
        0 => world.on("get_session_title"),
        1 => Operation::of("get_session_by_title").with("title", title),
        2 => Operation::of("resolve_session_by_title").with("title", title),
        3 => Operation::of("sanitize_title").with("title", title),
        _ => Operation::of("get_next_title_in_lineage").with("base_title", title),
    }
}

fn resolve(world: &mut World) -> Operation {
    let id = world.id();
    let length = 1 + world.random.below(id.chars().count());
    let prefix: String = id.chars().take(length).collect();
    Operation::of("resolve_session_id").with("session_id_or_prefix", prefix)
}

fn lineage(world: &mut World) -> Operation {
    match world.flag() {
        true => world.on("get_compression_tip"),
        false => world.on("resolve_resume_session_id"),
    }
}

fn search(world: &mut World) -> Operation {
    let odd = world.random.one_in(3);
    let queries = if odd {
        texts::ODD_QUERIES
    } else {
        texts::QUERIES
    };
    let mut operation = Operation::of("search_messages")
        .with("query", world.text(queries))
        .with("limit", 10_000);
    if world.random.one_in(5) {
        operation = operation.with(
            "source_filter",
            vec![world.text(SOURCES), world.text(SOURCES)],
        );
    }
    if world.random.one_in(5) {
        operation = operation.with("exclude_sources", vec![world.text(SOURCES)]);
    }
    if world.random.one_in(5) {
        operation = operation.with("role_filter", vec!["user", "tool"]);
    }
    operation
}

fn export(world: &mut World) -> Operation {
    match world.random.below(6) {
        0 => Operation::of("export_all"),
        1 => Operation::of("export_all").with("source", world.text(SOURCES)),
        _ => world.on("export_session"),
    }
}

fn handoff_reads(world: &mut World) -> Operation {
    match world.flag() {
        true => world.on("get_handoff_state"),
        false => Operation::of("list_pending_handoffs"),
    }
}

fn telegram_reads(world: &mut World) -> Operation {
    let chat = world.text(CHATS);
    match world.random.below(4) {
        0 => Operation::of("is_telegram_topic_mode_enabled")
            .with("chat_id", chat)
            .with("user_id", world.text(USERS)),
        1 => Operation::of("get_telegram_topic_binding")
            .with("chat_id", chat)
            .with("thread_id", world.text(TOPICS)),
        2 => world.on("is_telegram_session_linked_to_topic"),
        _ => Operation::of("list_unlinked_telegram_sessions_for_user")
            .with("chat_id", chat)
            .with("user_id", world.text(USERS)),
    }
}

fn get_meta(world: &mut World) -> Operation {
    Operation::of("get_meta").with("key", world.text(KEYS))
}

fn newer_reads(world: &mut World) -> Operation {
    let message = world.message() as u64;
    match world.random.below(5) {
        0 => world
            .on("get_messages_around")
            .with("around_message_id", message)
            .with("window", world.random.below(4) as u64),
        1 => world
            .on("get_anchored_view")
            .with("around_message_id", message)
            .with("window", world.random.below(4) as u64),
        2 => world
            .on("list_recent_user_messages")
            .with("include_inactive", world.flag()),
        3 => world.on("has_archived_messages"),
        _ => world
            .on("has_platform_message_id")
            .with("platform_message_id", world.text(&["p1", "17", ""])),
    }
}

fn lineage_newer(world: &mut World) -> Operation {
    match world.random.below(3) {
        0 => world.on("get_compression_lineage"),
        1 => world.on("get_conversation_root"),
        _ => world.on("export_session_lineage"),
    }
}

fn lists_newer(world: &mut World) -> Operation {
    match world.random.below(6) {
        0 => {
            let id: String = world.id().chars().skip(2).take(4).collect();
            Operation::of("search_sessions_by_id").with("query", id)
        }
        1 => Operation::of("session_count")
            .with("exclude_children", world.flag())
            .with("include_archived", world.flag()),
        2 => Operation::of("list_sessions_rich")
            .with("order_by_last_active", true)
            .with(
                "search_query",
                world.text(&["deploy", "20260", "100%", "漓江"]),
            ),
        3 => Operation::of("list_sessions_rich")
            .with("cwd_prefix", world.text(&["/home/me/work", "/100%_"])),
        4 => Operation::of("count_empty_sessions"),
        _ => Operation::of("list_prune_candidates")
            .with("started_before", Value::from(world.now - 400_000.0)),
    }
}
