//! `sessions`: list, show, export, import.

pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod list;
pub(crate) mod show;

use hermes_kit::state::{SessionId, Store};

use crate::failure::Failure;

/// The session that a person named by its id or the beginning of it.
fn resolve(store: &Store, id: &str) -> Result<SessionId, Failure> {
    store
        .resolve_session_id(id)?
        .ok_or_else(|| Failure::no_session(id))
}
