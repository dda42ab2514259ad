//! Variables that hold secrets, and what a person typed before.

use super::super::secret_files::{is_secret_variable, looks_for_secret};
use crate::invocation::{Host, Invocation};
use crate::rule::{Key, Rule, Severity, Test};
use crate::word::{Unknown, Word};

const ENVIRONMENT: Key = Key::ours("print the whole environment");

/// True if the invocation prints all variables.
pub(in super::super) fn dumps_environment(invocation: &Invocation) -> bool {
    let words = invocation.arguments();
    let only = |allowed: &[&str]| {
        words
            .iter()
            .all(|w| w.known().is_some_and(|t| allowed.contains(&t)))
    };
    match invocation.name() {
        Some("printenv" | "env") => only(&["-0", "--null"]),
        // `export A=b` has the assignment beside its words.
        Some("export") => invocation.assignments.is_empty() && only(&["-p"]),
        Some("declare" | "typeset") => {
            invocation.assignments.is_empty() && only(&["-p", "-x", "-px", "-xp"])
        }
        Some("set") => words.is_empty(),
        _ => false,
    }
}

fn is_filter(invocation: &Invocation) -> bool {
    matches!(
        invocation.name(),
        Some(
            "grep"
                | "egrep"
                | "rg"
                | "awk"
                | "sed"
                | "cut"
                | "wc"
                | "head"
                | "findstr"
                | "fgrep"
                | "ag"
        )
    )
}

fn pattern(invocation: &Invocation) -> Option<&Word> {
    invocation
        .arguments()
        .iter()
        .find(|w| !w.known_prefix().starts_with('-'))
}

pub(super) const DUMP: Rule = Rule {
    id: "secrets.environment",
    class: "secrets-read",
    severity: Severity::Low,
    keys: &[ENVIRONMENT],
    reason: "This prints every variable, those that hold tokens and passwords too.",
    alternative: Some("Print the one that is needed: `printenv PATH`."),
    test: Test::Program(
        &["printenv", "env", "export", "declare", "typeset"],
        |look| {
            let dumps = dumps_environment(look.invocation);
            let mut behind = look.downstream();
            let filtered = behind.any(is_filter);
            let shown = look.invocation.host != Host::Container && !look.is_taken();
            (dumps && !filtered && shown).then(|| look.hit())
        },
    ),
    matches: &[
        "printenv",
        "env",
        "env | sort",
        "export -p",
        "export",
        "declare -x",
        "printenv > /tmp/x",
    ],
    near_misses: &["printenv PATH", "env FOO=1 ls", "env | grep -i path"],
    safe: &[
        "printenv HOME",
        "env | grep -i path",
        "env -i ls",
        "env | wc -l",
        "declare -A m",
        "export X=1",
    ],
    ..Rule::ASK
};

pub(super) const SEARCH: Rule = Rule {
    id: "secrets.search",
    class: "secrets-read",
    severity: Severity::Medium,
    keys: &[Key::ours("search environment or history for secrets")],
    accepts: &[ENVIRONMENT],
    reason: "This prints tokens and passwords.",
    alternative: Some("Test whether it is set: `test -n \"$GITHUB_TOKEN\"`."),
    test: Test::Program(
        &[
            "grep", "egrep", "fgrep", "rg", "ag", "awk", "sed", "findstr",
        ],
        |look| {
            let pattern = pattern(look.invocation)?;
            let quiet = look.has('q', "quiet") || look.has('c', "count");
            if quiet || !looks_for_secret(pattern.text()) {
                return None;
            }
            let source = look.upstream().any(|i| {
                dumps_environment(i)
                    || matches!(i.name(), Some("history" | "fc"))
                        && !i.arguments().iter().any(|w| w.known() == Some("-c"))
            });
            let mut files = look.words().iter().filter(|w| !std::ptr::eq(*w, pattern));
            let file = files.any(|w| {
                let text = w.known_prefix();
                text.ends_with("_history") || text.ends_with("/fish_history")
            });
            (source || file).then(|| look.hit())
        },
    ),
    matches: &[
        "set | grep -i token",
        "env | grep -i secret",
        "history | grep password",
        "grep -i passw ~/.bash_history",
        "printenv | grep API_KEY",
    ],
    near_misses: &[
        "env | grep -i path",
        "history | grep git",
        "set | grep -q TOKEN",
        "grep -rn 'grep -i passw ~/.bash_history' src",
    ],
    safe: &[
        "history | grep git",
        "env | grep LANG",
        "grep -rn token src",
        "set | grep -i shell",
        "history | tail",
    ],
    ..Rule::ASK
};

pub(super) const ECHO: Rule = Rule {
    id: "secrets.echo-variable",
    class: "secrets-read",
    severity: Severity::Low,
    keys: &[Key::ours("print a secret variable")],
    accepts: &[ENVIRONMENT],
    reason: "This prints a variable that holds a secret, by its name.",
    alternative: Some("Test whether it is set: `test -n \"$GITHUB_TOKEN\"`."),
    test: Test::Program(&["echo", "printf", "printenv", "print"], |look| {
        let last = look.downstream().next().is_none();
        let kept = look
            .invocation
            .redirects
            .iter()
            .any(crate::invocation::Redirect::writes)
            || look.is_taken();
        if !last || kept {
            return None;
        }
        let word = look.words().iter().find(|word| {
            look.name == "printenv" && word.known().is_some_and(is_secret_variable)
                || is_whole(word)
                    && word.unknowns().any(|u| match u {
                        Unknown::Variable(name) => is_secret_variable(name),
                        _ => false,
                    })
        })?;
        Some(look.hit_word(word))
    }),
    matches: &[
        "echo $AWS_SECRET_ACCESS_KEY",
        "echo \"token: $GITHUB_TOKEN\"",
        "printenv DB_PASSWORD",
    ],
    near_misses: &[
        "echo \"$GITHUB_TOKEN\" | docker login --password-stdin",
        "echo \"${#TOKEN}\"",
    ],
    safe: &[
        "echo $PATH",
        "echo \"$GITHUB_TOKEN\" | gh auth login --with-token",
        "printf '%s' \"$TOKEN\" > t",
        "echo ${TOKEN:+set}",
    ],
    ..Rule::ASK
};

/// Not its length, not only whether it is set.
fn is_whole(word: &Word) -> bool {
    let raw = word.raw();
    !raw.contains("${#") && !raw.contains(":+") && !raw.contains("+x}") && !raw.contains("+set}")
}
