//! Services of Windows.

use super::SERVICE;
use super::stop::STOP_KEY;
use crate::platform::Platform;
use crate::rule::{Key, Rule, Severity, Test};

pub(super) const STOP: Rule = Rule {
    id: "service.windows",
    severity: Severity::Medium,
    keys: &[Key::ours("stop or change Windows service")],
    accepts: &[STOP_KEY],
    reason: "This stops, deletes or changes a service of Windows.",
    alternative: Some("Look at it first: `sc query wuauserv`."),
    platforms: &[Platform::Cmd, Platform::PowerShell],
    test: Test::Program(
        &[
            "sc",
            "net",
            "net1",
            "stop-service",
            "restart-service",
            "suspend-service",
            "remove-service",
            "set-service",
        ],
        |look| {
            let verb = look.word(0).unwrap_or("");
            let verb = if verb.starts_with("\\\\") {
                look.word(1).unwrap_or("")
            } else {
                verb
            };
            let is = |verbs: &[&str]| verbs.iter().any(|v| verb.eq_ignore_ascii_case(v));
            let stops = match look.name {
                "sc" => is(&["stop", "delete", "config", "pause", "failure", "sdset"]),
                "net" | "net1" => is(&["stop", "pause"]),
                _ => !look.has_word("-WhatIf"),
            };
            stops.then(|| look.hit())
        },
    ),
    matches: &[
        "sc stop hermes",
        "net stop wuauserv",
        "sc.exe delete x",
        "sc \\\\host stop x",
    ],
    near_misses: &["sc query hermes", "net start", "net use"],
    safe: &["sc queryex", "net start wuauserv"],
    ..SERVICE
};
