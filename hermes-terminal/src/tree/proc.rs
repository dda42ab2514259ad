//! Members of a tree, from `/proc`.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal};

use super::{Tree, failed};
use crate::{Error, Result};

/// How often to look again for what was started while the rest was being ended.
const ROUNDS: usize = 20;

/// A process that is not a zombie. Its start tells it from a later one of the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Member {
    pid: i32,
    start: u64,
}

struct Stat {
    pid: i32,
    parent: i32,
    group: i32,
    session: i32,
    start: u64,
    zombie: bool,
}

impl Tree {
    pub(crate) fn is_alive(&self) -> Result<bool> {
        Ok(!self.members()?.is_empty())
    }

    pub(super) fn members(&self) -> Result<HashSet<Member>> {
        let stats = all().map_err(Error::io("looking for the processes of a command"))?;
        let leader = self.leader().map(|pid| pid.as_raw_nonzero().get());
        let own = std::process::id();
        let mut inside: HashSet<i32> = stats
            .iter()
            .filter(|stat| u32::try_from(stat.pid) != Ok(own))
            .filter(|stat| {
                let of_leader = leader
                    .is_some_and(|leader| [stat.pid, stat.group, stat.session].contains(&leader));
                of_leader || self.is_marked(stat.pid)
            })
            .map(|stat| stat.pid)
            .collect();
        let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
        for stat in &stats {
            children.entry(stat.parent).or_default().push(stat.pid);
        }
        let mut look: Vec<i32> = inside.iter().copied().collect();
        while let Some(pid) = look.pop() {
            for &child in children.get(&pid).into_iter().flatten() {
                if inside.insert(child) {
                    look.push(child);
                }
            }
        }
        Ok(stats
            .into_iter()
            .filter(|stat| inside.contains(&stat.pid) && !stat.zombie)
            .map(|Stat { pid, start, .. }| Member { pid, start })
            .collect())
    }

    /// Signals each once, and when it is to kill, also those that were started meanwhile.
    pub(super) fn signal_members(&self, found: HashSet<Member>, number: Signal) -> Result<()> {
        let mut done: HashSet<Member> = HashSet::new();
        let mut todo = found;
        for _ in 0..ROUNDS {
            for member in &todo {
                self.signal_member(*member, number)?;
            }
            done.extend(todo);
            if number != Signal::KILL {
                break;
            }
            todo = self.members()?;
            todo.retain(|member| !done.contains(member));
            if todo.is_empty() {
                break;
            }
        }
        Ok(())
    }

    fn signal_member(&self, member: Member, number: Signal) -> Result<()> {
        let Some(pid) = Pid::from_raw(member.pid) else {
            return Ok(());
        };
        // What is in the group has had it.
        let in_group = |stat: &Stat| {
            self.leader()
                .filter(|_| !self.one_by_one)
                .is_some_and(|leader| leader.as_raw_nonzero().get() == stat.group)
        };
        let handle = pidfd_open(pid, PidfdFlags::empty());
        match stat(member.pid) {
            Some(stat) if stat.start == member.start && !stat.zombie => {
                if in_group(&stat) && number != Signal::KILL {
                    return Ok(());
                }
            }
            _ => return Ok(()),
        }
        let send = |number| match &handle {
            Ok(handle) => pidfd_send_signal(handle, number),
            Err(Errno::SRCH) => Ok(()),
            Err(_) => kill_process(pid, number),
        };
        match send(number) {
            // What has taken on another owner can't be ended by this one.
            Ok(()) | Err(Errno::SRCH | Errno::PERM) => {}
            Err(error) => return Err(failed(error)),
        }
        if number != Signal::KILL {
            send(Signal::CONT).ok();
        }
        Ok(())
    }

    fn is_marked(&self, pid: i32) -> bool {
        let Some(marker) = &self.marker else {
            return false;
        };
        // Those of other owners can't be read; they are not this tree's, or not to be signalled.
        fs::read(format!("/proc/{pid}/environ"))
            .is_ok_and(|variables| variables.split(|&byte| byte == 0).any(|v| v == marker))
    }
}

/// When a process was started, in ticks since the machine was; nothing if it is not there or a
/// zombie. With its number it tells it from any other.
pub(crate) fn start_of(pid: u32) -> Option<u64> {
    let stat = stat(i32::try_from(pid).ok()?)?;
    (!stat.zombie).then_some(stat.start)
}

/// What a variable was when a process was started; nothing if that can't be read.
pub(crate) fn variable_of(pid: u32, name: &str) -> Option<OsString> {
    let variables = fs::read(format!("/proc/{pid}/environ")).ok()?;
    let value = variables.split(|&byte| byte == 0).find_map(|variable| {
        let value = variable.strip_prefix(name.as_bytes())?;
        value.strip_prefix(b"=")
    })?;
    Some(OsString::from_vec(value.to_vec()))
}

fn all() -> io::Result<Vec<Stat>> {
    let mut stats = Vec::new();
    for entry in fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let pid = name.to_str().and_then(|name| name.parse().ok());
        stats.extend(pid.and_then(stat));
    }
    Ok(stats)
}

/// Of a process that is still there.
fn stat(pid: i32) -> Option<Stat> {
    let bytes = fs::read(format!("/proc/{pid}/stat")).ok()?;
    // The name is in parentheses, and may have any character in it.
    let end_of_name = bytes.iter().rposition(|&byte| byte == b')')?;
    let rest = std::str::from_utf8(bytes.get(end_of_name + 1..)?).ok()?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse().ok();
    Some(Stat {
        pid,
        zombie: matches!(*fields.first()?, "Z" | "X"),
        parent: number(1)?,
        group: number(2)?,
        session: number(3)?,
        start: fields.get(19)?.parse().ok()?,
    })
}
