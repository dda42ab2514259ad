//! `db info`: what the store is and how it is.

use hermes_kit::state::{Migration, NATIVE_VERSION, ObjectSize, Store, StoreInfo, StoreOptions};
use serde_json::{Value, json};

use super::size;
use crate::cli::{Global, Info};
use crate::failure::Failure;
use crate::output::{Output, Tone};
use crate::progress::Progress;
use crate::table::Table;
use crate::text::{counted, indented, one_line};
use crate::when::When;
use crate::{home, json};

/// The store is damaged: what was found has been printed.
const DAMAGED: &str = "damaged";

pub(crate) fn run(global: &Global, args: &Info, output: &mut Output) -> Result<(), Failure> {
    let Some(store) = home::store_to_read(global, output)? else {
        if output.json() {
            json::object(output, &json!({"exists": false}))?;
        }
        return Ok(());
    };
    let findings = show(&store, args.check, output)?;
    if findings == 0 {
        return Ok(());
    }
    let found = counted(findings as u64, "fault");
    let failure = Failure::new(
        DAMAGED,
        format!("{found} found in {}", store.path().display()),
        "copy the file with its -wal and -shm; an export imported into a new store indexes everything anew",
    );
    Err(failure.already_told())
}

/// Prints the facts; returns how many faults were found, if they were looked for.
pub(crate) fn show(store: &Store, check: bool, output: &mut Output) -> Result<usize, Failure> {
    let progress = Progress::spinner("reading the store");
    let findings = if check {
        Some(store.quick_check()?)
    } else {
        None
    };
    let faults = findings.as_ref().map_or(0, Vec::len);
    let info = match store.info() {
        Ok(info) => Some(info),
        // What keeps the facts from being read is among the faults.
        Err(_) if faults > 0 => None,
        Err(e) => return Err(e.into()),
    };
    let objects = objects(store, output);
    let migration = migration(store, output);
    drop(progress);
    if output.json() {
        let mut object = match &info {
            Some(info) => serde_json::to_value(info)?,
            None => json!({"path": store.path().to_string_lossy()}),
        };
        if let Value::Object(object) = &mut object {
            object.insert("exists".to_owned(), json!(true));
            object.insert("objects".to_owned(), json!(objects));
            object.insert("migration".to_owned(), json!(migration));
            if let Some(findings) = &findings {
                object.insert("findings".to_owned(), json!(findings));
            }
        }
        json::object(output, &object)?;
        return Ok(faults);
    }
    if let Some(info) = &info {
        people(info, output)?;
    }
    if let Some(migration) = migration.filter(|migration| !migration.is_empty()) {
        let name = format!("`hermesctl db migrate`, to version {}:", migration.to);
        output.fact("would do", name)?;
        for step in super::migrate::steps(&migration) {
            let step = indented(&one_line(&step), "          ", output.width());
            output.line(step)?;
        }
    }
    match findings.as_deref() {
        None => {}
        Some([]) => {
            let fine = output.paint(Tone::Good, "no fault found");
            output.fact("check", fine)?;
        }
        Some(findings) => {
            for finding in findings {
                let finding = output.paint(Tone::Bad, finding);
                output.fact("fault", finding)?;
            }
        }
    }
    if let Some(objects) = objects {
        output.line("")?;
        output.line(table(&objects).render(output))?;
        let rest = objects.get(SHOWN..).unwrap_or_default();
        if !rest.is_empty() {
            let bytes = size(rest.iter().map(|object| object.bytes).sum());
            let text = format!(
                "and {} smaller ones, {bytes} (--json lists all)",
                rest.len()
            );
            output.line(output.paint(Tone::Faint, text))?;
        }
    }
    Ok(faults)
}

/// Tables and indexes that are shown to a person.
const SHOWN: usize = 10;

/// The bytes of each table and index. Of a damaged store the rest is still worth telling.
fn objects(store: &Store, output: &Output) -> Option<Vec<ObjectSize>> {
    match store.object_sizes() {
        Ok(objects) => Some(objects),
        Err(e) => {
            output.remark(format_args!(
                "warning: the sizes cannot be told: {}",
                e.problem()
            ));
            None
        }
    }
}

/// What a migration would do; `None` where the version is newer than what is migrated to.
fn migration(store: &Store, output: &Output) -> Option<Migration> {
    if store.schema_version() > NATIVE_VERSION {
        return None;
    }
    match StoreOptions::new().plan_migration(store.path()) {
        Ok(migration) => Some(migration),
        Err(e) => {
            output.remark(format_args!(
                "warning: what a migration would do cannot be told: {}",
                e.problem()
            ));
            None
        }
    }
}

fn table(objects: &[ObjectSize]) -> Table {
    let mut table = Table::new(&["BYTES", "PART", "OBJECT"]).number(0);
    for object in objects.iter().take(SHOWN) {
        let about = if object.estimated { "about " } else { "" };
        table.row([
            format!("{about}{}", size(object.bytes)),
            object.part.to_owned(),
            object.name.clone(),
        ]);
    }
    table
}

fn people(info: &StoreInfo, output: &mut Output) -> Result<(), Failure> {
    let when = When::now();
    let version = match (
        info.writable_version,
        info.schema_version > info.native_version,
    ) {
        (true, _) => info.schema_version.to_string(),
        (false, true) => format!("{} (newer: read only)", info.schema_version),
        (false, false) => format!("{} (older: read only until migrated)", info.schema_version),
    };
    let span = match (info.oldest_message, info.newest_message) {
        (Some(oldest), Some(newest)) => {
            format!(" ({} to {})", when.minute(oldest), when.minute(newest))
        }
        _ => String::new(),
    };
    let index = match &info.index.trouble {
        None => output.paint(Tone::Good, "complete"),
        Some(trouble) => output.paint(Tone::Bad, trouble),
    };
    let file_system = match &info.file_system {
        Some(found) if found.shared => {
            let shared = format!("{} (shared: use it from one machine at a time)", found.name);
            output.paint(Tone::Bad, &shared)
        }
        Some(found) => found.name.clone(),
        None => "unknown".to_owned(),
    };
    let lines = [
        ("file", info.path.display().to_string()),
        ("schema", version),
        (
            "size",
            format!(
                "{} ({} free, log {})",
                size(info.bytes),
                size(info.free_bytes),
                size(info.wal_bytes)
            ),
        ),
        ("journal", info.journal_mode.clone()),
        ("file system", file_system),
        ("sessions", info.sessions.to_string()),
        ("messages", format!("{}{span}", info.messages)),
        ("index", index),
        ("sqlite", info.sqlite_version.to_owned()),
    ];
    for (name, value) in lines {
        output.fact(name, value)?;
    }
    Ok(())
}
