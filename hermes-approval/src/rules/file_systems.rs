//! Deleting, emptying and overwriting files.

mod delete;
mod empty;
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
        delete::SEARCH,
        empty::SHRED,
        empty::TRUNCATE,
        empty::EMPTY,
        empty::REPLACE,
        empty::MOVE_AWAY,
        empty::SYNC_DELETE,
        empty::ARCHIVE,
        empty::TRASH,
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
