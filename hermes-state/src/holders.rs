//! Which other processes have a file open, read from `/proc` and never through the file.

use std::path::Path;

use crate::error::Holder;

/// The other processes that have this file open, as far as the system shows them to us.
#[cfg(target_os = "linux")]
pub(crate) fn holders(path: &Path) -> Vec<Holder> {
    let Ok(pids) = pids() else {
        return Vec::new();
    };
    let me = std::process::id();
    let mut found: Vec<Holder> = pids
        .filter(|pid| *pid != me && descriptors(*pid, path).is_ok_and(|open| open > 0))
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

/// Whether anybody else has a file open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Others {
    /// Nobody.
    None,
    /// Another process, or another handle in this one.
    Some,
    /// The system does not show all processes.
    Unknown,
}

/// Whether others than this handle have the file open; `mine` is how many connections it has.
#[cfg(target_os = "linux")]
pub(crate) fn others(path: &Path, mine: usize) -> Others {
    let Ok(pids) = pids() else {
        return Others::Unknown;
    };
    let me = std::process::id();
    let mut hidden = false;
    for pid in pids {
        let allowed = if pid == me { mine } else { 0 };
        match descriptors(pid, path) {
            Ok(open) if open > allowed => return Others::Some,
            Ok(_) => {}
            // It has ended meanwhile.
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            Err(_) => hidden = true,
        }
    }
    if hidden {
        Others::Unknown
    } else {
        Others::None
    }
}

/// Other systems have no file to read this from.
#[cfg(not(target_os = "linux"))]
pub(crate) fn others(_: &Path, _: usize) -> Others {
    Others::Unknown
}

/// All processes that the system shows.
#[cfg(target_os = "linux")]
fn pids() -> std::io::Result<impl Iterator<Item = u32>> {
    let entries = std::fs::read_dir("/proc")?.flatten();
    Ok(entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()))
}

/// How many descriptors of a process are this file.
#[cfg(target_os = "linux")]
fn descriptors(pid: u32, path: &Path) -> std::io::Result<usize> {
    let all = std::fs::read_dir(format!("/proc/{pid}/fd"))?.flatten();
    Ok(all
        .filter(|fd| std::fs::read_link(fd.path()).is_ok_and(|to| to == path))
        .count())
}

#[cfg(target_os = "linux")]
fn command(pid: u32) -> String {
    std::fs::read_to_string(format!("/proc/{pid}/comm"))
        .map_or_else(|_| "?".to_owned(), |name| name.trim_end().to_owned())
}
