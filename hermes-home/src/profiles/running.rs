//! Which other processes hold files of a profile, read from `/proc` and never through the files.

use std::fmt;
use std::path::Path;

/// A process that holds files.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunningProcess {
    /// Its process id.
    pub pid: u32,
    /// Its name, as the system shows it.
    pub command: String,
}

impl fmt::Display for RunningProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (pid {})", self.command, self.pid)
    }
}

/// The other processes that have a file below `folder` open, but not only below `apart`.
#[cfg(target_os = "linux")]
pub(super) fn holders(folder: &Path, apart: Option<&Path>) -> Vec<RunningProcess> {
    let Ok(folder) = std::fs::canonicalize(folder) else {
        return Vec::new();
    };
    let apart = apart.and_then(|apart| std::fs::canonicalize(apart).ok());
    let me = std::process::id();
    let held = |path: &Path| {
        path.starts_with(&folder)
            && !apart
                .as_deref()
                .is_some_and(|apart| path.starts_with(apart))
    };
    let mut found: Vec<RunningProcess> = std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| *pid != me && holds_any(*pid, &held))
        .map(|pid| RunningProcess {
            pid,
            command: command(pid),
        })
        .collect();
    found.sort_by_key(|process| process.pid);
    found
}

/// Other systems have no file to read this from.
#[cfg(not(target_os = "linux"))]
pub(super) fn holders(_: &Path, _: Option<&Path>) -> Vec<RunningProcess> {
    Vec::new()
}

#[cfg(target_os = "linux")]
fn holds_any(pid: u32, held: &dyn Fn(&Path) -> bool) -> bool {
    std::fs::read_dir(format!("/proc/{pid}/fd")).is_ok_and(|descriptors| {
        descriptors
            .flatten()
            .any(|fd| std::fs::read_link(fd.path()).is_ok_and(|path| held(&path)))
    })
}

#[cfg(target_os = "linux")]
fn command(pid: u32) -> String {
    std::fs::read_to_string(format!("/proc/{pid}/comm"))
        .map_or_else(|_| "?".to_owned(), |name| name.trim_end().to_owned())
}
