//! What a message says, as the content column holds it.
//!
//! Text is stored as it is, bytes as a BLOB. Anything structured (a list of text and image parts, a
//! tool's envelope) is stored as text with a marker in front: a NUL, `json:`, then the JSON. A
//! user's text that begins with exactly that and goes on with JSON is read as structured content;
//! that is the format's weakness, shared with Python, and is kept because both read the same files.

mod number;
mod parts;

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::json_text::JsonText;

/// In front of structured content in the content column.
const MARKER: &str = "\0json:";

/// The content of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Plain text, as most messages are.
    Text(String),
    /// Structured content: usually a list of parts (`{"type": "text", "text": …}`,
    /// `{"type": "image_url", …}`).
    Json(JsonText),
    /// Bytes. Hermes itself writes none, but its column takes them.
    Bytes(Vec<u8>),
}

impl Content {
    /// The content that Hermes stores when it is given this value: text as it is, lists and objects
    /// as structured content, numbers and booleans as the text that the column makes of them (`5`,
    /// `1.5`, `1`), nothing for `null`.
    ///
    /// # Errors
    /// An integer that SQLite cannot hold.
    pub fn from_value(value: &Value) -> Result<Option<Self>> {
        let text = match value {
            Value::Null => return Ok(None),
            Value::Array(_) | Value::Object(_) => {
                return Ok(Some(Self::Json(JsonText::from_value(value))));
            }
            Value::String(text) => text.clone(),
            Value::Bool(truth) => u8::from(*truth).to_string(),
            Value::Number(given) => match (given.as_i64(), given.as_f64()) {
                (Some(integer), _) => integer.to_string(),
                (None, Some(float)) if given.to_string().contains(['.', 'e', 'E']) => {
                    match number::float_text(float) {
                        Some(text) => text,
                        None => return Ok(None),
                    }
                }
                _ => {
                    return Err(Error::Invalid {
                        what: "content",
                        problem: format!("is an integer that cannot be stored: {given}"),
                    });
                }
            },
        };
        Ok(Some(Self::Text(text)))
    }

    /// Reads a text of the content column. Text with the marker of structured content in front, but
    /// no JSON behind it, is plain text.
    #[must_use]
    pub fn from_stored_text(stored: String) -> Self {
        match stored.strip_prefix(MARKER).map(JsonText::parse) {
            Some(Ok(json)) => Self::Json(json),
            Some(Err(_)) | None => Self::Text(stored),
        }
    }

    /// The text for the content column, `None` for bytes, which are bound as a BLOB.
    #[must_use]
    pub fn to_stored_text(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Text(text) => Some(Cow::Borrowed(text)),
            Self::Json(json) => Some(Cow::Owned(format!("{MARKER}{json}"))),
            Self::Bytes(_) => None,
        }
    }

    /// What a person reads, for previews and the search index: text as it is, of structured content
    /// its texts joined by a blank, of bytes the text if they are UTF-8 and nothing otherwise.
    ///
    /// Texts of structured content are all its strings but those that no person wrote: types, roles,
    /// ids, media types, URLs given as such, signatures and encoded data. JSON nested deeper than 32
    /// levels is not looked into.
    #[must_use]
    pub fn plain_text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Json(json) => Cow::Owned(parts::readable_text(json.as_str())),
            Self::Bytes(bytes) => Cow::Borrowed(std::str::from_utf8(bytes).unwrap_or_default()),
        }
    }

    /// The content as Hermes shows it around a search hit: text as it is; of a list the non-empty
    /// texts of its parts of type `text`, joined by a blank and without blanks around, or
    /// `[multimodal content]` where there are none; nothing of other structures and of bytes.
    ///
    /// Where a part's text is neither a string nor false, Hermes gives up the whole context of the
    /// hit; here that part is left out.
    #[must_use]
    pub fn context_text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Json(json) => parts::context_text(json.as_str()),
            Self::Bytes(_) => Cow::Borrowed(""),
        }
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<JsonText> for Content {
    fn from(json: JsonText) -> Self {
        Self::Json(json)
    }
}

impl From<Vec<u8>> for Content {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

/// Text becomes a string, structured content its JSON, bytes `{"$bytes": "<base64>"}`.
impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Json(json) => json.serialize(serializer),
            Self::Bytes(bytes) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry("$bytes", &STANDARD.encode(bytes))?;
                map.end()
            }
        }
    }
}

#[cfg(test)]
mod tests;
