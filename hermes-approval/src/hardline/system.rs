//! Stopping the system, killing everything in it, or making it unusable.

use std::collections::HashMap;

use crate::coverage::{Coverage, Gap, Hole};
use crate::effect::EffectKind;
use crate::look::{Look, Scope};
use crate::paths::Tree;
use crate::removal::sweep;
use crate::rule::{Help, Hit, Key, Rule, Test};
use crate::signals;
use crate::span::Span;
use crate::word::{Unknown, Word};

pub(super) const SHUTDOWN: Rule = Rule {
    id: "hardline.shutdown",
    class: "power",
    keys: &[Key::both("system shutdown/reboot")],
    reason: "This stops or restarts the machine.",
    alternative: Some("Ask the user to restart the machine."),
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "shutdown",
            "reboot",
            "halt",
            "poweroff",
            "loginctl",
            "kexec",
            "dbus-send",
            "gdbus",
            "busctl",
            "launchctl",
            "rtcwake",
            "stop-computer",
            "restart-computer",
            "esxcli",
            "fastboot",
            "fasthalt",
            "gnome-session-quit",
            "initctl",
            "ipmi-power",
            "ipmitool",
            "lxqt-leave",
            "openrc",
            "openrc-shutdown",
            "osascript",
            "qdbus",
            "qdbus6",
            "racadm",
            "rc",
            "s6-linux-init-hpr",
            "s6-linux-init-shutdown",
            "svc",
            "systemd-shutdown",
            "uadmin",
            "wmic",
            "xfce4-session-logout",
        ],
        stops,
    ),
    matches: &[
        "reboot",
        "halt -p",
        "poweroff",
        "shutdown -h now",
        "sudo reboot",
        "/sbin/reboot",
        "echo hi; shutdown now",
        "if true; then reboot; fi",
        "$(reboot)",
        "a=re b=boot; $a$b",
        "loginctl poweroff",
        "kexec -e",
        "sh -c 'shutdown -h now'",
        "dbus-send --system --dest=org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager.Reboot boolean:true",
        "systemd-run shutdown now",
        "openrc-shutdown -p now",
        "ipmitool chassis power off",
        "ipmitool -I lanplus -H bmc -U admin power cycle",
        "esxcli system shutdown reboot",
        "initctl reboot",
        "rtcwake -m off -s 60",
        "qdbus org.kde.ksmserver /KSMServer logout 0 2 2",
        "osascript -e 'tell app \"loginwindow\" to «event aevtrsdn»'",
        "gnome-session-quit --power-off --no-prompt",
        "osascript -e 'tell app \"System Events\" to restart'",
        "osascript -e 'tell application \"Finder\" to shut down'",
        "Stop-Computer",
    ],
    near_misses: &["systemctl reboot"],
    safe: &[
        "shutdown -c",
        "shutdown --help",
        "reboot --help",
        "man shutdown",
        "which reboot",
        "last reboot",
        "echo reboot",
        "loginctl list-sessions",
        "npm run reboot-tests",
        "launchctl list",
        "./shutdown.sh --help",
        "shutdown --show",
        "last -x shutdown reboot",
        "ipmitool chassis power status",
        "osascript -e 'display notification \"ready to restart\"'",
        "osascript -e 'tell application \"Music\" to play'",
        "initctl list",
    ],
    ..Rule::HARDLINE
};

fn stops(look: &Look<'_>) -> Option<Hit> {
    let stops = match look.name {
        "shutdown" | "openrc-shutdown" | "s6-linux-init-shutdown" => {
            // Called off, only announced or shown.
            let harmless = look.has('c', "cancel")
                || look.has('k', "")
                || look.has('\0', "show")
                || look.has_word("/a");
            let asks = look.words().is_empty() && look.invocation.platform.ignores_case();
            !harmless && !asks
        }
        "loginctl" => matches!(
            look.operand(0),
            Some("poweroff" | "reboot" | "halt" | "kexec")
        ),
        "kexec" => look.has('e', "exec"),
        "wmic" => follows(look, "call", &["reboot", "shutdown", "win32shutdown"]),
        "qdbus" | "qdbus6" if look.has_word("/KSMServer") => {
            look.has_word("logout") && matches!(look.word(4), Some("1" | "2"))
        }
        "dbus-send" | "gdbus" | "busctl" | "qdbus" | "qdbus6" => {
            look.words().iter().any(asks_to_stop)
        }
        "launchctl" => look.verbs(&["reboot"]),
        "rtcwake" => matches!(look.value('m', "mode"), Some("off")),
        "osascript" => look.invocation.effects.iter().any(|e| {
            e.kind == EffectKind::Signal
                && matches!(e.call.as_str(), "restart" | "shut down" | "shutDown")
        }),
        // The power of this machine's board; that of another one is no better.
        "ipmitool" => follows(look, "power", &["off", "cycle", "reset", "soft", "diag"]),
        "ipmi-power" => ["off", "cycle", "reset", "soft", "pulse"]
            .iter()
            .any(|o| look.has('\0', o)),
        "racadm" => follows(
            look,
            "serveraction",
            &["powerdown", "powercycle", "hardreset", "graceshutdown"],
        ),
        "esxcli" => follows(look, "shutdown", &["poweroff", "reboot"]),
        "svc" => follows(look, "power", &["shutdown", "reboot"]),
        "initctl" | "openrc" | "rc" | "systemd-shutdown" => matches!(
            look.operand(0),
            Some("poweroff" | "reboot" | "halt" | "shutdown" | "kexec")
        ),
        "gnome-session-quit" => look.has('\0', "power-off") || look.has('\0', "reboot"),
        "lxqt-leave" => look.has('\0', "shutdown") || look.has('\0', "reboot"),
        "xfce4-session-logout" => look.has('h', "halt") || look.has('r', "reboot"),
        "uadmin" => matches!(look.operand(0), Some("1" | "2")),
        "reboot" | "halt" | "poweroff" => !look.has('w', "wtmp-only"),
        _ => true,
    };
    stops.then(|| look.hit())
}

/// True if one of the words is this, and the next one of these.
fn follows(look: &Look<'_>, word: &str, next: &[&str]) -> bool {
    look.words().windows(2).any(|pair| {
        let known = |at: usize| pair.get(at).and_then(Word::known);
        known(0) == Some(word) && known(1).is_some_and(|w| next.contains(&w))
    })
}

fn asks_to_stop(word: &Word) -> bool {
    let last = word.text().rsplit(['.', ':']).next().unwrap_or("");
    matches!(last, "PowerOff" | "Reboot" | "Halt" | "KExec")
        || word.text().ends_with("SessionManager.Shutdown")
        || word.text().ends_with("ConsoleKit.Manager.Stop")
        || word.text().ends_with("ConsoleKit.Manager.Restart")
}

pub(super) const INIT: Rule = Rule {
    id: "hardline.init",
    class: "power",
    keys: &[Key::both("init 0/6 (shutdown/reboot)")],
    reason: "This stops or restarts the machine.",
    alternative: Some("Ask the user to restart the machine."),
    test: Test::Program(&["init", "runit-init", "openrc-init", "sysvinit"], runlevel),
    matches: &["init 0", "init 6", "sudo init 6", "runit-init 6"],
    near_misses: &["init 3"],
    safe: &["npm init 6", "git init", "echo init 0"],
    ..Rule::HARDLINE
};

pub(super) const TELINIT: Rule = Rule {
    id: "hardline.telinit",
    class: "power",
    keys: &[Key::both("telinit 0/6 (shutdown/reboot)")],
    reason: "This stops or restarts the machine.",
    alternative: Some("Ask the user to restart the machine."),
    test: Test::Program(&["telinit"], runlevel),
    matches: &["telinit 0", "telinit 6"],
    near_misses: &["telinit q"],
    safe: &["man telinit"],
    ..Rule::HARDLINE
};

fn runlevel(look: &Look<'_>) -> Option<Hit> {
    matches!(look.operand(0), Some("0" | "6")).then(|| look.hit())
}

pub(super) const SYSTEMCTL: Rule = Rule {
    id: "hardline.systemctl-stop-system",
    class: "power",
    keys: &[Key::both("systemctl poweroff/reboot")],
    reason: "This stops or restarts the machine.",
    alternative: Some("Ask the user to restart the machine."),
    help: Help::Anywhere,
    test: Test::Program(&["systemctl"], |look| {
        let stops = match look.operand(0)? {
            "poweroff" | "reboot" | "halt" | "kexec" | "soft-reboot" | "emergency" | "rescue" => {
                true
            }
            "isolate" | "start" => look.operands().iter().skip(1).any(|w| {
                let unit = w.text();
                let unit = unit
                    .trim_end_matches(".target")
                    .trim_end_matches(".service");
                let unit = unit.strip_prefix("systemd-").unwrap_or(unit);
                matches!(
                    unit,
                    "poweroff"
                        | "reboot"
                        | "halt"
                        | "kexec"
                        | "rescue"
                        | "emergency"
                        | "shutdown"
                        | "ctrl-alt-del"
                        | "runlevel0"
                        | "runlevel6"
                )
            }),
            _ => false,
        };
        stops.then(|| look.hit())
    }),
    matches: &[
        "systemctl reboot",
        "systemctl poweroff",
        "systemctl -f reboot",
        "systemctl isolate poweroff.target",
    ],
    near_misses: &["systemctl restart nginx"],
    safe: &["systemctl status", "systemctl list-units"],
    ..Rule::HARDLINE
};

pub(super) const KILL_ALL: Rule = Rule {
    id: "hardline.kill-all",
    class: "proc",
    keys: &[Key::both("kill all processes")],
    reason: "This ends every process that can be ended.",
    alternative: Some("End the one process that is meant by its number."),
    test: Test::Program(
        &["kill", "killall5", "pkill", "killall", "skill", "slay"],
        kills_all,
    ),
    matches: &[
        "kill -9 -1",
        "kill -KILL -1",
        "kill -s KILL -- -1",
        "kill -- -1",
        "\"kill\" \"-9\" \"-1\"",
        "pkill -9 -u root",
        "pkill -9 .",
        "killall5 -9",
        "kill -9 $(ps -e -o pid=)",
        "kill $(ps aux | awk '{print $2}')",
        "pkill -9 --inverse -x init",
    ],
    near_misses: &[
        "kill -1 1234",
        "kill -9 1",
        "pkill -9 node",
        "kill $(ps -C node -o pid=)",
        "kill $(ps aux | awk '/node/ {print $2}')",
    ],
    safe: &[
        "kill -0 -1",
        "kill -l",
        "kill -HUP 99",
        "echo 'kill -9 -1'",
        "man kill",
    ],
    ..Rule::HARDLINE
};

/// `$(ps -e -o pid=)`: the numbers of all processes, with nothing that picks some of them.
fn names_all(look: &Look<'_>, word: &Word) -> bool {
    let id = word.unknowns().find_map(|u| match u {
        Unknown::Command(id) => Some(*id),
        _ => None,
    });
    let Some(inside) = id.map(|id| look.scope.analysis.inside(id)) else {
        return false;
    };
    let Some((list, rest)) = inside.split_first() else {
        return false;
    };
    let all = list.is("ps")
        && list.arguments().iter().filter_map(Word::known).any(|w| {
            matches!(
                w,
                "-e" | "-A" | "ax" | "aux" | "-ef" | "-ax" | "-aux" | "axo" | "-eo" | "-Ao"
            )
        });
    let picks = |i: &crate::invocation::Invocation| {
        !i.is("awk")
            || i.arguments()
                .iter()
                .any(|w| w.text().contains(['/', '~', '=']))
    };
    all && rest.len() < 3 && !rest.iter().any(picks)
}

fn kills_all(look: &Look<'_>) -> Option<Hit> {
    match look.name {
        "kill" => {
            let kill = signals::kill(look)?;
            let all = kill
                .pids
                .iter()
                .find(|w| w.known() == Some("-1") || names_all(look, w))?;
            Some(look.hit_word(all))
        }
        "killall5" => Some(look.hit()),
        _ => {
            if signals::is_harmless(look) {
                return None;
            }
            let root = ["u", "U"].iter().any(|letter| {
                let letter = letter.chars().next().unwrap_or('u');
                matches!(look.value(letter, "euid"), Some("root" | "0"))
            });
            // `pkill -v x` ends everything but x; in `killall -v` the letter says something else.
            let all =
                matches!(look.operand(0), Some("." | ".*" | "" | "^")) || look.has('v', "inverse");
            (root && look.operands().is_empty() || look.name == "pkill" && all).then(|| look.hit())
        }
    }
}

pub(super) const FORK_BOMB: Rule = Rule {
    id: "hardline.fork-bomb",
    class: "proc",
    keys: &[Key::both("fork bomb")],
    reason: "This starts processes without end until the machine stands still.",
    alternative: None,
    test: Test::Whole(bomb),
    matches: &[
        ":(){ :|:& };:",
        ":() { : | : & } ; :",
        ":(){:|:&};:",
        "bomb(){ bomb|bomb& };bomb",
        "f() { f & f & }; f",
        "perl -e 'fork while fork'",
        "python3 -c 'import os\nwhile True: os.fork()'",
        "$0 | $0 &",
    ],
    near_misses: &["f() { f; }; f"],
    safe: &[
        "f(){ echo hi; }; f",
        "f() { sleep 1 & }; f",
        "git log --grep='fork while fork'",
        "python3 -c 'import os; os.fork()'",
    ],
    ..Rule::HARDLINE
};

/// A function that calls itself twice, or in the background; a script that does; a loop that forks.
fn bomb(scope: &Scope<'_>) -> Option<Hit> {
    let analysis = scope.analysis;
    for function in analysis.functions().iter().filter(|f| f.recursive) {
        let body = function.first.0..function.last.0;
        let all = analysis.invocations().get(body).unwrap_or(&[]);
        let calls = all
            .iter()
            .filter(|i| i.name() == Some(function.name.as_ref()));
        let (mut count, mut background) = (0_usize, false);
        for call in calls {
            count += 1;
            background |= call.background;
        }
        if count >= 2 && (background || is_piped(all, &function.name)) {
            return Some(Hit::default().at(function.span));
        }
    }
    if let Some(span) = unspaced(scope) {
        return Some(Hit::default().at(span));
    }
    let itself = |w: &Word| w.raw() == "$0" || w.raw() == "\"$0\"";
    let mut selves = analysis
        .invocations()
        .iter()
        .filter(|i| i.background && i.program().is_some_and(itself));
    if let (Some(first), Some(_)) = (selves.next(), selves.next()) {
        return Some(Hit::default().at(first.span));
    }
    let codes = analysis.invocations().iter().filter(|i| {
        i.name()
            .is_some_and(|n| SCRIPTS.iter().any(|s| n.starts_with(s)))
    });
    codes
        .flat_map(|i| i.arguments())
        .find(|w| forks_without_end(w.text()))
        .map(|w| Hit::default().at(w.span))
}

/// The bomb without the blank that bash wants behind `{`; other shells take it.
fn unspaced(scope: &Scope<'_>) -> Option<Span> {
    let analysis = scope.analysis;
    let Coverage::Partial(holes) = &analysis.coverage else {
        return None;
    };
    let text = analysis.normalised();
    let at = text.find("(){")?;
    let (before, after) = (text.get(..at)?, text.get(at + 3..)?);
    let name = before
        .rsplit(|c: char| c.is_whitespace() || ";&|'\"".contains(c))
        .next()?;
    let mut calls = after.split(['|', '&']).map(str::trim);
    let bombs = !name.is_empty() && calls.next() == Some(name) && calls.next() == Some(name);
    let end = at + 3 + after.find('}')? + 1;
    let span = analysis.original_span(at - name.len(), end);
    // In a text with an open quote it may be data.
    let open_quote = |hole: &Hole| hole.gap == Gap::UnclosedQuote;
    (bombs && !holes.iter().any(open_quote)).then_some(span)
}

fn is_piped(body: &[crate::invocation::Invocation], name: &str) -> bool {
    let mut stages: HashMap<usize, usize> = HashMap::new();
    for call in body.iter().filter(|i| i.name() == Some(name)) {
        *stages.entry(call.pipeline.0).or_default() += 1;
    }
    stages.values().any(|&n| n >= 2)
}

/// Languages that can fork.
const SCRIPTS: &[&str] = &["perl", "python", "ruby", "php"];

/// Loops that never end, in the spellings that one-liners have.
const ENDLESS: &[&str] = &[
    "fork while fork",
    "fork while 1",
    "while fork",
    "while 1",
    "while True",
    "while true",
    "while(1",
    "while (1",
    "while(true",
    "while (true",
    "loop{",
    "loop {",
    "loop do",
    "until 0",
    "for(;;",
    "for (;;",
];

fn forks_without_end(code: &str) -> bool {
    code.contains("fork") && ENDLESS.iter().any(|part| code.contains(part))
}

pub(super) const PERMISSIONS: Rule = Rule {
    id: "hardline.permissions-of-system",
    class: "perm",
    keys: &[Key::ours("recursive permission change of a system tree")],
    accepts: &[],
    reason: "This changes the permissions or the owner of a whole system tree; it can't be undone.",
    alternative: Some("Change the one folder that is meant."),
    test: Test::Program(&["chmod", "chown", "chgrp", "setfacl", "chattr"], |look| {
        let recursive = look.has('R', "recursive");
        // `find / -exec chmod 777 {} +`
        let swept = look.repeated_by().and_then(|by| sweep(look, by)?.tree());
        if swept.is_some_and(|t| t >= Tree::System) {
            return Some(look.hit());
        }
        let targets = look.operands().iter().map(|w| look.target(w));
        let vital = targets
            .into_iter()
            .find(|t| t.tree().is_some_and(|t| t >= Tree::System))?;
        recursive.then(|| look.hit_word(vital.word))
    }),
    matches: &[
        "chmod -R 777 /",
        "chown -R user:user /",
        "chmod -R 000 /etc",
        "chown -R nobody: /usr",
        "sudo chmod --recursive 777 /*",
        "find / -exec chmod 777 {} +",
    ],
    near_misses: &[
        "chown -R nobody /srv",
        "chmod 755 /",
        "find / -name x -exec chmod 755 {} +",
    ],
    safe: &["chmod 755 bin/tool"],
    ..Rule::HARDLINE
};

pub(super) const MOVE: Rule = Rule {
    id: "hardline.move-system",
    class: "fs-other",
    keys: &[Key::ours("move a system tree away")],
    reason: "This moves away a tree that the system can't run without.",
    alternative: Some("Move the one file or folder in it that is meant."),
    test: Test::Program(&["mv"], |look| {
        let operands = look.operands();
        let into = look.has('t', "target-directory");
        let sources = operands.get(..operands.len().saturating_sub(usize::from(!into)))?;
        let vital = sources
            .iter()
            .map(|w| look.target(w))
            .find(|t| t.tree().is_some_and(|t| t >= Tree::System))?;
        Some(look.hit_word(vital.word))
    }),
    matches: &["mv /usr /usr.old", "mv /* /tmp/gone", "mv -t /tmp /etc"],
    near_misses: &["mv /etc/hosts /tmp", "mv x /etc"],
    safe: &["mv a b"],
    ..Rule::HARDLINE
};
