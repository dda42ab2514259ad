//! The runtimes that async handlers are polled in.

use std::cell::RefCell;
use std::future::Future;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::thread;

use tokio::runtime::{Builder, Handle, Id, Runtime, RuntimeFlavor};

use super::aside::STACK_BYTES;
use crate::contain::contain;

static PROCESS: OnceLock<Runtime> = OnceLock::new();

thread_local! {
    static WORKER: RefCell<Worker> = const { RefCell::new(Worker::No) };
}

/// Whether this thread is a worker of a batch, and the runtime it has made.
enum Worker {
    No,
    Yes(Option<Arc<Owned>>),
}

/// Where a thread stands.
pub(super) enum Here {
    /// In a runtime; it must not enter another.
    Inside,
    /// A worker of a batch, with its own runtime.
    Worker(Arc<Owned>),
    /// Anywhere else; the process's runtime can be used.
    Outside(&'static Runtime),
}

pub(super) fn here() -> Result<Here, String> {
    if Handle::try_current().is_ok() {
        return Ok(Here::Inside);
    }
    match WORKER.with_borrow_mut(Worker::runtime) {
        Some(runtime) => runtime.map(Here::Worker),
        None => process().map(Here::Outside),
    }
}

impl Worker {
    /// The runtime of this worker, if it is one.
    fn runtime(&mut self) -> Option<Result<Arc<Owned>, String>> {
        let Worker::Yes(made) = self else {
            return None;
        };
        if let Some(runtime) = made {
            return Some(Ok(Arc::clone(runtime)));
        }
        Some(Owned::new().map(|runtime| Arc::clone(made.insert(Arc::new(runtime)))))
    }
}

/// The next async call on this worker gets a new runtime.
pub(super) fn forget_worker_runtime() {
    let old = WORKER.with_borrow_mut(|worker| match worker {
        Worker::Yes(made) => made.take(),
        Worker::No => None,
    });
    drop(old);
}

/// Makes the current thread a worker of a batch until dropped; its runtime goes with it.
pub(crate) struct WorkerThread {
    /// It belongs to its thread.
    not_send: PhantomData<*const ()>,
}

impl WorkerThread {
    pub(crate) fn begin() -> WorkerThread {
        WORKER.set(Worker::Yes(None));
        WorkerThread {
            not_send: PhantomData,
        }
    }
}

impl Drop for WorkerThread {
    fn drop(&mut self) {
        drop(WORKER.replace(Worker::No));
    }
}

/// The runtime that lives as long as the process, so that what a handler keeps between calls (a
/// client, its connections) stays alive.
pub(super) fn process() -> Result<&'static Runtime, String> {
    if let Some(runtime) = PROCESS.get() {
        return Ok(runtime);
    }
    let workers = thread::available_parallelism().map_or(2, |n| n.get().clamp(2, 4));
    let runtime = build(Builder::new_multi_thread().worker_threads(workers))?;
    if let Err(second) = PROCESS.set(runtime) {
        // Another thread was faster.
        second.shutdown_background();
    }
    PROCESS
        .get()
        .ok_or_else(|| "the runtime for async tools is gone".to_owned())
}

fn build(builder: &mut Builder) -> Result<Runtime, String> {
    let built = contain(|| {
        builder
            .enable_all()
            .thread_name("hermes-async")
            .thread_stack_size(STACK_BYTES)
            .build()
    });
    match built {
        Ok(Ok(runtime)) => Ok(runtime),
        Ok(Err(error)) => Err(format!("no runtime could be made for it: {error}")),
        Err(text) => Err(format!("no runtime could be made for it: {text}")),
    }
}

/// A runtime on one thread. It ends without waiting for what still blocks in it.
pub(super) struct Owned {
    runtime: Option<Runtime>,
}

impl Owned {
    pub(super) fn new() -> Result<Owned, String> {
        build(&mut Builder::new_current_thread()).map(|runtime| Owned {
            runtime: Some(runtime),
        })
    }

    pub(super) fn block_on(&self, future: impl Future<Output = super::Ran>) -> super::Ran {
        match &self.runtime {
            Some(runtime) => runtime.block_on(future),
            None => super::Ran::Unable("its runtime is gone".to_owned()),
        }
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Makes something that needs the timers of the caller's runtime; `None` if it has none.
///
/// Tokio tells by a panic, which the program may log: a runtime without timers is asked once.
pub(super) fn in_callers<T>(make: impl FnOnce() -> T) -> Option<T> {
    static WITHOUT_TIMERS: RwLock<Vec<Id>> = RwLock::new(Vec::new());

    let id = Handle::try_current().ok()?.id();
    let known = |ids: &Vec<Id>| ids.contains(&id);
    if known(
        &WITHOUT_TIMERS
            .read()
            .unwrap_or_else(PoisonError::into_inner),
    ) {
        return None;
    }
    let made = contain(make).ok();
    if made.is_none() {
        let mut ids = WITHOUT_TIMERS
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        // Runtimes come and go; the last ones are enough.
        if ids.len() >= 16 {
            ids.remove(0);
        }
        ids.push(id);
    }
    made
}

/// Does what may block for long. In a runtime with several threads, the tasks of this thread are
/// given to another one before: what is waited for may depend on one of them.
pub(crate) fn may_block<T>(run: impl FnOnce() -> T) -> T {
    let several = Handle::try_current()
        .is_ok_and(|handle| handle.runtime_flavor() == RuntimeFlavor::MultiThread);
    if !several {
        return run();
    }
    let mut run = Some(run);
    let mut given = None;
    // Inside a `LocalSet` tokio refuses by a panic, and there is no way to ask before.
    let done = contain(|| {
        tokio::task::block_in_place(|| given = run.take().map(|run| run()));
    });
    match (given, run, done) {
        (Some(given), _, _) => given,
        (None, Some(run), _) => run(),
        (None, None, done) => std::panic::resume_unwind(Box::new(done.err().unwrap_or_default())),
    }
}
