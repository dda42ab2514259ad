//! The registry, defences, and rights on files.

use super::{BOTH, is_rehearsal, parameter, switch, words};
use crate::rule::{Help, Key, Rule, Severity, Test};

pub(super) const REGISTRY: Rule = Rule {
    id: "windows.registry",
    class: "windows",
    severity: Severity::High,
    keys: &[Key::ours("change the Windows registry")],
    reason: "This changes settings that Windows and its programs depend on.",
    alternative: Some("Look at it: `reg query HKCU\\Software\\X`."),
    platforms: BOTH,
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "reg",
            "regedit",
            "regini",
            "set-itemproperty",
            "new-itemproperty",
            "remove-itemproperty",
            "clear-itemproperty",
            "new-item",
            "set-item",
        ],
        |look| {
            let words = words(look);
            let first = words.first().map_or("", String::as_str);
            let hive = words.iter().any(|w| {
                w.starts_with("hk") && w.contains(':')
                    || w.starts_with("registry::")
                    || w.contains("microsoft.powershell.core\\registry")
            });
            let found = match look.name {
                "reg" => matches!(
                    first,
                    "add" | "delete" | "import" | "restore" | "load" | "unload" | "copy"
                ),
                "regedit" => words
                    .iter()
                    .any(|w| w == "/s" || w == "-s" || w.ends_with(".reg")),
                "regini" => true,
                _ => hive && !is_rehearsal(look),
            };
            found.then(|| look.hit())
        },
    ),
    matches: &[
        "reg delete HKLM\\Software\\X /f",
        "reg add HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Run /v x /d a.exe",
        "regedit /s x.reg",
        "powershell -c \"Set-ItemProperty HKLM:\\Software\\X -Name a -Value 1\"",
    ],
    near_misses: &[
        "reg query HKLM\\Software",
        "powershell -c \"Set-ItemProperty a.txt -Name IsReadOnly -Value 1\"",
    ],
    safe: &[
        "reg query HKLM\\Software",
        "reg export HKCU\\Software\\X x.reg",
        "powershell -c \"Get-ItemProperty HKLM:\\Software\\X\"",
    ],
    ..Rule::ASK
};

pub(super) const DEFENCE: Rule = Rule {
    id: "windows.defences",
    class: "windows",
    severity: Severity::High,
    keys: &[Key::ours("weaken what protects Windows")],
    reason: "This turns off or opens something that protects the machine.",
    alternative: Some("Look at it: `netsh advfirewall show allprofiles`."),
    platforms: BOTH,
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "netsh",
            "add-mppreference",
            "set-mppreference",
            "remove-mppreference",
            "set-executionpolicy",
            "set-netfirewallprofile",
            "new-netfirewallrule",
            "remove-netfirewallrule",
            "disable-netfirewallrule",
            "set-netfirewallrule",
            "enable-psremoting",
            "winrm",
            "set-item",
            "auditpol",
            "dism",
            "disable-windowsoptionalfeature",
            "fltmc",
            "set-netconnectionprofile",
            "set-dnsclientserveraddress",
            "ipconfig",
            "route",
        ],
        |look| {
            let words = words(look);
            let any = |parts: &[&str]| words.iter().any(|w| parts.contains(&w.as_str()));
            let found = match look.name {
                "netsh" => {
                    any(&["set", "add", "delete", "reset", "disable", "import"])
                        && !any(&["show", "dump"])
                }
                "add-mppreference" => {
                    parameter(look, "exclusionpath", 5)
                        || parameter(look, "exclusionprocess", 10)
                        || parameter(look, "exclusionextension", 10)
                }
                "set-mppreference" | "remove-mppreference" => !words.is_empty(),
                "set-executionpolicy" => {
                    any(&["bypass", "unrestricted"])
                        || any(&["localmachine"])
                        || !any(&["process", "remotesigned", "allsigned", "restricted"])
                }
                "winrm" => any(&["quickconfig", "set", "qc"]),
                "set-item" => words.iter().any(|w| w.starts_with("wsman:")),
                "auditpol" => any(&["/clear", "/set", "/remove"]),
                "dism" => words
                    .iter()
                    .any(|w| w.starts_with("/disable-feature") || w.starts_with("/remove-")),
                "fltmc" => any(&["unload"]),
                "ipconfig" => any(&["/release"]),
                "route" => any(&["delete", "add", "change", "-f"]),
                _ => !is_rehearsal(look),
            };
            found.then(|| look.hit())
        },
    ),
    matches: &[
        "netsh advfirewall set allprofiles state off",
        "netsh interface portproxy add v4tov4 listenport=80 connectaddress=x",
        "powershell -c \"Add-MpPreference -ExclusionPath C:\\\"",
        "powershell -c \"Set-MpPreference -DisableRealtimeMonitoring 1\"",
        "powershell -c \"Set-ExecutionPolicy Bypass -Force\"",
        "powershell -c \"Set-NetFirewallProfile -Enabled False\"",
    ],
    near_misses: &[
        "netsh advfirewall show allprofiles",
        "powershell -c \"Get-MpPreference\"",
    ],
    safe: &[
        "netsh wlan show profiles",
        "powershell -c \"Get-ExecutionPolicy\"",
        "ipconfig /all",
        "powershell -c \"Set-ExecutionPolicy RemoteSigned -Scope CurrentUser\"",
    ],
    ..Rule::ASK
};

pub(super) const PERMISSIONS: Rule = Rule {
    id: "windows.permissions",
    class: "windows",
    severity: Severity::High,
    keys: &[Key::ours("change owners or rights on Windows")],
    reason: "This changes who owns files or may change them.",
    alternative: Some("Look at the rights: `icacls C:\\data`."),
    platforms: BOTH,
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "takeown", "icacls", "cacls", "xcacls", "set-acl", "subinacl",
        ],
        |look| {
            let found = match look.name {
                "icacls" => {
                    switch(
                        look,
                        &[
                            "grant",
                            "deny",
                            "remove",
                            "reset",
                            "setowner",
                            "inheritance",
                            "restore",
                            "substitute",
                        ],
                    ) || look.words().iter().any(|w| {
                        let text = w.text().to_ascii_lowercase();
                        text.starts_with("/grant")
                            || text.starts_with("/inheritance")
                            || text.starts_with("/remove")
                    })
                }
                "cacls" | "xcacls" => switch(look, &["g", "e", "p", "r", "d"]),
                "takeown" => switch(look, &["f", "r", "a"]),
                _ => !is_rehearsal(look),
            };
            found.then(|| look.hit())
        },
    ),
    matches: &[
        "takeown /f C:\\Windows /r",
        "icacls C:\\data /grant Everyone:F /t",
        "icacls . /reset /t",
        "powershell -c \"Set-Acl C:\\data $a\"",
    ],
    near_misses: &["icacls C:\\data"],
    safe: &["icacls C:\\data", "powershell -c \"Get-Acl C:\\data\""],
    ..Rule::ASK
};
