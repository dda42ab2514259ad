//! What goes into the full-text index for a message.
//!
//! The triggers in the file, which Python shares, index `content || ' ' || tool_name || ' ' ||
//! tool_calls` as the columns hold them. That is right for most rows and wrong for two kinds:
//! structured content would bring its marker, JSON syntax and image data into the index, and text
//! with a NUL is indexed differently by different versions of SQLite, so that a row which one wrote
//! and another deletes damages the index. For these the row is replaced by a text without either.
//! And a text ends with blanks where it would end with a letter beyond ASCII: the trigram index has
//! terms of three characters, and the last ones begin none.

use std::borrow::Cow;

use crate::content::Content;

/// The text to index: the triggers' text, but of structured content only what a person reads
/// ([`Content::plain_text`]), a blank for each NUL, and blanks at the end. Never holds a NUL.
pub(crate) fn index_text(
    content: Option<&Content>,
    tool_name: Option<&str>,
    tool_calls: Option<&str>,
) -> String {
    let mut text = joined(content, tool_name, tool_calls);
    if ends_open(&text) {
        text.push_str("  ");
    }
    text
}

fn joined(content: Option<&Content>, tool_name: Option<&str>, tool_calls: Option<&str>) -> String {
    let content = content.map_or(Cow::Borrowed(""), Content::plain_text);
    let columns = [
        &content,
        tool_name.unwrap_or_default(),
        tool_calls.unwrap_or_default(),
    ];
    columns.join(" ").replace('\0', " ")
}

/// Whether one of the last two characters may be looked for by itself.
fn ends_open(text: &str) -> bool {
    text.chars().rev().take(2).any(|c| !c.is_ascii())
}

/// Whether the triggers would write something else than [`index_text`] for this message.
pub(crate) fn needs_own_index_text(
    content: Option<&Content>,
    tool_name: Option<&str>,
    tool_calls: Option<&str>,
) -> bool {
    let content_differs = match content {
        None => false,
        Some(Content::Text(text)) => text.contains('\0'),
        Some(Content::Json(_)) => true,
        Some(Content::Bytes(bytes)) => bytes.contains(&0) || std::str::from_utf8(bytes).is_err(),
    };
    // Between them and behind them the triggers write one blank.
    let open = match (tool_name, tool_calls) {
        (_, Some(calls)) if !calls.is_empty() => ends_open(calls),
        (Some(name), _) => name.chars().next_back().is_some_and(|c| !c.is_ascii()),
        (None, _) => false,
    };
    content_differs
        || open
        || [tool_name, tool_calls]
            .into_iter()
            .flatten()
            .any(|text| text.contains('\0'))
}

/// The text to scan where no index is used: as [`index_text`], but with the `\uXXXX` escapes that
/// Python writes into tool calls turned into characters. Arguments are JSON within a JSON string,
/// so an escape may have several backslashes in front. (A path like `\\ubeef` is then taken for
/// one: a scan may find too much there, and never too little for what it shows.)
pub(crate) fn searchable_text(
    content: Option<&Content>,
    tool_name: Option<&str>,
    tool_calls: Option<&str>,
) -> String {
    let tool_calls = tool_calls.map(without_unicode_escapes);
    joined(content, tool_name, tool_calls.as_deref())
}

fn without_unicode_escapes(text: &str) -> Cow<'_, str> {
    if !text.contains("\\u") {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escaped) = rest.split_at(at);
        plain.push_str(before);
        if let Some((character, after)) = escaped_character(escaped) {
            plain.push(character);
            rest = after;
        } else {
            rest = escaped.trim_start_matches('\\');
            plain.extend(std::iter::repeat_n('\\', escaped.len() - rest.len()));
        }
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// The character of an escape at the start of the text, with its other half where it has one, and
/// what follows. `None` for other escapes and lone surrogates.
fn escaped_character(text: &str) -> Option<(char, &str)> {
    let (unit, after) = escaped_unit(text)?;
    if let Some(character) = char::from_u32(unit) {
        return Some((character, after));
    }
    let (low, after) = escaped_unit(after)?;
    if !(0xd800..0xdc00).contains(&unit) || !(0xdc00..0xe000).contains(&low) {
        return None;
    }
    Some((
        char::from_u32(0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00))?,
        after,
    ))
}

/// Backslashes, `u` and four hexadecimal digits.
fn escaped_unit(text: &str) -> Option<(u32, &str)> {
    let (digits, after) = text
        .strip_prefix('\\')?
        .trim_start_matches('\\')
        .strip_prefix('u')?
        .split_at_checked(4)?;
    if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    Some((u32::from_str_radix(digits, 16).ok()?, after))
}

#[cfg(test)]
mod tests;
