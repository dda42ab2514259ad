//! Virtual environments with one real release each.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::process::Program;
use crate::workspace::Workspace;

/// Points to a folder with ready environments, `venv-<release>`; nothing is installed then.
const READY: &str = "HERMES_PARITY_VENVS";

/// Interpreters to make environments from, best first; the newer release wants 3.11 to 3.13.
const INTERPRETERS: &[&str] = &["python3.11", "python3.12", "python3.13", "python3"];

/// True in a Python that both releases run with.
const FITS: &str = "import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))";

/// A Python that has one release.
#[derive(Debug)]
pub(crate) struct Environment {
    python: PathBuf,
    pub(crate) release: String,
}

impl Environment {
    /// Runs a script of `xtask/py` with the release.
    pub(crate) fn script(&self, ws: &Workspace, script: &str) -> Program {
        Program::new(&self.python, &ws.root)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("PYTHONIOENCODING", "utf-8")
            .arg(Path::new("xtask/py").join(script))
    }
}

/// The environment of a release; an error says why there is none.
pub(crate) fn find_or_make(ws: &Workspace, release: &str) -> Result<Environment> {
    if let Some(dir) = std::env::var_os(READY) {
        let dir = ws.root.join(dir);
        return usable(ws, &dir, release);
    }
    let dir = ws.target_dir.join("parity");
    usable(ws, &dir, release).or_else(|_| make(ws, &dir, release))
}

fn python_of(environment: &Path) -> PathBuf {
    if cfg!(windows) {
        environment.join("Scripts").join("python.exe")
    } else {
        environment.join("bin").join("python")
    }
}

/// Looks whether the environment is there and has exactly the release.
fn usable(ws: &Workspace, dir: &Path, release: &str) -> Result<Environment> {
    let python = python_of(&dir.join(format!("venv-{release}")));
    if !python.exists() {
        return Err(Error::failed(format!("there is no {}", python.display())));
    }
    let code = "import importlib.metadata as m, hermes_state; print(m.version('hermes-agent'))";
    let found = Program::new(&python, &ws.root)
        .args(["-c", code])
        .output()?;
    let found = String::from_utf8_lossy(&found);
    if found.trim() == release {
        return Ok(Environment {
            python,
            release: release.to_owned(),
        });
    }
    Err(Error::failed(format!(
        "{} has release {}",
        python.display(),
        found.trim()
    )))
}

fn make(ws: &Workspace, dir: &Path, release: &str) -> Result<Environment> {
    let fits = |python: &&&str| {
        let probe = Program::new(python, &ws.root).args(["-c", FITS]);
        probe.output().is_ok()
    };
    let Some(interpreter) = INTERPRETERS.iter().find(fits) else {
        return Err(Error::failed("there is no Python 3.11, 3.12 or 3.13"));
    };
    println!("   installing hermes-agent {release} (with {interpreter}) into the target folder");
    let environment = dir.join(format!("venv-{release}"));
    Program::new(interpreter, &ws.root)
        .args(["-m", "venv"])
        .arg(&environment)
        .output()?;
    // The session store needs the standard library and PyYAML only.
    Program::new(python_of(&environment), &ws.root)
        .args(["-m", "pip", "install", "--quiet"])
        .args(["--disable-pip-version-check", "--no-deps", "pyyaml"])
        .arg(format!("hermes-agent=={release}"))
        .output()?;
    usable(ws, dir, release)
}
