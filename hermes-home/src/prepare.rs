//! Making a home ready for writing: the one place that makes it.

use std::fs;
use std::path::PathBuf;

use crate::profiles::make_dirs;
use crate::{Error, HermesHome, Platform, Result, Warning};

/// What a program that writes expects to be there.
const FOLDERS: [&str; 3] = ["logs", "sessions", "skills"];
/// What may be a link to another place, and is missed when that is not there.
const LINKED: [&str; 5] = ["logs", "sessions", "skills", "hooks", "cron"];

impl HermesHome {
    /// Makes the home and the folders in it that are missing, for the owner only (0700). For
    /// programs that are about to write; whoever only reads has no need of it.
    ///
    /// A folder in it that is a link to something missing is left as it is and comes back as a
    /// [`Warning::LinkLeadsNowhere`]: the rest works without it.
    ///
    /// # Errors
    /// [`Error::HomeIncomplete`], which lists everything that is missing and why it cannot be made.
    pub fn prepare(&self) -> Result<Vec<Warning>> {
        if self.platform() != Platform::host() {
            return Err(Error::ForeignPlatform);
        }
        let mut missing = Vec::new();
        let mut cause = None;
        let folders = std::iter::once(".").chain(FOLDERS);
        for name in folders {
            let path = self.path_of(name);
            if is_dir(&path) || leads_nowhere(&path) {
                continue;
            }
            if let Err(error) = make_dirs(&path) {
                missing.push(name.to_owned());
                cause.get_or_insert(error);
            }
        }
        match cause {
            Some(error) => Err(Error::HomeIncomplete {
                home: self.path().to_path_buf(),
                missing,
                source: Box::new(error),
            }),
            None => Ok(self.broken_links()),
        }
    }

    /// The folders of this home that are links to something missing.
    pub fn broken_links(&self) -> Vec<Warning> {
        LINKED
            .into_iter()
            .map(|name| self.path_of(name))
            .filter(|path| leads_nowhere(path))
            .filter_map(|link| {
                let target = fs::read_link(&link).ok()?;
                Some(Warning::LinkLeadsNowhere { link, target })
            })
            .collect()
    }

    fn path_of(&self, name: &str) -> PathBuf {
        match name {
            "." => self.path().to_path_buf(),
            name => self.inside(name),
        }
    }
}

fn is_dir(path: &std::path::Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_dir())
}

fn leads_nowhere(path: &std::path::Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) && fs::metadata(path).is_err()
}
