//! What Hermes knows, and what it may do without asking.

use super::lifecycle::verbs;
use super::{HERMES, PROGRAMS};
use crate::rule::{Key, Rule, Severity, Test};
use crate::word::Word;

/// What loses something that Hermes keeps.
const LOSES: &[&[&str]] = &[
    &["auth", "remove"],
    &["auth", "reset"],
    &["checkpoints", "clear"],
    &["checkpoints", "prune"],
    &["cron", "delete"],
    &["cron", "remove"],
    &["cron", "rm"],
    &["import"],
    &["logout"],
    &["mcp", "remove"],
    &["memory", "off"],
    &["memory", "reset"],
    &["pairing", "clear-pending"],
    &["pairing", "revoke"],
    &["plugins", "remove"],
    &["profile", "delete"],
    &["sessions", "delete"],
    &["sessions", "prune"],
    &["skills", "reset"],
    &["skills", "uninstall"],
    &["uninstall"],
    &["webhook", "remove"],
];

pub(super) const STATE: Rule = Rule {
    id: "hermes.lose-state",
    keys: &[Key::ours("delete or replace what Hermes keeps")],
    reason: "This deletes or replaces sessions, schedules, profiles or settings of Hermes.",
    alternative: Some("Keep a copy first with `hermes backup`."),
    test: Test::Program(PROGRAMS, |look| {
        let verbs = verbs(look)?;
        let loses = LOSES.iter().any(|order| verbs.starts_with(order));
        (loses && !look.has_word("--dry-run")).then(|| look.hit())
    }),
    matches: &[
        "hermes uninstall",
        "hermes cron remove all",
        "hermes sessions prune --older-than 1",
        "hermes -p work sessions delete x",
        "hermes profile delete work -y",
    ],
    near_misses: &[
        "hermes cron list",
        "hermes sessions list",
        "hermes uninstall --help",
    ],
    safe: &[
        "hermes sessions list",
        "hermes profile list",
        "hermes chat -q 'uninstall x'",
    ],
    ..HERMES
};

/// Beginnings of settings that say what Hermes may do.
const GUARDS: &[&str] = &[
    "approvals",
    "command_allowlist",
    "security",
    "hooks",
    "terminal.backend",
];

pub(super) const SETTING: Rule = Rule {
    id: "hermes.loosen",
    severity: Severity::Critical,
    keys: &[Key::ours("change what Hermes may do without asking")],
    reason: "This changes the settings that keep Hermes from running dangerous commands.",
    alternative: Some("Look at them with `hermes config show`, and leave the change to a person."),
    test: Test::Program(PROGRAMS, |look| {
        let verbs = verbs(look)?;
        let sets = match verbs.as_slice() {
            ["config", "set" | "unset", name, ..] => GUARDS.iter().any(|guard| {
                name.strip_prefix(guard)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            }),
            _ => false,
        };
        let yolo = look.has_word("--yolo") || look.has_word("--accept-hooks");
        (sets || yolo).then(|| look.hit())
    }),
    matches: &[
        "hermes config set approvals.mode off",
        "hermes -p x config set security.tirith_enabled false",
        "hermes --yolo chat",
        "hermes chat --yolo -q x",
    ],
    near_misses: &["hermes config set model.default x", "hermes config show"],
    safe: &["hermes chat -q 'what is --yolo'", "hermes config path"],
    ..HERMES
};

pub(super) const YOLO: Rule = Rule {
    id: "hermes.yolo-variable",
    severity: Severity::Critical,
    keys: &[Key::ours("set HERMES_YOLO_MODE (turns approvals off)")],
    reason: "With this variable Hermes no longer asks before it runs a dangerous command.",
    alternative: Some("See what is set with `printenv HERMES_YOLO_MODE`."),
    test: Test::Any(|look| {
        let invocation = look.invocation;
        for assignment in &invocation.assignments {
            if assignment.name == VARIABLE && assignment.values.iter().any(is_on) {
                return Some(look.hit_at(assignment.span));
            }
        }
        if invocation.name() != Some("env") {
            return None;
        }
        let set = look.words().iter().find(|word| {
            word.text()
                .strip_prefix(VARIABLE)
                .and_then(|rest| rest.strip_prefix('='))
                .is_some_and(|value| !is_off(value))
        })?;
        Some(look.hit_word(set))
    }),
    matches: &[
        "export HERMES_YOLO_MODE=1",
        "HERMES_YOLO_MODE=true hermes",
        "env HERMES_YOLO_MODE=1 hermes",
        "HERMES_YOLO_MODE=$X hermes",
    ],
    near_misses: &[
        "export HERMES_YOLO_MODE=0",
        "unset HERMES_YOLO_MODE",
        "echo HERMES_YOLO_MODE=1",
    ],
    safe: &["echo $HERMES_YOLO_MODE", "grep HERMES_YOLO_MODE=1 notes.md"],
    ..HERMES
};

const VARIABLE: &str = "HERMES_YOLO_MODE";

/// What isn't known may be anything.
fn is_on(value: &Word) -> bool {
    value.known().is_none_or(|v| !is_off(v))
}

fn is_off(value: &str) -> bool {
    let value = value.trim().to_ascii_lowercase();
    matches!(value.as_str(), "" | "0" | "false" | "no" | "off")
}
