//! Operations that change the store.

use serde_json::json;

use super::{CHATS, KEYS, Make, SOURCES, TOPICS, USERS, World, texts};
use crate::client::operation::Operation;

/// Operations that change the store: name, weight, whether only newer stores have it, its maker.
pub(super) const ALL: &[(usize, bool, Make)] = &[
    (120, false, append),
    (25, false, create),
    (3, false, ensure),
    (16, false, end),
    (6, false, reopen),
    (14, false, set_title),
    (14, false, tokens),
    (5, false, replace),
    (1, false, clear),
    (3, false, delete),
    (4, false, system_prompt),
    (4, false, meta),
    (10, false, handoff),
    (8, false, telegram),
    (1, false, prune),
    (1, false, prune_ghosts),
    (2, false, finalize),
    (1, false, auto_prune),
    (6, true, rewind),
    (4, true, restore),
    (3, true, compact),
    (4, true, set_archived),
    (4, true, api_content),
    (6, true, fields),
    (4, true, auxiliary),
    (4, true, auto_title),
    (2, true, delete_newer),
    (3, true, import),
];

pub(super) fn create(world: &mut World) -> Operation {
    let parent = (!world.ids.is_empty() && world.random.one_in(2)).then(|| world.id());
    let again = !world.ids.is_empty() && world.random.one_in(12);
    let id = if again { world.id() } else { world.new_id() };
    // We refuse a session that is its own parent, and the release stores it.
    let parent = parent.filter(|parent| !world.childless.contains(parent) && *parent != id);
    if let Some(parent) = &parent {
        world.adopt(&id, parent);
    }
    let mut source = world.text(SOURCES);
    if source == "tui" && world.parents.contains(&id) {
        source = "cli".to_owned();
    }
    if source == "tui" {
        world.childless.insert(id.clone());
    }
    let marked = id.clone();
    let mut operation = Operation::of("create_session")
        .with("session_id", id)
        .with("source", source);
    if let Some(parent) = parent.clone() {
        operation = operation.with("parent_session_id", parent);
    }
    if world.flag() {
        operation = operation.with("model", world.text(&["hermes-4", "gpt-5", "模型"]));
    }
    if world.random.one_in(3) {
        let configs: &[&str] = if world.newer {
            &[
                "{}",
                "{\"temperature\": 0.7}",
                "{\"a\": [1, null]}",
                "{\"_branched_from\": \"x\"}",
                "{\"_delegate_from\": \"x\"}",
            ]
        } else {
            &["{}", "{\"temperature\": 0.7}", "{\"a\": [1, null, \"é\"]}"]
        };
        let mut config = world.text(configs);
        // Delegates are pruned along with their parent; the release leaves them as orphans.
        if config.contains("_delegate_from") && (again || parent.is_some()) {
            config = "{}".to_owned();
        }
        if config.contains("_from") {
            world.mark(&marked);
        }
        operation = operation.with_text("model_config", config);
    }
    if world.random.one_in(4) {
        operation = operation.with("system_prompt", texts::said(&mut world.random));
    }
    if world.random.one_in(3) {
        operation = operation.with("user_id", world.text(&["u1", "u2", "42"]));
    }
    if world.newer && world.random.one_in(3) {
        for name in [
            "session_key",
            "chat_id",
            "chat_type",
            "thread_id",
            "profile_name",
        ] {
            operation = operation.with(name, world.text(&["k1", "k2", "dm"]));
        }
    }
    if world.newer && world.random.one_in(2) {
        operation = operation.with(
            "cwd",
            world.text(&[
                "/home/me/work",
                "/home/me/work/a",
                "/home/me/worker",
                "/100%_",
            ]),
        );
    }
    operation
}

fn ensure(world: &mut World) -> Operation {
    let id = world.new_id();
    Operation::of("ensure_session").with("session_id", id)
}

/// The arguments of a message, or the members of one in a list.
fn fill(world: &mut World, mut operation: Operation) -> Operation {
    let role = world.text(&["user", "user", "assistant", "assistant", "tool", "system"]);
    operation = operation
        .with("role", role.as_str())
        .with_text("content", texts::content(&mut world.random));
    if role == "tool" {
        operation = operation
            .with(
                "tool_name",
                world.text(&["terminal", "lookup", "", "漓江_tool"]),
            )
            .with("tool_call_id", world.text(&["c1", "", "c\u{0}2"]));
    }
    if role == "assistant" || world.random.one_in(20) {
        if world.random.one_in(3) {
            operation = operation.with_text("tool_calls", texts::tool_calls(&mut world.random));
        }
        if world.random.one_in(3) {
            operation = operation
                .with("finish_reason", world.text(&["stop", "tool_calls", ""]))
                .with("reasoning", texts::said(&mut world.random))
                .with("reasoning_content", world.text(&["", "because"]));
        }
        for name in [
            "reasoning_details",
            "codex_reasoning_items",
            "codex_message_items",
        ] {
            if world.random.one_in(6) {
                operation = operation.with_text(name, texts::details(&mut world.random));
            }
        }
    }
    if world.newer && world.random.one_in(5) {
        operation = operation
            .with("platform_message_id", world.text(&["p1", "p2", "17"]))
            .with("observed", world.flag())
            .with("effect_disposition", world.text(&["done", "unknown"]));
    }
    if world.newer && world.random.one_in(9) {
        operation = operation.with("api_content", texts::said(&mut world.random));
    }
    operation
}

pub(super) fn append(world: &mut World) -> Operation {
    world.messages += 1;
    let operation = world.on("append_message");
    let mut operation = fill(world, operation);
    if world.random.one_in(4) {
        operation = operation.with("token_count", world.random.below(5000) as u64);
    }
    if world.newer && world.random.one_in(9) {
        operation = operation.with("timestamp", world.now - 17.25);
    }
    operation
}

fn transcript(world: &mut World) -> String {
    let count = world.random.below(5);
    world.messages += count;
    let messages: Vec<String> = (0..count)
        .map(|_| fill(world, Operation::of("")).params())
        .collect();
    format!("[{}]", messages.join(", "))
}

fn replace(world: &mut World) -> Operation {
    let operation = world.on("replace_messages");
    let operation = operation.with_text("messages", transcript(world));
    if world.newer && world.flag() {
        return operation.with("active_only", true);
    }
    operation
}

fn end(world: &mut World) -> Operation {
    let reason = world.text(&[
        "compression",
        "compression",
        "branched",
        "user_exit",
        "漓江",
    ]);
    world.on("end_session").with("end_reason", reason)
}

fn reopen(world: &mut World) -> Operation {
    world.on("reopen_session")
}

fn set_title(world: &mut World) -> Operation {
    let title = texts::title(&mut world.random);
    world.on("set_session_title").with("title", title)
}

fn tokens(world: &mut World) -> Operation {
    let mut operation = world.on("update_token_counts");
    // A call that says nothing of its tokens is marked by us: see the list.
    operation = operation.with("input_tokens", world.random.below(10_000) as u64);
    for name in [
        "output_tokens",
        "cache_read_tokens",
        "cache_write_tokens",
        "reasoning_tokens",
        "api_call_count",
    ] {
        if world.flag() {
            operation = operation.with(name, world.random.below(10_000) as u64);
        }
    }
    // What a relative call without a cost does to the estimate differs: see the list.
    operation = operation.with(
        "estimated_cost_usd",
        world.random.below(1000) as f64 / 1024.0,
    );
    if world.random.one_in(3) {
        operation = operation
            .with("actual_cost_usd", world.random.below(1000) as f64 / 1024.0)
            .with("cost_status", world.text(&["actual", "estimated"]))
            .with("cost_source", "provider")
            .with("pricing_version", "v1");
    }
    if world.random.one_in(3) {
        operation = operation
            .with("model", world.text(&["hermes-4", "gpt-5"]))
            .with("billing_provider", world.text(&["openrouter", "nous"]))
            .with("billing_base_url", "https://example.com/v1")
            .with("billing_mode", world.text(&["api", "subscription"]));
    }
    if world.random.one_in(6) {
        operation = operation.with("absolute", true);
    }
    operation
}

fn clear(world: &mut World) -> Operation {
    world.on("clear_messages")
}

fn delete(world: &mut World) -> Operation {
    world.on("delete_session")
}

fn system_prompt(world: &mut World) -> Operation {
    let prompt = texts::said(&mut world.random);
    world
        .on("update_system_prompt")
        .with("system_prompt", prompt)
}

fn meta(world: &mut World) -> Operation {
    let value = texts::said(&mut world.random);
    Operation::of("set_meta")
        .with("key", world.text(KEYS))
        .with("value", value)
}

fn handoff(world: &mut World) -> Operation {
    match world.random.below(5) {
        0 | 1 => world.on("request_handoff").with("platform", "telegram"),
        2 => world.on("claim_handoff"),
        3 => world.on("complete_handoff"),
        _ => {
            let error = "é漓🎉".repeat(world.random.below(300));
            world.on("fail_handoff").with("error", error)
        }
    }
}

fn telegram(world: &mut World) -> Operation {
    let chat = world.text(CHATS);
    match world.random.below(6) {
        0 => Operation::of("apply_telegram_topic_migration"),
        1 => {
            let operation = Operation::of("enable_telegram_topic_mode")
                .with("chat_id", chat)
                .with("user_id", world.text(USERS));
            match world.flag() {
                true => operation.with("has_topics_enabled", world.flag()),
                false => operation,
            }
        }
        2 => Operation::of("disable_telegram_topic_mode")
            .with("chat_id", chat)
            .with("clear_bindings", world.flag()),
        _ => world
            .on("bind_telegram_topic")
            .with("chat_id", chat)
            .with("thread_id", world.text(TOPICS))
            .with("user_id", world.text(USERS))
            .with("session_key", "key"),
    }
}

fn prune(world: &mut World) -> Operation {
    let days = 5 + world.random.below(30);
    let mut operation = Operation::of("prune_sessions").with("older_than_days", days as u64);
    if world.newer {
        // The release prunes delegates by themselves and archived sessions, too: see the list.
        operation = operation.with("archived", false);
    }
    match world.flag() {
        true => operation.with("source", world.text(SOURCES)),
        false => operation,
    }
}

fn prune_ghosts(_: &mut World) -> Operation {
    Operation::of("prune_empty_ghost_sessions")
}

fn finalize(_: &mut World) -> Operation {
    Operation::of("finalize_orphaned_compression_sessions")
}

fn auto_prune(world: &mut World) -> Operation {
    if world.newer {
        return prune(world);
    }
    Operation::of("maybe_auto_prune_and_vacuum")
        .with("retention_days", 20 + world.random.below(30) as u64)
        .with("vacuum", false)
}

fn rewind(world: &mut World) -> Operation {
    let message = world.message() as u64;
    world
        .on("rewind_to_message")
        .with("target_message_id", message)
}

fn restore(world: &mut World) -> Operation {
    let message = world.message() as u64;
    let operation = world.on_another("restore_rewound", |world, id| world.compacted.contains(id));
    operation.with("since_message_id", message)
}

fn compact(world: &mut World) -> Operation {
    let id = world.id();
    world.compacted.insert(id.clone());
    Operation::of("archive_and_compact")
        .with("session_id", id)
        .with_text("compacted_messages", transcript(world))
}

fn set_archived(world: &mut World) -> Operation {
    let archived = world.flag();
    // What belongs to one conversation where it goes on twice differs: see the list.
    world
        .on_another("set_session_archived", World::is_forked)
        .with("archived", archived)
}

fn api_content(world: &mut World) -> Operation {
    let said = texts::content(&mut world.random);
    world
        .on("set_latest_user_api_content")
        .with_text("content", said)
        .with("api_content", "what went out")
}

fn fields(world: &mut World) -> Operation {
    match world.random.below(4) {
        0 => world
            .on("update_session_cwd")
            .with("cwd", "/home/me/work")
            .with("git_branch", "main"),
        1 => world.on("update_session_model").with("model", "gpt-5"),
        2 => world
            .on("update_session_meta")
            .with("model_config_json", "{\"x\": 1}")
            .with("model", "hermes-4"),
        _ => world
            .on("update_session_billing_route")
            .with("provider", "nous")
            .with("base_url", "https://example.com/v1"),
    }
}

fn auxiliary(world: &mut World) -> Operation {
    let task = world.text(&["title", "compression"]);
    world
        .on("record_auxiliary_usage")
        .with("task", task)
        .with("model", "small")
        .with("input_tokens", world.random.below(500) as u64)
        .with("estimated_cost_usd", 0.25)
}

fn auto_title(world: &mut World) -> Operation {
    let title = texts::title(&mut world.random);
    world.on("set_auto_title_if_empty").with("title", title)
}

fn delete_newer(world: &mut World) -> Operation {
    // delete_empty_sessions is not here: the release deletes sessions whose messages were archived.
    match world.flag() {
        true => {
            let ids = vec![world.id(), world.id()];
            Operation::of("delete_sessions").with("session_ids", ids)
        }
        false => world.on("delete_session_if_empty"),
    }
}

fn import(world: &mut World) -> Operation {
    let id = if world.random.one_in(4) {
        world.id()
    } else {
        world.new_id()
    };
    world.messages += 2;
    let parent = world.id();
    world.adopt(&id, &parent);
    let session = json!({
        "id": id,
        "source": world.text(SOURCES),
        "started_at": world.now - 1000.0,
        "parent_session_id": parent,
        "model_config": "{\"t\": 1}",
        "input_tokens": 5,
        "messages": [
            {"role": "user", "content": texts::said(&mut world.random), "timestamp": world.now - 900.0},
            {"role": "assistant", "content": "ok", "timestamp": world.now - 800.0, "tool_calls": [{"id": "c1"}]},
        ],
    });
    Operation::of("import_sessions").with("sessions", vec![session])
}
