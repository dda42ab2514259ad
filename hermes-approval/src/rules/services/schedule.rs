//! What runs later, by itself.

use super::SERVICE;
use crate::look::Look;
use crate::rule::{Hit, Key, Rule, Severity, Test};

pub(super) const CRONTAB_REMOVE: Rule = Rule {
    id: "service.crontab-remove",
    severity: Severity::High,
    keys: &[Key::ours("remove crontab")],
    reason: "This deletes the whole table of scheduled commands, without a copy.",
    alternative: Some("Keep a copy first: `crontab -l > crontab.bak`."),
    test: Test::Program(&["crontab"], |look| look.has('r', "").then(|| look.hit())),
    matches: &["crontab -r", "crontab -u bob -r", "crontab -ir"],
    near_misses: &["crontab -l", "crontab -e"],
    safe: &["crontab -l", "crontab -l | grep backup", "crontab -u r -l"],
    ..SERVICE
};

pub(super) const CRONTAB_REPLACE: Rule = Rule {
    id: "service.crontab-replace",
    severity: Severity::High,
    keys: &[Key::ours("replace crontab")],
    reason: "This replaces the whole table of scheduled commands.",
    alternative: Some("Keep a copy first: `crontab -l > crontab.bak`."),
    test: Test::Program(&["crontab"], |look| {
        let lists =
            look.has('l', "") || look.has('e', "") || look.has('r', "") || look.has('V', "");
        if lists {
            return None;
        }
        let from = look.operands().first()?;
        Some(look.hit_word(from))
    }),
    matches: &[
        "crontab jobs.txt",
        "echo \"* * * * * /tmp/x\" | crontab -",
        "(crontab -l; echo '* * * * * x') | crontab -",
        "crontab -u bob jobs",
    ],
    near_misses: &["crontab -l", "crontab -r"],
    safe: &["crontab -e", "man crontab"],
    ..SERVICE
};

pub(super) const LATER: Rule = Rule {
    id: "service.later",
    severity: Severity::Medium,
    keys: &[Key::ours("schedule a command for later")],
    reason: "This runs a command later, when nobody is watching, or takes such a command away.",
    alternative: Some("See what is waiting with `atq`."),
    test: Test::Program(&["at", "batch", "atrm", "systemd-run", "schtasks"], later),
    matches: &[
        "at now + 1 minute -f x.sh",
        "echo ls | at midnight",
        "batch < x.sh",
        "atrm 3",
        "at -d 3",
        "systemd-run --on-active=60 x.sh",
        "systemd-run --user --on-calendar=daily x.sh",
        "schtasks /create /tn x /tr y.exe /sc daily",
    ],
    near_misses: &[
        "atq",
        "at -l",
        "systemd-run --user ls",
        "at -c 3",
        "schtasks /query",
    ],
    safe: &["atq", "systemd-run --scope make"],
    ..SERVICE
};

fn later(look: &Look<'_>) -> Option<Hit> {
    let schedules = match look.name {
        "at" => {
            !look.has('l', "")
                && !look.has('c', "")
                && !look.has('V', "")
                && !look.words().is_empty()
        }
        "batch" => look.invocation.program().and_then(|w| w.known()) == Some("batch"),
        "atrm" => !look.operands().is_empty(),
        "schtasks" => look.words().iter().filter_map(|w| w.known()).any(|w| {
            ["/create", "/delete", "/change"]
                .iter()
                .any(|v| w.eq_ignore_ascii_case(v))
        }),
        _ => look
            .options()
            .options
            .iter()
            .any(|o| o.long && o.name.starts_with("on-")),
    };
    schedules.then(|| look.hit())
}
