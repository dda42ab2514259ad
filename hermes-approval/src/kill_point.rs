//! Places in a change where the tests kill the process, to see what is left.

/// Does nothing, except in the unit tests of this crate.
#[cfg(not(test))]
pub(crate) fn reached(_: &'static str) {}

#[cfg(test)]
pub(crate) use armed::{arm, reached};

#[cfg(test)]
mod armed {
    use std::cell::Cell;

    thread_local! {
        static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
    }

    /// Stops this thread for good at the point number `count`, from 0, after saying so.
    pub(crate) fn arm(count: usize) {
        LEFT.set(Some(count));
    }

    pub(crate) fn reached(name: &'static str) {
        match LEFT.get() {
            None => {}
            Some(0) => {
                println!("\nREACHED {name}");
                loop {
                    std::thread::park();
                }
            }
            Some(left) => LEFT.set(Some(left - 1)),
        }
    }
}
