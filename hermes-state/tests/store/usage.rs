//! Tokens and cost: what is added, what stays, and what is kept per model.

use hermes_state::{NewSession, Session, Store, TokenUsage};

use crate::support::newer::{empty_v22, open_at};
use crate::support::{Home, ask, raw};

fn session(store: &Store, id: &str) -> Session {
    store.session(id).unwrap().unwrap()
}

fn add(store: &Store, usage: &TokenUsage) {
    store.update_token_counts(usage).unwrap();
}

fn used(id: &str, input: i64, output: i64) -> TokenUsage {
    TokenUsage::new(id)
        .input_tokens(input)
        .output_tokens(output)
}

/// Model, provider, base URL, mode, task, calls, input, cost of each row of usage per model.
fn per_model(store: &Store) -> Vec<String> {
    let conn = raw(store.path());
    let mut statement = conn
        .prepare(
            "SELECT concat_ws('|', model, billing_provider, billing_base_url, billing_mode, task,
                    api_call_count, input_tokens, estimated_cost_usd)
             FROM session_model_usage ORDER BY rowid",
        )
        .unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

fn both(test: impl Fn(&Store)) {
    let home = Home::new();
    test(&home.store_at(1.0));
    let fixture = empty_v22();
    test(&open_at(fixture.path(), 1.0));
}

#[test]
fn tok_09_deltas_add_and_absolute_figures_replace() {
    both(|store| {
        for _ in 0..2 {
            add(store, &used("delta", 10, 5));
            add(store, &used("absolute", 10, 5).absolute());
        }
        add(store, &used("smaller", 10, 5).absolute());
        add(store, &used("smaller", 4, 3).absolute());
        let tokens = |id| {
            let session = session(store, id);
            (
                session.input_tokens.unwrap(),
                session.output_tokens.unwrap(),
            )
        };
        assert_eq!(
            (tokens("delta"), tokens("absolute"), tokens("smaller")),
            ((20, 10), (10, 5), (4, 3))
        );
        for bad in [
            used("delta", -1, 0),
            TokenUsage::new("delta").estimated_cost_usd(f64::NAN),
            TokenUsage::new(""),
        ] {
            assert_eq!(
                store.update_token_counts(&bad).unwrap_err().code(),
                "invalid"
            );
        }
        let exact = (1_i64 << 53) + 1;
        add(store, &used("big", exact, 0));
        add(store, &used("big", 1, 0));
        assert_eq!(tokens("big").0, exact + 1);
        assert_eq!(
            store
                .update_token_counts(&used("big", i64::MAX, 0))
                .unwrap_err()
                .code(),
            "invalid"
        );
        assert_eq!(tokens("big").0, exact + 1);
    });
}

#[test]
fn a_figure_that_is_not_given_wipes_nothing_and_null_heals() {
    both(|store| {
        add(
            store,
            &used("s", 10, 5)
                .estimated_cost_usd(0.5)
                .actual_cost_usd(0.25),
        );
        add(store, &TokenUsage::new("s").output_tokens(1).absolute());
        let stored = session(store, "s");
        assert_eq!(
            (stored.input_tokens, stored.output_tokens),
            (Some(10), Some(1))
        );
        assert_eq!(
            (stored.estimated_cost_usd, stored.actual_cost_usd),
            (Some(0.5), Some(0.25))
        );
        raw(store.path())
            .execute("UPDATE sessions SET input_tokens = NULL", [])
            .unwrap();
        add(store, &used("s", 3, 0).estimated_cost_usd(0.25));
        let stored = session(store, "s");
        assert_eq!(
            (stored.input_tokens, stored.estimated_cost_usd),
            (Some(3), Some(0.75))
        );
    });
}

#[test]
fn tok_03_an_unknown_cost_is_not_zero() {
    both(|store| {
        add(store, &used("unknown", 1, 1).cost_status("unknown"));
        add(
            store,
            &used("included", 1, 1)
                .cost_status("included")
                .estimated_cost_usd(0.0),
        );
        add(
            store,
            &used("priced", 1, 1)
                .cost_status("estimated")
                .estimated_cost_usd(0.5),
        );
        for (id, cost) in [
            ("unknown", None),
            ("included", Some(0.0)),
            ("priced", Some(0.5)),
        ] {
            assert_eq!(session(store, id).estimated_cost_usd, cost, "{id}");
        }
    });
}

#[test]
fn tok_04_a_provider_that_comes_later_loses_no_counts() {
    both(|store| {
        add(store, &used("s", 1, 1));
        add(store, &used("s", 1, 1).billing_provider(""));
        add(store, &used("s", 1, 1).billing_provider("openrouter"));
        let stored = session(store, "s");
        assert_eq!(stored.input_tokens, Some(3));
        assert_eq!(stored.billing_provider.as_deref(), Some("openrouter"));
        // Also where another program stored an empty one.
        raw(store.path())
            .execute("UPDATE sessions SET billing_provider = ''", [])
            .unwrap();
        add(store, &used("s", 1, 1).billing_provider("direct"));
        assert_eq!(
            session(store, "s").billing_provider.as_deref(),
            Some("direct")
        );
    });
}

#[test]
fn tok_06_a_call_without_figures_is_counted_and_marked() {
    both(|store| {
        add(
            store,
            &used("s", 5, 5).api_call_count(1).cost_status("estimated"),
        );
        assert_eq!(store.usage_of("s", false).unwrap().incomplete_sessions, 0);
        add(store, &TokenUsage::new("s").api_call_count(1));
        let stored = session(store, "s");
        assert_eq!(
            (stored.api_call_count, stored.input_tokens),
            (Some(2), Some(5))
        );
        assert_eq!(stored.cost_status.as_deref(), Some("unknown"));
        assert!(store.usage_of("s", false).unwrap().is_lower_bound());
    });
}

#[test]
fn tok_10_usage_of_an_unknown_session_creates_it_once() {
    both(|store| {
        add(store, &used("s", 1, 1));
        add(store, &used("s", 1, 1));
        assert_eq!(session(store, "s").source, "unknown");
        assert_eq!(ask::<i64>(store.path(), "SELECT COUNT(*) FROM sessions"), 1);
        // Version 11 leaves it as it is.
        assert!(
            !store
                .create_session(&NewSession::new("s", "cli").model("m"))
                .unwrap()
        );
        let filled = store.schema_version() > 11;
        assert_eq!(session(store, "s").model.as_deref(), filled.then_some("m"));
        assert_eq!(session(store, "s").input_tokens, Some(2));
    });
}

#[test]
fn in_version_11_model_and_billing_only_fill_what_is_empty() {
    let home = Home::new();
    let store = home.store();
    store
        .create_session(&NewSession::new("s", "cli").model("m1"))
        .unwrap();
    let route = |model| {
        TokenUsage::new("s")
            .model(model)
            .billing_provider("p")
            .billing_mode(model)
    };
    add(&store, &route("m2"));
    add(&store, &route("m3").api_call_count(1));
    let stored = session(&store, "s");
    assert_eq!(stored.model.as_deref(), Some("m1"));
    assert_eq!(stored.billing_mode.as_deref(), Some("m2"));
    let error = store
        .record_auxiliary_usage("title", &used("s", 1, 1))
        .unwrap_err();
    assert_eq!(error.code(), "unsupported");
}

#[test]
fn in_newer_versions_the_first_call_says_who_bills_and_each_model_has_a_row() {
    let fixture = empty_v22();
    let store = open_at(fixture.path(), 1.0);
    store
        .create_session(&NewSession::new("s", "cli").model("m0"))
        .unwrap();
    let route =
        |model: &str, provider: &str| used("s", 1, 0).model(model).billing_provider(provider);
    // Nothing used: nothing learnt.
    add(
        &store,
        &TokenUsage::new("s")
            .model("x")
            .billing_provider("x")
            .cost_status("c"),
    );
    assert_eq!(session(&store, "s").billing_provider, None);
    add(
        &store,
        &route("m1", "p1").billing_base_url("u").billing_mode("x"),
    );
    add(&store, &route("m2", "p2").api_call_count(1));
    add(
        &store,
        &route("m3", "p3").api_call_count(1).estimated_cost_usd(0.5),
    );
    let stored = session(&store, "s");
    assert_eq!(
        (stored.model.as_deref(), stored.billing_provider.as_deref()),
        (Some("m2"), Some("p2"))
    );
    assert_eq!((stored.billing_base_url, stored.billing_mode), (None, None));
    add(&store, &used("s", 2, 0).api_call_count(1));
    add(&store, &used("s", 100, 0).absolute());
    store
        .record_auxiliary_usage("title", &used("s", 7, 0))
        .unwrap();
    store
        .record_auxiliary_usage("title", &used("s", 7, 0))
        .unwrap();
    assert_eq!(
        per_model(&store),
        [
            "m1|p1|u|x||0|1|0.0",
            "m2|p2||||2|3|0.0",
            "m3|p3||||1|1|0.5",
            "unknown||||title|2|14|0.0",
        ]
    );
    assert_eq!(session(&store, "s").input_tokens, Some(100));
}

#[test]
fn usage_per_model_is_kept_where_the_table_has_no_task_or_is_missing() {
    let fixture = empty_v22();
    let conn = raw(fixture.path());
    conn.execute_batch(
        "DROP TABLE session_model_usage;
         CREATE TABLE session_model_usage (session_id TEXT, model TEXT, billing_provider TEXT,
            billing_base_url TEXT, billing_mode TEXT, api_call_count INTEGER DEFAULT 0,
            input_tokens INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0,
            cache_read_tokens INTEGER DEFAULT 0, cache_write_tokens INTEGER DEFAULT 0,
            reasoning_tokens INTEGER DEFAULT 0, estimated_cost_usd REAL DEFAULT 0,
            actual_cost_usd REAL DEFAULT 0, cost_status TEXT, cost_source TEXT,
            first_seen REAL, last_seen REAL,
            PRIMARY KEY (session_id, model, billing_provider, billing_base_url, billing_mode));",
    )
    .unwrap();
    let store = open_at(fixture.path(), 1.0);
    add(&store, &used("s", 2, 0));
    add(&store, &used("s", 3, 0));
    assert_eq!(
        ask::<i64>(store.path(), "SELECT input_tokens FROM session_model_usage"),
        5
    );
    assert_eq!(
        store
            .record_auxiliary_usage("t", &used("s", 1, 1))
            .unwrap_err()
            .code(),
        "invalid"
    );
    conn.execute_batch("DROP TABLE session_model_usage")
        .unwrap();
    add(&store, &used("s", 3, 0));
    assert_eq!(session(&store, "s").input_tokens, Some(8));
}

#[test]
fn tok_01_what_is_used_beside_the_conversation_is_in_the_totals_once() {
    let fixture = empty_v22();
    let store = open_at(fixture.path(), 1.0);
    add(&store, &used("s", 1000, 100).model("m").api_call_count(1));
    store
        .record_auxiliary_usage("compression", &used("s", 5000, 200))
        .unwrap();
    store
        .record_auxiliary_usage("title", &used("s", 50, 10))
        .unwrap();
    let totals = store.usage_of("s", false).unwrap();
    assert_eq!(
        (totals.input_tokens, totals.output_tokens, totals.api_calls),
        (6050, 310, 3)
    );
    let stats = store.token_stats(&Default::default()).unwrap();
    assert_eq!(stats.total.input_tokens, 6050);
    let by_task: Vec<_> = stats
        .by_task
        .iter()
        .map(|group| (group.key.as_str(), group.totals.input_tokens))
        .collect();
    assert_eq!(by_task, [("compression", 5000), ("title", 50)]);
    let by_model: i64 = stats
        .by_model
        .iter()
        .map(|group| group.totals.input_tokens)
        .sum();
    assert_eq!(by_model, 6050);
    // Version 11 has one total, and the caller adds all to it.
    let home = Home::new();
    let store = home.store();
    for (input, output) in [(1000, 100), (5000, 200), (50, 10)] {
        add(&store, &used("s", input, output));
    }
    assert_eq!(store.usage_of("s", false).unwrap().output_tokens, 310);
}

#[test]
fn tok_07_a_roll_up_counts_each_session_once() {
    both(|store| {
        add(store, &used("parent", 100, 10));
        for id in ["a", "b", "c"] {
            store
                .create_session(&NewSession::new(id, "cli").parent("parent"))
                .unwrap();
            add(store, &used(id, 10, 1));
        }
        // Two failed tries that used something.
        add(store, &used("c", 5, 0));
        add(store, &used("c", 5, 0));
        let rolled = store.usage_of("parent", true).unwrap();
        assert_eq!(
            (rolled.sessions, rolled.input_tokens, rolled.output_tokens),
            (4, 140, 13)
        );
        assert_eq!(store.usage_of("parent", false).unwrap().input_tokens, 100);
        assert_eq!(
            store.usage_of("nobody", true).unwrap_err().code(),
            "unknown_session"
        );
    });
}

#[test]
fn statistics_are_by_day_model_and_source() {
    use hermes_state::StatsOptions;
    both(|store| {
        const DAY: f64 = 86_400.0;
        for (id, source, model, start, input) in [
            ("a", "cli", "m1", 0.5 * DAY, 10),
            ("b", "cli", "m2", 1.5 * DAY, 20),
            ("c", "telegram", "m1", 1.9 * DAY, 30),
        ] {
            store
                .create_session(&NewSession::new(id, source).model(model).started_at(start))
                .unwrap();
            add(store, &used(id, input, 1).estimated_cost_usd(0.5));
        }
        let mut options = StatsOptions::default();
        let stats = store.token_stats(&options).unwrap();
        let keys = |groups: &[hermes_state::UsageGroup]| -> Vec<(String, i64)> {
            groups
                .iter()
                .map(|g| (g.key.clone(), g.totals.input_tokens))
                .collect()
        };
        assert_eq!(
            keys(&stats.by_day),
            [("1970-01-01".to_owned(), 10), ("1970-01-02".to_owned(), 50)]
        );
        assert_eq!(
            keys(&stats.by_model),
            [("m1".to_owned(), 40), ("m2".to_owned(), 20)]
        );
        assert_eq!(
            keys(&stats.by_source),
            [("cli".to_owned(), 30), ("telegram".to_owned(), 30)]
        );
        assert_eq!((stats.total.sessions, stats.total.cost_usd), (3, 1.5));
        options.since = Some(DAY);
        options.utc_offset_seconds = 4 * 3600;
        let stats = store.token_stats(&options).unwrap();
        assert_eq!(
            keys(&stats.by_day),
            [("1970-01-02".to_owned(), 20), ("1970-01-03".to_owned(), 30)]
        );
        let top = store.top_sessions_by_tokens(2).unwrap();
        let top: Vec<_> = top
            .iter()
            .map(|s| (s.id.as_str(), s.totals.input_tokens))
            .collect();
        assert_eq!(top, [("c", 30), ("b", 20)]);
    });
}

/// MIG-06: stamped 22, and the key of the usage table is still that of version 20.
#[test]
fn a_usage_table_with_another_key_costs_no_total_and_is_not_rebuilt() {
    for key in [
        "session_id, model, billing_provider, billing_base_url, billing_mode",
        "session_id, model",
    ] {
        let fixture = empty_v22();
        let conn = raw(fixture.path());
        let sql: String = conn
            .query_row(
                "SELECT sql FROM sqlite_master WHERE name = 'session_model_usage'",
                [],
                |row| row.get(0),
            )
            .unwrap();
        let begins = sql.find("PRIMARY KEY").unwrap();
        let old = format!("{}PRIMARY KEY ({key}))", &sql[..begins]);
        conn.execute_batch(&format!("DROP TABLE session_model_usage; {old}"))
            .unwrap();
        drop(conn);
        let store = Store::open(fixture.path()).unwrap();
        let usage = TokenUsage::new("s")
            .model("hermes-4")
            .billing_provider("nous")
            .input_tokens(7)
            .api_call_count(1);
        store.update_token_counts(&usage).unwrap();
        store.update_token_counts(&usage).unwrap();
        assert_eq!(store.session("s").unwrap().unwrap().input_tokens, Some(14));
        let error = store.record_auxiliary_usage("title", &usage).unwrap_err();
        let said = error.to_string();
        assert_eq!(error.code(), "invalid");
        assert!(
            said.contains("session_model_usage") && said.contains("task"),
            "{said}"
        );
        assert_eq!(
            ask::<String>(
                fixture.path(),
                "SELECT sql FROM sqlite_master WHERE name = 'session_model_usage'"
            ),
            old
        );
        let kept: i64 = ask(fixture.path(), "SELECT COUNT(*) FROM session_model_usage");
        assert_eq!(kept, i64::from(key.contains("billing")));
        // Newer than what we write: nothing at all.
        raw(fixture.path())
            .execute("UPDATE schema_version SET version = 23", [])
            .unwrap();
        let error = store.update_token_counts(&usage).unwrap_err();
        assert_eq!(error.code(), "schema_too_new");
    }
}
