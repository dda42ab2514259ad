//! Quotation marks: which pairs hold a phrase.

use crate::blank::{is_blank, is_plain};

/// A quoted phrase at the start of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Phrase<'a> {
    pub(crate) inside: &'a str,
    /// The bytes of the phrase with its quotes.
    pub(crate) len: usize,
}

/// Finds phrases from the left to the right of one text.
#[derive(Debug, Default)]
pub(crate) struct Quotes {
    /// No single closing quote is left.
    no_single: bool,
}

impl Quotes {
    /// The quoted phrase at the start of the text.
    ///
    /// A double quote without a partner is a blank; it is the last of its family, so the search
    /// for a partner fails once.
    pub(crate) fn phrase<'a>(&mut self, rest: &'a str) -> Option<Phrase<'a>> {
        let open = rest.chars().next().filter(|c| is_quote(*c))?;
        let behind = rest.get(open.len_utf8()..)?;
        let close = match open {
            '\u{2018}' if self.no_single => None,
            '\u{2018}' => {
                let close = single_close(behind);
                self.no_single = close.is_none();
                close
            }
            _ => {
                let family = family(open)?;
                behind.find(family)
            }
        }?;
        let inside = behind.get(..close)?;
        let closing = behind.get(close..)?.chars().next()?;
        Some(Phrase {
            inside,
            len: open.len_utf8() + inside.len() + closing.len_utf8(),
        })
    }
}

/// Where the single quotation ends. The mark is an apostrophe too, as in `don’t`: it ends a
/// quotation only if no letter or digit follows.
fn single_close(text: &str) -> Option<usize> {
    let mut marks = text.match_indices('\u{2019}');
    let ends = |(at, mark): &(usize, &str)| {
        let next = text.get(at + mark.len()..).and_then(|t| t.chars().next());
        let before = text.get(..*at).and_then(|t| t.chars().next_back());
        !next.is_some_and(char::is_alphanumeric) && before.is_some_and(|c| !is_blank(c))
    };
    marks.find(ends).map(|(at, _)| at)
}

/// True for a mark that can only be a quotation mark. All in Unicode's property Quotation_Mark but
/// the single ones that are apostrophes too.
pub(crate) fn is_double(c: char) -> bool {
    family(c).is_some()
}

/// True for any quotation mark but the ASCII apostrophe.
pub(crate) fn is_quote(c: char) -> bool {
    is_double(c) || c == '\u{2018}'
}

/// The marks of which any may close what this one opens: languages differ in which comes first.
fn family(open: char) -> Option<&'static [char]> {
    const FAMILIES: [&[char]; 6] = [
        &['“', '”', '„', '‟', '⹂'],
        &['«', '»'],
        &['‹', '›'],
        &['「', '」', '﹁', '﹂', '｢', '｣'],
        &['『', '』', '﹃', '﹄'],
        &['〝', '〞', '〟'],
    ];
    match open {
        '"' => return Some(&['"']),
        '＂' => return Some(&['＂']),
        '\0'..='\u{7F}' => return None,
        _ if is_plain(open) => return None,
        _ => {}
    }
    FAMILIES.into_iter().find(|family| family.contains(&open))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inside(text: &str) -> Option<&str> {
        Quotes::default().phrase(text).map(|phrase| phrase.inside)
    }

    #[test]
    fn the_quotes_of_every_language_hold_a_phrase() {
        for text in [
            "\"a b\" c",
            "“a b” c",
            "„a b“ c",
            "”a b” c",
            "«a b» c",
            "»a b« c",
            "‹a b› c",
            "「a b」 c",
            "『a b』 c",
            "﹁a b﹂ c",
            "｢a b｣ c",
            "〝a b〟 c",
            "＂a b＂ c",
            "‘a b’ c",
        ] {
            assert_eq!(inside(text), Some("a b"), "{text}");
        }
    }

    #[test]
    fn quotes_of_one_kind_stand_inside_of_those_of_another() {
        assert_eq!(inside("\"a “b” c\""), Some("a “b” c"));
        assert_eq!(inside("“a \"b\" c”"), Some("a \"b\" c"));
        assert_eq!(inside("“a"), None);
        assert_eq!(inside("“a\""), None);
    }

    #[test]
    fn an_apostrophe_is_no_quote() {
        assert_eq!(inside("‘don’t panic’ now"), Some("don’t panic"));
        assert_eq!(inside("‘tis don’t"), None);
        assert_eq!(inside("’a’"), None);
        assert_eq!(inside("'a'"), None);
        assert_eq!(inside("‘a ’b’"), Some("a ’b"));
    }
}
