//! Where in a JSON Schema other schemas stand.

use serde_json::{Map, Value};

/// What a keyword holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    /// One schema.
    Schema,
    /// One schema of what nobody named: here `true` and `false` are what every backend takes.
    Rest,
    /// One schema that refines the one it stands in.
    Branch,
    /// A list of schemas that refine the one they stand in.
    Branches,
    /// A list of schemas.
    List,
    /// Schemas by name.
    Named,
    /// Schemas by name that refine the one they stand in.
    NamedBranches,
    /// One schema, or in older drafts a list.
    SchemaOrList,
}

/// What the keyword holds, if it holds schemas.
///
/// Only the keys of a schema are keywords: a property that is called `items` is none.
pub(crate) fn holds(keyword: &str) -> Option<Holds> {
    Some(match keyword {
        "items" => Holds::SchemaOrList,
        "contains" | "propertyNames" | "contentSchema" => Holds::Schema,
        "additionalProperties"
        | "additionalItems"
        | "unevaluatedProperties"
        | "unevaluatedItems" => Holds::Rest,
        "not" | "if" | "then" | "else" => Holds::Branch,
        "anyOf" | "oneOf" | "allOf" => Holds::Branches,
        "prefixItems" => Holds::List,
        "properties" | "patternProperties" | "$defs" | "definitions" => Holds::Named,
        "dependentSchemas" => Holds::NamedBranches,
        _ => return None,
    })
}

/// Calls `visit` with every schema directly inside this one.
pub(crate) fn for_each_subschema(
    schema: &mut Map<String, Value>,
    visit: &mut dyn FnMut(&mut Value),
) {
    for (keyword, value) in schema {
        match (holds(keyword), value) {
            (None, _) => {}
            (Some(Holds::Named | Holds::NamedBranches), Value::Object(named)) => {
                named.values_mut().for_each(&mut *visit);
            }
            (Some(Holds::Branches | Holds::List | Holds::SchemaOrList), Value::Array(list)) => {
                list.iter_mut().for_each(&mut *visit)
            }
            (Some(_), one) => visit(one),
        }
    }
}
