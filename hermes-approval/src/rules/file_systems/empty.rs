//! Emptying, destroying, moving away and replacing files.

use crate::invocation::{Invocation, Redirect};
use crate::paths::{Place, Target, Tree};
use crate::rule::{Help, Key, Rule, Severity, Test};

const EMPTIED: &[Key] = &[Key::ours("empty a file")];

pub(super) const TRUNCATE: Rule = Rule {
    id: "fs.truncate",
    class: "fs-other",
    severity: Severity::Medium,
    keys: EMPTIED,
    reason: "This cuts off the content of files.",
    alternative: Some("Keep a copy first with `cp -p`."),
    test: Test::Program(&["truncate"], |look| {
        let size = look.value('s', "size")?;
        let cuts = size
            .trim_start_matches('0')
            .trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let cuts = cuts.is_empty() || size.starts_with(['-', '<', '/', '%']);
        let plain = look
            .operands()
            .iter()
            .all(|w| look.target(w).place() == Some(Place::Temp));
        (cuts && !plain).then(|| look.hit())
    }),
    matches: &[
        "truncate -s 0 app.db",
        "truncate --size=0 *.log",
        "truncate -s0 x",
        "find . -name '*.py' -exec truncate -s 0 {} \\;",
    ],
    near_misses: &["truncate -s 10M disk.img"],
    safe: &[
        "truncate --help",
        "truncate -s 10M disk.img",
        "truncate -s +1M x",
        "cat truncate x",
    ],
    ..Rule::ASK
};

pub(super) const SHRED: Rule = Rule {
    id: "fs.shred",
    class: "fs-rm",
    severity: Severity::High,
    keys: &[Key::ours("overwrite or wipe files for good")],
    reason: "This overwrites files so that nobody can bring them back.",
    alternative: Some("Delete the one file with `rm`."),
    test: Test::Program(&["shred", "srm", "wipe", "scrub", "sdelete"], |look| {
        (!look.words().is_empty()).then(|| look.hit())
    }),
    matches: &[
        "shred -u key.pem",
        "srm -r private",
        "find . -name '*.key' -exec shred -u {} \\;",
        "printf '%s\\n' keep.db | xargs shred -u",
    ],
    near_misses: &["shred --help"],
    safe: &["shred --version", "ls shred"],
    ..Rule::ASK
};

pub(super) const EMPTY: Rule = Rule {
    id: "fs.empty-by-redirection",
    class: "fs-other",
    severity: Severity::Medium,
    keys: EMPTIED,
    reason: "This empties a file: nothing is printed into it.",
    alternative: Some("Keep a copy first with `cp -p`."),
    test: Test::Redirect(|look| {
        // The redirection of `{ …; } > f` has no program either, but something prints.
        let analysis = look.scope.analysis;
        let pipeline = analysis.pipelines().get(look.invocation.pipeline.0);
        let alone = pipeline.is_none_or(|p| p.last.0 == p.first.0 + 1);
        let group = look.invocation.argv.is_empty() && !alone;
        if group || !prints_nothing(look.invocation) {
            return None;
        }
        let word = look
            .invocation
            .redirects
            .iter()
            .filter(|r: &&Redirect| r.truncates() && r.descriptor == 1)
            .filter_map(|r| r.target.as_ref())
            .find(|w| may_hold_data(&look.target(w)))?;
        Some(look.hit_word(word))
    }),
    matches: &[
        ": > app.db",
        "cat /dev/null > users.csv",
        "> config.json",
        "true > src/main.rs",
        "echo -n > a.json",
    ],
    near_misses: &["echo x > app.db", ": >> app.db", "cat a > b"],
    safe: &[
        ": > app.log",
        "> /tmp/x",
        ": > .gitkeep",
        "{ echo a; cat b; } > out.csv",
        "echo hello > notes.txt",
        "exec > /dev/null",
    ],
    ..Rule::ASK
};

fn prints_nothing(invocation: &Invocation) -> bool {
    let arguments = invocation.arguments();
    match invocation.name() {
        None => invocation.argv.is_empty() && invocation.assignments.is_empty(),
        Some(":" | "true") => true,
        Some("cat") => matches!(arguments, [only] if only.known() == Some("/dev/null")),
        Some("echo") => matches!(arguments, [only] if only.known() == Some("-n")),
        Some("printf") => matches!(arguments, [only] if only.known() == Some("")),
        _ => false,
    }
}

/// Endings and names of files that are made empty on purpose.
const EMPTY_ON_PURPOSE: &[&str] = &[
    ".err",
    ".gitignore",
    ".gitkeep",
    ".keep",
    ".lock",
    ".log",
    ".nojekyll",
    ".out",
    ".pid",
    ".stamp",
    ".tmp",
    "__init__.py",
    "py.typed",
];

/// Names that output has, to be started afresh.
const OUTPUTS: &[&str] = &["log", "out", "output", "result", "results", "temp", "tmp"];

fn may_hold_data(target: &Target<'_>) -> bool {
    if matches!(target.place(), Some(Place::Sink | Place::Temp)) {
        return false;
    }
    let known: Vec<&str> = target.values().collect();
    let on_purpose = |value: &&str| {
        let name = value.rsplit('/').next().unwrap_or(value);
        let stem = name.split('.').next().unwrap_or(name);
        EMPTY_ON_PURPOSE.iter().any(|end| name.ends_with(end)) || OUTPUTS.contains(&stem)
    };
    !known.is_empty() && !known.iter().all(on_purpose)
}

pub(super) const REPLACE: Rule = Rule {
    id: "fs.replace-by-nothing",
    class: "fs-other",
    severity: Severity::High,
    keys: EMPTIED,
    reason: "This replaces a file by nothing, or moves files where they are lost.",
    alternative: Some("Move the files aside instead: `mv src src.old`."),
    test: Test::Program(&["cp", "mv", "install", "rsync", "ln"], |look| {
        let (last, sources) = look.operands().split_last()?;
        let into = look.target(last);
        if look.name == "mv" && into.place() == Some(Place::Sink) {
            return Some(look.hit_word(last));
        }
        let nothing = sources.iter().any(|w| w.known() == Some("/dev/null"));
        // A unit is masked by such a link, and a link to nothing that is new does no harm.
        let forced = look.name != "ln" || look.has('f', "force");
        (nothing && forced && may_hold_data(&into)).then(|| look.hit_word(last))
    }),
    matches: &[
        "mv src /dev/null",
        "cp /dev/null app.db",
        "ln -sf /dev/null ~/.bash_history",
    ],
    near_misses: &["cp a b", "cp /dev/null x.log"],
    safe: &["cp -r src src.bak", "mv file.{txt,md}", "make > /dev/null"],
    ..Rule::ASK
};

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
    ],
    near_misses: &["mv src old"],
    safe: &["mv a.txt b.txt", "mv .env.example .env.sample"],
    ..Rule::ASK
};

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

pub(super) const ARCHIVE: Rule = Rule {
    id: "fs.archive-and-delete",
    class: "fs-other",
    severity: Severity::Medium,
    keys: &[Key::ours("archive and delete the originals")],
    reason: "This deletes the files after it has put them into an archive.",
    alternative: Some("Make the archive, check it, then delete."),
    test: Test::Program(
        &["tar", "bsdtar", "zip", "7z", "7za", "7zz", "rar"],
        |look| {
            let deletes = match look.name {
                "tar" | "bsdtar" => look.has('\0', "remove-files"),
                "zip" => look.has('m', "move") || look.has('d', "delete"),
                "rar" => matches!(look.word(0), Some("m" | "mf" | "d")),
                _ => {
                    look.words().iter().any(|w| w.known() == Some("-sdel"))
                        || look.word(0) == Some("d")
                }
            };
            deletes.then(|| look.hit())
        },
    ),
    matches: &[
        "tar cf a.tar src --remove-files",
        "7z a x.7z src -sdel",
        "zip -m x.zip src/*",
        "zip -d a.zip x",
    ],
    near_misses: &["tar cf a.tar src"],
    safe: &["zip -r x.zip src", "7z a x.7z src", "tar czf src.tgz src"],
    ..Rule::ASK
};

pub(super) const TRASH: Rule = Rule {
    id: "fs.empty-trash",
    class: "fs-rm",
    severity: Severity::Medium,
    keys: &[Key::ours("empty the trash")],
    reason: "This deletes for good what could still be brought back.",
    alternative: Some("Show what is in it with `trash-list`."),
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "trash-empty",
            "gio",
            "trash-rm",
            "kioclient",
            "gvfs-trash",
            "trash",
            "rmtrash",
        ],
        |look| {
            let empties = match look.name {
                "gio" => look.operand(0) == Some("trash") && look.has('\0', "empty"),
                "gvfs-trash" | "trash" => look.has('\0', "empty") || look.has('e', ""),
                "kioclient" => look.verbs(&["emptyTrash"]),
                "rmtrash" => false,
                _ => true,
            };
            empties.then(|| look.hit())
        },
    ),
    matches: &["trash-empty", "gio trash --empty", "trash-rm '*.o'"],
    near_misses: &["gio trash notes.txt", "trash notes.txt"],
    safe: &["trash-list", "trash-put notes.txt", "gio list"],
    ..Rule::ASK
};
