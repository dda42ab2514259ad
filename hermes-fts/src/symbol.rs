//! What is looked for literally although the word index keeps nothing of it.

use crate::blank::is_blank;
use crate::token_chars::has_token;

/// True for a text without a token that still says what to look for: an emoji or any other
/// non-ASCII sign, or at least two ASCII signs such as `->`, `&&` or `//`.
///
/// A single ASCII sign, and brackets and quotes alone (`[]`, `<>`), are in nearly every text
/// with code in it; they are noise. Signs that FTS5 gives a meaning (`* " ^ + : ( ) { }`) are
/// noise outside quotes anyway.
pub(crate) fn is_symbol(text: &str) -> bool {
    let text = text.trim_matches(is_blank);
    let bracket = |c| {
        matches!(
            c,
            '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | '\'' | '`' | '*'
        )
    };
    let noise = |c| bracket(c) || is_blank(c);
    let says_something = !text.is_ascii() || (text.len() > 1 && !text.chars().all(noise));
    says_something && !has_token(text)
}

#[cfg(test)]
mod tests {
    use super::is_symbol;

    #[test]
    fn emoji_and_runs_of_signs_are_symbols() {
        for text in ["😀", "→", "，", "->", "&&", "//", "...", " != ", "__"] {
            assert!(is_symbol(text), "{text}");
        }
    }

    #[test]
    fn single_signs_brackets_and_words_are_not() {
        for text in [
            "", " ", "-", "_", ".", "[]", "<>", "''", "( )", "a-b", "é", "#1", "大",
        ] {
            assert!(!is_symbol(text), "{text}");
        }
    }
}
