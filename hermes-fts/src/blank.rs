//! What separates words.

/// True for what separates words even without a blank: the characters with a meaning in FTS5.
/// A colon is one of them, so that a column filter can't be written.
pub(crate) fn is_special(c: char) -> bool {
    matches!(c, '+' | '{' | '}' | '(' | ')' | '^' | ':')
}

/// True for white space, control characters (NUL too), and marks that can't be seen: zero-width
/// space, byte order mark, writing direction. The index keeps none of them.
pub(crate) fn is_blank(c: char) -> bool {
    if c.is_ascii() {
        return c <= ' ' || c == '\u{7F}';
    }
    if is_plain(c) {
        return false;
    }
    c.is_whitespace() || c.is_control() || is_mark(c)
}

/// True in blocks of letters that hold neither a blank nor a quotation mark nor a parenthesis: most
/// texts that are not ASCII are made of them.
pub(crate) fn is_plain(c: char) -> bool {
    matches!(c, '\u{C0}'..='\u{61B}' | '\u{61D}'..='\u{167F}' | '\u{3040}'..='\u{D7FF}' | '\u{10000}'..)
}

fn is_mark(c: char) -> bool {
    matches!(
        c,
        '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{FEFF}'
    )
}

/// True for a mark that can't be seen, or that turns the direction of what follows.
pub(crate) fn is_invisible(c: char) -> bool {
    is_mark(c) || matches!(c, '\u{61C}' | '\u{2060}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quote::is_quote;

    #[test]
    fn plain_letters_separate_nothing() {
        for c in ('\0'..=char::MAX).filter(|c| is_plain(*c)) {
            assert!(!c.is_whitespace() && !c.is_control(), "{c:?}");
            assert!(!is_invisible(c) && !is_special(c) && !is_quote(c), "{c:?}");
        }
    }
}
