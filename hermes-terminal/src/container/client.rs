//! The program that containers are made with.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::command_line::CommandLine;
use crate::local::program;
use crate::remote::Answer;
use crate::variables::Variables;
use crate::{Error, Result};

/// A program, or those of which the first that is there is used.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    pub(crate) names: Vec<OsString>,
    pub(crate) variables: Variables,
}

impl Client {
    /// The programs of these names.
    pub(crate) fn any_of(names: &[&str]) -> Self {
        Self {
            names: names.iter().map(OsString::from).collect(),
            variables: Variables::of_process(),
        }
    }

    pub(crate) fn program(&self) -> Option<PathBuf> {
        let path = self.variables.get("PATH");
        self.names.iter().find_map(|name| program(name, path))
    }

    /// Whether there is a program of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        program(name.as_ref(), self.variables.get("PATH")).is_some()
    }

    /// What it is called in what people read and type.
    pub(crate) fn called(&self) -> String {
        let program = self.program();
        let name = program.as_ref().and_then(|program| program.file_name());
        let name = name.or_else(|| self.names.first().map(OsString::as_os_str));
        name.unwrap_or_default().to_string_lossy().into_owned()
    }

    /// That none of them is there.
    pub(crate) fn missing(&self) -> String {
        let names: Vec<_> = self
            .names
            .iter()
            .map(|name| name.to_string_lossy())
            .collect();
        match &*names {
            [path] if path.contains('/') => format!("there is no program {path}"),
            names => format!("there is no {} in PATH", names.join(" and no ")),
        }
    }

    pub(crate) fn line<A: Into<OsString>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<CommandLine> {
        let program = self.program().ok_or_else(|| Error::Spawn {
            program: self.called(),
            source: std::io::ErrorKind::NotFound.into(),
        })?;
        let variables = self.variables.for_children();
        Ok(CommandLine {
            program: program.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            variables: variables
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            marker: None,
        })
    }

    pub(crate) fn run<A: Into<OsString>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
        time: Duration,
    ) -> Result<Answer> {
        Answer::of(&self.line(arguments)?, b"", time)
    }

    /// The same of what must succeed.
    pub(crate) fn must<A: Into<OsString>>(
        &self,
        arguments: impl IntoIterator<Item = A>,
        time: Duration,
        doing: &str,
        remedy: &str,
    ) -> Result<Vec<u8>> {
        let answer = self.run(arguments, time)?;
        if answer.code == Some(0) {
            return Ok(answer.output);
        }
        Err(failed(&answer, doing, remedy))
    }
}

pub(crate) fn failed(answer: &Answer, doing: &str, remedy: &str) -> Error {
    Error::Container {
        doing: doing.to_owned(),
        reason: answer.last_line(),
        remedy: remedy.to_owned(),
    }
}

/// A folder that is there, for its owner alone.
pub(crate) fn make_folder(folder: &Path) -> Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(Error::io(format!("making {}", folder.display())))
}
