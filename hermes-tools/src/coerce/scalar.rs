//! Texts that mean a value of another type, by the type or the choices of a schema.

use serde_json::Value;

use super::keywords::Keywords;
use super::number;
use super::{Search, Wrap};
use crate::arguments::strict_json;

/// Whether it is the text `null`, which models write for nothing.
pub(super) fn is_null_text(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|text| text.trim().eq_ignore_ascii_case("null"))
}

impl Search<'_> {
    /// The value by `type`, `enum` and what these say of its inside.
    pub(super) fn by_type(
        &self,
        value: &Value,
        keywords: &Keywords<'_>,
        depth: usize,
    ) -> Option<Value> {
        if keywords.types().next().is_none() {
            return by_choices(value, keywords).or_else(|| self.inside(value, keywords, depth));
        }
        let already = keywords.types().any(|name| has_type(value, name));
        for name in keywords.types() {
            if has_type(value, name) {
                return match value {
                    // 3.0 is an integer, but not every program reads it as one.
                    Value::Number(given) if name == "integer" => number::as_integer(given),
                    _ => self.inside(value, keywords, depth),
                };
            }
            let changed = match name {
                "integer" | "number" | "boolean" => {
                    value.as_str().and_then(|text| scalar(text, name, already))
                }
                // Text that is wanted as text would lose its spacing.
                "array" | "object" if !already => self.structured(value, name, keywords, depth),
                _ => None,
            };
            if changed.is_some() {
                return changed;
            }
        }
        None
    }

    /// The array or object that the text is the JSON of, or an array of the value alone.
    fn structured(
        &self,
        value: &Value,
        name: &str,
        keywords: &Keywords<'_>,
        depth: usize,
    ) -> Option<Value> {
        if let Some(parsed) = json_of(value, name) {
            let inner = self.inside(&parsed, keywords, depth);
            return Some(inner.unwrap_or(parsed));
        }
        // Where other types are wanted too, nobody knows that a list was meant; and null is not an
        // item but the absence of a list.
        let list_wanted = keywords
            .types()
            .all(|name| matches!(name, "array" | "null"));
        if !list_wanted || value.is_null() {
            return None;
        }
        self.wrapped(value, keywords, depth)
    }

    /// An array of the value alone; `None` if its items are arrays again, because then nobody knows
    /// how deep a bare value belongs.
    fn wrapped(&self, value: &Value, keywords: &Keywords<'_>, depth: usize) -> Option<Value> {
        let outer = self.wrap.get();
        if outer != Wrap::Free {
            self.wrap.set(Wrap::Again);
            return None;
        }
        self.wrap.set(Wrap::Item);
        let item = match keywords.item(0) {
            Some(Value::Object(schema)) => self.coerced(value, schema, depth),
            _ => None,
        };
        let again = self.wrap.replace(outer) == Wrap::Again;
        (!again).then(|| Value::Array(vec![item.unwrap_or_else(|| value.clone())]))
    }
}

/// Whether the value has the type of this name.
pub(super) fn has_type(value: &Value, name: &str) -> bool {
    match value {
        Value::Null => name == "null",
        Value::Bool(_) => name == "boolean",
        Value::Number(given) => {
            name == "number" || (name == "integer" && number::is_integer(given))
        }
        Value::String(_) => name == "string",
        Value::Array(_) => name == "array",
        Value::Object(_) => name == "object",
    }
}

/// `exact`: whether text is allowed too, so that only what would be written the same may change.
fn scalar(text: &str, name: &str, exact: bool) -> Option<Value> {
    let trimmed = text.trim();
    let value = match name {
        "boolean" if trimmed.eq_ignore_ascii_case("true") => Value::Bool(true),
        "boolean" if trimmed.eq_ignore_ascii_case("false") => Value::Bool(false),
        "integer" => Value::Number(number::integer(trimmed)?),
        "number" => Value::Number(number::number(trimmed)?),
        _ => return None,
    };
    let same = || match &value {
        Value::Bool(truth) => text == if *truth { "true" } else { "false" },
        Value::Number(number) => number.as_str() == text,
        _ => false,
    };
    (!exact || same()).then_some(value)
}

/// The choice that the text is another way to write, where no type is said.
fn by_choices(value: &Value, keywords: &Keywords<'_>) -> Option<Value> {
    let text = value.as_str().filter(|_| keywords.has_choices())?;
    if keywords.choices().any(|choice| choice == value) {
        return None;
    }
    ["integer", "number", "boolean"]
        .iter()
        .filter_map(|name| scalar(text, name, false))
        .find(|changed| keywords.choices().any(|choice| same_value(choice, changed)))
}

/// Equal, with 1 and 1.0 as one number.
pub(super) fn same_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => number::same(a, b),
        _ => a == b,
    }
}

fn json_of(value: &Value, name: &str) -> Option<Value> {
    let text = value.as_str()?.trim();
    let opener = if name == "array" { '[' } else { '{' };
    text.starts_with(opener).then(|| strict_json(text))?
}
