//! Values made to fit a schema where nothing is lost.
//!
//! Models write `"42"` for 42 and `"[1, 2]"` for a list. Such a value is changed when the schema
//! wants something else and the change can be undone; everything else stays as it is, for the
//! handler to judge. Nothing is ever refused here.
//!
//! The functions below give `None` for "stays", so that arguments that fit, which is nearly always,
//! cost no allocation, and alternatives of a union can be tried without copies.

mod fits;
mod keywords;
mod number;
mod scalar;
mod structure;

use std::cell::Cell;

use serde_json::{Map, Value};

use crate::handler::Arguments;
use crate::text::clip;
use keywords::{Alternatives, Keywords};

/// How deep values and schemas are followed. Below, everything stays.
const MAX_DEPTH: usize = 64;

/// How many schemas are looked at for one argument. A schema that branches into itself could ask
/// for any number; an argument that takes more than this stays, with a warning.
const MAX_STEPS: u32 = 200_000;

/// How many times a changed argument is looked at again. One that has not settled by then stays as
/// it was: so doing it again never changes anything.
const MAX_ROUNDS: usize = 4;

/// How much of the name of an argument is repeated.
const SHOWN_NAME_CHARS: usize = 40;

/// Changes the arguments towards the schema of a tool's parameters.
///
/// Doing it again changes nothing. Keywords beside `properties` that concern the whole object
/// (`anyOf`, `$ref`, `additionalProperties`, …) are followed too.
///
/// What comes back are warnings: an argument that would take more than 200,000 looks at a schema (an
/// item takes one or more) stays as it was, whole, and is named.
///
/// ```
/// use hermes_tools::{Arguments, coerce_arguments};
/// use serde_json::json;
///
/// let parameters = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
/// let mut arguments = Arguments::from_iter([("n".to_owned(), json!("42"))]);
/// let warnings = coerce_arguments(&mut arguments, parameters.as_object().unwrap());
/// assert_eq!(arguments["n"], 42);
/// assert!(warnings.is_empty());
/// ```
pub fn coerce(arguments: &mut Arguments, parameters: &Map<String, Value>) -> Vec<String> {
    let keywords = Keywords::of(parameters);
    let mut warnings = Vec::new();
    if keywords.only_properties() {
        let Some(properties) = keywords.properties else {
            return warnings;
        };
        for (name, value) in arguments {
            let Some(Value::Object(schema)) = properties.get(name) else {
                continue;
            };
            match settled(value, schema, parameters) {
                Ok(None) => {}
                Ok(Some(changed)) => *value = changed,
                Err(TooLarge) => warnings.push(format!(
                    "argument `{}` is too large to be made to fit its schema; it was left as it is",
                    clip(name, SHOWN_NAME_CHARS)
                )),
            }
        }
        return warnings;
    }
    let whole = Value::Object(std::mem::take(arguments));
    let changed = settled(&whole, parameters, parameters).unwrap_or_else(|TooLarge| {
        warnings.push(
            "the arguments are too large to be made to fit their schema; they were left as they are"
                .to_owned(),
        );
        None
    });
    if let (Some(Value::Object(map)), _) | (_, Value::Object(map)) = (changed, whole) {
        *arguments = map;
    }
    warnings
}

/// The steps ran out.
struct TooLarge;

/// The value as it is once it changes no more; `None` if it stays.
fn settled(
    value: &Value,
    schema: &Map<String, Value>,
    root: &Map<String, Value>,
) -> Result<Option<Value>, TooLarge> {
    let look = |value: &Value| {
        let search = Search {
            root,
            steps: Cell::new(MAX_STEPS),
            wrap: Cell::new(Wrap::Free),
        };
        let changed = search.coerced(value, schema, MAX_DEPTH);
        // What was found before the steps ran out may be half of it.
        if search.steps.get() > 0 {
            Ok(changed)
        } else {
            Err(TooLarge)
        }
    };
    let Some(mut changed) = look(value)? else {
        return Ok(None);
    };
    for _ in 0..MAX_ROUNDS {
        match look(&changed)? {
            None => return Ok(Some(changed)),
            Some(next) => changed = next,
        }
    }
    Ok(None)
}

/// One look at one argument.
struct Search<'a> {
    /// Where `$ref`s start.
    root: &'a Map<String, Value>,
    steps: Cell<u32>,
    wrap: Cell<Wrap>,
}

/// Whether the value that is looked at may become an array of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wrap {
    /// It may.
    Free,
    /// It is about to: it is the one item now.
    Item,
    /// It is the one item, and would be wrapped again.
    Again,
}

impl<'a> Search<'a> {
    /// The value as the schema wants it; `None` if it stays.
    fn coerced(&self, value: &Value, schema: &Map<String, Value>, depth: usize) -> Option<Value> {
        let depth = self.step(depth)?;
        let keywords = Keywords::of(schema);
        let mut changed = if scalar::is_null_text(value) && self.allows_null(&keywords, depth) {
            Some(Value::Null)
        } else {
            self.by_type(value, &keywords, depth)
        };
        if let Some(target) = keywords.reference.and_then(|r| self.resolve(r)) {
            let now = changed.as_ref().unwrap_or(value);
            changed = self.coerced(now, target, depth).or(changed);
        }
        for alternatives in [keywords.any_of, keywords.one_of].into_iter().flatten() {
            let now = changed.as_ref().unwrap_or(value);
            changed = self.by_union(now, alternatives, depth).or(changed);
        }
        for schema in keywords.all_of.into_iter().flatten() {
            if let Value::Object(schema) = schema {
                let now = changed.as_ref().unwrap_or(value);
                changed = self.coerced(now, schema, depth).or(changed);
            }
        }
        changed
    }

    /// The first alternative that the value can be made to fit, unless it fits one as it is.
    fn by_union(
        &self,
        value: &Value,
        alternatives: Alternatives<'_>,
        depth: usize,
    ) -> Option<Value> {
        let schemas = || alternatives.iter().filter_map(Value::as_object);
        let mut not_null = schemas().filter(|schema| !is_null_schema(schema));
        if let (Some(only), None) = (not_null.next(), not_null.next())
            && !value.is_null()
        {
            // "This or nothing": as if it stood there alone.
            return self.coerced(value, only, depth);
        }
        if alternatives.iter().any(|one| self.fits(value, one, depth)) {
            return None;
        }
        schemas().find_map(|schema| {
            self.coerced(value, schema, depth)
                .filter(|changed| self.fits_schema(changed, schema, depth))
        })
    }

    /// Whether null is a value of this schema.
    fn allows_null(&self, keywords: &Keywords<'_>, depth: usize) -> bool {
        // `enum: ["null"]` means the text.
        if keywords.choices().any(scalar::is_null_text) {
            return false;
        }
        if keywords.nullable
            || keywords.types().any(|name| name == "null")
            || keywords.choices().any(Value::is_null)
        {
            return true;
        }
        [keywords.any_of, keywords.one_of]
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(Value::as_object)
            .any(|schema| {
                self.step(depth)
                    .is_some_and(|depth| self.allows_null(&Keywords::of(schema), depth))
            })
    }

    /// The schema that a local reference leads to. A chain of references is followed by
    /// [`coerced`](Search::coerced) itself, one level at a time.
    fn resolve(&self, reference: &str) -> Option<&'a Map<String, Value>> {
        let Some(pointer) = reference.strip_prefix("#/") else {
            return (reference == "#").then_some(self.root);
        };
        match pointer.split_once('/') {
            None => self.root.get(pointer)?.as_object(),
            Some((first, _)) => {
                let rest = pointer.get(first.len()..)?;
                self.root.get(first)?.pointer(rest)?.as_object()
            }
        }
    }

    /// One level down, while there is room.
    fn step(&self, depth: usize) -> Option<usize> {
        let left = self.steps.get().checked_sub(1)?;
        self.steps.set(left);
        depth.checked_sub(1)
    }
}

/// `{"type": "null"}` and nothing else that matters.
fn is_null_schema(schema: &Map<String, Value>) -> bool {
    schema.get("type").is_some_and(|name| name == "null")
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
