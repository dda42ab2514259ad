//! Pipes and files of awk.

use super::{Code, TokenKind, tokens::HOLE};
use crate::coverage::Gap;
use crate::effect::EffectKind;
use crate::rules::is_shell;
use crate::walk::Walker;
use crate::word::program_name;

/// So many tokens in front of a pipe are looked at for what is printed.
const MAX_PRINTED: usize = 64;

impl Walker<'_> {
    /// `print | "cmd"`, `"cmd" | getline`, `print > "file"`.
    pub(super) fn awk_string(&mut self, code: &Code<'_>, i: usize, string: &str) {
        let Some(token) = code.tokens.get(i) else {
            return;
        };
        let piped = matches!(code.before(i), Some(TokenKind::Sign('|' | '&')));
        if piped && is_shell(program_name(string.trim(), code.scene.platform)) {
            let (script, known) = printed(code, i);
            self.code_runs(code, &script, token.at);
            if !known {
                let span = code.map.original(token.at);
                self.found.coverage.hole(Gap::DynamicCode, span);
            }
        } else if piped || code.is_sign(i + 1, '|') {
            self.code_runs(code, string, token.at);
        } else if matches!(code.before(i), Some(TokenKind::Sign('>'))) {
            let span = code.map.original(token.at);
            let (target, call) = (Some(string.to_owned()), "print".to_owned());
            self.effect(code.id, EffectKind::Write, target, call, span);
        }
    }
}

/// What is printed into the pipe in front of a token, with holes for what isn't literal; and if it
/// is known as a whole.
fn printed(code: &Code<'_>, i: usize) -> (String, bool) {
    let before = code
        .tokens
        .get(i.saturating_sub(MAX_PRINTED)..i)
        .unwrap_or(&[]);
    let prints =
        |kind: &TokenKind| matches!(kind, TokenKind::Name(n) if n == "print" || n == "printf");
    let from = before.iter().rposition(|t| prints(&t.kind));
    let Some(words) = from.and_then(|at| before.get(at + 1..)) else {
        return (HOLE.to_owned(), false);
    };
    let mut script = String::new();
    let mut known = !words.is_empty();
    for token in words {
        match &token.kind {
            TokenKind::Text(text) => script.push_str(text),
            TokenKind::Name(_) | TokenKind::Sign('$') => {
                known = false;
                script.push_str(HOLE);
            }
            TokenKind::Sign(',') => script.push(' '),
            _ => {}
        }
    }
    let known = known && !script.contains('%');
    (script, known)
}
