//! Schemas of tools: which are accepted, and how they are made safe for strict backends.

mod limits;
mod repair;
mod walk;

use serde_json::{Map, Value, json};

pub(crate) use walk::for_each_subschema;

/// The schema as an object, unwrapped; or what is wrong with it.
///
/// It is kept as it was written: the changes for strict backends are made in [`definition`].
pub(crate) fn accept(schema: Value) -> Result<Map<String, Value>, String> {
    // Before anything that recurses.
    limits::check(&schema)?;
    let Value::Object(schema) = schema else {
        return Err(format!(
            "it has to be an object with `description` and `parameters`, and is {}",
            kind(&schema)
        ));
    };
    let mut schema = unwrapped(schema)?;
    for key in ["description", "parameters"] {
        // What other languages send for "none".
        if schema.get(key).is_some_and(Value::is_null) {
            schema.shift_remove(key);
        }
    }
    if let Some(description) = schema.get("description").filter(|d| !d.is_string()) {
        return Err(format!(
            "`description` has to be text, and is {}",
            kind(description)
        ));
    }
    match schema.get("parameters") {
        None => {}
        Some(Value::Object(parameters)) => check_root_type(parameters)?,
        Some(other) => {
            return Err(format!(
                "`parameters` has to be the JSON Schema of an object, and is {}; leave it out if the tool takes no arguments",
                kind(other)
            ));
        }
    }
    Ok(schema)
}

/// `{"type": "function", "function": {…}}` with the tool's own name.
///
/// A tool without parameters takes an empty object: some backends want one. Any map is taken,
/// because what a tool adds at run time was never looked at by [`accept`].
pub(crate) fn definition(name: &str, schema: &Map<String, Value>) -> Value {
    let mut function = schema.clone();
    function.insert("name".to_owned(), json!(name));
    let parameters = function
        .entry("parameters")
        .or_insert_with(|| Value::Object(Map::new()));
    repair::root(parameters);
    json!({"type": "function", "function": function})
}

/// Takes what is inside `{"type": "function", "function": {…}}`.
fn unwrapped(mut schema: Map<String, Value>) -> Result<Map<String, Value>, String> {
    let wrapped = schema.get("type").and_then(Value::as_str) == Some("function")
        && schema.contains_key("function");
    if !wrapped {
        return Ok(schema);
    }
    match schema.shift_remove("function") {
        Some(Value::Object(inner)) => Ok(inner),
        other => Err(format!(
            "`function` has to be an object, and is {}",
            kind(&other.unwrap_or_default())
        )),
    }
}

/// Arguments are always an object.
fn check_root_type(parameters: &Map<String, Value>) -> Result<(), String> {
    let possible = match parameters.get("type") {
        Some(Value::String(name)) => name == "object" || !repair::is_type_name(name),
        Some(Value::Array(names)) => names.is_empty() || names.iter().any(|n| n == "object"),
        _ => true,
    };
    if possible {
        Ok(())
    } else {
        Err("`parameters` has to describe an object: its `type` is \"object\"".to_owned())
    }
}

/// What a value is, with its article.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests;
