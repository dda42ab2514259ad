//! Decides where a Hermes home, root and profile live, and says why.

mod active_profile;
mod display;
mod environment;
mod error;
mod expand;
mod files;
mod hermes_home;
mod path_text;
mod platform;
mod profile;
mod profile_name;
mod profiles;
mod resolution;
mod resolve;
mod root;
mod selection;
mod source;
mod unit;
mod usable;
mod warning;

pub use active_profile::ActiveProfileProblem;
pub use environment::Environment;
pub use error::{Error, Result};
pub use hermes_home::HermesHome;
pub use platform::Platform;
pub use profile::Profile;
pub use profile_name::{NameProblem, ProfileName};
pub use resolution::Resolution;
pub use resolve::resolve;
pub use selection::Selection;
pub use source::HomeSource;
pub use warning::Warning;

#[cfg(test)]
mod windows_tests;
