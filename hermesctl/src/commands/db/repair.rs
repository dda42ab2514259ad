//! `db repair`.

use hermes_kit::state::health::{self, Recovered, RepairPlan, Repaired, Severity};
use serde_json::{Value, json};

use super::check::{FOUND, show, store_path};
use super::in_use;
use crate::cli::{DbRepair, Global};
use crate::confirm::confirm;
use crate::failure::Failure;
use crate::json;
use crate::output::{Output, Tone};
use crate::progress::Progress;
use crate::text::{counted, one_line};

pub(crate) fn run(global: &Global, args: &DbRepair, output: &mut Output) -> Result<(), Failure> {
    let path = store_path(global, output)?;
    let progress = Progress::spinner("checking");
    let plan = health::plan_repair(&path, &|what| progress.say(what.to_owned()));
    drop(progress);
    let plan = plan.map_err(super::unrecognisable)?;
    if args.dry_run || plan.steps.is_empty() {
        return tell_plan_only(&plan, args.dry_run, output);
    }
    if !output.json() {
        tell_plan(&plan, output)?;
    }
    if !args.yes {
        // Whoever is asked has read what is asked about.
        if !output.json() {
            output.finish()?;
        }
        confirm("Repair it? A copy is made first.")?;
    }
    let progress = Progress::spinner("repairing");
    let done = health::repair(&path, &|what| progress.say(what.to_owned()));
    drop(progress);
    let done = done.map_err(|error| in_use("a repair", error))?;
    if output.json() {
        json::object(output, &done)?;
    } else {
        tell(&done, output)?;
    }
    if done
        .after
        .worst()
        .is_some_and(|worst| worst > Severity::Note)
    {
        return Err(Failure::answer(FOUND));
    }
    Ok(())
}

fn tell_plan_only(plan: &RepairPlan, dry_run: bool, output: &mut Output) -> Result<(), Failure> {
    if output.json() {
        let mut object = serde_json::to_value(plan)?;
        if let Value::Object(object) = &mut object {
            object.insert("dry_run".to_owned(), json!(dry_run));
        }
        json::object(output, &object)?;
    } else {
        tell_plan(plan, output)?;
        output.line("nothing was done")?;
    }
    if plan.steps.is_empty() && !plan.report.is_clean() {
        return Err(Failure::answer(FOUND));
    }
    Ok(())
}

fn tell_plan(plan: &RepairPlan, output: &mut Output) -> Result<(), Failure> {
    for finding in &plan.report.findings {
        show(finding, output)?;
    }
    if plan.steps.is_empty() {
        let what = if plan.report.is_clean() {
            "nothing to repair"
        } else {
            "nothing here can repair that"
        };
        output.line(what)?;
        return Ok(());
    }
    output.line(output.paint(Tone::Strong, "to be done:"))?;
    for step in &plan.steps {
        output.line(format_args!("  {}", step.describe()))?;
    }
    Ok(())
}

fn tell(done: &Repaired, output: &mut Output) -> Result<(), Failure> {
    output.line(output.paint(Tone::Strong, "done:"))?;
    for step in &done.steps {
        output.line(format_args!("  {}", step.describe()))?;
    }
    if let Some(recovered) = &done.recovered {
        tell_rows(recovered, output)?;
    }
    if let Some(backup) = &done.backup {
        let backup = one_line(&backup.display().to_string());
        output.line(format_args!("the store from before is at {backup}"))?;
    }
    for finding in &done.after.findings {
        show(finding, output)?;
    }
    let outcome = match done.after.findings.len() {
        0 => output.paint(Tone::Good, "clean"),
        n => format!("{} left", counted(n as u64, "finding")),
    };
    output.line(outcome)?;
    Ok(())
}

fn tell_rows(recovered: &Recovered, output: &mut Output) -> Result<(), Failure> {
    for rows in &recovered.tables {
        let mut line = format!(
            "  {}: {} saved",
            one_line(&rows.table),
            counted(rows.saved, "row")
        );
        if rows.in_part > 0 {
            line.push_str(&format!(", {} in part", rows.in_part));
        }
        if rows.lost > 0 {
            line.push_str(&format!(", {} lost", rows.lost));
        }
        output.line(line)?;
    }
    for left_out in &recovered.left_out {
        output.line(format_args!("  left out: {}", one_line(left_out)))?;
    }
    Ok(())
}
