//! Checks made of checks.

use std::time::Duration;

use crate::check::{Answer, Check};

impl Check {
    /// Says yes if every one of these does. They are asked in this order, up to the first no,
    /// whose reason is given: put the cheap ones first. None at all is a yes.
    ///
    /// The parts are asked within this check: their answers are not shared with other checks, and
    /// its budget is all of theirs together.
    ///
    /// ```
    /// use hermes_tools::Check;
    ///
    /// let check = Check::all([Check::new("a", || true), Check::new("b", || Err::<(), _>("b is down"))]);
    /// assert_eq!(check.name(), "a and b");
    /// assert_eq!(check.ask(), Err("b is down".to_owned()));
    /// ```
    pub fn all(checks: impl IntoIterator<Item = Check>) -> Check {
        let parts: Vec<Check> = checks.into_iter().collect();
        combined(parts, " and ", "nothing", |parts| {
            parts.iter().try_for_each(Check::ask)
        })
    }

    /// Says yes if one of these does. They are asked in this order, up to the first yes; else all
    /// reasons are given. A panic of one is its no. None at all is a no.
    ///
    /// Parts and budget are as those of [`all`](Check::all).
    pub fn any(checks: impl IntoIterator<Item = Check>) -> Check {
        let parts: Vec<Check> = checks.into_iter().collect();
        combined(parts, " or ", "any of nothing", |parts| {
            let mut reasons = Vec::new();
            for part in parts {
                match part.ask_guarded() {
                    Ok(()) => return Ok(()),
                    Err(reason) => reasons.push(reason),
                }
            }
            if reasons.is_empty() {
                reasons.push("there is nothing to choose from".to_owned());
            }
            Err(reasons.join("; "))
        })
    }
}

fn combined(
    parts: Vec<Check>,
    between: &str,
    name_of_none: &str,
    ask: fn(&[Check]) -> Answer,
) -> Check {
    if parts.is_empty() {
        return Check::new(name_of_none, move || ask(&[]));
    }
    let names: Vec<&str> = parts.iter().map(Check::name).collect();
    let name = names.join(between);
    let budget = parts
        .iter()
        .map(Check::budget)
        .fold(Duration::ZERO, Duration::saturating_add);
    Check::new(name, move || ask(&parts)).with_budget(budget)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn no(reason: &'static str) -> Check {
        Check::new(reason, move || Err::<(), _>(reason))
    }

    fn counted(yes: bool) -> (Check, Arc<AtomicUsize>) {
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&asked);
        let check = Check::new("counted", move || {
            counter.fetch_add(1, Ordering::SeqCst);
            yes
        });
        (check, asked)
    }

    #[test]
    fn all_stops_at_the_first_no() {
        let (last, asked) = counted(true);
        let check = Check::all([Check::new("a", || true), no("b is down"), last]);
        assert_eq!(check.ask(), Err("b is down".to_owned()));
        assert_eq!(asked.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn all_says_yes_when_every_part_does() {
        let (part, asked) = counted(true);
        assert_eq!(Check::all([part.clone(), part]).ask(), Ok(()));
        assert_eq!(asked.load(Ordering::SeqCst), 2);
        assert_eq!(Check::all([]).ask(), Ok(()));
    }

    #[test]
    fn any_stops_at_the_first_yes_and_survives_a_panic() {
        let (last, asked) = counted(true);
        let boom = Check::new("boom", || -> bool { panic!("boom") });
        let check = Check::any([no("a is down"), boom, Check::new("c", || true), last]);
        assert_eq!(check.ask(), Ok(()));
        assert_eq!(asked.load(Ordering::SeqCst), 0);
    }

    #[test]
    fn any_gives_every_reason_when_all_say_no() {
        let check = Check::any([no("a is down"), no("b is down")]);
        assert_eq!(check.ask(), Err("a is down; b is down".to_owned()));
        assert_eq!(
            Check::any([]).ask(),
            Err("there is nothing to choose from".to_owned())
        );
    }

    #[test]
    fn a_combined_check_has_the_time_of_all_its_parts() {
        let second = Duration::from_secs(1);
        let long = no("x").with_budget(Duration::MAX);
        assert_eq!(
            Check::all([no("a").with_budget(second), no("b").with_budget(second)]).budget(),
            second * 2
        );
        assert_eq!(Check::any([no("a"), long]).budget(), Duration::MAX);
    }
}
