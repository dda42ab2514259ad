//! All rules, by pack, and how the few that can fit an invocation are found.

mod clouds;
mod containers;
mod disks;
mod encoders;
mod exec_flag;
mod exfiltration;
mod file_systems;
mod git;
mod hermes;
mod interpreters;
mod kubernetes;
mod named_paths;
mod network;
mod packages;
mod permissions;
mod power;
mod processes;
mod remote_execution;
mod secret_files;
mod secrets;
mod services;
mod shells;
mod sql;
pub(crate) mod subcommands;
mod sudo;
mod terraform;
mod windows;
pub(crate) mod writes;

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::LazyLock;

use crate::hardline;
use crate::rule::{Pack, Rule, Test};
use crate::uncertain;

pub(crate) use exec_flag::{option_script, variable_script};
pub(crate) use interpreters::is_shell;

/// All packs, in the order in which findings of the same weight are listed. A new one is one line
/// here.
static PACKS: &[&Pack] = &[
    &hardline::PACK,
    &file_systems::PACK,
    &disks::PACK,
    &permissions::PACK,
    &processes::PACK,
    &power::PACK,
    &sudo::PACK,
    &shells::PACK,
    &git::PACK,
    &hermes::PACK,
    &packages::PACK,
    &services::PACK,
    &sql::PACK,
    &writes::PACK,
    &clouds::PACK,
    &containers::PACK,
    &encoders::PACK,
    &exec_flag::PACK,
    &exfiltration::PACK,
    &kubernetes::PACK,
    &network::PACK,
    &remote_execution::PACK,
    &secrets::PACK,
    &terraform::PACK,
    &windows::PACK,
    &uncertain::PACK,
];

/// All packs.
pub fn packs() -> &'static [&'static Pack] {
    PACKS
}

/// All rules: the hardline ones first, then pack by pack.
pub fn all() -> &'static [&'static Rule] {
    &INDEX.all
}

/// The rule of this id.
pub fn find(id: &str) -> Option<&'static Rule> {
    all().iter().copied().find(|rule| rule.id == id)
}

/// Rules, by what they are run on.
pub(crate) struct Index {
    all: Vec<&'static Rule>,
    exact: Names,
    versioned: Names,
    dotted: Names,
    pub(crate) redirect: Vec<&'static Rule>,
    pub(crate) code: Vec<&'static Rule>,
    pub(crate) any: Vec<&'static Rule>,
    pub(crate) whole: Vec<&'static Rule>,
}

type Names = HashMap<&'static str, Vec<&'static Rule>, BuildHasherDefault<Fnv>>;

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let mut index = Index {
        all: PACKS.iter().flat_map(|pack| pack.rules).collect(),
        exact: Names::default(),
        versioned: Names::default(),
        dotted: Names::default(),
        redirect: Vec::new(),
        code: Vec::new(),
        any: Vec::new(),
        whole: Vec::new(),
    };
    for &rule in &index.all {
        match rule.test {
            Test::Program(names, _) => {
                for &name in names {
                    if let Some(stem) = name.strip_suffix(".*") {
                        index.dotted.entry(stem).or_default().push(rule);
                    } else if let Some(stem) = name.strip_suffix('*') {
                        index.exact.entry(stem).or_default().push(rule);
                        index.versioned.entry(stem).or_default().push(rule);
                    } else {
                        index.exact.entry(name).or_default().push(rule);
                    }
                }
            }
            Test::Redirect(_) => index.redirect.push(rule),
            Test::Code(_) => index.code.push(rule),
            Test::Any(_) => index.any.push(rule),
            Test::Whole(_) => index.whole.push(rule),
        }
    }
    index
});

impl Index {
    pub(crate) fn get() -> &'static Self {
        &INDEX
    }

    /// The rules for a program, with the name that they know it by.
    pub(crate) fn program(
        &self,
        name: &str,
    ) -> impl Iterator<Item = (&'static str, &[&'static Rule])> {
        let exact = self.exact.get_key_value(name);
        let versioned = versionless(name).and_then(|stem| self.versioned.get_key_value(stem));
        let dotted = name
            .split_once('.')
            .and_then(|(stem, _)| self.dotted.get_key_value(stem));
        let found = [exact, versioned, dotted].into_iter().flatten();
        found.map(|(name, rules)| (*name, rules.as_slice()))
    }
}

/// `python3.11` without its version; none if it has none.
pub(crate) fn versionless(name: &str) -> Option<&str> {
    if !name.ends_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    (!stem.is_empty()).then_some(stem)
}

/// Names of programs are short and nobody's secret: the quickest hash will do.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
