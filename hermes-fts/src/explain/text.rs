//! The explanation as lines of text.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::Explanation;
use crate::expr::Expr;
use crate::plan::{Lookup, Plan};
use crate::query::MAX_QUERY_CHARS;
use crate::term::{Term, TermKind};
use crate::token_chars::is_token_char;

/// What is written for each level of the tree.
const INDENT: &str = "  ";

impl Plan {
    /// A name for programs: `nothing`, `words`, `trigram`, `combined` or `scan`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Plan::Nothing => "nothing",
            Plan::Words => "words",
            Plan::Trigram(_) => "trigram",
            Plan::Combined => "combined",
            Plan::Scan => "scan",
        }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.tree {
            None => f.write_str("looks for nothing\n")?,
            Some(tree) => {
                f.write_str("looks for ")?;
                write(f, tree, 0)?;
            }
        }
        match &self.plan {
            Plan::Nothing => {}
            Plan::Words => writeln!(f, "in the word index, as: {}", visible(&self.expression))?,
            Plan::Trigram(expression) => {
                writeln!(
                    f,
                    "in the index of three characters, as: {}",
                    visible(expression)
                )?;
            }
            Plan::Combined => f.write_str("term by term: no index can find it alone\n")?,
            Plan::Scan => f.write_str("message by message: no index can find it\n")?,
        }
        if !self.left_out.is_empty() {
            f.write_str("left out:\n")?;
        }
        for piece in &self.left_out {
            writeln!(f, "{INDENT}{}: {}", visible(&piece.text), piece.reason)?;
        }
        if self.truncated {
            writeln!(
                f,
                "only the first {MAX_QUERY_CHARS} characters were read; the rest was cut off"
            )?;
        }
        Ok(())
    }
}

/// Writes a part of the tree; the beginning of its first line stands there already.
fn write(f: &mut fmt::Formatter<'_>, part: &Expr, depth: usize) -> fmt::Result {
    let list = |f: &mut fmt::Formatter<'_>, title: &str, parts: &[Expr]| {
        writeln!(f, "{title}:")?;
        parts.iter().try_for_each(|part| {
            indent(f, depth + 1)?;
            write(f, part, depth + 1)
        })
    };
    match part {
        Expr::Term(term) => writeln!(f, "{}", described(term)),
        Expr::And(parts) => list(f, "all of", parts),
        Expr::Or(parts) => list(f, "one of", parts),
        Expr::Not(wanted, unwanted) => {
            write(f, wanted, depth)?;
            indent(f, depth)?;
            f.write_str("but not ")?;
            write(f, unwanted, depth)
        }
    }
}

fn indent(f: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
    (0..depth).try_for_each(|_| f.write_str(INDENT))
}

fn described(term: &Term) -> String {
    let by_words = term.lookup() == Lookup::Words;
    let text = visible(term.text());
    let mut described = match term.kind() {
        TermKind::Phrase => alloc::format!("the phrase \"{text}\""),
        TermKind::Word if by_words && term.is_prefix() => {
            alloc::format!("words that begin with {text}")
        }
        TermKind::Word if by_words => alloc::format!("the word {text}"),
        TermKind::Word => alloc::format!("the text {text}"),
    };
    let words: Vec<&str> = term
        .text()
        .split(|c| !is_token_char(c))
        .filter(|word| !word.is_empty())
        .collect();
    if by_words && term.kind() == TermKind::Word && words.len() > 1 {
        described.push_str(&alloc::format!(" (in a row: {})", words.join(" ")));
    }
    if by_words && term.kind() == TermKind::Phrase && term.is_prefix() {
        described.push_str(" (the last word may go on)");
    }
    described
}

/// The text with what can't be seen, or steers a terminal, as `\u{…}`.
fn visible(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || crate::blank::is_invisible(c) {
            visible.extend(c.escape_unicode());
        } else {
            visible.push(c);
        }
    }
    visible
}
