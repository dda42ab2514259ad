//! Services, schedules and accounts.

mod accounts;
mod schedule;
mod stop;
mod windows;

use crate::rule::{Help, Pack, Rule};

pub(super) static PACK: Pack = Pack {
    name: "service",
    about: "stopping and disabling services, changing schedules and accounts",
    rules: &[
        stop::SYSTEMCTL,
        stop::SYSTEMCTL_CHANGE,
        stop::MANAGER,
        stop::SCRIPT,
        windows::STOP,
        schedule::CRONTAB_REMOVE,
        schedule::CRONTAB_REPLACE,
        schedule::LATER,
        accounts::ACCOUNT,
    ],
};

const SERVICE: Rule = Rule {
    class: "service",
    help: Help::Anywhere,
    ..Rule::ASK
};
