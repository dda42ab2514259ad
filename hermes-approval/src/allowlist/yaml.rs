//! The list in a YAML text, and in what shape it is there.

use std::collections::HashSet;
use std::path::Path;

use super::plain::other_than_text;
use super::tag::{NULL, SEQUENCE};
use super::tokens::{At, Kind, Tokens};
use super::{Allowlist, Entry, Ignored, KEY};
use crate::{Error, Result};

/// How many mappings are looked through for one that is merged.
const MERGE_LIMIT: usize = 100;

/// Where the list is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The text holds nothing but comments.
    NoContent,
    /// There is a mapping, without the key.
    NoKey,
    /// The key is there, and has no value.
    NoValue,
    /// A list of its own.
    List,
    /// Somewhere else, in this line.
    Elsewhere { line: usize, how: &'static str },
}

/// What was read.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) list: Allowlist,
    pub(super) place: Place,
    /// For each item of the list, in order, the text of it if it is an entry.
    pub(super) items: Vec<Option<String>>,
    tokens: Tokens,
    /// The nodes of the key and of the value.
    pair: Option<(At, At)>,
}

/// Reads the list.
pub(super) fn read(text: &str, path: &Path) -> Result<Reading> {
    let tokens = Tokens::read(text, path)?;
    let Some(root) = tokens.get(0) else {
        return Ok(empty(tokens, Place::NoContent));
    };
    let wrong = |line, what, found| Error::WrongShape {
        path: path.to_owned(),
        line,
        what,
        found,
    };
    match &root.kind {
        Kind::Map { .. } => {}
        Kind::Scalar {
            text, plain: true, ..
        } if other_than_text(text) == Some("empty") => {
            // `---` alone, or a word for nothing, which an edit would leave in the way.
            let place = if text.is_empty() {
                Place::NoContent
            } else {
                Place::Elsewhere {
                    line: root.line,
                    how: "missing from a file that says it is null",
                }
            };
            return Ok(empty(tokens, place));
        }
        Kind::List { .. } => return Err(wrong(root.line, "the file", "a list")),
        _ => return Err(wrong(root.line, "the file", "a single value")),
    }

    let pairs = tokens.pairs(0);
    let mut own = pairs
        .iter()
        .copied()
        .filter(|(key, _)| tokens.text(*key) == Some(KEY));
    let found = own.next();
    let line_of = |at: At| tokens.get(at).map_or(0, |token| token.line);
    if let (Some((first, _)), Some((second, _))) = (found, own.next()) {
        return Err(Error::DuplicateAllowlist {
            path: path.to_owned(),
            first: line_of(first),
            second: line_of(second),
        });
    }
    let (key, value, merged) = match found {
        Some((key, value)) => (key, value, false),
        None => match in_merges(&tokens, 0, &mut HashSet::new()) {
            Some((key, value)) => (key, value, true),
            None => return Ok(empty(tokens, Place::NoKey)),
        },
    };

    let target = tokens.behind_alias(value);
    let line = line_of(value);
    let elsewhere = if merged {
        Some("merged from another mapping")
    } else if target != value {
        Some("an alias of another list")
    } else {
        None
    };
    let shape = tokens.get(target).map(|token| &token.kind);
    let (list, items, mut place) = match shape {
        Some(Kind::List { tag, .. }) => {
            let (list, items) = entries(&tokens, target);
            let place = match tag.as_deref() {
                None | Some(SEQUENCE | "!") => Place::List,
                Some(_) => Place::Elsewhere {
                    line,
                    how: "tagged as something else than a list",
                },
            };
            (list, items, place)
        }
        Some(Kind::Scalar {
            tag: Some(tag),
            text,
            plain: true,
            ..
        }) if tag == NULL && other_than_text(text) == Some("empty") => {
            let place = Place::Elsewhere {
                line,
                how: "tagged as null",
            };
            (Allowlist::default(), Vec::new(), place)
        }
        Some(Kind::Scalar {
            text,
            plain: true,
            tag: None,
            ..
        }) if other_than_text(text) == Some("empty") => {
            (Allowlist::default(), Vec::new(), Place::NoValue)
        }
        Some(Kind::Map { .. }) => return Err(wrong(line, KEY, "a mapping")),
        _ => return Err(wrong(line, KEY, "a single value")),
    };
    if let Some(how) = elsewhere {
        place = Place::Elsewhere { line, how };
    } else if let Some(line) = tokens.referred_to_from_elsewhere(target) {
        place = Place::Elsewhere {
            line,
            how: "used in another place too",
        };
    }
    Ok(Reading {
        list,
        place,
        items,
        tokens,
        pair: (!merged).then_some((key, value)),
    })
}

fn empty(tokens: Tokens, place: Place) -> Reading {
    Reading {
        list: Allowlist::default(),
        place,
        items: Vec::new(),
        tokens,
        pair: None,
    }
}

/// The key in what `<<` brings in; the first wins, as in Python.
fn in_merges(tokens: &Tokens, map: At, seen: &mut HashSet<At>) -> Option<(At, At)> {
    if seen.len() >= MERGE_LIMIT || !seen.insert(map) {
        return None;
    }
    let pairs = tokens.pairs(map);
    let merges = pairs.iter().filter(|(key, _)| {
        matches!(
            tokens.get(*key).map(|token| &token.kind),
            Some(Kind::Scalar { text, plain: true, .. }) if text == "<<"
        )
    });
    for (_, value) in merges {
        let value = tokens.behind_alias(*value);
        let sources = match tokens.get(value).map(|token| &token.kind) {
            Some(Kind::List { .. }) => tokens.children(value),
            _ => vec![value],
        };
        for source in sources {
            let source = tokens.behind_alias(source);
            if !matches!(
                tokens.get(source).map(|token| &token.kind),
                Some(Kind::Map { .. })
            ) {
                continue;
            }
            let found = tokens
                .pairs(source)
                .into_iter()
                .rfind(|(key, _)| tokens.text(*key) == Some(KEY))
                .or_else(|| in_merges(tokens, source, seen));
            if found.is_some() {
                return found;
            }
        }
    }
    None
}

fn entries(tokens: &Tokens, list: At) -> (Allowlist, Vec<Option<String>>) {
    let mut found = Allowlist::default();
    let mut items = Vec::new();
    for item in tokens.children(list) {
        let line = tokens.get(item).map_or(0, |token| token.line);
        let target = tokens.behind_alias(item);
        let other = match tokens.get(target).map(|token| &token.kind) {
            Some(Kind::Scalar {
                text, plain, tag, ..
            }) => match tag.as_deref() {
                None if *plain => other_than_text(text),
                None | Some("tag:yaml.org,2002:str" | "!") => None,
                Some(_) => Some("a value with a type"),
            },
            Some(Kind::List { .. }) => Some("a list"),
            _ => Some("a mapping"),
        };
        match (other, tokens.text(target)) {
            (None, Some(text)) => {
                items.push(Some(text.to_owned()));
                found.entries.push(Entry {
                    text: text.to_owned(),
                    line,
                });
            }
            (other, _) => {
                items.push(None);
                found.ignored.push(Ignored {
                    line,
                    found: other.unwrap_or("a mapping"),
                });
            }
        }
    }
    (found, items)
}

impl Reading {
    /// What is in the file besides the list, in order.
    pub(super) fn besides(&self) -> Vec<&Kind> {
        let end = self.tokens.end_of(0);
        let kinds = |from, to| self.tokens.between(from, to).map(|token| &token.kind);
        match self.pair {
            Some((key, value)) => kinds(0, key)
                .chain(kinds(self.tokens.end_of(value), end))
                .collect(),
            None => kinds(0, end).collect(),
        }
    }

    /// Where a list in brackets ends, and each of its items begins and ends, in characters.
    pub(super) fn flow(&self) -> Option<(usize, Vec<(usize, usize)>)> {
        let (_, value) = self.pair?;
        let end = self.tokens.get(self.tokens.end_of(value) - 1)?;
        let is_flow = matches!(end.kind, Kind::EndList) && end.end > end.start;
        let items = self.tokens.children(value).into_iter();
        let items = items.filter_map(|item| self.tokens.get(item));
        is_flow.then(|| {
            (
                end.start,
                items.map(|item| (item.start, item.end)).collect(),
            )
        })
    }

    /// Where the tag of the list is, if it has one: after the key, and before its first item or its
    /// end. In characters.
    pub(super) fn around_tag(&self) -> Option<(usize, usize)> {
        let (key, value) = self.pair?;
        let Kind::List { tag: Some(_), .. } = &self.tokens.get(value)?.kind else {
            return None;
        };
        Some((
            self.tokens.get(key)?.start,
            self.tokens.get(value + 1)?.start,
        ))
    }

    /// Where the key begins, and where what comes after the list does, in characters.
    pub(super) fn surroundings(&self) -> Option<(usize, Option<usize>)> {
        let (key, value) = self.pair?;
        let after = self.tokens.get(self.tokens.end_of(value));
        let after = after
            .filter(|token| !matches!(token.kind, Kind::EndMap))
            .map(|token| token.start);
        Some((self.tokens.get(key)?.start, after))
    }
}
