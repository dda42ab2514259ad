//! Answers questions about tools that are handed in: what a selection gives, what a toolset stands
//! for, what becomes of arguments. JSON on standard input, JSON on standard output.
//!
//! ```text
//! echo '{"tools": [{"name": "ls", "toolset": "file", "schema": {}}],
//!        "definitions": [[["file"], null]], "coerce": [[{"properties":
//!        {"n": {"type": "integer"}}}, {"n": "7"}]]}' | cargo run -p hermes-tools --example answer
//! ```
//!
//! Keys, each of which may be missing: `tools` (name, toolset, schema), `toolsets` (by name: tools,
//! includes), `legacy` (old name: tools), `core` (tools that every platform's preset has),
//! `resolve` (lists of one name), `definitions` (pairs of enabled and disabled), `coerce` (pairs of parameters
//! and arguments). The answer has those last three, with a list each, and `refused`: tools that
//! could not be registered. `hermes` instead of `toolsets` takes those of Hermes.

use std::collections::BTreeMap;
use std::error::Error;

use hermes_tools::{
    Arguments, Presets, Registry, Selection, Tool, Toolset, coerce_arguments, hermes,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Nothing is not the same as an empty list.
type Names = Option<Vec<String>>;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Questions {
    tools: Vec<Offered>,
    toolsets: BTreeMap<String, Toolset>,
    hermes: bool,
    legacy: BTreeMap<String, Vec<String>>,
    core: Vec<String>,
    resolve: Vec<(String,)>,
    definitions: Vec<(Names, Names)>,
    coerce: Vec<(Map<String, Value>, Arguments)>,
}

#[derive(Deserialize)]
struct Offered {
    name: String,
    toolset: String,
    schema: Value,
}

fn main() -> Result<(), Box<dyn Error>> {
    let questions: Questions = serde_json::from_reader(std::io::stdin().lock())?;
    let registry = if questions.hermes {
        Registry::hermes()
    } else {
        let registry = Registry::new();
        registry.define_toolsets(questions.toolsets)?;
        registry.define_legacy_toolsets(questions.legacy);
        registry.set_presets(Presets {
            prefix: hermes::PRESET_PREFIX.to_owned(),
            core: questions.core.into_iter().collect(),
        });
        for patch in hermes::patches() {
            registry.add_patch(patch);
        }
        registry
    };
    let mut refused = Map::new();
    for offered in questions.tools {
        let tool = Tool::new(&offered.name, offered.toolset)
            .schema(offered.schema)
            .handler(|_, _| Ok("done"));
        if let Err(error) = registry.register(tool) {
            refused.insert(offered.name, json!(error.to_string()));
        }
    }
    let snapshot = registry.snapshot();
    let resolve = questions.resolve.iter();
    let resolve: Vec<Value> = resolve
        .map(|(name,)| json!(snapshot.resolve_toolset(name).tools))
        .collect();
    let definitions = questions.definitions.into_iter();
    let definitions: Vec<Value> = definitions
        .map(|(enabled, disabled)| {
            let mut selection = Selection::all().without(disabled.unwrap_or_default());
            selection.enabled = enabled;
            let definitions = registry.tool_definitions(&selection);
            let functions = definitions.names().zip(definitions.as_slice());
            functions
                .map(|(name, one)| (name.to_owned(), one["function"].clone()))
                .collect::<Map<String, Value>>()
                .into()
        })
        .collect();
    let coerce = questions.coerce.into_iter();
    let coerce: Vec<Value> = coerce
        .map(|(parameters, mut arguments)| {
            for warning in coerce_arguments(&mut arguments, &parameters) {
                eprintln!("{warning}");
            }
            Value::Object(arguments)
        })
        .collect();
    let answer = json!({
        "resolve": resolve,
        "definitions": definitions,
        "coerce": coerce,
        "refused": refused,
    });
    println!("{answer}");
    Ok(())
}
