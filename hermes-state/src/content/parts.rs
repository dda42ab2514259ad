//! The texts within structured content.
//!
//! Which strings are for people is decided by the keys above them and by their looks, because the
//! shapes differ by provider and tool: everything is text unless it is one of the following.

use std::borrow::Cow;

use crate::json_text::{decode_string, elements, members};

/// Values of these keys are for machines, whatever they are. So are those of keys that end in
/// `_id`, `Id`, `_url` or `Url`.
const MACHINE_KEYS: [&str; 17] = [
    "type",
    "role",
    "id",
    "url",
    "uri",
    "mime_type",
    "mimeType",
    "media_type",
    "mediaType",
    "format",
    "detail",
    "cache_control",
    "signature",
    "thoughtSignature",
    "thought_signature",
    "encrypted_content",
    "encoding",
];
const MACHINE_ENDINGS: [&str; 4] = ["_id", "Id", "_url", "Url"];

/// Values of these keys are encoded bytes if they look like it, and text if they don't: a document
/// part may have either.
const DATA_KEYS: [&str; 6] = [
    "data",
    "file_data",
    "fileData",
    "bytes",
    "base64",
    "b64_json",
];

/// From here on a word of Base64 letters only is data. The smallest PNG has 90.
const SHORTEST_DATA: usize = 40;

/// Real content has four or five levels. Each level reads what is below it once more, so this is
/// also what the cost per byte is limited to.
const DEEPEST: usize = 32;

/// All texts for people, in their order, joined by a blank.
pub(super) fn readable_text(json: &str) -> String {
    let mut joined = String::new();
    let mut waiting = vec![Waiting {
        raw: json.trim_ascii(),
        may_be_data: false,
        depth: 0,
    }];
    while let Some(Waiting {
        raw,
        may_be_data,
        depth,
    }) = waiting.pop()
    {
        let queued_from = waiting.len();
        match raw.bytes().next() {
            Some(b'"') => push_text(&mut joined, raw, may_be_data),
            Some(b'[') if depth < DEEPEST => {
                let inner = elements(raw).unwrap_or_default().into_iter();
                waiting.extend(inner.map(|raw| Waiting {
                    raw,
                    may_be_data,
                    depth: depth + 1,
                }));
            }
            Some(b'{') if depth < DEEPEST => {
                let inner = members(raw).unwrap_or_default().into_iter();
                waiting.extend(
                    inner
                        .filter(|(key, _)| !is_for_machines(key))
                        .map(|(key, raw)| {
                            let may_be_data = DATA_KEYS.contains(&key.as_str());
                            Waiting {
                                raw,
                                may_be_data,
                                depth: depth + 1,
                            }
                        }),
                );
            }
            _ => {}
        }
        // The last one queued is the next one read.
        if let Some(queued) = waiting.get_mut(queued_from..) {
            queued.reverse();
        }
    }
    joined
}

/// A value that is still to be looked into.
struct Waiting<'a> {
    raw: &'a str,
    may_be_data: bool,
    depth: usize,
}

fn is_for_machines(key: &str) -> bool {
    MACHINE_KEYS.contains(&key) || MACHINE_ENDINGS.iter().any(|ending| key.ends_with(ending))
}

fn push_text(joined: &mut String, raw: &str, may_be_data: bool) {
    let Some((text, _)) = decode_string(raw) else {
        return;
    };
    if text.is_empty() || is_data_url(&text) || (may_be_data && is_encoded(&text)) {
        return;
    }
    if !joined.is_empty() {
        joined.push(' ');
    }
    joined.push_str(&text);
}

/// `data:image/png;base64,…`; not "data: see below, or ask".
fn is_data_url(text: &str) -> bool {
    let text = text.trim_ascii_start();
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let Some((head, _)) = rest.split_once(',') else {
        return false;
    };
    scheme.eq_ignore_ascii_case("data")
        && head.contains(['/', ';'])
        && !head.contains(char::is_whitespace)
}

fn is_encoded(text: &str) -> bool {
    let text = text.trim_ascii();
    let is_letter = |b: u8| b.is_ascii_alphanumeric() || b"+/-_=\r\n".contains(&b);
    text.len() >= SHORTEST_DATA && text.bytes().all(is_letter)
}

/// The texts of a list's parts of type `text`, as Hermes joins them.
pub(super) fn context_text(json: &str) -> Cow<'_, str> {
    const NO_TEXT: &str = "[multimodal content]";
    let json = json.trim_ascii();
    if json.starts_with('"') {
        return Cow::Owned(decode_string(json).unwrap_or_default().0);
    }
    let Ok(parts) = elements(json) else {
        return Cow::Borrowed("");
    };
    let texts: Vec<String> = parts.into_iter().filter_map(text_of_part).collect();
    let text = texts.join(" ");
    match text.trim() {
        "" => Cow::Borrowed(NO_TEXT),
        trimmed => Cow::Owned(trimmed.to_owned()),
    }
}

/// The non-empty text of a part of type `text`. Of repeated members Python keeps the last.
fn text_of_part(part: &str) -> Option<String> {
    let members = members(part).ok()?;
    let last = |name: &str| {
        let (_, raw) = members.iter().rev().find(|(key, _)| key == name)?;
        Some(decode_string(raw)?.0)
    };
    last("type").filter(|kind| kind == "text")?;
    last("text").filter(|text| !text.is_empty())
}
