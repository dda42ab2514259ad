//! What was not understood, and what can't be: asked, never silently allowed.

use crate::coverage::{Coverage, Gap};
use crate::invocation::{Host, Invocation, Source};
use crate::look::Scope;
use crate::patterns;
use crate::rule::{Hit, Key, Pack, Rule, Severity};
use crate::word::Unknown;

pub(crate) static PACK: Pack = Pack {
    name: "unclear",
    about: "what was not understood, or is decided only when it runs",
    rules: &[LIMIT, MALFORMED, PATTERN, DYNAMIC_CODE, DYNAMIC_COMMAND],
};

// These are noted by `check`; their own tests never fire.

pub(crate) const LIMIT: Rule = Rule {
    id: "unclear.limit",
    class: "fp-long",
    severity: Severity::High,
    keys: &[Key::from19("command parser limit exceeded")],
    reason: "The command is too large or nested too deeply to be understood.",
    alternative: Some("Split it into several commands, or put it into a script that can be read."),
    ..Rule::ASK
};

pub(crate) const MALFORMED: Rule = Rule {
    id: "unclear.malformed",
    class: "fp-quoted",
    severity: Severity::Low,
    keys: &[Key::ours("command is not well formed")],
    accepts: &[Key::from19(
        "command parser limit or malformed executable payload",
    )],
    reason: "The command is not well formed, so what a shell makes of it can't be told.",
    alternative: Some("Close the open quote or bracket."),
    matches: &["echo \"abc", "ls $(", "echo 'it is done"],
    safe: &["echo abc"],
    ..Rule::ASK
};

pub(crate) const PATTERN: Rule = Rule {
    id: "unclear.pattern",
    class: "fp-quoted",
    severity: Severity::High,
    reason: "The command is not well formed, and its text looks like a dangerous command.",
    alternative: Some("Close the open quote or bracket."),
    matches: &["echo \"; rm -rf src"],
    near_misses: &["echo \"abc"],
    ..Rule::ASK
};

const DYNAMIC_CODE: Rule = Rule {
    id: "unclear.dynamic-code",
    class: "interp-inline",
    keys: &[Key::both("script execution via -e/-c flag")],
    accepts: &[Key::both("script execution via heredoc")],
    reason: "The script decides at run time what it runs, so it can't be checked.",
    alternative: Some("Write what is to be run literally."),
    matches: &[
        "python3 -c 'exec(input())'",
        "python3 -c 'import os; os.system(cmd)'",
    ],
    safe: &["python3 -c 'print(1)'"],
    ..Rule::ASK
};

pub(crate) const DYNAMIC_COMMAND: Rule = Rule {
    id: "unclear.dynamic-command",
    class: "obfus-var",
    keys: &[Key::ours("dynamic command name")],
    accepts: &[Key::both("shell command via -c/-lc flag")],
    reason: "The name of the program is decided only when it runs.",
    alternative: Some("Write the program's name literally."),
    matches: &[
        "$CMD -rf src",
        "\"$(cat x)\" a",
        "$(curl u)",
        "/opt/x/r? -rf src",
        "./$TOOL -rf src",
        "eval '$CMD -rf src'",
        "eval '/opt/x/r? -rf src'",
    ],
    safe: &[
        "X=ls; $X -la",
        "$EDITOR notes.txt",
        "\"$VENV/bin/python\" -m pytest",
        "\"$(git rev-parse --show-toplevel)/scripts/lint\" src",
        "$(command -v python3) --version",
        "f() { \"$@\"; }; f ls",
    ],
    ..Rule::ASK
};

/// Variables whose value is a program by convention and that the text itself doesn't set.
#[rustfmt::skip]
const TOOLS: &[&str] = &[
    "BROWSER", "CARGO", "CC", "CXX", "EDITOR", "GO", "JAVA", "MAKE", "NODE", "PAGER", "PYTHON", "RUSTC",
    "SUDO_EDITOR", "VISUAL",
];

/// A text with more commands than this is asked anyway.
const MAX_LOOK: usize = 4096;

/// Notes what is unclear in the text.
pub(crate) fn check<'a>(
    scope: Scope<'a>,
    mut note: impl FnMut(&'static Rule, Hit, Option<&'a Invocation>),
) {
    for invocation in scope.analysis.invocations().iter().take(MAX_LOOK) {
        if is_dynamic(invocation) && !is_evaluated(scope, invocation) {
            note(&DYNAMIC_COMMAND, Hit::default(), Some(invocation));
        }
    }
    match &scope.analysis.coverage {
        Coverage::Full => {}
        Coverage::NotUnderstood { span, .. } => {
            note(&LIMIT, Hit::default().at(*span), None);
            plain_text(scope, &mut note);
        }
        Coverage::Partial(holes) => {
            let mut malformed = false;
            for hole in holes {
                if hole.gap == Gap::DynamicCode {
                    note(&DYNAMIC_CODE, Hit::default().at(hole.span), None);
                } else if !malformed {
                    malformed = true;
                    note(&MALFORMED, Hit::default().at(hole.span), None);
                }
            }
            if malformed {
                plain_text(scope, &mut note);
            }
        }
    }
}

/// Where the words can't be trusted, the plain text is looked at, too.
fn plain_text<'a>(
    scope: Scope<'a>,
    note: &mut impl FnMut(&'static Rule, Hit, Option<&'a Invocation>),
) {
    for (pattern, at) in patterns::find(scope.analysis.normalised()) {
        let span = scope.analysis.original_span(at.start, at.end);
        note(&PATTERN, Hit::default().at(span).keys(pattern.keys), None);
    }
}

/// The text of `eval` has a rule of its own, where it isn't known.
fn is_evaluated(scope: Scope<'_>, invocation: &Invocation) -> bool {
    let Source::Argument(id) = &invocation.source else {
        return false;
    };
    let by = scope.analysis.invocation(*id);
    by.is_some_and(|by| by.is("eval") && by.arguments().iter().any(|w| w.known().is_none()))
}

fn is_dynamic(invocation: &Invocation) -> bool {
    let Some(program) = invocation.program() else {
        return false;
    };
    if !program.alternatives().is_empty() || invocation.host == Host::Container {
        return false;
    }
    if let Some(value) = program.known() {
        // A pattern that fits none of the programs that every system has; `[` is a program.
        return program.has_glob() && value != "[";
    }
    // Only its folder isn't known.
    if program.program_path().is_some() {
        return false;
    }
    let mut unknowns = program.unknowns().peekable();
    let Some(first) = unknowns.peek() else {
        return false;
    };
    let alone = program.text().is_empty() && program.unknowns().count() == 1;
    match first {
        Unknown::Variable(name) if alone => TOOLS.binary_search(&name.as_str()).is_err(),
        // In the body of a function; its calls are looked at with their words.
        Unknown::Positional => invocation.context.function.is_none(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order() {
        assert!(TOOLS.is_sorted());
    }
}
