//! `sessions sweep`.

use hermes_kit::state::{DeleteOptions, SessionId, Store, SweepCandidates, SweepOptions};
use serde_json::{Value, json};

use super::change::list;
use super::delete::{ask, delete_with_bar, foretold, stopped, tell};
use crate::cli::{Global, Sweep};
use crate::failure::Failure;
use crate::output::Output;
use crate::{home, json};

pub(crate) fn run(global: &Global, args: &Sweep, output: &mut Output) -> Result<(), Failure> {
    let mut options = SweepOptions::default();
    options.empty = args.empty;
    let look = |store: &Store| store.sweep_candidates(&options);
    if args.dry_run {
        let store = home::store_to_look_at(global, output)?;
        return foretell(&look(&store)?, output);
    }
    let (store, files) = home::store_to_change(global, output)?;
    let found = look(&store)?;
    if !args.yes && !found.delete.sessions.is_empty() {
        ask(&found.delete, output)?;
    }
    let delete = DeleteOptions::new().files_in(files);
    let done = delete_with_bar(&found.delete, |work| store.sweep(&options, &delete, work))?;
    if output.json() {
        json::object(output, &done)?;
    } else {
        tell(&done.deleted, output)?;
        ended("ended", &done.ended, output)?;
    }
    stopped(&done.deleted)
}

fn foretell(found: &SweepCandidates, output: &mut Output) -> Result<(), Failure> {
    if output.json() {
        let mut object = serde_json::to_value(found)?;
        if let Value::Object(object) = &mut object {
            object.insert("dry_run".to_owned(), json!(true));
        }
        return json::object(output, &object);
    }
    ended("would end", &found.end, output)?;
    foretold(&found.delete, output)
}

/// The continuations that nothing went on with.
fn ended(what: &str, ids: &[SessionId], output: &mut Output) -> Result<(), Failure> {
    list(
        &format!("{what}, abandoned after a compression"),
        ids,
        output,
    )
}
