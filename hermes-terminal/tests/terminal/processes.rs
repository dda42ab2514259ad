//! Processes as `/proc` shows them.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// The processes that were started with this argument, zombies left out.
pub(crate) fn with_argument(argument: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap() {
        let path = entry.unwrap().path();
        let Some(pid) = path.file_name().unwrap().to_str().unwrap().parse().ok() else {
            continue;
        };
        let line = fs::read(path.join("cmdline")).unwrap_or_default();
        if line
            .split(|&byte| byte == 0)
            .any(|word| word == argument.as_bytes())
        {
            found.push(pid);
        }
    }
    found
}

/// Waits until none is left, as long as that may take when all have been killed.
#[track_caller]
pub(crate) fn assert_gone(argument: &str) {
    assert!(
        until(|| with_argument(argument).is_empty()),
        "still there: {:?}",
        with_argument(argument)
    );
}

/// Waits until something is so.
#[must_use]
pub(crate) fn until(is_so: impl Fn() -> bool) -> bool {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        if Instant::now() > deadline {
            return false;
        }
        std::thread::yield_now();
    }
    true
}

/// Waits until a file is there.
#[must_use]
pub(crate) fn appears(file: &Path) -> bool {
    until(|| file.exists())
}

/// A number of seconds to sleep that no other test has, to know its processes by.
pub(crate) fn own_number() -> String {
    static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let next = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    format!("7{:07}.{next:03}", std::process::id())
}
