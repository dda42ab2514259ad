//! Which other processes have a file open, read from `/proc` and never through the file.

use std::path::Path;

use crate::error::Holder;

/// The other processes that have this file open, as far as the system shows them to us.
#[cfg(target_os = "linux")]
pub(crate) fn holders(path: &Path) -> Vec<Holder> {
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let me = std::process::id();
    let mut found: Vec<Holder> = processes
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .filter(|pid| *pid != me && has_open(*pid, path))
        .map(|pid| Holder {
            pid,
            command: command(pid),
        })
        .collect();
    found.sort_by_key(|holder| holder.pid);
    found
}

/// Other systems have no file to read this from.
#[cfg(not(target_os = "linux"))]
pub(crate) fn holders(_: &Path) -> Vec<Holder> {
    Vec::new()
}

#[cfg(target_os = "linux")]
fn has_open(pid: u32, path: &Path) -> bool {
    std::fs::read_dir(format!("/proc/{pid}/fd")).is_ok_and(|descriptors| {
        descriptors
            .flatten()
            .any(|fd| std::fs::read_link(fd.path()).is_ok_and(|to| to == path))
    })
}

#[cfg(target_os = "linux")]
fn command(pid: u32) -> String {
    std::fs::read_to_string(format!("/proc/{pid}/comm"))
        .map_or_else(|_| "?".to_owned(), |name| name.trim_end().to_owned())
}
