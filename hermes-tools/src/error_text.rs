//! Error texts as a model may see them.
//!
//! What a tool fails with can be written by anybody: a web page, a file, another program. Text in
//! it that looks like the frame of a conversation must not reach a model as such a frame.

mod marker;

use marker::{CDATA_END, CDATA_START, marker_at_end};

use crate::text::clip;

/// How many characters of an error a model gets.
const MAX_CHARS: usize = 2000;

/// How many bytes of an error are looked at: much more than is kept, because what is taken out may
/// be long.
const MAX_LOOKED_AT: usize = 64 * 1024;

/// What opens and closes a block of code in Markdown.
const FENCE: &str = "```";

/// How long the word behind a fence may be.
const MAX_INFO: usize = 24;

/// The text without what could pass for framing, cut to 2,000 characters: role and tool-call tags,
/// chat templates' tokens, markers of CDATA sections, code fences. What is inside them stays.
pub(crate) fn clean(text: &str) -> String {
    let cut_early = text.len() > MAX_LOOKED_AT;
    let end = text.floor_char_boundary(MAX_LOOKED_AT);
    let mut cleaned = strip(text.get(..end).unwrap_or(text));
    if cut_early {
        cleaned.push('…');
    }
    if cleaned.len() <= MAX_CHARS || cleaned.chars().nth(MAX_CHARS).is_none() {
        return cleaned;
    }
    // With the `…` it is what it may be.
    clip(&cleaned, MAX_CHARS - 1)
}

/// Builds the result from the left and looks at its end whenever something could just have become
/// complete. So taking a marker out never lets its two sides form another one, and each character
/// is looked at a bounded number of times.
fn strip(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    // Where in `kept` a `<` or `[` stands.
    let mut openers: Vec<usize> = Vec::new();
    let mut open_cdata = 0_usize;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        if matches!(c, '<' | '[') {
            openers.push(kept.len());
        }
        kept.push(c);
        match c {
            '`' if kept.ends_with(FENCE) => {
                kept.truncate(kept.len() - FENCE.len());
                rest = rest.trim_start_matches('`');
                rest = without_fence_line(&kept, rest);
            }
            '[' if ends_with_ignoring_case(&kept, CDATA_START) => {
                kept.truncate(kept.len() - CDATA_START.len());
                open_cdata += 1;
            }
            '>' if open_cdata > 0 && kept.ends_with(CDATA_END) => {
                kept.truncate(kept.len() - CDATA_END.len());
                open_cdata -= 1;
            }
            '>' | ']' => {
                if let Some(start) = marker_at_end(&kept, c, &openers) {
                    kept.truncate(start);
                }
            }
            _ => continue,
        }
        while openers.last().is_some_and(|at| *at >= kept.len()) {
            openers.pop();
        }
    }
    kept
}

/// A fence at the start of a line takes its word (```` ```python ````) and the end of the line
/// along.
fn without_fence_line<'a>(kept: &str, rest: &'a str) -> &'a str {
    if !(kept.is_empty() || kept.ends_with(['\n', ' '])) {
        return rest;
    }
    let word = rest
        .bytes()
        .take(MAX_INFO)
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'+' | b'.' | b'#'))
        .count();
    let behind = rest.get(word..).unwrap_or_default();
    match behind.strip_prefix("\r\n").or(behind.strip_prefix('\n')) {
        Some(next_line) if kept.ends_with(' ') => behind
            .get(behind.len() - next_line.len() - 1..)
            .unwrap_or(next_line),
        Some(next_line) => next_line,
        None => rest,
    }
}

fn ends_with_ignoring_case(text: &str, end: &str) -> bool {
    text.len()
        .checked_sub(end.len())
        .and_then(|start| text.get(start..))
        .is_some_and(|tail| tail.eq_ignore_ascii_case(end))
}

#[cfg(test)]
mod tests;
