//! Scripts whose text can't be seen, and what embedded code does.

mod code;
mod hidden;
mod load;
mod lookalike;
mod made;

use crate::rule::Pack;

pub(super) static PACK: Pack = Pack {
    name: "shell",
    about: "hidden scripts, embedded code, and what the shell itself loads",
    rules: &[
        hidden::EVAL,
        hidden::PIPED,
        hidden::DECODED,
        hidden::SUBSTITUTED,
        made::MADE,
        made::CHMOD_RUN,
        code::DELETES,
        code::WRITES,
        code::OTHER,
        load::SEARCH_PATH,
        load::AGAIN,
        load::HISTORY,
        lookalike::NAME,
        lookalike::SEPARATOR,
    ],
};
