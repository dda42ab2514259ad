//! Whether this is a test.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::{ancestry, runner};
use crate::display::{one_line, readable};

/// Variables that a test runner sets, or a person who wants isolation.
pub(super) const VARIABLES: [&str; 5] = [
    "HERMES_TEST_ISOLATION",
    "PYTEST_CURRENT_TEST",
    "PYTEST_VERSION",
    "NEXTEST",
    "NEXTEST_RUN_ID",
];

/// What says that this is a test.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TestContext {
    /// A variable of the environment.
    Variable(&'static str),
    /// The executable, which Cargo built for tests or benches.
    Executable(PathBuf),
    /// A process above this one (or this one), by its command line.
    Process(String),
}

impl fmt::Display for TestContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => write!(f, "{name} is set"),
            Self::Executable(path) => write!(f, "{} is a test binary", readable(path)),
            Self::Process(command) => write!(f, "started by `{command}`"),
        }
    }
}

/// As cheap as it can be: the variables may change at any time, the rest cannot.
pub(super) fn of_process() -> Option<TestContext> {
    static EXECUTABLE: OnceLock<Option<TestContext>> = OnceLock::new();
    VARIABLES
        .into_iter()
        .find(|name| std::env::var_os(name).is_some())
        .map(TestContext::Variable)
        .or_else(|| {
            EXECUTABLE
                .get_or_init(|| of_executable(&std::env::current_exe().ok()?))
                .clone()
        })
        .or_else(ancestry::of_process)
}

pub(super) fn of_executable(path: &Path) -> Option<TestContext> {
    runner::is_test_binary(path).then(|| TestContext::Executable(path.to_path_buf()))
}

pub(super) fn of_command(arguments: &[OsString]) -> Option<TestContext> {
    runner::is_test_runner(arguments).then(|| {
        let shown: Vec<_> = arguments
            .iter()
            .take(ARGUMENTS_SHOWN)
            .map(|argument| argument.to_string_lossy())
            .collect();
        TestContext::Process(one_line(&shown.join(" ")))
    })
}

const ARGUMENTS_SHOWN: usize = 4;
