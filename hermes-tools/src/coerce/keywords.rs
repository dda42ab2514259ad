//! The keywords of a schema that coercion follows.

use serde_json::{Map, Value};

/// The schemas of a union.
pub(super) type Alternatives<'a> = &'a [Value];

/// Found in one pass: schemas have few keys, and asking for each keyword would hash every time.
#[derive(Default)]
pub(super) struct Keywords<'a> {
    kind: Option<&'a Value>,
    pub(super) nullable: bool,
    choices: Option<&'a [Value]>,
    constant: Option<&'a Value>,
    pub(super) reference: Option<&'a str>,
    pub(super) any_of: Option<Alternatives<'a>>,
    pub(super) one_of: Option<Alternatives<'a>>,
    pub(super) all_of: Option<Alternatives<'a>>,
    pub(super) properties: Option<&'a Map<String, Value>>,
    pub(super) patterns: Option<&'a Map<String, Value>>,
    pub(super) additional: Option<&'a Value>,
    pub(super) required: Option<&'a [Value]>,
    pub(super) items: Option<&'a Value>,
    pub(super) first_items: Option<&'a [Value]>,
    pub(super) more_items: Option<&'a Value>,
}

impl<'a> Keywords<'a> {
    pub(super) fn of(schema: &'a Map<String, Value>) -> Keywords<'a> {
        let mut found = Keywords::default();
        for (keyword, value) in schema {
            match keyword.as_str() {
                "type" => found.kind = Some(value),
                "nullable" => found.nullable = value.as_bool() == Some(true),
                "enum" => found.choices = list(value),
                "const" => found.constant = Some(value),
                "$ref" => found.reference = value.as_str(),
                "anyOf" => found.any_of = list(value),
                "oneOf" => found.one_of = list(value),
                "allOf" => found.all_of = list(value),
                "properties" => found.properties = value.as_object(),
                "patternProperties" => found.patterns = value.as_object(),
                "additionalProperties" => found.additional = Some(value),
                "required" => found.required = list(value),
                "items" => match value {
                    // A tuple, as older drafts write it.
                    Value::Array(tuple) => found.first_items = Some(tuple),
                    one => found.items = Some(one),
                },
                "prefixItems" => found.first_items = list(value),
                "additionalItems" => found.more_items = Some(value),
                _ => {}
            }
        }
        found
    }

    /// The names of the types, in order; none if any will do.
    pub(super) fn types(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let (one, many) = match self.kind {
            Some(Value::String(name)) => (Some(name.as_str()), &[] as &[Value]),
            Some(Value::Array(names)) => (None, names.as_slice()),
            _ => (None, &[] as &[Value]),
        };
        one.into_iter().chain(many.iter().filter_map(Value::as_str))
    }

    /// Whether only some values are allowed.
    pub(super) fn has_choices(&self) -> bool {
        self.choices.is_some() || self.constant.is_some()
    }

    /// The values that are allowed.
    pub(super) fn choices(&self) -> impl Iterator<Item = &'a Value> + use<'a> {
        self.choices.unwrap_or_default().iter().chain(self.constant)
    }

    /// The schema of the item at this place.
    pub(super) fn item(&self, index: usize) -> Option<&'a Value> {
        self.first_items
            .and_then(|first| first.get(index))
            .or(self.items)
            .or(self.more_items)
    }

    /// Whether the schema only says which properties an object has.
    pub(super) fn only_properties(&self) -> bool {
        self.reference.is_none()
            && self.any_of.is_none()
            && self.one_of.is_none()
            && self.all_of.is_none()
            && self.patterns.is_none()
            && !self.additional.is_some_and(Value::is_object)
    }
}

fn list(value: &Value) -> Option<&[Value]> {
    value.as_array().map(Vec::as_slice)
}
