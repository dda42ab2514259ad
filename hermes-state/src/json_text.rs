//! The text of a JSON value, kept as it was written.
//!
//! In a JSON column the text is the truth and a parsed value only a view of it. Python's
//! `json.loads` accepts, and `json.dumps` writes, what `serde_json` can't hold: `NaN`, `Infinity`,
//! `-Infinity`, and escapes of lone surrogates (`"\ud83d"`). Numbers keep all their digits. So the
//! text is checked by a scanner of our own, iterative and linear, and is stored, exported and
//! imported as it is; [`JsonText::value`] is for looking at it.
//!
//! What we write ourselves has Python's separators (`", "` and `": "`) and raw UTF-8, so that
//! searches find it.

mod scan;
mod view;
mod write;

use std::fmt;

use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

pub use scan::JsonTextError;
pub(crate) use scan::{decode_string, elements, members};

/// The text of one JSON value as Python's `json.loads` accepts it.
///
/// Two texts are equal when they are the same characters, not when they mean the same.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct JsonText(String);

impl JsonText {
    /// Checks a text and keeps it, blanks around it included. Nesting of any depth is accepted.
    ///
    /// # Errors
    /// Where and why the text is not JSON as `json.loads` reads it.
    pub fn parse(text: impl Into<String>) -> Result<Self, JsonTextError> {
        let text = text.into();
        scan::check(&text)?;
        Ok(Self(text))
    }

    /// `[]`.
    pub(crate) fn empty_array() -> Self {
        Self("[]".to_owned())
    }

    /// The text of a value.
    #[must_use]
    pub fn from_value(value: &serde_json::Value) -> Self {
        // The first way only fails for a `Serialize` that fails; a `Value`'s doesn't. The second
        // has other separators and the same meaning.
        Self::from_serialize(value).unwrap_or_else(|_| Self(value.to_string()))
    }

    /// The text of anything that serialises. A float that is NaN or infinite becomes `null`, as
    /// everywhere in `serde_json`.
    ///
    /// # Errors
    /// That of the type's own `Serialize`, or a map key that isn't a string, a number or a bool.
    pub fn from_serialize<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        write::python_text(value).map(Self)
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, without a copy.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }

    /// Whether the text is JSON by the standard too: without `NaN` and `Infinity`. (Escapes of
    /// lone surrogates are within its grammar.)
    #[must_use]
    pub fn is_strict(&self) -> bool {
        write::non_finite(&self.0).next().is_none()
    }

    /// Whether the text comes out of an export and an import as it is: its JSON form is the same
    /// characters, and it is not one of the empty values that are stored as NULL.
    pub(crate) fn is_verbatim(&self) -> bool {
        *write::strict_line(&self.0) == *self.0 && !self.is_falsy()
    }

    /// A view of the value: `NaN` and the infinities are `null` in it, lone surrogates U+FFFD, and
    /// of members with the same key the last one is there. `None` if the nesting is deeper than
    /// `serde_json` follows (127 levels).
    #[must_use]
    pub fn value(&self) -> Option<serde_json::Value> {
        view::value(&self.0)
    }

    /// The number of elements if this is an array. No element is parsed.
    #[must_use]
    pub fn array_len(&self) -> Option<usize> {
        elements(&self.0).ok().map(|elements| elements.len())
    }

    /// Whether Python takes the value for false: `null`, `false`, any zero, `""`, `[]`, `{}`.
    #[must_use]
    pub fn is_falsy(&self) -> bool {
        view::is_falsy(&self.0)
    }
}

impl fmt::Display for JsonText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for JsonText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JsonText({})", self.0)
    }
}

/// Embeds the text as it is where the serialiser is `serde_json`'s, so that no digit and no
/// surrogate is lost. Line breaks between tokens are left out, because exports have one object a
/// line, and `NaN` and the infinities become `null`, because their readers are strict.
impl Serialize for JsonText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let line = write::strict_line(&self.0);
        let raw: &RawValue = serde_json::from_str(&line).map_err(S::Error::custom)?;
        raw.serialize(serializer)
    }
}

#[cfg(test)]
mod tests;
