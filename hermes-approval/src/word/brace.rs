//! `{a,b}` and `{1..5}`.

use super::Quoting;
use crate::scan::syntax::{Piece, PieceKind};
use crate::span::At;

/// A piece of a word, or a part of one.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fragment<'p> {
    Text(At, Quoting),
    /// A text that isn't in the source: an element of a sequence.
    Item(i64, bool),
    Other(&'p Piece),
}

/// What brace expansion made of a word.
pub(crate) enum Braces<'p> {
    /// There are no braces in it that count.
    None,
    Words(Vec<Vec<Fragment<'p>>>),
    /// Too many words.
    TooMany,
}

/// A word gives at most so many.
const MAX_WORDS: usize = 64;
/// Longer words are not looked through.
const MAX_FRAGMENTS: usize = 64;
const MAX_TEXT: usize = 2048;

/// Expands the braces of a word.
pub(crate) fn expand<'p>(pieces: &'p [Piece], text: &str) -> Braces<'p> {
    let candidate = pieces.iter().any(|p| {
        matches!(p.kind, PieceKind::Text)
            && p.quoting == Quoting::None
            && p.at.of(text).contains('{')
    });
    if !candidate {
        return Braces::None;
    }
    let length: usize = pieces.iter().map(|p| p.at.end - p.at.start).sum();
    let whole: Vec<Fragment<'p>> = pieces
        .iter()
        .take(MAX_FRAGMENTS + 1)
        .map(fragment)
        .collect();
    if whole.len() > MAX_FRAGMENTS || length > MAX_TEXT {
        let lists = pieces.iter().any(|p| {
            p.quoting == Quoting::None
                && matches!(p.kind, PieceKind::Text)
                && p.at.of(text).contains([',', '.'])
        });
        return if lists { Braces::TooMany } else { Braces::None };
    }
    let mut words = vec![whole];
    let mut done: Vec<Vec<Fragment<'p>>> = Vec::new();
    let mut changed = false;
    // Depth first, so that the words come out in order.
    while let Some(word) = words.pop() {
        if words.len() + done.len() > MAX_WORDS {
            return Braces::TooMany;
        }
        match split(&word, text) {
            None => done.push(word),
            Some(alternatives) => {
                changed = true;
                if alternatives.len() > MAX_WORDS {
                    return Braces::TooMany;
                }
                words.extend(alternatives.into_iter().rev());
            }
        }
    }
    if changed {
        Braces::Words(done)
    } else {
        Braces::None
    }
}

fn fragment(piece: &Piece) -> Fragment<'_> {
    match piece.kind {
        PieceKind::Text => Fragment::Text(piece.at, piece.quoting),
        _ => Fragment::Other(piece),
    }
}

/// A place in a list of fragments.
type Place = (usize, usize);

/// The alternatives of the first brace expression of the word.
fn split<'p>(word: &[Fragment<'p>], text: &str) -> Option<Vec<Vec<Fragment<'p>>>> {
    let signs = signs(word, text);
    for (i, &(open, sign)) in signs.iter().enumerate() {
        if sign != b'{' {
            continue;
        }
        let mut depth = 0_usize;
        let mut commas: Vec<Place> = Vec::new();
        for &(place, sign) in signs.iter().skip(i) {
            match sign {
                b'{' => depth += 1,
                b',' if depth == 1 => commas.push(place),
                b'}' => {
                    depth -= 1;
                    if depth == 0 {
                        if commas.is_empty() {
                            if let Some(items) = sequence(word, text, open, place) {
                                return Some(items);
                            }
                            break;
                        }
                        return Some(alternatives(word, open, &commas, place));
                    }
                }
                _ => {}
            }
        }
    }
    None
}

/// The unquoted `{ , }` of a word. `${` is no brace of ours: the scanner has made a piece of it.
fn signs(word: &[Fragment<'_>], text: &str) -> Vec<(Place, u8)> {
    let mut signs = Vec::new();
    for (i, fragment) in word.iter().enumerate() {
        if let Fragment::Text(at, Quoting::None) = fragment {
            let found = at
                .of(text)
                .bytes()
                .enumerate()
                .filter(|(_, b)| matches!(b, b'{' | b',' | b'}'));
            signs.extend(found.map(|(offset, b)| ((i, at.start + offset), b)));
        }
    }
    signs
}

fn alternatives<'p>(
    word: &[Fragment<'p>],
    open: Place,
    commas: &[Place],
    close: Place,
) -> Vec<Vec<Fragment<'p>>> {
    let mut out = Vec::with_capacity(commas.len() + 1);
    let mut from = open;
    for &to in commas.iter().chain([&close]) {
        let mut item = between(word, None, Some(open));
        item.extend(between(word, Some(from), Some(to)));
        item.extend(between(word, Some(close), None));
        out.push(item);
        from = to;
    }
    out
}

/// What stands behind the sign at `from` and before the one at `to`.
fn between<'p>(word: &[Fragment<'p>], from: Option<Place>, to: Option<Place>) -> Vec<Fragment<'p>> {
    let first = from.map_or(0, |(i, _)| i);
    let last = to.map_or(word.len(), |(i, _)| i + 1);
    let mut out = Vec::new();
    for (i, fragment) in word.iter().enumerate().take(last).skip(first) {
        match *fragment {
            Fragment::Text(at, quoting) => {
                let start = from
                    .filter(|&(f, _)| f == i)
                    .map_or(at.start, |(_, offset)| offset + 1);
                let end = to
                    .filter(|&(t, _)| t == i)
                    .map_or(at.end, |(_, offset)| offset);
                if start < end || (at.start == at.end && quoting != Quoting::None) {
                    out.push(Fragment::Text(At::new(start, end), quoting));
                }
            }
            other => out.push(other),
        }
    }
    out
}

/// `{1..5}`, `{a..e}`, `{1..9..2}`
fn sequence<'p>(
    word: &[Fragment<'p>],
    text: &str,
    open: Place,
    close: Place,
) -> Option<Vec<Vec<Fragment<'p>>>> {
    if open.0 != close.0 {
        return None;
    }
    let body = At::new(open.1 + 1, close.1).of(text);
    let mut bounds = body.split("..");
    let (first, last, step) = (bounds.next()?, bounds.next()?, bounds.next());
    let step = step
        .and_then(|s| s.parse::<i64>().ok())
        .unwrap_or(1)
        .unsigned_abs()
        .max(1);
    let (from, to, letters) = match (first.parse::<i64>(), last.parse::<i64>()) {
        (Ok(from), Ok(to)) => (from, to, false),
        _ => (letter(first)?, letter(last)?, true),
    };
    let count = (to.abs_diff(from) / step).saturating_add(1);
    let count = usize::try_from(count)
        .unwrap_or(usize::MAX)
        .min(MAX_WORDS + 1);
    let step = i64::try_from(step).unwrap_or(i64::MAX);
    let mut out = Vec::with_capacity(count);
    let mut value = from;
    for _ in 0..count {
        let mut item = between(word, None, Some(open));
        item.push(Fragment::Item(value, letters));
        item.extend(between(word, Some(close), None));
        out.push(item);
        value = if from <= to {
            value.saturating_add(step)
        } else {
            value.saturating_sub(step)
        };
    }
    Some(out)
}

fn letter(text: &str) -> Option<i64> {
    let mut chars = text.chars();
    let c = chars.next().filter(char::is_ascii_alphabetic)?;
    chars.next().is_none().then(|| i64::from(u32::from(c)))
}
