//! From what a person or a unit file wrote to an absolute path: trimming, `~`, `$HOME`, relative.

use std::ffi::{OsStr, OsString};

use crate::path_text::{PathText, is_separator, parts_of};
use crate::unit::{Unit, ascii, is, os_string, units};
use crate::{Environment, Error, HomeSource, Result};

/// Reads the text of a path, or `None` when it is empty after trimming.
pub(crate) fn expanded(
    env: &Environment,
    value: &OsStr,
    origin: HomeSource,
) -> Result<Option<PathText>> {
    let value = trimmed(value);
    if value.is_empty() {
        return Ok(None);
    }
    let text = units(&value);
    if text.iter().any(|unit| is(*unit, 0)) {
        return Err(Error::NulInPath { origin });
    }
    let head_ends = text
        .iter()
        .position(|unit| is_separator(env.platform(), *unit))
        .unwrap_or(text.len());
    let (head, tail) = text.split_at_checked(head_ends).unwrap_or((&text, &[]));
    let head = os_string(head);
    if head == "~" || head == "$HOME" || head == "${HOME}" {
        let user_home = env.user_home_text().ok_or_else(|| Error::NoUserHome {
            wanted: format!("{} in {origin}", head.display()),
        })?;
        return Ok(Some(user_home.join_all(parts_of(env.platform(), tail))));
    }
    if head.as_encoded_bytes().first() == Some(&b'~') {
        return Err(Error::UnknownUser { value, origin });
    }
    match env.absolute(&value) {
        Some(path) => Ok(Some(path)),
        None => Err(Error::NoCurrentDir {
            path: value.into(),
            origin,
        }),
    }
}

/// Takes white space off both ends: Unicode's, and the four separators that Python also strips. Of
/// text that is not Unicode, ASCII white space.
pub(crate) fn trimmed(value: &OsStr) -> OsString {
    if let Some(text) = value.to_str() {
        return trimmed_str(text).into();
    }
    let text = units(value);
    let space = |unit: &Unit| ascii(*unit).is_some_and(|c| c.is_ascii_whitespace());
    let start = text.iter().position(|unit| !space(unit)).unwrap_or(0);
    let end = text
        .iter()
        .rposition(|unit| !space(unit))
        .map_or(0, |last| last + 1);
    os_string(text.get(start..end).unwrap_or_default())
}

pub(crate) fn trimmed_str(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c))
}
