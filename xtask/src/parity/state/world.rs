//! Random sequences of operations on a store.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use super::operation::Operation;
use super::random::Random;
use super::texts;

/// What is known of the store that the operations make.
#[derive(Debug)]
pub(super) struct World {
    pub(super) random: Random,
    /// Ids that were used, in order; their sessions may be gone.
    ids: Vec<String>,
    /// Each with the id at the top of its line of parents.
    roots: HashMap<String, String>,
    /// Those at the top of a line with two children of one session.
    forked: HashSet<String>,
    parents: HashSet<String>,
    /// About as many messages as there were ever.
    messages: usize,
    pub(super) now: f64,
    /// Whether the store keeps the rules of versions after 11.
    newer: bool,
}

type Make = fn(&mut World) -> Operation;

/// Operations that change the store: name, weight, whether only newer stores have it, its maker.
const WRITES: &[(usize, bool, Make)] = &[
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

/// Operations that only read.
const READS: &[(usize, bool, Make)] = &[
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

impl World {
    pub(super) fn new(seed: u64, newer: bool) -> World {
        World {
            random: Random::new(seed),
            ids: Vec::new(),
            roots: HashMap::new(),
            forked: HashSet::new(),
            parents: HashSet::new(),
            messages: 0,
            now: 1_750_000_000.0,
            newer,
        }
    }

    /// The next operation; the time has moved on before it.
    pub(super) fn operation(&mut self) -> Operation {
        if self.random.one_in(2) || self.ids.is_empty() {
            self.write()
        } else {
            self.read()
        }
    }

    pub(super) fn write(&mut self) -> Operation {
        // Never the same time twice: what comes first of two equal times is not defined.
        let steps = [0.001, 0.5, 1.0, 60.0, 3600.0, 90_000.0];
        self.now += self.random.pick(&steps).copied().unwrap_or(1.0);
        if self.ids.is_empty() {
            return create(self);
        }
        self.one_of(WRITES)
    }

    pub(super) fn read(&mut self) -> Operation {
        self.one_of(READS)
    }

    fn one_of(&mut self, makers: &[(usize, bool, Make)]) -> Operation {
        let newer = self.newer;
        let weights = makers
            .iter()
            .map(|(weight, needs, _)| if *needs && !newer { 0 } else { *weight });
        let at = self.random.weighted(weights);
        let make = makers.get(at).map_or(append as Make, |(_, _, make)| *make);
        make(self)
    }

    fn id(&mut self) -> String {
        if self.random.one_in(40) {
            return "no_such_session".to_owned();
        }
        // The latest are used the most.
        let recent = self.ids.len().saturating_sub(12);
        let from = if self.random.one_in(4) { 0 } else { recent };
        let at = from + self.random.below(self.ids.len() - from);
        self.ids.get(at).cloned().unwrap_or_default()
    }

    fn new_id(&mut self) -> String {
        const ODD: &[&str] = &[
            "100%_a",
            "100%_b",
            "back\\slash",
            "UPPER",
            "upper",
            "漓江",
            "a'b",
            "s*",
            "[x]",
        ];
        let odd = texts::pick(&mut self.random, ODD);
        let id = if self.random.one_in(8) && !self.ids.contains(&odd) {
            odd
        } else {
            format!("20260{}_{:04}", self.random.below(9), self.ids.len())
        };
        self.ids.push(id.clone());
        id
    }

    /// Notes that a session may have become a child.
    fn adopt(&mut self, id: &str, parent: &str) {
        let root = self.roots.get(parent).cloned();
        let root = root.unwrap_or_else(|| parent.to_owned());
        if !self.parents.insert(parent.to_owned()) {
            self.forked.insert(root.clone());
        }
        self.roots.entry(id.to_owned()).or_insert(root);
    }

    fn is_forked(&self, id: &str) -> bool {
        let root = self.roots.get(id).map_or(id, String::as_str);
        self.forked.contains(root)
    }

    fn message(&mut self) -> usize {
        1 + self.messages.saturating_sub(self.random.below(30))
    }

    fn text(&mut self, among: &[&str]) -> String {
        texts::pick(&mut self.random, among)
    }

    fn flag(&mut self) -> bool {
        self.random.one_in(2)
    }

    /// An operation on a session.
    fn on(&mut self, method: &'static str) -> Operation {
        let id = self.id();
        Operation::of(method).with("session_id", id)
    }
}

const SOURCES: &[&str] = &["cli", "telegram", "tui", "cron", "tool", "discord"];

fn create(world: &mut World) -> Operation {
    let parent = (!world.ids.is_empty() && world.random.one_in(2)).then(|| world.id());
    let again = !world.ids.is_empty() && world.random.one_in(12);
    let id = if again { world.id() } else { world.new_id() };
    if let Some(parent) = &parent {
        world.adopt(&id, parent);
    }
    let mut operation = Operation::of("create_session")
        .with("session_id", id)
        .with("source", world.text(SOURCES));
    if let Some(parent) = parent {
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
        operation = operation.with_text("model_config", world.text(configs));
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

fn append(world: &mut World) -> Operation {
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

const KEYS: &[&str] = &["a", "b", "漓江", ""];

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

const CHATS: &[&str] = &["1", "2", "-100"];
const TOPICS: &[&str] = &["10", "11", "12"];
const USERS: &[&str] = &["42", "u1"];

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
    world
        .on("restore_rewound")
        .with("since_message_id", message)
}

fn compact(world: &mut World) -> Operation {
    let operation = world.on("archive_and_compact");
    operation.with_text("compacted_messages", transcript(world))
}

fn set_archived(world: &mut World) -> Operation {
    let archived = world.flag();
    let operation = Operation::of("set_session_archived");
    // What belongs to one conversation where it goes on twice differs: see the list.
    for _ in 0..20 {
        let id = world.id();
        if !world.is_forked(&id) {
            return operation.with("session_id", id).with("archived", archived);
        }
    }
    world.on("get_session")
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
