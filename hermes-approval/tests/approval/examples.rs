//! The examples of every rule, and what holds for the rules as a list.

use std::collections::HashSet;

use hermes_approval::{
    AnalysisEnv, Decision, Platform, Rule, RuleEffect, Verdict, all_rules, assess, packs,
};

/// A rule for one command language only is tried in that one.
fn verdict(rule: &Rule, command: &str) -> Verdict {
    let platform = rule.platforms.first().copied().unwrap_or(Platform::Posix);
    assess(command, &AnalysisEnv::new("/home/sam"), platform)
}

fn fires(rule: &Rule, command: &str) -> bool {
    verdict(rule, command)
        .findings
        .iter()
        .any(|f| f.rule == rule.id)
}

/// All complaints at once, so that a new pack is put right in one go.
fn none(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn every_match_is_flagged_by_its_rule() {
    let mut wrong = Vec::new();
    for rule in all_rules() {
        for command in rule.matches {
            let verdict = verdict(rule, command);
            let found: Vec<_> = verdict.findings.iter().map(|f| f.rule).collect();
            if !found.contains(&rule.id) {
                wrong.push(format!("{} misses {command:?}; found: {found:?}", rule.id));
            }
            if rule.effect == RuleEffect::Hardline && verdict.decision != Decision::Block {
                wrong.push(format!("{}: {command:?} is not blocked", rule.id));
            }
        }
    }
    none(wrong);
}

#[test]
fn no_near_miss_is_flagged_by_its_rule() {
    let mut wrong = Vec::new();
    for rule in all_rules() {
        for command in rule.near_misses {
            if fires(rule, command) {
                wrong.push(format!("{} flags its near miss {command:?}", rule.id));
            }
        }
    }
    none(wrong);
}

#[test]
fn no_safe_example_is_flagged_by_any_rule() {
    let mut wrong = Vec::new();
    for rule in all_rules() {
        for command in rule.safe {
            let verdict = verdict(rule, command);
            if verdict.decision != Decision::Allow {
                let found: Vec<_> = verdict.findings.iter().map(|f| f.rule).collect();
                wrong.push(format!(
                    "{}: safe {command:?} is flagged by {found:?}",
                    rule.id
                ));
            }
        }
    }
    none(wrong);
}

#[test]
fn no_alternative_is_flagged_by_the_rule_that_proposes_it() {
    let mut wrong = Vec::new();
    for rule in all_rules() {
        let commands = rule.alternative.unwrap_or("").split('`').skip(1).step_by(2);
        for command in commands {
            if fires(rule, command) {
                wrong.push(format!("{} proposes {command:?} and flags it", rule.id));
            }
        }
    }
    none(wrong);
}

#[test]
fn every_rule_is_complete() {
    let mut wrong = Vec::new();
    let mut ids = HashSet::new();
    for pack in packs() {
        for rule in pack.rules {
            let id = rule.id;
            let mut want = |holds: bool, what: &str| {
                if !holds {
                    wrong.push(format!("{id}: {what}"));
                }
            };
            want(ids.insert(id), "is there twice");
            want(rule.pack() == pack.name, "is in another pack");
            want(
                id.bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-.".contains(&b)),
                "has other signs in its id",
            );
            want(!rule.class.is_empty(), "has no class");
            want(
                !rule.keys.is_empty() || id == "unclear.pattern",
                "has no key",
            );
            want(
                !rule.matches.is_empty() || id == "unclear.limit",
                "has no example",
            );
            want(
                !(rule.near_misses.is_empty() && rule.safe.is_empty()) || id == "unclear.limit",
                "has no near miss",
            );
            want(
                rule.reason.ends_with('.') && rule.reason.len() > 20,
                "has no reason",
            );
            want(
                rule.alternative.is_none_or(|a| a.ends_with('.')),
                "has an alternative that is no sentence",
            );
        }
    }
    none(wrong);
}
