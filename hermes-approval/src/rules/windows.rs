//! `cmd.exe` and PowerShell.

mod accounts;
mod delete;
mod disks;
mod methods;
mod run;
mod services;
mod system;

use super::named_paths;
use crate::look::Look;
use crate::paths::Tree;
use crate::platform::Platform;
use crate::rule::Pack;
use crate::word::{Unknown, Word};

pub(super) static PACK: Pack = Pack {
    name: "windows",
    about: "what cmd.exe and PowerShell delete, stop, open and run unseen",
    rules: &[
        delete::VITAL,
        disks::FORMAT,
        services::POWER,
        delete::CMD,
        delete::POWERSHELL,
        delete::CMDLETS,
        delete::OVERWRITE,
        disks::RECOVERY,
        run::ENCODED,
        run::FETCHED,
        run::LOADER,
        run::HIDDEN,
        run::EXPRESSION,
        methods::METHOD,
        services::STOP,
        services::TASKS,
        system::REGISTRY,
        system::DEFENCE,
        system::PERMISSIONS,
        accounts::CHANGE,
    ],
};

const CMD: &[Platform] = &[Platform::Cmd];
const POWERSHELL: &[Platform] = &[Platform::PowerShell];
/// Programs are called alike in both languages.
const BOTH: &[Platform] = &[Platform::Cmd, Platform::PowerShell];
/// Those that are called from a POSIX shell, too.
const ALL: &[Platform] = &[Platform::Posix, Platform::Cmd, Platform::PowerShell];

/// The words in small letters.
fn words(look: &Look<'_>) -> Vec<String> {
    look.words()
        .iter()
        .map(|w| w.text().to_ascii_lowercase())
        .collect()
}

/// True for a switch of `cmd.exe`: `/s`, `/S/Q`, `/fs:ntfs`; some tools take a dash.
fn switch(look: &Look<'_>, names: &[&str]) -> bool {
    look.words().iter().any(|word| {
        let text = word.known_prefix().to_ascii_lowercase();
        let Some(rest) = text.strip_prefix(['/', '-']) else {
            return false;
        };
        rest.split('/').any(|part| {
            let name = part.split([':', '=']).next().unwrap_or(part);
            names.contains(&name)
        })
    })
}

/// True for a parameter of a cmdlet, or an abbreviation of it.
fn parameter(look: &Look<'_>, full: &str, shortest: usize) -> bool {
    look.words().iter().any(|word| {
        let text = word.known_prefix().to_ascii_lowercase();
        text.strip_prefix('-')
            .is_some_and(|name| name.len() >= shortest && full.starts_with(name))
    })
}

/// Shows only what would be done.
fn is_rehearsal(look: &Look<'_>) -> bool {
    parameter(look, "whatif", 2)
}

/// Words that are no switches. A home may have been put in for `%USERPROFILE%`.
fn operands<'a>(look: &Look<'a>) -> impl Iterator<Item = &'a Word> + use<'a> {
    let dash = look.invocation.platform == Platform::PowerShell;
    let home = look.scope.env.user_home.as_str();
    look.words().iter().filter(move |w| {
        let text = w.known_prefix();
        let switch = text.starts_with('/') && !dash && (home.is_empty() || !text.starts_with(home));
        !(switch || text.starts_with('-'))
    })
}

/// Variables with a place that nobody can do without, in small letters.
const PLACES: &[(&str, Tree)] = &[
    ("allusersprofile", Tree::System),
    ("home", Tree::Home),
    ("homedrive", Tree::Root),
    ("homepath", Tree::Home),
    ("programdata", Tree::System),
    ("programfiles", Tree::System),
    ("systemdrive", Tree::Root),
    ("systemroot", Tree::System),
    ("userprofile", Tree::Home),
    ("windir", Tree::System),
];

/// The tree that a word selects, through the variables of Windows, too.
fn tree<'a>(look: &Look<'a>, word: &'a Word) -> Option<Tree> {
    let text = word.text();
    // `%USERPROFILE%\\*`: what is in it is all of it.
    let folder = text
        .trim_end_matches(['*', '.'])
        .trim_end_matches(['\\', '/']);
    if folder.len() < text.len()
        && let Some(tree) = named_paths::tree(look, folder)
    {
        return Some(tree);
    }
    if let Some(tree) = look.target(word).tree() {
        return Some(tree);
    }
    if let Some(Unknown::Variable(name)) = word.unknowns().next() {
        let name = name.rsplit(':').next().unwrap_or(name).to_ascii_lowercase();
        let rest = text.trim_end_matches(['*', '.']).trim_matches(['\\', '/']);
        let whole = rest.is_empty() || rest.eq_ignore_ascii_case("system32");
        let (_, tree) = PLACES.iter().find(|(place, _)| *place == name)?;
        return whole.then_some(*tree);
    }
    // `%SystemRoot%` where it was left as it is; `\` alone is the root of the drive.
    let lower = text.to_ascii_lowercase();
    if let Some((name, rest)) = lower.strip_prefix('%').and_then(|t| t.split_once('%')) {
        let (_, tree) = PLACES.iter().find(|(place, _)| *place == name)?;
        let whole = rest
            .trim_end_matches(['*', '.'])
            .trim_matches(['\\', '/'])
            .is_empty();
        return whole.then_some(*tree);
    }
    matches!(lower.as_str(), "\\" | "\\*" | "\\*.*").then_some(Tree::Root)
}
