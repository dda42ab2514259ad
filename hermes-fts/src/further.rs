//! Where a query may be found beside what its expression finds.
//!
//! An index knows a text as it is stored. JSON that Python has written holds `\u90e8` for `部`; a
//! Latin word that touches Chinese is no word to the word index; a letter may be stored decomposed.
//! The expressions here find the texts that may hold the query in such a form, and some that do not:
//! whoever uses them reads the text and asks [`Term::stands_in`].

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::expr::Expr;
use crate::plan::{Plan, SHORTEST};
use crate::query::SanitizedQuery;
use crate::render::push_quoted;
use crate::script::{is_arabic, is_unspaced};
use crate::stands::decomposed;
use crate::term::{Term, TermKind};
use crate::token_chars::is_token_char;

/// What finds the texts that may hold a query in another form than the index has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Further {
    /// For the word index: letters of a word as JSON escapes, or decomposed.
    pub words: Option<String>,
    /// For the trigram index: words anywhere in a text.
    pub trigram: Option<String>,
    /// Of a word of one or two letters: terms of the trigram index that hold it before a character
    /// that no letter of its own script is. From, and up to but without.
    pub terms: Vec<(String, String)>,
    /// `trigram` and `terms` find something only where texts have letters of a script
    /// without blanks.
    pub needs_unspaced: bool,
}

impl SanitizedQuery {
    /// Of a query that is looked for by substring: what finds, in the word index, the texts in which
    /// a term may stand as the escapes that JSON has for it.
    ///
    /// ```
    /// let query = hermes_fts::sanitize("部署 docker");
    /// assert_eq!(query.escaped().unwrap(), r#""\u90e8\u7f72"*"#);
    /// assert_eq!(hermes_fts::sanitize("docker").escaped(), None);
    /// ```
    #[must_use]
    pub fn escaped(&self) -> Option<String> {
        if !matches!(self.plan(), Plan::Trigram(_) | Plan::Combined) {
            return None;
        }
        let mut phrases: Vec<String> = Vec::new();
        for term in self.tree()?.terms() {
            phrases.extend(escaped_parts(term.text()));
        }
        phrases.sort_unstable();
        phrases.dedup();
        (!phrases.is_empty()).then(|| phrases.join(" OR "))
    }

    /// What else may hold the query: for a caller that has found too little.
    #[must_use]
    pub fn further(&self) -> Further {
        let Some(tree) = self.tree() else {
            return Further::default();
        };
        let terms = tree.terms();
        let apart = terms.iter().any(|term| decomposed(term.text()).is_some());
        match self.plan() {
            Plan::Words => Further {
                words: terms
                    .iter()
                    .any(|term| !term.text().is_ascii())
                    .then(|| wider(tree, &word_forms))
                    .flatten(),
                trigram: wider(tree, &|term| match term.kind() {
                    TermKind::Word => anywhere(term),
                    // Its blanks may be others.
                    TermKind::Phrase => None,
                }),
                terms: match tree {
                    Expr::Term(term) => touching(term),
                    _ => Vec::new(),
                },
                needs_unspaced: !apart
                    && !terms.iter().any(|term| term.text().chars().any(is_arabic)),
            },
            Plan::Trigram(_) | Plan::Combined if apart => Further {
                trigram: wider(tree, &anywhere),
                ..Further::default()
            },
            _ => Further::default(),
        }
    }
}

impl Expr {
    /// All its terms, those that must not be there too.
    #[must_use]
    pub fn terms(&self) -> Vec<&Term> {
        let mut found = Vec::new();
        self.collect(true, &mut found);
        found
    }

    /// Its terms but for those that must not be there.
    #[must_use]
    pub fn wanted(&self) -> Vec<&Term> {
        let mut found = Vec::new();
        self.collect(false, &mut found);
        found
    }

    fn collect<'e>(&'e self, unwanted_too: bool, found: &mut Vec<&'e Term>) {
        match self {
            Expr::Term(term) => found.push(term),
            Expr::And(parts) | Expr::Or(parts) => {
                for part in parts {
                    part.collect(unwanted_too, found);
                }
            }
            Expr::Not(wanted, unwanted) => {
                wanted.collect(unwanted_too, found);
                if unwanted_too {
                    unwanted.collect(unwanted_too, found);
                }
            }
        }
    }
}

/// An expression that holds at least where the tree does, as far as a term has a form: what must not
/// be there is left out, and so is a demand without a form.
fn wider(tree: &Expr, form: &impl Fn(&Term) -> Option<String>) -> Option<String> {
    let joined = |parts: &[Expr], operator: &str| {
        let forms: Vec<String> = parts.iter().filter_map(|part| wider(part, form)).collect();
        match forms.as_slice() {
            [] => None,
            [only] => Some(only.clone()),
            _ => Some(format!("({})", forms.join(operator))),
        }
    };
    match tree {
        Expr::Term(term) => form(term),
        Expr::And(parts) => joined(parts, " AND "),
        Expr::Or(parts) => joined(parts, " OR "),
        Expr::Not(wanted, _) => wider(wanted, form),
    }
}

fn any_of(mut forms: Vec<String>) -> String {
    forms.dedup();
    match forms.as_slice() {
        [only] => only.clone(),
        _ => format!("({})", forms.join(" OR ")),
    }
}

/// A term for the trigram index, if it is long enough.
fn anywhere(term: &Term) -> Option<String> {
    let forms = [Some(term.text().to_owned()), decomposed(term.text())];
    let forms: Vec<String> = forms
        .iter()
        .flatten()
        .filter(|text| text.chars().count() >= SHORTEST)
        .map(|text| quoted(text))
        .collect();
    (!forms.is_empty()).then(|| any_of(forms))
}

/// A term for the word index as it is, as JSON escapes in lower and upper case, and decomposed.
fn word_forms(term: &Term) -> Option<String> {
    let text = term.text();
    let star = if term.is_prefix() { "*" } else { "" };
    let mut forms = Vec::from([format!("{}{star}", quoted(text))]);
    if !text.is_ascii() {
        let escapes = in_usual_cases(text);
        forms.extend(escapes.iter().map(|text| format!("{}{star}", quoted(text))));
        forms.extend(decomposed(text).map(|text| format!("{}{star}", quoted(&text))));
    }
    Some(any_of(forms))
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(char::to_uppercase);
    let rest = characters.as_str().to_lowercase();
    first.into_iter().flatten().chain(rest.chars()).collect()
}

/// A word of one or two letters before a letter of a script without blanks; one of two also before
/// what is no letter, since what stands before it may be such a letter.
fn touching(term: &Term) -> Vec<(String, String)> {
    let text = crate::folded(term.text());
    let letters: Vec<char> = text.chars().collect();
    if letters.len() >= SHORTEST || !text.chars().all(is_token_char) {
        return Vec::new();
    }
    let to = |last: char| format!("{text}{last}");
    let mut ranges = Vec::from([(to('\u{E00}'), to(char::MAX))]);
    if letters.len() == 2 {
        ranges.push((to('\u{1}'), to('0')));
    }
    ranges
}

/// The longest run of characters that JSON escapes and that have one case, as escapes, which may go
/// on; if there is none, of those that it escapes, in the usual cases.
fn escaped_parts(text: &str) -> Vec<String> {
    let longest = |among: fn(char) -> bool| {
        let runs = text.split(move |c: char| c.is_ascii() || !among(c));
        runs.max_by_key(|run| run.len()).unwrap_or_default()
    };
    let has_one_case = |c| is_unspaced(c) || !is_token_char(c);
    let mut parts = match (longest(has_one_case), longest(|_| true)) {
        ("", "") => Vec::new(),
        ("", cased) => in_usual_cases(cased),
        (part, _) => Vec::from([escapes(part)]),
    };
    for part in &mut parts {
        *part = format!("{}*", quoted(part));
    }
    parts
}

/// The escapes of a text in lower and upper case, and with a capital.
fn in_usual_cases(text: &str) -> Vec<String> {
    let mut cases = Vec::from([
        escapes(text),
        escapes(&text.to_lowercase()),
        escapes(&text.to_uppercase()),
        escapes(&capitalised(text)),
    ]);
    cases.sort_unstable();
    cases.dedup();
    cases
}

/// A text as Python writes it into JSON.
fn escapes(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() * 2);
    let mut units = [0; 2];
    for c in text.chars() {
        if c.is_ascii() {
            escaped.push(c);
        } else {
            for unit in c.encode_utf16(&mut units) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    escaped
}

fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    push_quoted(&mut quoted, text);
    quoted
}

#[cfg(test)]
mod tests {
    use crate::sanitize;

    #[test]
    fn escapes_are_looked_for_of_what_json_escapes() {
        for (query, escaped) in [
            ("部署", Some("\"\\u90e8\\u7f72\"*")),
            ("v2部署x 😀。", Some("\"\\u90e8\\u7f72\"*")),
            ("😀", Some("\"\\ud83d\\ude00\"*")),
            ("大 OR 理 NOT 大", Some("\"\\u5927\"* OR \"\\u7406\"*")),
            (
                "да大 Да",
                Some(r#""\u0414\u0410"* OR "\u0414\u0430"* OR "\u0434\u0430"* OR "\u5927"*"#),
            ),
            ("docker", None),
            ("привет", None),
            ("->", None),
            ("", None),
        ] {
            assert_eq!(sanitize(query).escaped().as_deref(), escaped, "{query}");
        }
    }

    #[test]
    fn words_are_looked_for_anywhere() {
        let trigram = |query| sanitize(query).further().trigram;
        for (query, expression) in [
            ("zephyr", Some("\"zephyr\"")),
            ("go zephyr NOT x", Some("\"zephyr\"")),
            (
                "\"a b\" (abc OR def) ghi",
                Some("((\"abc\" OR \"def\") AND \"ghi\")"),
            ),
            ("\"exit code\"", None),
            ("go", None),
            ("大别山", None),
            ("", None),
        ] {
            assert_eq!(trigram(query).as_deref(), expression, "{query}");
        }
        assert!(sanitize("zephyr").further().needs_unspaced);
        assert!(!sanitize("عالم").further().needs_unspaced);
        assert!(trigram("대한민국").unwrap().contains(" OR "));
    }

    #[test]
    fn words_beyond_ascii_have_escapes() {
        let words = |query| sanitize(query).further().words;
        assert_eq!(words("docker"), None);
        assert_eq!(
            words("не docker").unwrap(),
            r#"(("не" OR "\u041d\u0415" OR "\u041d\u0435" OR "\u043d\u0435") AND "docker")"#
        );
    }

    #[test]
    fn short_words_are_looked_for_before_what_is_no_letter() {
        let terms = |query| sanitize(query).further().terms;
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(terms("C"), [pair("c\u{E00}", "c\u{10FFFF}")]);
        assert_eq!(
            terms("go"),
            [pair("go\u{E00}", "go\u{10FFFF}"), pair("go\u{1}", "go0")]
        );
        assert!(terms("abc").is_empty() && terms("a b").is_empty());
    }
}
