//! A YAML text as a flat list of tokens. No tree, so that no depth of nesting and no number of
//! aliases can cost more than the text is long.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use saphyr_parser::{Event, Parser, ScalarStyle, Span, Tag};

use crate::{Error, Result};

/// What a token is. The place is kept apart, so that two texts can be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Scalar {
        text: String,
        plain: bool,
        tag: Option<String>,
        anchor: usize,
    },
    List {
        tag: Option<String>,
        anchor: usize,
    },
    EndList,
    Map {
        tag: Option<String>,
        anchor: usize,
    },
    EndMap,
    Alias(usize),
}

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// From 1.
    pub(super) line: usize,
    /// In characters from the start of the text.
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The tokens of the one document in a text.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    all: Vec<Token>,
    anchors: HashMap<usize, usize>,
}

/// The place of a node in the list.
pub(super) type At = usize;

impl Tokens {
    pub(super) fn read(text: &str, path: &Path) -> Result<Self> {
        let mut tokens = Self::default();
        let mut documents = 0;
        // The parser would take the mark for a character of the first key.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for event in Parser::new_from_str(text) {
            let (event, span) = event.map_err(|error| Error::Yaml {
                path: path.to_owned(),
                line: error.marker().line(),
                column: error.marker().col() + 1,
                problem: error.info().to_owned(),
            })?;
            if matches!(event, Event::DocumentStart(_)) {
                documents += 1;
                if documents > 1 {
                    return Err(Error::SeveralDocuments {
                        path: path.to_owned(),
                        line: span.start.line(),
                    });
                }
            }
            tokens.push(event, span);
        }
        Ok(tokens)
    }

    fn push(&mut self, event: Event<'_>, span: Span) {
        let kind = match event {
            Event::Scalar(text, style, anchor, tag) => Kind::Scalar {
                text: text.into_owned(),
                plain: style == ScalarStyle::Plain,
                tag: tag.map(name),
                anchor,
            },
            Event::SequenceStart(anchor, tag) => Kind::List {
                tag: tag.map(name),
                anchor,
            },
            Event::SequenceEnd => Kind::EndList,
            Event::MappingStart(anchor, tag) => Kind::Map {
                tag: tag.map(name),
                anchor,
            },
            Event::MappingEnd => Kind::EndMap,
            Event::Alias(anchor) => Kind::Alias(anchor),
            _ => return,
        };
        if let Some(anchor) = anchor_of(&kind) {
            self.anchors.insert(anchor, self.all.len());
        }
        self.all.push(Token {
            kind,
            line: span.start.line(),
            start: span.start.index(),
            end: span.end.index(),
        });
    }

    pub(super) fn get(&self, at: At) -> Option<&Token> {
        self.all.get(at)
    }

    /// The tokens from one place up to another.
    pub(super) fn between(&self, from: At, to: At) -> impl Iterator<Item = &Token> {
        self.all.get(from..to).unwrap_or_default().iter()
    }

    /// The place after the node that begins here.
    pub(super) fn end_of(&self, at: At) -> At {
        let mut depth = 0_usize;
        for (place, token) in self.all.iter().enumerate().skip(at) {
            match token.kind {
                Kind::List { .. } | Kind::Map { .. } => depth += 1,
                Kind::EndList | Kind::EndMap => depth = depth.saturating_sub(1),
                Kind::Scalar { .. } | Kind::Alias(_) => {}
            }
            if depth == 0 {
                return place + 1;
            }
        }
        self.all.len()
    }

    /// The nodes in the list or mapping that begins here.
    pub(super) fn children(&self, at: At) -> Vec<At> {
        let mut found = Vec::new();
        let mut next = at + 1;
        while let Some(token) = self.get(next) {
            if matches!(token.kind, Kind::EndList | Kind::EndMap) {
                break;
            }
            found.push(next);
            next = self.end_of(next);
        }
        found
    }

    /// The pairs of a mapping.
    pub(super) fn pairs(&self, at: At) -> Vec<(At, At)> {
        let children = self.children(at);
        children
            .chunks_exact(2)
            .filter_map(|pair| match pair {
                [key, value] => Some((*key, *value)),
                _ => None,
            })
            .collect()
    }

    /// Where an alias leads; the node itself if it is none.
    pub(super) fn behind_alias(&self, at: At) -> At {
        match self.get(at).map(|token| &token.kind) {
            Some(Kind::Alias(anchor)) => self.anchors.get(anchor).copied().unwrap_or(at),
            _ => at,
        }
    }

    /// The line of an alias to something in the node that begins here, which stands elsewhere.
    pub(super) fn referred_to_from_elsewhere(&self, at: At) -> Option<usize> {
        let end = self.end_of(at);
        let own: Vec<usize> = self
            .between(at, end)
            .filter_map(|token| anchor_of(&token.kind))
            .collect();
        self.all
            .iter()
            .enumerate()
            .filter(|(place, _)| !(at..end).contains(place))
            .find_map(|(_, token)| match &token.kind {
                Kind::Alias(anchor) if own.contains(anchor) => Some(token.line),
                _ => None,
            })
    }

    /// The text of a scalar, whatever its style.
    pub(super) fn text(&self, at: At) -> Option<&str> {
        match &self.get(at)?.kind {
            Kind::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }
}

fn anchor_of(kind: &Kind) -> Option<usize> {
    match kind {
        Kind::Scalar { anchor, .. } | Kind::List { anchor, .. } | Kind::Map { anchor, .. }
            if *anchor > 0 =>
        {
            Some(*anchor)
        }
        _ => None,
    }
}

fn name(tag: Cow<'_, Tag>) -> String {
    format!("{}{}", tag.handle, tag.suffix)
}
