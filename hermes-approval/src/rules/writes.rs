//! Writing into files that the system, an account, a project or Hermes depends on.

mod code;
mod credentials;
mod personal;
mod project;
mod system;
pub(crate) mod written;

use crate::rule::{Key, Pack};

pub(super) static PACK: Pack = Pack {
    name: "write",
    about: "writing system configuration, keys, start-up files, project settings and Hermes' files",
    rules: &[
        system::REDIRECT,
        system::FILE,
        system::EDITOR,
        personal::REDIRECT,
        personal::FILE,
        personal::HERMES_REDIRECT,
        personal::HERMES,
        personal::SSH_COPY,
        project::REDIRECT,
        project::FILE,
        project::HOOK_REDIRECT,
        project::HOOK,
        project::HISTORY,
        project::HISTORY_CLEAR,
        code::CODE,
        credentials::TOOL,
        credentials::AGENT,
    ],
};

const TEE: Key = Key::both("overwrite system file via tee");
const REDIRECTION: Key = Key::both("overwrite system file via redirection");
const COPY_SENSITIVE: Key =
    Key::from19("copy/move file into sensitive credential/SSH/shell-rc path");
