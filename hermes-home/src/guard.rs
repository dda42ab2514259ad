//! The guard that keeps tests away from production stores.
//!
//! Whoever opens a `state.db` asks [`check`] first, before a directory is made or a byte is read.
//! In a *test context* a *production* path is refused; everything else passes.
//!
//! **Test context**: one of `HERMES_TEST_ISOLATION`, `PYTEST_CURRENT_TEST`, `PYTEST_VERSION`,
//! `NEXTEST`, `NEXTEST_RUN_ID` is set; or the executable is a Cargo test or bench binary
//! (`…/deps/name-0123456789abcdef`); or this process or one above it is pytest, cargo-nextest,
//! `cargo test` or such a binary. pytest may be a script of Python or of a shell, a module
//! (`-m pytest`), or run by a wrapper such as coverage. So a child whose environment was rebuilt is
//! still found out. One that was forked twice as well, and so belongs to the first process (init),
//! can't be recognised. When the processes above cannot be read, that counts for nothing: a
//! production open is never refused because something is unknown.
//!
//! **Production path**: `state.db` of the default home or of a profile of it, links resolved, or
//! the same file by another name (a hard link). The default home is that of the account, so that a
//! test which redirects `HOME` disarms nothing. The one below `HOME` counts too, unless `HOME` was
//! redirected into a temporary or build directory: that is a test's own sandbox. A `HOME` that is
//! the `home` folder of a profile stands for the root of that profile. Further roots are added with
//! [`protect`].
//!
//! There are two ways out: `HERMES_STATE_DB_GUARD_BYPASS=1` in the environment of a child process
//! that must, and a [`GuardBypass`] held by the code in question.
//!
//! ```
//! use hermes_home::guard::Facts;
//!
//! # #[cfg(unix)] {
//! let facts = Facts::new().with_account_home("/home/ann").with_ancestor(["cargo", "test"]);
//! assert!(facts.decide("/home/ann/.hermes/state.db".as_ref()).is_err());
//! assert!(facts.decide("/tmp/sandbox/state.db".as_ref()).is_ok());
//! # }
//! ```

mod ancestry;
mod bypass;
mod context;
mod facts;
mod physical;
mod production;
mod refusal;
mod runner;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

pub use bypass::GuardBypass;
pub use context::TestContext;
pub use facts::Facts;
pub use refusal::Refusal;

/// Further roots whose stores are production, for this process.
static PROTECTED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Refuses a production store in a test context. The path need not exist; nothing is opened.
///
/// Outside of a test context the answer takes a few reads of the environment; the processes above
/// are looked at once, as long as they can all be seen.
///
/// # Errors
/// A [`Refusal`], which names the path, the rule and the two ways out. It goes into an
/// [`Error::LiveSystemGuard`](crate::Error::LiveSystemGuard) where one is wanted.
pub fn check(path: &Path) -> Result<(), Refusal> {
    if bypass::is_held() || bypass::is_in_environment() {
        return Ok(());
    }
    let Some(context) = context::of_process() else {
        return Ok(());
    };
    Facts::of_process().judge(path, context)
}

/// Counts the stores of this root as production too, until the process ends.
pub fn protect(root: impl Into<PathBuf>) {
    let root = root.into();
    let mut protected = PROTECTED.lock().unwrap_or_else(PoisonError::into_inner);
    if !protected.contains(&root) {
        protected.push(root);
    }
}

fn protected() -> Vec<PathBuf> {
    PROTECTED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone()
}
