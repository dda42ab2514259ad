//! git and the places that host its repositories.

mod branches;
mod discard;
mod history;
mod hosting;
mod other_systems;
mod push;
mod settings;

use std::borrow::Cow;

use crate::grammar::{self, Options, Order, UNKNOWN_TOOL};
use crate::look::{Look, Sub};
use crate::rule::{Help, Pack, Rule};

pub(super) static PACK: Pack = Pack {
    name: "git",
    about: "losing work in git, rewriting shared history, settings that run programs",
    rules: &[
        push::FORCE,
        push::FORCE_SHORT,
        push::FORCE_REFSPEC,
        push::DELETE,
        push::MIRROR,
        discard::RESET_HARD,
        discard::RESET_MERGE,
        discard::CLEAN,
        discard::CHECKOUT,
        discard::RESTORE,
        discard::SWITCH,
        discard::STASH,
        discard::REMOVE,
        discard::WORKTREE,
        discard::SUBMODULE,
        branches::DELETE,
        branches::DELETE_LONG,
        branches::MOVE,
        branches::TAG,
        history::REFLOG,
        history::PRUNE,
        history::REWRITE,
        history::REFS,
        history::TODO,
        settings::PROGRAM,
        settings::SAFETY,
        hosting::DELETE,
        hosting::OPEN,
        other_systems::LOSE,
    ],
};

/// What the rules for git have in common: `--help` may stand anywhere.
const GIT: Rule = Rule {
    class: "git",
    help: Help::Anywhere,
    ..Rule::ASK
};

/// git, its subcommands as programs of their own, and programs that take all of its arguments.
const PROGRAMS: &[&str] = &[
    "git",
    "git-branch",
    "git-checkout",
    "git-checkout-index",
    "git-clean",
    "git-config",
    "git-filter-branch",
    "git-filter-repo",
    "git-gc",
    "git-prune",
    "git-lfs",
    "git-push",
    "git-read-tree",
    "git-rebase",
    "git-reflog",
    "git-reset",
    "git-restore",
    "git-rm",
    "git-send-pack",
    "git-stash",
    "git-switch",
    "git-tag",
    "git-update-ref",
    "hub",
    "yadm",
];

/// The subcommand, however it was called.
fn subcommand<'l, 'a>(look: &'l Look<'a>) -> Option<Cow<'l, Sub<'a>>> {
    if look.name == "git" {
        return look.sub().map(Cow::Borrowed);
    }
    let git = grammar::grammar("git").unwrap_or(&UNKNOWN_TOOL);
    let (global, name, words) = match look.name.strip_prefix("git-") {
        Some(name) => (Options::default(), name, look.words()),
        None => {
            let global = grammar::read(look.words(), git, Order::First);
            let name = global.operands.first()?.candidates().next()?;
            let words = look.words().get(global.rest + 1..)?;
            (global, name, words)
        }
    };
    let own = grammar::grammar(&format!("git {name}")).unwrap_or(git);
    Some(Cow::Owned(Sub {
        name,
        options: grammar::read(words, own, Order::Anywhere),
        global,
        words,
    }))
}

/// The subcommand, if it is this one.
fn called<'l, 'a>(look: &'l Look<'a>, name: &str) -> Option<Cow<'l, Sub<'a>>> {
    subcommand(look).filter(|sub| sub.name == name)
}

/// True if the n-th operand of the subcommand is one of these.
fn operand_is(sub: &Sub<'_>, n: usize, expected: &[&str]) -> bool {
    sub.options
        .operands
        .get(n)
        .is_some_and(|word| word.candidates().any(|c| expected.contains(&c)))
}
