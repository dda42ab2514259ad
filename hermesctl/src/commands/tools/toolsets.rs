//! `tools toolsets` and `tools resolve`: named sets of tools.

use hermes_kit::Hermes;
use hermes_kit::toolkit::ToolsetInfo;
use serde_json::{Value, json};

use super::refuse_unknown;
use crate::failure::Failure;
use crate::json;
use crate::output::{Output, Tone};
use crate::table::Table;

pub(super) fn list(hermes: &Hermes, output: &mut Output) -> Result<(), Failure> {
    let snapshot = hermes.registry().snapshot();
    let sets: Vec<ToolsetInfo> = snapshot
        .toolset_names()
        .into_iter()
        .filter_map(|name| snapshot.toolset_info(name))
        .collect();
    let registered = |set: &ToolsetInfo| {
        let tools = set.resolved.iter();
        tools.filter(|tool| snapshot.get(tool).is_some()).count()
    };
    if output.json() {
        let sets: Vec<Value> = sets
            .iter()
            .map(|set| {
                json!({
                    "name": set.name,
                    "description": set.description,
                    "tools": set.tools,
                    "includes": set.includes,
                    "resolved": set.resolved,
                    "registered": registered(set),
                })
            })
            .collect();
        return json::object(output, &json!({"toolsets": sets}));
    }
    let mut table = Table::new(&["TOOLSET", "TOOLS", "HERE", "DESCRIPTION"])
        .number(1)
        .number(2);
    for set in &sets {
        table.row([
            set.name.clone(),
            set.resolved.len().to_string(),
            registered(set).to_string(),
            set.description.clone(),
        ]);
    }
    Ok(output.line(table.render(output))?)
}

pub(super) fn show(hermes: &Hermes, name: &str, output: &mut Output) -> Result<(), Failure> {
    let snapshot = hermes.registry().snapshot();
    let resolved = snapshot.resolve_toolset(name);
    refuse_unknown(&resolved.warnings)?;
    let Some(set) = snapshot.toolset_info(name) else {
        // `all` and `*`.
        return resolve(hermes, &[name.to_owned()], output);
    };
    if output.json() {
        return json::object(
            output,
            &json!({"toolset": {
                "name": set.name,
                "description": set.description,
                "tools": set.tools,
                "includes": set.includes,
                "resolved": set.resolved,
            }}),
        );
    }
    output.line(output.paint(Tone::Strong, &set.name))?;
    output.line(&set.description)?;
    if !set.includes.is_empty() {
        output.line("")?;
        output.fact("includes", set.includes.join(", "))?;
    }
    output.line("")?;
    for tool in &set.resolved {
        let here = match snapshot.get(tool) {
            Some(_) => String::new(),
            None => output.paint(Tone::Faint, "  (not registered here)"),
        };
        output.line(format_args!("{tool}{here}"))?;
    }
    Ok(())
}

pub(super) fn resolve(
    hermes: &Hermes,
    names: &[String],
    output: &mut Output,
) -> Result<(), Failure> {
    let snapshot = hermes.registry().snapshot();
    // Old names are resolved as a selection does.
    let resolved = snapshot.resolve_selected(names.iter().map(String::as_str));
    refuse_unknown(&resolved.warnings)?;
    let tools = resolved.tools;
    if output.json() {
        return json::object(output, &json!({"toolsets": names, "tools": tools}));
    }
    for tool in tools {
        output.line(tool)?;
    }
    Ok(())
}
