//! What a command leaves to the next one of its task.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use super::scratch::Scratch;
use crate::Result;
use crate::script::{EndPaths, StatePaths, is_name};
use crate::variables::Variables;

/// Variables, functions, aliases and options, as commands.
#[derive(Debug)]
pub(super) struct State {
    definitions: Vec<u8>,
    options: Vec<u8>,
    /// The names of all exported variables, if the shell can list them.
    exported: Option<BTreeSet<OsString>>,
}

/// What a shell has left, and where it was.
#[derive(Debug)]
pub(super) struct Left {
    pub(super) state: State,
    pub(super) directory: PathBuf,
}

/// Makes room for what a shell leaves.
pub(super) fn room(scratch: &mut Scratch) -> Result<EndPaths> {
    Ok(EndPaths {
        names: scratch.put(EndPaths::NAMES, b"")?,
        definitions: scratch.put(EndPaths::DEFINITIONS, b"")?,
        options: scratch.put(EndPaths::OPTIONS, b"")?,
        directory: scratch.put(EndPaths::DIRECTORY, b"")?,
    })
}

impl Left {
    /// Nothing, if the shell did not get so far: it was killed, or another program took its place.
    pub(super) fn of(scratch: &Scratch) -> Option<Self> {
        let mut directory = scratch.read(EndPaths::DIRECTORY)?;
        (directory.pop()? == b'\n').then_some(())?;
        let directory = PathBuf::from(OsString::from_vec(directory));
        directory.is_absolute().then_some(())?;
        let names = scratch.read(EndPaths::NAMES).unwrap_or_default();
        let exported = names
            .split(|&byte| byte == b'\n')
            .map(|name| OsString::from_vec(name.to_vec()));
        Some(Self {
            state: State {
                definitions: scratch.read(EndPaths::DEFINITIONS)?,
                options: scratch.read(EndPaths::OPTIONS)?,
                exported: (!names.is_empty()).then(|| exported.collect()),
            },
            directory,
        })
    }
}

impl State {
    /// Makes it readable for a shell.
    pub(super) fn put(&self, scratch: &mut Scratch) -> Result<StatePaths> {
        Ok(StatePaths {
            definitions: scratch.put("definitions-before", &self.definitions)?,
            options: scratch.put("options-before", &self.options)?,
        })
    }

    /// Whether an earlier command has unset a variable that children are given. Only a shell's own
    /// kind of name can be.
    pub(super) fn has_unset(&self, name: &OsStr) -> bool {
        is_name(name)
            && self
                .exported
                .as_ref()
                .is_some_and(|exported| !exported.contains(name))
    }

    /// From now on everything counts as unset that is unset later.
    pub(super) fn forget_names(&mut self) {
        self.exported = None;
    }

    /// The names of the variables that commands must not have.
    pub(super) fn secrets(&self, variables: &Variables) -> Vec<OsString> {
        let listed;
        let names = match &self.exported {
            Some(names) => names,
            None => {
                listed = self.listed();
                &listed
            }
        };
        names
            .iter()
            .filter(|name| !variables.passes(name))
            .cloned()
            .collect()
    }

    /// Names out of `export -p`. A line inside of a value may pass for one, which is no matter:
    /// only secrets are looked for.
    fn listed(&self) -> BTreeSet<OsString> {
        self.definitions
            .split(|&byte| byte == b'\n')
            .filter_map(|line| line.strip_prefix(b"export "))
            .filter_map(|line| line.split(|&byte| byte == b'=').next())
            .map(|name| OsStr::from_bytes(name).to_owned())
            .collect()
    }
}
