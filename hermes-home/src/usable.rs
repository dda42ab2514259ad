//! Whether a path can be a home: an existing directory, or one that could still be made.

use std::io::{self, ErrorKind};
use std::path::PathBuf;

use crate::files::{Files, Kind};
use crate::path_text::PathText;
use crate::{Error, HomeSource, Result};

/// Refuses what can never be a directory. A directory that does not exist yet is fine: whoever
/// first writes makes it.
pub(crate) fn check(files: &dyn Files, path: &PathText, origin: HomeSource) -> Result<()> {
    match files.kind(&path.to_path()) {
        Ok(Kind::Dir) => enterable(files, path),
        Ok(Kind::File | Kind::Other) => Err(not_a_directory(files, path.to_path(), origin)),
        Err(error) => match obstacle(files, path, origin) {
            Some(obstacle) => Err(obstacle),
            None if error.kind() == ErrorKind::NotFound => Ok(()),
            None => Err(Error::Io {
                action: "look at",
                path: path.to_path(),
                source: error,
            }),
        },
    }
}

/// A directory that may not be entered holds no state that anybody here could read or write.
fn enterable(files: &dyn Files, path: &PathText) -> Result<()> {
    match files.kind(&path.to_path().join(".")) {
        Err(source) if source.kind() == ErrorKind::PermissionDenied => Err(Error::Io {
            action: "enter",
            path: path.to_path(),
            source,
        }),
        _ => Ok(()),
    }
}

/// The first thing on the way from the top that cannot be passed; `None` when the way just ends.
fn obstacle(files: &dyn Files, path: &PathText, origin: HomeSource) -> Option<Error> {
    for count in 0..=path.parts().len() {
        let step = path.path_of_first(count);
        match files.kind(&step) {
            Ok(Kind::Dir) => {}
            Ok(Kind::File | Kind::Other) => return Some(not_a_directory(files, step, origin)),
            Err(error) => return blocked(files, step, error, origin),
        }
    }
    None
}

fn blocked(
    files: &dyn Files,
    link: PathBuf,
    error: io::Error,
    origin: HomeSource,
) -> Option<Error> {
    let target = match files.link(&link) {
        Err(missing) if missing.kind() == ErrorKind::NotFound => return None,
        Ok(target) => target,
        Err(_) => None,
    };
    match (target, error.kind()) {
        // Somebody has made it since: it was missing, and now it is there.
        (None, ErrorKind::NotFound) => None,
        (Some(target), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Some(Error::DanglingLink {
                link,
                target,
                origin,
            })
        }
        (None, _) | (_, ErrorKind::PermissionDenied) => Some(Error::Io {
            action: "look at",
            path: link,
            source: error,
        }),
        (Some(target), _) => Some(Error::LinkLoop {
            link,
            target,
            origin,
        }),
    }
}

fn not_a_directory(files: &dyn Files, path: PathBuf, origin: HomeSource) -> Error {
    Error::NotADirectory {
        // Only to say more: that it cannot be read takes nothing from the error.
        target: files.link(&path).ok().flatten(),
        path,
        origin,
    }
}
