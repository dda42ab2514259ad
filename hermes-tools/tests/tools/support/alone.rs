//! Tests that count what belongs to the whole process get a process of their own.

use std::process::Command;

const MARK: &str = "HERMES_TOOLS_TEST_ALONE";

/// Runs the body in a process in which no other test runs. `name` is the test's own full name.
pub(crate) fn alone(name: &str, body: impl FnOnce()) {
    if std::env::var_os(MARK).is_some_and(|marked| *marked == *name) {
        return body();
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args([name, "--exact", "--nocapture", "--test-threads=1"])
        .env(MARK, name)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// How many threads of this process have this name. `None` where nobody can say.
pub(crate) fn threads_named(name: &str) -> Option<usize> {
    let tasks = std::fs::read_dir("/proc/self/task").ok()?;
    let named = tasks.filter_map(|task| {
        let comm = std::fs::read_to_string(task.ok()?.path().join("comm")).ok()?;
        (comm.trim_end() == name).then_some(())
    });
    Some(named.count())
}

/// Fails unless no thread of a call or batch is left, or will soon be.
pub(crate) fn no_thread_is_left() {
    for name in ["hermes-call", "hermes-batch"] {
        super::eventually(&format!("the threads {name} are gone"), || {
            threads_named(name).unwrap_or(0) == 0
        });
    }
}
