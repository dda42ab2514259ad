//! Which script a character belongs to, as far as the choice of an index depends on it.
//!
//! The ranges are those that Hermes Agent routes by, so that the same query goes to the same
//! index in both programs. Other scripts that are written without blanks (Thai, Lao, Khmer,
//! half-width kana, Han from extension C on) are not in them and use the word index.

/// True for a character whose presence sends a query to the trigram index or to a scan.
///
/// ```
/// use hermes_fts::script::is_cjk;
///
/// assert!("大のア가。".chars().all(is_cjk));
/// assert!(!"aé1😀ไ，".chars().any(is_cjk));
/// ```
#[must_use]
pub fn is_cjk(c: char) -> bool {
    is_han(c) || is_kana(c) || is_hangul(c) || is_cjk_punctuation(c)
}

/// True for Han: the unified ideographs and their extensions A and B.
#[must_use]
pub fn is_han(c: char) -> bool {
    matches!(c, '\u{4E00}'..='\u{9FFF}' | '\u{3400}'..='\u{4DBF}' | '\u{20000}'..='\u{2A6DF}')
}

/// True for hiragana and (full-width) katakana.
#[must_use]
pub fn is_kana(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30FF}')
}

/// True for Hangul syllables; single jamo are letters to the word index.
#[must_use]
pub fn is_hangul(c: char) -> bool {
    matches!(c, '\u{AC00}'..='\u{D7AF}')
}

/// True for the block of CJK symbols and punctuation, the iteration mark 々 and 〇 included.
#[must_use]
pub fn is_cjk_punctuation(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{303F}')
}
