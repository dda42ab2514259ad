//! Something of a thread that calls take along.

use std::any::Any;
use std::cell::Cell;
use std::sync::Arc;

use hermes_tools::{Carried, Carry, Registry};

thread_local! {
    static OWNER: Cell<u32> = const { Cell::new(0) };
}

/// What is in force on this thread; 0 is nothing.
pub(crate) fn owner() -> u32 {
    OWNER.get()
}

/// Puts a value in force on this thread until dropped.
pub(crate) struct Scope(u32);

pub(crate) fn scope(value: u32) -> Scope {
    Scope(OWNER.replace(value))
}

impl Drop for Scope {
    fn drop(&mut self) {
        OWNER.set(self.0);
    }
}

/// The registry, whose calls take this along.
pub(crate) fn carrying(registry: Registry, carry: impl Carry + 'static) -> Registry {
    registry.add_carry(carry);
    registry
}

/// Takes the value along.
pub(crate) struct CarryOwner;

struct Captured(u32);

impl Carry for CarryOwner {
    fn capture(&self) -> Arc<dyn Carried> {
        Arc::new(Captured(owner()))
    }
}

impl Carried for Captured {
    fn enter(&self) -> Box<dyn Any> {
        Box::new(scope(self.0))
    }
}

/// Panics at this moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum BrokenCarry {
    Capture,
    Enter,
    Leave,
}

impl Carry for BrokenCarry {
    fn capture(&self) -> Arc<dyn Carried> {
        assert_ne!(*self, BrokenCarry::Capture, "broken carry");
        Arc::new(*self)
    }
}

impl Carried for BrokenCarry {
    fn enter(&self) -> Box<dyn Any> {
        assert_ne!(*self, BrokenCarry::Enter, "broken carry");
        Box::new(BrokenGuard)
    }
}

struct BrokenGuard;

impl Drop for BrokenGuard {
    fn drop(&mut self) {
        panic!("broken carry");
    }
}
