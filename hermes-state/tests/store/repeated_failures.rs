//! What fails over and over is told once, and then ever more seldom with its number.

use std::time::{Duration, Instant};

use hermes_state::{NewMessage, SearchOptions, Store, StoreOptions, WriteBudget};

use crate::support::logged::warnings;
use crate::support::{Home, found, raw, with_messages};

/// CORR-03
#[test]
fn a_damaged_store_that_is_opened_a_thousand_times_is_told_a_handful_of_times() {
    for file in ["truncated_v11.db", "damaged_fts_config_v11.db"] {
        let fixture = testdata::fixture(file);
        let mut took = Vec::new();
        let told = warnings(|| {
            for _ in 0..1000 {
                let began = Instant::now();
                match Store::open_read_only(fixture.path()) {
                    Ok(store) => drop(store.search(&SearchOptions::new("zebra")).unwrap()),
                    Err(error) => {
                        assert!(
                            ["corrupt", "not_a_database"].contains(&error.code()),
                            "{error}"
                        );
                    }
                }
                took.push(began.elapsed());
            }
        });
        assert!(told.len() <= 5, "{file}: {told:#?}");
        took.sort_unstable();
        assert!(
            took[500] < Duration::from_millis(50),
            "{file}: {:?}",
            took[500]
        );
    }
}

#[test]
fn an_index_that_cannot_be_made_is_told_at_the_first_and_the_tenth_opening() {
    let home = Home::new();
    drop(with_messages(&home, &["wombat"]));
    // In the way of the table that would be filled.
    raw(&home.path())
        .execute_batch(
            "DROP TABLE messages_fts_trigram;
             CREATE VIEW hermes_reindex_trigram AS SELECT 1 AS content",
        )
        .unwrap();
    let open = |times| {
        warnings(|| {
            for _ in 0..times {
                let store = home.store();
                let message = NewMessage::new("s", "user").content("numbat");
                store.append_message(&message).unwrap();
            }
        })
    };
    let first = open(1);
    assert!(
        first.iter().any(|line| line.contains("not in order yet")),
        "{first:#?}"
    );
    assert!(first.iter().all(|line| !line.contains("again and again")));
    let more = open(19);
    assert!(
        more.iter()
            .any(|line| line.ends_with("not in order yet, again and again (10)")),
        "{more:#?}"
    );
    assert!(more.len() <= 4, "{more:#?}");
    assert_eq!(found(&home.store(), "numbat").len(), 20);
}

#[test]
fn searches_around_a_damaged_index_are_told_seldom() {
    let fixture = testdata::fixture("damaged_fts_leaves_v11.db");
    let store = Store::open_read_only(fixture.path()).unwrap();
    let told = warnings(|| {
        for _ in 0..100 {
            assert!(found(&store, "kubectlx").contains(&2));
        }
    });
    assert_eq!(
        told,
        [
            "the full-text index is damaged: searching the rows",
            "the full-text index is damaged: searching the rows, again and again (10)",
            "the full-text index is damaged: searching the rows, again and again (100)",
        ]
    );
}

#[test]
fn writes_that_another_keeps_waiting_are_told_seldom() {
    let home = Home::new();
    drop(with_messages(&home, &[]));
    let mut budget = WriteBudget::default();
    budget.busy_timeout = Duration::ZERO;
    budget.tries = 1;
    let store = StoreOptions::new()
        .write_budget(budget)
        .open(home.path())
        .unwrap();
    let other = raw(&home.path());
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let told = warnings(|| {
        for n in 0..20 {
            assert_eq!(
                store.ensure_session(format!("{n}")).unwrap_err().code(),
                "locked"
            );
        }
    });
    assert_eq!(
        told,
        [
            "gave up waiting for the lock",
            "gave up waiting for the lock, again and again (10)",
        ]
    );
}
