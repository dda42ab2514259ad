//! The override of the home, taken along to wherever a handler runs.

use std::any::Any;
use std::sync::Arc;

use hermes_home::Context;
use hermes_tools::{Carried, Carry};

/// Gives handlers the caller's override of the home: see
/// [`HermesHome::enter`](hermes_home::HermesHome::enter).
#[derive(Debug, Clone, Copy)]
pub struct HomeOverride;

struct Captured(Context);

impl Carry for HomeOverride {
    fn capture(&self) -> Arc<dyn Carried> {
        Arc::new(Captured(Context::capture()))
    }
}

impl Carried for Captured {
    fn enter(&self) -> Box<dyn Any> {
        Box::new(self.0.attach())
    }
}
