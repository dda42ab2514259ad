//! Emptying, destroying, moving away and replacing files.

use crate::invocation::{Invocation, Redirect, Stdin};
use crate::paths::{Place, Target};
use crate::rule::{Help, Key, Rule, Severity, Test};
use crate::word::{Unknown, Word};

const EMPTIED: &[Key] = &[Key::ours("empty a file")];

pub(super) const TRUNCATE: Rule = Rule {
    id: "fs.truncate",
    class: "fs-other",
    severity: Severity::Medium,
    keys: EMPTIED,
    reason: "This cuts off the content of files.",
    alternative: Some("Keep a copy first with `cp -p`."),
    test: Test::Program(&["truncate", "fallocate"], |look| {
        if look.name == "fallocate" {
            return HOLES
                .iter()
                .any(|(letter, long)| look.has(*letter, long))
                .then(|| look.hit());
        }
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
        "fallocate --punch-hole -o 0 -l 1G app.db",
        "fallocate -c -o 0 -l 4096 app.db",
        "fallocate -z -l 1M app.db",
    ],
    near_misses: &["truncate -s 10M disk.img"],
    safe: &[
        "truncate --help",
        "truncate -s 10M disk.img",
        "truncate -s +1M x",
        "fallocate -l 1G swap.img",
        "fallocate -d disk.img",
        "cat truncate x",
    ],
    ..Rule::ASK
};

/// What cuts holes into a file or takes pieces out.
const HOLES: &[(char, &str)] = &[
    ('c', "collapse-range"),
    ('i', "insert-range"),
    ('p', "punch-hole"),
    ('z', "zero-range"),
];

pub(super) const SHRED: Rule = Rule {
    id: "fs.shred",
    class: "fs-rm",
    severity: Severity::High,
    keys: &[Key::ours("overwrite or wipe files for good")],
    reason: "This overwrites files so that nobody can bring them back.",
    alternative: Some("Delete the one file with `rm`."),
    test: Test::Program(
        &[
            "bcwipe", "nwipe", "scrub", "sdelete", "shred", "srm", "wipe",
        ],
        |look| (!look.words().is_empty()).then(|| look.hit()),
    ),
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
        // What is printed later goes there, too, but no longer to where it was seen.
        let exec = look.invocation.is("exec") && look.words().is_empty();
        if group || !exec && !prints_nothing(look.invocation) {
            return None;
        }
        let looped = look.invocation.context.in_loop && !exec;
        let word = look
            .invocation
            .redirects
            .iter()
            .filter(|r: &&Redirect| r.truncates() && r.descriptor == 1)
            .filter_map(|r| r.target.as_ref())
            .find(|w| {
                let target = look.target(w);
                may_hold_data(&target) || looped && names_each(w)
            })?;
        Some(look.hit_word(word))
    }),
    matches: &[
        "cat < /dev/null >| app.db",
        "cat /dev/urandom > app.db",
        "yes > app.db",
        "exec > app.db",
        "head -c0 > app.db",
        "echo '' > app.db",
        "for f in *.csv; do : > \"$f\"; done",
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
        "exec > build.log 2>&1",
        "exec 3> lock",
        ": > \"$LOG\"",
    ],
    ..Rule::ASK
};

fn prints_nothing(invocation: &Invocation) -> bool {
    let arguments = invocation.arguments();
    match invocation.name() {
        None => invocation.argv.is_empty() && invocation.assignments.is_empty(),
        Some(":" | "true") => true,
        // What holds no data, either.
        Some("yes") => true,
        Some("cat") => match arguments {
            [] => is_fed_nothing(invocation),
            [only] => matches!(
                only.known(),
                Some("/dev/null" | "/dev/random" | "/dev/urandom" | "/dev/zero")
            ),
            _ => false,
        },
        Some("echo") => arguments
            .iter()
            .all(|w| matches!(w.known(), Some("" | "-n" | "-e" | "-ne" | "-en"))),
        Some("printf") => arguments
            .iter()
            .all(|w| matches!(w.known(), Some("" | "%s" | "--" | "\\n" | "%s\\n"))),
        Some("head" | "tail") => match arguments {
            [only] => matches!(only.known(), Some("-c0" | "-n0")),
            [option, count, ..] => {
                matches!(option.known(), Some("-c" | "-n" | "-qc" | "-qn"))
                    && count.known() == Some("0")
                    || matches!(option.known(), Some("-c0" | "-n0"))
            }
            _ => false,
        },
        _ => false,
    }
}

/// True if standard input is empty, by the text.
fn is_fed_nothing(invocation: &Invocation) -> bool {
    match &invocation.stdin {
        Stdin::File(word) => word.known() == Some("/dev/null"),
        Stdin::HereString(word) => word.known() == Some(""),
        Stdin::HereDocument { body, .. } => body.known() == Some(""),
        _ => false,
    }
}

/// True if the word is a variable that the loop sets, or an input of a search.
fn names_each(word: &Word) -> bool {
    word.unknowns()
        .any(|u| matches!(u, Unknown::Variable(_) | Unknown::Input))
}

pub(super) const EMPTY_INPUT: Rule = Rule {
    id: "fs.empty-by-tee",
    class: "fs-other",
    severity: Severity::Medium,
    keys: EMPTIED,
    reason: "This empties files: nothing comes in that could be written into them.",
    alternative: Some("Keep a copy first with `cp -p`."),
    test: Test::Program(&["tee", "gtee", "sponge"], |look| {
        if look.has('a', "append") {
            return None;
        }
        let mut upstream = look.upstream();
        let nothing = match look.invocation.stdin {
            Stdin::Pipe(_) => upstream.next().is_some_and(prints_nothing),
            _ => is_fed_nothing(look.invocation),
        };
        let mut files = look.operands().iter().copied();
        let file = files.find(|w| may_hold_data(&look.target(w)) || names_each(w))?;
        nothing.then(|| look.hit_word(file))
    }),
    matches: &[
        "tee *.py <<< ''",
        "tee users.db < /dev/null",
        "sponge users.csv < /dev/null",
        ": | tee users.csv",
        "cat /dev/null | sudo tee users.csv",
        "printf '' | tee users.csv",
    ],
    near_misses: &[
        "tee -a users.csv < /dev/null",
        "make | tee users.csv",
        "tee users.csv < new.csv",
    ],
    safe: &[
        "tee out.txt < in.txt",
        ": | tee app.log",
        "tee notes.md <<< 'a'",
    ],
    ..Rule::ASK
};

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

pub(super) fn may_hold_data(target: &Target<'_>) -> bool {
    if matches!(target.place(), Some(Place::Sink | Place::Temp)) {
        return false;
    }
    let known: Vec<&str> = target.values().collect();
    let on_purpose = |value: &&str| {
        // `/dev/tcp/host/port`
        if value.starts_with("/dev/") {
            return true;
        }
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
        let swept = look.repeated_by().is_some() && names_each(last);
        (nothing && forced && (swept || may_hold_data(&into))).then(|| look.hit_word(last))
    }),
    matches: &[
        "mv src /dev/null",
        "cp /dev/null app.db",
        "find . -name '*.db' -exec cp /dev/null {} \\;",
        "ln -sf /dev/null ~/.bash_history",
    ],
    near_misses: &["cp a b", "cp /dev/null x.log"],
    safe: &["cp -r src src.bak", "mv file.{txt,md}", "make > /dev/null"],
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
