//! Which script a character belongs to, as far as the choice of an index depends on it.
//!
//! Scripts that put no blanks between words, or glue particles to them as Korean does, make the word
//! index take a whole clause for one word. What is written in them is looked for anywhere in a text.

/// True for a letter of a script in which words are not set apart: text in it is looked for anywhere,
/// not as words.
///
/// ```
/// use hermes_fts::script::is_unspaced;
///
/// assert!("大𠀀のアｱ가ㄱไລខကབ々〇".chars().all(is_unspaced));
/// assert!(!"aé1😀ｆ，。".chars().any(is_unspaced));
/// ```
#[must_use]
pub fn is_unspaced(c: char) -> bool {
    if c < FIRST {
        return false;
    }
    is_han(c) || is_kana(c) || is_hangul(c) || is_south_east_asian(c) || is_yi_or_bopomofo(c)
}

/// Blocks that hold the letters of those scripts and no signs that other texts have: from, and up to
/// but without. For whoever looks for any of them.
pub const UNSPACED_BLOCKS: &[(char, char)] = &[
    ('\u{4E00}', '\u{A4D0}'),
    ('\u{3031}', '\u{3036}'),
    ('\u{3040}', '\u{3100}'),
    ('\u{AC00}', '\u{E000}'),
    ('\u{E00}', '\u{10A0}'),
    ('\u{1100}', '\u{1200}'),
    ('\u{1780}', '\u{1800}'),
    ('\u{1950}', '\u{1AB0}'),
    ('\u{1B00}', '\u{1B80}'),
    ('\u{2E80}', '\u{2FE0}'),
    ('\u{3005}', '\u{3008}'),
    ('\u{3021}', '\u{302A}'),
    ('\u{3105}', '\u{3190}'),
    ('\u{31A0}', '\u{3200}'),
    ('\u{3400}', '\u{4DC0}'),
    ('\u{A960}', '\u{AAE0}'),
    ('\u{F900}', '\u{FB00}'),
    ('\u{FF66}', '\u{FFDD}'),
    ('\u{1AFF0}', '\u{1B170}'),
    ('\u{20000}', '\u{3FFFE}'),
];

/// The least character of those scripts.
const FIRST: char = '\u{E00}';

/// True for Han: the unified ideographs with all their extensions, compatibility forms, radicals,
/// and the marks and numbers that stand among them (`々`, `〇`).
#[must_use]
pub fn is_han(c: char) -> bool {
    matches!(c, '\u{4E00}'..='\u{9FFF}' | '\u{3400}'..='\u{4DBF}' | '\u{2E80}'..='\u{2FD5}'
        | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3038}'..='\u{303B}'
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFD}')
}

/// True for hiragana and katakana, half-width and small ones too.
#[must_use]
pub fn is_kana(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30FF}' | '\u{3031}'..='\u{3035}' | '\u{31F0}'..='\u{31FF}'
        | '\u{FF66}'..='\u{FF9F}' | '\u{1AFF0}'..='\u{1B16F}')
}

/// True for Hangul: syllables and jamo, half-width ones too.
#[must_use]
pub fn is_hangul(c: char) -> bool {
    matches!(c, '\u{AC00}'..='\u{D7FF}' | '\u{1100}'..='\u{11FF}' | '\u{3131}'..='\u{318F}'
        | '\u{A960}'..='\u{A97F}' | '\u{FFA0}'..='\u{FFDC}')
}

/// True for Thai, Lao, Tibetan, Myanmar, Khmer, and the smaller scripts of that part of the world:
/// Tai Le, New Tai Lue, Tai Tham, Tai Viet, Balinese, Javanese.
#[must_use]
pub fn is_south_east_asian(c: char) -> bool {
    matches!(c, '\u{E00}'..='\u{E3E}' | '\u{E40}'..='\u{109F}' | '\u{1780}'..='\u{17FF}'
        | '\u{1950}'..='\u{19FF}' | '\u{1A20}'..='\u{1AAF}' | '\u{1B00}'..='\u{1B7F}'
        | '\u{A980}'..='\u{A9FF}' | '\u{AA60}'..='\u{AADF}')
}

fn is_yi_or_bopomofo(c: char) -> bool {
    matches!(c, '\u{3105}'..='\u{312F}' | '\u{31A0}'..='\u{31BF}' | '\u{A000}'..='\u{A4CF}')
}

/// True for letters of the Arabic script.
#[must_use]
pub fn is_arabic(c: char) -> bool {
    matches!(c, '\u{620}'..='\u{64A}' | '\u{66E}'..='\u{6D3}' | '\u{6D5}' | '\u{6FA}'..='\u{6FF}'
        | '\u{750}'..='\u{77F}' | '\u{8A0}'..='\u{8C9}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unspaced_letter_is_in_a_block() {
        let in_block = |c: char| {
            UNSPACED_BLOCKS
                .iter()
                .any(|(first, end)| (*first..*end).contains(&c))
        };
        for c in ('\0'..=char::MAX).filter(|c| is_unspaced(*c)) {
            assert!(in_block(c) || matches!(c, '\u{3038}'..='\u{303B}'), "{c:?}");
        }
        for c in "aé😀。，—→│•ａ".chars() {
            assert!(!in_block(c), "{c:?}");
        }
    }
}
