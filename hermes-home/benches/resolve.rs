//! What a resolution costs: medians of many batches, in nanoseconds.
//!
//! ```text
//! cargo bench -p hermes-home --bench resolve
//! ```
//!
//! Exits with 1 when a figure that has a limit is above it.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a bench stops where it fails"
)]

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use hermes_home::{Environment, Platform, Selection, guard, resolve};

const BATCHES: usize = 301;
const CALLS: u32 = 200;

/// The median of the time for one call.
fn median(mut work: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..BATCHES)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..CALLS {
                work();
            }
            start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() -> ExitCode {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let user = folder.path().join("home");
    let coder = user.join(".hermes/profiles/coder");
    std::fs::create_dir_all(&coder).expect("a directory");
    let unset = Environment::new(Platform::host()).with_user_home(&user);
    let at_coder = unset.clone().with_hermes_home(&coder);
    // By the rules of the other platform nothing exists, and every folder above is looked for.
    let (other, home) = match Platform::host() {
        Platform::Windows => (Platform::Unix, "/home/ann"),
        _ => (Platform::Windows, r"C:\Users\ann"),
    };
    let no_files = Environment::new(other).with_user_home(home);
    let no_files_at = no_files
        .clone()
        .with_hermes_home("~/.hermes/profiles/coder");
    let found = resolve(&at_coder).expect("a home").home;

    let mut failed = false;
    let mut show = |name: &str, limit: Option<f64>, nanos: f64| {
        let limit_text = limit
            .map(|limit| format!("limit {limit:.0} ns"))
            .unwrap_or_default();
        println!("{name:<44} {nanos:>9.1} ns   {limit_text}");
        failed |= limit.is_some_and(|limit| nanos > limit);
    };
    {
        let _scope = found.enter();
        let nanos = median(|| drop(black_box(resolve(black_box(&unset)))));
        show("resolve, with an override", Some(100.0), nanos);
    }
    // Uncached, and apart from what the file system takes for the same questions.
    let default = user.join(".hermes");
    let active = default.join("active_profile");
    for (name, env, looks) in [
        ("resolve, default", &unset, vec![&default, &active]),
        ("resolve, HERMES_HOME at a profile", &at_coder, vec![&coder]),
    ] {
        let whole = median(|| drop(black_box(resolve(black_box(env)))));
        let looking = median(|| {
            for path in &looks {
                drop(black_box(std::fs::metadata(black_box(path))));
            }
        });
        show(&format!("{name}, on disk"), None, whole);
        show("  without looking at files", Some(5e3), whole - looking);
    }
    for (name, env) in [
        ("resolve, default, the other platform", &no_files),
        ("resolve, HERMES_HOME, the other platform", &no_files_at),
    ] {
        let nanos = median(|| drop(black_box(resolve(black_box(env)))));
        show(name, None, nanos);
    }
    let nanos = median(|| drop(black_box(Selection::new().resolve(black_box(&unset)))));
    show("select, default, on disk", None, nanos);
    let nanos = median(|| drop(black_box(found.enter())));
    show("enter and leave an override", None, nanos);
    let nanos = median(|| drop(black_box(Environment::from_process())));
    show("read the environment of the process", None, nanos);
    let store = found.state_db();
    let nanos = median(|| drop(black_box(guard::check(black_box(store)))));
    show("guard, this store, in a test context", None, nanos);
    if failed {
        println!("above a limit");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
