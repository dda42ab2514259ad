//! The home of the current task: an override that belongs to a thread or a future, never to the
//! process environment.

use std::cell::RefCell;
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;

use crate::{HermesHome, InScope};

/// What one scope says: a home, or outright that there is no override.
type Entry = Option<HermesHome>;

/// The scopes that are entered on this thread, the innermost last.
struct Entered {
    next: u64,
    entries: Vec<(u64, Entry)>,
}

thread_local! {
    static ENTERED: RefCell<Entered> = const { RefCell::new(Entered { next: 0, entries: Vec::new() }) };
}

/// The override of the current thread or task, if there is one.
///
/// [`resolve`](crate::resolve) asks this first; [`process_home`](crate::process_home) never does.
pub fn current_override() -> Option<HermesHome> {
    // While the thread ends, its variables are gone, and nothing is entered any more.
    ENTERED
        .try_with(|entered| entered.borrow().entries.last()?.1.clone())
        .ok()
        .flatten()
}

/// An entered override. Dropping it ends the override, also when that happens in a panic.
///
/// It belongs to the thread that made it, and so cannot be kept across an `await` in a task that
/// may move: wrap the future instead, with [`HermesHome::scope`].
#[must_use = "the override ends when this is dropped"]
#[derive(Debug)]
pub struct Scope {
    id: u64,
    /// Not `Send`, not `Sync`.
    thread: PhantomData<*mut ()>,
}

impl Scope {
    fn enter(entry: Entry) -> Self {
        let id = ENTERED.try_with(|entered| {
            let mut entered = entered.borrow_mut();
            let id = entered.next;
            entered.next = id.wrapping_add(1);
            entered.entries.push((id, entry));
            id
        });
        Self {
            id: id.unwrap_or(u64::MAX),
            thread: PhantomData,
        }
    }
}

impl Drop for Scope {
    /// Takes out this entry alone: scopes that are dropped in an odd order leave the others be.
    fn drop(&mut self) {
        let removed = ENTERED.try_with(|entered| {
            let entries = &mut entered.borrow_mut().entries;
            let index = entries.iter().rposition(|(id, _)| *id == self.id)?;
            Some(entries.remove(index))
        });
        drop(removed);
    }
}

/// A snapshot of the override, to be entered elsewhere: on another thread, or around a future.
///
/// ```
/// use hermes_home::{Context, Environment, Platform, resolve};
///
/// # #[cfg(unix)] {
/// let env = Environment::new(Platform::Unix).with_user_home("/home/ann");
/// let coder = resolve(&env.clone().with_hermes_home("/home/ann/.hermes/profiles/coder"))?.home;
/// let _scope = coder.enter();
/// let context = Context::capture();
/// std::thread::scope(|threads| {
///     threads.spawn(|| {
///         let _scope = context.attach();
///         assert_eq!(resolve(&env).map(|found| found.home).ok(), Some(coder.clone()));
///     });
/// });
/// # }
/// # Ok::<(), hermes_home::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Context {
    entry: Entry,
}

impl Context {
    /// The override as it is now. That there is none is remembered too.
    pub fn capture() -> Self {
        Self {
            entry: current_override(),
        }
    }

    /// The override of this snapshot.
    pub fn home(&self) -> Option<&HermesHome> {
        self.entry.as_ref()
    }

    /// Enters the snapshot on this thread until the [`Scope`] is dropped. A snapshot without an
    /// override hides the one that is entered here.
    pub fn attach(&self) -> Scope {
        Scope::enter(self.entry.clone())
    }

    /// Calls `work` with the snapshot entered.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> T {
        let _scope = self.attach();
        work()
    }

    /// A future that has the snapshot entered whenever it is polled, on whichever thread, and while
    /// it is dropped.
    pub fn scope<F: Future>(&self, future: F) -> InScope<F> {
        InScope::new(self.clone(), future)
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let home = self.entry.as_ref().map(HermesHome::path);
        f.debug_struct("Context").field("home", &home).finish()
    }
}

impl HermesHome {
    /// Makes this the home of the current thread until the [`Scope`] is dropped.
    ///
    /// ```
    /// use hermes_home::{Environment, HomeSource, Platform, resolve};
    ///
    /// # #[cfg(unix)] {
    /// let env = Environment::new(Platform::Unix).with_user_home("/home/ann");
    /// let other = resolve(&env.clone().with_hermes_home("/opt/data"))?.home;
    /// {
    ///     let _scope = other.enter();
    ///     assert_eq!(resolve(&env)?.source, HomeSource::Override);
    ///     assert_eq!(resolve(&env)?.home, other);
    /// }
    /// assert_eq!(resolve(&env)?.source, HomeSource::Platform);
    /// # }
    /// # Ok::<(), hermes_home::Error>(())
    /// ```
    pub fn enter(&self) -> Scope {
        Scope::enter(Some(self.clone()))
    }

    /// A future whose home this is: entered at each poll, and left after it.
    pub fn scope<F: Future>(&self, future: F) -> InScope<F> {
        let entry = Some(self.clone());
        InScope::new(Context { entry }, future)
    }
}
