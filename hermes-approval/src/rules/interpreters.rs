//! Programs that run code which they are handed: where the code of an invocation comes from.

use crate::invocation::{Invocation, Stdin, SubstitutionId};
use crate::look::Scope;
use crate::marks::Mark;
use crate::name_index::NameIndex;
use crate::rules::versionless;
use crate::word::{Unknown, Word};

/// Shells, in order.
const SHELLS: &[&str] = &[
    "ash", "bash", "csh", "dash", "elvish", "fish", "ksh", "ksh93", "mksh", "nu", "rbash", "sh",
    "tcsh", "xonsh", "yash", "zsh",
];

/// Other languages whose interpreter reads a program from its input, in order.
const SCRIPTS: &[&str] = &[
    "R",
    "Rscript",
    "bun",
    "deno",
    "iex",
    "irb",
    "julia",
    "lua",
    "luajit",
    "node",
    "nodejs",
    "osascript",
    "perl",
    "php",
    "powershell",
    "pwsh",
    "py",
    "pypy",
    "python",
    "ruby",
    "tclsh",
    "ts-node",
    "tsx",
];

static SHELL_NAMES: NameIndex<64> = NameIndex::of(SHELLS);
static SCRIPT_NAMES: NameIndex<128> = NameIndex::of(SCRIPTS);

/// True for a shell.
pub(crate) fn is_shell(name: &str) -> bool {
    SHELL_NAMES.has(SHELLS, name)
}

/// True for an interpreter of another language, whatever its version.
pub(super) fn is_script(name: &str) -> bool {
    SCRIPT_NAMES.has(SCRIPTS, name)
        || versionless(name).is_some_and(|stem| SCRIPT_NAMES.has(SCRIPTS, stem))
}

/// True for either.
pub(super) fn is_interpreter(name: &str) -> bool {
    is_shell(name) || is_script(name)
}

/// Options of other interpreters than shells that take a value which is no code, by letter.
const VALUES: &str = "rIMWX";

/// Where an interpreter takes its code from.
#[derive(Debug, Clone, Copy)]
pub(super) enum Code<'a> {
    /// From its standard input.
    Input,
    /// From an argument: `-c CODE`.
    Argument(&'a Word),
    /// From a file.
    File(&'a Word),
    /// From nowhere: it prints its version, runs a module, …
    Nowhere,
}

/// Where the interpreter's code comes from.
pub(super) fn code(invocation: &Invocation) -> Code<'_> {
    let name = invocation.name().unwrap_or("");
    let shell = is_shell(name);
    let mut words = invocation.arguments().iter();
    while let Some(word) = words.next() {
        let text = word.known_prefix();
        if text == "-" || text == "/dev/stdin" || text == "/proc/self/fd/0" {
            return Code::Input;
        }
        if text == "--" {
            break;
        }
        if !text.starts_with('-') {
            // `deno run x.ts`, `bun run x`
            if matches!((name, text), ("deno" | "bun", "run" | "eval")) {
                continue;
            }
            return Code::File(word);
        }
        if matches!(text, "--version" | "--help" | "-V" | "-h") {
            return Code::Nowhere;
        }
        if let Some(long) = text.strip_prefix("--") {
            match long {
                "command" | "eval" | "print" | "run" => {
                    return words.next().map_or(Code::Nowhere, Code::Argument);
                }
                "rcfile" | "init-file" | "require" | "import" => {
                    words.next();
                }
                _ => {}
            }
            continue;
        }
        let letters = text.trim_start_matches('-');
        if shell && letters.contains('s') && !letters.contains('c') {
            return Code::Input;
        }
        let carries = if shell {
            letters.contains('c')
        } else {
            carries_code(name, letters)
        };
        if carries {
            return words.next().map_or(Code::Nowhere, Code::Argument);
        }
        if !shell && letters.starts_with('m') {
            return Code::Nowhere;
        }
        let takes = if shell {
            letters.ends_with(['o', 'O'])
        } else {
            letters.len() == 1 && letters.contains(|c| VALUES.contains(c))
        };
        if takes {
            words.next();
        }
    }
    words.next().map_or(Code::Input, Code::File)
}

/// `python -c`, `perl -ne`, `ruby -e`, `node -p`, `php -r`. Behind a letter that takes a value the
/// rest is that value: `ruby -ropen-uri`.
fn carries_code(name: &str, letters: &str) -> bool {
    let (code, values) = match versionless(name).unwrap_or(name) {
        "python" | "py" | "pypy" | "powershell" | "pwsh" => ("c", "mWX"),
        "perl" => ("eE", "MmIiCFxD"),
        "ruby" | "lua" | "luajit" | "julia" | "Rscript" | "R" | "osascript" => ("eE", "rICFilL"),
        "node" | "nodejs" | "bun" | "tsx" => ("ep", "r"),
        "php" => ("r", "dcfBFES"),
        _ => return false,
    };
    let until = letters
        .find(|c| values.contains(c))
        .unwrap_or(letters.len());
    letters
        .char_indices()
        .any(|(i, c)| i < until && code.contains(c))
}

/// True if it runs what it reads.
pub(super) fn reads_script_from_input(invocation: &Invocation) -> bool {
    matches!(code(invocation), Code::Input)
}

/// Longer code is looked at as far as this: one-line scripts are short.
const MAX_CODE: usize = 1 << 15;

/// The beginning of a text.
pub(super) fn beginning(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_CODE))
        .unwrap_or(text)
}

/// The substitutions whose output is part of a word, through variables of the text, too.
pub(super) fn substitutions(scope: Scope<'_>, word: &Word) -> Vec<SubstitutionId> {
    let mut found = Vec::new();
    for unknown in word.unknowns() {
        match unknown {
            Unknown::Command(id) | Unknown::Process(id) => found.push(*id),
            Unknown::Variable(name) => found.extend(assigned(scope, name)),
            _ => {}
        }
    }
    found
}

/// What is assigned to a variable by substitution somewhere in the text.
fn assigned<'a>(scope: Scope<'a>, name: &'a str) -> impl Iterator<Item = SubstitutionId> + use<'a> {
    let all = scope.analysis.marked(Mark::SetsOutput, sets_output).iter();
    all.rev()
        .take(MAX_LOOK)
        .filter_map(|&n| scope.analysis.invocations().get(n))
        .flat_map(|i| &i.assignments)
        .filter(move |a| a.name == name)
        .flat_map(|a| &a.values)
        .flat_map(Word::unknowns)
        .filter_map(|u| match u {
            Unknown::Command(id) => Some(*id),
            _ => None,
        })
        .take(MAX_FOUND)
}

fn sets_output(invocation: &Invocation) -> bool {
    let values = invocation.assignments.iter().flat_map(|a| &a.values);
    let mut unknowns = values.flat_map(Word::unknowns);
    unknowns.any(|u| matches!(u, Unknown::Command(_)))
}

/// So many assignments are looked through.
const MAX_LOOK: usize = 256;

/// So many substitutions are looked at.
const MAX_FOUND: usize = 64;

/// The substitution that standard input comes from: `< <(…)`.
pub(super) fn input_substitution(invocation: &Invocation) -> Option<SubstitutionId> {
    match &invocation.stdin {
        Stdin::Process(id) => Some(*id),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_in_order() {
        assert!(SHELLS.is_sorted() && SCRIPTS.is_sorted());
    }
}
