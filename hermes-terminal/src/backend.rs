//! Backends by name.

use std::sync::Arc;

use crate::environment::Environment;
use crate::{Error, Result};

/// The names that `TERMINAL_ENV` and `terminal.backend` may have.
pub const KNOWN: &[&str] = &[
    "local",
    "docker",
    "ssh",
    "singularity",
    "modal",
    "daytona",
    "vercel_sandbox",
];

/// Other names of the same.
const ALSO: &[(&str, &str)] = &[("apptainer", "singularity"), ("podman", "docker")];

/// The environment that is meant by a name, out of those that a program offers. A program's own
/// backend may have any name.
///
/// # Errors
///
/// [`Error::UnknownBackend`], which lists the names; [`Error::BackendNotBuilt`] for one that exists
/// and is not among `offered`. Whether it can be used here is another question:
/// [`Environment::usable`].
pub fn select(name: &str, offered: &[Arc<dyn Environment>]) -> Result<Arc<dyn Environment>> {
    let wanted = name.trim().to_ascii_lowercase();
    let of_name = |name: &str| {
        offered
            .iter()
            .find(|environment| environment.name() == name)
    };
    let alias = ALSO
        .iter()
        .find(|(also, _)| *also == wanted)
        .map_or(wanted.as_str(), |(_, name)| name);
    if let Some(found) = of_name(&wanted).or_else(|| of_name(alias)) {
        return Ok(Arc::clone(found));
    }
    if KNOWN.contains(&alias) {
        return Err(Error::BackendNotBuilt {
            name: wanted,
            offered: offered.iter().map(|e| e.name().to_owned()).collect(),
        });
    }
    Err(Error::UnknownBackend {
        name: name.to_owned(),
    })
}
