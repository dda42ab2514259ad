//! What a search can be told: conditions, order, pages, marks, context, collapsing, counting.

use std::time::{Duration, UNIX_EPOCH};

use hermes_state::{
    CancelSearch, Collapse, Error, NewMessage, NewSession, OnDamage, SearchOptions, SearchOrder,
    Store,
};
use proptest::prelude::*;

use crate::support::{Home, newer, raw};

/// A query for each way of looking it up: the word index, the trigram index, the rows.
const WAYS: [&str; 3] = ["quokka", "山水画", "山水"];
const TEXT: &str = "quokka 山水画册";

fn say(store: &Store, session: &str, role: &str, text: &str, time: f64) {
    let message = NewMessage::new(session, role).content(text).timestamp(time);
    store.append_message(&message).unwrap();
}

fn session(store: &Store, id: &str, source: &str) {
    store
        .create_session(&NewSession::new(id, source).started_at(1.0))
        .unwrap();
}

fn ids(store: &Store, options: &SearchOptions) -> Vec<i64> {
    let results = store.search(options).unwrap();
    assert!(!results.degraded);
    results.matches.iter().map(|hit| hit.id.0).collect()
}

fn sorted(mut ids: Vec<i64>) -> Vec<i64> {
    ids.sort_unstable();
    ids
}

#[test]
fn every_condition_holds_on_every_way() {
    let home = Home::new();
    let store = home.store();
    for (id, model, title) in [
        ("a", "claude-opus", "100% plan"),
        ("b", "gpt-5", "Holiday"),
        ("c", "claude-haiku", ""),
    ] {
        let new = NewSession::new(id, "cli").model(model).started_at(1.0);
        store.create_session(&new).unwrap();
        if !title.is_empty() {
            store.set_session_title(id, Some(title)).unwrap();
        }
        say(&store, id, "user", TEXT, 10.0);
        say(&store, id, "assistant", TEXT, 20.0);
        let tool = NewMessage::new(id, "tool").content(TEXT).timestamp(30.0);
        store.append_message(&tool.tool_name("terminal")).unwrap();
    }
    for query in WAYS {
        let new = || SearchOptions::new(query).limit(usize::MAX);
        for (options, expected) in [
            (new(), vec![1, 2, 3, 4, 5, 6, 7, 8, 9]),
            (new().session("b"), vec![4, 5, 6]),
            (new().session("b").session("c"), vec![4, 5, 6, 7, 8, 9]),
            (new().session("nobody"), vec![]),
            (
                new().exclude_session("a").exclude_session("c"),
                vec![4, 5, 6],
            ),
            (new().tool("terminal"), vec![3, 6, 9]),
            (new().tool("terminal").role("user"), vec![]),
            (new().role("user").role("tool"), vec![1, 3, 4, 6, 7, 9]),
            (new().since(20.0), vec![2, 3, 5, 6, 8, 9]),
            (new().until(20.0), vec![1, 4, 7]),
            (new().since(10.5).until(30.0), vec![2, 5, 8]),
            (
                new().since(UNIX_EPOCH + Duration::from_secs(30)),
                vec![3, 6, 9],
            ),
            (new().model("CLAUDE"), vec![1, 2, 3, 7, 8, 9]),
            (new().title("holi"), vec![4, 5, 6]),
            (new().title("0% p"), vec![1, 2, 3]),
            (new().title("%"), vec![1, 2, 3]),
            (new().title("_"), vec![]),
            (new().source("cli").exclude_source("cli"), vec![]),
        ] {
            assert_eq!(sorted(ids(&store, &options)), expected, "{options:?}");
            let count = store.search_count(&options.clone().limit(0)).unwrap();
            assert_eq!(count.count, expected.len() as u64, "{options:?}");
        }
    }
}

#[test]
fn times_that_are_none_are_refused() {
    let home = Home::new();
    let store = home.store();
    for options in [
        SearchOptions::new("x").since(f64::NAN),
        SearchOptions::new("x").until(f64::INFINITY),
        SearchOptions::new("x").since(2.0).until(1.0),
    ] {
        for result in [
            store.search(&options).map(|_| ()),
            store.search_count(&options).map(|_| ()),
        ] {
            assert!(matches!(result, Err(Error::Invalid { .. })), "{options:?}");
        }
    }
}

/// Roots r1 and r2; under r1 a continuation, and under that a helper.
fn lineages(store: &Store) {
    for (id, parent) in [
        ("r1", None),
        ("r1-more", Some("r1")),
        ("r1-helper", Some("r1-more")),
        ("r2", None),
    ] {
        let mut new = NewSession::new(id, "cli").started_at(1.0);
        if let Some(parent) = parent {
            new = new.parent(parent);
        }
        store.create_session(&new).unwrap();
        for n in 0..3 {
            say(store, id, "user", TEXT, f64::from(n));
        }
    }
}

#[test]
fn a_lineage_is_its_root_and_all_that_came_of_it() {
    let home = Home::new();
    let store = home.store();
    lineages(&store);
    for query in WAYS {
        let new = || SearchOptions::new(query).limit(usize::MAX);
        for id in ["r1", "r1-more", "r1-helper"] {
            assert_eq!(
                sorted(ids(&store, &new().lineage(id))),
                Vec::from_iter(1..=9)
            );
            assert_eq!(
                sorted(ids(&store, &new().exclude_lineage(id))),
                [10, 11, 12]
            );
        }
        let both = new().lineage("r1").session("r1-more");
        assert_eq!(sorted(ids(&store, &both)), [4, 5, 6]);
        assert_eq!(ids(&store, &new().lineage("nobody")), [] as [i64; 0]);
    }
}

#[test]
fn one_match_stands_for_its_session_or_lineage_and_counts_the_others() {
    let home = Home::new();
    let store = home.store();
    lineages(&store);
    for query in WAYS {
        let options = SearchOptions::new(query).order(SearchOrder::Oldest);
        let by_session = options.clone().collapse(Collapse::Session);
        let results = store.search(&by_session).unwrap();
        let shown: Vec<_> = results
            .matches
            .iter()
            .map(|hit| (hit.id.0, hit.further, hit.lineage.is_some()))
            .collect();
        let expected = [1, 4, 7, 10].map(|id| (id, Some(2), false));
        assert_eq!(shown, expected, "{query}");
        assert_eq!(store.search_count(&by_session).unwrap().count, 4);

        let by_lineage = options.clone().collapse(Collapse::Lineage);
        let results = store.search(&by_lineage.clone()).unwrap();
        let shown: Vec<_> = results
            .matches
            .iter()
            .map(|hit| (hit.id.0, hit.further, hit.lineage.clone().unwrap()))
            .collect();
        let expected = [(1, Some(8), "r1".into()), (10, Some(2), "r2".into())];
        assert_eq!(shown, expected, "{query}");
        let second = store.search(&by_lineage.offset(1)).unwrap();
        assert_eq!(second.matches[0].session_id.as_str(), "r2");
        assert_eq!(second.matches.len(), 1);

        let plain = store.search(&options).unwrap();
        assert!(plain.matches.iter().all(|hit| hit.further.is_none()));
    }
}

#[test]
fn marks_can_be_chosen_and_do_not_stay() {
    let home = Home::new();
    let store = home.store();
    session(&store, "s", "cli");
    say(&store, "s", "user", "a quokka sits", 1.0);
    say(
        &store,
        "s",
        "user",
        &format!("{} quokka", "hay ".repeat(5_000)),
        2.0,
    );
    say(
        &store,
        "s",
        "user",
        &format!("{} quokka", "hay ".repeat(50_000)),
        3.0,
    );
    let marked = SearchOptions::new("quokka").marks("\u{1b}[1m", "\u{1b}[0m");
    for hit in store.search(&marked).unwrap().matches {
        let snippet = hit.snippet.unwrap();
        assert!(snippet.contains("\u{1b}[1mquokka\u{1b}[0m"), "{snippet}");
        assert!(!snippet.contains(">>>"), "{snippet}");
    }
    for hit in store.search(&SearchOptions::new("quokka")).unwrap().matches {
        assert!(hit.snippet.unwrap().contains(">>>quokka<<<"));
    }
}

#[test]
fn a_context_is_as_wide_as_asked_for() {
    let home = Home::new();
    let store = home.store();
    session(&store, "s", "cli");
    for n in 0..9 {
        let text = if n == 4 {
            TEXT.to_owned()
        } else {
            format!("m{n}")
        };
        say(&store, "s", "user", &text, f64::from(n));
    }
    for query in WAYS {
        for (width, expected) in [
            (0, vec![]),
            (1, vec!["m3", TEXT, "m5"]),
            (3, vec!["m1", "m2", "m3", TEXT, "m5", "m6", "m7"]),
            (
                99,
                vec!["m0", "m1", "m2", "m3", TEXT, "m5", "m6", "m7", "m8"],
            ),
        ] {
            let results = store
                .search(&SearchOptions::new(query).context(width))
                .unwrap();
            let hit = &results.matches[0];
            let texts: Vec<_> = hit.context.iter().map(|m| m.content.as_str()).collect();
            assert_eq!(texts, expected, "{query} {width}");
            if width > 0 {
                assert_eq!(hit.context[hit.context_index].content, TEXT);
            }
        }
    }
}

#[test]
fn messages_that_were_taken_back_are_found_only_when_asked_for() {
    let fixture = newer::empty_v22();
    let store = newer::open_at(fixture.path(), 100.0);
    session(&store, "s", "cli");
    for n in 0..3 {
        say(&store, "s", "user", TEXT, f64::from(n));
    }
    raw(fixture.path())
        .execute_batch(
            "UPDATE messages SET active = 0 WHERE id = (SELECT MIN(id) FROM messages);
             UPDATE messages SET active = 0, compacted = 1 WHERE id = (SELECT MAX(id) FROM messages);",
        )
        .unwrap();
    let all = {
        let conn = raw(fixture.path());
        let mut statement = conn.prepare("SELECT id FROM messages ORDER BY id").unwrap();
        let rows = statement.query_map([], |row| row.get::<_, i64>(0)).unwrap();
        rows.map(Result::unwrap).collect::<Vec<_>>()
    };
    for query in WAYS {
        let options = SearchOptions::new(query);
        assert_eq!(sorted(ids(&store, &options)), all[1..], "{query}");
        let with = options.clone().include_inactive();
        assert_eq!(sorted(ids(&store, &with)), all, "{query}");
        for hit in store.search(&with).unwrap().matches {
            assert_eq!(hit.compacted, hit.id.0 == all[2], "{query}");
            // The neighbours are those that the search looks at.
            assert!(hit.context.len() > 1, "{query}");
        }
    }
}

#[test]
fn a_damaged_index_is_an_error_where_that_is_asked_for() {
    let damaged = [
        "damaged_fts_structure_v11.db",
        "damaged_missing_fts_table_v11.db",
        "damaged_missing_trigger_v11.db",
    ];
    for file in damaged {
        let fixture = testdata::fixture(file);
        let store = Store::open_read_only(fixture.path()).unwrap();
        let options = SearchOptions::new("zebra");
        let results = store.search(&options).unwrap();
        assert!(results.degraded && !results.matches.is_empty(), "{file}");
        let strict = options.on_damage(OnDamage::Fail);
        let error = store.search(&strict).unwrap_err();
        assert_eq!(error.code(), "index_damaged", "{file}");
        assert!(
            error.to_string().contains("hermesctl db migrate"),
            "{error}"
        );
        assert!(store.search_count(&strict).is_err(), "{file}");
        // What no index is needed for needs no index.
        let rows = SearchOptions::new("->").on_damage(OnDamage::Fail);
        assert!(store.search(&rows).is_ok(), "{file}");
    }
}

#[test]
fn a_search_that_was_cancelled_or_takes_too_long_says_so() {
    let home = Home::new();
    let store = home.store();
    session(&store, "s", "cli");
    let texts: Vec<_> = (0..2_000)
        .map(|n| {
            let text = format!("{TEXT} {}", "word ".repeat(n % 50));
            NewMessage::new("s", "user").content(text)
        })
        .collect();
    store.append_messages(&texts).unwrap();
    for query in WAYS {
        let late = SearchOptions::new(query).timeout(Duration::ZERO);
        let cancel = CancelSearch::new();
        let cancelled = SearchOptions::new(query).cancel(&cancel);
        assert_eq!(store.search(&cancelled).unwrap().matches.len(), 20);
        cancel.cancel();
        for options in [late, cancelled] {
            let error = store.search(&options).unwrap_err();
            assert_eq!(error.code(), "interrupted", "{query}");
        }
        assert_eq!(ids(&store, &SearchOptions::new(query)).len(), 20);
    }
}

/// The messages of a random store: session, seconds, how often the word is said.
fn messages() -> impl Strategy<Value = Vec<(usize, u8, usize)>> {
    prop::collection::vec((0..6_usize, any::<u8>(), 1..4_usize), 1..700)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// Every order is a total one, and pages are pieces of it, whatever is asked for at once.
    #[test]
    fn orders_are_total_and_pages_are_pieces_of_them(
        messages in messages(),
        size in 9..90_usize,
        roles in any::<bool>(),
    ) {
        let home = Home::new();
        let store = home.store();
        for n in 0..6 {
            session(&store, &format!("s{n}"), if n % 2 == 0 { "cli" } else { "cron" });
        }
        let rows: Vec<_> = messages
            .iter()
            .enumerate()
            .map(|(n, (session, time, times))| {
                NewMessage::new(format!("s{session}"), ["user", "tool"][n % 2])
                    .content(format!("{TEXT} ").repeat(*times))
                    .timestamp(f64::from(*time))
            })
            .collect();
        store.append_messages(&rows).unwrap();
        for query in WAYS {
            let mut base = SearchOptions::new(query).context(0);
            if roles {
                base = base.role("user");
            }
            for order in [SearchOrder::Newest, SearchOrder::Oldest, SearchOrder::Rank] {
                let all = ids(&store, &base.clone().order(order).limit(usize::MAX));
                let mut expected: Vec<(u8, i64)> = messages
                    .iter()
                    .enumerate()
                    .filter(|(n, _)| !roles || n % 2 == 0)
                    .map(|(n, (_, time, _))| (*time, n as i64 + 1))
                    .collect();
                expected.sort_unstable();
                if order != SearchOrder::Oldest {
                    expected.reverse();
                }
                let by_time: Vec<i64> = expected.iter().map(|(_, id)| *id).collect();
                if order == SearchOrder::Rank {
                    prop_assert_eq!(sorted(all.clone()), sorted(by_time));
                } else {
                    prop_assert_eq!(&all, &by_time);
                }
                let mut pages = Vec::new();
                loop {
                    let page = base.clone().order(order).limit(size).offset(pages.len());
                    let page = ids(&store, &page);
                    if page.is_empty() {
                        break;
                    }
                    pages.extend(page);
                }
                prop_assert_eq!(&pages, &all, "{} {:?} {}", query, order, size);
                let demoted = base.clone().order(order).limit(usize::MAX).demote_source("cron");
                let of_cron = |id: &i64| messages[usize::try_from(*id).unwrap() - 1].0 % 2;
                let mut parted = all.clone();
                parted.sort_by_key(of_cron);
                prop_assert_eq!(ids(&store, &demoted), parted);
            }
        }
    }
}
