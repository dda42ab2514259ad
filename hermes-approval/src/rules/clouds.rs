//! Clouds, hosts of applications, object stores and backups.

mod aws;
mod platforms;
mod providers;
mod stores;

use crate::rule::Pack;

pub(super) static PACK: Pack = Pack {
    name: "clouds",
    about: "deleting, stopping and exposing what runs or is kept in a cloud; backups",
    rules: &[
        aws::DELETE,
        aws::OBJECTS,
        aws::ACCESS,
        aws::SWITCH,
        providers::DELETE,
        providers::ACCESS,
        platforms::DELETE,
        stores::OBJECTS,
        stores::BACKUPS,
        stores::VAULT,
    ],
};
