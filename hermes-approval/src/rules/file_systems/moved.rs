//! Moving files to where they are missed or lost, and synchronising with deletion.

use crate::grammar::OptValue;
use crate::look::Look;
use crate::paths::{Place, Tree};
use crate::rule::{Help, Hit, Key, Rule, Severity, Test};
use crate::word::{Unknown, Word};

pub(super) const MOVE_AWAY: Rule = Rule {
    id: "fs.move-away",
    class: "fs-other",
    severity: Severity::High,
    keys: &[Key::ours("move sensitive files away")],
    reason: "This moves away files that the system, an account or Hermes depends on.",
    alternative: Some("Copy them instead with `cp -p`."),
    test: Test::Program(&["mv"], |look| {
        if look.repeated_by().is_some() {
            return Some(
                look.hit()
                    .reason("This moves whatever a search or a list happens to name."),
            );
        }
        let operands = look.operands();
        let into = usize::from(!look.has('t', "target-directory"));
        let sources = operands.get(..operands.len().saturating_sub(into))?;
        if let Some(hit) = is_lost(look, sources) {
            return Some(hit);
        }
        let away = sources.iter().find(|w| {
            let target = look.target(w);
            target.tree().is_some_and(|t| t >= Tree::HermesHome)
                || target.place().is_some_and(|p| {
                    p.is_system() || p.is_personal() || p.is_hermes() || p == Place::History
                })
        })?;
        Some(look.hit_word(away))
    }),
    matches: &[
        "mv ~/.bashrc /tmp/gone",
        "mv $HERMES_HOME /tmp/lost",
        "mv ~/.hermes/config.yaml /tmp/",
        "mv /etc/hosts /tmp",
        "find . -exec mv {} /tmp/ \\;",
        "mv -f * /tmp/",
        "mv docs /tmp/$RANDOM",
        "mv ~/notes /dev/shm/",
        "mv -t /dev/shm docs",
    ],
    near_misses: &["mv src old", "mv /tmp/x/* /tmp/y", "mv build/* out/"],
    safe: &[
        "mv a.txt b.txt",
        "mv .env.example .env.sample",
        "mv old.log /tmp/",
    ],
    ..Rule::ASK
};

/// Everything goes to where it is deleted some day, or to a name that nobody knows.
fn is_lost<'a>(look: &Look<'a>, sources: &[&'a Word]) -> Option<Hit> {
    let into = match look.options().value('t', "target-directory") {
        Some(OptValue::Word(word)) => word,
        _ => look.operands().last()?,
    };
    if look.target(into).place() != Some(Place::Temp) {
        return None;
    }
    let mut lasting = sources
        .iter()
        .filter(|w| look.target(w).place() != Some(Place::Temp));
    let volatile = into.known_prefix().starts_with("/dev/shm");
    let nameless = into
        .unknowns()
        .any(|u| matches!(u, Unknown::Variable(name) if name == "RANDOM"))
        || into.unknowns().any(|u| matches!(u, Unknown::Special('$')));
    let lost = lasting.find(|w| volatile || nameless || look.target(w).is_everything())?;
    Some(
        look.hit_word(lost)
            .reason("This moves files to where they are deleted or can't be found again."),
    )
}

pub(super) const SYNC_DELETE: Rule = Rule {
    id: "fs.sync-delete",
    class: "fs-other",
    severity: Severity::High,
    keys: &[Key::ours("synchronise with deletion")],
    reason: "This deletes everything in the target that the source doesn't have.",
    alternative: Some("See what would go: `rsync -avn --delete a/ b/`."),
    help: Help::Anywhere,
    test: Test::Program(&["rsync", "robocopy", "unison", "lsyncd"], |look| {
        let deletes = look
            .options()
            .options
            .iter()
            .any(|o| o.long && (o.name.starts_with("del") || o.name == "remove-source-files"));
        let tries = look.has('n', "dry-run") || look.has('\0', "list-only");
        if !deletes || tries || look.name != "rsync" {
            return None;
        }
        let vital = look
            .operands()
            .last()
            .is_some_and(|w| look.target(w).tree().is_some_and(|t| t.is_vital()));
        let hit = look.hit();
        Some(if vital {
            hit.severity(Severity::Critical)
        } else {
            hit
        })
    }),
    matches: &[
        "rsync -a --delete empty/ project/",
        "rsync -av --del ./a/ host:/srv/a/",
        "rsync -a --remove-source-files a b",
    ],
    near_misses: &["rsync -avn --delete a/ b/"],
    safe: &[
        "rsync -av src/ backup/",
        "rsync -avn --delete a/ b/",
        "rsync --version",
    ],
    ..Rule::ASK
};

pub(super) const CLEANERS: Rule = Rule {
    id: "fs.delete-by-tool",
    class: "fs-other",
    severity: Severity::High,
    keys: &[Key::ours("delete what a cleaning tool finds")],
    reason: "This deletes files that a tool takes for duplicates or for old.",
    alternative: Some("List them first: `fdupes -r src`."),
    test: Test::Program(
        &[
            "bleachbit",
            "fdupes",
            "jdupes",
            "rdfind",
            "tmpreaper",
            "tmpwatch",
        ],
        |look| {
            let deletes = match look.name {
                "bleachbit" => look.has('c', "clean") || look.has('s', "shred"),
                "fdupes" | "jdupes" => look.has('d', "delete"),
                "rdfind" => look.words().windows(2).any(|pair| {
                    let mut words = pair.iter().map(Word::text);
                    words.next() == Some("-deleteduplicates") && words.next() == Some("true")
                }),
                _ => !look.has('t', "test") && !look.operands().is_empty(),
            };
            deletes.then(|| look.hit())
        },
    ),
    matches: &[
        "fdupes -dN .",
        "jdupes -r --delete src",
        "rdfind -deleteduplicates true .",
        "tmpreaper 1h /srv",
        "bleachbit --clean system.cache",
    ],
    near_misses: &["fdupes -r src", "tmpreaper --test 1h /srv"],
    safe: &["rdfind -dryrun true .", "jdupes src"],
    ..Rule::ASK
};
