//! Judging commands beside an open store: what a command names is never opened. Closing any
//! descriptor of a file drops the locks that this process has on it, those of SQLite too.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected must fail"
)]

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use hermes_kit::Hermes;
use hermes_kit::approval::{
    AnalysisEnv, Callback, Choice, CommandRequest, Platform, Situation, assess,
};
use hermes_kit::state::NewSession;
use hermes_kit::toolkit::CallContext;
use serde_json::json;

/// One test at a time: a descriptor that one closes takes the locks of all.
static ALONE: Mutex<()> = Mutex::new(());

/// Whether the list of all locks has one of this process on a file.
fn is_locked(file: &Path) -> bool {
    let inode = fs::metadata(file).unwrap().ino().to_string();
    let me = std::process::id().to_string();
    // 1: POSIX  ADVISORY  READ  4711 fe:00:123456 128 128
    fs::read_to_string("/proc/locks")
        .unwrap()
        .lines()
        .any(|line| {
            let mut fields = line.split_whitespace().skip(4);
            fields.next() == Some(&me)
                && fields.next().and_then(|place| place.rsplit(':').next()) == Some(&inode)
        })
}

/// The locks of a store that is open. Once dropped they do not come back before it is opened again.
struct Locks([PathBuf; 2]);

impl Locks {
    fn of(store: &Path, shared_memory: &Path) -> Locks {
        let locks = Locks([store.to_owned(), shared_memory.to_owned()]);
        assert!(locks.are_held());
        locks
    }

    /// The list of all locks is read in parts, and others change it meanwhile: a lock that is not in it
    /// is looked for again.
    fn are_held(&self) -> bool {
        let is_held = |file: &PathBuf| (0..LOOKS).any(|_| is_locked(file));
        self.0.iter().all(is_held)
    }
}

const LOOKS: usize = 20;

/// A home with a store that is open, and all the names of its files.
fn open_home(folder: &Path) -> (Hermes, Vec<PathBuf>) {
    let hermes = Hermes::builder()
        .home(folder)
        .variables(|_| None)
        .approvals(|approver| approver.terminal(Callback::new(|_| Choice::Once)))
        .situation(|situation| situation.at_terminal())
        .open()
        .unwrap();
    let store = hermes.store().unwrap();
    store.create_session(&NewSession::new("s", "cli")).unwrap();
    let mut names: Vec<PathBuf> = ["", "-wal", "-shm"]
        .iter()
        .map(|suffix| folder.join(format!("state.db{suffix}")))
        .collect();
    for (link, to) in [("symlink.sh", 0), ("symlink-shm.py", 2)] {
        std::os::unix::fs::symlink(&names[to], folder.join(link)).unwrap();
        names.push(folder.join(link));
    }
    for (link, to) in [("hardlink.sh", 0), ("hardlink-wal", 1)] {
        fs::hard_link(&names[to], folder.join(link)).unwrap();
        names.push(folder.join(link));
    }
    (hermes, names)
}

fn commands(file: &Path) -> Vec<String> {
    let file = file.display();
    vec![
        format!("sqlite3 {file} .tables"),
        format!("bash {file}"),
        format!("sh {file} && . {file}"),
        format!("python3 {file}"),
        format!("cat {file} | sh"),
        format!("rm -f {file}"),
        format!("cp {file} /tmp/x; xargs -a {file} rm"),
    ]
}

/// CORR-12
#[test]
fn judging_commands_that_name_an_open_store_leaves_its_locks() {
    let _alone = ALONE.lock().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (hermes, names) = open_home(folder.path());
    let locks = Locks::of(&names[0], &names[2]);
    let approver = hermes.approvals().unwrap();
    let home = folder.path().to_string_lossy().into_owned();
    let mut env = AnalysisEnv::new("/home/sam");
    env.hermes_home = home.clone();
    env.cwd = Some(home);
    let situation = Situation::new(env.clone()).at_terminal();
    for command in names.iter().flat_map(|name| commands(name)) {
        for platform in [Platform::Posix, Platform::PowerShell, Platform::Cmd] {
            let _verdict = assess(&command, &env, platform);
        }
        let _outcome = approver.check(&CommandRequest::new(command.as_str(), situation.clone()));
        assert!(locks.are_held(), "{command}");
    }
    // What would have been seen: a descriptor of the file that is closed.
    drop(fs::File::open(&names[0]).unwrap());
    assert!(!locks.are_held());
}

/// The whole way of a model's call, up to a command that another process runs.
#[test]
fn running_a_command_that_names_an_open_store_leaves_its_locks() {
    let _alone = ALONE.lock().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (hermes, names) = open_home(folder.path());
    let locks = Locks::of(&names[0], &names[2]);
    let context = CallContext::new().with_session_id("s");
    for name in &names {
        let command = format!("head -c 15 {}", name.display());
        let _answer =
            hermes.handle_function_call("terminal", json!({"command": command}), &context);
        assert!(locks.are_held(), "{command}");
    }
    let store = hermes.store().unwrap();
    store.create_session(&NewSession::new("t", "cli")).unwrap();
}
