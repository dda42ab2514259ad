//! Code that comes over the network and is run unseen.

mod cloned;
mod download;
mod fetch;
mod install;
mod pipe;
mod substitution;

use crate::rule::Pack;

pub(super) use fetch::{fetches, is_sender};

pub(super) static PACK: Pack = Pack {
    name: "remote",
    about: "running what comes over the network without having looked at it",
    rules: &[
        pipe::SHELL,
        pipe::SCRIPT,
        substitution::PROCESS,
        substitution::COMMAND,
        substitution::CODE,
        download::RUN,
        install::URL,
        cloned::CLONED,
    ],
};
