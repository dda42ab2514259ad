//! Stopping, updating and starting the gateway.

use super::{HERMES, PROGRAMS};
use crate::look::Look;
use crate::rule::{Key, Rule, Test};
use crate::word::Word;

/// The subcommand with what follows it, without options; none if it isn't Hermes that is run.
pub(super) fn verbs<'a>(look: &Look<'a>) -> Option<Vec<&'a str>> {
    let mut verbs = look
        .operands()
        .iter()
        .map(|w| w.candidates().next().unwrap_or(""));
    if look.name == "python" {
        let at = look.words().iter().position(|w| w.known() == Some("-m"))?;
        if !look.word(at + 1)?.starts_with("hermes_cli") {
            return None;
        }
        let rest = look.words().get(at + 2..)?.iter().filter_map(Word::known);
        return Some(rest.filter(|w| !w.starts_with('-')).collect());
    }
    let first = verbs.next()?;
    Some(std::iter::once(first).chain(verbs).collect())
}

fn gateway(look: &Look<'_>, actions: &[&str]) -> bool {
    verbs(look).is_some_and(|verbs| match verbs.as_slice() {
        ["gateway", action, ..] => actions.contains(action),
        _ => false,
    })
}

pub(super) const GATEWAY: Rule = Rule {
    id: "hermes.gateway-stop",
    keys: &[Key::both(
        "stop/restart hermes gateway (kills running agents)",
    )],
    reason: "This stops the gateway, and with it every agent that it runs, this one too.",
    alternative: Some("Look at it with `hermes gateway status`, and ask the person to restart it."),
    test: Test::Program(PROGRAMS, |look| {
        gateway(look, &["stop", "restart", "uninstall"]).then(|| look.hit())
    }),
    matches: &[
        "hermes gateway stop",
        "hermes gateway restart",
        "hermes -p work gateway restart",
        "hermes --profile work gateway stop",
        "python -m hermes_cli.main gateway stop",
        "hermes gateway uninstall",
    ],
    near_misses: &[
        "hermes gateway status",
        "hermes gateway start",
        "hermes gateway stop --help",
    ],
    safe: &[
        "hermes gateway status",
        "hermes --version",
        "hermes doctor",
        "echo hermes gateway stop",
    ],
    ..HERMES
};

pub(super) const UPDATE: Rule = Rule {
    id: "hermes.update",
    keys: &[Key::both(
        "hermes update (restarts gateway, kills running agents)",
    )],
    reason: "This replaces Hermes and restarts the gateway; every running agent is killed.",
    alternative: Some("See whether there is anything new with `hermes update --check`."),
    test: Test::Program(PROGRAMS, |look| {
        let updates = verbs(look)?.first() == Some(&"update");
        (updates && !look.has_word("--check")).then(|| look.hit())
    }),
    matches: &[
        "hermes update",
        "hermes -p work update",
        "sudo hermes update -y",
    ],
    near_misses: &[
        "hermes updates",
        "hermes update --help",
        "hermes update --check",
    ],
    safe: &["hermes sessions list", "apt list hermes update"],
    ..HERMES
};

pub(super) const OUTSIDE: Rule = Rule {
    id: "hermes.gateway-outside",
    keys: &[Key::both(
        "start gateway outside systemd (use 'systemctl --user restart hermes-gateway')",
    )],
    reason: "A gateway that is started beside its service fights with it over the same files.",
    alternative: Some("Start it as a service: `hermes gateway start`."),
    test: Test::Program(GATEWAYS, |look| {
        let runs = gateway(look, &["run"]) || (look.name == "gateway" && look.verbs(&["run"]));
        let detached =
            look.invocation.background || look.invocation.wrappers.iter().any(|w| w.detaches);
        (runs && detached).then(|| look.hit())
    }),
    matches: &[
        "nohup hermes gateway run",
        "nohup hermes gateway run &",
        "hermes gateway run & disown",
        "setsid hermes gateway run",
        "hermes gateway run &",
        "tmux new -d 'hermes gateway run'",
        "screen -dmS g hermes gateway run",
    ],
    near_misses: &["hermes gateway run", "nohup hermes gateway status"],
    safe: &["hermes gateway start"],
    ..HERMES
};

const GATEWAYS: &[&str] = &["hermes", "hermes-agent", "gateway", "python*"];

pub(super) const LAUNCHD: Rule = Rule {
    id: "hermes.launchd",
    keys: &[Key::from19(
        "stop/restart hermes launchd service (kills running agents)",
    )],
    reason: "This stops or restarts the gateway's service, and with it every running agent.",
    alternative: Some("Look at it with `launchctl list`."),
    test: Test::Program(&["launchctl"], |look| {
        let verb = look.operands().first()?;
        let stops = verb.candidates().any(|c| {
            matches!(
                c,
                "bootout"
                    | "disable"
                    | "kickstart"
                    | "kill"
                    | "remove"
                    | "restart"
                    | "stop"
                    | "unload"
            )
        });
        let service = look
            .operands()
            .iter()
            .skip(1)
            .find(|w| w.text().to_ascii_lowercase().contains("hermes"))?;
        stops.then(|| look.hit_word(service))
    }),
    matches: &[
        "launchctl bootout gui/1/ai.hermes.gateway",
        "launchctl kickstart -k gui/501/ai.hermes.gateway",
        "launchctl unload ~/Library/LaunchAgents/ai.hermes.gateway.plist",
        "launchctl bootout \"gui/$(id -u)/ai.hermes.gateway\"",
    ],
    near_misses: &[
        "launchctl list",
        "launchctl stop com.x",
        "launchctl print gui/1/ai.hermes.gateway",
    ],
    safe: &["launchctl list | grep hermes"],
    ..HERMES
};
