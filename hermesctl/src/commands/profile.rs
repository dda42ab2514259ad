//! `profile`: the profiles of a root.

mod archive;

use hermes_kit::home::{
    CreateOptions, DeleteOptions, HermesHome, ProfileEntry, ProfileName, Profiles, RenameOptions,
    SnapshotResult,
};
use hermes_kit::state::Store;
use serde_json::{Value, json};
use std::path::Path;

use crate::cli::{Global, Profile};
use crate::confirm::confirm;
use crate::failure::Failure;
use crate::output::{Output, Tone};
use crate::table::Table;
use crate::{home, json};

pub(crate) fn run(global: &Global, command: &Profile, output: &mut Output) -> Result<(), Failure> {
    if global.db.is_some() {
        let failure = Failure::new(
            "usage",
            "--db names a store, and profiles belong to a home",
            "leave it out, or name the home with --home",
        );
        return Err(failure.with_exit(crate::EXIT_USAGE));
    }
    let hermes = home::resolve_for_profiles(global, output)?;
    let current = hermes.home();
    let profiles = current.profiles();
    match command {
        Profile::List => list(&profiles, output),
        Profile::Show { name } => show(&profiles, current, name.as_deref(), output),
        Profile::Create { name } => {
            let home = profiles.create(&parse(name)?, CreateOptions::blank())?;
            tell(output, "profile made", &home)
        }
        Profile::Clone { from, to, sessions } => {
            let mut options = CreateOptions::clone_of(&parse(from)?);
            if *sessions {
                options = options.with_snapshot(snapshot);
            }
            let home = profiles.create(&parse(to)?, options)?;
            tell(output, "profile made", &home)
        }
        Profile::Rename { from, to, force } => {
            let mut options = RenameOptions::new();
            if *force {
                options = options.even_if_running();
            }
            let home = profiles.rename(&parse(from)?, &parse(to)?, options)?;
            tell(output, "profile renamed", &home)
        }
        Profile::Delete { name, force, yes } => {
            delete(&profiles, &parse(name)?, *force, *yes, output)
        }
        Profile::Use { name } => {
            let name = parse(name)?;
            profiles.activate(&name)?;
            tell(
                output,
                "now used when nothing else selects one",
                &profiles.home(&name),
            )
        }
        Profile::Export { .. } | Profile::Import { .. } => archive::run(&profiles, command, output),
    }
}

fn parse(name: &str) -> Result<ProfileName, Failure> {
    Ok(ProfileName::parse(name)?)
}

/// Copies a store for a clone or an archive, as of one moment.
fn snapshot(store: &Path, copy: &Path) -> SnapshotResult {
    Ok(Store::open_read_only(store)?.snapshot(copy)?)
}

fn list(profiles: &Profiles, output: &mut Output) -> Result<(), Failure> {
    let list = profiles.list()?;
    if output.json() {
        let rows: Vec<Value> = list.iter().map(row).collect();
        return json::object(output, &json!({"profiles": rows}));
    }
    let mut table = Table::new(&["PROFILE", "ACTIVE", "HOME"]);
    for entry in &list {
        let active = if entry.active { "yes" } else { "" };
        table.row([
            entry.name.to_string(),
            active.to_owned(),
            entry.home.display(),
        ]);
    }
    output.line(table.render(output))?;
    Ok(())
}

fn row(entry: &ProfileEntry) -> Value {
    json!({
        "name": entry.name.as_str(),
        "home": entry.home.path().to_string_lossy(),
        "active": entry.active,
        "link": entry.link.as_deref().map(Path::to_string_lossy),
    })
}

fn show(
    profiles: &Profiles,
    current: &HermesHome,
    name: Option<&str>,
    output: &mut Output,
) -> Result<(), Failure> {
    let name = match (name, current.profile().name()) {
        (Some(name), _) => parse(name)?,
        (None, Some(name)) => name.clone(),
        (None, None) => ProfileName::default(),
    };
    let home = profiles.get(&name)?;
    let active = profiles.active().name() == name;
    let running = profiles.running(&name);
    let there = |path: &Path| path.exists();
    if output.json() {
        let running: Vec<Value> = running
            .iter()
            .map(|p| json!({"pid": p.pid, "command": p.command}))
            .collect();
        return json::object(
            output,
            &json!({"profile": {
                "name": name.as_str(),
                "home": home.path().to_string_lossy(),
                "display": home.display(),
                "active": active,
                "state_db": there(home.state_db()),
                "config": there(&home.config_file()),
                "env": there(&home.env_file()),
                "running": running,
            }}),
        );
    }
    let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
    let users: Vec<String> = running.iter().map(ToString::to_string).collect();
    for (fact, value) in [
        ("profile", name.to_string()),
        ("home", home.display()),
        ("active", yes(active)),
        ("sessions", yes(there(home.state_db()))),
        ("config", yes(there(&home.config_file()))),
        (".env", yes(there(&home.env_file()))),
        (
            "used by",
            if users.is_empty() {
                "nobody".to_owned()
            } else {
                users.join(", ")
            },
        ),
    ] {
        output.fact(fact, value)?;
    }
    Ok(())
}

fn delete(
    profiles: &Profiles,
    name: &ProfileName,
    force: bool,
    yes: bool,
    output: &mut Output,
) -> Result<(), Failure> {
    let home = profiles.home(name);
    if !yes {
        let display = home.display();
        confirm(&format!(
            "Delete profile {name} and everything in {display}?"
        ))?;
    }
    let mut options = DeleteOptions::new();
    if force {
        options = options.even_if_active().even_if_running();
    }
    profiles.delete(name, options)?;
    tell(output, "profile deleted", &home)
}

/// What was done, and to which profile.
fn tell(output: &mut Output, done: &str, home: &HermesHome) -> Result<(), Failure> {
    let name = home.profile().as_str();
    if output.json() {
        let home = home.path().to_string_lossy();
        return json::object(output, &json!({"profile": {"name": name, "home": home}}));
    }
    let name = output.paint(Tone::Name, name);
    Ok(output.line(format_args!("{done}: {name} ({})", home.display()))?)
}
