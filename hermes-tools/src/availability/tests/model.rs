//! Any sequence of passes gives what a small model of the rules gives.

use proptest::prelude::*;

use super::*;

const CHECKS: usize = 3;

#[derive(Debug, Clone)]
enum Act {
    /// Lets so many milliseconds pass.
    Wait(u64),
    Set(usize, bool),
    Pass(Vec<usize>),
    Invalidate,
}

/// One check, by the text of the rules, in milliseconds.
#[derive(Clone, Default)]
struct Model {
    kept: Option<(u64, bool)>,
    last_yes: Option<u64>,
    asked: usize,
}

impl Model {
    /// Available, flaky, fresh until.
    fn pass(&mut self, now: u64, says: bool) -> (bool, bool, u64) {
        if let Some((at, available)) = self.kept
            && now - at < 30_000
        {
            return (available, false, at + 30_000);
        }
        self.asked += 1;
        if says {
            self.last_yes = Some(now);
        } else if self.last_yes.is_some_and(|yes| now - yes <= 60_000) {
            self.kept = None;
            return (true, true, now);
        }
        self.kept = Some((now, says));
        (says, false, now + 30_000)
    }
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let edges = prop::sample::select(vec![1, 29_999, 30_000, 30_001, 59_999, 60_000, 60_001]);
    let act = prop_oneof![
        3 => edges.prop_map(Act::Wait),
        2 => (0_u64..70_000).prop_map(Act::Wait),
        3 => (0..CHECKS, any::<bool>()).prop_map(|(check, yes)| Act::Set(check, yes)),
        6 => prop::collection::vec(0..CHECKS, 0..5).prop_map(Act::Pass),
        1 => Just(Act::Invalidate),
    ];
    prop::collection::vec(act, 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_sequence_of_passes_is_as_the_rules_say(acts in acts()) {
        let clock = TestClock::new();
        let availability = clock.availability();
        let switches: Vec<Switch> = (0..CHECKS).map(|i| Switch::new(&format!("m{i}"))).collect();
        let mut models = vec![Model::default(); CHECKS];
        let mut says = [true; CHECKS];
        let mut now = 0;
        for act in acts {
            match act {
                Act::Wait(ms) => {
                    now += ms;
                    clock.set_ms(now);
                }
                Act::Set(check, yes) => {
                    says[check] = yes;
                    switches[check].set(yes);
                }
                Act::Invalidate => {
                    availability.invalidate();
                    for model in &mut models {
                        *model = Model { asked: model.asked, ..Model::default() };
                    }
                }
                Act::Pass(which) => {
                    let checks: Vec<Check> =
                        which.iter().map(|i| switches[*i].check.clone()).collect();
                    let verdicts = availability.pass(&checks, &[]);
                    let mut distinct = which.clone();
                    distinct.sort_unstable();
                    distinct.dedup();
                    let mut fresh_until = None;
                    for i in distinct {
                        let (available, flaky, until) = models[i].pass(now, says[i]);
                        let verdict = verdicts.get(&switches[i].check);
                        prop_assert_eq!((verdict.available, verdict.flaky), (available, flaky));
                        prop_assert_eq!(verdict.reason.is_none(), available);
                        prop_assert_eq!(switches[i].asked(), models[i].asked);
                        fresh_until = [fresh_until, Some(until)].into_iter().flatten().min();
                    }
                    let fresh_until = fresh_until.map(|ms| clock.start + Duration::from_millis(ms));
                    prop_assert_eq!(verdicts.fresh_until(), fresh_until);
                }
            }
        }
    }
}
