//! Where a path leads, links followed, also when its end does not exist yet.

use std::collections::VecDeque;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// As the systems allow.
const MOST_LINKS: usize = 64;

/// The path without links. What does not exist, or cannot be looked at, stays as it is written: a
/// link that leads to nothing yet still says where a file would be made. `None` for a loop.
pub(super) fn resolved(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    let mut rest: VecDeque<PathBuf> = steps(&path);
    let mut done = PathBuf::new();
    let mut links = 0;
    while let Some(step) = rest.pop_front() {
        if step.as_os_str() == ".." {
            done.pop();
            continue;
        }
        // A step that is absolute (a root, a drive) replaces what was there.
        let next = done.join(&step);
        match fs::read_link(&next) {
            Ok(target) => {
                links += 1;
                if links > MOST_LINKS {
                    return None;
                }
                for step in steps(&target).into_iter().rev() {
                    rest.push_front(step);
                }
            }
            Err(_) => done = next,
        }
    }
    Some(done)
}

fn steps(path: &Path) -> VecDeque<PathBuf> {
    let mut steps = VecDeque::new();
    let mut prefix = None;
    for component in path.components() {
        match component {
            Component::Prefix(_) => prefix = Some(PathBuf::from(component.as_os_str())),
            Component::RootDir => {
                let mut root = prefix.take().unwrap_or_default();
                root.push(component.as_os_str());
                steps.push_back(root);
            }
            Component::CurDir => {}
            other => steps.push_back(PathBuf::from(other.as_os_str())),
        }
    }
    steps
}
