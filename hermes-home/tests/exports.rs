//! Exports that are killed, that meet each other, or that meet a profile in use.
#![cfg(unix)]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test stops where it fails, also in its helpers"
)]

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use hermes_home::{Error, ExportOptions, Exported, ImportOptions, LeftOutReason, Result};
use support::{Sandbox, name};

const CODER: &str = "home/.hermes/profiles/coder";

fn furnished() -> Sandbox {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    sandbox.write(format!("{CODER}/config.yaml"), "model: x\n");
    sandbox.write(format!("{CODER}/state.db"), "live");
    sandbox
}

fn export(sandbox: &Sandbox, archive: &Path, options: ExportOptions<'_>) -> Result<Exported> {
    sandbox.profiles().export(&name("coder"), archive, options)
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn members(archive: &Path) -> Vec<String> {
    let file = flate2::read::GzDecoder::new(fs::File::open(archive).unwrap());
    tar::Archive::new(file)
        .entries()
        .unwrap()
        .map(|entry| entry.unwrap().path().unwrap().to_str().unwrap().to_owned())
        .collect()
}

fn with_side(path: &Path, side: &str) -> std::path::PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(side);
    path.into()
}

const SIDES: [&str; 4] = ["", "-journal", "-wal", "-shm"];
/// Given to the child process: the home of the user, and the archive.
const DYING_HOME: &str = "EXPORT_TEST_HOME";
const DYING_ARCHIVE: &str = "EXPORT_TEST_ARCHIVE";

/// Only the tests below run it with something to do.
#[test]
fn dying_child() {
    let (Some(home), Some(archive)) = (
        std::env::var_os(DYING_HOME),
        std::env::var_os(DYING_ARCHIVE),
    ) else {
        return;
    };
    let env = hermes_home::Environment::new(hermes_home::Platform::host())
        .with_user_home(&home)
        .with_current_dir(&home);
    let profiles = hermes_home::resolve(&env).unwrap().home.profiles();
    let options = ExportOptions::new().with_snapshot(|_, to| {
        for side in SIDES {
            fs::write(with_side(to, side), "snapshot")?;
        }
        std::process::exit(9);
    });
    let _ = profiles.export(&name("coder"), Path::new(&archive), options);
}

/// An export that ends in the middle of its snapshot. Gives the id of its process.
fn die_exporting(sandbox: &Sandbox, archive: &Path) -> u32 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "dying_child"])
        .env(DYING_HOME, sandbox.home())
        .env(DYING_ARCHIVE, archive)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(9));
    child.id()
}

#[test]
fn what_a_killed_export_left_is_never_packed() {
    let sandbox = furnished();
    let coder = sandbox.profile("coder");
    let pid = die_exporting(&sandbox, &coder.join("x.tgz"));
    sandbox.write(format!("{CODER}/.x.tgz.store-{pid}.partial-wal"), "old");
    sandbox.write(format!("{CODER}/skills/.y.tgz.export-{pid}.partial"), "old");
    assert_eq!(names(&coder).len(), 8);
    // To another archive, so nothing is removed.
    let archive = sandbox.path("coder.tgz");
    export(&sandbox, &archive, ExportOptions::new()).unwrap();
    assert_eq!(
        members(&archive),
        ["coder/", "coder/config.yaml", "coder/skills/"]
    );
    assert_eq!(names(&coder).len(), 8);
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_killed_export_left_is_removed_by_the_next_one() {
    for long in [1, 240] {
        let sandbox = furnished();
        let folder = sandbox.mkdir("archives");
        let file = format!("{}.tgz", "x".repeat(long));
        let archive = folder.join(&file);
        let pid = die_exporting(&sandbox, &archive);
        let left = names(&folder);
        assert_eq!(left.len(), 4, "{left:?}");
        if long == 1 {
            for old in ["store", "export"] {
                sandbox.write(format!("archives/.x.tgz.{old}-{pid}.partial"), "old");
            }
        }
        let alive = format!(".x.tgz.store-{}-1-1.partial", std::process::id());
        let other = format!(".y.tgz.store-{pid}-1-1.partial");
        let alike = format!(".x.tgz.store-{pid}.partial.txt");
        for kept in [&alive, &other, &alike] {
            sandbox.write(format!("archives/{kept}"), "not ours");
        }
        export(&sandbox, &archive, ExportOptions::new()).unwrap();
        let mut expected = vec![alive, other, alike, file];
        expected.sort();
        assert_eq!(names(&folder), expected);
    }
}

#[test]
fn a_snapshot_that_fails_leaves_nothing() {
    let sandbox = furnished();
    let folder = sandbox.mkdir("archives");
    let options = ExportOptions::new().with_snapshot(|_, to| {
        for side in SIDES {
            fs::write(with_side(to, side), "snapshot")?;
        }
        Err("no".into())
    });
    let error = export(&sandbox, &folder.join("x.tgz"), options).unwrap_err();
    assert!(matches!(error, Error::Snapshot { .. }), "{error}");
    assert_eq!(names(&folder), [""; 0]);
}

#[test]
fn exports_to_one_archive_at_the_same_time_leave_a_whole_one() {
    let sandbox = furnished();
    for number in 0..40 {
        sandbox.write(format!("{CODER}/skills/{number}.md"), vec![b'x'; 5000]);
    }
    for round in 0..24 {
        let replace = round % 2 == 1;
        let folder = sandbox.mkdir(format!("archives-{round}"));
        let archive = folder.join("x.tgz");
        let barrier = Barrier::new(4);
        let one = || {
            barrier.wait();
            let options = ExportOptions::new()
                .with_snapshot(|from, to| fs::copy(from, to).map(drop).map_err(Into::into));
            let options = if replace {
                options.replacing()
            } else {
                options
            };
            let done = export(&sandbox, &archive, options);
            if done.is_ok() {
                assert_eq!(members(&archive).len(), 44);
            }
            done
        };
        let results: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(one)).collect();
            threads.into_iter().map(|one| one.join().unwrap()).collect()
        });
        let good = results.iter().filter(|done| done.is_ok()).count();
        assert_eq!(good, if replace { 4 } else { 1 }, "{results:?}");
        for error in results.iter().filter_map(|done| done.as_ref().err()) {
            assert!(matches!(error, Error::FileExists { .. }), "{error}");
        }
        let copy = name(&format!("copy-{round}"));
        let imported = sandbox
            .profiles()
            .import(&archive, ImportOptions::new().with_name(&copy))
            .unwrap();
        assert_eq!(imported.files, 42);
        assert_eq!(names(&folder), ["x.tgz"]);
    }
}

#[test]
fn files_that_vanish_meanwhile_are_skipped() {
    let sandbox = furnished();
    let coder = sandbox.profile("coder");
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for thread in 0..2 {
            let (coder, stop) = (&coder, &stop);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    for file in ["a.tmp", "link", ".env", "state.db-wal"] {
                        let path = coder.join(format!("{file}{thread}"));
                        let _ = match file {
                            "link" => std::os::unix::fs::symlink("config.yaml", &path),
                            _ => fs::write(&path, "x"),
                        };
                        let _ = fs::remove_file(&path);
                    }
                    let folder = coder.join(format!("folder{thread}"));
                    let _ = fs::create_dir(&folder);
                    let _ = fs::write(folder.join("file"), "x");
                    let _ = fs::remove_dir_all(&folder);
                }
            });
        }
        let archive = sandbox.path("x.tgz");
        let results: Vec<_> = (0..300)
            .map(|_| export(&sandbox, &archive, ExportOptions::new().replacing()))
            .collect();
        stop.store(true, Ordering::Relaxed);
        for done in results {
            assert!(done.unwrap().files >= 1);
        }
    });
}

#[test]
fn a_profile_that_vanishes_meanwhile_is_an_error() {
    let sandbox = furnished();
    let coder = sandbox.profile("coder");
    let archive = sandbox.path("x.tgz");
    let options = ExportOptions::new().with_snapshot(|from, to| {
        fs::copy(from, to)?;
        Ok(fs::rename(&coder, sandbox.path("elsewhere"))?)
    });
    let error = export(&sandbox, &archive, options).unwrap_err();
    assert!(matches!(error, Error::Io { .. }), "{error}");
    assert!(!archive.exists());
}

#[test]
fn a_profile_that_is_moved_while_it_is_packed_gives_no_half_archive() {
    let sandbox = furnished();
    let mut random = 1_u64;
    for number in 0..1000 {
        let content: Vec<_> = (0..300)
            .flat_map(|_| {
                random = random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                random.to_be_bytes()
            })
            .collect();
        sandbox.write(format!("{CODER}/skills/{number}/one.md"), content);
    }
    let folder = sandbox.mkdir("archives");
    let archive = folder.join("x.tgz");
    let done = thread::scope(|scope| {
        scope.spawn(|| {
            // Until it is well under way.
            let size = |entry: fs::DirEntry| entry.metadata().map_or(0, |found| found.len());
            while fs::read_dir(&folder)
                .unwrap()
                .flatten()
                .all(|entry| size(entry) < 100_000)
            {
                thread::yield_now();
            }
            fs::rename(sandbox.profile("coder"), sandbox.path("elsewhere")).unwrap();
        });
        export(&sandbox, &archive, ExportOptions::new())
    });
    // It may have been quicker.
    match done {
        Ok(done) => assert_eq!(done.files, 1001),
        Err(error) => {
            assert!(matches!(error, Error::Io { .. }), "{error}");
            assert_eq!(names(&folder), [""; 0]);
        }
    }
}

#[test]
fn secrets_are_known_under_their_other_names() {
    let secrets = [
        ".envrc",
        ".env~",
        ".env-old",
        ".env.local",
        ".ENV",
        "Auth.json",
        "auth.json.bak",
        "auth.json~",
        "id_rsa",
        "id_ed25519",
        "id_ecdsa",
        "server.pem",
        "Server.KEY",
        "keys/deep.pem",
    ];
    let plain = [
        ".env.example",
        ".env.template",
        ".environment",
        "id_rsa.pub",
        "keys/keyboard",
        "pairings.md",
    ];
    let sandbox = furnished();
    for file in secrets.iter().chain(&plain) {
        sandbox.write(format!("{CODER}/{file}"), "x");
    }
    let archive = sandbox.path("x.tgz");
    let done = export(&sandbox, &archive, ExportOptions::new()).unwrap();
    let mut left: Vec<_> = done
        .left_out
        .iter()
        .filter(|one| one.reason == LeftOutReason::Secret)
        .map(|one| one.path.to_str().unwrap())
        .collect();
    left.sort_unstable();
    let mut expected = secrets;
    expected.sort_unstable();
    assert_eq!(left, expected);
    let packed = members(&archive);
    for file in plain {
        assert!(packed.contains(&format!("coder/{file}")), "{file}");
    }
    let options = ExportOptions::new().with_secrets().replacing();
    let done = export(&sandbox, &archive, options).unwrap();
    assert_eq!(done.files, 21);
}

#[test]
fn the_name_of_an_archive_may_be_as_long_as_names_can_be() {
    let sandbox = furnished();
    for letter in ["x", "ü", "日"] {
        let start = letter.repeat(251 / letter.len());
        let archive = sandbox.path(format!("{start}.tgz"));
        let options = ExportOptions::new().with_snapshot(|from, to| {
            fs::write(with_side(to, "-journal"), "")?;
            Ok(fs::copy(from, to).map(drop)?)
        });
        let done = export(&sandbox, &archive, options).unwrap();
        assert_eq!((done.files, done.sessions), (2, true));
        assert!(archive.exists());
    }
    assert_eq!(names(&sandbox.path("")).len(), 5);
}
