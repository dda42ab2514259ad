//! The schema of a type, as models and strict backends take it.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use crate::schema::for_each_subschema;

/// How deep a schema is looked into: more than is accepted later.
const MAX_DEPTH: usize = 128;

/// Formats of numbers, which strict backends refuse and no model needs: the range is there too.
const NUMBER_FORMATS: [&str; 14] = [
    "int", "int8", "int16", "int32", "int64", "int128", "uint", "uint8", "uint16", "uint32",
    "uint64", "uint128", "float", "double",
];

/// What a model is told of a type.
pub(super) struct Derived {
    /// The doc comment of the type.
    pub(super) description: Option<String>,
    /// The JSON Schema; `None` if the type takes nothing.
    pub(super) parameters: Option<Value>,
}

pub(super) fn of<T: JsonSchema>() -> Derived {
    let settings = SchemaSettings::draft2020_12()
        .for_deserialize()
        .with(|settings| {
            settings.meta_schema = None;
            // Not every backend follows references. What is recursive stays one.
            settings.inline_subschemas = true;
        });
    let mut schema = settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    strip(&mut schema, MAX_DEPTH);
    let Value::Object(root) = &mut schema else {
        return Derived {
            description: None,
            parameters: Some(Value::Object(Map::new())),
        };
    };
    root.shift_remove("$schema");
    let description = match root.shift_remove("description") {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    let takes_nothing = root.get("type").is_some_and(|name| name == "null");
    Derived {
        description,
        parameters: (!takes_nothing).then_some(schema),
    }
}

/// Takes out what names Rust's types instead of the values.
fn strip(schema: &mut Value, depth: usize) {
    let (Value::Object(schema), Some(depth)) = (schema, depth.checked_sub(1)) else {
        return;
    };
    schema.shift_remove("title");
    let rusts = schema
        .get("format")
        .and_then(Value::as_str)
        .is_some_and(|format| NUMBER_FORMATS.contains(&format));
    if rusts {
        schema.shift_remove("format");
    }
    for_each_subschema(schema, &mut |inner| strip(inner, depth));
}
