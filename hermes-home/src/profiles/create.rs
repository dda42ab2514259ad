//! A new profile, blank or after another one.

use std::fmt;
use std::path::Path;

use super::copying::{Snapshot, SnapshotResult, copy_file, snapshot};
use super::staging::Workshop;
use super::{Profiles, private};
use crate::kill_point::reached;
use crate::{HermesHome, ProfileName, Result};

/// What a clone takes over.
const CLONED: [&str; 3] = ["config.yaml", ".env", "SOUL.md"];
/// What every profile has from the start.
const FOLDERS: [&str; 3] = ["logs", "sessions", "skills"];

/// How a profile is made.
#[derive(Default)]
pub struct CreateOptions<'a> {
    source: Option<ProfileName>,
    snapshot: Option<Snapshot<'a>>,
}

impl<'a> CreateOptions<'a> {
    /// With nothing in it.
    pub fn blank() -> Self {
        Self::default()
    }

    /// With `config.yaml`, `.env` and `SOUL.md` of another profile, as far as it has them.
    pub fn clone_of(source: &ProfileName) -> Self {
        Self {
            source: Some(source.clone()),
            snapshot: None,
        }
    }

    /// A clone with the sessions too: the callback is given the `state.db` of the other profile and
    /// the path for a copy of it. It is not called when there is no store.
    #[must_use]
    pub fn with_snapshot(
        mut self,
        snapshot: impl FnMut(&Path, &Path) -> SnapshotResult + 'a,
    ) -> Self {
        self.snapshot = Some(Box::new(snapshot));
        self
    }
}

impl fmt::Debug for CreateOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CreateOptions")
            .field("source", &self.source)
            .field("snapshot", &self.snapshot.is_some())
            .finish()
    }
}

impl Profiles {
    /// Makes a profile. It is there as a whole or not at all.
    ///
    /// # Errors
    /// [`Error::ReservedProfileName`], [`Error::ProfileExists`], [`Error::ProfileNotFound`] for the
    /// one to be cloned, [`Error::LinkLeadsOut`] and [`Error::NotAFile`] for what it holds,
    /// [`Error::Snapshot`], [`Error::NotOurs`], [`Error::Io`].
    ///
    /// [`Error::ReservedProfileName`]: crate::Error::ReservedProfileName
    /// [`Error::ProfileExists`]: crate::Error::ProfileExists
    /// [`Error::ProfileNotFound`]: crate::Error::ProfileNotFound
    /// [`Error::LinkLeadsOut`]: crate::Error::LinkLeadsOut
    /// [`Error::NotAFile`]: crate::Error::NotAFile
    /// [`Error::Snapshot`]: crate::Error::Snapshot
    /// [`Error::NotOurs`]: crate::Error::NotOurs
    /// [`Error::Io`]: crate::Error::Io
    pub fn create(&self, name: &ProfileName, mut options: CreateOptions<'_>) -> Result<HermesHome> {
        self.check_platform()?;
        self.check_new(name)?;
        let source = match &options.source {
            Some(source) => Some(self.get(source)?),
            None => None,
        };
        let workshop = Workshop::open(&self.root())?;
        // Somebody else may have made it while we waited.
        self.check_new(name)?;
        let staged = workshop.stage("create")?;
        for folder in FOLDERS {
            private::make_dir(&staged.path.join(folder))?;
        }
        if let Some(source) = source {
            for file in CLONED {
                copy_file(source.path(), file, &staged.path)?;
                reached("file cloned");
            }
            let copy = staged.path.join("state.db");
            snapshot(options.snapshot.as_mut(), &source, &copy)?;
        }
        private::sync_dir(&staged.path);
        staged.publish(&self.dir(name), name)?;
        Ok(self.home(name))
    }
}
