//! One declaration per table row: its fields, the columns they come from, and its JSON form.
//!
//! SQLite lets any value stand in any column, and files of other versions have other columns. A
//! record therefore keeps two maps beside its fields: `extra` for columns without a field, and
//! `raw` for stored values that the field's type or JSON cannot carry, so that nothing that is in
//! the file is lost on the way through.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use rusqlite::types::ValueRef;
use serde::ser::SerializeMap;
use serde_json::{Map, Number, Value};

use crate::content::Content;
use crate::json_text::JsonText;

/// A type that a column is read into.
pub(crate) trait Column: Sized + serde::Serialize {
    /// How the stored value fits.
    fn read(stored: ValueRef<'_>) -> Reading<Self>;

    /// What stands for a value of another kind where there must be one.
    fn absent() -> Self;

    /// The stored value, as near as the type comes to it.
    fn of(stored: ValueRef<'_>) -> Self {
        match Self::read(stored) {
            Reading::Exact(value) | Reading::Near(value) => value,
            Reading::Misfit => Self::absent(),
        }
    }
}

/// How a stored value fits the type that it is read into.
pub(crate) enum Reading<T> {
    /// The value, and its JSON form, hold all that is stored.
    Exact(T),
    /// Good enough to be shown, but the value or its JSON form does not hold all.
    Near(T),
    /// A value of another kind.
    Misfit,
}

impl<T> Reading<T> {
    pub(crate) fn map<U>(self, f: impl FnOnce(T) -> U) -> Reading<U> {
        match self {
            Reading::Exact(value) => Reading::Exact(f(value)),
            Reading::Near(value) => Reading::Near(f(value)),
            Reading::Misfit => Reading::Misfit,
        }
    }
}

/// One column of a row, as near as the type comes to it.
pub(crate) fn column<T: Column>(row: &rusqlite::Row<'_>, index: usize) -> rusqlite::Result<T> {
    row.get_ref(index).map(T::of)
}

impl Column for String {
    fn read(stored: ValueRef<'_>) -> Reading<String> {
        match stored {
            ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => Reading::Exact(text.to_owned()),
                // Still reads well enough to be shown.
                Err(_) => Reading::Near(String::from_utf8_lossy(bytes).into_owned()),
            },
            ValueRef::Integer(n) => Reading::Near(n.to_string()),
            ValueRef::Real(x) => Reading::Near(x.to_string()),
            ValueRef::Null | ValueRef::Blob(_) => Reading::Misfit,
        }
    }

    fn absent() -> String {
        String::new()
    }
}

impl Column for i64 {
    fn read(stored: ValueRef<'_>) -> Reading<i64> {
        match stored {
            ValueRef::Integer(n) => Reading::Exact(n),
            _ => Reading::Misfit,
        }
    }

    fn absent() -> i64 {
        0
    }
}

impl Column for f64 {
    fn read(stored: ValueRef<'_>) -> Reading<f64> {
        match stored {
            ValueRef::Real(x) if x.is_finite() => Reading::Exact(x),
            ValueRef::Real(x) => Reading::Near(x),
            #[expect(
                clippy::cast_precision_loss,
                reason = "a REAL column stores integers so, too"
            )]
            ValueRef::Integer(n) => Reading::Exact(n as f64),
            _ => Reading::Misfit,
        }
    }

    fn absent() -> f64 {
        0.0
    }
}

impl<T: Column> Column for Option<T> {
    fn read(stored: ValueRef<'_>) -> Reading<Option<T>> {
        match stored {
            ValueRef::Null => Reading::Exact(None),
            stored => T::read(stored).map(Some),
        }
    }

    fn absent() -> Option<T> {
        None
    }
}

impl Column for Content {
    fn read(stored: ValueRef<'_>) -> Reading<Content> {
        if let ValueRef::Blob(bytes) = stored {
            // `{"$bytes": …}` alone could be structured content that looks so.
            return Reading::Near(Content::Bytes(bytes.to_vec()));
        }
        match String::read(stored).map(Content::from_stored_text) {
            // A string alone would come back from its JSON form as plain text.
            Reading::Exact(Content::Json(json))
                if !json.is_verbatim() || json.as_str().starts_with('"') =>
            {
                Reading::Near(Content::Json(json))
            }
            reading => reading,
        }
    }

    fn absent() -> Content {
        Content::Text(String::new())
    }
}

impl Column for JsonText {
    fn read(stored: ValueRef<'_>) -> Reading<JsonText> {
        let ValueRef::Text(bytes) = stored else {
            return Reading::Misfit;
        };
        if bytes.is_empty() {
            return Reading::Misfit;
        }
        let text = std::str::from_utf8(bytes).ok();
        match text.and_then(|text| JsonText::parse(text).ok()) {
            Some(json) if json.is_verbatim() => Reading::Exact(json),
            Some(json) => Reading::Near(json),
            None => Reading::Near(JsonText::empty_array()),
        }
    }

    fn absent() -> JsonText {
        JsonText::empty_array()
    }
}

/// Reads one value into its field, and into `raw` what the field does not hold.
pub(crate) fn read_field<T: Column>(
    stored: ValueRef<'_>,
    name: &str,
    raw: &mut Map<String, Value>,
) -> T {
    let reading = T::read(stored);
    if !matches!(reading, Reading::Exact(_)) {
        raw.insert(name.to_owned(), encode(stored));
    }
    match reading {
        Reading::Exact(value) | Reading::Near(value) => value,
        Reading::Misfit => T::absent(),
    }
}

/// A stored value as JSON: what JSON has no form for becomes `{"$bytes": base64}`,
/// `{"$text": base64}` (text that is not UTF-8) or `{"$float": "inf"}`.
pub(crate) fn encode(stored: ValueRef<'_>) -> Value {
    let tagged = |tag: &str, text: String| {
        Value::Object(Map::from_iter([(tag.to_owned(), Value::String(text))]))
    };
    match stored {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(n) => Value::Number(n.into()),
        ValueRef::Real(x) => match Number::from_f64(x) {
            Some(number) => Value::Number(number),
            None => tagged("$float", x.to_string()),
        },
        ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Value::String(text.to_owned()),
            Err(_) => tagged("$text", BASE64.encode(bytes)),
        },
        ValueRef::Blob(bytes) => tagged("$bytes", BASE64.encode(bytes)),
    }
}

/// The other way round: a value of `raw` or `extra` as SQLite stores it.
pub(crate) fn decode(value: &Value) -> rusqlite::types::Value {
    use rusqlite::types::Value as Sql;
    match value {
        Value::Null => Sql::Null,
        Value::Bool(b) => Sql::Integer((*b).into()),
        Value::Number(n) => match (n.as_i64(), n.as_f64()) {
            (Some(n), _) => Sql::Integer(n),
            (None, Some(x)) if x.is_finite() => Sql::Real(x),
            _ => Sql::Text(n.to_string()),
        },
        Value::String(text) => Sql::Text(text.clone()),
        Value::Object(map) => tagged_value(map)
            .unwrap_or_else(|| Sql::Text(JsonText::from_value(value).into_string())),
        Value::Array(_) => Sql::Text(JsonText::from_value(value).into_string()),
    }
}

/// `{"$bytes": …}` and its like, as SQLite stores it.
pub(crate) fn tagged_value(map: &Map<String, Value>) -> Option<rusqlite::types::Value> {
    use rusqlite::types::Value as Sql;
    let (tag, text) = map.iter().next().filter(|_| map.len() == 1)?;
    let text = text.as_str()?;
    match tag.as_str() {
        "$bytes" => BASE64.decode(text).ok().map(Sql::Blob),
        "$float" => text.parse().ok().map(Sql::Real),
        // Bytes that are not UTF-8 cannot be bound as text: they stay a BLOB with the same bytes.
        "$text" => BASE64.decode(text).ok().map(Sql::Blob),
        _ => None,
    }
}

/// Writes one field. A misfit that JSON can carry (a word in a number's column) stands for itself.
pub(crate) fn write_field<T: serde::Serialize, M: SerializeMap>(
    map: &mut M,
    name: &str,
    field: &T,
    raw: &Map<String, Value>,
) -> Result<(), M::Error> {
    match raw.get(name) {
        Some(value @ (Value::String(_) | Value::Number(_)))
            if !KEEPS_TEXT_IN_RAW.contains(&name) =>
        {
            map.serialize_entry(name, value)
        }
        _ => map.serialize_entry(name, field),
    }
}

/// Columns whose JSON form is the parsed value, so that their exact text goes to `_raw`.
const KEEPS_TEXT_IN_RAW: [&str; 2] = ["content", "tool_calls"];

/// Writes `extra` and, if there is any, `_raw`.
pub(crate) fn write_rest<M: SerializeMap>(
    map: &mut M,
    extra: &Map<String, Value>,
    raw: &Map<String, Value>,
) -> Result<(), M::Error> {
    for (name, value) in extra {
        map.serialize_entry(name, value)?;
    }
    let kept: Map<String, Value> = raw
        .iter()
        .filter(|(name, value)| value.is_object() || KEEPS_TEXT_IN_RAW.contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    if kept.is_empty() {
        Ok(())
    } else {
        map.serialize_entry("_raw", &kept)
    }
}

/// Declares a row type: fields in the order of the table's columns in schema version 11.
macro_rules! record {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $( $(#[$field_meta:meta])* pub $field:ident: $type:ty, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub struct $name {
            $( $(#[$field_meta])* pub $field: $type, )*
            /// Columns of the file that have no field here (newer versions, other programs).
            pub extra: serde_json::Map<String, serde_json::Value>,
            /// Stored values that their field or JSON cannot carry, by column: a word where a
            /// number belongs, `{"$bytes": …}`, `{"$text": …}`, `{"$float": …}`, JSON text that
            /// does not parse.
            pub raw: serde_json::Map<String, serde_json::Value>,
        }

        impl $name {
            pub(crate) const COLUMNS: &'static [&'static str] = &[$(stringify!($field)),*];

            /// Reads a row whose first columns are `COLUMNS` and then `extra_names`.
            pub(crate) fn read(
                row: &rusqlite::Row<'_>,
                extra_names: &[String],
            ) -> rusqlite::Result<$name> {
                let mut raw = serde_json::Map::new();
                let mut index = 0..;
                let mut next = || row.get_ref(index.next().unwrap_or_default());
                $( let $field = crate::record::read_field(next()?, stringify!($field), &mut raw); )*
                let mut extra = serde_json::Map::new();
                for name in extra_names {
                    extra.insert(name.clone(), crate::record::encode(next()?));
                }
                Ok($name { $($field,)* extra, raw })
            }

            pub(crate) fn write<M: serde::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
                $( crate::record::write_field(map, stringify!($field), &self.$field, &self.raw)?; )*
                crate::record::write_rest(map, &self.extra, &self.raw)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap;
                let mut map = serializer.serialize_map(None)?;
                self.write(&mut map)?;
                map.end()
            }
        }
    };
}

pub(crate) use record;
