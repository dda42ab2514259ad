//! Which profile is used when nothing selects one.

use super::Profiles;
use super::private;
use super::staging::Workshop;
use crate::active_profile::file_of;
use crate::{ProfileName, Result};

impl Profiles {
    /// Makes a profile the one that is used when nothing selects one, by writing `active_profile`
    /// in one step. For `default` the file is removed.
    ///
    /// # Errors
    /// [`Error::ProfileNotFound`](crate::Error::ProfileNotFound),
    /// [`Error::NotOurs`](crate::Error::NotOurs), [`Error::Io`](crate::Error::Io).
    pub fn activate(&self, name: &ProfileName) -> Result<()> {
        self.check_platform()?;
        self.get(name)?;
        if name.is_default() && !self.folder_is_there() {
            // There is nobody to wait for, and nothing is made just to remove something.
            return private::remove_file(&file_of(&self.root()).to_path());
        }
        let workshop = Workshop::open(&self.root())?;
        self.get(name)?;
        workshop.set_active(name)
    }
}

impl Workshop {
    pub(super) fn set_active(&self, name: &ProfileName) -> Result<()> {
        let file = file_of(&self.root).to_path();
        if name.is_default() {
            private::remove_file(&file)
        } else {
            self.write(&file, format!("{name}\n").as_bytes())
        }
    }
}
