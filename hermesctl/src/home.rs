//! From the global options to the home and its store.

use std::path::PathBuf;

use hermes_kit::home::Selection;
use hermes_kit::state::{Error as StateError, NATIVE_VERSION, Store, StoreOptions};
use hermes_kit::{Builder, Hermes};

use crate::cli::Global;
use crate::failure::Failure;
use crate::output::Output;
use crate::text::one_line;

/// The home that the options and the environment name. Says on stderr what a person should know.
pub(crate) fn resolve(global: &Global, output: &Output) -> Result<Hermes, Failure> {
    open(global, output, StoreOptions::new())
}

/// The same for commands that only read its store, if they need it at all.
pub(crate) fn resolve_to_read(global: &Global, output: &Output) -> Result<Hermes, Failure> {
    open(global, output, StoreOptions::new().read_only())
}

/// The same for commands that change which profile is used: they work from the root where the
/// active profile is gone, which is what they are there to mend.
pub(crate) fn resolve_for_profiles(global: &Global, output: &Output) -> Result<Hermes, Failure> {
    match resolve(global, output) {
        Err(failure) if failure.code() == "active_profile_missing" => {
            output.remark(format_args!("warning: {}", failure.problem()));
            let selection = selection(global).with_profile("default".to_owned());
            Ok(Hermes::builder().selection(selection).open()?)
        }
        outcome => outcome,
    }
}

/// The store to read, or `None` where there is none yet (then that has been said).
pub(crate) fn store_to_read(
    global: &Global,
    output: &mut Output,
) -> Result<Option<Store>, Failure> {
    let hermes = open(global, output, StoreOptions::new().read_only())?;
    let store = existing(&hermes, output)?;
    if store.is_none() {
        let text = nothing_yet(&hermes);
        if output.json() {
            output.remark(text);
        } else {
            output.line(text)?;
        }
    }
    Ok(store)
}

/// The same where standard output is for data alone: what there is to say goes to stderr.
pub(crate) fn store_to_export(global: &Global, output: &Output) -> Result<Option<Store>, Failure> {
    let hermes = open(global, output, StoreOptions::new().read_only())?;
    let store = existing(&hermes, output)?;
    if store.is_none() {
        output.remark(nothing_yet(&hermes));
    }
    Ok(store)
}

fn existing(hermes: &Hermes, output: &Output) -> Result<Option<Store>, Failure> {
    match hermes.store() {
        Ok(store) => {
            remark_on(&store, output);
            Ok(Some(store))
        }
        Err(hermes_kit::Error::State(StateError::NoStore { .. })) => Ok(None),
        Err(e) => Err(e.into()),
    }
}

fn nothing_yet(hermes: &Hermes) -> String {
    let expected = hermes.home().display_path(hermes.home().state_db());
    format!("no sessions yet, expected at {expected}")
}

/// The store to write, created if need be. Says what opening it has changed.
pub(crate) fn store_to_write(global: &Global, output: &Output) -> Result<Store, Failure> {
    let store = open(global, output, StoreOptions::new())?.store()?;
    remark_on_migration(&store, output);
    Ok(store)
}

/// The store to change, and the folder with its sessions' files. None is created: where there is
/// none, there is nothing to change.
pub(crate) fn store_to_change(
    global: &Global,
    output: &Output,
) -> Result<(Store, PathBuf), Failure> {
    let hermes = open(global, output, StoreOptions::new().existing_only())?;
    let store = hermes.store()?;
    remark_on_migration(&store, output);
    Ok((store, hermes.home().sessions_dir()))
}

/// The same to look at it only, for dry runs.
pub(crate) fn store_to_look_at(global: &Global, output: &Output) -> Result<Store, Failure> {
    let store = open(global, output, StoreOptions::new().read_only())?.store()?;
    remark_on(&store, output);
    Ok(store)
}

pub(crate) fn remark_on_migration(store: &Store, output: &Output) {
    if let Some(done) = store.migration() {
        let copy = done.backup.as_ref().map_or_else(String::new, |copy| {
            format!("; a copy from before is at {}", copy.display())
        });
        if done.from == done.to {
            let steps = one_line(&done.steps.join(", "));
            output.remark(format_args!("the store was put in order ({steps}){copy}"));
        } else {
            output.remark(format_args!(
                "the store was migrated from version {} to {}{copy}",
                done.from, done.to
            ));
        }
    }
}

/// What the options say about the home.
pub(crate) fn selection(global: &Global) -> Selection {
    Selection::new()
        .with_home(global.home.clone())
        .with_profile(global.profile.clone())
        .with_db(global.db.clone())
}

fn open(global: &Global, output: &Output, options: StoreOptions) -> Result<Hermes, Failure> {
    open_with(global, output, |builder| builder.store_options(options))
}

/// The same with what a command needs besides.
pub(crate) fn open_with(
    global: &Global,
    output: &Output,
    change: impl FnOnce(Builder) -> Builder,
) -> Result<Hermes, Failure> {
    let hermes = change(Hermes::builder().selection(selection(global))).open()?;
    for warning in &hermes.resolution().warnings {
        output.remark(format_args!("warning: {warning}"));
    }
    Ok(hermes)
}

/// What a reader of another version's store should know.
fn remark_on(store: &Store, output: &Output) {
    let version = store.schema_version();
    if version > NEWEST_KNOWN_VERSION {
        output.remark(format_args!(
            "warning: schema version {version} is newer than any known ({NEWEST_KNOWN_VERSION}): shown as far as it is recognised"
        ));
    }
    if version < NATIVE_VERSION {
        output.remark(format_args!(
            "hint: schema version {version} is older than {NATIVE_VERSION}: `hermesctl db migrate` brings it up to date"
        ));
    }
}

/// The newest schema version that has been seen.
const NEWEST_KNOWN_VERSION: i64 = 30;
