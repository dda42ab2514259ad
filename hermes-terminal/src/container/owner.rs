//! Who made a container, so that what a program that has died left behind is told from what is
//! used.

#[cfg(target_os = "linux")]
use crate::tree::start_of;

/// This process: its machine, its number there, and its start.
pub(crate) fn this() -> String {
    let pid = std::process::id();
    format!("{} {pid} {}", machine(), start(pid).unwrap_or(0))
}

/// Whether a process still runs; nothing if it is one of another machine.
pub(crate) fn is_alive(owner: &str) -> Option<bool> {
    let mut words = owner.split(' ');
    let is_here = words.next() == Some(&*machine());
    let pid = words.next()?.parse().ok()?;
    let started: u64 = words.next()?.parse().ok()?;
    if !is_here {
        return None;
    }
    Some(start(pid).is_some_and(|now| now == started))
}

/// The machine since it was started, and which processes of it can be seen.
fn machine() -> String {
    #[cfg(target_os = "linux")]
    {
        let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        let seen = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
        format!("{}/{}", boot.trim(), seen.display())
    }
    #[cfg(not(target_os = "linux"))]
    "-".to_owned()
}

#[cfg(target_os = "linux")]
fn start(pid: u32) -> Option<u64> {
    start_of(pid)
}

/// Only whether it is there.
#[cfg(not(target_os = "linux"))]
fn start(pid: u32) -> Option<u64> {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).ok()?)?;
    match rustix::process::test_kill_process(pid) {
        Ok(()) | Err(rustix::io::Errno::PERM) => Some(0),
        Err(_) => None,
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn this_process_lives_and_one_of_another_start_or_machine_does_not() {
        let this = this();
        assert_eq!(is_alive(&this), Some(true));
        assert_eq!(is_alive(&format!("{this}1")), Some(false));
        assert_eq!(is_alive(&format!("x{this}")), None);
        for odd in ["", "a", "a b c", " "] {
            assert_eq!(is_alive(odd), None, "{odd:?}");
        }
    }
}
