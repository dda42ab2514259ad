//! A command as it comes down to, for people: resolved words, quoted where they must be.

use crate::invocation::Invocation;
use crate::word::{Unknown, Word};

/// Longest text that is shown.
const LIMIT: usize = 240;

/// The resolved words of an invocation, cut where they get long.
pub(crate) fn command(invocation: &Invocation) -> String {
    let mut text = String::with_capacity(64);
    for word in invocation.argv.iter() {
        if !text.is_empty() {
            text.push(' ');
        }
        push_word(&mut text, word);
        if text.len() > LIMIT {
            break;
        }
    }
    for redirect in invocation.redirects.iter().filter(|r| r.writes()) {
        if let Some(target) = &redirect.target {
            text.push_str(if redirect.truncates() { " > " } else { " >> " });
            push_word(&mut text, target);
        }
    }
    cut(text.trim_start())
}

fn push_word(text: &mut String, word: &Word) {
    let value = word.text();
    let unknown = word.unknowns().next().map(|u| match u {
        Unknown::Variable(name) => format!("${name}"),
        Unknown::Input => "{}".to_owned(),
        Unknown::Command(_) => "$(…)".to_owned(),
        _ => "…".to_owned(),
    });
    if let Some(unknown) = unknown {
        text.push_str(if word.raw().is_empty() {
            &unknown
        } else {
            word.raw()
        });
    } else if value.is_empty()
        || value.contains([' ', '\t', '\n', ';', '&', '|', '<', '>', '(', '\''])
    {
        text.push('\'');
        text.push_str(&value.replace('\'', "'\\''"));
        text.push('\'');
    } else {
        text.push_str(value);
    }
}

/// The beginning of a text, with a sign that something is missing.
pub(crate) fn cut(text: &str) -> String {
    if text.len() <= LIMIT {
        return text.to_owned();
    }
    let end = (0..=LIMIT).rev().find(|&at| text.is_char_boundary(at));
    format!("{}…", text.get(..end.unwrap_or(0)).unwrap_or(""))
}
