//! `rm` and its kin, and searches that delete.

use crate::look::Look;
use crate::paths::{Place, Target, Tree};
use crate::removal::Removal;
use crate::rule::{Hit, Key, Rule, Severity, Test};
use crate::word::{Unknown, Word};

const ROOT_PATH: Key = Key::both("delete in root path");
const RECURSIVE_KEY: Key = Key::both("recursive delete");
const XARGS: Key = Key::both("xargs with rm");
/// 0.19 renamed it.
const FIND_EXEC: &[Key] = &[
    Key::from19("find -exec/-execdir rm"),
    Key::only13("find -exec rm"),
];

const DELETES: &[Key] = &[RECURSIVE_KEY, ROOT_PATH];

/// Folders that a build or a package manager makes again.
#[rustfmt::skip]
const MADE_AGAIN: &[&str] = &[
    ".angular", ".cache", ".eggs", ".gradle", ".mypy_cache", ".next", ".nuxt", ".nyc_output",
    ".parcel-cache", ".pytest_cache", ".ruff_cache", ".svelte-kit", ".terraform", ".tox", ".turbo",
    ".venv", ".vite", "DerivedData", "__pycache__", "_build", "bower_components", "build",
    "cmake-build-debug", "cmake-build-release", "coverage", "dist", "htmlcov", "node_modules", "out",
    "target", "venv",
];

pub(super) const RECURSIVE: Rule = Rule {
    id: "fs.recursive-delete",
    class: "fs-rm",
    severity: Severity::High,
    keys: &[RECURSIVE_KEY],
    accepts: &[Key::both("recursive delete (long flag)")],
    reason: "This deletes folders with all that is in them.",
    alternative: Some("Move the folder aside with `mv`, or name the files to delete."),
    test: Test::Program(REMOVERS, recursive),
    matches: &[
        "rm -rf src",
        "rm -r -f src",
        "rm -f -r src",
        "rm -rf \"$DIR\"",
        "rm --recursive src",
        "rm -rf /srv/app",
        "rm -rf ../build",
        "rm -rf node_modules src",
        "cd / && rm -rf build",
        "npx rimraf src",
        "find . -name x -exec rm -rf {} +",
        "ls | xargs rm -rf",
        "ls | xe rm -rf",
        "sudo -u bob rm -rf src",
        "rm '-r' src",
    ],
    near_misses: &["rm -f src", "rm notes.bak"],
    safe: &[
        "rm -rf node_modules",
        "rm -rf ./target dist",
        "rm -rf packages/*/dist",
        "rm -rf build *.egg-info",
        "rm -rf \"$(mktemp -d)\"",
        "t=$(mktemp -d); cd \"$t\" && make; rm -rf \"$t\"",
        "rm --help",
        "rm --version",
        "echo rm -rf src",
    ],
    ..Rule::ASK
};

const REMOVERS: &[&str] = &["rm", "srm", "grm", "rimraf", "del-cli", "unlink", "shred"];

fn recursive(look: &Look<'_>) -> Option<Hit> {
    let removal = look.removal();
    if !removal.recursive {
        return None;
    }
    let targets = &removal.targets;
    // `mapfile -C 'rm -rf'` hands it the lines that it reads.
    let sweeps =
        look.repeated_by().is_some() || look.wrapped_in("mapfile") || takes_what_is_given(look);
    if !sweeps
        && (targets.is_empty()
            || targets
                .iter()
                .all(|t| is_made_again(&t.target) || is_temporary(look, &t.target)))
    {
        return None;
    }
    let hit = severe(look, removal);
    Some(with_keys(look, removal, hit))
}

/// `rm -r "$@"` in a script: whatever the script is called with. A function is looked at with the
/// arguments of its calls.
fn takes_what_is_given(look: &Look<'_>) -> bool {
    let given = |w: &&Word| w.unknowns().any(|u| *u == Unknown::Positional);
    look.invocation.context.function.is_none() && look.operands().iter().copied().any(|w| given(&w))
}

/// Where several rules of the Python Hermes fit, it names the first; an approval of the others
/// covers the command, too.
fn with_keys(look: &Look<'_>, removal: &Removal<'_>, hit: Hit) -> Hit {
    if look.wrapped_in("find") {
        return hit.keys(FIND_EXEC).accepts(DELETES);
    }
    if look.wrapped_in("xargs") {
        return hit.keys(&[XARGS]).accepts(DELETES);
    }
    match (is_rooted(removal), removal.recursive) {
        (true, true) => hit.keys(&[ROOT_PATH]).accepts(&[RECURSIVE_KEY]),
        (true, false) => hit.keys(&[ROOT_PATH]),
        (false, _) => hit,
    }
}

fn is_rooted(removal: &Removal<'_>) -> bool {
    removal.targets.iter().any(|t| t.target.is_absolute())
}

/// Variables that may be empty, whole homes and the working directory weigh more.
fn severe(look: &Look<'_>, removal: &Removal<'_>) -> Hit {
    let hit = look.hit();
    if let Some(target) = removal.targets.iter().find(|t| t.target.is_root_if_empty()) {
        return look
            .hit_word(target.target.word)
            .severity(Severity::Critical)
            .reason("If the variable is empty, this deletes the whole file system.");
    }
    match removal.tree() {
        Some(Tree::HermesHome) => hit
            .severity(Severity::Critical)
            .reason("This deletes everything that Hermes keeps."),
        Some(Tree::OtherHome) => hit
            .severity(Severity::Critical)
            .reason("This deletes the whole home of a user."),
        Some(Tree::Here) => hit
            .severity(Severity::Critical)
            .reason("This deletes everything in the working directory."),
        Some(Tree::Above) => hit
            .severity(Severity::Critical)
            .reason("This deletes a directory above the working directory."),
        _ => hit,
    }
}

/// `"$(mktemp -d)"`, or a variable that is set to it: made by the same text.
fn is_temporary(look: &Look<'_>, target: &Target<'_>) -> bool {
    let mut unknowns = target.word.unknowns().peekable();
    unknowns.peek().is_some()
        && !target.is_root_if_empty()
        && unknowns.all(|u| match u {
            Unknown::Variable(name) => is_set_to_temporary(look, name),
            other => makes_temporary(look, other),
        })
}

fn makes_temporary(look: &Look<'_>, unknown: &Unknown) -> bool {
    let Unknown::Command(id) = unknown else {
        return false;
    };
    let inside = look.scope.analysis.inside(*id);
    !inside.is_empty() && inside.iter().all(|i| i.is("mktemp"))
}

fn is_set_to_temporary(look: &Look<'_>, name: &str) -> bool {
    let before = look
        .scope
        .analysis
        .invocations()
        .get(..look.invocation.id.0);
    let near = before.unwrap_or(&[]).iter().rev().take(MAX_LOOK);
    let mut set = near
        .flat_map(|i| &i.assignments)
        .filter(|a| a.name == name)
        .peekable();
    set.peek().is_some()
        && set.all(|a| {
            let mut unknowns = a.values.iter().flat_map(|v| v.unknowns()).peekable();
            unknowns.peek().is_some() && unknowns.all(|u| makes_temporary(look, u))
        })
}

/// So many commands back, an assignment is looked for.
const MAX_LOOK: usize = 64;

/// Relative, not upwards, and inside a folder that is made again.
fn is_made_again(target: &Target<'_>) -> bool {
    let mut values = target.values().peekable();
    values.peek().is_some()
        && values.all(|value| {
            !value.starts_with('/')
                && !is_in_vital_tree(&target.absolute(value))
                && !value.split('/').any(|part| part == "..")
                && value.split('/').any(|part| {
                    MADE_AGAIN.binary_search(&part).is_ok() || part.ends_with(".egg-info")
                })
        })
}

/// `cd / && rm -rf build` is no build of a project.
fn is_in_vital_tree(path: &str) -> bool {
    let folder = path.rsplit_once('/').map(|(folder, _)| folder);
    folder.is_some_and(|folder| folder.is_empty() || Tree::is_system(folder))
}

pub(super) const ABSOLUTE: Rule = Rule {
    id: "fs.delete-outside",
    class: "fs-rm",
    severity: Severity::Medium,
    keys: &[ROOT_PATH],
    accepts: &[RECURSIVE_KEY],
    reason: "This deletes a file by its absolute path, outside the working directory.",
    alternative: Some("Delete files of the project by their relative paths."),
    test: Test::Program(REMOVERS, |look| {
        let removal = look.removal();
        let outside = removal
            .targets
            .iter()
            .map(|t| &t.target)
            .find(|t| t.is_absolute() && t.is_outside() && !is_spared(t))?;
        let hit = look.hit_word(outside.word);
        (!removal.recursive).then(|| with_keys(look, removal, hit))
    }),
    matches: &[
        "rm -f /tmp/a",
        "rm /var/log/syslog",
        "rm ~/Downloads/*.md",
        "unlink /srv/x",
    ],
    near_misses: &["rm -f tmp/a", "rm -rf /srv/app"],
    safe: &[
        "rm notes.bak",
        "rm -f /tmp/hermes-verify-9f2c.py",
        "unlink old.sock",
        "rm ~/Downloads/setup.dmg",
    ],
    ..Rule::ASK
};

fn is_spared(target: &Target<'_>) -> bool {
    is_own_artifact(target) || is_named_in_home(target)
}

/// `~/Downloads/x.zip`: one file that is named as the user's own.
fn is_named_in_home(target: &Target<'_>) -> bool {
    let raw = target.word.raw().trim_start_matches(['"', '\'']);
    (raw.starts_with("~/") || raw.starts_with("$HOME/") || raw.starts_with("${HOME}/"))
        && !target.word.has_glob()
        && target.tree().is_none()
}

/// What Hermes writes to check its own work.
fn is_own_artifact(target: &Target<'_>) -> bool {
    let mut values = target.values();
    values.all(|value| {
        value.rsplit_once('/').is_some_and(|(folder, name)| {
            matches!(folder, "/tmp" | "/var/tmp" | "/private/tmp")
                && (name.starts_with("hermes-verify-") || name.starts_with("hermes-ad-hoc-"))
        })
    })
}

pub(super) const SENSITIVE: Rule = Rule {
    id: "fs.delete-sensitive",
    class: "fs-rm",
    severity: Severity::High,
    keys: &[Key::ours("delete sensitive file")],
    accepts: &[ROOT_PATH, RECURSIVE_KEY],
    reason: "This deletes a file that the system, an account or Hermes depends on.",
    alternative: Some("Keep a copy beside it first with `cp -p`."),
    test: Test::Program(REMOVERS, |look| {
        let removal = look.removal();
        let target = removal
            .targets
            .iter()
            .map(|t| &t.target)
            .find(|t| t.place().is_some_and(|p| p > Place::ProjectConfig))?;
        Some(look.hit_word(target.word))
    }),
    matches: &[
        "rm /etc/shadow",
        "rm -f ~/.ssh/id_ed25519",
        "rm .env",
        "unlink /etc/hosts",
    ],
    near_misses: &["rm -f /tmp/a", "rm /dev/shm/x"],
    safe: &["rm .env.example", "rm config.yaml.bak"],
    ..Rule::ASK
};

pub(super) const BULK: Rule = Rule {
    id: "fs.delete-all-files",
    class: "fs-rm",
    severity: Severity::High,
    keys: &[Key::ours("delete all files of a directory")],
    accepts: &[
        ROOT_PATH,
        RECURSIVE_KEY,
        XARGS,
        Key::from19("find -exec/-execdir rm"),
        Key::only13("find -exec rm"),
    ],
    reason: "This deletes whatever a pattern or a list happens to name.",
    alternative: Some("Look at the list first, then name the files."),
    test: Test::Program(REMOVERS, |look| {
        let removal = look.removal();
        if removal.recursive {
            return None;
        }
        if look.repeated_by().is_some() {
            return Some(with_keys(look, removal, severe(look, removal)));
        }
        let looped = look.invocation.context.in_loop;
        let all = removal.targets.iter().map(|t| &t.target).find(|t| {
            let listed = t.word.unknowns().any(|u| matches!(u, Unknown::Variable(_)));
            (t.is_everything() || is_deep(t)) && !is_made_again(t)
                || looped && listed && !is_temporary(look, t)
        })?;
        Some(look.hit_word(all.word))
    }),
    matches: &[
        "rm -f *",
        "rm src/*",
        "ls | xargs rm",
        "find . -exec rm {} ;",
        "fd -e tmp -x rm",
        "find . -type f -exec sh -c 'rm \"$1\"' _ {} \\;",
        "rm -f **/*.db",
        "find . -name '*~' | while read -r f; do rm \"$f\"; done",
        "for f in $(git ls-files); do rm \"$f\"; done",
        "while IFS= read -r f; do unlink \"$f\"; done < list.txt",
    ],
    near_misses: &["rm -rf *"],
    safe: &[
        "rm -f *.o",
        "rm -f dist/*",
        "rm -f **/*.pyc",
        "for i in 1 2 3; do rm \"part$i.o\"; done",
        "find . -name '*.md' | xargs grep rm",
    ],
    ..Rule::ASK
};

/// A pattern that goes through all folders, and fits more than what a build or an editor leaves.
fn is_deep(target: &Target<'_>) -> bool {
    target.word.has_glob()
        && target
            .values()
            .any(|v| v.contains("**/") && !LEFT_BEHIND.iter().any(|end| v.ends_with(end)))
}

/// What names of files that builds and editors leave behind end in.
#[rustfmt::skip]
const LEFT_BEHIND: &[&str] = &[
    ".DS_Store", ".a", ".aux", ".bak", ".class", ".d", ".elc", ".gcda", ".gcno", ".log", ".map", ".o", ".obj", ".orig",
    ".pyc", ".pyo", ".rej", ".so", ".swo", ".swp", ".tmp", ".tsbuildinfo", "Thumbs.db", "~",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order() {
        assert!(MADE_AGAIN.is_sorted());
    }
}
