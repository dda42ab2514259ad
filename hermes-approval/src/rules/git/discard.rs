//! Throwing away what is not committed.

use super::{GIT, PROGRAMS, called, operand_is, subcommand};
use crate::look::Sub;
use crate::rule::{Key, Rule, Severity, Test};
use crate::word::Word;

pub(super) const RESET_HARD: Rule = Rule {
    id: "git.reset-hard",
    severity: Severity::High,
    keys: &[Key::both("git reset --hard (destroys uncommitted changes)")],
    reason: "This throws away every change that is not committed.",
    alternative: Some("Put the changes aside first with `git stash`."),
    test: Test::Program(PROGRAMS, |look| {
        let sub = called(look, "reset")?;
        let at = sub.options.options.iter().find(|o| o.is_long("hard"))?;
        Some(look.hit_word(sub.words.get(at.word)?))
    }),
    matches: &[
        "git reset --hard",
        "git reset --har",
        "git reset HEAD --hard",
        "git reset --hard origin/main",
        "git --git-dir=x/.git reset --hard",
        "git -c core.x=y reset --hard",
        "git 're''set' --ha\\rd",
        "git-reset --hard HEAD~1",
        "git $(echo reset) --hard",
        "X=reset; git $X --hard",
    ],
    near_misses: &["git reset --soft HEAD~1", "git reset -- --hard"],
    safe: &[
        "git reset",
        "git reset HEAD a.txt",
        "git reset --help",
        "git reset --hard --help",
        "git log --grep='reset --hard'",
        "git commit -m 'reset --hard docs'",
    ],
    ..GIT
};

pub(super) const RESET_MERGE: Rule = Rule {
    id: "git.reset-merge",
    keys: &[Key::ours("git reset --merge (discards staged changes)")],
    reason: "This throws away what is staged, or takes commits from the branch together with their files.",
    alternative: Some("If a merge is under way, use `git merge --abort`."),
    test: Test::Program(PROGRAMS, |look| {
        let resets = called(look, "reset").is_some_and(|sub| {
            let mut options = sub.options.options.iter();
            options.any(|o| o.is_long("merge") || o.is_long("keep"))
        });
        let reads = called(look, "read-tree")
            .is_some_and(|sub| sub.options.options.iter().any(|o| o.is_long("reset")));
        let takes_out = called(look, "checkout-index").is_some_and(|sub| sub.has('f', "force"));
        let extras = subcommand(look).is_some_and(|sub| EXTRAS.contains(&sub.name));
        (resets || reads || takes_out || extras).then(|| look.hit())
    }),
    matches: &[
        "git reset --merge",
        "git read-tree --reset -u HEAD",
        "git reset --keep HEAD~3",
        "git checkout-index -f -a",
        "git clear-soft",
        "git reset-file a.txt",
    ],
    near_misses: &["git reset --soft HEAD~1", "git read-tree HEAD"],
    safe: &["git merge --abort", "git checkout-index -a --prefix=out/"],
    ..GIT
};

/// Subcommands of the common collections of extras that discard or delete without a question.
#[rustfmt::skip]
const EXTRAS: &[&str] = &[
    "clear", "clear-soft", "delete-branch", "delete-merged-branches", "delete-squashed-branches",
    "delete-submodule", "delete-tag", "force-clone", "fresh-branch", "obliterate", "reset-file",
];

pub(super) const CLEAN: Rule = Rule {
    id: "git.clean",
    severity: Severity::High,
    keys: &[Key::both("git clean with force (deletes untracked files)")],
    reason: "This deletes files that git does not know; nothing can bring them back.",
    alternative: Some("Look first with `git clean -n -d`."),
    test: Test::Program(PROGRAMS, |look| {
        let sub = called(look, "clean")?;
        if sub.has('n', "dry-run") {
            return None;
        }
        (sub.has('f', "force") || needs_no_force(&sub)).then(|| look.hit())
    }),
    matches: &[
        "git clean -fd",
        "git clean -d -f",
        "git clean --force",
        "git clean -xdf",
        "git -c core.x=y clean -fdx",
        "git -c clean.requireForce=false clean -d",
        "git clean -fe '*.log'",
        "git-clean -fdx",
        "npm run build; git clean -fd",
    ],
    near_misses: &["git clean -n -d", "git clean -d"],
    safe: &[
        "git clean --dry-run",
        "git clean -nfd",
        "git clean -nd",
        "git clean -e f",
        "make clean",
    ],
    ..GIT
};

/// `-c clean.requireForce=false`
fn needs_no_force(sub: &Sub<'_>) -> bool {
    sub.global
        .options
        .iter()
        .filter(|o| o.is_short('c'))
        .filter_map(|o| o.value?.known())
        .any(|v| v.eq_ignore_ascii_case("clean.requireforce=false"))
}

/// Endings that say that a word without a folder is a file, not a branch. In order.
#[rustfmt::skip]
const ENDINGS: &[&str] = &[
    "c", "cfg", "conf", "cpp", "cs", "css", "csv", "gradle", "h", "hpp", "html", "ini", "ipynb",
    "java", "js", "json", "jsx", "kt", "lock", "md", "php", "proto", "py", "rb", "rs", "scss", "sh",
    "sql", "svg", "swift", "toml", "ts", "tsx", "txt", "vue", "xml", "yaml", "yml",
];

/// True for a word that can only be a path: branches don't look so.
fn is_path(word: &Word) -> bool {
    let text = word.known_prefix();
    if matches!(text, "." | "..") || text.starts_with("./") || text.starts_with("../") {
        return true;
    }
    if text.starts_with(":/") || text.starts_with(":(") || text.ends_with('/') || word.has_glob() {
        return true;
    }
    let last = text.rsplit('/').next().unwrap_or(text);
    last.rsplit_once('.')
        .is_some_and(|(_, ending)| ENDINGS.binary_search(&ending).is_ok())
}

/// `.`, `:/`, `'*'`: everything there is.
fn is_whole_tree(word: &Word) -> bool {
    matches!(word.text(), "." | "./" | ":/" | "*" | ":/*" | ":(top)")
}

pub(super) const CHECKOUT: Rule = Rule {
    id: "git.checkout-discard",
    severity: Severity::High,
    keys: &[Key::ours("git checkout that discards changes")],
    reason: "This overwrites files that have changes which are not committed.",
    alternative: Some("Put the changes aside first with `git stash`."),
    test: Test::Program(PROGRAMS, |look| {
        let sub = called(look, "checkout")?;
        checks_out_files(&sub).then(|| look.hit())
    }),
    matches: &[
        "git checkout .",
        "git checkout -- src",
        "git checkout -- a.txt",
        "git checkout HEAD -- .",
        "git checkout HEAD~1 -- docs/a.md",
        "git checkout main src/lib.rs",
        "git checkout package-lock.json",
        "git checkout -f main",
        "git checkout --force main",
        "git checkout '*.rs'",
        "npm test || git checkout .",
        "git checkout -fb new",
        "git checkout --theirs .",
        "git checkout --ours -- '*'",
    ],
    near_misses: &["git checkout -B main origin/main", "git checkout -p ."],
    safe: &[
        "git checkout main",
        "git checkout -",
        "git checkout v1.2.3",
        "git checkout release/1.4",
        "git checkout halt-on-error",
        "git checkout feature/ri-cleanup",
        "git checkout -b new",
        "git checkout -b new origin/main",
        "git checkout -t origin/feat",
        "git checkout --track -b x origin/x",
        "git checkout --detach HEAD~2",
        "git checkout --ours src/lib.rs",
        "git checkout --orphan gh-pages",
        "git checkout \"$BRANCH\"",
    ],
    ..GIT
};

/// True if files are overwritten.
fn checks_out_files(sub: &Sub<'_>) -> bool {
    let options = &sub.options;
    if sub.has('f', "force") || options.value('\0', "pathspec-from-file").is_some() {
        return true;
    }
    let picks = options.options.iter().any(|o| {
        o.is('p', "patch") || (o.long && matches!(o.name, "ours" | "theirs" | "merge")) ||
        // A new branch is made; the other operands are where it starts.
        o.is_short('b') || o.is_short('B') || o.is('t', "track") || o.is('d', "detach")
            || o.is_long("orphan")
    });
    if picks {
        // One side for each conflict there is: what the other side had is lost unseen.
        let side = options
            .options
            .iter()
            .any(|o| o.long && matches!(o.name, "ours" | "theirs"));
        return side && options.operands.iter().any(|w| is_whole_tree(w));
    }
    if let Some(at) = sub.words.iter().position(|w| w.known() == Some("--")) {
        let paths = sub.words.iter().skip(at + 1);
        // A name that starts with a dash is a slip, not a file.
        return paths
            .into_iter()
            .any(|w| !w.known_prefix().starts_with('-'));
    }
    let operands = &options.operands;
    operands.len() > 1 || operands.first().is_some_and(|w| is_path(w))
}

pub(super) const RESTORE: Rule = Rule {
    id: "git.restore",
    severity: Severity::High,
    keys: &[Key::ours("git restore that discards changes")],
    reason: "This overwrites files that have changes which are not committed.",
    alternative: Some("To take files out of the index only, `git restore --staged x`."),
    test: Test::Program(PROGRAMS, |look| {
        let sub = called(look, "restore")?;
        let paths = &sub.options.operands;
        let named = !paths.is_empty() || sub.options.value('\0', "pathspec-from-file").is_some();
        let index_only = sub.has('S', "staged") && !sub.has('W', "worktree");
        (named && !index_only && !sub.has('p', "patch")).then(|| look.hit())
    }),
    matches: &[
        "git restore src/main.rs",
        "git restore .",
        "git restore --worktree --staged .",
        "git restore -SW .",
        "git restore -s HEAD~2 a.txt",
        "git restore --source=HEAD -- src",
    ],
    near_misses: &["git restore --staged a.txt", "git restore -p a.txt"],
    safe: &[
        "git restore . --staged",
        "git restore --stage notes.md",
        "git restore -S .",
        "git restore --help",
    ],
    ..GIT
};

pub(super) const SWITCH: Rule = Rule {
    id: "git.switch-discard",
    severity: Severity::High,
    keys: &[Key::ours("git switch that discards changes")],
    reason: "This changes the branch and throws away what is not committed.",
    alternative: Some("Put the changes aside first with `git stash`, then `git switch main`."),
    test: Test::Program(PROGRAMS, |look| {
        let sub = called(look, "switch")?;
        (sub.has('f', "force") || sub.has('\0', "discard-changes")).then(|| look.hit())
    }),
    matches: &["git switch -f main", "git switch --discard-changes main"],
    near_misses: &["git switch -C main origin/main"],
    safe: &[
        "git switch main",
        "git switch -c x",
        "git switch --detach v1",
    ],
    ..GIT
};

pub(super) const STASH: Rule = Rule {
    id: "git.stash-drop",
    severity: Severity::High,
    keys: &[Key::ours("git stash drop (loses stashed changes)")],
    reason: "This throws away changes that were put aside.",
    alternative: Some("Look at them first with `git stash show -p`."),
    test: Test::Program(PROGRAMS, |look| {
        let sub = called(look, "stash")?;
        operand_is(&sub, 0, &["drop", "clear"]).then(|| look.hit())
    }),
    matches: &[
        "git stash drop",
        "git stash clear",
        "git stash drop stash@{2}",
    ],
    near_misses: &["git stash push -m drop", "git stash show"],
    safe: &[
        "git stash",
        "git stash list",
        "git stash pop",
        "git stash && git pull && git stash pop",
        "git stash -u",
    ],
    ..GIT
};

pub(super) const REMOVE: Rule = Rule {
    id: "git.rm-force",
    severity: Severity::High,
    keys: &[Key::ours("git rm with force (deletes changed files)")],
    reason: "This deletes files even if they have changes which are not committed.",
    alternative: Some("Without `-f` changed files are kept; try `git rm -n -r x`."),
    test: Test::Program(PROGRAMS, |look| {
        let sub = called(look, "rm")?;
        let kept =
            sub.options.options.iter().any(|o| o.is_long("cached")) || sub.has('n', "dry-run");
        (sub.has('f', "force") && !kept).then(|| look.hit())
    }),
    matches: &["git rm -rf src", "git rm --force a.txt", "git rm -r -f ."],
    near_misses: &["git rm -r --cached .", "git rm -n -rf src"],
    safe: &[
        "git rm old.txt",
        "git rm -r --cached node_modules",
        "git rm -rf --cached dist",
    ],
    ..GIT
};

pub(super) const WORKTREE: Rule = Rule {
    id: "git.worktree-force",
    keys: &[Key::ours("git worktree remove with force")],
    reason: "This deletes a working tree even if it has changes which are not committed.",
    alternative: Some(
        "Without `--force` git refuses if something would be lost: `git worktree remove x`.",
    ),
    test: Test::Program(PROGRAMS, |look| {
        let sub = called(look, "worktree")?;
        (operand_is(&sub, 0, &["remove"]) && sub.has('f', "force")).then(|| look.hit())
    }),
    matches: &[
        "git worktree remove --force ../x",
        "git worktree remove -f x",
    ],
    near_misses: &["git worktree remove ../x"],
    safe: &[
        "git worktree add ../x",
        "git worktree add -f ../x",
        "git worktree list",
    ],
    ..GIT
};

pub(super) const SUBMODULE: Rule = Rule {
    id: "git.submodule-deinit",
    keys: &[Key::ours("git submodule deinit with force")],
    reason: "This deletes the working trees of submodules with what was changed in them.",
    alternative: Some("See what is changed first with `git submodule status`."),
    test: Test::Program(PROGRAMS, |look| {
        let sub = called(look, "submodule")?;
        let deinit =
            operand_is(&sub, 0, &["deinit"]) && (sub.has('f', "force") || sub.has('\0', "all"));
        (deinit || resets_all(&sub)).then(|| look.hit())
    }),
    matches: &[
        "git submodule deinit -f lib/x",
        "git submodule deinit --all",
        "git submodule update --init --force",
    ],
    near_misses: &["git submodule deinit lib/x"],
    safe: &[
        "git submodule update --init --recursive",
        "git submodule status",
    ],
    ..GIT
};

/// `update --force` throws away what was changed in the submodules.
fn resets_all(sub: &Sub<'_>) -> bool {
    operand_is(sub, 0, &["update"]) && sub.has('f', "force")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order() {
        assert!(ENDINGS.is_sorted());
    }
}
