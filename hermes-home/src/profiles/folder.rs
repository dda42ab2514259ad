//! The folder of the profiles: where each one is, and which there are.

use std::io::ErrorKind;

use crate::files::{Files, Kind};
use crate::path_text::PathText;
use crate::{Error, ProfileName, Result};

pub(crate) fn folder(root: &PathText) -> PathText {
    root.join("profiles")
}

/// Where a profile lives. `default` is the root.
pub(crate) fn dir(root: &PathText, name: &ProfileName) -> PathText {
    if name.is_default() {
        root.clone()
    } else {
        folder(root).join(name)
    }
}

/// Whether the profile is there. A link that leads to no directory is none.
pub(crate) fn exists(files: &dyn Files, root: &PathText, name: &ProfileName) -> Result<bool> {
    if name.is_default() {
        return Ok(true);
    }
    let path = dir(root, name).to_path();
    match files.kind(&path) {
        Ok(kind) => Ok(kind == Kind::Dir),
        Err(error) if absent(error.kind()) || matches!(files.link(&path), Ok(Some(_))) => Ok(false),
        Err(source) => Err(Error::Io {
            action: "look at",
            path,
            source,
        }),
    }
}

fn absent(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Sorted; directories and links to directories only, names that are valid only.
pub(crate) fn names(files: &dyn Files, root: &PathText) -> Result<Vec<ProfileName>> {
    let folder = folder(root).to_path();
    let found = match files.names(&folder) {
        Ok(found) => found,
        Err(error) if absent(error.kind()) => return Ok(Vec::new()),
        Err(source) => {
            return Err(Error::Io {
                action: "list the profiles in",
                path: folder,
                source,
            });
        }
    };
    let mut names = Vec::new();
    for name in found {
        if let Some(name) = ProfileName::from_dir_name(&name)
            && !name.is_default()
            && exists(files, root, &name)?
        {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}
