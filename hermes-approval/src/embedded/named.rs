//! Calls of functions that are not called by their own name: through another name, through a string,
//! by a function that they are handed to; and AppleScript's words for stopping the system.

use super::arguments::arguments;
use super::calls::{self, Which};
use super::{Code, Language, TokenKind};
use crate::coverage::Gap;
use crate::effect::EffectKind;
use crate::walk::Walker;

/// Other names that are remembered.
const MAX_ALIASES: usize = 16;

/// Other names that the code gives to calls of the table: `from os import system as s`,
/// `f = os.system`.
pub(super) fn aliases(code: &Code<'_>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for window in code.tokens.windows(4) {
        let [first, second, third, fourth] = window else {
            break;
        };
        let (alias, of) = match (&first.kind, &second.kind, &third.kind, &fourth.kind) {
            (TokenKind::Name(alias), TokenKind::Sign('='), TokenKind::Name(of), after)
                if *after != TokenKind::Sign('(') =>
            {
                (alias, of)
            }
            (TokenKind::Name(of), TokenKind::Name(by), TokenKind::Name(alias), _)
                if by == "as" && code.language == Language::Python =>
            {
                (alias, of)
            }
            _ => continue,
        };
        let last = of.rsplit(['.', ':']).next().unwrap_or(of);
        let known = calls::find(code.language, of, last).is_some_and(|c| !c.needs_literal);
        if known && alias != of {
            found.push((alias.clone(), of.clone()));
        }
        if found.len() >= MAX_ALIASES {
            break;
        }
    }
    found
}

/// Functions that call what they are handed.
#[rustfmt::skip]
const CALLERS: &[&str] = &[
    "apply", "apply_async", "each", "executor", "filter", "foldl", "forEach", "for_each", "foreach", "imap",
    "lapply", "map", "partial", "reduce", "register", "run_in_executor", "sapply", "starmap", "submit", "then",
    "walk",
];

/// True if a function is handed to one that calls it: `map(os.remove, files)`,
/// `files.forEach(fs.unlinkSync)`.
pub(super) fn is_handed_on(code: &Code<'_>, i: usize, name: &str) -> bool {
    let ends = matches!(code.kind(i + 1), Some(TokenKind::Sign(',' | ')')));
    let opens = i.checked_sub(1).filter(|&at| code.is_sign(at, '('));
    let caller = opens.and_then(|at| code.name_before(at)).unwrap_or("");
    let caller = caller.rsplit(['.', ':']).next().unwrap_or(caller);
    ends && name.contains(['.', ':']) && CALLERS.contains(&caller)
}

impl Walker<'_> {
    /// `vars(os)["system"]("cmd")`
    pub(super) fn subscripted(&mut self, code: &Code<'_>, i: usize, string: &str) {
        let called = matches!(code.before(i), Some(TokenKind::Sign('[')))
            && code.is_sign(i + 1, ']')
            && code.is_sign(i + 2, '(');
        if !called {
            return;
        }
        let name = format!(".{string}");
        if let Some(call) = calls::find(code.language, &name, string) {
            let arguments = arguments(&code.tokens, i + 3, true);
            self.code_call(code, i, &name, call, &arguments);
        }
    }

    /// `getattr(os, "system")("cmd")`, `call_user_func("system", "cmd")`, `File.send(:delete, "x")`.
    pub(super) fn called_by_name(&mut self, code: &Code<'_>, i: usize, by: &str, which: Which) {
        let mut given = arguments(&code.tokens, i + 2, true);
        let symbol = match (code.kind(i + 2), code.kind(i + 3)) {
            (Some(TokenKind::Sign(':')), Some(TokenKind::Name(name))) => Some(name.clone()),
            _ => None,
        };
        let by_text = symbol.is_none();
        let named = symbol.or_else(|| match which {
            Which::First => given.texts.first().cloned(),
            Which::Last => given.texts.last().cloned(),
        });
        let last = by.rsplit(['.', ':']).next().unwrap_or(by);
        // `each(&File.method(:delete))`; by itself it is only looked up.
        if last == "method" && !matches!(code.before(i), Some(TokenKind::Sign('&'))) {
            return;
        }
        let curried = code.language == Language::Python;
        let called = !curried || code.is_sign(given.end + 1, '(');
        let Some(named) = named.filter(|_| called) else {
            if called && curried && given.texts.is_empty() {
                let span = code
                    .map
                    .original(super::Token::stretch(&code.tokens, i, given.end));
                self.found.coverage.hole(Gap::DynamicCode, span);
            }
            return;
        };
        // `File.send` is asked to call `File.delete`.
        let owner = by.rsplit_once('.').map_or("", |(owner, _)| owner);
        let name = match owner {
            "" if curried => format!(".{named}"),
            "" => named.clone(),
            owner => format!("{owner}.{named}"),
        };
        let last = name.rsplit(['.', ':']).next().unwrap_or(&name);
        let Some(call) = calls::find(code.language, &name, last) else {
            return;
        };
        let given = if curried {
            arguments(&code.tokens, given.end + 2, true)
        } else {
            if by_text && !given.texts.is_empty() {
                let at = if which == Which::First {
                    0
                } else {
                    given.texts.len() - 1
                };
                given.texts.remove(at);
                given.places.remove(at);
            }
            given
        };
        self.code_call(code, i, &name, call, &given);
    }

    /// `tell application "Finder" to restart`: true if it is one.
    pub(super) fn stops_system(&mut self, code: &Code<'_>, i: usize, last: &str) -> bool {
        let down =
            matches!(code.kind(i + 1), Some(TokenKind::Name(n)) if n == "down" || n == "out");
        let stops = match last {
            "restart" | "shutDown" | "logOut" | "sleep" => true,
            "shut" | "log" => down,
            // `«event aevtrsdn»`
            "aevtrsdn" | "aevtrrst" => true,
            _ => false,
        };
        if !stops {
            return false;
        }
        let asked = matches!(code.name_before(i), Some("to" | "event"))
            || matches!(code.before(i), None | Some(TokenKind::Sign('\n' | ')')));
        let before = code.tokens.get(..i).unwrap_or(&[]);
        let told = before
            .iter()
            .rev()
            .take(MAX_BACK)
            .find_map(|t| match &t.kind {
                TokenKind::Text(text) => Some(text.as_str()),
                _ => None,
            });
        let system = told.is_some_and(|t| {
            let name = t.rsplit('.').next().unwrap_or(t).to_ascii_lowercase();
            matches!(
                name.replace(' ', "").as_str(),
                "systemevents" | "finder" | "loginwindow"
            )
        });
        if !asked || !system {
            return false;
        }
        let at = super::Token::stretch(&code.tokens, i, i);
        let call = match last {
            "shut" | "aevtrsdn" => "shut down",
            "aevtrrst" => "restart",
            "log" => "log out",
            other => other,
        };
        let span = code.map.original(at);
        self.effect(code.id, EffectKind::Signal, None, call.to_owned(), span);
        true
    }
}

/// So many tokens back the application may have been named.
const MAX_BACK: usize = 32;
