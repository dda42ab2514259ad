//! Running hermesctl with an environment of its own.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use testdata::Fixture;

/// The program, with nothing of this process's environment but a user home in `home`.
pub(crate) fn hermesctl(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hermesctl"));
    command
        .env_clear()
        .env("HOME", home)
        .env("TZ", "UTC")
        .current_dir(home);
    command
}

/// What a run left behind.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|e| panic!("not JSON ({e}): {}{}", self.stdout, self.stderr))
    }

    /// Asserts success and gives the output.
    pub(crate) fn ok(self) -> Run {
        assert_eq!(self.code, 0, "{}{}", self.stdout, self.stderr);
        self
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Run {
        Run {
            code: output.status.code().expect("ended by itself"),
            stdout: String::from_utf8(output.stdout).expect("UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }
}

/// Runs it with these arguments in a fresh user home.
pub(crate) fn run<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Run {
    let home = tempfile::tempdir().unwrap();
    run_in(home.path(), args)
}

pub(crate) fn run_in<S: AsRef<OsStr>>(home: &Path, args: impl IntoIterator<Item = S>) -> Run {
    hermesctl(home).args(args).output().unwrap().into()
}

/// Runs it on a store.
pub(crate) fn run_on(db: &Path, args: &[&str]) -> Run {
    run([OsStr::new("--db"), db.as_os_str()]
        .into_iter()
        .chain(args.iter().map(OsStr::new)))
}

/// Runs it in this home with this input.
pub(crate) fn fed(home: &Path, arguments: &[&str], input: &[u8]) -> Run {
    let mut child = hermesctl(home)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap().into()
}

/// Runs it on a store while nobody reads its output: the exit code, and what it complains of.
pub(crate) fn left_alone(store: &Fixture, args: &[&str]) -> (Option<i32>, String) {
    let mut child = hermesctl(store.dir())
        .arg("--db")
        .arg(store.path())
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut complaint = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut complaint)
        .unwrap();
    (child.wait().unwrap().code(), complaint)
}
