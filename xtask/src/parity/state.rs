//! The session store: the same operations through a real release and through `hermesctl rpc`.
//!
//! First what is wanted to differ; then on twin files, where every result and at the end every row must be the same; then on one
//! file, the two taking turns; then on one file at the same time.

mod differences;
mod probes;
mod shared;
mod texts;
mod twins;
mod world;

use super::environment::Environment;
use crate::error::Result;
use crate::workspace::Workspace;

/// How much is compared.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Amount {
    /// Of the first sequence; the others' follow from it.
    pub(crate) seed: u64,
    /// Operations on twin files; half as many on one file.
    pub(crate) operations: usize,
}

impl Default for Amount {
    fn default() -> Amount {
        Amount {
            seed: 1,
            operations: 4_000,
        }
    }
}

/// The first release whose stores are newer than version 11.
fn is_newer(environment: &Environment) -> bool {
    environment.release != "0.13.0"
}

/// All differences that nobody has reviewed.
pub(crate) fn compare(
    ws: &Workspace,
    environment: &Environment,
    amount: Amount,
) -> Result<Vec<String>> {
    let mut reviewed = differences::Reviewed::new();
    let mut found = probes::compare(ws, environment)?;
    found.extend(twins::compare(ws, environment, amount, &mut reviewed)?);
    found.extend(shared::in_turns(ws, environment, amount, &mut reviewed)?);
    found.extend(shared::at_the_same_time(ws, environment)?);
    reviewed.tell();
    Ok(found)
}
