//! Grants that outlive the process and that `command_allowlist` cannot hold.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::{Map, Value, json};

use super::{Grant, Question, Scope, covering};
use crate::locked_file::{self, LockedFile};
use crate::{Error, Result};

/// The name of the file in the folder that is handed in.
const NAME: &str = "approval-grants.json";
const VERSION: u64 = 1;
const TRIES: u32 = 20;

/// `approval-grants.json` in a folder: 0600, replaced as a whole under a lock, merged with what
/// others have written. Grants of a kind that this release does not know are kept and cover nothing.
#[derive(Debug)]
pub struct GrantsFile {
    path: PathBuf,
}

/// The file as it stands, unknown parts included.
struct Content {
    rest: Map<String, Value>,
    grants: Vec<Value>,
}

impl GrantsFile {
    /// In this folder, which must exist when something is written.
    pub fn in_folder(folder: &Path) -> Self {
        Self {
            path: folder.join(NAME),
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The grants that hold now, oldest first. None if there is no file.
    pub fn list(&self, now: SystemTime) -> Result<Vec<Grant>> {
        let read = locked_file::read(&self.path)?;
        let content = self.content(read.as_ref().map(|read| read.bytes.as_slice()))?;
        Ok(known(&content.grants)
            .filter(|grant| grant.holds(now))
            .collect())
    }

    /// The grants that cover the question.
    pub fn covering(&self, question: &Question<'_>, now: SystemTime) -> Result<Option<Vec<Grant>>> {
        let grants = self.list(now)?;
        Ok(covering(&grants, question, now).map(|found| found.into_iter().cloned().collect()))
    }

    /// Adds a grant; one of the same scope is replaced, and those that have ended go.
    pub fn add(&self, grant: &Grant, now: SystemTime) -> Result<()> {
        let new = serde_json::to_value(grant).map_err(|error| self.bad(error.to_string()))?;
        self.change(|grants| {
            grants.retain(|value| match parse(value) {
                Some(old) => old.scope != grant.scope && old.holds(now),
                None => true,
            });
            grants.push(new.clone());
            true
        })
        .map(|_| ())
    }

    /// Takes back the grant of this scope. Gives whether there was one.
    pub fn remove(&self, scope: &Scope) -> Result<bool> {
        self.change(|grants| {
            let before = grants.len();
            grants.retain(|value| parse(value).is_none_or(|old| old.scope != *scope));
            grants.len() != before
        })
    }

    fn change(&self, change: impl Fn(&mut Vec<Value>) -> bool) -> Result<bool> {
        let file = LockedFile::lock(&self.path)?;
        for _ in 0..TRIES {
            let old = file.read()?;
            let mut content = self.content(old.as_ref().map(|old| old.bytes.as_slice()))?;
            if !change(&mut content.grants) {
                return Ok(false);
            }
            let mut all = content.rest;
            all.insert("version".to_owned(), json!(VERSION));
            all.insert("grants".to_owned(), Value::Array(content.grants));
            let mut bytes = serde_json::to_vec_pretty(&Value::Object(all))
                .map_err(|error| self.bad(error.to_string()))?;
            bytes.push(b'\n');
            if file.replace(old.as_ref(), &bytes)? {
                return Ok(true);
            }
        }
        Err(Error::Contended {
            path: self.path.clone(),
            tries: TRIES,
        })
    }

    fn content(&self, bytes: Option<&[u8]>) -> Result<Content> {
        let Some(bytes) = bytes else {
            return Ok(Content {
                rest: Map::new(),
                grants: Vec::new(),
            });
        };
        let value: Value =
            serde_json::from_slice(bytes).map_err(|error| self.bad(error.to_string()))?;
        let Value::Object(mut rest) = value else {
            return Err(self.bad("it is no object"));
        };
        match rest.get("version").and_then(Value::as_u64) {
            Some(VERSION) => {}
            Some(other) => return Err(self.bad(format!("its version is {other}, not {VERSION}"))),
            None => return Err(self.bad("it has no version")),
        }
        let Some(Value::Array(grants)) = rest.shift_remove("grants") else {
            return Err(self.bad("\"grants\" is no list"));
        };
        Ok(Content { rest, grants })
    }

    fn bad(&self, problem: impl Into<String>) -> Error {
        Error::BadGrants {
            path: self.path.clone(),
            problem: problem.into(),
        }
    }
}

fn known(grants: &[Value]) -> impl Iterator<Item = Grant> {
    grants.iter().filter_map(parse)
}

/// A grant of this release. A prefix or a folder that was written by hand is held to the rules of
/// those that are made here.
fn parse(value: &Value) -> Option<Grant> {
    let mut grant: Grant = serde_json::from_value(value.clone()).ok()?;
    grant.scope = match grant.scope {
        Scope::Key { key } => Scope::Key { key },
        Scope::Command { command } => Scope::command(&command),
        Scope::Prefix { prefix } => Scope::prefix(&prefix)?,
        Scope::PathUnder { key, folder } => Scope::path_under(key, folder)?,
    };
    Some(grant)
}
