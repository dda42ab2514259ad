//! Ending and slowing down processes.

use super::interpreters::substitutions;
use crate::invocation::Invocation;
use crate::look::Look;
use crate::rule::{Help, Key, Pack, Rule, Severity, Test};
use crate::signals;
use crate::word::{Unknown, Word};

pub(super) static PACK: Pack = Pack {
    name: "proc",
    about: "ending processes by name, by pattern, by port, or by force",
    rules: &[
        FORCE,
        KILLALL_S,
        KILLALL_REGEX,
        BY_NAME,
        KILL_ALL,
        SELECTED,
        FORCED_NUMBER,
        PORT,
        SESSION,
        PRIORITY,
    ],
};

const FORCE: Rule = Rule {
    id: "proc.force-kill",
    class: "proc",
    severity: Severity::Medium,
    keys: &[Key::both("force kill processes")],
    accepts: &[Key::from19("force kill processes (killall -KILL)")],
    reason: "This ends all processes of a name at once; they can't save or clean up.",
    alternative: Some("Look at them with `pgrep -a node` and end the one that is meant."),
    test: Test::Program(&["pkill", "killall", "skill", "slay"], |look| {
        let forced = signals::named_signal(look).is_some_and(signals::is_forced);
        if !forced || signals::is_harmless(look) {
            return None;
        }
        let keys = match look.name {
            "killall" if look.value('s', "signal").is_some() => return None,
            "killall" => KILLALL,
            _ => FORCE.keys,
        };
        Some(look.hit().keys(keys))
    }),
    matches: &[
        "pkill -9 node",
        "pkill -KILL a",
        "killall -9 postgres",
        "killall -KILL java",
        "pkill -f -9 x",
    ],
    near_misses: &["pkill node", "killall -s KILL java"],
    safe: &["pgrep -f node", "killall -l", "pkill -0 x"],
    ..Rule::ASK
};

const KILLALL: &[Key] = &[Key::from19("force kill processes (killall -KILL)")];

const KILLALL_S: Rule = Rule {
    id: "proc.killall-signal",
    class: "proc",
    severity: Severity::Medium,
    keys: &[Key::from19("force kill processes (killall -s KILL)")],
    reason: "This ends all processes of a name at once; they can't save or clean up.",
    alternative: Some("Look at them with `pgrep -a java` and end the one that is meant."),
    test: Test::Program(&["killall"], |look| {
        let signal = look.value('s', "signal")?;
        signals::is_forced(signal).then(|| look.hit())
    }),
    matches: &[
        "killall -s KILL java",
        "killall -s 9 x",
        "killall --signal SIGKILL x",
    ],
    near_misses: &["killall -s TERM java"],
    safe: &["killall -l"],
    ..Rule::ASK
};

const KILLALL_REGEX: Rule = Rule {
    id: "proc.killall-regex",
    class: "proc",
    severity: Severity::Medium,
    keys: &[Key::from19("kill processes by regex (killall -r)")],
    reason: "This ends every process whose name fits a pattern.",
    alternative: Some("Look at them with `pgrep -a '^py'` and end the one that is meant."),
    test: Test::Program(&["killall"], |look| {
        look.has('r', "regexp").then(|| look.hit())
    }),
    matches: &["killall -r '^py'", "killall --regexp x"],
    near_misses: &["killall -I a"],
    safe: &["killall -l"],
    ..Rule::ASK
};

const BY_NAME: Rule = Rule {
    id: "proc.kill-by-name",
    class: "proc",
    severity: Severity::Medium,
    keys: &[Key::ours("kill processes by name")],
    accepts: &[
        Key::both("force kill processes"),
        Key::from19("force kill processes (killall -KILL)"),
        Key::from19("force kill processes (killall -s KILL)"),
        Key::from19("kill processes by regex (killall -r)"),
    ],
    reason: "This ends every process whose name fits, whoever's it is.",
    alternative: Some("Look at them with `pgrep -a python` and end the one that is meant."),
    test: Test::Program(&["pkill", "killall", "skill", "slay"], |look| {
        let harmless = signals::is_harmless(look)
            || signals::named_signal(look).is_some_and(|s| matches!(s, "0" | "WINCH" | "CONT"));
        (!harmless && !look.words().is_empty()).then(|| look.hit())
    }),
    matches: &[
        "pkill python",
        "pkill -u alice",
        "killall node",
        "sudo pkill -f server.py",
    ],
    near_misses: &["pkill -0 python"],
    safe: &[
        "pgrep python",
        "ps aux | grep kill",
        "npm run kill-port-tests",
    ],
    ..Rule::ASK
};

const KILL_ALL: Rule = Rule {
    id: "proc.kill-all",
    class: "proc",
    severity: Severity::Critical,
    keys: &[Key::both("kill all processes")],
    reason: "This ends every process that can be ended, or all of a group.",
    alternative: Some("End the one process that is meant by its number."),
    test: Test::Program(&["kill"], |look| {
        let kill = signals::kill(look)?;
        let all = kill.pids.iter().find(|w| w.known() == Some("-1"))?;
        Some(look.hit_word(all))
    }),
    matches: &["kill -9 -1", "kill -TERM -1"],
    near_misses: &["kill -1 1234"],
    safe: &["kill 1234"],
    ..Rule::ASK
};

const SELECTED: Rule = Rule {
    id: "proc.kill-selected",
    class: "proc",
    severity: Severity::Medium,
    keys: SUBSTITUTED,
    reason: "Which processes are ended is only known when the command runs.",
    alternative: Some("Look up the number first, then `kill 1234`."),
    test: Test::Program(&["kill"], |look| {
        let kill = signals::kill(look)?;
        if let Some((word, inside)) = kill
            .pids
            .iter()
            .find_map(|w| Some((w, looked_up(look, w)?)))
        {
            let finds = inside.is("pgrep") || inside.is("pidof");
            let keys = match (finds, word.raw().contains('`')) {
                (true, false) => SUBSTITUTED,
                (true, true) => BACKTICK,
                (false, _) => UNKNOWN,
            };
            return Some(look.hit_word(word).keys(keys));
        }
        let listed = || kill.pids.iter().any(|w| w.known().is_none());
        let looped = look.invocation.context.in_loop && listed();
        (looped || look.repeated_by().is_some()).then(|| look.hit().keys(UNKNOWN))
    }),
    matches: &[
        "kill $(pgrep node)",
        "kill -9 $(pidof a)",
        "kill `pgrep node`",
        "kill $(lsof -t -i:5432)",
        "pgrep node | xargs kill",
        "ps aux | grep x | awk '{print $2}' | xargs kill -9",
        "for p in $(pgrep -u www); do kill -9 $p; done",
        "pgrep node | while read -r p; do kill \"$p\"; done",
        "P=$(pgrep node); kill $P",
        "PID=$(lsof -ti:3000) && kill -9 $PID",
    ],
    near_misses: &["kill 1234", "kill $(cat p)"],
    safe: &[
        "kill 1234",
        "kill -TERM 5678",
        "kill $(cat app.pid)",
        "kill %1",
        "kill $!",
        "P=$(cat app.pid); kill \"$P\"",
        "while kill -0 $PID; do sleep 1; done",
        "./server & P=$!; sleep 2; kill $P",
    ],
    ..Rule::ASK
};

const SUBSTITUTED: &[Key] = &[
    Key::from19("kill process via pgrep/pidof expansion (self-termination)"),
    Key::only13("kill process via pgrep expansion (self-termination)"),
];
const BACKTICK: &[Key] = &[
    Key::from19("kill process via backtick pgrep/pidof expansion (self-termination)"),
    Key::only13("kill process via backtick pgrep expansion (self-termination)"),
];
const UNKNOWN: &[Key] = &[Key::ours("kill processes that a command selects")];

/// The program that looks up the numbers, if it isn't a file with one number in it.
fn looked_up<'a>(look: &Look<'a>, word: &Word) -> Option<&'a Invocation> {
    let direct = word.unknowns().find_map(|u| match u {
        Unknown::Command(id) => Some(*id),
        _ => None,
    });
    let through_variable = || substitutions(look.scope, word).into_iter().next();
    let id = direct.or_else(through_variable)?;
    let inside = look.scope.analysis.inside(id);
    let finds = |i: &&Invocation| i.is("pgrep") || i.is("pidof");
    let lists = |i: &&Invocation| i.name().is_some_and(|n| LISTERS.contains(&n));
    let found = match direct {
        Some(_) => inside.iter().find(finds).or(inside.first())?,
        None => inside.iter().find(finds).or(inside.iter().find(lists))?,
    };
    let names_one = matches!(found.name(), Some("cat" | "head" | "echo" | "printf" | "<"));
    (!names_one).then_some(found)
}

/// What lists the processes that there are.
const LISTERS: &[&str] = &["fuser", "jobs", "lsof", "netstat", "ps", "ss"];

const FORCED_NUMBER: Rule = Rule {
    id: "proc.kill-init",
    class: "proc",
    severity: Severity::High,
    keys: &[Key::ours("kill process 1 or a process group")],
    reason: "This signals the first process of the system, or a whole group of processes.",
    alternative: Some("End the one process that is meant by its number."),
    test: Test::Program(&["kill"], |look| {
        let kill = signals::kill(look)?;
        let harmless = matches!(kill.signal, Some("HUP" | "SIGHUP" | "1" | "USR1" | "USR2"));
        let at = kill.pids.iter().find(|w| match w.known() {
            None => is_own(w) && !harmless,
            Some("1") => !harmless,
            Some("0") => true,
            Some(text) => {
                kill.is_forced()
                    && text != "-1"
                    && text.starts_with('-')
                    && text.get(1..).is_some_and(|n| n.parse::<u32>().is_ok())
            }
        })?;
        Some(look.hit_word(at))
    }),
    matches: &[
        "kill -9 1",
        "kill 1",
        "kill -9 -4321",
        "kill -TERM 0",
        "kill -9 $PPID",
        "kill -- -$$",
    ],
    near_misses: &["kill -9 4321", "kill -HUP 1"],
    safe: &["kill 1234", "kill -HUP 99", "kill -9 4321"],
    ..Rule::ASK
};

/// The process that started this one, or the group of this one.
fn is_own(word: &Word) -> bool {
    word.unknowns().any(|u| match u {
        Unknown::Variable(name) => name == "PPID",
        Unknown::Special('$') => word.known_prefix() == "-",
        _ => false,
    })
}

const PORT: Rule = Rule {
    id: "proc.kill-port",
    class: "proc",
    severity: Severity::Medium,
    keys: &[Key::ours("kill whatever uses a port or file")],
    reason: "This ends whatever happens to use a port, a file or a file system.",
    alternative: Some("See who uses it with `lsof -i:8080`."),
    test: Test::Program(KILLERS, |look| match look.name {
        "fuser" => look.has('k', "kill").then(|| look.hit()),
        _ => (!look.words().is_empty()).then(|| look.hit()),
    }),
    matches: &["fuser -k 8080/tcp", "fuser -km /mnt", "npx kill-port 3000"],
    near_misses: &["fuser 8080/tcp"],
    safe: &["fuser -v 8080/tcp", "lsof -i:8080"],
    ..Rule::ASK
};

#[rustfmt::skip]
const KILLERS: &[&str] = &[
    "fkill", "fkill-cli", "fuser", "kill-port", "kill-port-process", "killport", "pskill", "rkill", "snice", "tree-kill",
];

const SESSION: Rule = Rule {
    id: "proc.end-session",
    class: "proc",
    severity: Severity::Medium,
    keys: &[Key::ours("end terminal sessions or windows")],
    reason: "This ends a session or a window with everything that runs in it.",
    alternative: Some("See what runs there: `tmux list-sessions`, `screen -ls`."),
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "byobu", "hyprctl", "i3-msg", "screen", "swaymsg", "tmux", "wmctrl", "xdotool",
            "xkill", "zellij",
        ],
        |look| ends_session(look).then(|| look.hit()),
    ),
    matches: &[
        "tmux kill-server",
        "tmux kill-session -t x",
        "tmux -L x kill-ses -a",
        "tmux new -d \\; kill-window -t x",
        "tmux respawn-pane -k",
        "screen -S main -X quit",
        "screen -XS main quit",
        "zellij kill-all-sessions -y",
        "xkill -all",
        "xdotool search --name x windowkill",
        "i3-msg kill",
    ],
    near_misses: &[
        "tmux new -s kill-server",
        "tmux send-keys -t dev 'kill-server' Enter",
        "screen -S main",
        "screen -X hardcopy x",
    ],
    safe: &[
        "tmux ls",
        "tmux attach -t kill-session",
        "screen -ls",
        "zellij attach main",
        "wmctrl -l",
        "tmux rename-session kill",
    ],
    ..Rule::ASK
};

fn ends_session(look: &Look<'_>) -> bool {
    let words = || look.words().iter().filter_map(|w| w.known());
    let has = |expected: &[&str]| words().any(|w| expected.contains(&w));
    match look.name {
        "tmux" | "byobu" => {
            // A command stands in front, and behind each `;`.
            let mut start = true;
            let mut value = false;
            let mut respawns = false;
            words().any(|word| {
                if std::mem::take(&mut value) {
                    return false;
                }
                if word == ";" {
                    start = true;
                    return false;
                }
                if start && word.starts_with('-') {
                    value = matches!(word, "-L" | "-S" | "-f" | "-c" | "-T");
                    return false;
                }
                let first = std::mem::take(&mut start);
                respawns |= first && word.starts_with("respawn");
                respawns && word == "-k"
                    || first
                        && (word.starts_with("kill-") || matches!(word, "killw" | "killp" | "kill"))
            })
        }
        "screen" => {
            let sends =
                words().any(|w| w.starts_with('-') && !w.starts_with("--") && w.contains('X'));
            sends && has(&["quit", "kill"])
        }
        "zellij" => words().next().is_some_and(|w| {
            w.starts_with("kill-")
                || w.starts_with("delete-")
                || matches!(w, "k" | "ka" | "d" | "da")
        }),
        "wmctrl" => has(&["-c", "-ic"]),
        "xdotool" => has(&["windowkill", "windowquit", "windowclose"]),
        "xkill" => true,
        _ => has(&["kill", "killactive"]) || words().any(|w| w.ends_with("] kill")),
    }
}

const PRIORITY: Rule = Rule {
    id: "proc.renice-all",
    class: "proc",
    severity: Severity::Low,
    keys: &[Key::ours("change priority of processes of others")],
    reason: "This changes the priority of all processes of a user or a group.",
    alternative: Some("Change the one process that is meant: `renice 10 1234`."),
    test: Test::Program(&["renice", "ionice"], |look| {
        let wide = look.has('u', "user") || look.has('g', "pgrp") || look.has('P', "pgid");
        wide.then(|| look.hit())
    }),
    matches: &["renice -20 -u root", "renice 19 -u bob"],
    near_misses: &["renice 10 1234"],
    safe: &["renice 10 -p 1234", "nice -n 10 make"],
    ..Rule::ASK
};
