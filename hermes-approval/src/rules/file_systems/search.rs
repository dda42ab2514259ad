//! Searches that delete, write over a file, or run what they find.

use super::empty::may_hold_data;
use crate::find;
use crate::removal::{is_find, sweep};
use crate::rule::{Key, Rule, Severity, Test};
use crate::word::Unknown;

pub(super) const DELETE: Rule = Rule {
    id: "fs.find-delete",
    class: "fs-find",
    severity: Severity::High,
    keys: &[Key::both("find -delete")],
    reason: "This deletes everything that a search finds.",
    alternative: Some("Look at what it finds first: `find . -name x -print`."),
    test: Test::Program(find::PROGRAMS, |look| {
        let at = find::action(look.words(), "-delete")?;
        let hit = look.hit_word(at);
        let wide = sweep(look, look.invocation)?.tree().is_some();
        Some(if wide {
            hit.severity(Severity::Critical)
        } else {
            hit
        })
    }),
    matches: &[
        "find . -delete",
        "find . -name '*.log' -mtime +30 -delete",
        "find . \"-delete\"",
        "gfind . -name '*.o' -o -name '*.c' -delete",
        "bfs . -name '*.c' -delete",
        "find . -name '-name' -delete",
    ],
    near_misses: &["find . -deleted", "find . -name '-delete'"],
    safe: &[
        "find . -name delete.sql",
        "find . -name '-delete'",
        "find . -path ./x -newer -delete",
        "find . -exec grep -l delete {} \\;",
    ],
    ..Rule::ASK
};

pub(super) const OUTPUT: Rule = Rule {
    id: "fs.find-output",
    class: "fs-find",
    severity: Severity::Medium,
    keys: &[Key::ours("write what a search finds over a file")],
    reason: "This overwrites a file with a list of what the search finds.",
    alternative: Some("Write the list to a new file: `find src -type f > /tmp/list.txt`."),
    test: Test::Program(find::PROGRAMS, |look| {
        let mut writes = look.writes().iter();
        let file = writes.find(|w| {
            let name = w.target.word.text();
            may_hold_data(&w.target) && !LISTS.iter().any(|end| name.ends_with(end))
        })?;
        Some(look.hit_word(file.target.word))
    }),
    matches: &[
        "find src -type f -fprint src/main.c",
        "find . -fls app.db",
        "find . -fprintf config.json '%p'",
    ],
    near_misses: &[
        "find . -fprint files.txt",
        "find . -name -fprint -o -name main.c",
        "find . -fprint0 /dev/stderr",
    ],
    safe: &["find . -name '*.c' -fprint list.txt", "find . -printf '%p'"],
    ..Rule::ASK
};

pub(super) const RUN: Rule = Rule {
    id: "fs.find-runs",
    class: "fs-find",
    severity: Severity::Medium,
    keys: &[Key::ours("run every script that a search finds")],
    reason: "This runs every script that a search happens to find.",
    alternative: Some(
        "Check them instead of running them: `find . -name '*.sh' -exec sh -n {} +`.",
    ),
    test: Test::Program(
        &[
            "bash", "dash", "ksh", "node", "perl*", "php*", "python*", "ruby*", "sh", "zsh",
        ],
        |look| {
            let script = look.words().first()?;
            let found = script.unknowns().any(|u| *u == Unknown::Input);
            let by = look.repeated_by()?;
            let search = is_find(by) || look.scope.look(by).upstream().any(is_find);
            (found && search).then(|| look.hit_word(script))
        },
    ),
    matches: &[
        "find . -name '*.sh' -exec sh {} \\;",
        "find . -name '*.py' | xargs -n1 python3",
    ],
    near_misses: &[
        "find . -name '*.sh' -exec sh -n {} \\;",
        "git ls-files '*.sh' | xargs -n1 bash -n",
    ],
    safe: &[
        "find . -name '*.sh' -exec bash -n {} \\;",
        "find . -name '*.py' -exec python3 -m py_compile {} +",
    ],
    ..Rule::ASK
};

/// What names of lists end in.
const LISTS: &[&str] = &[".list", ".lst", ".txt"];
