//! The end of a profile.

use std::fs;

use super::staging::Workshop;
use super::{Profiles, copying, private};
use crate::kill_point::reached;
use crate::ownership::failed;
use crate::{Error, ProfileName, Result};

/// What a deletion does not mind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeleteOptions {
    active: bool,
    running: bool,
}

impl DeleteOptions {
    /// Refuses a profile that is active or in use.
    pub fn new() -> Self {
        Self::default()
    }

    /// Deletes the active profile too; `default` is active then.
    #[must_use]
    pub fn even_if_active(mut self) -> Self {
        self.active = true;
        self
    }

    /// Deletes the profile although other processes hold its files.
    #[must_use]
    pub fn even_if_running(mut self) -> Self {
        self.running = true;
        self
    }
}

impl Profiles {
    /// Deletes a profile with everything in it. Links in it are removed, and what is behind them
    /// stays; of a profile that is a link, only the link goes.
    ///
    /// # Errors
    /// [`Error::DefaultProfile`], [`Error::ProfileNotFound`], [`Error::ProfileActive`],
    /// [`Error::ProfileRunning`], [`Error::NotOurs`], [`Error::Io`]. When the profile is gone and
    /// some of its files could not be removed, the next change tries again.
    pub fn delete(&self, name: &ProfileName, options: DeleteOptions) -> Result<()> {
        self.check_platform()?;
        if name.is_default() {
            return Err(Error::DefaultProfile { action: "delete" });
        }
        self.check_there(name)?;
        let workshop = Workshop::open(&self.root())?;
        self.check_there(name)?;
        let is_active = self.active().name() == *name;
        if is_active && !options.active {
            return Err(Error::ProfileActive { name: name.clone() });
        }
        if !options.running {
            self.check_idle(name, "delete")?;
        }
        // Put aside first: whatever stops this before leaves all as it was.
        let path = self.dir(name);
        let gone = workshop.free_name("delete");
        workshop.with_active_following(name, &ProfileName::default(), || {
            fs::rename(&path, &gone).map_err(|error| failed("delete", &path, error))
        })?;
        reached("profile put aside");
        private::remove(&gone)
    }

    /// A link that leads nowhere is there, too.
    fn check_there(&self, name: &ProfileName) -> Result<()> {
        match copying::look(&self.dir(name))? {
            Some(found) if found.is_dir() || found.is_symlink() => Ok(()),
            _ => Err(self.not_found(name)),
        }
    }
}
