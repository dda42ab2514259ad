//! What exit codes mean that look like a failure and are none.

use crate::programs::Unwrapped;
use crate::words::{Ending, SimpleCommand};

const NO_MATCH: &str = "nothing matched; that is no failure";
const DIFFERENT: &str = "there are differences; that is no failure";
const FALSE: &str = "the condition is false; that is no failure";

/// Program, exit code, meaning.
const MEANINGS: &[(&str, i32, &str)] = &[
    ("[", 1, FALSE),
    ("[[", 1, FALSE),
    ("ack", 1, NO_MATCH),
    ("ag", 1, NO_MATCH),
    ("cmp", 1, DIFFERENT),
    ("colordiff", 1, DIFFERENT),
    ("curl", 6, "the name of the host could not be resolved"),
    ("curl", 7, "the host did not accept the connection"),
    (
        "curl",
        22,
        "the server answered with an error (400 or above)",
    ),
    ("curl", 28, "the transfer took longer than it was given"),
    ("diff", 1, DIFFERENT),
    ("egrep", 1, NO_MATCH),
    ("expr", 1, "the result is empty or 0; that is no failure"),
    ("fgrep", 1, NO_MATCH),
    (
        "find",
        1,
        "some of the places could not be read; what was found elsewhere is there",
    ),
    ("grep", 1, NO_MATCH),
    ("pgrep", 1, "no process matched; that is no failure"),
    ("pkill", 1, "no process matched; that is no failure"),
    ("rg", 1, NO_MATCH),
    ("test", 1, FALSE),
    ("zgrep", 1, NO_MATCH),
];

/// The same for programs with sub-commands.
const OF_SUBCOMMANDS: &[(&str, &str, i32, &str)] =
    &[("git", "diff", 1, DIFFERENT), ("git", "grep", 1, NO_MATCH)];

/// Codes that the shell gives.
const OF_THE_SHELL: &[(i32, &str)] = &[
    (126, "it was found and cannot be executed"),
    (127, "there is no such command"),
    (137, "it was killed (signal 9), perhaps for want of memory"),
    (139, "it crashed (signal 11)"),
];

/// What the exit code of these commands means, if that is known.
pub(crate) fn on_exit_code(commands: &[SimpleCommand], code: i32) -> Option<String> {
    if let Some((_, meaning)) = OF_THE_SHELL.iter().find(|(known, _)| *known == code) {
        return Some(format!("exit code {code}: {meaning}"));
    }
    let (last, before) = commands.split_last()?;
    // Which of several conditions has failed is not known; a pipe ends as its last command does.
    let is_decisive = before
        .iter()
        .rev()
        .take_while(|command| command.ending != Ending::Done)
        .all(|command| command.ending == Ending::Pipe);
    if !is_decisive || last.ending == Ending::Background {
        return None;
    }
    let unwrapped = Unwrapped::of(last);
    let program = unwrapped.program();
    let argument = unwrapped.words.get(1).map_or("", String::as_str);
    let of_subcommand = OF_SUBCOMMANDS
        .iter()
        .find(|(name, sub, known, _)| (*name, *sub, *known) == (program, argument, code))
        .map(|(.., meaning)| (format!("{program} {argument}"), *meaning));
    let of_program = || {
        MEANINGS
            .iter()
            .find(|(name, known, _)| (*name, *known) == (program, code))
            .map(|(.., meaning)| (program.to_owned(), *meaning))
    };
    let (name, meaning) = of_subcommand.or_else(of_program)?;
    Some(format!("exit code {code} of {name}: {meaning}"))
}

#[cfg(test)]
mod tests {
    use super::on_exit_code;
    use crate::words::commands;

    #[test]
    fn usual_codes_have_a_meaning() {
        for (text, code, meaning) in [
            ("grep a f", 1, "nothing matched"),
            ("cat f | grep a", 1, "nothing matched"),
            ("cd x; sudo /bin/grep a f", 1, "nothing matched"),
            ("diff a b", 1, "differences"),
            ("[ -f x ]", 1, "false"),
            ("[[ -f x ]]", 1, "false"),
            ("! test -f x", 1, "false"),
            ("git diff --exit-code", 1, "differences"),
            ("git grep x", 1, "nothing matched"),
            ("curl -f x", 22, "400"),
            ("nosuch", 127, "no such command"),
            ("a && b", 137, "memory"),
        ] {
            let note = on_exit_code(&commands(text), code).expect(text);
            assert!(note.contains(meaning), "{text}: {note}");
        }
    }

    #[test]
    fn nothing_is_said_where_it_is_not_known_who_has_failed() {
        for (text, code) in [
            ("grep a f", 0),
            ("grep a f", 2),
            ("cd x && grep a f", 1),
            ("a || grep b", 1),
            ("grep a f; false", 1),
            ("grep a f | sort", 1),
            ("echo grep", 1),
            ("git status", 1),
            ("", 1),
        ] {
            assert_eq!(on_exit_code(&commands(text), code), None, "{text}");
        }
    }
}
