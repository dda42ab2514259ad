//! Pushing over what others have.

use std::borrow::Cow;

use super::{GIT, PROGRAMS, called};
use crate::look::{Look, Sub};
use crate::rule::{Hit, Key, Rule, Severity, Test};
use crate::word::Word;

const FORCE_KEY: Key = Key::both("git force push (rewrites remote history)");
const SHORT_KEY: Key = Key::both("git force push short flag (rewrites remote history)");

/// A push: by `push`, or by what it is made of.
fn pushed<'l, 'a>(look: &'l Look<'a>) -> Option<Cow<'l, Sub<'a>>> {
    called(look, "push").or_else(|| called(look, "send-pack"))
}

/// The refspecs of a push that is not only tried out.
fn refspecs<'a>(look: &Look<'a>) -> Option<Vec<&'a Word>> {
    let sub = pushed(look)?;
    (!is_dry(&sub)).then(|| sub.options.operands.clone())
}

fn is_dry(sub: &Sub<'_>) -> bool {
    sub.has('n', "dry-run")
}

pub(super) const FORCE: Rule = Rule {
    id: "git.push-force",
    severity: Severity::High,
    keys: &[FORCE_KEY],
    accepts: &[SHORT_KEY],
    reason: "This replaces the remote branch; commits that others pushed are lost.",
    alternative: Some("Try it first with `git push --force --dry-run`, or merge and `git push`."),
    test: Test::Program(PROGRAMS, |look| {
        let sub = pushed(look).filter(|sub| !is_dry(sub))?;
        let forced = sub.options.options.iter().find(|o| {
            // `--fo` and longer; `--force-with-lease` and `--force-if-includes` are no prefixes.
            o.is_long("force") || (o.long && o.name.starts_with("force-"))
        })?;
        let hit = match sub.words.get(forced.word) {
            Some(word) => look.hit_word(word),
            None => look.hit(),
        };
        Some(if forced.name.starts_with("force-") {
            hit.severity(Severity::Medium)
                .reason("This replaces the remote branch, if nobody pushed to it in between.")
        } else {
            hit
        })
    }),
    matches: &[
        "git push --force",
        "git push --forc origin main",
        "git push origin main --force",
        "git -C repo push --force",
        "git push --force-with-lease",
        "git push --force-with-lease=main:abc origin main",
        "CI=true git push --force",
        "git-push --force origin",
        "yadm push --force",
        "git send-pack --force origin main",
        "git -c alias.p='push --force' p",
        "git config alias.p 'push --force' && git p origin",
    ],
    near_misses: &["git push -f", "git push origin +main"],
    safe: &[
        "git push",
        "git push -u origin feat",
        "git push --follow-tags",
        "git push --force --dry-run",
        "git push origin fix-f",
        "git push origin batch/991-obs-fixes",
        "git push --force --help",
        "git commit -m 'push --force'",
        "git grep 'push --force'",
        "git push -o ci.skip",
        "git push --no-force-with-lease",
        "git send-pack origin main",
        "git config alias.p 'push --force'",
        "git -c alias.p='push' p origin main",
    ],
    ..GIT
};

pub(super) const FORCE_SHORT: Rule = Rule {
    id: "git.push-force-short",
    severity: Severity::High,
    keys: &[SHORT_KEY],
    accepts: &[FORCE_KEY],
    reason: "This replaces the remote branch; commits that others pushed are lost.",
    alternative: Some("Try it first with `git push -n -f`, or merge and `git push`."),
    test: Test::Program(PROGRAMS, |look| {
        let sub = pushed(look).filter(|sub| !is_dry(sub))?;
        let forced = sub.options.options.iter().find(|o| o.is_short('f'))?;
        let word = sub.words.get(forced.word)?;
        Some(look.hit_word(word))
    }),
    matches: &[
        "git push -f",
        "git push -uf origin main",
        "git push origin main -f",
        "A=1 B=2 git push -f",
        "git send-pack -f origin main",
        "git -c alias.p='push -f' p",
    ],
    near_misses: &["git push --force"],
    safe: &[
        "git push origin -- fix-f",
        "git push -fn",
        "git push -u origin -o f",
        "git fetch -f",
    ],
    ..GIT
};

pub(super) const FORCE_REFSPEC: Rule = Rule {
    id: "git.push-force-refspec",
    severity: Severity::High,
    keys: &[Key::ours(
        "git force push by refspec (rewrites remote history)",
    )],
    accepts: &[FORCE_KEY],
    reason: "A plus in front of a branch replaces it on the remote; commits of others are lost.",
    alternative: Some("Merge what is there, then push without the plus: `git push origin main`."),
    test: Test::Program(PROGRAMS, |look| {
        let plus = refspecs(look)?
            .into_iter()
            .find(|word| word.known_prefix().starts_with('+'))?;
        Some(look.hit_word(plus))
    }),
    matches: &[
        "git push origin +main",
        "git push origin '+refs/heads/*:refs/heads/*'",
        "git push origin +HEAD:main",
    ],
    near_misses: &["git push origin main", "git push -n origin +main"],
    safe: &["git fetch origin +main", "git push origin c++"],
    ..GIT
};

pub(super) const DELETE: Rule = Rule {
    id: "git.push-delete",
    severity: Severity::High,
    keys: &[Key::ours("git push that deletes remote branches or tags")],
    reason: "This deletes a branch or a tag on the remote, for everybody.",
    alternative: Some("See what would go with `git push --dry-run --delete origin x`."),
    test: Test::Program(PROGRAMS, deletes),
    matches: &[
        "git push --delete origin feat",
        "git push origin --delete feat",
        "git push -d origin feat",
        "git push origin :old-branch",
        "git push origin :refs/tags/v1",
        "git push --prune origin 'refs/heads/*'",
    ],
    near_misses: &["git push origin HEAD:main", "git push --mirror origin"],
    safe: &[
        "git push origin main:main",
        "git push --dry-run origin :old",
        "git branch --delete merged",
        "git push git@host:me/x.git",
        "git fetch --prune",
    ],
    ..GIT
};

fn deletes(look: &Look<'_>) -> Option<Hit> {
    let sub = pushed(look).filter(|sub| !is_dry(sub))?;
    if sub.has('d', "delete") || sub.options.options.iter().any(|o| o.is_long("prune")) {
        return Some(look.hit());
    }
    // `:` alone pushes branches of the same name.
    let gone = sub.options.operands.iter().find(|word| {
        word.known_prefix()
            .strip_prefix(':')
            .is_some_and(|rest| !rest.is_empty() || word.known().is_none())
    })?;
    Some(look.hit_word(gone))
}

pub(super) const MIRROR: Rule = Rule {
    id: "git.push-mirror",
    severity: Severity::High,
    keys: &[Key::ours("git push --mirror (can delete remote branches)")],
    accepts: &[FORCE_KEY],
    reason: "This makes the remote the same as this repository: everything that is only there goes.",
    alternative: Some("Push branches and tags only: `git push --all origin`."),
    test: Test::Program(PROGRAMS, |look| {
        let sub = pushed(look).filter(|sub| !is_dry(sub))?;
        let at = sub.options.options.iter().find(|o| o.is_long("mirror"))?;
        Some(look.hit_word(sub.words.get(at.word)?))
    }),
    matches: &["git push --mirror origin", "git push --mir backup"],
    near_misses: &["git push --all origin", "git push --mirror -n origin"],
    safe: &["git clone --mirror https://git.example.net/x.git"],
    ..GIT
};
