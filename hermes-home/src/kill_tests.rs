//! Changes that are killed on the way, by a real signal to a real process, at every point there is.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{
    CreateOptions, DeleteOptions, Environment, ExportOptions, ImportOptions, Platform, ProfileName,
    Profiles, RenameOptions, Selection, kill_point, resolve,
};

/// Given to the child process: the folder, the change, and the point to stop at.
const FOLDER: &str = "KILL_TEST_FOLDER";
const CHANGE: &str = "KILL_TEST_CHANGE";
const POINT: &str = "KILL_TEST_POINT";

fn env(folder: &Path) -> Environment {
    Environment::new(Platform::Unix)
        .with_user_home(folder)
        .with_current_dir(folder)
}

fn profiles(folder: &Path) -> Profiles {
    resolve(&env(folder)).unwrap().home.profiles()
}

fn name(text: &str) -> ProfileName {
    ProfileName::parse(text).unwrap()
}

/// `old` is active and has content; `spare` is there too, and an archive of it.
fn prepare(folder: &Path) {
    let profiles = profiles(folder);
    for profile in ["old", "spare"] {
        let home = profiles
            .create(&name(profile), CreateOptions::blank())
            .unwrap();
        fs::write(home.config_file(), format!("of: {profile}\n")).unwrap();
        fs::write(home.env_file(), "KEY=secret\n").unwrap();
        fs::write(home.skills_dir().join("one.md"), "one").unwrap();
    }
    profiles.activate(&name("old")).unwrap();
    let archive = folder.join("spare.tar.gz");
    profiles
        .export(&name("spare"), &archive, ExportOptions::new())
        .unwrap();
}

fn change(folder: &Path, what: &str) {
    let profiles = profiles(folder);
    match what {
        "create" => drop(
            profiles
                .create(&name("new"), CreateOptions::clone_of(&name("old")))
                .unwrap(),
        ),
        "rename" => drop(
            profiles
                .rename(&name("spare"), &name("new"), RenameOptions::new())
                .unwrap(),
        ),
        "rename the active one" => {
            drop(
                profiles
                    .rename(&name("old"), &name("new"), RenameOptions::new())
                    .unwrap(),
            );
        }
        "delete" => profiles
            .delete(&name("spare"), DeleteOptions::new())
            .unwrap(),
        "delete the active one" => {
            let options = DeleteOptions::new().even_if_active();
            profiles.delete(&name("old"), options).unwrap();
        }
        "activate" => profiles.activate(&name("spare")).unwrap(),
        "import" => {
            let options = ImportOptions::new().with_name(&name("new"));
            profiles
                .import(&folder.join("spare.tar.gz"), options)
                .unwrap();
        }
        other => panic!("{other}"),
    }
}

/// What is seen from outside: the profiles with their files, and which one is used.
#[derive(Clone, Debug, PartialEq, Eq)]
struct View {
    files: BTreeMap<String, Vec<(PathBuf, Vec<u8>)>>,
    used: String,
}

fn view(folder: &Path) -> View {
    let files = profiles(folder)
        .list()
        .unwrap()
        .into_iter()
        .filter(|one| !one.name.is_default())
        .map(|one| (one.name.to_string(), files_below(one.home.path())))
        .collect();
    let used = Selection::new().resolve(&env(folder)).unwrap();
    View {
        files,
        used: used.home.profile().to_string(),
    }
}

fn files_below(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let below = path.strip_prefix(folder).unwrap().to_path_buf();
            if path.is_dir() {
                found.push((below, Vec::new()));
                folders.push(path);
            } else {
                found.push((below, fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

fn leftovers(folder: &Path) -> Vec<String> {
    let root = folder.join(".hermes");
    [root.clone(), root.join("profiles")]
        .iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with(".hermes") && name != ".hermes-lock")
        .collect()
}

/// The process that is killed. Run by the other tests only, which say what to do.
#[test]
#[ignore = "this is the process that the other tests kill"]
fn the_process_to_be_killed() {
    let get = |variable| std::env::var(variable).unwrap();
    kill_point::arm(get(POINT).parse().unwrap());
    change(Path::new(&get(FOLDER)), &get(CHANGE));
    println!("\nDONE");
}

/// Kills the change at point `number`. Tells the point's name, or nothing when it ran to its end.
fn killed_at(folder: &Path, what: &str, number: usize) -> Option<String> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "kill_tests::the_process_to_be_killed"])
        .args(["--ignored", "--nocapture", "--test-threads=1"])
        .env(FOLDER, folder)
        .env(CHANGE, what)
        .env(POINT, number.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut said = lines.map_while(Result::ok);
    let reached = said.find_map(|line| match line.strip_prefix("REACHED ") {
        Some(point) => Some(Some(point.to_owned())),
        None => (line == "DONE").then_some(None),
    });
    child.kill().unwrap();
    child.wait().unwrap();
    reached.expect("the process says how far it came")
}

fn assert_all_or_nothing(what: &str, between: impl Fn(&View, &View) -> Vec<View>) {
    let whole = tempfile::tempdir().unwrap();
    prepare(whole.path());
    let before = view(whole.path());
    change(whole.path(), what);
    let after = view(whole.path());
    assert_ne!(before, after);
    let mut allowed = vec![before.clone(), after.clone()];
    allowed.extend(between(&before, &after));

    let mut points = Vec::new();
    loop {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        prepare(folder);
        let Some(point) = killed_at(folder, what, points.len()) else {
            assert_eq!(view(folder), after);
            break;
        };
        let seen = view(folder);
        assert!(
            allowed.contains(&seen),
            "{what}, killed at {point:?}: {seen:#?}"
        );
        profiles(folder).clean_up().unwrap();
        assert_eq!(
            view(folder),
            seen,
            "{what}, killed at {point:?}, then cleaned up"
        );
        assert_eq!(
            leftovers(folder),
            Vec::<String>::new(),
            "{what}, killed at {point:?}"
        );
        // And what was begun can be done.
        if seen == before {
            change(folder, what);
            assert_eq!(view(folder), after, "{what}, again after {point:?}");
        }
        points.push(point);
    }
    assert!(!points.is_empty(), "{what} has no point to be killed at");
}

#[test]
fn a_create_that_is_killed_leaves_the_old_or_the_new_state() {
    assert_all_or_nothing("create", |_, _| Vec::new());
}

#[test]
fn a_rename_that_is_killed_leaves_the_old_or_the_new_state() {
    assert_all_or_nothing("rename", |_, _| Vec::new());
    assert_all_or_nothing("rename the active one", |_, _| Vec::new());
}

#[test]
fn a_deletion_that_is_killed_leaves_the_profile_whole_or_none_of_it() {
    assert_all_or_nothing("delete", |_, _| Vec::new());
    assert_all_or_nothing("delete the active one", |before, _| {
        vec![View {
            used: "default".into(),
            ..before.clone()
        }]
    });
}

#[test]
fn a_choice_that_is_killed_leaves_the_old_or_the_new_one() {
    assert_all_or_nothing("activate", |_, _| Vec::new());
}

#[test]
fn an_import_that_is_killed_leaves_the_old_or_the_new_state() {
    assert_all_or_nothing("import", |_, _| Vec::new());
}
