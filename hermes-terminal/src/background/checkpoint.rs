//! `processes.json` in the Hermes home: which background processes run, for a program that is started
//! again.
//!
//! The file is shared with other programs that use the home, so what is theirs stays in it. Who is
//! whose is told by number and start of a process: a number alone may be somebody else's by now.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::entry::{Entry, ProcessId};
use crate::{Error, Result};

/// A process in the file, as Python's Hermes writes it, and who attends to it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) session_id: String,
    #[serde(default)]
    pub(super) command: String,
    #[serde(default)]
    pub(super) pid: Option<u32>,
    #[serde(default = "on_this_machine")]
    pub(super) pid_scope: String,
    #[serde(default)]
    pub(super) host_start_time: Option<u64>,
    #[serde(default)]
    pub(super) cwd: Option<PathBuf>,
    #[serde(default)]
    pub(super) started_at: f64,
    #[serde(default)]
    pub(super) task_id: String,
    #[serde(default)]
    pub(super) session_key: String,
    #[serde(default)]
    pub(super) notify_on_complete: bool,
    #[serde(default)]
    pub(super) watch_patterns: Vec<String>,
    /// The process that attends to it. Python's says nothing about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) attended_by: Option<Attendant>,
    /// What others have written besides.
    #[serde(flatten)]
    others: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Attendant {
    pid: u32,
    start_time: Option<u64>,
}

const HOST: &str = "host";

fn on_this_machine() -> String {
    HOST.to_owned()
}

/// What the system says about a process that was written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// It is this one.
    Running,
    /// It has ended; its number may be another's.
    Gone,
    /// There is one of this number, and nothing tells whether it is this one.
    Unknown,
}

impl Attendant {
    pub(super) fn this_process() -> Self {
        let pid = std::process::id();
        Self {
            pid,
            start_time: start_of(pid),
        }
    }

    pub(super) fn is_running(&self) -> bool {
        found(Some(self.pid), self.start_time) != Found::Gone
    }
}

impl Record {
    pub(super) fn of(entry: &Entry, attendant: &Attendant) -> Self {
        let facts = &entry.facts;
        let (notify_on_complete, watch_patterns) = entry.interests();
        Self {
            session_id: facts.id.to_string(),
            command: facts.command.clone(),
            pid: facts.pid,
            pid_scope: on_this_machine(),
            host_start_time: facts.start,
            cwd: Some(facts.directory.clone()),
            started_at: facts.started_at,
            task_id: facts.task.clone(),
            session_key: facts.session_key.clone(),
            notify_on_complete,
            watch_patterns,
            attended_by: Some(attendant.clone()),
            others: Map::new(),
        }
    }

    pub(super) fn found(&self) -> Found {
        match self.pid_scope == HOST {
            true => found(self.pid, self.host_start_time),
            false => Found::Unknown,
        }
    }
}

fn found(pid: Option<u32>, start: Option<u64>) -> Found {
    let now = pid.and_then(start_of);
    match (now, start) {
        (None, _) => Found::Gone,
        (Some(now), Some(start)) if now == start => Found::Running,
        (Some(_), Some(_)) => Found::Gone,
        (Some(_), None) => Found::Unknown,
    }
}

/// When a process was started; nothing if it is gone, or the system can't tell.
pub(super) fn start_of(pid: u32) -> Option<u64> {
    #[cfg(target_os = "linux")]
    return crate::tree::start_of(pid);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = pid;
        None
    }
}

/// The file.
#[derive(Debug)]
pub(super) struct Checkpoint {
    path: PathBuf,
}

impl Checkpoint {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// What was written down. A file that is not there has nothing.
    pub(super) fn read(&self) -> Result<Vec<Record>> {
        let text = match fs::read(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(self.bad(&format!("cannot be read: {error}"))),
        };
        if text.trim_ascii().is_empty() {
            return Ok(Vec::new());
        }
        let records: Vec<Value> = serde_json::from_slice(&text)
            .map_err(|error| self.bad(&format!("holds no list of processes ({error})")))?;
        let mut read = Vec::new();
        for record in records {
            match serde_json::from_value(record) {
                Ok(record) => read.push(record),
                Err(error) => {
                    tracing::warn!(path = %self.path.display(), %error, "an entry that is no process");
                }
            }
        }
        Ok(read)
    }

    /// Writes down these, which `attendant` attends to, and leaves what is others'. `ours` tells ids
    /// that are this program's.
    pub(super) fn write(
        &self,
        running: Vec<Record>,
        attendant: &Attendant,
        ours: impl Fn(&ProcessId) -> bool,
    ) -> Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(Error::io(format!("making {}", folder.display())))?;
        let _lock = self.lock()?;
        let mut all = match self.read() {
            Ok(all) => all,
            Err(error) => {
                tracing::warn!(%error, "the list of background processes is written anew");
                Vec::new()
            }
        };
        all.retain(|record| {
            !(record.attended_by.as_ref() == Some(attendant)
                || ours(&ProcessId::new(record.session_id.clone()))
                || record.found() == Found::Gone)
        });
        all.extend(running);
        let mut text = serde_json::to_vec_pretty(&all)
            .map_err(|error| self.bad(&format!("cannot be written: {error}")))?;
        text.push(b'\n');
        self.replace(folder, &text)
            .map_err(Error::io(format!("writing {}", self.path.display())))
    }

    fn replace(&self, folder: &Path, text: &[u8]) -> std::io::Result<()> {
        // A temporary file is its owner's alone, and commands can hold secrets.
        let mut file = tempfile::Builder::new()
            .prefix(".processes-")
            .tempfile_in(folder)?;
        file.write_all(text)?;
        file.persist(&self.path)?;
        Ok(())
    }

    /// So that nobody writes between our reading and our writing.
    fn lock(&self) -> Result<File> {
        let path = self.path.with_extension("json.lock");
        let failed = || Error::io(format!("locking {}", path.display()));
        let file = fs::OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(&path)
            .map_err(failed())?;
        file.lock().map_err(failed())?;
        Ok(file)
    }

    fn bad(&self, problem: &str) -> Error {
        Error::BadCheckpoint {
            path: self.path.clone(),
            problem: problem.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn checkpoint(text: &str) -> (tempfile::TempDir, Checkpoint) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("processes.json");
        fs::write(&path, text).unwrap();
        (folder, Checkpoint::new(path))
    }

    #[test]
    fn what_python_has_written_is_read_and_stays_while_its_process_runs() {
        let this = Attendant::this_process();
        let pid = std::process::id();
        let start = start_of(pid).unwrap();
        let text = format!(
            r#"[{{"session_id": "proc_a", "command": "x", "pid": {pid}, "pid_scope": "host",
                "host_start_time": {start}, "cwd": "/tmp", "started_at": 1.5, "task_id": "t",
                "watcher_interval": 7}},
               {{"session_id": "proc_b", "pid": {pid}, "host_start_time": {}}},
               {{"session_id": "proc_c", "pid": 77, "pid_scope": "sandbox"}},
               {{"session_id": "proc_d", "pid": {pid}}}, {{"no": "process"}}]"#,
            start + 1
        );
        let (_folder, file) = checkpoint(&text);
        let found: Vec<(String, Found)> = file
            .read()
            .unwrap()
            .iter()
            .map(|record| (record.session_id.clone(), record.found()))
            .collect();
        let expected = [
            ("proc_a", Found::Running),
            ("proc_b", Found::Gone),
            ("proc_c", Found::Unknown),
            ("proc_d", Found::Unknown),
        ];
        assert_eq!(found, expected.map(|(id, found)| (id.to_owned(), found)));
        file.write(Vec::new(), &this, |_| false).unwrap();
        let lock = fs::metadata(file.path.with_extension("json.lock")).unwrap();
        assert_eq!(lock.permissions().mode() & 0o777, 0o600);
        let left: Vec<Value> = serde_json::from_slice(&fs::read(&file.path).unwrap()).unwrap();
        assert_eq!(left.len(), 3);
        assert_eq!(left[0]["watcher_interval"], 7);
        file.write(Vec::new(), &this, |id| id.as_str() == "proc_a")
            .unwrap();
        assert_eq!(file.read().unwrap().len(), 2);
    }

    #[test]
    fn what_is_no_list_is_an_error_when_read_and_replaced_when_written() {
        let this = Attendant::this_process();
        for text in ["{", "{}", "[1", "\"x\""] {
            let (_folder, file) = checkpoint(text);
            assert!(matches!(file.read(), Err(Error::BadCheckpoint { .. })));
            file.write(Vec::new(), &this, |_| false).unwrap();
            assert!(file.read().unwrap().is_empty());
        }
        for text in ["", "\n", "[]"] {
            assert!(checkpoint(text).1.read().unwrap().is_empty());
        }
    }
}
