//! `db optimize`.

use hermes_kit::state::Optimized;

use crate::cli::{Global, Optimize};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::Output;
use crate::progress::Progress;
use crate::text::counted;
use crate::{home, json};

pub(crate) fn run(global: &Global, args: &Optimize, output: &mut Output) -> Result<(), Failure> {
    if args.dry_run {
        let store = home::store_to_look_at(global, output)?;
        let plan = store.optimize_plan()?;
        return tell(&plan, true, output);
    }
    let (store, _) = home::store_to_change(global, output)?;
    let interrupt = Interrupt::watch()?;
    let progress = Progress::spinner("merging the search index");
    let done = store.optimize(&mut |done| {
        progress.say(format!("merging the search index: {} steps", done.steps));
        interrupt.flow()
    });
    drop(progress);
    let done = done?;
    tell(&done, false, output)?;
    if done.cancelled {
        return Err(Interrupt::failure("what is merged stays merged").already_told());
    }
    Ok(())
}

fn tell(done: &Optimized, dry_run: bool, output: &mut Output) -> Result<(), Failure> {
    if output.json() {
        let mut object = serde_json::to_value(done)?;
        if let (serde_json::Value::Object(object), true) = (&mut object, dry_run) {
            object.insert("dry_run".to_owned(), true.into());
        }
        return json::object(output, &object);
    }
    let would = if dry_run { "would be " } else { "" };
    match (done.segments_before, done.segments_after) {
        (Some(before), Some(after)) => output.line(format_args!(
            "search index: {would}{} before, {after} after{}",
            counted(before, "segment"),
            if dry_run {
                String::new()
            } else {
                format!(
                    " ({}, the longest {} ms)",
                    counted(done.steps, "step"),
                    done.longest_step_ms
                )
            }
        ))?,
        _ => output.line("search index: none to merge")?,
    }
    if done.index_made {
        output.line(format_args!("{would}made: the index that pages messages"))?;
    }
    if dry_run {
        output.line("nothing was done")?;
    }
    Ok(())
}
