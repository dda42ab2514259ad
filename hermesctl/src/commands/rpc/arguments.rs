//! The arguments of a call, by name.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use hermes_kit::state::{Content, JsonText};
use serde_json::Value;
use serde_json::value::RawValue;

use super::fault::Fault;

type Outcome<T> = Result<T, Fault>;

/// The arguments of one call. One that is `null` is as one that is not given.
#[derive(Debug)]
pub(super) struct Arguments(BTreeMap<String, Box<RawValue>>);

impl Arguments {
    /// Reads the `params` of a request to a method that has these arguments.
    pub(super) fn read(params: Option<&RawValue>, known: &[&str]) -> Outcome<Arguments> {
        let Some(params) = params else {
            return Ok(Arguments(BTreeMap::new()));
        };
        let arguments = Arguments::of_object(params)
            .ok_or_else(|| Fault::argument("arguments are given by name, as an object"))?;
        match arguments
            .0
            .keys()
            .find(|name| !known.contains(&name.as_str()))
        {
            Some(name) => Err(Fault::argument(format!("there is no argument {name:?}"))),
            None => Ok(arguments),
        }
    }

    /// The members of an object inside of an argument.
    pub(super) fn of_object(object: &RawValue) -> Option<Arguments> {
        serde_json::from_str(object.get()).ok().map(Arguments)
    }

    pub(super) fn raw(&self, name: &str) -> Option<&RawValue> {
        let given = self.0.get(name).map(AsRef::as_ref);
        given.filter(|value: &&RawValue| value.get() != "null")
    }

    /// Whether it is given as `null`.
    pub(super) fn is_null(&self, name: &str) -> bool {
        self.0.contains_key(name) && !self.given(name)
    }

    pub(super) fn given(&self, name: &str) -> bool {
        self.raw(name).is_some()
    }

    /// These, without what messages of version 11 have no place for: a transcript may come from a
    /// newer release.
    pub(super) fn only(&self, newer: bool) -> Arguments {
        let kept = |name: &&String| newer || !OF_NEWER_MESSAGES.contains(&name.as_str());
        let kept = self.0.iter().filter(|(name, _)| kept(name));
        Arguments(
            kept.map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
        )
    }

    fn read_as<T>(
        &self,
        name: &str,
        kind: &str,
        read: impl FnOnce(&RawValue) -> Option<T>,
    ) -> Outcome<Option<T>> {
        let Some(value) = self.raw(name) else {
            return Ok(None);
        };
        match read(value) {
            Some(value) => Ok(Some(value)),
            None => Err(Fault::argument(format!("{name} is not {kind}"))),
        }
    }

    /// A text. A number is the text of its digits, as a TEXT column makes of it.
    pub(super) fn text(&self, name: &str) -> Outcome<Option<String>> {
        let Some(value) = self.raw(name) else {
            return Ok(None);
        };
        if value.get().starts_with('"') {
            return match serde_json::from_str(value.get()) {
                Ok(text) => Ok(Some(text)),
                Err(_) => Err(Fault::refused(
                    "invalid",
                    "UnicodeEncodeError",
                    format!("{name} holds half a surrogate pair, which has no form in UTF-8"),
                )),
            };
        }
        self.read_as(name, "a text", number_text)
    }

    /// A text in which half a surrogate pair becomes U+FFFD where that is the custom.
    pub(super) fn text_scrubbed(&self, name: &str, scrub: bool) -> Outcome<Option<String>> {
        match self.raw(name) {
            Some(value) if scrub && value.get().starts_with('"') => Ok(scrubbed(value)),
            _ => self.text(name),
        }
    }

    pub(super) fn required_text(&self, name: &str) -> Outcome<String> {
        self.text(name)?.ok_or_else(|| missing(name))
    }

    /// A text that no column takes NULL for.
    pub(super) fn stored_text(&self, name: &str) -> Outcome<String> {
        if self.is_null(name) {
            return Err(Fault::refused(
                "invalid",
                "IntegrityError",
                format!("{name} must not be null"),
            ));
        }
        self.required_text(name)
    }

    pub(super) fn texts(&self, name: &str) -> Outcome<Option<Vec<String>>> {
        self.read_as(name, "a list of texts", |value| parsed(value))
    }

    pub(super) fn integer(&self, name: &str) -> Outcome<Option<i64>> {
        self.read_as(name, "an integer of 64 bits", |value| match value.get() {
            "true" => Some(1),
            "false" => Some(0),
            _ => parsed(value),
        })
    }

    pub(super) fn required_integer(&self, name: &str) -> Outcome<i64> {
        self.integer(name)?.ok_or_else(|| missing(name))
    }

    pub(super) fn float(&self, name: &str) -> Outcome<Option<f64>> {
        self.read_as(name, "a number", |value| {
            let value: Value = parsed(value)?;
            tagged(&value, "$float").map_or_else(|| value.as_f64(), |text| text.parse().ok())
        })
    }

    pub(super) fn flag(&self, name: &str) -> Outcome<Option<bool>> {
        self.read_as(name, "true or false", |value| match value.get() {
            "0" => Some(false),
            "1" => Some(true),
            _ => parsed(value),
        })
    }

    pub(super) fn is_set(&self, name: &str) -> Outcome<bool> {
        Ok(self.flag(name)?.unwrap_or_default())
    }

    /// How many rows are wanted at most; a negative number means all, as in SQLite.
    pub(super) fn limit(&self, name: &str, default: usize) -> Outcome<usize> {
        Ok(match self.integer(name)? {
            None => default,
            Some(n) => usize::try_from(n).unwrap_or(usize::MAX),
        })
    }

    /// How many rows are passed over; a negative number means none.
    pub(super) fn offset(&self, name: &str) -> Outcome<usize> {
        let offset = self.integer(name)?.unwrap_or(0);
        Ok(usize::try_from(offset).unwrap_or(0))
    }

    /// Any JSON value, as Python would write it; `{"$float": …}` in it as Python's own words.
    pub(super) fn json(&self, name: &str) -> Outcome<Option<JsonText>> {
        self.read_as(name, "JSON that can be stored", json_text)
    }

    /// What a message says.
    pub(super) fn content(&self, name: &str, scrub: bool) -> Outcome<Option<Content>> {
        let Some(raw) = self.raw(name) else {
            return Ok(None);
        };
        if raw.get().starts_with('"') {
            return Ok(self.text_scrubbed(name, scrub)?.map(Content::Text));
        }
        let value: Option<Value> = parsed(raw);
        if let Some(bytes) = value.as_ref().and_then(|value| tagged(value, "$bytes")) {
            return match BASE64.decode(bytes) {
                Ok(bytes) => Ok(Some(Content::Bytes(bytes))),
                Err(_) => Err(Fault::argument(format!("{name} is not base64"))),
            };
        }
        if raw.get().starts_with(['[', '{']) {
            return Ok(self.json(name)?.map(Content::Json));
        }
        Ok(Content::from_value(&value.unwrap_or_default())?)
    }

    pub(super) fn objects(&self, name: &str) -> Outcome<Option<Vec<Arguments>>> {
        self.read_as(name, "a list of objects", |value| {
            let items: Vec<&RawValue> = parsed(value)?;
            items.into_iter().map(Arguments::of_object).collect()
        })
    }

    pub(super) fn values(&self, name: &str) -> Outcome<Option<Vec<Value>>> {
        self.read_as(name, "a list of objects", |value| parsed(value))
    }
}

const OF_NEWER_MESSAGES: [&str; 5] = [
    "timestamp",
    "platform_message_id",
    "observed",
    "effect_disposition",
    "api_content",
];

fn missing(name: &str) -> Fault {
    Fault::argument(format!("{name} is missing"))
}

fn parsed<'a, T: serde::Deserialize<'a>>(value: &'a RawValue) -> Option<T> {
    serde_json::from_str(value.get()).ok()
}

fn number_text(value: &RawValue) -> Option<String> {
    let number: serde_json::Number = parsed(value)?;
    match Content::from_value(&Value::Number(number)) {
        Ok(Some(Content::Text(text))) => Some(text),
        _ => None,
    }
}

/// The text with U+FFFD for each half of a surrogate pair.
fn scrubbed(value: &RawValue) -> Option<String> {
    match JsonText::parse(value.get()).ok()?.value()? {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// The text of `{"$tag": text}`.
fn tagged<'a>(value: &'a Value, tag: &str) -> Option<&'a str> {
    let object = value.as_object().filter(|object| object.len() == 1)?;
    object.get(tag)?.as_str()
}

fn json_text(value: &RawValue) -> Option<JsonText> {
    match parsed::<Value>(value) {
        Some(value) => {
            let mut text = String::new();
            write(&value, &mut text)?;
            JsonText::parse(text).ok()
        }
        // Half surrogate pairs, or nested too deep to be looked into: stored as it was given.
        None => JsonText::parse(value.get()).ok(),
    }
}

/// Writes a value as Python does, but in raw UTF-8. Nothing for bytes, which JSON cannot hold.
fn write(value: &Value, text: &mut String) -> Option<()> {
    if let Some(float) = tagged(value, "$float") {
        text.push_str(match float {
            "nan" => "NaN",
            "inf" => "Infinity",
            "-inf" => "-Infinity",
            _ => return None,
        });
        return Some(());
    }
    if tagged(value, "$bytes").is_some() {
        return None;
    }
    match value {
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                text.push_str(if n == 0 { "[" } else { ", " });
                write(item, text)?;
            }
            text.push_str(if items.is_empty() { "[]" } else { "]" });
        }
        Value::Object(members) => {
            for (n, (key, member)) in members.iter().enumerate() {
                text.push_str(if n == 0 { "{" } else { ", " });
                text.push_str(&Value::String(key.clone()).to_string());
                text.push_str(": ");
                write(member, text)?;
            }
            text.push_str(if members.is_empty() { "{}" } else { "}" });
        }
        plain => text.push_str(&plain.to_string()),
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(given: &str) -> String {
        let value: Box<RawValue> = serde_json::from_str(given).unwrap();
        json_text(&value).unwrap().into_string()
    }

    #[test]
    fn json_is_stored_as_python_writes_it() {
        for (given, text) in [
            (
                r#"{"a":[1,2.50,"\u00e9"],"b":{}}"#,
                r#"{"a": [1, 2.50, "é"], "b": {}}"#,
            ),
            (r#"[{"$float":"nan"}]"#, "[NaN]"),
            (r#"["\ud83d"]"#, r#"["\ud83d"]"#),
            ("[12345678901234567890123]", "[12345678901234567890123]"),
        ] {
            assert_eq!(stored(given), text);
        }
    }
}
