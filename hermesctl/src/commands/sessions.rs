//! `sessions`: list, show, export, import.

pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod list;
pub(crate) mod show;

use hermes_kit::state::{SessionId, Store};

use crate::failure::Failure;

/// Candidates that are named when several sessions may be meant.
const CANDIDATES: usize = 5;

/// The session that a person named by its id or the beginning of it.
fn resolve(store: &Store, id: &str) -> Result<SessionId, Failure> {
    if id.is_empty() {
        return Err(Failure::no_session(id));
    }
    let mut found = store.session_ids_like(id, CANDIDATES)?;
    match (found.pop(), found.is_empty()) {
        (None, _) => Err(Failure::no_session(id)),
        (Some(only), true) => Ok(only),
        (Some(last), false) => {
            found.push(last);
            Err(Failure::several_sessions(id, &found))
        }
    }
}
