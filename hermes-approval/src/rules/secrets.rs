//! Reading passwords, keys and tokens.

mod environment;
mod files;
mod metadata;
mod stores;

use crate::rule::Pack;

pub(super) use environment::dumps_environment;
pub(super) use files::reads_secret;
pub(super) use stores::prints_secret;

pub(super) static PACK: Pack = Pack {
    name: "secrets",
    about: "reading files and stores that hold passwords, keys and tokens",
    rules: &[
        files::READ,
        files::COPY,
        files::REDIRECTED,
        files::CODE,
        environment::DUMP,
        environment::SEARCH,
        environment::ECHO,
        environment::SEARCH_TREE,
        environment::PROCESSES,
        environment::BY_CODE,
        metadata::METADATA,
        stores::PRINT,
    ],
};
