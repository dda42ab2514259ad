//! Results: JSON text, and what JSON has no form for as tagged objects.

use hermes_kit::state::{Content, JsonOrNull, JsonText};
use serde::Serialize;

/// A result, as the text of one JSON value on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Json(String);

impl Json {
    /// `null`.
    pub(super) fn null() -> Json {
        Json("null".to_owned())
    }

    /// The JSON form of a value of ours. None of them fails to serialise.
    pub(super) fn of(value: &(impl Serialize + ?Sized)) -> Json {
        Json(serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned()))
    }

    pub(super) fn list(items: impl IntoIterator<Item = Json>) -> Json {
        let items: Vec<String> = items.into_iter().map(|item| item.0).collect();
        Json(format!("[{}]", items.join(", ")))
    }

    pub(super) fn object<K: AsRef<str>>(members: impl IntoIterator<Item = (K, Json)>) -> Json {
        let members: Vec<String> = members
            .into_iter()
            .map(|(key, value)| format!("{}: {}", Json::of(key.as_ref()).0, value.0))
            .collect();
        Json(format!("{{{}}}", members.join(", ")))
    }

    /// A text that is known to be JSON on one line.
    pub(super) fn raw(text: impl Into<String>) -> Json {
        Json(text.into())
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&JsonText> for Json {
    /// As it is stored, but that it stands on one line, and that `NaN` and the infinities, which
    /// Python writes, are `{"$float": …}`.
    fn from(json: &JsonText) -> Json {
        let mut text = String::with_capacity(json.as_str().len());
        let mut in_string = false;
        let mut rest = json.as_str();
        while let Some(c) = rest.chars().next() {
            let mut taken = c.len_utf8();
            if in_string {
                match c {
                    '\\' => taken += rest.chars().nth(1).map_or(0, char::len_utf8),
                    '"' => in_string = false,
                    _ => {}
                }
            } else {
                let number = NOT_NUMBERS.iter().find(|(word, _)| rest.starts_with(word));
                if let Some((word, name)) = number {
                    text.push_str(&format!("{{\"$float\": \"{name}\"}}"));
                    rest = rest.get(word.len()..).unwrap_or_default();
                    continue;
                }
                in_string = c == '"';
            }
            match c {
                '\n' | '\r' => text.push(' '),
                _ => text.push_str(rest.get(..taken).unwrap_or_default()),
            }
            rest = rest.get(taken..).unwrap_or_default();
        }
        Json(text)
    }
}

/// What Python writes and JSON has not, and its name in `{"$float": …}`.
const NOT_NUMBERS: [(&str, &str); 3] = [("NaN", "nan"), ("Infinity", "inf"), ("-Infinity", "-inf")];

impl From<&Content> for Json {
    fn from(content: &Content) -> Json {
        match content {
            Content::Json(json) => Json::from(json),
            content => Json::of(content),
        }
    }
}

impl From<&JsonOrNull> for Json {
    fn from(json: &JsonOrNull) -> Json {
        match json {
            JsonOrNull::Json(json) => Json::from(json),
            JsonOrNull::Null => Json::null(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_python_writes_comes_out_as_json_on_one_line() {
        for (stored, sent) in [
            (
                r#"{"a": [NaN, -Infinity]}"#,
                r#"{"a": [{"$float": "nan"}, {"$float": "-inf"}]}"#,
            ),
            (
                r#"["NaN", "\"NaN", "é\ud83d"]"#,
                r#"["NaN", "\"NaN", "é\ud83d"]"#,
            ),
            ("[1,\n 2.50]", "[1,  2.50]"),
        ] {
            assert_eq!(Json::from(&JsonText::parse(stored).unwrap()).as_str(), sent);
        }
    }
}
