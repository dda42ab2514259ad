//! Deleting and moving branches and tags.

use super::{GIT, PROGRAMS, called};
use crate::look::{Look, Sub};
use crate::rule::{Hit, Key, Rule, Severity, Test};

const SHORT_KEY: Key = Key::both("git branch force delete");
const LONG_KEY: Key = Key::from19("git branch force delete (long flags)");
const FORCE_FIRST_KEY: Key = Key::from19("git branch force delete (long flags, force-first)");

/// `-D`, or deleting and forcing in whatever spelling; with the number of the deciding options.
fn force_delete<'l, 'a>(look: &'l Look<'a>) -> Option<(std::borrow::Cow<'l, Sub<'a>>, bool)> {
    let sub = called(look, "branch")?;
    let options = &sub.options.options;
    if options.iter().any(|o| o.is_short('D')) {
        return Some((sub, true));
    }
    let delete = options.iter().find(|o| o.is('d', "delete"))?;
    let force = options.iter().find(|o| o.is('f', "force"))?;
    let short = !delete.long && !force.long;
    Some((sub, short))
}

pub(super) const DELETE: Rule = Rule {
    id: "git.branch-delete",
    severity: Severity::High,
    keys: &[SHORT_KEY],
    accepts: &[LONG_KEY, FORCE_FIRST_KEY],
    reason: "This deletes a branch even if its commits are nowhere else.",
    alternative: Some(
        "With a small letter git refuses if commits would be lost: `git branch -d x`.",
    ),
    test: Test::Program(PROGRAMS, |look| {
        force_delete(look).and_then(|(_, short)| short.then(|| look.hit()))
    }),
    matches: &[
        "git branch -D wip",
        "git -C repo branch -D wip",
        "git branch -d -f wip",
        "git branch -rD origin/x",
        "git branch -fd wip",
        "git branch | grep old | xargs git branch -D",
    ],
    near_misses: &["git branch -d x", "git branch --delete --force x"],
    safe: &[
        "git branch -d merged-topic",
        "git branch --delete x",
        "git branch --list '*-D*'",
        "git branch --merged",
        "git branch -a",
    ],
    ..GIT
};

pub(super) const DELETE_LONG: Rule = Rule {
    id: "git.branch-delete-long",
    severity: Severity::High,
    keys: &[LONG_KEY],
    accepts: &[SHORT_KEY, FORCE_FIRST_KEY],
    reason: "This deletes a branch even if its commits are nowhere else.",
    alternative: Some(
        "Without force git refuses if commits would be lost: `git branch --delete x`.",
    ),
    test: Test::Program(PROGRAMS, long),
    matches: &[
        "git branch --delete --force x",
        "git branch --force --delete x",
        "git branch -d --force x",
        "git branch --delete -f x",
    ],
    near_misses: &["git branch --force x HEAD", "git branch -D x"],
    safe: &["git branch --delete x"],
    ..GIT
};

fn long(look: &Look<'_>) -> Option<Hit> {
    let (sub, short) = force_delete(look)?;
    if short {
        return None;
    }
    let first = sub
        .options
        .options
        .iter()
        .find(|o| o.is('f', "force") || o.is('d', "delete"))?;
    let hit = look.hit();
    Some(if first.is('f', "force") {
        hit.keys(&[FORCE_FIRST_KEY]).accepts(&[SHORT_KEY, LONG_KEY])
    } else {
        hit
    })
}

pub(super) const MOVE: Rule = Rule {
    id: "git.branch-move",
    severity: Severity::Medium,
    keys: &[Key::ours("git moves a branch by force")],
    reason: "This moves a branch that exists; commits that only it had are lost from sight.",
    alternative: Some("Make a new one instead: `git switch -c new-name`."),
    test: Test::Program(PROGRAMS, moves),
    matches: &[
        "git branch -f main HEAD~3",
        "git branch --force main abc",
        "git branch -M old new",
        "git checkout -B main origin/main",
        "git switch -C main origin/main",
        "git switch --force-create main",
    ],
    // The last step of every guide to a new repository.
    near_misses: &["git branch -M main", "git branch -m old new"],
    safe: &[
        "git branch new",
        "git branch new origin/main",
        "git switch -c x",
    ],
    ..GIT
};

fn moves(look: &Look<'_>) -> Option<Hit> {
    let moved = match called(look, "branch") {
        Some(sub) => {
            let operands = sub.options.operands.len();
            let deletes = sub.has('d', "delete") || sub.has('D', "");
            let copies = sub.has('M', "") || sub.has('C', "");
            let forced = sub.has('f', "force") && !deletes;
            (copies && operands > 1) || (forced && operands > 0)
        }
        None => {
            called(look, "checkout").is_some_and(|sub| sub.has('B', ""))
                || called(look, "switch").is_some_and(|sub| {
                    let mut options = sub.options.options.iter();
                    options
                        .any(|o| o.is_short('C') || o.is_long("force-create") && o.name.len() > 5)
                })
        }
    };
    moved.then(|| look.hit())
}

pub(super) const TAG: Rule = Rule {
    id: "git.tag-delete",
    severity: Severity::Low,
    keys: &[Key::ours("git tag delete")],
    reason: "This deletes a tag; a commit that only it kept is lost from sight.",
    alternative: Some("Note what it points to first with `git show-ref --tags`."),
    test: Test::Program(PROGRAMS, |look| {
        let sub = called(look, "tag")?;
        sub.has('d', "delete").then(|| look.hit())
    }),
    matches: &["git tag -d v1", "git tag --delete v1 v2"],
    near_misses: &["git tag v1", "git tag -m d v1"],
    safe: &["git tag", "git tag -l 'v1*'", "git tag -a v1 -m 'release'"],
    ..GIT
};
