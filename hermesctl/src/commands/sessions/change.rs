//! `sessions rename`, `end` and `reopen`.

use hermes_kit::state::{Error as StateError, SessionId, Store};
use serde_json::json;

use super::{each_once, resolve};
use crate::cli::{End, Global, Named, Rename};
use crate::failure::Failure;
use crate::output::{Output, Tone};
use crate::text::one_line;
use crate::{home, json};

/// Titles that others may take in between, before it is given up.
const RENAME_TRIES: usize = 10;

pub(crate) fn rename(global: &Global, args: &Rename, output: &mut Output) -> Result<(), Failure> {
    let (store, _) = home::store_to_change(global, output)?;
    let id = resolve(&store, &args.id)?;
    let title = (!args.clear).then(|| args.title.join(" "));
    let before = store.session_title(&id)?;
    set_title(&store, &id, title.as_deref(), args.auto_number)?;
    let after = store.session_title(&id)?;
    if output.json() {
        let object = json!({"session": {"id": id, "title": after}, "previous_title": before});
        return json::object(output, &object);
    }
    let name = output.paint(Tone::Name, one_line(id.as_str()));
    let told = match &after {
        Some(title) => format!("{name} is now \"{}\"", one_line(title)),
        None => format!("{name} has no title now"),
    };
    Ok(output.line(told)?)
}

fn set_title(
    store: &Store,
    id: &SessionId,
    title: Option<&str>,
    auto_number: bool,
) -> Result<(), Failure> {
    let mut outcome = store.set_session_title(id, title);
    for _ in 0..RENAME_TRIES {
        match (&outcome, title) {
            (Err(StateError::TitleInUse { .. }), Some(title)) if auto_number => {
                let next = store.next_title_in_lineage(title)?;
                outcome = store.set_session_title(id, Some(&next));
            }
            _ => break,
        }
    }
    match outcome {
        Ok(true) => Ok(()),
        Ok(false) => Err(Failure::no_session(id.as_str())),
        Err(StateError::TitleInUse { title, holder }) => Err(Failure::new(
            "title_in_use",
            StateError::TitleInUse { title, holder }.problem(),
            "choose another title, or add a number with --auto-number",
        )),
        Err(e) => Err(e.into()),
    }
}

pub(crate) fn end(global: &Global, args: &End, output: &mut Output) -> Result<(), Failure> {
    let (store, _) = home::store_to_change(global, output)?;
    let mut ended = Vec::new();
    let mut unchanged = Vec::new();
    for id in each_once(&args.named.ids, |text| resolve(&store, text))? {
        if store.end_session(&id, &args.reason)? {
            ended.push(id);
        } else {
            unchanged.push(id);
        }
    }
    tell("ended", &ended, "ended already", &unchanged, output)
}

pub(crate) fn reopen(global: &Global, args: &Named, output: &mut Output) -> Result<(), Failure> {
    let (store, _) = home::store_to_change(global, output)?;
    let mut reopened = Vec::new();
    let mut unchanged = Vec::new();
    for id in each_once(&args.ids, |text| resolve(&store, text))? {
        let session = store.session(&id)?;
        let open = session.is_some_and(|s| s.ended_at.is_none() && s.end_reason.is_none());
        if open {
            unchanged.push(id);
        } else {
            store.reopen_session(&id)?;
            reopened.push(id);
        }
    }
    tell("reopened", &reopened, "open already", &unchanged, output)
}

/// What was done, and which sessions were so already.
pub(super) fn tell(
    done: &str,
    ids: &[SessionId],
    already: &str,
    unchanged: &[SessionId],
    output: &mut Output,
) -> Result<(), Failure> {
    if output.json() {
        let mut object = serde_json::Map::new();
        object.insert(done.to_owned(), json!(ids));
        object.insert("unchanged".to_owned(), json!(unchanged));
        return json::object(output, &object);
    }
    list(done, ids, output)?;
    list(already, unchanged, output)
}

/// A line for each session.
pub(super) fn list(what: &str, ids: &[SessionId], output: &mut Output) -> Result<(), Failure> {
    for id in ids {
        let id = output.paint(Tone::Name, one_line(id.as_str()));
        output.line(format_args!("{what}: {id}"))?;
    }
    Ok(())
}
