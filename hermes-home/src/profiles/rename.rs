//! Another name for a profile.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use super::staging::Workshop;
use super::{Profiles, dir, exists, folder, moving, private};
use crate::active_profile::{self, ActiveProfile};
use crate::files::{Files, Kind, files_of};
use crate::kill_point::reached;
use crate::ownership::failed;
use crate::path_text::PathText;
use crate::{Error, HermesHome, ProfileName, Result};

/// The intent to rename the active profile: the old and the new name, a line each. Between the two
/// steps of that (the folder, then `active_profile`), readers go by it.
const INTENT: &str = ".hermes-renaming";

/// What a rename does not mind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RenameOptions {
    running: bool,
}

impl RenameOptions {
    /// Refuses a profile that is in use.
    pub fn new() -> Self {
        Self::default()
    }

    /// Renames the profile although other processes hold its files.
    #[must_use]
    pub fn even_if_running(mut self) -> Self {
        self.running = true;
        self
    }
}

impl Profiles {
    /// Gives a profile another name. The active one stays active. A profile that is a link is
    /// renamed as a link.
    ///
    /// # Errors
    /// [`Error::DefaultProfile`], [`Error::ReservedProfileName`], [`Error::ProfileExists`],
    /// [`Error::ProfileNotFound`], [`Error::ProfileRunning`], [`Error::NotOurs`], [`Error::Io`].
    pub fn rename(
        &self,
        from: &ProfileName,
        to: &ProfileName,
        options: RenameOptions,
    ) -> Result<HermesHome> {
        self.check_platform()?;
        if from.is_default() {
            return Err(Error::DefaultProfile { action: "rename" });
        }
        self.get(from)?;
        self.check_new(to)?;
        let workshop = Workshop::open(&self.root())?;
        self.get(from)?;
        if !options.running {
            self.check_idle(from, "rename")?;
        }
        workshop.rename(from, to)?;
        Ok(self.home(to))
    }

    pub(super) fn check_idle(&self, name: &ProfileName, action: &'static str) -> Result<()> {
        let processes = self.running(name);
        match processes.is_empty() {
            true => Ok(()),
            false => Err(Error::ProfileRunning {
                name: name.clone(),
                action,
                processes,
            }),
        }
    }
}

impl Workshop {
    fn rename(&self, from: &ProfileName, to: &ProfileName) -> Result<()> {
        self.with_active_following(from, to, || self.move_profile(from, to))
    }

    /// Makes a change after which there is no profile `from` any more. If it is the active one, `to`
    /// is afterwards: an intent tells so wherever the process is killed.
    pub(super) fn with_active_following(
        &self,
        from: &ProfileName,
        to: &ProfileName,
        change: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let files = files_of(self.root.platform());
        let active = active_profile::read(files, &self.root);
        let is_active = matches!(active, ActiveProfile::Named(active) if active == *from);
        if is_active {
            self.write(&self.intent(), format!("{from}\n{to}\n").as_bytes())?;
            reached("intent written");
        }
        let changed = change();
        reached("profile moved");
        if is_active {
            if changed.is_ok() {
                self.set_active(to)?;
                reached("the other one active");
            }
            private::remove(&self.intent())?;
        }
        private::sync_dir(&self.folder);
        changed
    }

    fn move_profile(&self, from: &ProfileName, to: &ProfileName) -> Result<()> {
        let (old, new) = (
            dir(&self.root, from).to_path(),
            dir(&self.root, to).to_path(),
        );
        moving::move_to_free(&old, &new).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty => Error::ProfileExists {
                name: to.clone(),
                path: new,
            },
            _ => failed("rename", &old, error),
        })
    }

    fn intent(&self) -> PathBuf {
        self.folder.join(INTENT)
    }
}

/// Ends a change that was killed between its steps: `active_profile` follows the folder.
pub(super) fn finish_interrupted(workshop: &Workshop) -> Result<()> {
    if fs::symlink_metadata(workshop.intent()).is_err() {
        return Ok(());
    }
    let files = files_of(workshop.root.platform());
    if let ActiveProfile::Named(active) = active_profile::read(files, &workshop.root) {
        let now = renamed(files, &workshop.root, active.clone());
        if now != active {
            workshop.set_active(&now)?;
        }
    }
    private::remove(&workshop.intent())
}

/// The profile that stands for `active` by now, if a rename or deletion of it was interrupted when
/// its folder was gone already.
pub(crate) fn renamed(files: &dyn Files, root: &PathText, active: ProfileName) -> ProfileName {
    if !matches!(exists(files, root, &active), Ok(false)) {
        return active;
    }
    match intent(files, root) {
        Some((from, to)) if from == active && matches!(exists(files, root, &to), Ok(true)) => to,
        _ => active,
    }
}

fn intent(files: &dyn Files, root: &PathText) -> Option<(ProfileName, ProfileName)> {
    let path = folder(root).join(INTENT).to_path();
    if files.kind(&path).ok()? != Kind::File {
        return None;
    }
    let content = files.read_up_to(&path, 1024).ok()?;
    let mut names = std::str::from_utf8(&content).ok()?.lines();
    let (from, to) = (names.next()?, names.next()?);
    Some((ProfileName::parse(from).ok()?, ProfileName::parse(to).ok()?))
}
