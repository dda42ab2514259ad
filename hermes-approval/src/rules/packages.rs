//! Packages: removing, publishing, and installing from places that nobody checks.

mod publish;
mod remove;
mod sources;

pub(super) use sources::{package_words, runs_package};

use crate::look::Look;
use crate::rule::{Help, Pack, Rule};

pub(super) static PACK: Pack = Pack {
    name: "pkg",
    about: "removing and publishing packages, and installing from unchecked places",
    rules: &[
        remove::SYSTEM,
        remove::TOOLS,
        publish::PUBLISH,
        publish::WITHDRAW,
        sources::UNTRUSTED,
        sources::KEYS,
        sources::UNCHECKED,
    ],
};

const PKG: Rule = Rule {
    class: "pkg",
    help: Help::Anywhere,
    ..Rule::ASK
};

/// A row: programs, and the operands that they start with.
type Verbs = (&'static [&'static str], &'static [&'static [&'static str]]);

/// True if a table has a row for these operands.
fn has_verb(look: &Look<'_>, table: &[Verbs]) -> bool {
    table
        .iter()
        .filter(|(names, _)| names.contains(&look.name))
        .any(|(_, verbs)| verbs.iter().any(|v| look.verbs(v)))
}

/// True if the command is only tried out.
fn is_dry(look: &Look<'_>) -> bool {
    // At the end, where no value can follow, it asks for help; in front it may be a host.
    if look.words().last().and_then(|w| w.known()) == Some("-h") {
        return true;
    }
    let mut options = look.options().options.iter();
    options.any(|o| {
        (o.long
            && matches!(
                o.name,
                "dry-run"
                    | "simulate"
                    | "just-print"
                    | "no-act"
                    | "recon"
                    | "test"
                    | "assumeno"
                    | "print"
                    | "download-only"
                    | "preview"
                    | "snapshot"
            ))
            || match look.name {
                "apt" | "apt-get" | "aptitude" => o.is_short('s'),
                "brew" | "cargo" => o.is_short('n'),
                "pacman" => o.is_short('p'),
                "nx" | "semantic-release" => o.is_short('d'),
                "zypper" => o.is_short('D'),
                _ => false,
            }
    })
}
