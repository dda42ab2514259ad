//! Markdown.
//!
//! What was said is mostly Markdown itself and stays so, but for what would reach beyond its
//! message: blocks of code that are not closed, headings, HTML, and images, which a reader would
//! load.

use std::fmt::Write as _;

use super::html::{escape, facts, fence_of};
use super::shown::{Piece, Shown};
use super::{Document, Entry, title};
use crate::session::Session;

pub(super) struct Markdown;

impl Document for Markdown {
    fn begin(&self, contents: &[Entry]) -> String {
        if contents.len() < 2 {
            return String::new();
        }
        let mut text = String::from("# Sessions\n\n");
        for (n, entry) in contents.iter().enumerate() {
            let _ = writeln!(
                text,
                "{}. [{}](#s{}) ({}, {})",
                n + 1,
                inline(&entry.title),
                n + 1,
                inline(&entry.source),
                entry.started
            );
        }
        text.push('\n');
        text
    }

    fn session(&self, session: &Session, number: u64) -> String {
        let mut text = format!(
            "<a id=\"s{number}\"></a>\n\n# {}\n\n| | |\n|---|---|\n",
            inline(title(session))
        );
        for (name, value) in facts(session) {
            let _ = writeln!(text, "| {name} | {} |", inline(&value));
        }
        text.push('\n');
        text
    }

    fn message(&self, message: &Shown) -> String {
        let mut text = format!("## {}", inline(&message.role));
        if let Some(tool) = &message.tool {
            let _ = write!(text, " ({})", inline(tool));
        }
        let _ = write!(text, " · {}\n\n", message.time);
        if let Some(reasoning) = &message.reasoning {
            text.push_str(&folded("Reasoning", reasoning));
        }
        for piece in &message.pieces {
            match piece {
                Piece::Text(output) if message.is_tool_output() => {
                    text.push_str(&folded("Output", output));
                }
                Piece::Text(said) => {
                    text.push_str(&contained(said));
                    text.push_str("\n\n");
                }
                Piece::Image(media, _, bytes) => {
                    let _ = write!(text, "*[image: {media}, {bytes} bytes]*\n\n");
                }
                Piece::Note(note) => {
                    let _ = write!(text, "*[{}]*\n\n", inline(note));
                }
            }
        }
        for call in &message.calls {
            let _ = write!(
                text,
                "Calls **{}**\n\n{}\n",
                inline(&call.name),
                fenced(&call.arguments, "json")
            );
        }
        text
    }

    fn end_session(&self) -> String {
        "---\n\n".to_owned()
    }

    fn end(&self) -> String {
        String::new()
    }
}

fn folded(name: &str, text: &str) -> String {
    let lines = text.lines().count();
    let unit = if lines == 1 { "line" } else { "lines" };
    format!(
        "<details><summary>{} ({lines} {unit})</summary>\n\n{}\n</details>\n\n",
        escape(name),
        fenced(text, "")
    )
}

/// A block of code with a fence that is longer than any in it.
fn fenced(text: &str, language: &str) -> String {
    let longest = text
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let text = clean(text);
    format!(
        "{fence}{language}\n{}\n{fence}\n",
        text.trim_end_matches('\n')
    )
}

/// One line in which no character means anything.
fn inline(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in clean(text).chars() {
        match c {
            '\n' | '\t' => line.push(' '),
            '<' => line.push_str("&lt;"),
            '&' => line.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' | '!' | '>' => {
                line.push('\\');
                line.push(c);
            }
            c => line.push(c),
        }
    }
    line.trim().to_owned()
}

fn clean(text: &str) -> String {
    text.chars()
        .filter(|c| *c != '\r')
        .map(|c| {
            if c.is_control() && !matches!(c, '\n' | '\t') {
                '\u{fffd}'
            } else {
                c
            }
        })
        .collect()
}

/// Markdown that ends where it ends. Fences are moved to the left edge: there they end any list or
/// quote, so that what is code here is code for every reader, and nothing else is.
pub(super) fn contained(text: &str) -> String {
    let text = clean(text);
    let mut out = String::with_capacity(text.len() + 16);
    let mut fence: Option<(char, usize)> = None;
    let mut after_text = false;
    // Lines between two blank ones or fences: code in back-ticks may span them.
    let mut block = String::new();
    for line in text.trim_matches('\n').lines() {
        match (fence, fence_of(line)) {
            (None, Some((mark, length, _))) => {
                out.push_str(&plain(&std::mem::take(&mut block)));
                fence = Some((mark, length));
            }
            (Some((mark, length)), Some((closing, closing_length, true)))
                if closing == mark && closing_length >= length =>
            {
                fence = None;
            }
            (None, None) => {
                if line.trim().is_empty() {
                    out.push_str(&plain(&std::mem::take(&mut block)));
                }
                block.push_str(&lowered(line, after_text));
                block.push('\n');
                after_text = !line.trim().is_empty();
                continue;
            }
            _ => {}
        }
        after_text = false;
        let is_fence =
            fence_of(line).is_some_and(|(mark, ..)| fence.is_none_or(|(m, _)| m == mark));
        out.push_str(if is_fence { line.trim_start() } else { line });
        out.push('\n');
    }
    out.push_str(&plain(&block));
    if let Some((mark, length)) = fence {
        out.extend(std::iter::repeat_n(mark, length));
        out.push('\n');
    }
    out.trim_end_matches('\n').to_owned()
}

/// A heading below those of the document; a line under text that would make that a heading not.
fn lowered(line: &str, after_text: bool) -> String {
    let bare = line.trim();
    let marks = bare.len() - bare.trim_start_matches('#').len();
    let rest = bare.trim_start_matches('#');
    if (1..=6).contains(&marks) && (rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return format!("{}{rest}", "#".repeat((marks + 2).min(6)));
    }
    let underlines = |mark| !bare.is_empty() && bare.chars().all(|c| c == mark);
    if after_text && underlines('=') {
        return format!("\\{bare}");
    }
    if after_text && underlines('-') {
        return format!("\n{bare}");
    }
    line.to_owned()
}

/// Text outside of blocks of code: without HTML and images, but what is code in it stays as it is.
fn plain(block: &str) -> String {
    let mut out = String::with_capacity(block.len());
    let mut rest = block;
    while let Some(at) = rest.find(['<', '!', '`', '\\']) {
        let (before, found) = rest.split_at(at);
        out.push_str(before);
        let mut chars = found.chars();
        let first = chars.next().unwrap_or_default();
        let after = chars.as_str();
        rest = match first {
            '`' => {
                let ticks = found.len() - found.trim_start_matches('`').len();
                let (open, inner) = found.split_at(ticks);
                out.push_str(open);
                match code_end(inner, ticks) {
                    Some(end) => {
                        let (code, rest) = inner.split_at(end);
                        out.push_str(code);
                        rest
                    }
                    None => inner,
                }
            }
            '<' => {
                out.push_str("&lt;");
                after
            }
            '!' if after.starts_with('[') => {
                out.push_str("\\!");
                after
            }
            '\\' => {
                out.push('\\');
                // An escaped back-tick opens no code; an escaped `<` is text already.
                match chars.next() {
                    Some(next) if next.is_ascii_punctuation() => {
                        out.push(next);
                        chars.as_str()
                    }
                    _ => after,
                }
            }
            other => {
                out.push(other);
                after
            }
        };
    }
    out.push_str(rest);
    out
}

/// Where code that so many back-ticks opened ends, behind the ones that close it.
fn code_end(text: &str, ticks: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text.get(at..)?.find('`') {
        let run = text.get(at + found..)?;
        let length = run.len() - run.trim_start_matches('`').len();
        at += found + length;
        if length == ticks {
            return Some(at);
        }
    }
    None
}
