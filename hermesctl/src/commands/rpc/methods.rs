//! The methods: names and arguments as Hermes has them.

mod control;
mod exchange;
mod lineage;
mod lists;
mod messages;
mod platforms;
mod retention;
mod search;
mod sessions;
mod titles;
mod transcripts;
mod usage;

pub(in crate::commands) use messages::message_of;

use super::arguments::Arguments;
use super::connection::Connection;
use super::fault::Fault;
use super::json::Json;

type Outcome = Result<Json, Fault>;

/// One method.
pub(super) struct Method {
    pub(super) name: &'static str,
    pub(super) arguments: &'static [&'static str],
    pub(super) run: fn(&mut Connection, &Arguments) -> Outcome,
}

const fn method(
    name: &'static str,
    arguments: &'static [&'static str],
    run: fn(&mut Connection, &Arguments) -> Outcome,
) -> Method {
    Method {
        name,
        arguments,
        run,
    }
}

const AREAS: [&[Method]; 12] = [
    control::METHODS,
    sessions::METHODS,
    titles::METHODS,
    lineage::METHODS,
    lists::METHODS,
    messages::METHODS,
    transcripts::METHODS,
    search::METHODS,
    usage::METHODS,
    retention::METHODS,
    exchange::METHODS,
    platforms::METHODS,
];

pub(super) fn find(name: &str) -> Option<&'static Method> {
    all().find(|method| method.name == name)
}

fn all() -> impl Iterator<Item = &'static Method> {
    AREAS.iter().flat_map(|methods| methods.iter())
}
