//! Code that is loaded into a program before it runs.

use crate::rule::{Key, Rule, Severity, Test};

pub(super) const SEARCH_PATH: Rule = Rule {
    id: "shell.search-path",
    class: "eval",
    severity: Severity::Medium,
    keys: &[Key::ours(
        "search path with a folder that everybody can write",
    )],
    reason: "Programs would be looked for in a folder that everybody can write, before their own.",
    alternative: Some("Call the program by its path."),
    test: Test::Any(|look| {
        let open = |path: &str| {
            let mut folders = path.split(':').take_while(|f| !f.starts_with("/usr"));
            folders.any(|f| {
                let f = f.trim_end_matches('/');
                matches!(f, "." | "/dev/shm")
                    || f == "/tmp"
                    || f.starts_with("/tmp/")
                    || f.starts_with("/var/tmp")
            })
        };
        let assignment = look.invocation.assignments.iter().find(|a| {
            a.name == "PATH" && a.values.first().is_some_and(|v| open(v.known_prefix()))
        })?;
        Some(look.hit_at(assignment.span))
    }),
    matches: &["export PATH=/tmp:$PATH", "PATH=.:$PATH make"],
    near_misses: &["export PATH=$PATH:~/bin"],
    safe: &[
        "export PATH=$PATH:~/bin",
        "export PATH=\"$HOME/.local/bin:$PATH\"",
        "PATH=./node_modules/.bin:$PATH tsc",
    ],
    ..Rule::ASK
};

pub(super) const AGAIN: Rule = Rule {
    id: "shell.run-history",
    class: "eval",
    severity: Severity::Medium,
    keys: &[Key::ours("run a command of the history again")],
    reason: "What is run again is only known to the shell's history.",
    alternative: Some("Write the command literally; show the history with `fc -l`."),
    test: Test::Program(&["fc"], |look| {
        let again = look.has('s', "") || look.has('e', "");
        again.then(|| look.hit())
    }),
    matches: &["fc -s rm", "fc -s a=b", "fc -e - rm", "fc -e ./x 10 20"],
    near_misses: &["fc -l"],
    safe: &["fc -l 10", "fc -ln -1", "fc a.txt b.txt"],
    ..Rule::ASK
};

pub(super) const HISTORY: Rule = Rule {
    id: "shell.hide-history",
    class: "eval",
    severity: Severity::Low,
    keys: &[Key::ours("clear or switch off the shell's history")],
    reason: "This hides what was done from whoever looks at the history.",
    alternative: Some("Leave the history alone."),
    test: Test::Any(|look| {
        let invocation = look.invocation;
        let assigned = invocation.assignments.iter().find(|a| {
            let value = a.values.first().and_then(|v| v.known());
            match a.name.as_str() {
                "HISTFILE" => matches!(value, Some("" | "/dev/null")),
                "HISTSIZE" | "HISTFILESIZE" => value == Some("0"),
                _ => false,
            }
        });
        if let Some(assignment) = assigned {
            return Some(look.hit_at(assignment.span));
        }
        let hides = match look.name {
            "history" => matches!(look.word(0), Some("-c" | "-d" | "-cw")),
            "unset" => look.has_word("HISTFILE"),
            "set" => look.word(0) == Some("+o") && look.word(1) == Some("history"),
            _ => false,
        };
        hides.then(|| look.hit())
    }),
    matches: &[
        "history -c",
        "unset HISTFILE",
        "export HISTFILE=/dev/null",
        "HISTSIZE=0",
        "set +o history",
    ],
    near_misses: &["history 20"],
    safe: &["history | tail", "export HISTSIZE=10000", "unset FOO"],
    ..Rule::ASK
};
