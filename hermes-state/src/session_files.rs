//! The files that Hermes keeps beside the store for a session.
//!
//! An id is any text, and here it becomes part of a file's name: so it must be one name and nothing
//! else, and it is compared, never used as a pattern.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::error::Result;
use crate::session::{EXISTS, SessionId};
use crate::store::Store;

const DUMP: &str = "request_dump_";

/// A file of a deleted session that is still there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FileError {
    /// The session.
    pub session_id: SessionId,
    /// The file, or the folder if no file can be named.
    pub path: PathBuf,
    /// What is wrong.
    pub problem: String,
}

#[derive(Debug, Default)]
pub(crate) struct RemovedFiles {
    pub(crate) files: u64,
    pub(crate) errors: Vec<FileError>,
}

/// The folder with the sessions' files.
pub(crate) struct SessionFiles<'a> {
    folder: &'a Path,
}

impl SessionFiles<'_> {
    pub(crate) fn new(folder: &Path) -> SessionFiles<'_> {
        SessionFiles { folder }
    }

    /// Removes the files of these sessions, which are not in the store any more.
    pub(crate) fn remove(&mut self, store: &Store, ids: &[SessionId]) -> Result<RemovedFiles> {
        let mut removed = RemovedFiles::default();
        if ids.is_empty() {
            return Ok(removed);
        }
        let dumps = match self.dumps() {
            Ok(dumps) => dumps,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(removed),
            Err(e) => {
                for id in ids {
                    removed.errors.push(FileError {
                        session_id: id.clone(),
                        path: self.folder.to_path_buf(),
                        problem: e.to_string(),
                    });
                }
                return Ok(removed);
            }
        };
        for id in ids {
            if !is_file_name(id.as_str()) {
                removed.errors.push(FileError {
                    session_id: id.clone(),
                    path: self.folder.to_path_buf(),
                    problem: "the id cannot be part of a file's name; no file was touched"
                        .to_owned(),
                });
                continue;
            }
            let mut names = vec![format!("{id}.json"), format!("{id}.jsonl")];
            names.extend(dumps_of(store, id, &dumps)?);
            for name in names {
                let path = self.folder.join(name);
                match fs::remove_file(&path) {
                    Ok(()) => removed.files += 1,
                    Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                    Err(e) => removed.errors.push(FileError {
                        session_id: id.clone(),
                        path,
                        problem: e.to_string(),
                    }),
                }
            }
        }
        Ok(removed)
    }

    /// The names of all dumps, in order.
    fn dumps(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(self.folder)? {
            // A name that is no text is none that Hermes gave.
            if let Ok(name) = entry?.file_name().into_string()
                && name.starts_with(DUMP)
                && name.ends_with(".json")
            {
                names.push(name);
            }
        }
        names.sort_unstable();
        Ok(names)
    }
}

/// The dumps of a session: those that begin with its id, but not with the longer id of a session
/// that is still there (`a_b` is not a dump of `a`).
fn dumps_of(store: &Store, id: &SessionId, dumps: &[String]) -> Result<Vec<String>> {
    let prefix = format!("{DUMP}{id}_");
    let from = dumps.partition_point(|name| *name < prefix);
    let mine = dumps
        .iter()
        .skip(from)
        .take_while(|name| name.starts_with(&prefix));
    let mut found = Vec::new();
    let mut asked: HashSet<String> = HashSet::new();
    for name in mine {
        let rest = name.strip_prefix(DUMP).unwrap_or_default();
        let longer: Vec<String> = rest
            .match_indices('_')
            .map(|(at, _)| at)
            .filter(|at| *at > id.as_str().len())
            .filter_map(|at| rest.get(..at).map(str::to_owned))
            .collect();
        let unknown: Vec<&String> = longer.iter().filter(|id| !asked.contains(*id)).collect();
        let taken = store.read(|conn, _| {
            let mut exists = conn.prepare_cached(EXISTS)?;
            for id in &unknown {
                if exists.exists([id.as_str()])? {
                    return Ok(true);
                }
            }
            Ok(false)
        })?;
        if taken {
            continue;
        }
        asked.extend(longer);
        found.push(name.clone());
    }
    Ok(found)
}

/// Whether a text is one component of a path wherever the folder is, and nothing more.
fn is_file_name(id: &str) -> bool {
    let separators: &[char] = if cfg!(windows) {
        &['/', '\\', '\0', ':', '*', '?', '"', '<', '>', '|']
    } else {
        &['/', '\\', '\0']
    };
    !matches!(id, "" | "." | "..") && !id.contains(separators)
}
