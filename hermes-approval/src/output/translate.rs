//! `tr`.

use std::collections::HashMap;

use crate::word::Word;
use crate::word::ansi_c::{Escapes, unescape};

/// What `tr` makes of a text.
pub(super) fn tr(arguments: &[Word], text: &str) -> Option<String> {
    let mut flags = String::new();
    let mut sets = Vec::new();
    for word in arguments {
        match word.known()? {
            flag if sets.is_empty() && flag.len() > 1 && flag.starts_with('-') => {
                flags.push_str(flag.get(1..)?)
            }
            set => sets.push(expand(set)?),
        }
    }
    if flags.contains(['c', 'C', 's', 't']) {
        return None;
    }
    let from = sets.first()?;
    if flags.contains('d') {
        return Some(text.chars().filter(|c| !from.contains(c)).collect());
    }
    let to = sets.get(1)?;
    let last = *to.last()?;
    let mut map = HashMap::new();
    for (i, &c) in from.iter().enumerate() {
        map.insert(c, to.get(i).copied().unwrap_or(last));
    }
    Some(
        text.chars()
            .map(|c| map.get(&c).copied().unwrap_or(c))
            .collect(),
    )
}

/// The characters of a set: ranges, classes, escapes.
fn expand(set: &str) -> Option<Vec<char>> {
    let set = unescape(set, Escapes::Printf);
    let mut out = Vec::new();
    let mut rest = set.as_str();
    while let Some(first) = rest.chars().next() {
        if let Some(class) = rest.strip_prefix("[:") {
            let (name, after) = class.split_once(":]")?;
            match name {
                "lower" => out.extend('a'..='z'),
                "upper" => out.extend('A'..='Z'),
                "digit" => out.extend('0'..='9'),
                "alpha" => out.extend(('A'..='Z').chain('a'..='z')),
                _ => return None,
            }
            rest = after;
            continue;
        }
        let mut chars = rest.chars();
        chars.next();
        let after = chars.as_str();
        if chars.next() == Some('-')
            && let Some(last) = chars.next()
        {
            out.extend((first..=last).take(MAX_RANGE));
            rest = chars.as_str();
        } else {
            out.push(first);
            rest = after;
        }
        if out.len() > MAX_RANGE {
            return None;
        }
    }
    Some(out)
}

const MAX_RANGE: usize = 4096;
