//! `approve rules`: what is looked for.

use hermes_kit::approval::{Platform, Rule, RuleEffect, all_rules, find_rule};
use serde_json::{Value, json};

use crate::cli::Rules;
use crate::failure::Failure;
use crate::json;
use crate::output::{Output, Tone};
use crate::table::Table;

pub(super) fn run(command: Option<&Rules>, output: &mut Output) -> Result<(), Failure> {
    match command {
        None | Some(Rules::List) => list(output),
        Some(Rules::Show { id }) => show(id, output),
    }
}

fn effect(rule: &Rule) -> &'static str {
    match rule.effect {
        RuleEffect::Ask => "ask",
        RuleEffect::SudoGuard => "sudo_guard",
        RuleEffect::Hardline => "hardline",
    }
}

fn platforms(rule: &Rule) -> Vec<&'static str> {
    rule.platforms.iter().map(|p: &Platform| p.name()).collect()
}

fn facts(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "pack": rule.pack(),
        "class": rule.class,
        "severity": rule.severity.name(),
        "effect": effect(rule),
        "keys": rule.keys,
        "accepts": rule.accepts,
        "reason": rule.reason,
        "alternative": rule.alternative,
        "platforms": platforms(rule),
        "matches": rule.matches,
        "near_misses": rule.near_misses,
        "safe": rule.safe,
    })
}

fn list(output: &mut Output) -> Result<(), Failure> {
    if output.json() {
        let rules: Vec<Value> = all_rules().iter().map(|rule| facts(rule)).collect();
        return json::object(output, &json!({"rules": rules}));
    }
    let mut table = Table::new(&["RULE", "EFFECT", "SEVERITY", "REASON"]);
    for rule in all_rules() {
        table.row([
            rule.id.to_owned(),
            effect(rule).to_owned(),
            rule.severity.name().to_owned(),
            rule.reason.to_owned(),
        ]);
    }
    Ok(output.line(table.render(output))?)
}

fn show(id: &str, output: &mut Output) -> Result<(), Failure> {
    let Some(rule) = find_rule(id) else {
        return Err(Failure::new(
            "unknown_rule",
            format!("no rule has the id {id:?}"),
            "run `hermesctl approve rules` to see the ids",
        ));
    };
    if output.json() {
        return json::object(output, &json!({"rule": facts(rule)}));
    }
    output.line(output.paint(Tone::Strong, rule.id))?;
    output.line(rule.reason)?;
    output.line("")?;
    output.fact("effect", effect(rule))?;
    output.fact("severity", rule.severity.name())?;
    output.fact("class", rule.class)?;
    if let Some(alternative) = rule.alternative {
        output.fact("instead", alternative)?;
    }
    for key in rule.keys {
        output.fact(
            "key",
            format_args!("{} ({})", key.text, key.releases.since()),
        )?;
    }
    for key in rule.accepts {
        output.fact("accepts", key.text)?;
    }
    output.fact("where", platforms(rule).join(", "))?;
    for (name, examples) in [
        ("It finds:", rule.matches),
        ("It leaves alone:", rule.near_misses),
        ("No rule finds:", rule.safe),
    ] {
        if !examples.is_empty() {
            output.line("")?;
            output.line(name)?;
            for example in examples {
                for line in example.lines() {
                    output.line(format_args!("  {line}"))?;
                }
            }
        }
    }
    Ok(())
}
