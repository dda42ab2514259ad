//! Whether a value fits a schema, as far as is needed to tell the alternatives of a union apart:
//! types, choices, members and items. Lengths, ranges and formats do not count.

use serde_json::{Map, Value};

use super::Search;
use super::keywords::Keywords;
use super::scalar::{has_type, same_value};
use super::structure::schema_of;

impl Search<'_> {
    /// Whether the value fits. A schema of an unknown shape fits nothing.
    pub(super) fn fits(&self, value: &Value, schema: &Value, depth: usize) -> bool {
        match schema {
            Value::Bool(anything) => *anything,
            Value::Object(schema) => self.fits_schema(value, schema, depth),
            _ => false,
        }
    }

    pub(super) fn fits_schema(
        &self,
        value: &Value,
        schema: &Map<String, Value>,
        depth: usize,
    ) -> bool {
        let Some(depth) = self.step(depth) else {
            return false;
        };
        let keywords = Keywords::of(schema);
        if value.is_null() && keywords.nullable {
            return true;
        }
        let any = |alternatives: &[Value]| alternatives.iter().any(|a| self.fits(value, a, depth));
        let mut types = keywords.types().peekable();
        (types.peek().is_none() || types.any(|name| has_type(value, name)))
            && (!keywords.has_choices() || keywords.choices().any(|c| same_value(c, value)))
            && keywords.any_of.is_none_or(any)
            && keywords.one_of.is_none_or(any)
            && keywords
                .all_of
                .is_none_or(|all| all.iter().all(|a| self.fits(value, a, depth)))
            && keywords.reference.is_none_or(|reference| {
                // One that leads elsewhere cannot be judged.
                self.resolve(reference)
                    .is_none_or(|target| self.fits_schema(value, target, depth))
            })
            && match value {
                Value::Array(items) => items.iter().enumerate().all(|(index, item)| {
                    keywords
                        .item(index)
                        .is_none_or(|schema| self.fits(item, schema, depth))
                }),
                Value::Object(map) => self.members_fit(map, &keywords, depth),
                _ => true,
            }
    }

    fn members_fit(&self, map: &Map<String, Value>, keywords: &Keywords<'_>, depth: usize) -> bool {
        let complete = keywords
            .required
            .unwrap_or_default()
            .iter()
            .filter_map(Value::as_str)
            .all(|name| map.contains_key(name));
        complete
            && map.iter().all(|(name, value)| {
                schema_of(name, keywords).is_none_or(|schema| self.fits(value, schema, depth))
            })
    }
}
