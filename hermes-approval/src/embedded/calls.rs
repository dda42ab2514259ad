//! What calls do, by their names.

use super::Language;
use super::table::CALLS;
use crate::effect::EffectKind;

/// What a call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    /// Hands a text to a shell.
    Shell,
    /// Runs a list of words.
    Argv,
    /// Runs code of the same language.
    Evaluate,
    /// Reads or writes, as its second argument says.
    OpenFile,
    Effect(EffectKind),
}

/// A call of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Call {
    /// Languages, by their letters ([`Language::letter`]).
    languages: &'static str,
    name: &'static str,
    /// One of these, with `|` between them, stands before it; empty: anything, or nothing.
    owners: &'static str,
    pub(super) does: Does,
    /// A name that many things have: it counts only with a literal argument.
    pub(super) needs_literal: bool,
    /// What it is done to is what it is called on.
    pub(super) on_receiver: bool,
}

pub(super) const fn c(
    languages: &'static str,
    name: &'static str,
    owners: &'static str,
    does: Does,
) -> Call {
    Call {
        languages,
        name,
        owners,
        does,
        needs_literal: false,
        on_receiver: false,
    }
}

pub(super) const fn common(
    languages: &'static str,
    name: &'static str,
    owners: &'static str,
    does: Does,
) -> Call {
    Call {
        needs_literal: true,
        ..c(languages, name, owners, does)
    }
}

pub(super) const fn method(languages: &'static str, name: &'static str, does: Does) -> Call {
    Call {
        languages,
        name,
        owners: "",
        does,
        needs_literal: true,
        on_receiver: true,
    }
}

/// A method with a name that many things have: it counts on a literal only, `File("x").delete()`.
pub(super) const fn on(languages: &'static str, name: &'static str, does: Does) -> Call {
    Call {
        owners: LITERAL,
        ..method(languages, name, does)
    }
}

/// The owner of what counts only on a literal.
const LITERAL: &str = "()";

impl Call {
    /// It counts only if what it is called on is literal.
    pub(super) fn only_on_literal(&self) -> bool {
        self.owners == LITERAL
    }
}

/// The call of a name; `last` is the part behind its last dot.
pub(super) fn find(language: Language, name: &str, last: &str) -> Option<Call> {
    let letter = language.letter();
    let owner = name
        .strip_suffix(last)
        .unwrap_or("")
        .trim_end_matches(['.', ':', '/']);
    let owner = owner.rsplit(['.', ':']).next().unwrap_or("");
    // `require("fs").rm`: what it is called on has no name.
    let nameless = owner.is_empty() && name.starts_with('.');
    let fits = |call: &&Call| {
        call.name == last
            && call.languages.contains(letter)
            && (call.owners.is_empty() || nameless || call.owners.split('|').any(|o| o == owner))
    };
    CALLS.iter().find(fits).copied()
}

/// Functions that call one that they are told by name: its place among their literal arguments.
const BY_NAME: &[(Language, &str, Which)] = &[
    (Language::Python, "getattr", Which::Last),
    (Language::Php, "array_filter", Which::Last),
    (Language::Php, "array_map", Which::First),
    (Language::Php, "array_walk", Which::Last),
    (Language::Php, "call_user_func", Which::First),
    (Language::Php, "call_user_func_array", Which::First),
    (Language::Php, "register_shutdown_function", Which::First),
    (Language::Ruby, "__send__", Which::First),
    (Language::Ruby, "method", Which::First),
    (Language::Ruby, "public_send", Which::First),
    (Language::Ruby, "send", Which::First),
];

/// Which of the literal arguments is the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    First,
    Last,
}

/// Which argument of a function names what it calls.
pub(super) fn by_name(language: Language, last: &str) -> Option<Which> {
    let fits = |row: &&(Language, &str, Which)| row.0 == language && row.1 == last;
    BY_NAME.iter().find(fits).map(|row| row.2)
}
