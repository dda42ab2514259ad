//! What matched, in a snippet.

use hermes_kit::fts::Expr;

use crate::output::{Output, Tone};

/// The marks that the store puts around what matched: characters that no text has, so that `>>>` in
/// a text is no mark.
pub(super) const BEGIN: char = '\u{fdd0}';
pub(super) const END: char = '\u{fdd1}';

/// What stands there without colours.
const PLAIN: (&str, &str) = (">>>", "<<<");

/// The snippet with what matched in colour or, without colours, between marks.
pub(super) fn highlighted(snippet: &str, output: &Output) -> String {
    let mut text = String::new();
    let mut rest = snippet;
    while let Some((before, behind)) = rest.split_once(BEGIN) {
        let Some((matched, after)) = behind.split_once(END) else {
            break;
        };
        text.push_str(&unmarked(before));
        let matched = unmarked(matched);
        if output.in_color() {
            text.push_str(&output.paint(Tone::Match, matched));
        } else {
            text.extend([PLAIN.0, &matched, PLAIN.1]);
        }
        rest = after;
    }
    text + &unmarked(rest)
}

fn unmarked(text: &str) -> String {
    text.replace([BEGIN, END], "")
}

/// The snippet with the terms marked where the store has marked none: it does not where it has read
/// the messages one by one.
pub(super) fn with_marks(snippet: &str, terms: &[String]) -> String {
    if snippet.contains(BEGIN) {
        return snippet.to_owned();
    }
    let mut text = String::new();
    let mut rest = snippet;
    while !rest.is_empty() {
        let found = terms
            .iter()
            .filter_map(|term| length_at_start(rest, term))
            .max();
        let length = match found {
            Some(length) => {
                text.push(BEGIN);
                text.extend(rest.get(..length));
                text.push(END);
                length
            }
            None => {
                let first = rest.chars().next();
                text.extend(first);
                first.map_or(1, char::len_utf8)
            }
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    text
}

/// The bytes that a term (in small letters) takes at the beginning of a text.
fn length_at_start(text: &str, term: &str) -> Option<usize> {
    let mut wanted = term.chars();
    let mut length = 0;
    for c in text.chars() {
        if wanted.as_str().is_empty() {
            break;
        }
        for small in c.to_lowercase() {
            if wanted.next() != Some(small) {
                return None;
            }
        }
        length += c.len_utf8();
    }
    (wanted.as_str().is_empty() && length > 0).then_some(length)
}

/// The terms that a match has, in small letters; not those that it must not have.
pub(super) fn wanted_terms(tree: &Expr) -> Vec<String> {
    match tree {
        Expr::Term(term) => vec![term.text().to_lowercase()],
        Expr::And(parts) | Expr::Or(parts) => parts.iter().flat_map(wanted_terms).collect(),
        Expr::Not(part, _) => wanted_terms(part),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Color;

    fn plain(snippet: &str) -> String {
        highlighted(snippet, &Output::new(false, Color::Never))
    }

    #[test]
    fn marks_are_shown_and_strays_are_not() {
        assert_eq!(plain("a \u{fdd0}b\u{fdd1} c"), "a >>>b<<< c");
        assert_eq!(plain("\u{fdd1}a \u{fdd0}b"), "a b");
        assert_eq!(plain("\u{fdd0}a\u{fdd0}b\u{fdd1}\u{fdd1}"), ">>>ab<<<");
        assert_eq!(plain(">>> print(1)"), ">>> print(1)");
        let color = highlighted("\u{fdd0}b\u{fdd1}", &Output::new(false, Color::Always));
        assert_eq!(color, "\u{1b}[1m\u{1b}[33mb\u{1b}[0m");
    }

    #[test]
    fn terms_are_marked_where_nothing_is() {
        let terms = ["大理".to_owned(), "ok".to_owned(), "okay".to_owned()];
        let shown = |text: &str| plain(&with_marks(text, &terms));
        assert_eq!(shown("去大理 OKAY"), "去>>>大理<<< >>>OKAY<<<");
        assert_eq!(shown("İok"), "İ>>>ok<<<");
        assert_eq!(shown(""), "");
        assert_eq!(shown("\u{fdd0}x\u{fdd1} ok"), ">>>x<<< ok");
        assert_eq!(plain(&with_marks("abc", &[String::new()])), "abc");
    }
}
