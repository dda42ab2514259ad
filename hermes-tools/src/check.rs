//! Availability checks: a question with an identity of its own.

mod combined;
mod present;

use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::contain::contain;

/// How long a check may take unless it says otherwise.
pub const DEFAULT_BUDGET: Duration = Duration::from_secs(5);

type Question = dyn Fn() -> Answer + Send + Sync;

/// What a check says: whether the tool can be used, and if not, perhaps why.
pub type Answer = Result<(), String>;

/// Says whether a tool can be used now: a key is set, a program is installed, a service answers.
///
/// Clones are one check, and are asked once however many tools share them. Two checks made from
/// the same function are two.
///
/// ```
/// use hermes_tools::Check;
///
/// let check = Check::new("always", || true);
/// assert!(check.is(&check.clone()));
/// assert!(!check.is(&Check::new("always", || true)));
/// ```
#[derive(Clone)]
pub struct Check {
    inner: Arc<Inner>,
}

struct Inner {
    name: String,
    budget: Duration,
    question: Box<Question>,
}

impl Check {
    /// A check of this name, which is for people: logs and explanations.
    ///
    /// The function says yes by `true`, a non-empty text, a number other than zero, `Ok` or `Some`
    /// of these; see [`IntoAnswer`]. A panic, or taking longer than the budget, is a no.
    pub fn new<A, F>(name: impl Into<String>, question: F) -> Check
    where
        A: IntoAnswer,
        F: Fn() -> A + Send + Sync + 'static,
    {
        Check {
            inner: Arc::new(Inner {
                name: name.into(),
                budget: DEFAULT_BUDGET,
                question: Box::new(move || question().into_answer()),
            }),
        }
    }

    /// Gives the check this long to answer. Call it before the check is shared: the result is
    /// another check.
    #[must_use]
    pub fn with_budget(self, budget: Duration) -> Check {
        let inner = match Arc::try_unwrap(self.inner) {
            Ok(inner) => Inner { budget, ..inner },
            Err(shared) => Inner {
                name: shared.name.clone(),
                budget,
                question: Box::new(move || (shared.question)()),
            },
        };
        Check {
            inner: Arc::new(inner),
        }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// How long it may take.
    pub fn budget(&self) -> Duration {
        self.inner.budget
    }

    /// Whether the two are one check.
    pub fn is(&self, other: &Check) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// Asks, on this thread, for as long as it takes; a panic goes through.
    pub fn ask(&self) -> Answer {
        (self.inner.question)()
    }

    /// Asks on this thread; a panic is a no.
    pub(crate) fn ask_guarded(&self) -> Answer {
        contain(|| self.ask()).unwrap_or_else(|text| Err(format!("the check panicked: {text}")))
    }

    /// The identity: equal for clones, and for no other check that lives or has a [`WeakCheck`].
    pub(crate) fn id(&self) -> usize {
        Arc::as_ptr(&self.inner).addr()
    }

    pub(crate) fn downgrade(&self) -> WeakCheck {
        WeakCheck(Arc::downgrade(&self.inner))
    }
}

/// Keeps the identity of a check taken, but not what its function holds.
pub(crate) struct WeakCheck(Weak<Inner>);

impl WeakCheck {
    /// Whether the last handle of the check has been dropped.
    pub(crate) fn is_gone(&self) -> bool {
        self.0.strong_count() == 0
    }
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Check").field(&self.inner.name).finish()
    }
}

/// What a check's function may give.
pub trait IntoAnswer: Sized {
    /// Whether it is a yes, and if not, why.
    fn into_answer(self) -> Answer;

    /// The same for a value that stands in an `Ok`.
    fn into_answer_if_ok(self) -> Answer {
        self.into_answer()
    }
}

fn answer(yes: bool) -> Answer {
    if yes {
        Ok(())
    } else {
        Err("the check says no".to_owned())
    }
}

impl IntoAnswer for bool {
    fn into_answer(self) -> Answer {
        answer(self)
    }
}

impl IntoAnswer for () {
    /// Nothing is a no, as it is in Python.
    fn into_answer(self) -> Answer {
        answer(false)
    }

    /// `Ok(())` says that nothing failed, which is a yes.
    fn into_answer_if_ok(self) -> Answer {
        Ok(())
    }
}

impl IntoAnswer for &str {
    fn into_answer(self) -> Answer {
        answer(!self.is_empty())
    }
}

impl IntoAnswer for String {
    fn into_answer(self) -> Answer {
        answer(!self.is_empty())
    }
}

macro_rules! number_into_answer {
    ($($number:ty),*) => {$(
        impl IntoAnswer for $number {
            fn into_answer(self) -> Answer {
                answer(self != 0)
            }
        }
    )*};
}

number_into_answer!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);

impl<A: IntoAnswer> IntoAnswer for Option<A> {
    fn into_answer(self) -> Answer {
        self.map_or_else(|| answer(false), IntoAnswer::into_answer)
    }
}

impl<A: IntoAnswer, E: fmt::Display> IntoAnswer for Result<A, E> {
    fn into_answer(self) -> Answer {
        match self {
            Ok(value) => value.into_answer_if_ok(),
            Err(error) => Err(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ok_of_nothing_is_a_yes_and_nothing_alone_is_a_no() {
        let fine: Result<(), String> = Ok(());
        assert_eq!(Check::new("ok", move || fine.clone()).ask(), Ok(()));
        assert!(Check::new("nothing", || ()).ask().is_err());
        assert!(
            Check::new("not true", || Ok::<bool, String>(false))
                .ask()
                .is_err()
        );
    }

    #[test]
    fn an_error_gives_its_text_as_the_reason() {
        let check = Check::new("parse", || "x".parse::<i64>());
        assert_eq!(check.ask(), Err("invalid digit found in string".to_owned()));
    }

    #[test]
    fn a_panic_is_a_no_that_says_what_it_said() {
        let check = Check::new("boom", || -> bool { panic!("no {}", "luck") });
        let reason = check.ask_guarded().unwrap_err();
        assert_eq!(reason, "the check panicked: no luck");
    }

    #[test]
    fn a_budget_given_to_a_shared_check_makes_another_check() {
        let first = Check::new("shared", || true);
        let second = first.clone().with_budget(Duration::from_secs(1));
        assert!(!first.is(&second));
        assert_eq!(first.budget(), DEFAULT_BUDGET);
        assert_eq!(second.budget(), Duration::from_secs(1));
        assert_eq!(second.name(), "shared");
        assert_eq!(second.ask(), Ok(()));
    }

    #[test]
    fn a_weak_handle_does_not_keep_what_the_function_holds() {
        let held = Arc::new(());
        let inside = Arc::clone(&held);
        let check = Check::new("holder", move || Arc::strong_count(&inside) > 0);
        let weak = check.downgrade();
        assert!(!weak.is_gone());
        drop(check);
        assert!(weak.is_gone());
        assert_eq!(Arc::strong_count(&held), 1);
    }
}
