//! Each step of the order, and what it found.
#![cfg(unix)]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test stops where it fails, also in its helpers"
)]

mod support;

use hermes_home::{Environment, Selection};
use support::Sandbox;

/// `step: verdict, what was found`, with the sandbox's paths taken out.
fn explained(sandbox: &Sandbox, selection: &Selection, env: &Environment) -> Vec<String> {
    let folder = format!(
        "{}/",
        sandbox.path("").display().to_string().trim_end_matches('/')
    );
    let explanation = selection.explain(env);
    let again = selection.resolve(env);
    match (&explanation.outcome, &again) {
        (Ok(one), Ok(other)) => assert_eq!(one, other),
        (Err(one), Err(other)) => assert_eq!(one.to_string(), other.to_string()),
        other => panic!("{other:?}"),
    }
    explanation
        .steps
        .iter()
        .map(|step| {
            let found = step.found.replace(&folder, "");
            format!("{}: {}, {found}", step.source.as_str(), step.verdict)
        })
        .collect()
}

#[test]
fn an_active_profile_wins_where_nothing_else_says() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    sandbox.activate("coder");
    assert_eq!(
        explained(&sandbox, &Selection::new(), &sandbox.env()),
        [
            "db-flag: passed-over, not given",
            "home-flag: passed-over, not given",
            "profile-flag: passed-over, not given",
            "override: passed-over, none here",
            "env: passed-over, not set",
            "active-profile: chosen, names coder",
            "platform: not-asked, home/.hermes",
        ]
    );
}

#[test]
fn a_profile_in_the_variable_is_not_overruled() {
    let sandbox = Sandbox::with_profiles(&["coder", "beta"]);
    sandbox.activate("beta");
    let env = sandbox.env_at(sandbox.profile("coder"));
    let steps = explained(&sandbox, &Selection::new(), &env);
    assert_eq!(
        steps[4],
        "env: chosen, home/.hermes/profiles/coder, the profile coder"
    );
    assert_eq!(
        steps[5],
        "active-profile: not-asked, not looked at: HERMES_HOME points at a profile"
    );
    // A root in the variable is, unless this is a service.
    let env = sandbox.env_at(sandbox.default());
    let steps = explained(&sandbox, &Selection::new(), &env);
    assert_eq!(steps[4], "env: passed-over, home/.hermes, a root");
    assert_eq!(steps[5], "active-profile: chosen, names beta");
    let steps = explained(&sandbox, &Selection::new(), &env.with_invocation_id("1"));
    assert_eq!(steps[4], "env: chosen, home/.hermes, a root");
    assert_eq!(
        steps[5],
        "active-profile: passed-over, names beta, which a service does not follow"
    );
}

#[test]
fn a_flag_and_an_override_leave_the_rest_unasked() {
    let sandbox = Sandbox::with_profiles(&["coder"]);
    let _scope = sandbox.home_at(sandbox.profile("coder")).enter();
    let steps = explained(&sandbox, &Selection::new(), &sandbox.env());
    assert_eq!(steps[3], "override: chosen, home/.hermes/profiles/coder");
    assert!(steps[4].starts_with("env: not-asked") && steps[6].starts_with("platform: not-asked"));
    let flag = Selection::new().with_profile("default".to_owned());
    let steps = explained(&sandbox, &flag, &sandbox.env());
    assert_eq!(steps[2], "profile-flag: chosen, \"default\"");
    assert!(steps[3].starts_with("override: not-asked"));
}

#[test]
fn the_step_that_failed_is_marked() {
    let sandbox = Sandbox::with_profiles(&[]);
    sandbox.activate("ghost");
    let steps = explained(&sandbox, &Selection::new(), &sandbox.env());
    assert_eq!(
        steps[5],
        "active-profile: failed, names ghost, which does not exist"
    );
    let env = sandbox.env_at(sandbox.write("file", ""));
    let steps = explained(&sandbox, &Selection::new(), &env);
    assert_eq!(steps[4], "env: failed, file");
    let flag = Selection::new().with_profile("ghost".to_owned());
    let steps = explained(&sandbox, &flag, &sandbox.env());
    assert_eq!(steps[2], "profile-flag: failed, \"ghost\"");
}
