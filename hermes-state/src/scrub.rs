//! Takes out of replayed messages what a memory provider had put into them.
//!
//! A provider's recalled facts go to the model inside `<memory-context>` fences with a note in
//! front. They are not part of the conversation: when it is resumed, they would be taken for
//! something that was said. Hermes removes them in three passes, and so do we:
//!
//! 1. each block, from an opening fence to the next closing one;
//! 2. each note that the following is recalled memory context, with the blanks behind it;
//! 3. fences that are left over.
//!
//! Upper and lower case are the same everywhere. Each pass reads the text once.

use std::borrow::Cow;

/// Removes memory-context blocks, their notes and stray fences.
///
/// ```
/// # use hermes_state::sanitize_context;
/// let replayed = "Deploy it.\n<memory-context>likes blue/green</memory-context>";
/// assert_eq!(sanitize_context(replayed), "Deploy it.\n");
/// ```
#[must_use]
pub fn sanitize_context(text: &str) -> String {
    let text = without(text, &mut Blocks::default());
    let text = without(&text, &mut Notes::default());
    without(&text, &mut Fences).into_owned()
}

/// Something to remove.
trait Pattern {
    /// The character that each occurrence begins with.
    const FIRST: char;

    /// The length of the occurrence at the start of `rest`, if there is one. Called with ever later
    /// ends of one text.
    fn length(&mut self, rest: &str) -> Option<usize>;
}

/// The text without the occurrences of a pattern, found from left to right.
fn without<'a, P: Pattern>(text: &'a str, pattern: &mut P) -> Cow<'a, str> {
    let mut kept = String::new();
    let mut copied = 0;
    let mut from = 0;
    while let Some(found) = text.get(from..).and_then(|rest| rest.find(P::FIRST)) {
        let start = from + found;
        match text.get(start..).and_then(|rest| pattern.length(rest)) {
            Some(length) => {
                kept.push_str(text.get(copied..start).unwrap_or_default());
                copied = start + length;
                from = copied;
            }
            None => from = start + P::FIRST.len_utf8(),
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    kept.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(kept)
}

/// Opening or closing fences.
struct Fences;

impl Pattern for Fences {
    const FIRST: char = '<';

    fn length(&mut self, rest: &str) -> Option<usize> {
        fence(rest, false).or_else(|| fence(rest, true))
    }
}

/// An opening fence, anything, and a closing one.
#[derive(Default)]
struct Blocks {
    /// No closing fence follows, so that looking again would be in vain.
    no_more: bool,
}

impl Pattern for Blocks {
    const FIRST: char = '<';

    fn length(&mut self, rest: &str) -> Option<usize> {
        if self.no_more {
            return None;
        }
        let opening = fence(rest, false)?;
        let inner = rest.get(opening..)?;
        let closing = inner.match_indices('<').find_map(|(at, _)| {
            let length = fence(inner.get(at..)?, true)?;
            Some(at + length)
        });
        self.no_more = closing.is_none();
        Some(opening + closing?)
    }
}

/// The length of the fence at the start of the text. Blanks may stand inside its brackets, but not
/// before the slash.
fn fence(text: &str, closing: bool) -> Option<usize> {
    let rest = text.strip_prefix(if closing { "</" } else { "<" })?;
    let rest = after_word(blanks_skipped(rest), "memory-context")?;
    let rest = blanks_skipped(rest).strip_prefix('>')?;
    Some(text.len() - rest.len())
}

/// The note, in both of its wordings, with the blanks behind it.
struct Notes {
    /// The bytes from the last `]` that could not end a note to the end of the text. No note that
    /// begins before that bracket can end, so it is not looked for again.
    hopeless: usize,
}

impl Default for Notes {
    fn default() -> Self {
        Self {
            hopeless: usize::MAX,
        }
    }
}

impl Pattern for Notes {
    const FIRST: char = '[';

    fn length(&mut self, rest: &str) -> Option<usize> {
        const SENTENCES: [&str; 3] = [
            "[system note:",
            "the following is recalled memory context,",
            "not new user input.",
        ];
        let mut tail = rest;
        for sentence in SENTENCES {
            tail = blanks_skipped(after_word(tail, sentence)?);
        }
        tail = after_word(tail, "treat as ")?;
        let end = after_word(tail, "informational background data.]")
            .or_else(|| self.after_reference(after_word(tail, "authoritative reference data")?))?;
        Some(rest.len() - blanks_skipped(end).len())
    }
}

impl Notes {
    /// What follows the second wording, which goes on with anything but `]` up to `.]`.
    fn after_reference<'a>(&mut self, tail: &'a str) -> Option<&'a str> {
        if tail.len() > self.hopeless {
            return None;
        }
        let (sentence, after) = tail.split_once(']').unwrap_or((tail, ""));
        if sentence.ends_with('.') && sentence.len() < tail.len() {
            return Some(after);
        }
        self.hopeless = tail.len() - sentence.len();
        None
    }
}

/// The text behind a word in lower case, which may be written in any case.
fn after_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let mut rest = text.chars();
    word.chars()
        .all(|wanted| rest.next().map(folded) == Some(wanted))
        .then_some(rest.as_str())
}

/// The lower-case letter that Python's patterns take a character for: a Kelvin sign is a k.
fn folded(character: char) -> char {
    match character {
        'ſ' => 's',
        '\u{212a}' => 'k',
        'İ' | 'ı' => 'i',
        _ => character.to_ascii_lowercase(),
    }
}

/// The text behind blanks, as Python counts them: the four separators of ASCII are some.
fn blanks_skipped(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}'))
}

#[cfg(test)]
mod tests;
