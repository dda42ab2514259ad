//! `tools show` and `tools why`: one tool.

use hermes_kit::Hermes;
use hermes_kit::toolkit::{Presence, Selection, ToolEntry};
use serde_json::json;

use super::{refuse_unknown, unknown_tool};
use crate::failure::Failure;
use crate::json;
use crate::output::{Output, Tone};
use crate::text::harmless;

pub(super) fn tool(hermes: &Hermes, name: &str, output: &mut Output) -> Result<(), Failure> {
    let registry = hermes.registry();
    let presence = registry.why(&Selection::all(), name);
    let Some(tool) = registry.get(name) else {
        return Err(unknown_tool(presence.to_string()));
    };
    if output.json() {
        return json::object(
            output,
            &json!({"tool": {
                "name": tool.name(),
                "toolset": tool.toolset(),
                "source": tool.source().to_string(),
                "description": tool.description(),
                "emoji": tool.emoji(),
                "requires_env": tool.requires_env(),
                "check": tool.check().map(|check| check.name()),
                "agent_loop": is_agent_loop(&tool),
                "definition": **tool.definition(),
                "presence": presence,
            }}),
        );
    }
    people(&tool, &presence, output)
}

fn is_agent_loop(tool: &ToolEntry) -> bool {
    matches!(tool.handler(), hermes_kit::toolkit::Handler::AgentLoop)
}

fn people(tool: &ToolEntry, presence: &Presence, output: &mut Output) -> Result<(), Failure> {
    let title = format!("{} {}", tool.emoji(), tool.name());
    output.line(output.paint(Tone::Strong, title))?;
    output.line(harmless(tool.description()))?;
    output.line("")?;
    output.fact("toolset", tool.toolset())?;
    output.fact("from", tool.source())?;
    if is_agent_loop(tool) {
        output.fact("runs in", "the agent loop")?;
    }
    if let Some(check) = tool.check() {
        output.fact("check", check.name())?;
    }
    if !tool.requires_env().is_empty() {
        output.fact("needs", tool.requires_env().join(", "))?;
    }
    output.fact("offered", shown(presence, output))?;
    output.line("")?;
    match tool.parameters() {
        Some(parameters) => output.line(serde_json::to_string_pretty(parameters)?)?,
        None => output.line("It takes no arguments.")?,
    }
    Ok(())
}

fn shown(presence: &Presence, output: &Output) -> String {
    match presence {
        Presence::Offered { .. } => output.paint(Tone::Good, "yes"),
        absent => output.paint(Tone::Bad, absent),
    }
}

pub(super) fn why(
    hermes: &Hermes,
    name: &str,
    selection: &Selection,
    output: &mut Output,
) -> Result<(), Failure> {
    let registry = hermes.registry();
    refuse_unknown(registry.tool_definitions(selection).warnings())?;
    let presence = registry.why(selection, name);
    if let Presence::Unknown { .. } = presence {
        return Err(unknown_tool(presence.to_string()));
    }
    if output.json() {
        return json::object(output, &presence);
    }
    Ok(output.line(presence)?)
}
