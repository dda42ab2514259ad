//! `sessions archive` and `unarchive`.

use hermes_kit::state::{Archived, Error as StateError, Store};
use serde_json::json;

use super::change::tell;
use super::{each_once, families, prune, resolve};
use crate::cli::{Archive, Filter, Global, Named};
use crate::failure::Failure;
use crate::output::Output;
use crate::{home, json};

/// The version that brought the archive.
const SINCE: i64 = 14;

pub(crate) fn run(global: &Global, args: &Archive, output: &mut Output) -> Result<(), Failure> {
    let by_filter = args.filter != Filter::default();
    if by_filter != args.ids.is_empty() {
        return Err(Failure::new(
            "usage",
            "which sessions are meant?",
            "give ids, or at least one filter such as --older-than 90; see `hermesctl sessions archive --help`",
        )
        .with_exit(crate::EXIT_USAGE));
    }
    let filter = prune::filter(&args.filter, &args.scope, Archived::Leave);
    if args.dry_run {
        let store = home::store_to_look_at(global, output)?;
        if !store
            .session_columns()
            .iter()
            .any(|name| name == "archived")
        {
            return Err(StateError::Unsupported {
                what: "archiving",
                needs: SINCE,
                found: store.schema_version(),
            }
            .into());
        }
        let ids = if by_filter {
            let found = store.prune_candidates(&filter)?;
            found
                .sessions
                .into_iter()
                .map(|session| session.id)
                .collect()
        } else {
            each_once(&args.ids, |text| resolve(&store, text))?
        };
        let families = families(&store, &ids)?;
        if output.json() {
            return json::object(output, &json!({"archived": families, "dry_run": true}));
        }
        tell("would archive", &families, "", &[], output)?;
        return Ok(output.line("nothing was done")?);
    }
    let (store, _) = home::store_to_change(global, output)?;
    if by_filter {
        let archived = store.archive(&filter)?;
        return tell("archived", &archived, "", &[], output);
    }
    set(&store, &args.ids, true, output)
}

pub(crate) fn bring_back(
    global: &Global,
    args: &Named,
    output: &mut Output,
) -> Result<(), Failure> {
    let (store, _) = home::store_to_change(global, output)?;
    set(&store, &args.ids, false, output)
}

fn set(
    store: &Store,
    names: &[String],
    archived: bool,
    output: &mut Output,
) -> Result<(), Failure> {
    let mut done = Vec::new();
    for id in each_once(names, |text| resolve(store, text))? {
        for id in store.set_session_archived(&id, archived)? {
            if !done.contains(&id) {
                done.push(id);
            }
        }
    }
    let word = if archived { "archived" } else { "unarchived" };
    tell(word, &done, "", &[], output)
}
