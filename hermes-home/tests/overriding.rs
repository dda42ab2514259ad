//! The override of a thread or task.
#![cfg(unix)]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test stops where it fails, also in its helpers"
)]

mod support;

use std::collections::VecDeque;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, Wake, Waker};

use hermes_home::{
    Context, Environment, HermesHome, HomeSource, InScope, Platform, Scope, Selection,
    current_override, process_home, resolve,
};
use proptest::prelude::*;

fn env() -> Environment {
    Environment::new(Platform::Unix).with_user_home("/home/ann")
}

fn home(number: usize) -> HermesHome {
    let path = format!("/home/ann/.hermes/profiles/p{number}");
    resolve_process(&env().with_hermes_home(path))
}

fn resolve_process(env: &Environment) -> HermesHome {
    process_home(env).unwrap().home
}

/// The number of the home that applies, if one is overridden.
fn current() -> Option<usize> {
    let found = resolve(&env()).unwrap();
    assert_eq!(
        found.source == HomeSource::Override,
        current_override().is_some()
    );
    assert_eq!(
        resolve_process(&env()).path(),
        std::path::Path::new("/home/ann/.hermes")
    );
    number(current_override())
}

fn number(home: Option<HermesHome>) -> Option<usize> {
    let name = home?.profile().to_string();
    Some(name.strip_prefix('p').unwrap().parse().unwrap())
}

#[test]
fn the_override_comes_first_and_the_process_ignores_it() {
    let _scope = home(7).enter();
    let env = env().with_hermes_home("/opt/data");
    let found = resolve(&env).unwrap();
    assert_eq!((found.home, found.source), (home(7), HomeSource::Override));
    assert_eq!(process_home(&env).unwrap().source, HomeSource::Env);
    // A program that chose nothing stays in the task's home, and one that did goes.
    let chosen = Selection::new().resolve(&env).unwrap();
    assert_eq!(chosen.source, HomeSource::Override);
    let chosen = Selection::new()
        .with_profile("default".to_owned())
        .resolve(&env)
        .unwrap();
    assert_eq!(
        chosen.home.path(),
        std::path::Path::new("/home/ann/.hermes")
    );
}

#[test]
fn a_new_thread_has_no_override_and_is_given_one_by_attaching() {
    let _scope = home(1).enter();
    let context = Context::capture();
    std::thread::scope(|threads| {
        threads.spawn(|| {
            assert_eq!(current(), None);
            assert_eq!(context.run(current), Some(1));
            assert_eq!(current(), None);
        });
    });
    // One that was captured without an override hides the one here.
    let nothing = std::thread::spawn(Context::capture).join().unwrap();
    assert_eq!(nothing.run(current), None);
    assert_eq!(current(), Some(1));
}

#[test]
fn a_panic_ends_the_override() {
    let _outer = home(1).enter();
    let outcome = catch_unwind(|| {
        let _inner = home(2).enter();
        assert_eq!(current(), Some(2));
        panic!("on purpose");
    });
    assert!(outcome.is_err());
    assert_eq!(current(), Some(1));
}

struct Awake;

impl Wake for Awake {
    fn wake(self: Arc<Self>) {}
}

/// Polls once, on a thread of its own if asked to, and gives the future back.
fn poll_once<F: Future<Output = ()> + Send>(
    mut future: Pin<Box<F>>,
    elsewhere: bool,
) -> Option<Pin<Box<F>>> {
    let poll = |future: &mut Pin<Box<F>>| {
        let waker = Waker::from(Arc::new(Awake));
        catch_unwind(AssertUnwindSafe(|| {
            future.as_mut().poll(&mut TaskContext::from_waker(&waker))
        }))
    };
    let outcome = if elsewhere {
        std::thread::scope(|threads| threads.spawn(|| poll(&mut future)).join().unwrap())
    } else {
        poll(&mut future)
    };
    match outcome {
        Ok(Poll::Pending) => Some(future),
        Ok(Poll::Ready(())) | Err(_) => None,
    }
}

/// Gives way once.
fn pause() -> impl Future<Output = ()> + Send {
    let mut paused = false;
    std::future::poll_fn(move |_| {
        if std::mem::replace(&mut paused, true) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
}

/// Sees, when it is dropped, the home of the task that it belongs to.
struct SeesItsHome(Option<usize>);

impl Drop for SeesItsHome {
    fn drop(&mut self) {
        assert_eq!(current(), self.0);
    }
}

/// HOME-09.
#[test]
fn fifty_tasks_keep_their_own_homes_between_awaits() {
    let mut tasks: VecDeque<_> = (0..50)
        .map(|number| {
            Box::pin(home(number).scope(async move {
                let _last = SeesItsHome(Some(number));
                for _ in 0..5 {
                    assert_eq!(current(), Some(number));
                    pause().await;
                    {
                        let _inner = home(number + 100).enter();
                        assert_eq!(current(), Some(number + 100));
                    }
                }
            }))
        })
        .collect();
    let mut turn = 0;
    while let Some(task) = tasks.pop_front() {
        turn += 1;
        tasks.extend(poll_once(task, turn % 3 == 0));
        assert_eq!(current(), None);
    }
    assert!(turn >= 250);
}

#[test]
fn a_future_that_is_dropped_midway_leaves_nothing_entered() {
    let task = Box::pin(home(3).scope(async {
        let _last = SeesItsHome(Some(3));
        pause().await;
    }));
    let task = poll_once(task, false).unwrap();
    let _outer = home(4).enter();
    // Its last acts happen in its own home, whoever drops it, and wherever.
    std::thread::spawn(|| drop(task)).join().unwrap();
    assert_eq!(current(), Some(4));
}

#[test]
fn a_task_that_panics_leaves_nothing_entered() {
    let task = Box::pin(home(3).scope(async {
        pause().await;
        panic!("on purpose");
    }));
    let task = poll_once(task, false).unwrap();
    assert!(poll_once(task, false).is_none());
    assert_eq!(current(), None);
}

#[test]
fn a_wrapped_future_may_move_between_threads_and_a_scope_may_not() {
    fn is_send<T: Send>(_: &T) {}
    let future: InScope<_> = home(1).scope(async { 1 });
    is_send(&future);
    assert_eq!(future.context().home(), Some(&home(1)));
}

/// What may happen on a thread, in any order.
#[derive(Clone, Debug)]
enum Act {
    Enter(usize),
    /// Drops the scope at this place, which need not be the innermost one.
    Leave(usize),
    /// Enters a snapshot of now on another thread.
    Carry,
    /// Panics with a scope entered.
    Panic(usize),
    /// Starts a task, or polls or drops one of those that were started.
    Start(usize, usize),
    Poll(usize, bool),
    Drop(usize),
}

fn any_act() -> impl Strategy<Value = Act> {
    let number = 0..20_usize;
    prop_oneof![
        number.clone().prop_map(Act::Enter),
        number.clone().prop_map(Act::Leave),
        Just(Act::Carry),
        number.clone().prop_map(Act::Panic),
        (number.clone(), 0..4_usize).prop_map(|(n, pauses)| Act::Start(n, pauses)),
        (number.clone(), any::<bool>()).prop_map(|(n, elsewhere)| Act::Poll(n, elsewhere)),
        number.prop_map(Act::Drop),
    ]
}

type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

fn task(number: usize, pauses: usize) -> Pin<Box<InScope<Task>>> {
    let steps = async move {
        let _last = SeesItsHome(Some(number));
        for _ in 0..pauses {
            assert_eq!(current(), Some(number));
            pause().await;
        }
        assert_eq!(current(), Some(number));
    };
    Box::pin(home(number).scope(Box::pin(steps) as Task))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The override is always that of the scope that was entered last and is still there.
    #[test]
    fn any_order_of_acts_is_as_a_plain_list(acts in prop::collection::vec(any_act(), 0..40)) {
        let mut entered: Vec<(usize, Scope)> = Vec::new();
        let mut tasks: Vec<Pin<Box<InScope<Task>>>> = Vec::new();
        for act in acts {
            match act {
                Act::Enter(n) => entered.push((n, home(n).enter())),
                Act::Leave(at) if at < entered.len() => drop(entered.remove(at)),
                Act::Carry => {
                    let context = Context::capture();
                    let seen = std::thread::spawn(move || (current(), context.run(current)));
                    let last = entered.last().map(|(n, _)| *n);
                    prop_assert_eq!(seen.join().unwrap(), (None, last));
                }
                Act::Panic(n) => {
                    let scope = home(n).enter();
                    let caught = catch_unwind(AssertUnwindSafe(move || {
                        let _scope = scope;
                        std::panic::resume_unwind(Box::new("on purpose"));
                    }));
                    prop_assert!(caught.is_err());
                }
                Act::Start(n, pauses) => tasks.push(task(n, pauses)),
                Act::Poll(at, elsewhere) if at < tasks.len() => {
                    let one = tasks.remove(at);
                    tasks.extend(poll_once(one, elsewhere));
                }
                Act::Drop(at) if at < tasks.len() => drop(tasks.remove(at)),
                Act::Leave(_) | Act::Poll(..) | Act::Drop(_) => {}
            }
            prop_assert_eq!(current(), entered.last().map(|(n, _)| *n));
        }
        drop(entered);
        prop_assert_eq!(current(), None);
    }
}
