//! Settings from a config.

use std::time::Duration;

use hermes_approval::{AskWithoutHuman, CronMode, Mode, OnTimeout, Policy};
use serde_json::{Value, json};

fn read(config: Value) -> (Policy, Vec<String>) {
    let (policy, warnings) = Policy::from_config(&config).unwrap();
    (policy, warnings.iter().map(|w| w.setting.clone()).collect())
}

#[test]
fn a_config_without_settings_means_the_defaults() {
    for config in [
        json!({}),
        json!(null),
        json!("x"),
        json!({"approvals": null}),
        json!({"approvals": {}}),
    ] {
        let (policy, warnings) = read(config);
        assert_eq!((policy, warnings), (Policy::default(), Vec::new()));
    }
    let policy = Policy::default();
    assert_eq!(policy.mode, Mode::Manual);
    assert_eq!(policy.ask_without_human, AskWithoutHuman::Deny);
    assert_eq!(policy.cron_mode, CronMode::Deny);
    assert!(!policy.scanner.fail_open);
}

#[test]
fn the_mode_is_a_word_or_what_yaml_makes_of_it_and_anything_else_asks() {
    for (value, mode, warned) in [
        (json!("manual"), Mode::Manual, false),
        (json!(" Smart "), Mode::Smart, false),
        (json!("OFF"), Mode::Off, false),
        (json!(false), Mode::Off, false),
        (json!(true), Mode::Manual, false),
        (json!(""), Mode::Manual, false),
        (json!(null), Mode::Manual, false),
        (json!("auto"), Mode::Manual, true),
        (json!(1), Mode::Manual, true),
        (json!(["off"]), Mode::Manual, true),
    ] {
        let (policy, warnings) = read(json!({"approvals": {"mode": value}}));
        assert_eq!(policy.mode, mode, "{value}");
        assert_eq!(!warnings.is_empty(), warned, "{value}");
    }
}

#[test]
fn a_list_that_forbids_loses_no_entry() {
    let (policy, _) = read(json!({"approvals": {"deny": "rm *", "ask": ["ssh*", 7, " ", null]}}));
    assert_eq!(policy.deny, ["rm *"]);
    assert_eq!(policy.ask, ["ssh*", "7"]);
    for approvals in [
        json!({"deny": {"a": "b"}}),
        json!({"deny": 3}),
        json!({"ask": [["x"]]}),
        json!("rm *"),
        json!([]),
    ] {
        let error = Policy::from_config(&json!({"approvals": approvals})).unwrap_err();
        assert_eq!(error.code(), "bad_setting");
        assert!(error.to_string().contains("approvals"), "{error}");
    }
}

#[test]
fn a_list_that_allows_leaves_out_what_it_cannot_read() {
    let (policy, warnings) = read(json!({"approvals": {"allow": ["git status", 3, {"a": 1}]}}));
    assert_eq!(policy.allow, ["git status"]);
    assert_eq!(warnings, ["approvals.allow", "approvals.allow"]);
    let (policy, warnings) = read(json!({"approvals": {"allow": "git *"}}));
    assert!(policy.allow.is_empty());
    assert_eq!(warnings, ["approvals.allow"]);
}

/// Hermes 0.19 reads an unquoted `off` or `yes` as a boolean, which denies.
#[test]
fn what_happens_without_a_person_is_never_looser_than_what_was_written() {
    for (value, mode) in [
        (json!("approve"), CronMode::Approve),
        (json!("off"), CronMode::Approve),
        (json!("deny"), CronMode::Deny),
        (json!(true), CronMode::Deny),
        (json!(false), CronMode::Deny),
        (json!("aprove"), CronMode::Deny),
    ] {
        let (policy, _) = read(json!({"approvals": {"cron_mode": value}}));
        assert_eq!(policy.cron_mode, mode, "{value}");
    }
    for (value, headless) in [
        ("allow", AskWithoutHuman::Allow),
        ("as_python", AskWithoutHuman::AsPython),
        ("deny", AskWithoutHuman::Deny),
        ("yes", AskWithoutHuman::Deny),
    ] {
        let (policy, _) = read(json!({"approvals": {"ask_without_human": value}}));
        assert_eq!(policy.ask_without_human, headless, "{value}");
    }
}

#[test]
fn times_and_the_other_sections_are_read() {
    let (policy, warnings) = read(json!({
        "approvals": {"timeout": 1.5, "gateway_timeout": -1, "on_timeout": "stop"},
        "security": {
            "tirith_enabled": true, "tirith_path": "/opt/t", "tirith_timeout": 2,
            "tirith_fail_open": "maybe",
        },
        "auxiliary": {"approval": {"base_url": "http://localhost:1", "model": "m", "timeout": 3}},
    }));
    assert_eq!(policy.timeout, Duration::from_millis(1_500));
    assert_eq!(policy.gateway_timeout, Duration::from_secs(300));
    assert_eq!(policy.on_timeout, OnTimeout::Stop);
    assert!(policy.scanner.enabled && !policy.scanner.fail_open);
    assert_eq!(policy.scanner.timeout, Duration::from_secs(2));
    assert_eq!(policy.smart.model.as_deref(), Some("m"));
    assert_eq!(
        warnings,
        ["approvals.gateway_timeout", "security.tirith_fail_open"]
    );
    for bad in [json!(1e300), json!("60"), json!(0), json!(-0.5)] {
        let (policy, warnings) = read(json!({"approvals": {"timeout": bad}}));
        assert_eq!(policy.timeout, Duration::from_secs(60), "{bad}");
        assert_eq!(warnings, ["approvals.timeout"], "{bad}");
    }
}

#[test]
fn a_policy_goes_through_json_and_back() {
    let (policy, _) = read(json!({"approvals": {"mode": "smart", "deny": ["x"], "timeout": 0.5}}));
    let text = serde_json::to_string(&policy).unwrap();
    assert_eq!(serde_json::from_str::<Policy>(&text).unwrap(), policy);
    assert_eq!(
        serde_json::from_str::<Policy>("{}").unwrap(),
        Policy::default()
    );
}
