//! `approve allowlist`: `command_allowlist` of the home's `config.yaml`.

use hermes_kit::approval::allowlist::{AllowlistFile, Change, has_shell_operator};
use hermes_kit::approval::grants::Scope;
use hermes_kit::approval::{Error, all_rules, keys};
use serde_json::{Value, json};

use crate::cli::{Allowlist, Global};
use crate::failure::Failure;
use crate::output::Output;
use crate::table::Table;
use crate::text::{counted, one_line};
use crate::{home, json};

pub(super) fn run(
    global: &Global,
    command: &Allowlist,
    output: &mut Output,
) -> Result<(), Failure> {
    let hermes = home::resolve(global, output)?;
    let file = AllowlistFile::new(hermes.home().config_file());
    let no_home = |error: Error| match error {
        Error::NoFolder { folder, .. } => Failure::new(
            "no_home",
            format!("there is no Hermes home at {}", folder.display()),
            "run Hermes once, or make the folder; or name another home with --home or --profile",
        ),
        other => other.into(),
    };
    match command {
        Allowlist::List => list(&file, output),
        Allowlist::Add { entries } => {
            let entries = trimmed(entries);
            let change = file.add(&entries).map_err(no_home)?;
            if !output.json() {
                for entry in &entries {
                    output.line(format_args!("{}: {}", one_line(entry), covers(entry)))?;
                }
            }
            changed(&file, &change, output)
        }
        Allowlist::Remove { entries } => {
            let entries: Vec<&str> = entries.iter().map(String::as_str).collect();
            let change = file.remove(&entries).map_err(no_home)?;
            let missing: Vec<&str> = entries
                .iter()
                .filter(|entry| !change.removed.iter().any(|gone| gone == *entry))
                .copied()
                .collect();
            changed(&file, &change, output)?;
            if missing.is_empty() {
                return Ok(());
            }
            let missing: Vec<String> = missing.iter().map(|entry| format!("{entry:?}")).collect();
            Err(Failure::new(
                "unknown_entry",
                format!("the list has no entry {}", missing.join(", ")),
                "run `hermesctl approve allowlist list` to see the entries",
            )
            .already_told())
        }
    }
}

fn trimmed(entries: &[String]) -> Vec<&str> {
    entries.iter().map(|entry| entry.trim()).collect()
}

/// Whether an entry is an approval key of ours or of Hermes, under any of its names.
fn is_key(entry: &str) -> bool {
    let ours = || {
        let rules = all_rules().iter();
        rules
            .flat_map(|rule| rule.keys)
            .any(|key| key.text == entry)
    };
    keys::find(entry).is_some() || keys::canonicals(entry) != [entry] || ours()
}

/// Whether no command is ever approved by it.
pub(crate) fn covers_nothing(entry: &str) -> bool {
    !is_key(entry) && has_shell_operator(entry)
}

/// What an entry covers, in a sentence.
fn covers(entry: &str) -> String {
    if is_key(entry) {
        Scope::key(entry).covers()
    } else if covers_nothing(entry) {
        "nothing: commands with ; & | < > ` or $( are never approved by their text".to_owned()
    } else if entry.contains(['*', '?', '[']) {
        "every command that fits this pattern and has no ; & | < > ` or $( in it".to_owned()
    } else {
        "only this command, to the letter".to_owned()
    }
}

fn list(file: &AllowlistFile, output: &mut Output) -> Result<(), Failure> {
    let list = file.current()?;
    if output.json() {
        let entries: Vec<Value> = list
            .entries()
            .iter()
            .map(|entry| {
                json!({
                    "text": entry.text,
                    "line": entry.line,
                    "covers": covers(&entry.text),
                })
            })
            .collect();
        let object = json!({
            "path": file.path().to_string_lossy(),
            "entries": entries,
            "ignored": list.ignored(),
        });
        return json::object(output, &object);
    }
    for ignored in list.ignored() {
        output.remark(format_args!(
            "warning: line {} of the list is {}, and approves nothing",
            ignored.line, ignored.found
        ));
    }
    if list.entries().is_empty() {
        return Ok(output.line(format_args!(
            "nothing is allowed in {}",
            file.path().display()
        ))?);
    }
    let mut table = Table::new(&["ENTRY", "COVERS"]);
    for entry in list.entries() {
        table.row([entry.text.clone(), covers(&entry.text)]);
    }
    Ok(output.line(table.render(output))?)
}

fn changed(file: &AllowlistFile, change: &Change, output: &mut Output) -> Result<(), Failure> {
    if output.json() {
        let object = json!({
            "path": file.path().to_string_lossy(),
            "added": change.added,
            "removed": change.removed,
        });
        return json::object(output, &object);
    }
    let told = match (change.added.len(), change.removed.len()) {
        (0, 0) => "nothing to change".to_owned(),
        (added, 0) => format!("{} added", entries(added)),
        (_, removed) => format!("{} removed", entries(removed)),
    };
    Ok(output.line(format_args!("{told} in {}", file.path().display()))?)
}

fn entries(count: usize) -> String {
    match count {
        1 => counted(1, "entry"),
        more => format!("{more} entries"),
    }
}
