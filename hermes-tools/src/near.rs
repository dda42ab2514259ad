//! Names that were perhaps meant.

mod usual_names;

/// How many names are given.
const MAX_NAMES: usize = 3;

/// How long an unknown name may be to be compared at all, in bytes.
const MAX_LEN: usize = 200;

/// How alike two names have to be, from 0 to 1.
const LIKE_ENOUGH: f64 = 0.75;

/// Up to three of the names, the nearest first, that the unknown name may be a slip of, or that do
/// what it stands for elsewhere.
pub(crate) fn nearest<'a>(unknown: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    if unknown.is_empty() || unknown.len() > MAX_LEN {
        return Vec::new();
    }
    let unknown = folded(own_part(unknown));
    if unknown.is_empty() {
        return Vec::new();
    }
    let usual = usual_names::meant_by(&unknown);
    let mut scored: Vec<(f64, &str)> = names
        .map(|name| {
            let preferred = usual.iter().position(|meant| *meant == name);
            let score = match preferred {
                // Above any likeness but the same name in another spelling, in the table's order.
                Some(place) => 0.999 - place as f64 / 1000.0,
                None => likeness(&unknown, &folded(name)),
            };
            (score, name)
        })
        .filter(|(score, _)| *score >= LIKE_ENOUGH)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    // The same name in another spelling is meant, and no other.
    if scored.first().is_some_and(|(score, _)| *score >= 1.0) {
        scored.retain(|(score, _)| *score >= 1.0);
    }
    scored
        .into_iter()
        .take(MAX_NAMES)
        .map(|(_, name)| name)
        .collect()
}

/// What is left of `functions.read_file` and `default_api:read_file` without the name space.
fn own_part(name: &str) -> &str {
    name.rsplit(['.', ':'])
        .find(|part| !part.is_empty())
        .unwrap_or(name)
}

/// `ReadFile`, `read-file` and `read_file` are one name.
fn folded(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Up to three of the tools (name and description) whose description has the unknown name as a
/// word, those that say it first before the others: `shell` for a tool that runs shell commands.
pub(crate) fn mentioning<'a>(
    unknown: &str,
    tools: impl Iterator<Item = (&'a str, &'a str)>,
) -> Vec<&'a str> {
    let is_word = (3..=40).contains(&unknown.len())
        && unknown
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_');
    if !is_word {
        return Vec::new();
    }
    let mut found: Vec<(usize, &str)> = tools
        .filter_map(|(name, description)| {
            let mut words = description.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            let place = words.position(|word| word.eq_ignore_ascii_case(unknown))?;
            Some((place, name))
        })
        .collect();
    found.sort_unstable();
    found.into_iter().take(3).map(|(_, name)| name).collect()
}

/// From 0 to 1. A name said twice, and one that is a whole part of the other, are near.
fn likeness(unknown: &str, name: &str) -> f64 {
    if name.is_empty() {
        return 0.0;
    }
    if unknown == name || unknown.strip_prefix(name) == Some(name) {
        return 1.0;
    }
    let shorter = unknown.len().min(name.len());
    let longer = unknown.len().max(name.len());
    let part = shorter >= 3 && (unknown.contains(name) || name.contains(unknown));
    // Half as long is a part or something else, but no slip; this also keeps the work small.
    let similar = if shorter * 2 < longer {
        0.0
    } else {
        strsim::normalized_damerau_levenshtein(unknown, name).max(
            // Slips at the end matter less than at the start.
            strsim::jaro_winkler(unknown, name) - 0.15,
        )
    };
    if part {
        // Among names that it is a part of, the one that has least besides.
        similar.max(0.8 + 0.1 * shorter as f64 / longer as f64)
    } else {
        similar
    }
}

#[cfg(test)]
mod tests;
