//! Reading the literal arguments of a call.

use super::tokens::{Token, TokenKind};
use crate::span::At;

/// The literal arguments of a call.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    /// Strings at the top level, in order.
    pub(super) texts: Vec<String>,
    /// Strings in calls among the arguments.
    pub(super) nested: Vec<String>,
    /// Where the strings of the top level stand.
    pub(super) places: Vec<At>,
    /// Strings of the first list.
    pub(super) list: Vec<String>,
    /// They came before the strings of the top level.
    pub(super) nested_first: bool,
    /// A string came before the list.
    pub(super) text_first: bool,
    /// Number of the last token.
    pub(super) end: usize,
}

/// Most tokens of a call that are looked at.
const MAX_TOKENS: usize = 256;
const MAX_TEXTS: usize = 64;

/// Reads the arguments from the token `from` on.
pub(super) fn arguments(tokens: &[Token], from: usize, parens: bool) -> Arguments {
    let mut found = Arguments {
        end: from,
        ..Arguments::default()
    };
    let mut depth = 0_usize;
    let mut lists = 0_usize;
    for (i, token) in tokens.iter().enumerate().skip(from).take(MAX_TOKENS) {
        found.end = i;
        match &token.kind {
            TokenKind::Sign('(' | '{') => depth += 1,
            TokenKind::Sign(')' | '}') if depth == 0 => break,
            TokenKind::Sign(')' | '}') => depth -= 1,
            TokenKind::Sign(';') if depth == 0 && lists == 0 => break,
            TokenKind::Sign('\n') if !parens && depth == 0 => break,
            TokenKind::Sign('[') => lists += 1,
            TokenKind::Sign(']') if lists == 0 => break,
            TokenKind::Sign(']') => lists -= 1,
            TokenKind::Text(text) if found.texts.len() + found.list.len() < MAX_TEXTS => {
                if depth > 0 && lists == 0 {
                    found.nested_first |= found.texts.is_empty();
                    found.nested.push(text.clone());
                } else if lists > 0 {
                    found.list.push(text.clone());
                } else {
                    found.text_first |= found.list.is_empty();
                    found.texts.push(text.clone());
                    found.places.push(token.at);
                }
            }
            _ => {}
        }
    }
    found
}

/// The literal that a method is called on: `Path("x").unlink()`.
pub(super) fn receiver(tokens: &[Token], at: usize) -> Option<String> {
    let before = at.checked_sub(1)?;
    // `"rm x".execute()`
    if let Some(TokenKind::Text(text)) = tokens.get(before).map(|t| &t.kind) {
        return Some(text.clone());
    }
    if tokens.get(before).map(|t| &t.kind) != Some(&TokenKind::Sign(')')) {
        return None;
    }
    tokens
        .get(before.saturating_sub(4)..before)?
        .iter()
        .rev()
        .find_map(|t| match &t.kind {
            TokenKind::Text(text) => Some(text.clone()),
            _ => None,
        })
}
