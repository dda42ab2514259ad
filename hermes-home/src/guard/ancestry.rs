//! The processes above this one.

use std::ffi::OsString;
use std::sync::OnceLock;

use super::TestContext;
use super::context::of_command;

/// More than any real chain; a table that changes while it is read cannot keep us here.
const MOST_PROCESSES: usize = 128;

/// A process, as far as it can be seen.
pub(super) struct Process {
    pub(super) parent: u32,
    pub(super) arguments: Vec<OsString>,
}

/// What a walk found, and whether it came to the top.
pub(super) struct Walk {
    pub(super) found: Option<TestContext>,
    pub(super) complete: bool,
}

/// Looks at this process and those above it, once: again only as long as some cannot be seen.
pub(super) fn of_process() -> Option<TestContext> {
    static MEMO: OnceLock<Option<TestContext>> = OnceLock::new();
    if let Some(known) = MEMO.get() {
        return known.clone();
    }
    let walk = walk(std::process::id(), &mut system::table());
    if walk.complete {
        return MEMO.get_or_init(|| walk.found).clone();
    }
    walk.found
}

/// Goes up from `pid`. A process that cannot be seen ends the walk and makes it incomplete.
pub(super) fn walk(pid: u32, look: &mut dyn FnMut(u32) -> Option<Process>) -> Walk {
    let mut pid = pid;
    for _ in 0..MOST_PROCESSES {
        let Some(process) = look(pid) else {
            break;
        };
        if let Some(found) = of_command(&process.arguments) {
            return Walk {
                found: Some(found),
                complete: true,
            };
        }
        if process.parent == 0 || process.parent == pid {
            return Walk {
                found: None,
                complete: true,
            };
        }
        pid = process.parent;
    }
    Walk {
        found: None,
        complete: false,
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    use super::Process;

    pub(super) fn table() -> impl FnMut(u32) -> Option<Process> {
        |pid| {
            let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
            let arguments = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
            Some(Process {
                parent: parent(&stat)?,
                arguments: arguments
                    .split(|byte| *byte == 0)
                    .map(|argument| OsString::from_vec(argument.to_vec()))
                    .collect(),
            })
        }
    }

    /// The second field behind the name, which stands in parentheses and may hold some itself.
    fn parent(stat: &[u8]) -> Option<u32> {
        let name_ends = stat.iter().rposition(|byte| *byte == b')')?;
        let rest = std::str::from_utf8(stat.get(name_ends + 1..)?).ok()?;
        rest.split_ascii_whitespace().nth(1)?.parse().ok()
    }
}

/// Elsewhere `ps` lists all processes. It cuts no argument apart from white space, which is good
/// enough to tell a runner.
#[cfg(all(unix, not(target_os = "linux")))]
mod system {
    use std::collections::HashMap;

    use super::Process;

    pub(super) fn table() -> impl FnMut(u32) -> Option<Process> {
        let listed = std::process::Command::new("ps")
            .args(["-A", "-ww", "-o", "pid=,ppid=,command="])
            .output();
        let text = listed.map(|output| output.stdout).unwrap_or_default();
        let mut table: HashMap<u32, Process> = super::listed(&String::from_utf8_lossy(&text));
        move |pid| table.remove(&pid)
    }
}

#[cfg(not(unix))]
mod system {
    use super::Process;

    pub(super) fn table() -> impl FnMut(u32) -> Option<Process> {
        |_| None
    }
}

/// Reads the lines of `ps`: id, parent, command.
#[cfg(any(test, all(unix, not(target_os = "linux"))))]
fn listed(text: &str) -> std::collections::HashMap<u32, Process> {
    text.lines()
        .filter_map(|line| {
            let mut fields = line.split_ascii_whitespace();
            let pid = fields.next()?.parse().ok()?;
            let parent = fields.next()?.parse().ok()?;
            let arguments = fields.map(OsString::from).collect();
            Some((pid, Process { parent, arguments }))
        })
        .collect()
}

#[cfg(test)]
mod tests;
