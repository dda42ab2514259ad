//! What goes from one profile to another, or into an archive.

use std::fs::Metadata;
use std::io::ErrorKind;
use std::path::Path;

use super::private;
use crate::ownership::failed;
use crate::{Error, HermesHome, Result};

/// What a callback that makes snapshots returns.
pub type SnapshotResult = std::result::Result<(), Box<dyn std::error::Error + Send + Sync>>;

/// Makes a copy of a live session store: given the store, and the path of the copy, which does not
/// exist yet. This crate never opens a store itself.
pub(super) type Snapshot<'a> = Box<dyn FnMut(&Path, &Path) -> SnapshotResult + 'a>;

/// Has a snapshot made, if there is a store and somebody who can. Tells whether it was.
pub(super) fn snapshot(
    maker: Option<&mut Snapshot<'_>>,
    home: &HermesHome,
    copy: &Path,
) -> Result<bool> {
    let store = home.state_db();
    let Some(maker) = maker else {
        return Ok(false);
    };
    if look(store)?.is_none() {
        return Ok(false);
    }
    maker(store, copy).map_err(|source| Error::Snapshot {
        path: store.to_path_buf(),
        source,
    })?;
    private::restrict(copy)?;
    Ok(true)
}

/// What is at a path; `None` only if there is nothing. What cannot be looked at is not nothing.
pub(super) fn look(path: &Path) -> Result<Option<Metadata>> {
    match std::fs::symlink_metadata(path) {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("look at", path, error)),
    }
}

/// Copies one file of a profile, if it is there. A link is followed as long as it stays inside.
pub(super) fn copy_file(profile: &Path, name: &str, to: &Path) -> Result<bool> {
    let from = profile.join(name);
    let Some(found) = look(&from)? else {
        return Ok(false);
    };
    let real = match found.is_symlink() {
        true => link_target_inside(profile, &from)?,
        false => from.clone(),
    };
    if !std::fs::metadata(&real).is_ok_and(|found| found.is_file()) {
        return Err(Error::NotAFile { path: from });
    }
    let copy = || {
        let mut source = private::open_plain(&real)?;
        let mut copy = private::new_file(&to.join(name), false)?;
        std::io::copy(&mut source, &mut copy)?;
        copy.sync_all()
    };
    copy().map_err(|error| failed("copy", &from, error))?;
    Ok(true)
}

fn link_target_inside(profile: &Path, link: &Path) -> Result<std::path::PathBuf> {
    let real = std::fs::canonicalize(link).map_err(|error| failed("follow", link, error))?;
    let inside =
        std::fs::canonicalize(profile).map_err(|error| failed("look at", profile, error))?;
    if real.starts_with(inside) {
        return Ok(real);
    }
    Err(Error::LinkLeadsOut {
        target: std::fs::read_link(link).unwrap_or(real),
        link: link.to_path_buf(),
    })
}
