//! Other spellings of one text that the index does not take for the same.
//!
//! unicode61 folds case and drops accents from ASCII letters, but it knows nothing of normal forms:
//! `й` in one code point and `й` in two are different words to it, as are `ｄｏｃｋｅｒ` and `docker`.
//! A term that is typed in the rare form is looked for in both. So is a [date](crate::date), which may
//! stand before a time, and a date with its time.

use alloc::string::String;
use alloc::vec::Vec;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::date::{Written, before_time, moment};
use crate::lex::{Lexeme, Op, Token};
use crate::term::TermKind;

/// How else a term, or some in a row, may stand in a text.
pub(crate) struct Spelling {
    texts: Vec<String>,
    /// The last word may go on.
    prefix: bool,
    /// How many terms in a row are meant.
    terms: usize,
}

impl Spelling {
    fn of_term(text: String, prefix: bool) -> Spelling {
        Spelling {
            texts: Vec::from([text]),
            prefix,
            terms: 1,
        }
    }
}

/// The other spelling of each term that has one; empty if there is none.
pub(crate) fn other_spellings(tokens: &[Token<'_>]) -> Vec<Option<Spelling>> {
    // Nearly always there is nothing to do, and nothing is allocated.
    let mut spellings = Vec::new();
    for at in 0..tokens.len() {
        if let Some(spelling) = tokens.get(at..).and_then(other_spelling) {
            spellings.resize_with(at, || None);
            spellings.push(Some(spelling));
        }
    }
    spellings
}

/// The other spelling of what the tokens begin with.
fn other_spelling(tokens: &[Token<'_>]) -> Option<Spelling> {
    let term = match tokens.first()? {
        Token::Term(term) if term.operator().is_none() => term,
        _ => return None,
    };
    if !term.text.is_ascii() {
        let text = usual_spelling(term.text)?;
        return Some(Spelling::of_term(text, term.prefix));
    }
    // Every date has a hyphen.
    if !is_bare(term) || !term.text.contains('-') {
        return None;
    }
    let words = tokens.iter().map_while(|token| match token {
        Token::Term(term) if is_bare(term) => Some(Written {
            lead: term.lead,
            text: term.text,
        }),
        _ => None,
    });
    match moment(words) {
        Some(moment) => Some(Spelling {
            texts: moment.forms,
            prefix: true,
            terms: moment.words,
        }),
        None => before_time(term.text).map(|text| Spelling::of_term(text, true)),
    }
}

/// A phrase is meant as it is typed, and a star finds what follows as it is.
fn is_bare(term: &Lexeme<'_>) -> bool {
    term.kind == TermKind::Word && !term.prefix
}

/// The tokens with each term that has another spelling as a group of the two.
pub(crate) fn with_spellings<'a>(
    tokens: Vec<Token<'a>>,
    spellings: &'a [Option<Spelling>],
) -> Vec<Token<'a>> {
    if spellings.is_empty() {
        return tokens;
    }
    let mut spelled = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let spelling = spellings.get(at).and_then(Option::as_ref);
        match (token, spelling) {
            (Token::Term(term), Some(other)) if !alternative_follows(&tokens, at, other) => {
                let behind = at + other.terms;
                spelled.push(Token::Open {
                    at: term.start(),
                    glued: false,
                });
                spelled.extend(tokens.iter().take(behind).skip(at));
                for text in &other.texts {
                    let [or, text] =
                        [(Op::Or.as_str(), false), (text, other.prefix)].map(|(text, prefix)| {
                            Lexeme {
                                lead: " ",
                                text,
                                prefix,
                                ..*term
                            }
                        });
                    spelled.push(Token::Term(Lexeme {
                        kind: TermKind::Word,
                        ..or
                    }));
                    spelled.push(Token::Term(text));
                }
                spelled.push(Token::Close { at: term.start() });
                at = behind;
            }
            _ => {
                spelled.push(*token);
                at += 1;
            }
        }
    }
    spelled
}

/// True if `OR` and the other spelling stand behind the term already.
fn alternative_follows(tokens: &[Token<'_>], at: usize, spelling: &Spelling) -> bool {
    let term = |at: usize| match tokens.get(at) {
        Some(Token::Term(lexeme)) => Some(lexeme),
        _ => None,
    };
    let mut behind = at + spelling.terms;
    spelling.texts.iter().all(|text| {
        let or = term(behind).is_some_and(|lexeme| lexeme.operator() == Some(Op::Or));
        let other = term(behind + 1);
        behind += 2;
        or && other.is_some_and(|other| other.text == *text && other.prefix == spelling.prefix)
    })
}

/// The text as it is usually written, if the index takes that for something else.
fn usual_spelling(text: &str) -> Option<String> {
    if text.chars().all(is_settled) {
        return None;
    }
    let wide = text.chars().any(is_wide_alphanumeric);
    let composed = is_nfc_quick(text.chars()) == IsNormalized::Yes;
    if composed && !wide && !text.contains(is_isolate) {
        return None;
    }
    if wide && composed && !text.contains(is_isolate) {
        return Some(text.chars().map(narrow).collect());
    }
    let narrow = |c: char| if wide { narrow(c) } else { c };
    let usual: String = text
        .chars()
        .filter(|c| !is_isolate(*c))
        .map(narrow)
        .nfc()
        .collect();
    let same = as_indexed(text).eq(as_indexed(&usual));
    (!same && !usual.is_empty()).then_some(usual)
}

/// True for the letters of the largest scripts that stand for themselves in every normal form that
/// composes, whatever is beside them.
fn is_settled(c: char) -> bool {
    matches!(c, '\0'..='\u{2FF}' | '\u{388}'..='\u{482}' | '\u{48A}'..='\u{590}'
        | '\u{2010}'..='\u{205E}' | '\u{3002}'..='\u{3020}' | '\u{FF01}'..='\u{FF0F}'
        | '\u{FF1A}'..='\u{FF20}' | '\u{5D0}'..='\u{5EA}' | '\u{620}'..='\u{64A}' | '\u{3041}'..='\u{3096}'
        | '\u{30A1}'..='\u{30FF}' | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}')
}

/// What the index makes of accents on ASCII letters; all else as it is.
pub(crate) fn as_indexed(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().filter(|c| !is_accent(*c)).map(plain_letter)
}

/// Combining marks that unicode61 drops.
pub(crate) fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{304}' | '\u{306}'..='\u{30C}' | '\u{30F}' | '\u{311}' | '\u{31B}'
        | '\u{323}'..='\u{328}' | '\u{32D}' | '\u{32E}' | '\u{330}' | '\u{331}')
}

/// The ASCII letter that unicode61 takes a letter with one accent for.
fn plain_letter(c: char) -> char {
    // There are none in other blocks.
    if !matches!(c, 'À'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}' | '\u{212B}') {
        return c;
    }
    let mut parts = core::iter::once(c).nfd();
    match (parts.next(), parts.next(), parts.next()) {
        (Some(letter), Some(accent), None) if letter.is_ascii_alphabetic() && is_accent(accent) => {
            letter
        }
        _ => c,
    }
}

/// Marks around a text of another direction. The index takes them for letters.
fn is_isolate(c: char) -> bool {
    matches!(c, '\u{61C}' | '\u{2066}'..='\u{2069}')
}

/// Letters and digits as wide as a Chinese character.
fn is_wide_alphanumeric(c: char) -> bool {
    matches!(c, '０'..='９' | 'Ａ'..='Ｚ' | 'ａ'..='ｚ')
}

/// The ASCII character that a full-width one stands for. A quote stays: no term holds one.
fn narrow(c: char) -> char {
    match c {
        '\u{FF01}' | '\u{FF03}'..='\u{FF5E}' => u32::from(c)
            .checked_sub(0xFEE0)
            .and_then(char::from_u32)
            .unwrap_or(c),
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn what_is_typed_as_usual_has_no_other_spelling() {
        for text in [
            "docker",
            "é",
            "мой",
            "tiếng",
            "大别山",
            "한국어",
            "，",
            "e\u{301}",
            "don’t",
        ] {
            assert_eq!(usual_spelling(text), None, "{text}");
        }
    }

    #[test]
    fn decomposed_wide_and_isolated_texts_have_one() {
        for (typed, usual) in [
            ("ｄｏｃｋｅｒ", "docker"),
            ("ｕｓｅｒ＠ｈｏｓｔ", "user@host"),
            ("第３章", "第3章"),
            ("и\u{306}", "й"),
            ("tie\u{302}\u{301}ng", "tiếng"),
            ("か\u{3099}", "が"),
            ("\u{1112}\u{1161}\u{11AB}", "한"),
            ("\u{2068}docker\u{2069}", "docker"),
        ] {
            assert_eq!(usual_spelling(typed).as_deref(), Some(usual), "{typed}");
        }
    }

    /// The index forms of words, in their order.
    fn indexed(words: &[String]) -> Vec<String> {
        let db = Connection::open_in_memory().unwrap();
        db.execute_batch(
            "CREATE VIRTUAL TABLE t USING fts5(content);
             CREATE VIRTUAL TABLE v USING fts5vocab(t, instance);",
        )
        .unwrap();
        db.execute("INSERT INTO t VALUES (?1)", [words.join(" ")])
            .unwrap();
        let mut query = db.prepare("SELECT term FROM v ORDER BY offset").unwrap();
        let terms = query.query_map([], |row| row.get(0)).unwrap();
        terms.map(Result::unwrap).collect()
    }

    #[test]
    fn settled_letters_are_composed_and_combine_with_nothing_before_them() {
        for c in ('\0'..=char::MAX).filter(|c| is_settled(*c)) {
            assert_eq!(is_nfc_quick([c].into_iter()), IsNormalized::Yes, "{c:?}");
            assert_eq!(unicode_normalization::char::canonical_combining_class(c), 0);
            assert!(!is_isolate(c) && !is_wide_alphanumeric(c), "{c:?}");
        }
    }

    #[test]
    fn the_index_drops_the_accents_that_we_drop() {
        let letters = ('\0'..=char::MAX).filter(|c| {
            let parts: Vec<char> = core::iter::once(*c).nfd().collect();
            matches!(parts[..], [letter, mark] if letter.is_ascii_alphabetic() && is_accent(mark))
        });
        for c in letters {
            assert_ne!(plain_letter(c), c);
        }
        let all = || ('\0'..=char::MAX).filter(|c| plain_letter(*c) != *c);
        let accented: Vec<String> = all().map(|c| c.to_string()).collect();
        assert!(accented.len() > 200);
        let plain: Vec<String> = all()
            .map(|c| plain_letter(c).to_ascii_lowercase().to_string())
            .collect();
        assert_eq!(indexed(&accented), plain);
        for accent in ('\u{300}'..='\u{36F}').filter(|c| is_accent(*c)) {
            assert_eq!(indexed(&[format!("x{accent}y")]), ["xy"], "{accent:?}");
        }
    }
}
