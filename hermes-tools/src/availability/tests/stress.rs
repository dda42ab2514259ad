//! Many threads at once.

use std::sync::atomic::AtomicBool;

use super::*;

#[test]
fn whatever_happens_at_once_a_check_runs_once_at_a_time() {
    const THREADS: usize = 8;
    const PASSES: usize = 150;
    // Each look at the clock is 7 s later: verdicts go stale all the time.
    let (start, ticks) = (Instant::now(), Arc::new(AtomicU64::new(0)));
    let availability = Availability::with_clock(Arc::new(move || {
        start + Duration::from_secs(7 * ticks.fetch_add(1, Ordering::SeqCst))
    }));
    let doubled = Arc::new(AtomicBool::new(false));
    let asked = Arc::new(AtomicUsize::new(0));
    let checks: Vec<Check> = (0..6)
        .map(|i| {
            let running = AtomicBool::new(false);
            let (doubled, asked) = (Arc::clone(&doubled), Arc::clone(&asked));
            // Some have no time at all, so that runs are given up and answer late.
            let budget = Duration::from_secs(if i % 3 == 2 { 0 } else { 60 });
            Check::new(format!("stress{i}"), move || {
                if running.swap(true, Ordering::SeqCst) {
                    doubled.store(true, Ordering::SeqCst);
                }
                let turn = asked.fetch_add(1, Ordering::SeqCst);
                thread::yield_now();
                running.store(false, Ordering::SeqCst);
                assert!(turn % 5 != 0, "now and then a panic");
                turn % 3 != 0
            })
            .with_budget(budget)
        })
        .collect();
    thread::scope(|scope| {
        for seed in 0..THREADS {
            let (availability, checks) = (&availability, &checks);
            scope.spawn(move || {
                for round in 0..PASSES {
                    let from = (seed + round) % checks.len();
                    let verdicts = availability.pass(&checks[from..], &[]);
                    for check in &checks[from..] {
                        let verdict = verdicts.get(check);
                        assert_eq!(verdict.available, verdict.reason.is_none());
                    }
                    if round % 10 == seed {
                        availability.invalidate();
                    }
                }
            });
        }
    });
    assert!(!doubled.load(Ordering::SeqCst), "two runs of one check");
    assert!(
        asked.load(Ordering::SeqCst) > checks.len(),
        "nothing went stale"
    );
    assert!(availability.epoch() >= THREADS as u64);
}
