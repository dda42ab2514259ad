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
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return Others::Unknown;
    };
    let me = std::process::id();
    let mut hidden = false;
    for pid in processes
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
    {
        let allowed = if pid == me { mine } else { 0 };
        match std::fs::read_dir(format!("/proc/{pid}/fd")) {
            Ok(descriptors) => {
                let open = descriptors
                    .flatten()
                    .filter(|fd| std::fs::read_link(fd.path()).is_ok_and(|to| to == path))
                    .count();
                if open > allowed {
                    return Others::Some;
                }
            }
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
