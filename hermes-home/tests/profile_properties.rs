//! Any sequence of changes to profiles is as a plain table, and touches nothing outside the root.
#![cfg(unix)]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test stops where it fails, also in its helpers"
)]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use hermes_home::{
    CreateOptions, DeleteOptions, Error, ExportOptions, ImportOptions, ProfileName, RenameOptions,
};
use proptest::prelude::*;
use support::{Sandbox, listed, name};

#[derive(Clone, Debug)]
enum Change {
    Create(String),
    Clone(String, String),
    Rename(String, String),
    Delete(String, bool),
    Activate(String),
    /// By way of an archive.
    Copy(String, String),
    /// Somebody makes links out of a profile.
    Tamper(String),
}

fn any_change() -> impl Strategy<Value = Change> {
    let name =
        || prop::sample::select(vec!["a", "b", "c", "main", "default"]).prop_map(String::from);
    prop_oneof![
        name().prop_map(Change::Create),
        (name(), name()).prop_map(|(from, to)| Change::Clone(from, to)),
        (name(), name()).prop_map(|(from, to)| Change::Rename(from, to)),
        (name(), any::<bool>()).prop_map(|(name, told)| Change::Delete(name, told)),
        name().prop_map(Change::Activate),
        (name(), name()).prop_map(|(from, to)| Change::Copy(from, to)),
        name().prop_map(Change::Tamper),
    ]
}

/// Which profiles there are, what their `config.yaml` says, and which one is active.
#[derive(Debug)]
struct Model {
    configs: BTreeMap<String, Option<String>>,
    active: String,
}

/// What a new profile of this name would run into.
fn refusal(model: &Model, to: &str) -> Option<&'static str> {
    match name(to).is_reserved() {
        true => Some("reserved_profile_name"),
        false => model.configs.contains_key(to).then_some("profile_exists"),
    }
}

impl Model {
    fn new() -> Self {
        let configs = [("default", Some("of: default")), ("main", None)];
        Self {
            configs: configs
                .map(|(name, config)| (name.into(), config.map(String::from)))
                .into(),
            active: "default".into(),
        }
    }

    /// Makes the change and tells the code of the error that is due.
    fn apply(&mut self, change: &Change) -> Option<&'static str> {
        let missing =
            |name: &str| (!self.configs.contains_key(name)).then_some("profile_not_found");
        match change {
            Change::Create(to) => {
                if let Some(code) = refusal(self, to) {
                    return Some(code);
                }
                self.configs.insert(to.clone(), None);
            }
            Change::Clone(from, to) => {
                if let Some(code) = refusal(self, to).or_else(|| missing(from)) {
                    return Some(code);
                }
                self.configs.insert(to.clone(), self.configs[from].clone());
            }
            Change::Copy(from, to) => {
                if let Some(code) = missing(from).or_else(|| refusal(self, to)) {
                    return Some(code);
                }
                self.configs.insert(to.clone(), self.configs[from].clone());
            }
            Change::Rename(from, to) => {
                if from == "default" {
                    return Some("default_profile");
                }
                if let Some(code) = missing(from).or_else(|| refusal(self, to)) {
                    return Some(code);
                }
                let config = self.configs.remove(from).unwrap();
                self.configs.insert(to.clone(), config);
                if self.active == *from {
                    self.active.clone_from(to);
                }
            }
            Change::Delete(name, told) => {
                if name == "default" {
                    return Some("default_profile");
                }
                if let Some(code) = missing(name) {
                    return Some(code);
                }
                if self.active == *name {
                    if !told {
                        return Some("profile_active");
                    }
                    self.active = "default".into();
                }
                self.configs.remove(name);
            }
            Change::Activate(name) => {
                if let Some(code) = missing(name) {
                    return Some(code);
                }
                self.active.clone_from(name);
            }
            Change::Tamper(_) => {}
        }
        None
    }
}

fn make(sandbox: &Sandbox, change: &Change) -> Result<(), Error> {
    let profiles = sandbox.profiles();
    let named = |text: &String| name(text);
    match change {
        Change::Create(to) => profiles
            .create(&named(to), CreateOptions::blank())
            .map(drop),
        Change::Clone(from, to) => profiles
            .create(&named(to), CreateOptions::clone_of(&named(from)))
            .map(drop),
        Change::Rename(from, to) => profiles
            .rename(&named(from), &named(to), RenameOptions::new())
            .map(drop),
        Change::Delete(name, told) => {
            let options = match told {
                true => DeleteOptions::new().even_if_active(),
                false => DeleteOptions::new(),
            };
            profiles.delete(&named(name), options)
        }
        Change::Activate(name) => profiles.activate(&named(name)),
        Change::Copy(from, to) => {
            let archive = sandbox.path("work/archive.tar.gz");
            let options = ExportOptions::new().replacing();
            profiles.export(&named(from), &archive, options)?;
            let options = ImportOptions::new().with_name(&named(to));
            profiles.import(&archive, options).map(drop)
        }
        Change::Tamper(name) => {
            let home = profiles.home(&named(name));
            if home.path().is_dir() {
                for link in ["away", "file"] {
                    let _ = fs::remove_file(home.path().join(link));
                }
                let outside = sandbox.path("outside");
                std::os::unix::fs::symlink(&outside, home.path().join("away")).unwrap();
                std::os::unix::fs::symlink(outside.join("kept"), home.path().join("file")).unwrap();
            }
            Ok(())
        }
    }
}

fn content(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.clone(), fs::read(&path).unwrap()))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_changes_are_as_in_a_plain_table(changes in prop::collection::vec(any_change(), 1..15)) {
        let sandbox = Sandbox::with_profiles(&["main"]);
        sandbox.write("home/.hermes/config.yaml", "of: default");
        sandbox.write("outside/kept", "mine");
        let outside = content(&sandbox.path("outside"));
        let mut model = Model::new();
        for change in changes {
            let expected = model.apply(&change);
            let made = make(&sandbox, &change);
            prop_assert_eq!(made.as_ref().err().map(Error::code), expected, "{:?}", change);
            let profiles = sandbox.profiles();
            let mut names = listed(&profiles);
            names.sort();
            prop_assert_eq!(&names, &model.configs.keys().cloned().collect::<Vec<_>>());
            let active = profiles.active().name();
            prop_assert_eq!(active.as_str(), &model.active);
            let chosen = sandbox.select().unwrap();
            prop_assert_eq!(chosen.home.profile().as_str(), &model.active);
            for (profile, config) in &model.configs {
                let file = profiles.home(&ProfileName::parse(profile).unwrap()).config_file();
                prop_assert_eq!(&fs::read_to_string(file).ok(), config, "{}", profile);
            }
            prop_assert_eq!(&content(&sandbox.path("outside")), &outside);
        }
        // Beside the root there is what the test made, and nothing else.
        let mut beside: Vec<_> = fs::read_dir(sandbox.home()).unwrap().map(|e| e.unwrap().file_name()).collect();
        beside.extend(fs::read_dir(sandbox.path("")).unwrap().map(|e| e.unwrap().file_name()));
        beside.sort();
        prop_assert_eq!(beside, [".hermes", "home", "outside", "work"]);
    }
}
