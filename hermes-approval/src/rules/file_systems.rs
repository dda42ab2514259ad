//! Deleting, emptying and overwriting files.

mod delete;
mod edit;
mod empty;
mod moved;
mod search;
mod write;

use crate::rule::Pack;

pub(super) static PACK: Pack = Pack {
    name: "fs",
    about: "deleting, emptying and overwriting files and folders",
    rules: &[
        delete::RECURSIVE,
        delete::ABSOLUTE,
        delete::SENSITIVE,
        delete::BULK,
        search::DELETE,
        empty::SHRED,
        empty::TRUNCATE,
        empty::EMPTY,
        empty::REPLACE,
        moved::MOVE_AWAY,
        moved::SYNC_DELETE,
        empty::ARCHIVE,
        empty::TRASH,
        empty::EMPTY_INPUT,
        edit::TO_NOTHING,
        edit::EVERYTHING,
        edit::RENAME,
        edit::OWN_INPUT,
        moved::CLEANERS,
        search::RUN,
        search::OUTPUT,
        write::REDIRECT_SYSTEM,
        write::REDIRECT_PERSONAL,
        write::REDIRECT_HERMES,
        write::REDIRECT_PROJECT,
        write::SYSTEM,
        write::PERSONAL,
        write::HERMES,
        write::PROJECT,
        write::UNPACK,
    ],
};
