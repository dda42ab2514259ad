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
    c.is_whitespace() || c.is_control() || is_mark(c)
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
