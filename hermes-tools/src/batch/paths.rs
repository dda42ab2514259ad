//! Where in the file system a path leads.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::concurrency::PathAccess;

/// As many links as systems follow before they call it a loop.
const MAX_LINKS: usize = 40;

/// A path as far as it can be known where it leads, and whether it is written to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    path: PathBuf,
    writes: bool,
}

impl Place {
    /// Follows the links of what exists; the rest is taken by its words.
    pub(super) fn find(access: &PathAccess) -> io::Result<Place> {
        let mut links_left = MAX_LINKS;
        let mut path = PathBuf::new();
        follow(
            &std::path::absolute(&access.path)?,
            &mut path,
            &mut links_left,
        );
        Ok(Place {
            path,
            writes: access.writes,
        })
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is written to.
    pub(super) fn writes(&self) -> bool {
        self.writes
    }

    /// Whether the two must not be touched at the same time: one is, or is inside, the other, and
    /// one is written to. Batches are ordered without asking it of each pair, and tested by it.
    #[cfg(test)]
    pub(super) fn conflicts(&self, other: &Place) -> bool {
        (self.writes || other.writes)
            && (self.path.starts_with(&other.path) || other.path.starts_with(&self.path))
    }
}

/// Goes along the path from where `at` is. A link that leads nowhere yet is followed too: writing
/// to it makes its target.
fn follow(path: &Path, at: &mut PathBuf, links_left: &mut usize) {
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                at.pop();
            }
            Component::Prefix(_) | Component::RootDir => at.push(component),
            Component::Normal(name) => {
                at.push(name);
                if *links_left > 0
                    && let Ok(target) = fs::read_link(&at)
                {
                    *links_left -= 1;
                    at.pop();
                    follow(&target, at, links_left);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(path: impl AsRef<Path>, writes: bool) -> Place {
        Place::find(&PathAccess {
            path: path.as_ref().to_owned(),
            writes,
        })
        .unwrap()
    }

    fn conflict(a: impl AsRef<Path>, b: impl AsRef<Path>) -> bool {
        let found = place(&a, true).conflicts(&place(&b, false));
        assert_eq!(place(&b, true).conflicts(&place(&a, false)), found);
        assert!(!place(&a, false).conflicts(&place(&b, false)));
        found
    }

    #[test]
    fn the_same_place_and_one_inside_the_other_conflict() {
        for (a, b, expected) in [
            ("/nowhere/a", "/nowhere/a", true),
            ("/nowhere/a", "/nowhere/./b/../a/", true),
            ("/nowhere", "/nowhere/a/b", true),
            ("/nowhere/a", "/nowhere/ab", false),
            ("/nowhere/a", "/nowhere/A", false),
            ("/", "/nowhere", true),
            ("/../nowhere", "/nowhere", true),
        ] {
            assert_eq!(conflict(a, b), expected, "{a} {b}");
        }
    }

    #[test]
    fn a_relative_path_is_in_the_directory_of_the_process() {
        let here = std::env::current_dir().unwrap();
        assert!(conflict("some_file", here.join("some_file")));
    }

    #[test]
    fn an_empty_path_is_an_error_and_a_nul_is_not() {
        let access = |path: &str| PathAccess {
            path: PathBuf::from(path),
            writes: true,
        };
        assert!(Place::find(&access("")).is_err());
        assert!(Place::find(&access("/a\0b")).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_also_where_they_lead_nowhere_yet() {
        // For its folder, which goes with it.
        let fixture = testdata::fixture("empty_file.db");
        let base = fixture.path().parent().unwrap();
        fs::create_dir_all(base.join("real/deep")).unwrap();
        let link = |target: &str, name: &str| {
            std::os::unix::fs::symlink(target, base.join(name)).unwrap();
        };
        link("real", "dir_link");
        link("real/deep", "deep_link");
        link("real/new", "dangling");
        link("loop_b", "loop_a");
        link("loop_a", "loop_b");
        assert!(conflict(base.join("dir_link/x"), base.join("real/x")));
        assert!(conflict(base.join("dangling"), base.join("real/new")));
        // The parent of a link's target, not of the link.
        assert!(conflict(base.join("deep_link/../x"), base.join("real/x")));
        assert!(!conflict(base.join("deep_link/../x"), base.join("x")));
        assert!(conflict(base.join("loop_a"), base.join("loop_a")));
    }
}
