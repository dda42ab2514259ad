//! JSON as Hermes writes it for models: `", "` and `": "` between, raw UTF-8.

use std::io;

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};
use serde_json::{Map, Value};

/// The text of a value that JSON can hold.
pub(crate) fn write(value: &Value) -> String {
    try_write(value).unwrap_or_else(|_| "null".to_owned())
}

/// The text of anything that can be serialised as JSON.
pub(crate) fn try_write<T: Serialize + ?Sized>(value: &T) -> Result<String, serde_json::Error> {
    let mut bytes = Vec::with_capacity(128);
    value.serialize(&mut Serializer::with_formatter(&mut bytes, Spaced))?;
    String::from_utf8(bytes).map_err(serde::ser::Error::custom)
}

/// `{"error": message, …}` with these further fields, as handlers and the dispatcher report
/// failures to a model.
///
/// ```
/// use serde_json::json;
/// assert_eq!(
///     hermes_tools::tool_error_text("no such file", &[("code", json!(4))]),
///     r#"{"error": "no such file", "code": 4}"#,
/// );
/// ```
pub fn error(message: &str, fields: &[(&str, Value)]) -> String {
    let mut object = Map::new();
    object.insert("error".to_owned(), Value::from(message));
    for (key, value) in fields {
        object.insert((*key).to_owned(), value.clone());
    }
    write(&Value::Object(object))
}

/// The text of a result, as handlers give it to a model.
///
/// # Errors
/// If the value cannot be JSON: a map with keys that are no text, a failing serialiser.
pub fn result<T: Serialize + ?Sized>(value: &T) -> Result<String, serde_json::Error> {
    try_write(value)
}

struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: io::Write + ?Sized>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        separate(writer, first)
    }

    fn begin_object_key<W: io::Write + ?Sized>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        separate(writer, first)
    }

    fn begin_object_value<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

fn separate<W: io::Write + ?Sized>(writer: &mut W, first: bool) -> io::Result<()> {
    if first {
        Ok(())
    } else {
        writer.write_all(b", ")
    }
}
