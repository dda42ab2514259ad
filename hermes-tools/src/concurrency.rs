//! Which calls of a batch may run at the same time.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::context::CallContext;
use crate::handler::Arguments;

/// A path that a call reads, or reads and writes.
///
/// Two paths overlap if they are one, or one is inside the other, after `.` and `..` are resolved
/// and links followed as far as they exist. Letters count as they are, also where the file system
/// does not tell large from small.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathAccess {
    /// The path, as it is or relative to the process's directory.
    pub path: PathBuf,
    /// Whether the call changes what is there.
    pub writes: bool,
}

type Paths = dyn Fn(&Arguments, &CallContext) -> Vec<PathAccess> + Send + Sync;

/// Which other calls a call of this tool may run beside.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum Concurrency {
    /// None: it runs after all earlier calls of the batch, and before all later ones.
    #[default]
    Serial,
    /// Any.
    Parallel,
    /// Those that touch other paths. Two calls that only read go together. If the paths cannot be
    /// found (the function panics), the call runs as a serial one.
    Paths(Arc<Paths>),
    /// It may ask a person: all calls of its batch run one after the other.
    Interactive,
}

impl Concurrency {
    /// Calls that touch the paths that the function finds in their arguments.
    pub fn paths<F>(paths: F) -> Concurrency
    where
        F: Fn(&Arguments, &CallContext) -> Vec<PathAccess> + Send + Sync + 'static,
    {
        Concurrency::Paths(Arc::new(paths))
    }
}

impl fmt::Debug for Concurrency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Concurrency::Serial => "Serial",
            Concurrency::Parallel => "Parallel",
            Concurrency::Paths(_) => "Paths",
            Concurrency::Interactive => "Interactive",
        })
    }
}
