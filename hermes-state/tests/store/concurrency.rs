//! Many processes and threads on one store.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hermes_state::{Error, NewMessage, SearchOptions, Store, StoreOptions, WriteBudget};

use crate::support::child::{Process, spawn};
use crate::support::{Home, ask, assert_index_whole, found, list_all, messages_of};

#[test]
fn eight_processes_that_open_a_new_store_at_once_all_succeed() {
    for round in 0..8 {
        let home = Home::new();
        let path = home.path();
        let path = path.to_str().unwrap();
        let mut processes: Vec<Process> = (0..8).map(|_| spawn("open", &[path])).collect();
        for process in &mut processes {
            assert_eq!(process.line().as_deref(), Some("ready"));
        }
        for process in &mut processes {
            process.go();
        }
        for process in processes {
            assert_eq!(
                process.finish(),
                (vec!["version 11".to_owned()], true),
                "round {round}"
            );
        }
        let rows: i64 = ask(&home.path(), "SELECT COUNT(*) FROM schema_version");
        assert_eq!(rows, 1, "round {round}");
        assert_eq!(ask::<String>(&home.path(), "PRAGMA journal_mode"), "wal");
        assert_index_whole(&home.path());
    }
}

#[test]
fn four_processes_that_write_at_once_lose_nothing() {
    const EACH: usize = 250;
    let home = Home::new();
    let path = home.path();
    let path = path.to_str().unwrap();
    let mut processes: Vec<Process> = (0..4)
        .map(|n| spawn("append", &[path, &format!("s{n}"), &EACH.to_string()]))
        .collect();
    for process in &mut processes {
        assert_eq!(process.line().as_deref(), Some("ready"));
    }
    for process in &mut processes {
        process.go();
    }
    for process in processes {
        let (lines, well) = process.finish();
        assert!(well);
        assert_eq!(lines.len(), EACH);
    }
    let store = home.store();
    assert_eq!(store.index_trouble(), None);
    let mut ids = BTreeSet::new();
    for n in 0..4 {
        let id = format!("s{n}");
        let messages = messages_of(&store, &id);
        assert_eq!(messages.len(), EACH);
        ids.extend(messages.iter().map(|m| m.id));
        assert_eq!(
            store.session(&id).unwrap().unwrap().message_count,
            Some(EACH as i64)
        );
    }
    assert_eq!(ids.len(), 4 * EACH);
    assert_eq!(found(&store, "planted").len(), 4 * EACH);
    assert_eq!(found(&store, "山水画").len(), 4 * EACH);
    drop(store);
    assert_index_whole(&home.path());
}

#[test]
fn threads_read_one_store_while_another_writes_it() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|threads| {
        for _ in 0..16 {
            let store = store.clone();
            let done = &done;
            threads.spawn(move || {
                let mut seen = 0;
                let mut rounds = 0;
                // At least one look after the last write.
                loop {
                    let last = done.load(Ordering::SeqCst);
                    let messages = messages_of(&store, "s").len();
                    assert!(messages >= seen);
                    seen = messages;
                    let results = store.search(&SearchOptions::new("quokka")).unwrap();
                    assert!(!results.degraded);
                    assert_eq!(list_all(&store).len(), 1);
                    // One call sees one moment: what is counted twice is the same.
                    let index = store.info().unwrap().index;
                    assert!(index.complete, "{index:?}");
                    rounds += 1;
                    if last {
                        break;
                    }
                }
                assert_eq!(seen, 200);
                assert!(rounds > 0);
            });
        }
        for n in 0..200 {
            let message = NewMessage::new("s", "user").content(format!("quokka {n}"));
            store.append_message(&message).unwrap();
        }
        done.store(true, Ordering::SeqCst);
    });
}

#[test]
fn threads_that_write_through_one_handle_take_turns() {
    let home = Home::new();
    let store = home.store();
    std::thread::scope(|threads| {
        for n in 0..6 {
            let store = store.clone();
            threads.spawn(move || {
                let id = format!("s{n}");
                store.ensure_session(id.as_str()).unwrap();
                for _ in 0..30 {
                    store
                        .append_message(&NewMessage::new(id.as_str(), "user").content("x"))
                        .unwrap();
                }
            });
        }
    });
    assert_eq!(store.info().unwrap().messages, 180);
    drop(store);
    assert_index_whole(&home.path());
}

fn tiny_budget() -> WriteBudget {
    let mut budget = WriteBudget::default();
    budget.busy_timeout = Duration::from_millis(1);
    budget.tries = 2;
    budget.pause = Duration::from_millis(1)..Duration::from_millis(2);
    budget.append = Duration::from_millis(20);
    budget
}

#[test]
fn a_lock_that_is_held_too_long_is_an_error_that_names_the_holder() {
    let home = Home::new();
    let store = StoreOptions::new()
        .write_budget(tiny_budget())
        .open(home.path())
        .unwrap();
    store.ensure_session("s").unwrap();
    let mut holder = spawn("hold", &[home.path().to_str().unwrap()]);
    assert_eq!(holder.line().as_deref(), Some("held"));

    let message = NewMessage::new("s", "user").content("quokka");
    let began = Instant::now();
    let error = store.append_message(&message).unwrap_err();
    let Error::Locked {
        waited, holders, ..
    } = &error
    else {
        panic!("{error}")
    };
    assert!(*waited >= Duration::from_millis(20) && *waited <= began.elapsed());
    if cfg!(target_os = "linux") {
        assert!(holders.iter().any(|h| h.pid == holder.id()), "{holders:?}");
        assert!(
            error.to_string().contains(&format!("pid {}", holder.id())),
            "{error}"
        );
    }
    assert_eq!(store.ensure_session("t").unwrap_err().code(), "locked");
    // Reading does not wait for it.
    assert_eq!(found(&store, "quokka"), [] as [i64; 0]);

    holder.finish();
    let id = store.append_message(&message).unwrap();
    assert_eq!(
        messages_of(&store, "s")
            .iter()
            .map(|m| m.id)
            .collect::<Vec<_>>(),
        [id]
    );
}

#[test]
fn a_write_waits_for_a_lock_that_is_let_go_in_time() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    let mut holder = spawn("hold", &[home.path().to_str().unwrap()]);
    assert_eq!(holder.line().as_deref(), Some("held"));
    std::thread::scope(|threads| {
        let writer =
            threads.spawn(|| store.append_message(&NewMessage::new("s", "user").content("x")));
        holder.finish();
        writer.join().unwrap().unwrap();
    });
    assert_eq!(messages_of(&store, "s").len(), 1);
}

#[test]
fn no_more_connections_read_than_were_allowed() {
    let home = Home::new();
    drop(home.store());
    let store = StoreOptions::new().readers(2).open(home.path()).unwrap();
    store.ensure_session("s").unwrap();
    std::thread::scope(|threads| {
        for _ in 0..8 {
            let store = store.clone();
            threads.spawn(move || {
                for _ in 0..50 {
                    assert!(store.session("s").unwrap().is_some());
                }
            });
        }
    });
    if cfg!(target_os = "linux") {
        let path = std::fs::canonicalize(home.path()).unwrap();
        let open = std::fs::read_dir("/proc/self/fd")
            .unwrap()
            .flatten()
            .filter(|fd| std::fs::read_link(fd.path()).is_ok_and(|to| to == path))
            .count();
        assert!((2..=3).contains(&open), "{open}");
    }
}

#[test]
fn a_handle_can_be_sent_and_shared() {
    fn check<T: Send + Sync + Clone + 'static>() {}
    check::<Store>();
}
