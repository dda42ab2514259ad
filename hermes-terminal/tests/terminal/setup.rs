//! Terminals for tests: with a home and a directory of their own, and no login files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hermes_home::{Environment as HomeEnvironment, HermesHome, Platform};
use hermes_terminal::{Local, Outcome, Request, Terminal, TerminalBuilder, Variables};
use tempfile::TempDir;

pub(crate) struct Place {
    folder: PathBuf,
    _guard: Option<TempDir>,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        Self {
            folder: folder.path().to_owned(),
            _guard: Some(folder),
        }
    }

    /// One that somebody else has made.
    pub(crate) fn of(folder: PathBuf) -> Self {
        Self {
            folder,
            _guard: None,
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.folder
    }

    /// Where tasks start.
    pub(crate) fn work(&self) -> PathBuf {
        self.path().join("work")
    }

    pub(crate) fn home(&self) -> HermesHome {
        let env = HomeEnvironment::new(Platform::Unix)
            .with_user_home(self.path())
            .with_hermes_home(self.path().join("hermes"));
        hermes_home::resolve(&env).unwrap().home
    }

    pub(crate) fn variables(&self) -> Variables {
        Variables::none().with([
            ("PATH", std::env::var("PATH").unwrap()),
            ("HOME", self.path().to_str().unwrap().to_owned()),
            ("LC_ALL", "C.UTF-8".to_owned()),
        ])
    }

    pub(crate) fn local(&self) -> Local {
        Local::new(self.home())
            .unwrap()
            .with_variables(self.variables())
            .in_directory(self.work())
    }

    pub(crate) fn builder(&self) -> TerminalBuilder {
        Terminal::builder().environment(Arc::new(self.local()))
    }

    pub(crate) fn terminal(&self) -> Terminal {
        self.builder().without_gate().build().unwrap()
    }
}

pub(crate) fn on(local: Local) -> Terminal {
    Terminal::builder()
        .environment(Arc::new(local))
        .without_gate()
        .build()
        .unwrap()
}

/// Runs a command of the task `t`.
pub(crate) fn run(terminal: &Terminal, command: &str) -> Outcome {
    terminal.run("t", &Request::new(command)).unwrap()
}

/// Runs one that must succeed, and gives its output.
#[track_caller]
pub(crate) fn output(terminal: &Terminal, command: &str) -> String {
    let outcome = run(terminal, command);
    assert_eq!(outcome.exit_code, 0, "{outcome:?}");
    outcome.output
}
