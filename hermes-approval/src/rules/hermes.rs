//! Hermes itself: stopping it, killing it, loosening what it may do, losing what it knows.

mod lifecycle;
mod policy;
mod processes;

use crate::rule::{Help, Pack, Rule, Severity};

pub(super) static PACK: Pack = Pack {
    name: "hermes",
    about: "stopping, killing, updating and loosening Hermes itself",
    rules: &[
        lifecycle::GATEWAY,
        lifecycle::UPDATE,
        lifecycle::OUTSIDE,
        lifecycle::LAUNCHD,
        processes::KILL,
        processes::EXPANSION,
        processes::SESSION,
        policy::STATE,
        policy::SETTING,
        policy::YOLO,
    ],
};

const HERMES: Rule = Rule {
    class: "hermes-self",
    severity: Severity::High,
    help: Help::Anywhere,
    ..Rule::ASK
};

/// Hermes' own program, and Python, which may run it as a module.
const PROGRAMS: &[&str] = &["hermes", "hermes-agent", "python*"];
