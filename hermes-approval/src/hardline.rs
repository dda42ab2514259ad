//! The floor: what is never run, whatever was granted.
//!
//! A rule belongs here if what it finds can't be put right: the file system, a disk, the whole
//! home, the running system. Each looks at resolved commands only, so that text which merely
//! mentions one is never blocked.

mod deletes;
mod devices;
mod options;
mod system;

use crate::rule::Pack;

pub(crate) use devices::{MAKERS, is_dry};

pub(crate) static PACK: Pack = Pack {
    name: "hardline",
    about: "what is never run: loss of the file system, a disk, the home or the running system",
    rules: &[
        deletes::DELETE_ROOT,
        deletes::DELETE_SYSTEM,
        deletes::DELETE_HOME,
        deletes::CODE,
        devices::FORMAT,
        devices::DD,
        devices::REDIRECT,
        devices::COPY,
        devices::WIPE,
        options::OPTION,
        options::VARIABLE,
        system::FORK_BOMB,
        system::KILL_ALL,
        system::SHUTDOWN,
        system::INIT,
        system::SYSTEMCTL,
        system::TELINIT,
        system::PERMISSIONS,
        system::MOVE,
    ],
};
