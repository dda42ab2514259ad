//! The answer: a home, why it is that one, and what is odd about it.

use crate::{HermesHome, HomeSource, Warning};

/// What a resolution found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Resolution {
    /// The home.
    pub home: HermesHome,
    /// Which step of the order decided.
    pub source: HomeSource,
    /// What to tell a person, once per process. Usually empty.
    pub warnings: Vec<Warning>,
}
