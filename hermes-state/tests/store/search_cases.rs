//! What users asked of ranking and speed: the cases of the area `search-ranking-performance`, each
//! under its id. How fast it is on a large store is measured by `cargo xtask bench search` and
//! `bench state`; here is what must hold at any speed.

use std::time::Duration;

use hermes_state::{
    Collapse, ListOptions, NewMessage, NewSession, SearchOptions, SearchOrder, Store,
};

use crate::support::{Home, found, newer, raw};

const DAY: f64 = 86_400.0;

fn session_with(store: &Store, id: &str, source: &str, started: f64, texts: &[&str]) {
    store
        .create_session(&NewSession::new(id, source).started_at(started))
        .unwrap();
    let messages: Vec<_> = texts
        .iter()
        .enumerate()
        .map(|(n, text)| {
            NewMessage::new(id, "user")
                .content(*text)
                .timestamp(started + n as f64)
        })
        .collect();
    store.append_messages(&messages).unwrap();
}

fn sessions(store: &Store, options: &SearchOptions) -> Vec<String> {
    let matches = store.search(options).unwrap().matches;
    let ids = matches.into_iter().map(|hit| hit.session_id.to_string());
    ids.collect()
}

#[test]
fn rank_01_automatic_sessions_come_after_a_persons_own() {
    let home = Home::new();
    let store = home.store();
    session_with(&store, "mine", "cli", 1.0, &["the quokka report 山水画册"]);
    for n in 0..60 {
        let text = ["quokka quokka 山水画册 山水画册"];
        session_with(
            &store,
            &format!("cron{n:02}"),
            "cron",
            100.0 + f64::from(n),
            &text,
        );
    }
    session_with(&store, "only", "cron", 900.0, &["numbat 大别山"]);
    for query in ["quokka", "山水画", "山水"] {
        for order in [SearchOrder::Rank, SearchOrder::Newest] {
            let options = SearchOptions::new(query)
                .demote_source("cron")
                .collapse(Collapse::Session)
                .order(order)
                .limit(3);
            let first = sessions(&store, &options);
            assert_eq!(first[0], "mine", "{query} {order:?}");
            assert_eq!(first.len(), 3);
            assert_eq!(sessions(&store, &options), first, "the order is stable");
        }
    }
    for query in ["numbat", "大别山", "大别"] {
        let options = SearchOptions::new(query).demote_source("cron");
        assert_eq!(sessions(&store, &options), ["only"]);
    }
}

#[test]
fn rank_03_pages_of_equal_matches_hold_each_once() {
    let home = Home::new();
    let store = home.store();
    session_with(&store, "s", "cli", 1.0, &["quokka 山水画册"; 100]);
    for query in ["quokka", "山水画", "山水"] {
        let run = || {
            let mut all = Vec::new();
            for page in 0..15 {
                let options = SearchOptions::new(query).limit(7).offset(7 * page);
                let matches = store.search(&options).unwrap().matches;
                all.extend(matches.iter().map(|hit| hit.id.0));
            }
            all
        };
        let first = run();
        let mut distinct = first.clone();
        distinct.sort_unstable();
        assert_eq!(distinct, Vec::from_iter(1..=100), "{query}");
        assert_eq!(run(), first, "{query}");
    }
}

#[test]
fn rank_04_the_current_lineage_does_not_crowd_out_older_sessions() {
    let home = Home::new();
    let store = home.store();
    for n in 0..3 {
        session_with(
            &store,
            &format!("old{n}"),
            "cli",
            f64::from(n),
            &["quokka 山水画册"],
        );
    }
    session_with(&store, "now", "cli", 100.0, &["quokka 山水画册"; 40]);
    store
        .create_session(
            &NewSession::new("now-more", "cli")
                .parent("now")
                .started_at(200.0),
        )
        .unwrap();
    for n in 0..40 {
        let message = NewMessage::new("now-more", "user").content("quokka 山水画册");
        store
            .append_message(&message.timestamp(200.0 + f64::from(n)))
            .unwrap();
    }
    for query in ["quokka", "山水画", "山水"] {
        let options = SearchOptions::new(query)
            .order(SearchOrder::Newest)
            .exclude_lineage("now-more")
            .limit(3);
        assert_eq!(
            sessions(&store, &options),
            ["old2", "old1", "old0"],
            "{query}"
        );
    }
}

#[test]
fn rank_06_a_title_that_is_the_query_comes_first_and_signs_mean_themselves() {
    let home = Home::new();
    let store = home.store();
    session_with(&store, "exact", "cli", 1.0, &[]);
    store.set_session_title("exact", Some("plan")).unwrap();
    for n in 0..80 {
        let id = format!("s{n:02}");
        session_with(&store, &id, "cli", 100.0 + f64::from(n), &[]);
        let title = format!("the plan no. {n}");
        store.set_session_title(&id, Some(&title)).unwrap();
    }
    session_with(&store, "signs", "cli", 2.0, &[]);
    store.set_session_title("signs", Some("100% done")).unwrap();
    let listed = store.search_sessions_by_title("plan", 20, false).unwrap();
    let ids: Vec<_> = listed
        .iter()
        .map(|summary| summary.session.id.as_str())
        .collect();
    assert_eq!(ids.len(), 20);
    assert_eq!(ids[..2], ["exact", "s79"]);
    let listed = store.search_sessions_by_title("100%", 20, false).unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].session.id.as_str(), "signs");
    assert!(
        store
            .search_sessions_by_title(" ", 20, false)
            .unwrap()
            .is_empty()
    );
}

#[test]
fn rank_07_hidden_sources_are_left_out_only_where_that_is_asked_for() {
    let home = Home::new();
    let store = home.store();
    for source in ["cli", "subagent", "tool"] {
        session_with(&store, source, source, 1.0, &["quokka 山水画册"]);
    }
    for query in ["quokka", "山水画", "山水"] {
        let options = SearchOptions::new(query);
        assert_eq!(sessions(&store, &options).len(), 3, "{query}");
        let options = options.exclude_hidden();
        assert_eq!(sessions(&store, &options), ["cli"], "{query}");
        // Whoever names one wants it.
        let named = options.source("tool");
        assert_eq!(sessions(&store, &named), ["tool"], "{query}");
    }
}

#[test]
fn rank_09_a_search_ends_when_its_time_is_over_and_the_store_is_as_usable_as_before() {
    let home = Home::new();
    let store = home.store();
    let texts: Vec<String> = (0..8_000)
        .map(|n| format!("w{} w{}", n % 40, n % 37))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    session_with(&store, "s", "cli", 1.0, &texts);
    let terms: Vec<String> = (0..40).map(|n| format!("w{n}")).collect();
    let many = SearchOptions::new(terms.join(" OR "));
    let short = many.clone().timeout(Duration::from_millis(1));
    let error = store.search(&short).unwrap_err();
    assert_eq!(error.code(), "interrupted");
    assert_eq!(store.search(&many).unwrap().matches.len(), 20);
    let message = NewMessage::new("s", "user").content("quokka");
    store.append_message(&message).unwrap();
    assert_eq!(found(&store, "quokka"), [8_001]);
}

#[test]
fn rank_10_matches_in_huge_messages_give_small_results() {
    let home = Home::new();
    let store = home.store();
    store.create_session(&NewSession::new("s", "cli")).unwrap();
    let huge = format!(
        "{}quokka 山水画册{}",
        "hay ".repeat(64_000),
        " hay".repeat(64_000)
    );
    for _ in 0..12 {
        store
            .append_message(&NewMessage::new("s", "user").content(huge.as_str()))
            .unwrap();
    }
    for query in ["quokka", "山水画", "山水"] {
        let results = store.search(&SearchOptions::new(query).limit(8)).unwrap();
        assert_eq!(results.matches.len(), 8);
        let json = serde_json::to_value(&results.matches).unwrap();
        assert!(json.to_string().len() < 8 * 4_000, "{query}");
        assert!(
            json.as_array()
                .unwrap()
                .iter()
                .all(|hit| hit.get("content").is_none())
        );
    }
}

/// How fast: `bench state` has both on 2,000 sessions; here, that a page of a list and counts are
/// right on many.
#[test]
fn rank_12_and_rank_13_pages_and_counts_are_right_on_many_sessions() {
    let home = Home::new();
    let store = home.store();
    drop(store);
    let conn = raw(&home.path());
    conn.execute_batch(
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2999)
         INSERT INTO sessions (id, source, started_at)
             SELECT printf('s%05d', i), iif(i % 3, 'cli', 'telegram'), i FROM n;
         INSERT INTO messages (session_id, role, content, timestamp)
             SELECT id, 'user', 'said in ' || id, started_at + 0.5 FROM sessions;",
    )
    .unwrap();
    let store = home.store();
    let mut options = ListOptions::default();
    let listed = store.list_sessions(&options).unwrap();
    assert_eq!(listed.len(), 20);
    assert_eq!(listed[0].session.id.as_str(), "s02999");
    assert_eq!(listed[0].preview, "said in s02999");
    options.sources = vec!["telegram".to_owned()];
    assert_eq!(store.session_count(&options).unwrap(), 1_000);
    let counted = store.search_count(&SearchOptions::new("said").source("telegram"));
    assert_eq!(counted.unwrap().count, 1_000);
}

#[test]
fn rank_15_a_match_has_its_own_time_and_that_of_its_sessions_start() {
    let (january, march) = (1_767_225_600.0, 1_772_496_000.0);
    let home = Home::new();
    let store = home.store();
    store
        .create_session(&NewSession::new("s", "cli").started_at(january))
        .unwrap();
    let message = NewMessage::new("s", "user").content("quokka 山水画册");
    store.append_message(&message.timestamp(march)).unwrap();
    for query in ["quokka", "山水画", "山水"] {
        let hit = store
            .search(&SearchOptions::new(query))
            .unwrap()
            .matches
            .remove(0);
        assert_eq!(
            (hit.timestamp, hit.session_started),
            (march, january),
            "{query}"
        );
    }
}

#[test]
fn rank_16_days_bound_a_search_in_any_script() {
    let now = 1_770_000_000.0;
    let home = Home::new();
    let store = home.store();
    store
        .create_session(&NewSession::new("s", "cli").started_at(now - 20.0 * DAY))
        .unwrap();
    for days in [10.0, 5.0, 1.0] {
        let message = NewMessage::new("s", "user").content("quokka 山水画册");
        store
            .append_message(&message.timestamp(now - days * DAY))
            .unwrap();
    }
    for query in ["quokka", "山水画", "山水"] {
        let options = SearchOptions::new(query)
            .since(now - 7.0 * DAY)
            .until(now - 2.0 * DAY);
        let matches = store.search(&options).unwrap().matches;
        let ids: Vec<_> = matches.iter().map(|hit| hit.id.0).collect();
        assert_eq!(ids, [2], "{query}");
    }
}

#[test]
fn rank_18_compacted_messages_are_found_and_flagged_and_undone_ones_are_not() {
    let fixture = newer::empty_v22();
    let store = newer::open_at(fixture.path(), 100.0);
    session_with(&store, "s", "cli", 1.0, &["quokka 山水画册"; 10]);
    store
        .archive_and_compact("s", &[NewMessage::new("s", "user").content("in short")])
        .unwrap();
    session_with(&store, "undone", "cli", 1.0, &["quokka 山水画册"; 2]);
    raw(fixture.path())
        .execute_batch("UPDATE messages SET active = 0 WHERE session_id = 'undone'")
        .unwrap();
    for query in ["quokka", "山水画", "山水"] {
        let matches = store.search(&SearchOptions::new(query)).unwrap().matches;
        assert_eq!(matches.len(), 10, "{query}");
        assert!(
            matches
                .iter()
                .all(|hit| hit.compacted && hit.session_id.as_str() == "s")
        );
        let json = serde_json::to_value(&matches[0]).unwrap();
        assert_eq!(json["compacted"], true);
    }
}
