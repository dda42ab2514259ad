//! Texts as Python writes them, and texts as strict readers want them.

use std::borrow::Cow;
use std::io;
use std::ops::Range;

use serde::Serialize;
use serde::ser::Error as _;
use serde_json::ser::{Formatter, Serializer};

/// The text of a value with Python's separators and raw UTF-8.
pub(super) fn python_text<T: Serialize + ?Sized>(value: &T) -> Result<String, serde_json::Error> {
    let mut bytes = Vec::new();
    value.serialize(&mut Serializer::with_formatter(
        &mut bytes,
        PythonSeparators,
    ))?;
    String::from_utf8(bytes).map_err(serde_json::Error::custom)
}

/// `", "` between elements and `": "` after keys, as `json.dumps` by default.
struct PythonSeparators;

impl Formatter for PythonSeparators {
    fn begin_array_value<W: io::Write + ?Sized>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        if first {
            Ok(())
        } else {
            writer.write_all(b", ")
        }
    }

    fn begin_object_key<W: io::Write + ?Sized>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        if first {
            Ok(())
        } else {
            writer.write_all(b", ")
        }
    }

    fn begin_object_value<W: io::Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

/// The text on one line and without `NaN` and infinities.
pub(super) fn strict_line(text: &str) -> Cow<'_, str> {
    let mut finite = Cow::Borrowed(text);
    let mut replaced = String::new();
    let mut copied = 0;
    for range in non_finite(text) {
        replaced.push_str(text.get(copied..range.start).unwrap_or_default());
        replaced.push_str("null");
        copied = range.end;
    }
    if copied > 0 {
        replaced.push_str(text.get(copied..).unwrap_or_default());
        finite = Cow::Owned(replaced);
    }
    // Within strings line breaks are escaped, so a raw one is between tokens.
    if finite.contains(['\n', '\r']) {
        finite = Cow::Owned(finite.replace(['\n', '\r'], ""));
    }
    finite
}

/// Where `NaN`, `Infinity` and `-Infinity` are, outside strings, in a text that is JSON.
pub(super) fn non_finite(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut bytes = text.bytes().enumerate();
    let mut in_string = false;
    let mut after_minus = false;
    std::iter::from_fn(move || {
        while let Some((at, byte)) = bytes.next() {
            let signed = std::mem::replace(&mut after_minus, byte == b'-');
            match byte {
                b'"' => in_string = !in_string,
                b'\\' => _ = bytes.next(),
                b'N' if !in_string => {
                    // The second N of the word is not the start of another.
                    _ = bytes.nth(1);
                    return Some(at..at + "NaN".len());
                }
                b'I' if !in_string => {
                    return Some(at - usize::from(signed)..at + "Infinity".len());
                }
                _ => {}
            }
        }
        None
    })
}
