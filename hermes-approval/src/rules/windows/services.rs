//! Services, processes, tasks and the machine itself.

use super::{BOTH, is_rehearsal, parameter, switch, words};
use crate::rule::{Help, Key, Rule, Severity, Test};

pub(super) const POWER: Rule = Rule {
    id: "windows.power",
    class: "power",
    keys: &[Key::both("system shutdown/reboot")],
    reason: "This stops or restarts the machine.",
    alternative: Some("Ask the person at the machine to do it."),
    platforms: BOTH,
    help: Help::Anywhere,
    test: Test::Program(&["shutdown", "stop-computer", "restart-computer"], |look| {
        if look.name == "shutdown" {
            return (switch(look, &["s", "r", "p", "h", "g", "sg", "o", "hybrid"])
                && !switch(look, &["a"]))
            .then(|| look.hit());
        }
        // With a name it is another machine, which isn't less.
        (!is_rehearsal(look)).then(|| look.hit())
    }),
    matches: &[
        "shutdown /s /t 0",
        "shutdown /r /f",
        "powershell -c \"Stop-Computer -Force\"",
        "powershell -c \"Restart-Computer\"",
    ],
    near_misses: &["shutdown /a", "powershell -c \"Restart-Computer -WhatIf\""],
    safe: &["shutdown /a", "shutdown /?"],
    ..Rule::HARDLINE
};

pub(super) const STOP: Rule = Rule {
    id: "windows.stop",
    class: "windows",
    keys: &[Key::ours("stop Windows services or processes")],
    reason: "This stops services or processes.",
    alternative: Some("Look at them first: `Get-Service`, `tasklist`."),
    platforms: BOTH,
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "net",
            "net1",
            "sc",
            "taskkill",
            "tskill",
            "stop-service",
            "restart-service",
            "set-service",
            "suspend-service",
            "stop-process",
            "stop-vm",
            "logoff",
            "iisreset",
            "remove-service",
            "new-service",
            "stop-scheduledtask",
        ],
        |look| {
            let words = words(look);
            let first = words
                .iter()
                .find(|w| !w.starts_with("\\\\"))
                .map_or("", String::as_str);
            let found = match look.name {
                "net" | "net1" => matches!(first, "stop" | "pause") && words.len() > 1,
                "sc" => matches!(
                    first,
                    "stop" | "delete" | "config" | "create" | "pause" | "failure" | "sdset"
                ),
                // By number and without force it is what `kill 4321` is.
                "taskkill" if is_polite(&words) => false,
                "taskkill" => words.iter().any(|w| {
                    matches!(
                        w.as_str(),
                        "/f" | "/im"
                            | "/pid"
                            | "/t"
                            | "/fi"
                            | "-f"
                            | "-im"
                            | "//f"
                            | "//im"
                            | "//pid"
                    )
                }),
                "set-service" => parameter(look, "status", 2) || parameter(look, "startuptype", 3),
                "iisreset" => !switch(look, &["status", "start"]),
                "logoff" => true,
                _ => !is_rehearsal(look),
            };
            found.then(|| look.hit())
        },
    ),
    matches: &[
        "net stop sshd",
        "sc stop hermes",
        "sc delete sshd",
        "sc \\\\host config sshd start= disabled",
        "taskkill /F /IM explorer.exe",
        "taskkill /pid 4321 /f",
        "powershell -c \"Stop-Service -Force sshd\"",
        "powershell -c \"Stop-Process -Name hermes -Force\"",
        "powershell -c \"Get-Process x | kill\"",
    ],
    near_misses: &["net start", "sc query sshd", "taskkill /pid 4321"],
    safe: &[
        "net start",
        "sc query",
        "tasklist",
        "powershell -c \"Get-Service\"",
        "net use",
    ],
    ..Rule::ASK
};

/// `taskkill /pid 4321`
fn is_polite(words: &[String]) -> bool {
    let number = |w: &str| w.parse::<u32>().is_ok_and(|pid| pid > 4);
    let mut named = 0;
    let known = words.iter().all(|w| {
        named += usize::from(number(w));
        number(w) || matches!(w.as_str(), "/pid" | "-pid" | "//pid")
    });
    known && named == 1
}

pub(super) const TASKS: Rule = Rule {
    id: "windows.tasks",
    class: "windows",
    severity: Severity::High,
    keys: &[Key::ours("change what Windows runs by itself")],
    reason: "This adds, changes or removes what Windows runs by itself.",
    alternative: Some("Look at the tasks: `schtasks /query`."),
    platforms: BOTH,
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "schtasks",
            "register-scheduledtask",
            "unregister-scheduledtask",
            "set-scheduledtask",
            "disable-scheduledtask",
            "register-scheduledjob",
            "register-wmievent",
            "set-wmiinstance",
        ],
        |look| {
            let found = if look.name == "schtasks" {
                switch(look, &["create", "delete", "change", "end"])
            } else {
                !is_rehearsal(look)
            };
            found.then(|| look.hit())
        },
    ),
    matches: &[
        "schtasks /create /tn x /tr evil /sc onlogon",
        "schtasks /Delete /TN x /F",
        "powershell -c \"Register-ScheduledTask x -Action $a\"",
    ],
    near_misses: &["schtasks /query", "schtasks"],
    safe: &["schtasks /query", "powershell -c \"Get-ScheduledTask\""],
    ..Rule::ASK
};
