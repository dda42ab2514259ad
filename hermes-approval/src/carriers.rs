//! What commands stand in and the Python Hermes has keys for: `bash -c`, `python -c`,
//! here-documents.
//!
//! By itself none of it is dangerous here. A command that is flagged for something else names these
//! keys, too, so that what was stored and what is asked can be brought together.

use crate::decoders;
use crate::invocation::{Invocation, Stdin};
use crate::look::Scope;
use crate::rule::Key;
use crate::rules::versionless;
use crate::word::Word;

const SHELL_C: Key = Key::both("shell command via -c/-lc flag");
const SCRIPT_C: Key = Key::both("script execution via -e/-c flag");
const SCRIPT_HERE: Key = Key::both("script execution via heredoc");
const SHELL_HERE: Key = Key::from19("shell execution via heredoc");

/// Interpreters, and the letters of the options that carry code.
const SCRIPTS: &[(&str, &str)] = &[
    ("node", "ep"),
    ("perl", "eE"),
    ("php", "r"),
    ("powershell", "c"),
    ("pwsh", "c"),
    ("py", "c"),
    ("python", "c"),
    ("ruby", "e"),
];

/// Enough for any text that somebody wrote.
const MAX_LOOK: usize = 1024;

/// The keys of everything in the text that carries a script.
pub(crate) fn keys(scope: Scope<'_>) -> impl Iterator<Item = Key> {
    let all = scope.analysis.invocations().iter().take(MAX_LOOK);
    all.filter_map(|i| Some((i, i.name()?)))
        .flat_map(move |(i, name)| {
            let own = of(i, name).into_iter().flatten();
            own.chain(decoded(scope, i, name).iter().copied())
        })
}

/// The keys of the decoder in front of a shell.
fn decoded(scope: Scope<'_>, invocation: &Invocation, name: &str) -> &'static [Key] {
    if invocation.stage == 0 || !matches!(name, "bash" | "sh" | "zsh" | "ksh" | "dash") {
        return &[];
    }
    let mut upstream = scope.look(invocation).upstream();
    upstream
        .find_map(|i| decoders::keys(scope, i))
        .unwrap_or(&[])
}

fn of(invocation: &Invocation, name: &str) -> [Option<Key>; 2] {
    if matches!(name, "bash" | "sh" | "zsh" | "ksh") {
        let here = matches!(
            invocation.stdin,
            Stdin::HereDocument { .. } | Stdin::HereString(_)
        );
        return [
            carries(invocation, "c").then_some(SHELL_C),
            here.then_some(SHELL_HERE),
        ];
    }
    let stem = versionless(name).unwrap_or(name);
    let Some((_, letters)) = SCRIPTS.iter().find(|(script, _)| *script == stem) else {
        return [None, None];
    };
    let here = matches!(invocation.stdin, Stdin::HereDocument { .. });
    [
        carries(invocation, letters).then_some(SCRIPT_C),
        here.then_some(SCRIPT_HERE),
    ]
}

/// True if an option in front of the operands is one of these letters, or ends in one.
fn carries(invocation: &Invocation, letters: &str) -> bool {
    invocation
        .arguments()
        .iter()
        .map_while(|w| Word::known(w).and_then(|t| t.strip_prefix('-')))
        .any(|option| {
            matches!(option, "-eval" | "-print" | "Command" | "command")
                || !option.starts_with('-') && option.ends_with(|c| letters.contains(c))
        })
}
