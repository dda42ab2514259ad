//! The one who reads the answer, if there is one.

use std::io::{self, Write};

use super::EXIT_BLOCK;
use crate::failure::Failure;

/// Standard output, where somebody reads it.
///
/// The standard library opens the null device in the place of a closed output, and takes one that
/// cannot be written for one that was. An agent would find neither an answer nor a failure, and run
/// the command.
pub(super) fn open() -> Result<impl Write, Failure> {
    let output = output().map_err(unwritable)?;
    if is_null(&output).map_err(unwritable)? {
        return Err(Failure::new(
            "no_reader",
            "standard output is closed, or the null device: nobody would read the answer",
            "call this with a standard output that the agent reads",
        )
        .with_exit(EXIT_BLOCK));
    }
    Ok(output)
}

/// Writes the answer, all of it or a failure.
pub(super) fn tell(mut reader: impl Write, answer: &str) -> Result<(), Failure> {
    reader
        .write_all(answer.as_bytes())
        .and_then(|()| reader.flush())
        .map_err(unwritable)
}

fn unwritable(error: io::Error) -> Failure {
    Failure::from(error).even_if_closed().with_exit(EXIT_BLOCK)
}

#[cfg(unix)]
fn output() -> io::Result<std::fs::File> {
    use std::os::fd::AsFd;
    Ok(io::stdout().as_fd().try_clone_to_owned()?.into())
}

#[cfg(unix)]
fn is_null(output: &std::fs::File) -> io::Result<bool> {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let found = output.metadata()?;
    Ok(found.file_type().is_char_device()
        && std::fs::metadata("/dev/null").is_ok_and(|null| null.rdev() == found.rdev()))
}

#[cfg(not(unix))]
fn output() -> io::Result<io::Stdout> {
    Ok(io::stdout())
}

#[cfg(not(unix))]
fn is_null(_: &io::Stdout) -> io::Result<bool> {
    Ok(false)
}
