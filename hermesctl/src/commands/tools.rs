//! `tools`: what a model is given, and why.

mod call;
mod show;
mod toolsets;

use hermes_kit::Hermes;
use hermes_kit::toolkit::{Definitions, Selection, Warning};
use serde_json::{Value, json};

use crate::cli::{Global, Tools, Toolsets};
use crate::failure::Failure;
use crate::home;
use crate::json;
use crate::output::{Output, Tone};
use crate::table::Table;

pub(crate) fn run(global: &Global, command: &Tools, output: &mut Output) -> Result<(), Failure> {
    let hermes = home::resolve_to_read(global, output)?;
    match command {
        Tools::List(toolsets) => list(&hermes, &selection(toolsets), output),
        Tools::Show { name } => show::tool(&hermes, name, output),
        Tools::Definitions(toolsets) => definitions(&hermes, &selection(toolsets), output),
        Tools::Toolsets { name: None } => toolsets::list(&hermes, output),
        Tools::Toolsets { name: Some(name) } => toolsets::show(&hermes, name, output),
        Tools::Resolve { names } => toolsets::resolve(&hermes, names, output),
        Tools::Why { name, toolsets } => show::why(&hermes, name, &selection(toolsets), output),
        Tools::Call {
            name,
            arguments,
            toolsets,
        } => call::run(&hermes, name, arguments, &selection(toolsets), output),
    }
}

fn selection(toolsets: &Toolsets) -> Selection {
    let selection = match toolsets.enable.as_slice() {
        [] => Selection::all(),
        names => Selection::of(names),
    };
    selection.without(&toolsets.disable)
}

/// A name that nobody knows is a failure, never a smaller list without a word: what was meant to be
/// disabled would be there, and what was meant to be enabled would not.
fn refuse_unknown<'a>(warnings: impl IntoIterator<Item = &'a Warning>) -> Result<(), Failure> {
    let unknown: Vec<String> = warnings
        .into_iter()
        .filter(|warning| matches!(warning, Warning::UnknownToolset { .. }))
        .map(ToString::to_string)
        .collect();
    if unknown.is_empty() {
        return Ok(());
    }
    Err(Failure::new(
        "unknown_toolset",
        unknown.join("; "),
        "run `hermesctl tools toolsets` to see the names",
    ))
}

/// What of a description fits a table.
fn first_sentence(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    line.split_once(". ").map_or(line, |(first, _)| first)
}

fn unknown_tool(problem: String) -> Failure {
    Failure::new(
        "unknown_tool",
        problem,
        "run `hermesctl tools list` to see the names",
    )
}

fn remarks(definitions: &Definitions, output: &Output) {
    for warning in definitions.warnings() {
        output.remark(format_args!("warning: {warning}"));
    }
}

fn definitions(hermes: &Hermes, selection: &Selection, output: &mut Output) -> Result<(), Failure> {
    let definitions = hermes.tool_definitions(selection);
    refuse_unknown(definitions.warnings())?;
    remarks(&definitions, output);
    if output.json() {
        return json::object(
            output,
            &json!({
                "definitions": *definitions,
                "left_out": definitions.left_out(),
                "unregistered": definitions.unregistered().collect::<Vec<_>>(),
                "warnings": warnings(&definitions),
            }),
        );
    }
    Ok(output.line(serde_json::to_string_pretty(&*definitions)?)?)
}

fn warnings(definitions: &Definitions) -> Vec<String> {
    let warnings = definitions.warnings().iter();
    warnings.map(ToString::to_string).collect()
}

fn list(hermes: &Hermes, selection: &Selection, output: &mut Output) -> Result<(), Failure> {
    let definitions = hermes.tool_definitions(selection);
    refuse_unknown(definitions.warnings())?;
    remarks(&definitions, output);
    let snapshot = hermes.registry().snapshot();
    if output.json() {
        let tools: Vec<Value> = snapshot
            .tools()
            .map(|tool| {
                json!({
                    "name": tool.name(),
                    "toolset": tool.toolset(),
                    "source": tool.source().to_string(),
                    "description": tool.description(),
                    "emoji": tool.emoji(),
                    "offered": definitions.contains(tool.name()),
                    "absence": definitions.absence(tool.name()),
                })
            })
            .collect();
        return json::object(
            output,
            &json!({
                "tools": tools,
                "problems": snapshot.problems(),
                "warnings": warnings(&definitions),
            }),
        );
    }
    let mut table = Table::new(&["TOOL", "TOOLSET", "OFFERED", "DESCRIPTION"]);
    for tool in snapshot.tools() {
        let offered = definitions
            .absence(tool.name())
            .map_or("yes".to_owned(), |why| format!("no: {why}"));
        table.row([
            tool.name().to_owned(),
            tool.toolset().to_owned(),
            offered,
            first_sentence(tool.description()).to_owned(),
        ]);
    }
    output.line(table.render(output))?;
    for problem in snapshot.problems() {
        let label = output.paint(Tone::Bad, "left out:");
        output.line(format_args!("{label} {problem}"))?;
    }
    Ok(())
}
