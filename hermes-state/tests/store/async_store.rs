//! The store for async callers, on both kinds of runtime.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hermes_state::{AsyncStore, DeleteOptions, Error, NewMessage, NewSession, SearchOptions};
use tokio::runtime::{Builder, Runtime};

use crate::support::child::spawn;
use crate::support::{Home, messages_of};

fn runtimes() -> [(&'static str, Runtime); 2] {
    let current = Builder::new_current_thread().enable_time().build().unwrap();
    let multi = Builder::new_multi_thread()
        .worker_threads(1)
        .enable_time()
        .build()
        .unwrap();
    [("current thread", current), ("multi thread", multi)]
}

fn message(text: &str) -> NewMessage {
    NewMessage::new("s", "user").content(text)
}

#[test]
fn what_is_awaited_is_what_the_store_does() {
    for (kind, runtime) in runtimes() {
        let home = Home::new();
        runtime.block_on(async {
            let store = AsyncStore::open(home.path()).await.unwrap();
            assert!(
                store
                    .create_session(NewSession::new("s", "cli"))
                    .await
                    .unwrap()
            );
            assert!(!store.ensure_session("s").await.unwrap());
            store.append_message(message("wombat")).await.unwrap();
            let ids = store
                .append_messages(vec![message("quokka"); 2])
                .await
                .unwrap();
            assert_eq!(ids.len(), 2);
            store
                .set_session_title("s", Some("A title".to_owned()))
                .await
                .unwrap();
            let found = store.find_session("A title").await.unwrap();
            assert_eq!(found.unwrap().as_str(), "s");
            let results = store.search(SearchOptions::new("quokka")).await.unwrap();
            assert_eq!(results.matches.len(), 2);
            store.set_meta("key", "value").await.unwrap();
            assert_eq!(store.meta("key").await.unwrap().as_deref(), Some("value"));
            assert!(store.end_session("s", "done").await.unwrap());
            let session = store.session("s").await.unwrap().unwrap();
            assert_eq!(session.end_reason.as_deref(), Some("done"));
            let error = store.append_message(NewMessage::new("x", "user")).await;
            assert_eq!(error.unwrap_err().code(), "unknown_session");
            assert_eq!(store.info().await.unwrap().messages, 3);
            let deleted = store
                .delete_session("s", DeleteOptions::new())
                .await
                .unwrap();
            assert_eq!(deleted.messages, 3);
            store.close().await;
            assert!(!home.dir().join("state.db-wal").exists(), "{kind}");
        });
    }
}

#[test]
fn other_tasks_go_on_while_a_write_waits_for_a_lock() {
    for (kind, runtime) in runtimes() {
        let home = Home::new();
        runtime.block_on(async {
            let store = AsyncStore::open(home.path()).await.unwrap();
            store.ensure_session("s").await.unwrap();
            let mut holder = spawn("hold", &[home.path().to_str().unwrap()]);
            assert_eq!(holder.line().as_deref(), Some("held"));
            let writer = tokio::spawn({
                let store = store.clone();
                async move { store.append_message(message("late")).await }
            });
            // With one thread for all tasks, none of these would come to its end.
            for n in 0..20 {
                tokio::time::sleep(Duration::from_millis(5)).await;
                assert!(store.session("s").await.unwrap().is_some());
                assert!(!writer.is_finished(), "{kind} {n}");
            }
            holder.finish();
            writer.await.unwrap().unwrap();
            let messages = store.run(|store| Ok(messages_of(store, "s").len())).await;
            assert_eq!(messages.unwrap(), 1);
        });
    }
}

#[test]
fn a_write_whose_future_is_dropped_is_done_as_a_whole() {
    for (kind, runtime) in runtimes() {
        let home = Home::new();
        runtime.block_on(async {
            let store = AsyncStore::open(home.path()).await.unwrap();
            store.ensure_session("s").await.unwrap();
            let mut holder = spawn("hold", &[home.path().to_str().unwrap()]);
            assert_eq!(holder.line().as_deref(), Some("held"));
            let batch = vec![message("kept"); 5];
            let cancelled =
                tokio::time::timeout(Duration::from_millis(30), store.append_messages(batch)).await;
            assert!(cancelled.is_err(), "{kind}");
            holder.finish();
            // Waits for what was begun.
            store.append_message(message("after")).await.unwrap();
            loop {
                let messages = store
                    .run(|store| Ok(messages_of(store, "s").len()))
                    .await
                    .unwrap();
                if messages == 6 {
                    break;
                }
                assert_eq!(messages, 1, "{kind}");
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        });
    }
}

#[test]
fn handles_are_dropped_anywhere_and_the_file_is_closed_in_the_end() {
    for (kind, runtime) in runtimes() {
        let home = Home::new();
        runtime.block_on(async {
            let store = AsyncStore::open(home.path()).await.unwrap();
            store.ensure_session("s").await.unwrap();
            let count = Arc::new(AtomicUsize::new(0));
            let tasks: Vec<_> = (0..20)
                .map(|_| {
                    let (store, count) = (store.clone(), count.clone());
                    tokio::spawn(async move {
                        store.append_message(message("x")).await.unwrap();
                        count.fetch_add(1, Ordering::SeqCst);
                    })
                })
                .collect();
            drop(store);
            for task in tasks {
                task.await.unwrap();
            }
            assert_eq!(count.load(Ordering::SeqCst), 20, "{kind}");
        });
        // Waits for its threads.
        drop(runtime);
        assert!(!home.dir().join("state.db-wal").exists(), "{kind}");
        assert_eq!(messages_of(&home.store(), "s").len(), 20);
    }
}

#[test]
fn a_panic_in_the_work_is_the_callers_and_the_store_goes_on() {
    for (kind, runtime) in runtimes() {
        let home = Home::new();
        runtime.block_on(async {
            let store = AsyncStore::open(home.path()).await.unwrap();
            let panicking = {
                let store = store.clone();
                tokio::spawn(async move {
                    let work = |_: &hermes_state::Store| -> hermes_state::Result<()> {
                        panic!("of the work")
                    };
                    store.run(work).await
                })
            };
            assert!(panicking.await.unwrap_err().is_panic(), "{kind}");
            store.ensure_session("s").await.unwrap();
        });
    }
}

#[test]
fn a_runtime_that_has_ended_refuses_with_a_typed_error() {
    let home = Home::new();
    let (_, runtime) = runtimes().into_iter().next().unwrap();
    let store = runtime.block_on(AsyncStore::open(home.path())).unwrap();
    let handle = runtime.handle().clone();
    drop(runtime);
    let entered = handle.enter();
    let outcome = futures_block_on(store.ensure_session("s"));
    assert!(matches!(outcome, Err(Error::Stopping)), "{outcome:?}");
    drop(store);
    drop(entered);
    let store = home.store();
    assert!(store.session("s").unwrap().is_none());
}

/// Polls a future that is ready soon, without a runtime.
fn futures_block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    loop {
        match future.as_mut().poll(&mut context) {
            std::task::Poll::Ready(value) => return value,
            std::task::Poll::Pending => std::thread::yield_now(),
        }
    }
}

#[test]
fn a_handle_can_be_sent_and_shared() {
    fn check<T: Send + Sync + Clone + 'static>() {}
    check::<AsyncStore>();
}

#[test]
fn a_plain_store_is_dropped_inside_a_task_while_its_thread_works() {
    for (kind, runtime) in runtimes() {
        let home = Home::new();
        runtime.block_on(async {
            for _ in 0..10 {
                let store = home.store();
                store.ensure_session("s").unwrap();
                let batch = vec![message("x"); 5];
                for _ in 0..55 {
                    store.append_messages(&batch).unwrap();
                }
                let clone = store.clone();
                let task = tokio::spawn(async move { drop(clone) });
                drop(store);
                task.await.unwrap();
                assert!(!home.dir().join("state.db-wal").exists(), "{kind}");
            }
        });
    }
}
