//! Killing processes by name: the agent may be among them.

use super::HERMES;
use crate::invocation::{Invocation, SubstitutionId};
use crate::look::Look;
use crate::rule::{Hit, Key, Rule, Test};
use crate::word::{PartKind, Unknown, Word};

const EXPANSION_KEYS: &[Key] = &[
    Key::from19("kill process via pgrep/pidof expansion (self-termination)"),
    Key::only13("kill process via pgrep expansion (self-termination)"),
];
const BACKTICK_KEYS: &[Key] = &[
    Key::from19("kill process via backtick pgrep/pidof expansion (self-termination)"),
    Key::only13("kill process via backtick pgrep expansion (self-termination)"),
];
const KILL_KEY: Key = Key::both("kill hermes/gateway process (self-termination)");

/// What names Hermes' processes.
const NAMES: &[&str] = &["hermes", "gateway", "cli.py"];

pub(super) const KILL: Rule = Rule {
    id: "hermes.kill",
    keys: &[KILL_KEY],
    reason: "This kills Hermes' own processes, and with them this conversation.",
    alternative: Some("Look which ones there are with `pgrep -fl hermes`."),
    test: Test::Program(
        &[
            "fuser",
            "killall",
            "killall5",
            "pkill",
            "stop-process",
            "taskkill",
        ],
        |look| {
            if look.name == "fuser" && !look.has('k', "kill") {
                return None;
            }
            if look.value('s', "signal") == Some("0") || look.has_word("-0") {
                return None;
            }
            let named = look.words().iter().find(|word| {
                let text = word.text().to_ascii_lowercase();
                NAMES.iter().any(|name| text.contains(name))
            })?;
            Some(look.hit_word(named))
        },
    ),
    matches: &[
        "pkill hermes",
        "pkill -f hermes_cli",
        "killall -9 gateway",
        "pkill -f 'python.*cli.py'",
        "killall hermes-gateway",
        "pkill -f [h]ermes-gateway",
        "pkill -F ~/.hermes/gateway.pid",
        "fuser -k ~/.hermes/state.db",
    ],
    near_misses: &["pgrep hermes", "pkill -0 hermes", "pkill node"],
    safe: &["pgrep -f hermes", "ps aux | grep hermes"],
    ..HERMES
};

pub(super) const EXPANSION: Rule = Rule {
    id: "hermes.kill-expansion",
    keys: EXPANSION_KEYS,
    reason: "This kills whatever a search for processes finds; the agent may be among it.",
    alternative: Some("Look at the list first: `pgrep -fl node`, then kill one number."),
    test: Test::Program(&["kill"], expands),
    matches: &[
        "kill $(pgrep a)",
        "kill -9 $(pidof a)",
        "kill `pgrep hermes`",
        "kill \"$(pgrep -f a | head -1)\"",
        "pgrep hermes | xargs kill",
        "kill -9 $(cat ~/.hermes/gateway.pid)",
        "kill $(lsof -t ~/.hermes/state.db)",
        "kill -TERM $(ps aux | grep hermes | awk '{print $2}')",
    ],
    near_misses: &[
        "kill $(cat p)",
        "kill 1234",
        "kill -0 $(pgrep a)",
        "kill $(lsof -t -i:3000)",
    ],
    safe: &["pgrep a", "kill -l"],
    ..HERMES
};

fn expands(look: &Look<'_>) -> Option<Hit> {
    let words = look.words();
    let only_asks = look.value('s', "signal") == Some("0")
        || words.first().and_then(|w| w.known()) == Some("-0");
    if only_asks {
        return None;
    }
    let analysis = look.scope.analysis;
    for word in words {
        for id in substitutions(word) {
            if !analysis.inside(id).iter().any(searches) {
                continue;
            }
            let at = analysis.substitution(id).map_or(word.span, |s| s.span);
            let hit = look.hit_at(at);
            let backtick = word.span.of(analysis.original).contains('`');
            return Some(if backtick {
                hit.keys(BACKTICK_KEYS).accepts(EXPANSION_KEYS)
            } else {
                hit
            });
        }
    }
    let by = look.repeated_by()?;
    let mut upstream = look.scope.look(by).upstream();
    upstream
        .any(searches)
        .then(|| look.hit().accepts(&[KILL_KEY]))
}

fn substitutions(word: &Word) -> impl Iterator<Item = SubstitutionId> {
    word.parts().iter().filter_map(|part| match part.kind {
        PartKind::Unknown(Unknown::Command(id)) => Some(id),
        _ => None,
    })
}

/// Finds processes by name, or Hermes' number in a list or a file.
fn searches(invocation: &Invocation) -> bool {
    match invocation.name() {
        Some("pgrep" | "pidof") => true,
        _ => {
            let read = invocation
                .redirects
                .iter()
                .filter_map(|r| r.target.as_ref());
            let mut words = invocation.arguments().iter().chain(read);
            words.any(|word| word.text().to_ascii_lowercase().contains("hermes"))
        }
    }
}

/// Programs that keep others running, and the orders that end them.
const KEEPERS: &[(&str, &[&str])] = &[
    ("screen", &["kill", "quit"]),
    (
        "tmux",
        &[
            "kill-pane",
            "kill-session",
            "kill-window",
            "respawn-pane",
            "respawn-window",
        ],
    ),
    ("zellij", &["delete-session", "ka", "kill-session"]),
];

pub(super) const SESSION: Rule = Rule {
    id: "hermes.end-session",
    keys: &[KILL_KEY],
    reason: "This ends the terminal session that Hermes runs in, and this conversation with it.",
    alternative: Some("Look which sessions there are with `tmux ls`."),
    test: Test::Program(&["screen", "tmux", "zellij"], |look| {
        let (_, orders) = KEEPERS.iter().find(|(name, _)| *name == look.name)?;
        let known = |word: &Word, texts: &[&str]| word.candidates().any(|c| texts.contains(&c));
        let ends = look.words().iter().any(|w| known(w, orders));
        let named = look.words().iter().find(|word| {
            let text = word.text().to_ascii_lowercase();
            text.contains("hermes") || text.contains("gateway")
        })?;
        ends.then(|| look.hit_word(named))
    }),
    matches: &[
        "tmux kill-session -t hermes",
        "tmux kill-window -t main:hermes-gateway",
        "screen -S hermes -X quit",
        "zellij kill-session hermes",
    ],
    near_misses: &["tmux attach -t hermes", "screen -r hermes"],
    safe: &["tmux ls", "tmux new -s hermes", "screen -ls"],
    ..HERMES
};
