//! Lines of `cmd.exe`: carets, quotes, `%VAR%`, `&`, `&&`, `||`, `|`, redirections.

use super::{Line, RawWord};
use crate::invocation::{Redirect, RedirectOperator};
use crate::span::{At, SpanMap};
use crate::walk::{Out, Scene, Walker};
use crate::word::Word;

impl Walker<'_> {
    pub(crate) fn cmd_text(&mut self, text: &str, map: &SpanMap, scene: &Scene) -> Out {
        let bytes = text.as_bytes();
        let mut at = 0;
        let mut piped = false;
        let mut set = None;
        while at < bytes.len() && !self.stopped() {
            let start = at;
            let (words, redirects, end) = self.cmd_words(text, at, map);
            at = end;
            let (place, piped_from) = self.windows_stage(piped, map.original(At::new(start, end)));
            let line = Line {
                map,
                text,
                place,
                piped_from,
                redirects,
            };
            let words = match set.take() {
                Some(Set::Data) => Vec::new(),
                Some(Set::Output) => unquoted_set(words),
                None => {
                    set = set_of(&words).filter(|_| bytes.get(at) == Some(&b'('));
                    named_later(commands_of(words))
                }
            };
            self.windows_command(words, At::new(start, end), &line, scene);
            self.windows_stage_ends();
            piped = bytes.get(at) == Some(&b'|') && bytes.get(at + 1) != Some(&b'|');
            while matches!(bytes.get(at), Some(b'&' | b'|' | b'\n' | b'(' | b')')) {
                at += 1;
                if piped {
                    break;
                }
            }
        }
        Out::Unknown
    }

    /// The words up to an operator; gives where that stands.
    fn cmd_words(
        &mut self,
        text: &str,
        from: usize,
        map: &SpanMap,
    ) -> (Vec<RawWord>, Vec<Redirect>, usize) {
        let mut words: Vec<RawWord> = Vec::new();
        let mut redirects = Vec::new();
        let mut word: Option<RawWord> = None;
        let mut pending: Option<(RedirectOperator, u32, usize)> = None;
        let mut quoted = false;
        let mut at = from;
        let mut rest = text.get(from..).unwrap_or("").char_indices().peekable();
        while let Some((offset, c)) = rest.next() {
            at = from + offset;
            if !quoted && matches!(c, '&' | '|' | '\n' | '(' | ')') {
                break;
            }
            let next = at + c.len_utf8();
            let blank = matches!(c, ' ' | '\t' | ',' | ';')
                || (c == '@' && words.is_empty() && word.is_none());
            if !quoted && (blank || matches!(c, '<' | '>')) {
                let digit = word
                    .as_ref()
                    .is_some_and(|w| matches!(w.text.as_str(), "1" | "2") && w.end == at);
                let descriptor = if c == '>' && digit {
                    word.take().map_or(1, |w| if w.text == "2" { 2 } else { 1 })
                } else {
                    u32::from(c == '>')
                };
                finish(
                    &mut word,
                    &mut words,
                    &mut redirects,
                    &mut pending,
                    map,
                    text,
                );
                if c == '>' && matches!(rest.peek(), Some((_, '>'))) {
                    rest.next();
                    pending = Some((RedirectOperator::Append, descriptor, at));
                } else if c == '>' {
                    // `2>&1`
                    if matches!(rest.peek(), Some((_, '&'))) {
                        rest.next();
                        rest.next();
                    } else {
                        pending = Some((RedirectOperator::Output, descriptor, at));
                    }
                } else if c == '<' {
                    pending = Some((RedirectOperator::Input, 0, at));
                }
                at = next;
                continue;
            }
            let current = word.get_or_insert_with(|| RawWord {
                start: at,
                ..RawWord::default()
            });
            match c {
                '"' => {
                    quoted = !quoted;
                    current.quoted = true;
                }
                '^' if !quoted => {
                    if let Some((_, escaped)) = rest.next()
                        && escaped != '\n'
                    {
                        current.text.push(escaped);
                        current.unquoted = true;
                    }
                }
                '%' => {
                    let ahead = text.get(next..).unwrap_or("");
                    let end = ahead
                        .bytes()
                        .take(MAX_NAME)
                        .take_while(|b| {
                            b.is_ascii_alphanumeric()
                                || matches!(
                                    b,
                                    b'_' | b'(' | b')' | b':' | b'~' | b',' | b'-' | b'='
                                )
                        })
                        .count();
                    if end > 0 && ahead.as_bytes().get(end) == Some(&b'%') {
                        let name = ahead.get(..end).unwrap_or("");
                        match self.env.variable(name) {
                            Some(value) => current.text.push_str(value),
                            None => current.holes.push((current.text.len(), name.to_owned())),
                        }
                        for _ in 0..=end {
                            rest.next();
                        }
                    } else {
                        current.text.push(c);
                    }
                    current.unquoted |= !quoted;
                }
                _ => {
                    current.text.push(c);
                    current.unquoted |= !quoted;
                }
            }
            if let Some(current) = &mut word {
                current.end = rest.peek().map_or(text.len(), |(offset, _)| from + offset);
            }
            at = next;
        }
        if rest.peek().is_none()
            && !text
                .get(at..)
                .unwrap_or("")
                .starts_with(['&', '|', '\n', '(', ')'])
        {
            at = text.len();
        }
        finish(
            &mut word,
            &mut words,
            &mut redirects,
            &mut pending,
            map,
            text,
        );
        (words, redirects, at)
    }
}

fn finish(
    word: &mut Option<RawWord>,
    words: &mut Vec<RawWord>,
    redirects: &mut Vec<Redirect>,
    pending: &mut Option<(RedirectOperator, u32, usize)>,
    map: &SpanMap,
    text: &str,
) {
    let Some(word) = word.take() else { return };
    match pending.take() {
        Some((operator, descriptor, start)) => {
            let span = map.original(At::new(start, word.end));
            let at = At::new(word.start, word.end);
            let mut target = Word::made(word.text, map.original(at));
            target.raw = Some(at.of(text).into());
            redirects.push(Redirect {
                operator,
                descriptor,
                target: Some(target),
                span,
            });
        }
        None => words.push(word),
    }
}

const MAX_NAME: usize = 64;

/// What stands in the parentheses of a `for`.
#[derive(Debug, Clone, Copy)]
enum Set {
    /// Names or numbers.
    Data,
    /// `for /f %i in ('command')`: a command whose output is gone through.
    Output,
}

/// What follows `for %i in`.
fn set_of(words: &[RawWord]) -> Option<Set> {
    let is = |w: Option<&RawWord>, text: &str| w.is_some_and(|w| w.text.eq_ignore_ascii_case(text));
    // `do for …`, `if … for …`
    let start = words
        .iter()
        .rposition(|w| w.text.eq_ignore_ascii_case("for"))?;
    let words = words.get(start..)?;
    let output = is(words.get(1), "/f");
    is(words.last(), "in").then_some(if output { Set::Output } else { Set::Data })
}

/// The command in `('dir /b')`; a name of a file, or a text, is none.
fn unquoted_set(mut words: Vec<RawWord>) -> Vec<RawWord> {
    let Some(first) = words.first_mut() else {
        return words;
    };
    let Some(rest) = first.text.strip_prefix(['\'', '`']) else {
        return Vec::new();
    };
    first.text = rest.to_owned();
    for (at, _) in &mut first.holes {
        *at = at.saturating_sub(1);
    }
    if let Some(last) = words.last_mut()
        && let Some(rest) = last.text.strip_suffix(['\'', '`'])
    {
        last.text = rest.to_owned();
        for (at, _) in &mut last.holes {
            *at = (*at).min(last.text.len());
        }
    }
    commands_of(words)
}

/// `do %i …`, `!x! …`: the name of the program is that of a variable.
fn named_later(mut words: Vec<RawWord>) -> Vec<RawWord> {
    if let Some(first) = words.first_mut()
        && first.holes.is_empty()
        && first.text.len() > 1
        && first.text.starts_with(['%', '!'])
    {
        let name = std::mem::take(&mut first.text);
        let name = name.trim_matches(['%', '!', '~']).to_owned();
        first.holes.push((0, name));
    }
    words
}

/// Remarks and labels: nothing of them is run.
fn is_remark(word: &RawWord) -> bool {
    word.text.eq_ignore_ascii_case("rem") || word.text.starts_with(':')
}

/// How many words a condition has, `if` included.
fn condition(words: &[RawWord]) -> usize {
    let lower = |at: usize| words.get(at).map(|w| w.text.to_ascii_lowercase());
    let mut at = 1;
    while lower(at).is_some_and(|w| w == "not" || w == "/i") {
        at += 1;
    }
    let Some(test) = lower(at) else { return at };
    if matches!(
        test.as_str(),
        "exist" | "errorlevel" | "defined" | "cmdextversion"
    ) {
        return at + 2;
    }
    let next = lower(at + 1).unwrap_or_default();
    let compared = ["==", "equ", "neq", "lss", "leq", "gtr", "geq"].contains(&next.as_str());
    if compared || test.ends_with("==") {
        return at + if compared { 3 } else { 2 };
    }
    if next.starts_with("==") {
        return at + 2;
    }
    at + usize::from(test.contains("=="))
}

/// Switches may touch the name of a builtin: `del/f/q x`.
fn commands_of(mut words: Vec<RawWord>) -> Vec<RawWord> {
    // `if exist x …`, `for %i in (…) do …` leave their command behind these words.
    let keyword = words
        .iter()
        .position(|w| w.unquoted && matches!(w.text.to_ascii_lowercase().as_str(), "do" | "else"));
    if let Some(at) = keyword.filter(|at| {
        *at == 0
            || words
                .first()
                .is_some_and(|w| w.text.eq_ignore_ascii_case("for"))
    }) {
        words.drain(..=at);
    }
    while words
        .first()
        .is_some_and(|w| w.text.eq_ignore_ascii_case("if"))
    {
        words.drain(..condition(&words).min(words.len()));
    }
    // `do @del x`
    if let Some(first) = words.first_mut().filter(|w| w.unquoted)
        && let Some(rest) = first.text.strip_prefix('@')
    {
        first.text = rest.to_owned();
        for (at, _) in &mut first.holes {
            *at = at.saturating_sub(1);
        }
    }
    if words.first().is_some_and(is_remark) {
        words.clear();
    }
    let split = words.first().and_then(|w| {
        let at = w
            .text
            .find('/')
            .filter(|at| *at > 0 && !w.quoted && w.holes.is_empty())?;
        BUILTINS
            .contains(&w.text.get(..at)?.to_ascii_lowercase().as_str())
            .then_some(at)
    });
    if let (Some(at), Some(first)) = (split, words.first_mut()) {
        let tail = first.text.split_off(at);
        let (start, end) = (first.start + at, first.end);
        first.end = start.min(end);
        let rest = RawWord {
            text: tail,
            start: first.end,
            end,
            unquoted: true,
            ..RawWord::default()
        };
        words.insert(1, rest);
    }
    words
}

const BUILTINS: &[&str] = &[
    "del", "erase", "rd", "rmdir", "format", "copy", "move", "attrib", "dir", "cipher", "shutdown",
];
