//! The list in its file: read when it has changed, written under a lock.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::edit::{Plan, Wish, edit};
use super::{Allowlist, yaml};
use crate::locked_file::{self, Contents, LockedFile, Stamp};
use crate::{Error, Result};

/// How often a change is made anew because someone else wrote the file meanwhile.
const TRIES: u32 = 20;
/// The longest entry in bytes. No approved command is longer.
const ENTRY_LIMIT: usize = 128 << 10;

/// What a change did.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Change {
    /// What was not on the list before.
    pub added: Vec<String>,
    /// What was, as often as it was.
    pub removed: Vec<String>,
}

impl Change {
    /// Whether the list was already as wished, and the file was not touched.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }
}

/// `command_allowlist` of one `config.yaml`. Share one value between threads: it remembers what it
/// has read, and reads again when the file has changed.
#[derive(Debug)]
pub struct AllowlistFile {
    path: PathBuf,
    known: Mutex<Option<Known>>,
}

#[derive(Debug)]
struct Known {
    /// `None` for a file that is not there.
    stamp: Option<Stamp>,
    /// Whether the stamp alone can be trusted.
    settled: bool,
    bytes: Vec<u8>,
    list: Arc<Allowlist>,
}

impl AllowlistFile {
    /// The list in this `config.yaml`, which need not exist. Nothing is read yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            known: Mutex::new(None),
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The list as it is on disk now. Cheap: the file is read only when it has changed. A file that
    /// cannot be read, or is wrong, is an error each time, and approves nothing.
    pub fn current(&self) -> Result<Arc<Allowlist>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = self.stamp()?;
        if let Some(known) = known.as_ref()
            && known.settled
            && known.stamp == stamp
        {
            return Ok(Arc::clone(&known.list));
        }
        let read = locked_file::read(&self.path)?;
        let now = SystemTime::now();
        let stamp = read.as_ref().map(|read| read.stamp);
        let settled = stamp.is_none_or(|stamp| !stamp.may_hide_a_change(now));
        let bytes = read.map(|read| read.bytes).unwrap_or_default();
        if let Some(known) = known.as_mut()
            && known.bytes == bytes
        {
            known.stamp = stamp;
            known.settled = settled;
            return Ok(Arc::clone(&known.list));
        }
        *known = None;
        let list = Arc::new(yaml::read(self.text(&bytes)?, &self.path)?.list);
        *known = Some(Known {
            stamp,
            settled,
            list: Arc::clone(&list),
            bytes,
        });
        Ok(list)
    }

    /// Puts entries at the end of the list, except those that are on it. Makes the file, 0600, if
    /// there is none; its directory must exist.
    pub fn add(&self, entries: &[&str]) -> Result<Change> {
        for entry in entries {
            check_entry(entry)?;
        }
        self.change(Wish {
            add: entries,
            remove: &[],
        })
    }

    /// Takes entries off the list, by their exact text, wherever they stand.
    pub fn remove(&self, entries: &[&str]) -> Result<Change> {
        self.change(Wish {
            add: &[],
            remove: entries,
        })
    }

    fn change(&self, wish: Wish<'_>) -> Result<Change> {
        // Looked at without the lock first, so that a change that changes nothing leaves nothing.
        let seen = locked_file::read(&self.path)?;
        let (new, _) = self.edited(seen.as_ref(), wish)?;
        if new.is_none() {
            return Ok(Change::default());
        }
        let file = LockedFile::lock(&self.path)?;
        for _ in 0..TRIES {
            let old = file.read()?;
            let (new, plan) = self.edited(old.as_ref(), wish)?;
            let Some(new) = new else {
                return Ok(Change::default());
            };
            if file.replace(old.as_ref(), new.as_bytes())? {
                return Ok(Change {
                    added: plan.add,
                    removed: plan.remove.into_iter().map(|(_, text)| text).collect(),
                });
            }
        }
        Err(Error::Contended {
            path: self.path.clone(),
            tries: TRIES,
        })
    }

    fn edited(&self, old: Option<&Contents>, wish: Wish<'_>) -> Result<(Option<String>, Plan)> {
        let bytes = old.map(|old| old.bytes.as_slice()).unwrap_or_default();
        edit(self.text(bytes)?, wish, &self.path)
    }

    fn text<'a>(&self, bytes: &'a [u8]) -> Result<&'a str> {
        std::str::from_utf8(bytes).map_err(|_| Error::NotUtf8 {
            path: self.path.clone(),
        })
    }

    fn stamp(&self) -> Result<Option<Stamp>> {
        match fs::metadata(&self.path) {
            Ok(meta) => Ok(Some(Stamp::of(&meta))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io("look at", &self.path)(error)),
        }
    }
}

fn check_entry(entry: &str) -> Result<()> {
    let problem = if entry.trim().is_empty() {
        "it is empty"
    } else if entry.trim() != entry {
        "it begins or ends with a space"
    } else if entry.contains('\0') {
        "it holds a NUL character"
    } else if entry.len() > ENTRY_LIMIT {
        "it is longer than 128 KiB"
    } else {
        return Ok(());
    };
    Err(Error::BadEntry { problem })
}
