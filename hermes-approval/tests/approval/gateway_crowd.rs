//! Thousands of waiters, on threads and in tasks: each is answered exactly once.

use std::collections::HashMap;
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use hermes_approval::gateway::{Gateway, GatewayOptions, Reply, Submitted, Ticket};
use hermes_approval::{Answer, AnsweredBy, ApprovalRequest, Choice};

fn gateway(timeout: Duration) -> Gateway {
    let mut options = GatewayOptions::default();
    options.timeout = timeout;
    let gateway = Gateway::new(options);
    for number in 0..CONVERSATIONS {
        gateway.register(&session(number), |_| Ok(()));
    }
    gateway
}

const CONVERSATIONS: usize = 10;

fn session(number: usize) -> String {
    format!("conversation {}", number % CONVERSATIONS)
}

fn submit(gateway: &Gateway, number: usize) -> Ticket {
    let request = ApprovalRequest::new(session(number), "x", "y", ["k"]);
    match gateway.submit(request) {
        Submitted::Waiting(ticket) => ticket,
        other => panic!("{other:?}"),
    }
}

/// How many were answered by whom.
fn counts(answers: &[Answer]) -> HashMap<AnsweredBy, usize> {
    let mut counts = HashMap::new();
    for answer in answers {
        *counts.entry(answer.by).or_default() += 1;
    }
    counts
}

#[test]
fn of_thousands_on_threads_each_is_answered_once_whatever_happens_at_the_same_time() {
    const WAITERS: usize = 3_000;
    let gateway = gateway(Duration::from_millis(150));
    let resolved = AtomicUsize::new(0);
    let start = Barrier::new(4);
    let answers: Vec<Answer> = std::thread::scope(|scope| {
        let waiters: Vec<_> = (0..WAITERS)
            .map(|number| {
                let ticket = submit(&gateway, number);
                std::thread::Builder::new()
                    .stack_size(128 << 10)
                    .spawn_scoped(scope, move || ticket.wait())
                    .unwrap()
            })
            .collect();
        // One answers from the front, one by id, one all at once; the rest times out or is cleared.
        scope.spawn(|| {
            start.wait();
            for number in 0..WAITERS / 4 {
                let count = gateway.resolve(&session(number), &Reply::new(Choice::Once));
                resolved.fetch_add(count, Ordering::SeqCst);
            }
        });
        scope.spawn(|| {
            start.wait();
            for number in 0..CONVERSATIONS {
                let waiting = gateway.status(&session(number)).waiting;
                for one in waiting.iter().rev().take(50) {
                    let reply = Reply::new(Choice::Session);
                    let hit = gateway.resolve_one(&session(number), &one.id, &reply);
                    resolved.fetch_add(usize::from(hit), Ordering::SeqCst);
                }
            }
        });
        scope.spawn(|| {
            start.wait();
            let reply = Reply::deny("all");
            let count = gateway.resolve(&session(3), &reply);
            resolved.fetch_add(count, Ordering::SeqCst);
            gateway.clear(&session(4));
            gateway.unregister(&session(5));
        });
        start.wait();
        waiters
            .into_iter()
            .map(|waiter| waiter.join().unwrap())
            .collect()
    });
    let counts = counts(&answers);
    let by = |who| counts.get(&who).copied().unwrap_or(0);
    assert_eq!(by(AnsweredBy::Person), resolved.into_inner());
    assert_eq!(
        by(AnsweredBy::Person) + by(AnsweredBy::Timeout) + by(AnsweredBy::Closed),
        WAITERS
    );
    assert_eq!(gateway.waiting(), 0);
}

/// Counts how often a task is woken.
#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn a_task_that_waits_is_woken_exactly_once_without_any_runtime() {
    const WAITERS: usize = 10_000;
    let gateway = gateway(Duration::from_secs(300));
    let mut waiting: Vec<_> = (0..WAITERS)
        .map(|number| {
            (
                Box::pin(submit(&gateway, number)),
                Arc::new(Woken::default()),
            )
        })
        .collect();
    for (ticket, woken) in &mut waiting {
        let waker = Waker::from(Arc::clone(woken));
        // Asked twice, as runtimes may.
        for _ in 0..2 {
            let poll = ticket.as_mut().poll(&mut Context::from_waker(&waker));
            assert!(poll.is_pending());
        }
    }
    let mut answered = 0;
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut count = 0;
                    for number in 0..WAITERS / 4 {
                        count += gateway.resolve(&session(number), &Reply::new(Choice::Once));
                    }
                    count
                })
            })
            .collect();
        answered += handles
            .into_iter()
            .map(|handle| handle.join().unwrap())
            .sum::<usize>();
    });
    gateway.close_all();
    let mut by_person = 0;
    for (ticket, woken) in &mut waiting {
        assert_eq!(woken.0.load(Ordering::SeqCst), 1);
        let waker = Waker::from(Arc::clone(woken));
        match pin!(ticket).as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(answer) => by_person += usize::from(answer.by == AnsweredBy::Person),
            Poll::Pending => panic!("it was woken"),
        }
    }
    assert_eq!(by_person, answered);
    assert_eq!(answered, WAITERS);
}

#[cfg(feature = "tokio")]
mod awaited {
    use hermes_approval::{Asker, AsyncAsker, OnThread};

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn of_thousands_of_tasks_each_is_answered_once() {
        const WAITERS: usize = 5_000;
        let gateway = gateway(Duration::from_secs(300));
        let tickets: Vec<_> = (0..WAITERS)
            .map(|number| submit(&gateway, number))
            .collect();
        let tasks: Vec<_> = tickets
            .into_iter()
            .map(|ticket| tokio::spawn(ticket.answer()))
            .collect();
        let mut resolved = 0;
        for number in 0..WAITERS / 2 {
            resolved += gateway.resolve(&session(number), &Reply::new(Choice::Always));
        }
        for number in 0..CONVERSATIONS {
            gateway.clear(&session(number));
        }
        let mut answers = Vec::new();
        for task in tasks {
            answers.push(task.await.unwrap());
        }
        let counts = counts(&answers);
        assert_eq!(counts[&AnsweredBy::Person], resolved);
        assert_eq!(counts[&AnsweredBy::Closed], WAITERS - resolved);
    }

    #[tokio::test(start_paused = true)]
    async fn a_task_that_waits_too_long_is_denied() {
        let gateway = gateway(Duration::from_millis(50));
        let request = ApprovalRequest::new(session(0), "x", "y", ["k"]);
        let answer = gateway.ask_async(&request).await;
        assert_eq!(
            (answer.choice, answer.by),
            (Choice::Deny, AnsweredBy::Timeout)
        );
        assert_eq!(gateway.waiting(), 0);
    }

    #[tokio::test]
    async fn a_task_that_is_cancelled_takes_its_request_back() {
        let gateway = gateway(Duration::from_secs(300));
        let ticket = submit(&gateway, 0);
        let task = tokio::spawn(ticket.answer());
        task.abort();
        assert!(task.await.unwrap_err().is_cancelled());
        assert_eq!(gateway.waiting(), 0);
    }

    struct Panics;

    impl Asker for Panics {
        fn ask(&self, _: &ApprovalRequest) -> Answer {
            panic!("in the test");
        }
    }

    #[tokio::test]
    async fn an_asker_that_blocks_is_asked_on_a_thread() {
        let request = ApprovalRequest::new("one", "x", "y", ["k"]);
        let yes = hermes_approval::Callback::new(|_: &ApprovalRequest| Choice::Once);
        let answer = OnThread(Arc::new(yes)).ask_async(&request).await;
        assert_eq!(answer.choice, Choice::Once);
        let answer = OnThread(Arc::new(Panics)).ask_async(&request).await;
        assert_eq!(
            (answer.choice, answer.by),
            (Choice::Deny, AnsweredBy::Failed)
        );
    }
}
