//! What belongs to a thread or task, and has to follow a call to another one.

use std::any::{Any, TypeId};
use std::sync::Arc;

use crate::contain::contain;

/// Takes along what a call depends on without being handed it: the override of a home, the
/// approvals of a conversation, a tracing span.
///
/// Handlers may run on another thread than the caller's. Before that, [`capture`](Carry::capture)
/// is called on the caller's thread; then, around the handler (for an async one, around each poll
/// and its drop) and around hooks, the captured value is [entered](Carried::enter).
///
/// If either panics, the call does not run: it gives an error.
pub trait Carry: Send + Sync {
    /// What the current thread has.
    fn capture(&self) -> Arc<dyn Carried>;
}

/// Captured by [`Carry::capture`].
pub trait Carried: Send + Sync {
    /// Puts it in force on the current thread until the guard is dropped.
    fn enter(&self) -> Box<dyn Any>;
}

/// What is to be taken along: at most one of each type.
#[derive(Clone, Default)]
pub(crate) struct Carries {
    types: Vec<TypeId>,
    all: Vec<Arc<dyn Carry>>,
}

impl Carries {
    /// Adds it, unless one of its type is there.
    pub(crate) fn add<C: Carry + 'static>(&mut self, carry: C) -> bool {
        let is_new = !self.types.contains(&TypeId::of::<C>());
        if is_new {
            self.types.push(TypeId::of::<C>());
            self.all.push(Arc::new(carry));
        }
        is_new
    }

    pub(crate) fn as_slice(&self) -> &[Arc<dyn Carry>] {
        &self.all
    }
}

impl std::fmt::Debug for Carries {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Carries({})", self.all.len())
    }
}

/// Everything that one call takes along.
#[derive(Clone, Default)]
pub(crate) struct Luggage {
    pieces: Arc<[Arc<dyn Carried>]>,
}

impl Luggage {
    /// Captures on this thread; the error says what went wrong.
    pub(crate) fn pack(carries: &[Arc<dyn Carry>]) -> Result<Luggage, String> {
        if carries.is_empty() {
            return Ok(Luggage::default());
        }
        contain(|| Luggage {
            pieces: carries.iter().map(|carry| carry.capture()).collect(),
        })
        .map_err(|text| format!("the context of the call could not be captured: {text}"))
    }

    /// Runs this with everything in force. On an error it did not run.
    pub(crate) fn within<T>(&self, run: impl FnOnce() -> T) -> Result<T, String> {
        let guards = self.enter()?;
        let given = run();
        drop(guards);
        Ok(given)
    }

    fn enter(&self) -> Result<Guards, String> {
        let mut guards = Guards::default();
        for piece in self.pieces.iter() {
            let guard = contain(|| piece.enter())
                .map_err(|text| format!("the context of the call could not be entered: {text}"))?;
            guards.entered.push(guard);
        }
        Ok(guards)
    }
}

/// Puts everything of a [`Luggage`] out of force when dropped: in the opposite order, as nested
/// scopes end.
#[derive(Default)]
struct Guards {
    entered: Vec<Box<dyn Any>>,
}

impl Drop for Guards {
    fn drop(&mut self) {
        while let Some(guard) = self.entered.pop() {
            if let Err(text) = contain(|| drop(guard)) {
                tracing::error!(
                    panic = text,
                    "a carried context could not be left; its thread may keep it"
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Writes down what happens to it.
    #[derive(Clone)]
    struct Piece {
        name: &'static str,
        log: Arc<Mutex<Vec<String>>>,
        fails: bool,
    }

    impl Piece {
        fn note(&self, what: &str) {
            self.log
                .lock()
                .unwrap()
                .push(format!("{what} {}", self.name));
        }
    }

    impl Carry for Piece {
        fn capture(&self) -> Arc<dyn Carried> {
            Arc::new(self.clone())
        }
    }

    impl Carried for Piece {
        fn enter(&self) -> Box<dyn Any> {
            assert!(!self.fails, "broken {}", self.name);
            self.note("enter");
            Box::new(Entered(self.clone()))
        }
    }

    struct Entered(Piece);

    impl Drop for Entered {
        fn drop(&mut self) {
            self.0.note("leave");
        }
    }

    fn packed(log: &Arc<Mutex<Vec<String>>>, pieces: &[(&'static str, bool)]) -> Luggage {
        let carries: Vec<Arc<dyn Carry>> = pieces
            .iter()
            .map(|&(name, fails)| {
                let log = Arc::clone(log);
                Arc::new(Piece { name, log, fails }) as Arc<dyn Carry>
            })
            .collect();
        Luggage::pack(&carries).unwrap()
    }

    #[test]
    fn pieces_are_left_in_the_opposite_order() {
        let log = Arc::default();
        let luggage = packed(&log, &[("a", false), ("b", false)]);
        assert_eq!(luggage.within(|| 1), Ok(1));
        let seen = log.lock().unwrap().join(", ");
        assert_eq!(seen, "enter a, enter b, leave b, leave a");
    }

    #[test]
    fn a_piece_that_cannot_be_entered_stops_the_run_and_the_others_are_left() {
        let log = Arc::default();
        let luggage = packed(&log, &[("a", false), ("b", false), ("c", true)]);
        let error = luggage.within(|| unreachable!()).unwrap_err();
        assert!(error.ends_with("broken c"), "{error}");
        let seen = log.lock().unwrap().join(", ");
        assert_eq!(seen, "enter a, enter b, leave b, leave a");
    }
}
