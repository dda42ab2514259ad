//! Schemas changed until strict backends take them, with their meaning kept.
//!
//! `$ref`s are left as they are and never followed, so that a cycle of them is nothing special.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::walk::{Holds, holds};

/// Where the changes stop. What is accepted is less deep.
const MAX_DEPTH: usize = 128;

const TYPE_NAMES: [&str; 7] = [
    "string", "number", "integer", "boolean", "object", "array", "null",
];

/// Whether JSON Schema knows a type of this name.
pub(super) fn is_type_name(name: &str) -> bool {
    TYPE_NAMES.contains(&name)
}

/// Repairs the schema of a tool's arguments, which are always an object.
pub(super) fn root(parameters: &mut Value) {
    if !parameters.is_object() {
        *parameters = json!({});
    }
    let Value::Object(schema) = parameters else {
        return;
    };
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        schema.insert("type".to_owned(), json!("object"));
    }
    repair(schema, false, MAX_DEPTH);
}

/// `branch`: whether the schema only refines the one it stands in.
fn repair(schema: &mut Map<String, Value>, branch: bool, depth: usize) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    repair_type(schema);
    schema.retain(|keyword, value| well_formed(keyword, value));
    for (keyword, value) in schema.iter_mut() {
        if let Some(held) = holds(keyword) {
            repair_held(held, value, depth);
        }
    }
    if has_type(schema, "object") {
        schema
            .entry("properties")
            .or_insert_with(|| Value::Object(Map::new()));
    }
    if has_type(schema, "array") {
        schema
            .entry("items")
            .or_insert_with(|| Value::Object(Map::new()));
    }
    repair_required(schema, branch);
}

fn repair_held(held: Holds, value: &mut Value, depth: usize) {
    let branch = matches!(held, Holds::Branch | Holds::Branches | Holds::NamedBranches);
    let node = |schema: &mut Value| repair_node(schema, branch, depth);
    match (held, value) {
        (Holds::Named | Holds::NamedBranches, Value::Object(named)) => {
            named.values_mut().for_each(node);
        }
        (Holds::Branches | Holds::List | Holds::SchemaOrList, Value::Array(list)) => {
            list.iter_mut().for_each(node);
        }
        (Holds::Rest, Value::Bool(_)) => {}
        (_, one) => repair_node(one, branch, depth),
    }
}

/// A place where a schema has to be.
fn repair_node(node: &mut Value, branch: bool, depth: usize) {
    if !node.is_object() {
        *node = replacement(node);
    }
    if let Value::Object(schema) = node {
        repair(schema, branch, depth);
    }
}

/// An object that means what a node that is no object meant; if it meant nothing, anything goes.
fn replacement(node: &Value) -> Value {
    match node {
        Value::Bool(false) => json!({"not": {}}),
        Value::String(name) => type_name(name).map_or_else(|| json!({}), |t| json!({"type": t})),
        _ => json!({}),
    }
}

/// Keywords whose value could not be understood by anybody go.
fn well_formed(keyword: &str, value: &mut Value) -> bool {
    match holds(keyword) {
        Some(Holds::Named | Holds::NamedBranches) => {
            if !value.is_object() {
                *value = json!({});
            }
            true
        }
        Some(Holds::Branches | Holds::List) => {
            if value.is_object() {
                *value = Value::Array(vec![value.take()]);
            }
            value.as_array().is_some_and(|list| !list.is_empty())
        }
        Some(Holds::Rest) => value.is_object() || value.is_boolean(),
        Some(Holds::SchemaOrList) => {
            // An empty tuple: any items.
            if value.as_array().is_some_and(Vec::is_empty) {
                *value = json!({});
            }
            true
        }
        Some(_) => true,
        None if matches!(keyword, "$ref" | "$dynamicRef") => value.is_string(),
        None if keyword == "enum" => value.is_array(),
        None => true,
    }
}

/// Leaves only types that there are.
fn repair_type(schema: &mut Map<String, Value>) {
    let Some(value) = schema.get_mut("type") else {
        return;
    };
    let known = match value {
        Value::String(name) => type_name(name).map(Value::from),
        Value::Array(names) => {
            let mut kept: Vec<Value> = Vec::with_capacity(names.len());
            for name in names.iter().filter_map(Value::as_str).filter_map(type_name) {
                if !kept.iter().any(|k| k == name) {
                    kept.push(Value::from(name));
                }
            }
            (!kept.is_empty()).then_some(Value::Array(kept))
        }
        _ => None,
    };
    match known {
        Some(known) => *value = known,
        None => {
            schema.shift_remove("type");
        }
    }
}

/// The type that is meant: its name, or what Python and others call it.
fn type_name(name: &str) -> Option<&'static str> {
    if let Some(known) = TYPE_NAMES.iter().find(|known| **known == name) {
        return Some(known);
    }
    Some(match name {
        "str" | "String" | "text" => "string",
        "int" | "Integer" | "long" => "integer",
        "float" | "double" | "Number" => "number",
        "bool" | "Boolean" => "boolean",
        "list" | "tuple" | "Array" => "array",
        "dict" | "map" | "Object" => "object",
        "None" | "none" => "null",
        _ => return None,
    })
}

fn has_type(schema: &Map<String, Value>, name: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(one)) => one == name,
        Some(Value::Array(list)) => list.iter().any(|one| one == name),
        _ => false,
    }
}

/// `required` names properties that there are: strict backends refuse any other. In a branch, and
/// where properties come from elsewhere, they may be there all the same.
fn repair_required(schema: &mut Map<String, Value>, branch: bool) {
    let elsewhere = branch
        || [
            "$ref",
            "$dynamicRef",
            "allOf",
            "anyOf",
            "oneOf",
            "patternProperties",
        ]
        .iter()
        .any(|keyword| schema.contains_key(*keyword));
    let Some(mut required) = schema.get_mut("required").map(Value::take) else {
        return;
    };
    let usable = match &mut required {
        Value::Array(names) => {
            let properties = schema.get("properties").and_then(Value::as_object);
            names.retain(|name| {
                name.as_str().is_some_and(|name| {
                    elsewhere || properties.is_none_or(|known| known.contains_key(name))
                })
            });
            // Each once: JSON Schema wants it so.
            let mut seen = HashSet::new();
            names.retain(|name| seen.insert(name.clone()));
            // An empty list says nothing, and draft 4 does not allow it.
            !names.is_empty()
        }
        _ => false,
    };
    if usable {
        schema.insert("required".to_owned(), required);
    } else {
        // `required: true` of draft 3 and worse.
        schema.shift_remove("required");
    }
}
