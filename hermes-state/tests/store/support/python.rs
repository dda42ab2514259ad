//! A Python with an older SQLite on the same file.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Points to a folder with environments that have one Hermes each, as for the parity run.
const READY: &str = "HERMES_PARITY_VENVS";

/// Runs `[[sql, [parameters]], …]` in one transaction and prints the rows of the last one.
const SQL: &str = "
import json, sqlite3, sys
db = sqlite3.connect(sys.argv[1], timeout=10)
db.execute('PRAGMA foreign_keys=ON')
rows = []
for sql, parameters in json.load(sys.stdin):
    rows = db.execute(sql, parameters).fetchall()
db.commit()
json.dump(rows, sys.stdout)
";

pub(crate) struct Python(PathBuf);

impl Python {
    /// The interpreter of a release's environment; says so where there is none.
    pub(crate) fn of(release: &str) -> Option<Python> {
        let found = std::env::var_os(READY)
            .map(|dir| Path::new(&dir).join(format!("venv-{release}/bin/python")))
            .filter(|python| python.exists());
        if found.is_none() {
            eprintln!("SKIPPED: no Python with Hermes {release} ({READY} names no such folder)");
        }
        found.map(Python)
    }

    pub(crate) fn run(&self, program: &str, args: &[&str], input: &str) -> String {
        let mut child = Command::new(&self.0)
            .args(["-c", program])
            .args(args)
            .env("PYTHONIOENCODING", "utf-8")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(input.as_bytes())
            .unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        String::from_utf8(output.stdout).unwrap()
    }

    pub(crate) fn sql(&self, path: &Path, statements: &serde_json::Value) -> serde_json::Value {
        let rows = self.run(SQL, &[path.to_str().unwrap()], &statements.to_string());
        serde_json::from_str(&rows).unwrap()
    }
}
