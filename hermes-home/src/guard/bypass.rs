//! The two ways out.

use std::cell::Cell;
use std::marker::PhantomData;

pub(super) const VARIABLE: &str = "HERMES_STATE_DB_GUARD_BYPASS";

thread_local! {
    static HELD: Cell<usize> = const { Cell::new(0) };
}

/// While this is held, the guard lets the current thread open production stores.
///
/// For the rare test that means the real thing. Other threads, and so other tests, stay guarded.
#[must_use = "the guard is armed again when this is dropped"]
#[derive(Debug)]
pub struct GuardBypass {
    /// Not `Send`, not `Sync`.
    thread: PhantomData<*mut ()>,
}

impl GuardBypass {
    /// Disarms the guard for this thread until the value is dropped. May be nested.
    pub fn hold() -> Self {
        HELD.with(|held| held.set(held.get().saturating_add(1)));
        Self {
            thread: PhantomData,
        }
    }
}

impl Drop for GuardBypass {
    fn drop(&mut self) {
        // A thread that ends has nothing left to open.
        let _ = HELD.try_with(|held| held.set(held.get().saturating_sub(1)));
    }
}

pub(super) fn is_held() -> bool {
    HELD.try_with(|held| held.get() > 0).unwrap_or(false)
}

pub(super) fn is_in_environment() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|value| is_on(&value))
}

/// `1` and nothing else.
pub(super) fn is_on(value: &std::ffi::OsStr) -> bool {
    value == "1"
}
