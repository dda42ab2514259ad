//! Drives, and what a system is brought back with.

use super::{BOTH, is_rehearsal, operands, switch, words};
use crate::invocation::Stdin;
use crate::rule::{Help, Key, Rule, Severity, Test};

pub(super) const FORMAT: Rule = Rule {
    id: "windows.format",
    class: "windows",
    keys: &[Key::ours("format or wipe a Windows drive")],
    accepts: &[Key::both("format filesystem")],
    reason: "This wipes a whole drive.",
    alternative: Some("See which drives there are: `wmic logicaldisk get name`, `Get-Volume`."),
    platforms: BOTH,
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "format",
            "format.com",
            "diskpart",
            "format-volume",
            "clear-disk",
            "initialize-disk",
            "reset-physicaldisk",
        ],
        |look| {
            let found = match look.name {
                "format" | "format.com" => operands(look).any(|w| {
                    let text = w.known_prefix();
                    text.len() == 2
                        && text.ends_with(':')
                        && text.starts_with(|c: char| c.is_ascii_alphabetic())
                        || text.starts_with("\\\\?\\Volume")
                }),
                "diskpart" => {
                    switch(look, &["s"]) || !matches!(look.invocation.stdin, Stdin::Inherited)
                }
                _ => !is_rehearsal(look),
            };
            found.then(|| look.hit())
        },
    ),
    matches: &[
        "format C: /q /y",
        "format D: /fs:ntfs",
        "diskpart /s wipe.txt",
        "echo y | format E:",
        "powershell -c \"Format-Volume -DriveLetter C\"",
        "powershell -c \"Get-Disk 1 | Clear-Disk -RemoveData\"",
        "powershell -c \"Clear-Disk -Number 1 -RemoveData -Confirm:0\"",
    ],
    near_misses: &[
        "dotnet format",
        "powershell -c \"Format-Table Name\"",
        "powershell -c \"Clear-Disk -Number 1 -WhatIf\"",
    ],
    safe: &["dotnet format", "powershell -c \"Get-Volume\"", "format /?"],
    ..Rule::HARDLINE
};

pub(super) const RECOVERY: Rule = Rule {
    id: "windows.recovery",
    class: "windows",
    severity: Severity::Critical,
    keys: &[Key::ours("delete what Windows is restored or audited with")],
    reason: "This takes away backups, the boot entry, or the record of what was done.",
    alternative: Some("Look only: `vssadmin list shadows`, `bcdedit /enum`."),
    platforms: BOTH,
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "bcdedit",
            "bootrec",
            "bootsect",
            "vssadmin",
            "wbadmin",
            "diskshadow",
            "reagentc",
            "wevtutil",
            "cipher",
            "sdelete",
            "sdelete64",
            "manage-bde",
            "wmic",
            "clear-eventlog",
            "remove-eventlog",
            "disable-computerrestore",
            "disable-bitlocker",
            "limit-eventlog",
            "mountvol",
            "subst",
        ],
        |look| {
            let words = words(look);
            let has = |text: &str| words.iter().any(|w| w == text);
            let found = match look.name {
                "bcdedit" => {
                    !words.is_empty()
                        && !has("/enum")
                        && !has("/v")
                        && !has("/export")
                        && !has("/?")
                }
                "bootrec" | "bootsect" | "diskshadow" => !words.is_empty(),
                "vssadmin" => has("delete") || has("resize"),
                "wbadmin" => has("delete") || has("disable") || has("stop"),
                "reagentc" => has("/disable"),
                "wevtutil" => has("cl") || has("clear-log") || has("sl") || has("set-log"),
                "cipher" => switch(look, &["w", "e", "d"]),
                "manage-bde" => {
                    has("-off") || has("-protectors") && has("-delete") || has("-forcerecovery")
                }
                "wmic" => {
                    words.iter().any(|w| {
                        w == "shadowcopy" || w == "process" || w == "service" || w == "product"
                    }) && words.iter().any(|w| {
                        w == "delete" || w == "uninstall" || w == "terminate" || w == "stopservice"
                    })
                }
                "mountvol" | "subst" => has("/d"),
                "sdelete" | "sdelete64" => operands(look).next().is_some(),
                _ => !is_rehearsal(look),
            };
            found.then(|| look.hit())
        },
    ),
    matches: &[
        "bcdedit /delete {current}",
        "bcdedit /set {default} recoveryenabled no",
        "vssadmin delete shadows /all /quiet",
        "wbadmin delete catalog -quiet",
        "wevtutil cl Security",
        "cipher /w:C:\\",
        "wmic shadowcopy delete",
        "sdelete -p 3 x.doc",
        "powershell -c \"Clear-EventLog -LogName Security\"",
    ],
    near_misses: &["vssadmin list shadows", "bcdedit /enum", "bcdedit"],
    safe: &[
        "vssadmin list shadows",
        "wevtutil qe System /c:5",
        "wmic os get caption",
    ],
    ..Rule::ASK
};
