//! Data of this machine that is sent away.

mod piped;
mod put;
mod served;
mod upload;

use crate::rule::Pack;

pub(super) static PACK: Pack = Pack {
    name: "exfil",
    about: "sending secrets, databases or whole trees to another host",
    rules: &[
        upload::HTTP,
        upload::COPY,
        put::TRANSFER,
        put::ATTACH,
        piped::PIPE,
        piped::INPUT,
        piped::NAME,
        piped::ARGUMENT,
        served::SERVE,
    ],
};
