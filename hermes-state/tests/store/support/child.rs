//! Processes: this test program runs itself, with a role to play.
//!
//! A child says what it has done in lines on its standard output; the parent waits for lines, never
//! for a time.

use std::io::{BufRead, BufReader, Lines};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use hermes_state::{NewMessage, NewSession, Store};

const ROLE: &str = "HERMES_STATE_TEST_CHILD";

/// In front of a child's own lines; the test harness prints others.
const MARK: &str = "> ";

pub(crate) struct Process {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    stdin: Option<ChildStdin>,
}

/// The command that runs this program as a child; `spawn` starts it.
pub(crate) fn command(role: &str, args: &[&str]) -> Command {
    let mut words = vec![role];
    words.extend(args);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "child_process", "--ignored", "--nocapture"])
        .env(ROLE, serde_json::to_string(&words).unwrap());
    command
}

pub(crate) fn spawn(role: &str, args: &[&str]) -> Process {
    Process::start(&mut command(role, args))
}

impl Process {
    pub(crate) fn start(command: &mut Command) -> Process {
        Process::try_start(command).unwrap()
    }

    pub(crate) fn try_start(command: &mut Command) -> std::io::Result<Process> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let stdin = child.stdin.take();
        Ok(Process {
            child,
            lines,
            stdin,
        })
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The child's next line; `None` when it has ended.
    pub(crate) fn line(&mut self) -> Option<String> {
        self.lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| line.strip_prefix(MARK).map(str::to_owned))
    }

    /// Lets a child that waits go on.
    pub(crate) fn go(&mut self) {
        self.stdin = None;
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
    }

    /// The remaining lines, and whether it ended well.
    pub(crate) fn finish(mut self) -> (Vec<String>, bool) {
        self.go();
        let lines = std::iter::from_fn(|| self.line()).collect();
        (lines, self.child.wait().unwrap().success())
    }
}

/// A child that a failing test leaves behind ends with it.
impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The child's word to its parent.
pub(crate) fn say(line: impl std::fmt::Display) {
    // The harness may have printed the beginning of a line.
    println!("\n{MARK}{line}");
}

/// Waits until the parent says so.
pub(crate) fn wait_to_go() {
    let mut rest = String::new();
    std::io::stdin().read_line(&mut rest).unwrap();
}

/// The child's side.
pub(crate) fn run() {
    let Ok(words) = std::env::var(ROLE) else {
        return;
    };
    let words: Vec<String> = serde_json::from_str(&words).unwrap();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["open", path] => open(Path::new(path)),
        ["migrate", path] => {
            say("ready");
            wait_to_go();
            let store = Store::open(path).unwrap();
            say(format_args!("migrated {}", store.migration().is_some()));
        }
        ["append", path, session, count] => append(path, session, count.parse().unwrap()),
        ["compact", path, session] => compact(path, session),
        ["hold", path] => hold(path),
        ["copy", from, to] => {
            Store::open(from).unwrap().snapshot(to).unwrap();
            say("copied");
        }
        #[cfg(target_os = "linux")]
        ["open-and-close", folder, times] => {
            crate::open_and_close::open_and_close(Path::new(folder), times.parse().unwrap());
        }
        ["delete", path, id] => crate::deleting::delete(path, id),
        ["auto-prune", path, now] => crate::prune::auto_prune(path, now.parse().unwrap()),
        ["import", path, file] => crate::import_options::import_file(path, file),
        ["try", path] => say(crate::bad_input::what_happens(Path::new(path))),
        ["maintenance", role, path] => crate::maintenance::run(role, Path::new(path)),
        ["race", path, session, count] => {
            crate::contention::append_in_a_race(path, session, count.parse().unwrap());
        }
        ["short", path, session] => crate::contention::live_shortly(path, session),
        ["make-and-stay", path, copy] => crate::contention::make_and_stay(path, copy),
        ["try-write", path] => crate::contention::try_to_write(path),
        ["keep", path] => keep(Path::new(path)),
        ["fill-index", folder] => crate::index_faults::fill_index(Path::new(folder)),
        ["open-and-list", path, stop] => {
            crate::under_load::open_and_list(Path::new(path), Path::new(stop));
        }
        ["odd-places-full", folder] => crate::odd_places::full(Path::new(folder)),
        ["odd-places-read-only", folder] => crate::odd_places::read_only(Path::new(folder)),
        ["fill", folder] => crate::disk_full::fill(Path::new(folder)),
        other => panic!("no such role: {other:?}"),
    }
}

/// Opens a store when told to, and says how that went.
fn open(path: &Path) {
    say("ready");
    wait_to_go();
    match Store::open(path) {
        Ok(store) => say(format!("version {}", store.schema_version())),
        Err(e) => say(format!("error {}: {e}", e.code())),
    }
}

/// At the end of a line that reports a stored message: one that a kill has cut short lacks it.
pub(crate) const WHOLE: &str = " #";

/// Appends messages one by one, and says the id and text of each when it is stored.
fn append(path: &str, session: &str, count: usize) {
    let store = Store::open(path).unwrap();
    store
        .create_session(&NewSession::new(session, "test"))
        .unwrap();
    say("ready");
    wait_to_go();
    for n in 0..count {
        let text = format!("planted {session} number{n} 山水画册{n}");
        let id = store
            .append_message(&NewMessage::new(session, "user").content(text.as_str()))
            .unwrap();
        say(format!("{id} {text}{WHOLE}"));
    }
}

/// Puts five messages in the place of a session's, again and again, each time with another text;
/// says so each time.
fn compact(path: &str, session: &str) {
    let store = Store::open(path).unwrap();
    for n in 0..100_000 {
        let text = format!("generation {n} of {}", std::process::id());
        let new = [(); 5].map(|()| NewMessage::new(session, "user").content(text.as_str()));
        store.archive_and_compact(session, &new).unwrap();
        say("compacted");
    }
}

/// Has a store open, and nothing else, until told to let go.
fn keep(path: &Path) {
    let conn = super::raw(path);
    let _: i64 = conn
        .query_row("SELECT COUNT(*) FROM sessions", [], |row| row.get(0))
        .unwrap();
    say("kept");
    wait_to_go();
}

/// Holds the write lock until told to let go.
fn hold(path: &str) {
    let conn = super::raw(Path::new(path));
    conn.execute_batch("BEGIN IMMEDIATE").unwrap();
    say("held");
    wait_to_go();
    conn.execute_batch("ROLLBACK").unwrap();
}
