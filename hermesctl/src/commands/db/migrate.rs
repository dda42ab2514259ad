//! `db migrate`.

use std::path::{Path, PathBuf};

use hermes_kit::state::{IndexWork, Migration, MigrationBackup, Store, StoreOptions};
use serde_json::{Value, json};

use crate::cli::{Backup, Global, Migrate};
use crate::failure::Failure;
use crate::output::{Output, Tone};
use crate::progress::Progress;
use crate::text::{counted, one_line};
use crate::{home, json};

pub(crate) fn run(global: &Global, args: &Migrate, output: &mut Output) -> Result<(), Failure> {
    let hermes = home::resolve_to_read(global, output)?;
    let path = hermes.home().state_db();
    let options = StoreOptions::new().migration_backup(match args.backup {
        Backup::Always => MigrationBackup::Always,
        Backup::Rewrite => MigrationBackup::BeforeRewrite,
        Backup::Never => MigrationBackup::Never,
    });
    let options = options.existing_only();
    let plan = options.plan_migration(path)?;
    if args.dry_run || plan.is_empty() {
        return tell(&plan, None, args.dry_run, output);
    }
    let backup = migrate(path, options)?;
    tell(&plan, backup.as_deref(), false, output)
}

/// Does it, and goes on until the index is in order.
fn migrate(path: &Path, options: StoreOptions) -> Result<Option<PathBuf>, Failure> {
    let spinner = Progress::spinner("migrating");
    let store = options.open(path)?;
    drop(spinner);
    index(&store)?;
    Ok(store.migration().and_then(|done| done.backup.clone()))
}

fn index(store: &Store) -> Result<(), Failure> {
    let messages = store.index_progress()?.messages;
    let progress = Progress::items("making the search index", messages);
    let outcome = store.complete_index(None, &|done| progress.set(done.indexed))?;
    drop(progress);
    if outcome == IndexWork::Done {
        return Ok(());
    }
    Err(Failure::new(
        "index_unfinished",
        "the search index is not finished yet",
        "run it again to go on; searches look through the messages meanwhile",
    ))
}

fn tell(
    migration: &Migration,
    backup: Option<&Path>,
    dry_run: bool,
    output: &mut Output,
) -> Result<(), Failure> {
    if output.json() {
        let mut object = serde_json::to_value(migration)?;
        if let Value::Object(object) = &mut object {
            object.insert(
                "backup".to_owned(),
                json!(backup.map(Path::to_string_lossy)),
            );
            object.insert("dry_run".to_owned(), json!(dry_run));
        }
        return json::object(output, &object);
    }
    if migration.is_empty() {
        let version = migration.from;
        return Ok(output.line(format_args!("version {version}: nothing to migrate"))?);
    }
    let (from, to) = (migration.from, migration.to);
    let what = match (dry_run, from == to) {
        (true, true) => format!("version {from} would be put in order:"),
        (false, true) => format!("version {from} was put in order:"),
        (true, false) => format!("would migrate from version {from} to {to}:"),
        (false, false) => format!("migrated from version {from} to {to}:"),
    };
    output.line(output.paint(Tone::Strong, what))?;
    for step in steps(migration) {
        output.line(format_args!("  {}", one_line(&step)))?;
    }
    for (id, title) in &migration.cleared_titles {
        let (id, title) = (one_line(id), one_line(title));
        output.line(format_args!("  session {id} loses the title \"{title}\""))?;
    }
    if migration.messages_to_index > 0 {
        let messages = counted(migration.messages_to_index, "message");
        let word = if dry_run { "to index" } else { "indexed" };
        output.line(format_args!("  {messages} {word}"))?;
    }
    if let Some(backup) = backup {
        output.line(format_args!(
            "a copy from before is at {}",
            backup.display()
        ))?;
    }
    if dry_run {
        output.line("nothing was done")?;
    }
    Ok(())
}

/// The steps, with columns that are added in one line for each table.
pub(super) fn steps(migration: &Migration) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for step in &migration.steps {
        let table = step
            .strip_prefix("add ")
            .and_then(|what| what.split_once('.'));
        let known = table.and_then(|(table, column)| {
            let begin = format!("add to {table}: ");
            let line = lines.iter_mut().find(|line| line.starts_with(&begin))?;
            line.push_str(", ");
            line.push_str(column);
            Some(())
        });
        match (known, table) {
            (Some(()), _) => {}
            (None, Some((table, column))) => lines.push(format!("add to {table}: {column}")),
            (None, None) => lines.push(step.clone()),
        }
    }
    lines
}
