//! `sessions`: looking at sessions, changing and deleting them, export and import.

pub(crate) mod archive;
pub(crate) mod change;
pub(crate) mod delete;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod lineage;
pub(crate) mod list;
pub(crate) mod prune;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod sweep;

use hermes_kit::state::{SessionId, Store};

use crate::cli::{Global, Sessions};
use crate::failure::Failure;
use crate::output::Output;

pub(crate) fn run(global: &Global, command: &Sessions, output: &mut Output) -> Result<(), Failure> {
    match command {
        Sessions::List(args) => list::run(global, args, output),
        Sessions::Show(args) => show::run(global, args, output),
        Sessions::Export(args) => export::run(global, args, output),
        Sessions::Import(args) => import::run(global, args, output),
        Sessions::Rename(args) => change::rename(global, args, output),
        Sessions::End(args) => change::end(global, args, output),
        Sessions::Reopen(args) => change::reopen(global, args, output),
        Sessions::Delete(args) => delete::run(global, args, output),
        Sessions::Prune(args) => prune::run(global, args, output),
        Sessions::Sweep(args) => sweep::run(global, args, output),
        Sessions::Archive(args) => archive::run(global, args, output),
        Sessions::Unarchive(args) => archive::bring_back(global, args, output),
        Sessions::Lineage(args) => lineage::run(global, args, output),
        Sessions::Stats(args) => stats::run(global, args, output),
    }
}

/// Candidates that are named when several sessions may be meant.
const CANDIDATES: usize = 5;

/// The session that a person named: by its id, its title, or the beginning of its id.
pub(crate) fn resolve(store: &Store, text: &str) -> Result<SessionId, Failure> {
    match store.find_session(text)? {
        Some(id) => Ok(id),
        None => by_id(store, text),
    }
}

/// The same for what cannot be undone: by its id or the beginning of it alone, and not if the
/// text may mean another one by its title.
fn resolve_strictly(store: &Store, text: &str) -> Result<SessionId, Failure> {
    let id = by_id(store, text)?;
    match store.find_session(text)? {
        Some(titled) if titled != id => Err(Failure::several_sessions(text, &[id, titled])),
        _ => Ok(id),
    }
}

fn by_id(store: &Store, text: &str) -> Result<SessionId, Failure> {
    if text.is_empty() {
        return Err(Failure::no_session(text));
    }
    let mut found = store.session_ids_like(text, CANDIDATES)?;
    match (found.pop(), found.is_empty()) {
        (None, _) => Err(Failure::no_session(text)),
        (Some(only), true) => Ok(only),
        (Some(last), false) => {
            found.push(last);
            Err(Failure::several_sessions(text, &found))
        }
    }
}

/// Several of them, each once, in the order they were named.
pub(crate) fn each_once(
    names: &[String],
    resolve: impl Fn(&str) -> Result<SessionId, Failure>,
) -> Result<Vec<SessionId>, Failure> {
    let mut ids = Vec::new();
    for name in names {
        let id = resolve(name)?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}

/// Sessions with all that they continue and that continues them after a compression, each once.
fn families(store: &Store, ids: &[SessionId]) -> Result<Vec<SessionId>, Failure> {
    let mut all = Vec::new();
    for id in ids {
        for id in store.compression_family(id)? {
            if !all.contains(&id) {
                all.push(id);
            }
        }
    }
    Ok(all)
}
