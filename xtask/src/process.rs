//! Running other programs: shown before they run, checked after.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::error::{Context, Error, Result};

/// A program to run in the workspace's root.
pub(crate) struct Program {
    command: Command,
    shown: String,
}

impl Program {
    pub(crate) fn new(program: impl AsRef<OsStr>, root: &Path) -> Self {
        let shown = program.as_ref().to_string_lossy().into_owned();
        let mut command = Command::new(program);
        command.current_dir(root).stdin(Stdio::null());
        Self { command, shown }
    }

    /// The cargo that runs this program, without what `cargo run` put into the environment for it:
    /// build scripts downstream would otherwise see the wrong package and build again.
    pub(crate) fn cargo(root: &Path) -> Self {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
        let mut program = Self::new(cargo, root);
        program.shown = "cargo".to_owned();
        for (name, _) in std::env::vars_os() {
            let name_text = name.to_string_lossy();
            if name_text.starts_with("CARGO_PKG_") || name_text.starts_with("CARGO_MANIFEST_") {
                program.command.env_remove(&name);
            }
        }
        program
    }

    pub(crate) fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.shown.push(' ');
        self.shown
            .push_str(&quoted(&arg.as_ref().to_string_lossy()));
        self.command.arg(arg);
        self
    }

    pub(crate) fn args<S: AsRef<OsStr>>(self, args: impl IntoIterator<Item = S>) -> Self {
        args.into_iter().fold(self, Program::arg)
    }

    /// Sets a variable for the child alone, and shows it.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.shown = format!("{name}={} {}", quoted(value), self.shown);
        self.command.env(name, value);
        self
    }

    /// Shows the command line, runs it with our output, and fails if it fails.
    pub(crate) fn run(mut self) -> Result<()> {
        println!("   $ {}", self.shown);
        let status = self
            .command
            .status()
            .context(|| format!("could not start `{}`", self.shown))?;
        if status.success() {
            return Ok(());
        }
        Err(Error::failed(format!("`{}`: {status}", self.shown)))
    }

    /// Starts it with pipes for its input and its output; what it says beside goes to ours.
    pub(crate) fn spawn_piped(mut self) -> Result<Child> {
        self.command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context(|| format!("could not start `{}`", self.shown))
    }

    /// Runs it silently and gives its standard output; on failure the error has what it said.
    pub(crate) fn output(self) -> Result<Vec<u8>> {
        self.output_given(b"")
    }

    /// As [`Program::output`], with `input` on its standard input.
    pub(crate) fn output_given(mut self, input: &[u8]) -> Result<Vec<u8>> {
        let start = || format!("could not start `{}`", self.shown);
        let mut child = self
            .command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context(start)?;
        if let Some(mut stdin) = child.stdin.take() {
            // A child that ends without reading closes the pipe; its exit status tells more.
            let _closed_early = stdin.write_all(input);
        }
        let output = child.wait_with_output().context(start)?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(Error::failed(format!(
            "`{}`: {}\n{}",
            self.shown,
            output.status,
            said.trim_end()
        )))
    }
}

/// An argument as a person would type it.
fn quoted(arg: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    if !arg.is_empty() && arg.chars().all(plain) {
        return arg.to_owned();
    }
    format!("'{}'", arg.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_arguments_that_a_shell_would_split_are_quoted() {
        assert_eq!(quoted("--all-features"), "--all-features");
        assert_eq!(quoted("-D warnings"), "'-D warnings'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn a_failing_program_is_an_error_that_names_it() {
        let error = Program::cargo(Path::new("."))
            .arg("no-such-subcommand-here")
            .output()
            .unwrap_err();
        assert!(error.to_string().contains("no-such-subcommand-here"));
    }
}
