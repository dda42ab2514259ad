//! Deleting and overwriting files.

use super::{BOTH, is_rehearsal, operands, parameter, switch, tree, words};
use crate::look::Look;
use crate::paths::Tree;
use crate::platform::Platform;
use crate::rule::{Help, Hit, Key, Rule, Severity, Test};
use crate::word::Word;

const CMD_KEY: Key = Key::from19("Windows cmd destructive delete");
const POWERSHELL_KEY: Key = Key::from19("Windows PowerShell destructive delete");

pub(super) const VITAL: Rule = Rule {
    id: "windows.delete-vital",
    class: "windows",
    keys: &[Key::ours("delete a drive, Windows or a whole home")],
    accepts: &[CMD_KEY, POWERSHELL_KEY],
    reason: "This deletes a whole drive, Windows itself or a whole home.",
    alternative: Some("Delete the one folder that is meant, by its full name."),
    platforms: BOTH,
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "rd",
            "rmdir",
            "del",
            "erase",
            "remove-item",
            "clear-content",
            "robocopy",
        ],
        vital,
    ),
    matches: &[
        "rd /s /q C:\\",
        "rmdir /S/Q c:\\",
        "del /f /s /q C:\\*",
        "rd /s /q %SystemRoot%",
        "rd /s /q C:\\Windows",
        "del /s %USERPROFILE%\\*",
        "cmd /c \"rd /s /q C:\\\"",
        "powershell -c \"Remove-Item -Recurse -Force C:\\\"",
        "powershell -c \"Remove-Item -Path C:\\Windows -Recurse -Force\"",
        "powershell -c \"ri -r -fo $env:SystemRoot\"",
        "powershell -c \"Get-ChildItem C:\\ -Recurse | Remove-Item -Force\"",
    ],
    near_misses: &[
        "rd /s /q C:\\data",
        "rd C:\\",
        "powershell -c \"Remove-Item C:\\data -Recurse\"",
    ],
    safe: &["dir C:\\", "powershell -c \"Get-ChildItem C:\\\"", "rd /?"],
    ..Rule::HARDLINE
};

fn vital(look: &Look<'_>) -> Option<Hit> {
    if is_rehearsal(look) {
        return None;
    }
    let powershell = look.invocation.platform == Platform::PowerShell;
    let recursive = match look.name {
        "rd" | "rmdir" => switch(look, &["s"]),
        "robocopy" => switch(look, &["mir", "purge"]),
        "remove-item" => parameter(look, "recurse", 1),
        _ => false,
    };
    let counts = |tree: Tree| tree.is_vital() || powershell && tree == Tree::OtherHome;
    let found = operands(look).find(|word| {
        let wild = word.text().ends_with('*');
        let sweeps = recursive
            || matches!(look.name, "del" | "erase") && (switch(look, &["s"]) || wild)
            || look.name == "remove-item" && wild;
        sweeps && tree(look, word).is_some_and(counts)
    });
    if let Some(word) = found {
        return Some(look.hit_word(word));
    }
    // `Get-ChildItem C:\ -Recurse | Remove-Item`
    if look.name != "remove-item" {
        return None;
    }
    let source = look.upstream().find(|i| {
        let theirs = look.scope.look(i);
        i.name()
            .is_some_and(|n| crate::windows::cmdlet(n) == Some("Get-ChildItem"))
            && parameter(&theirs, "recurse", 1)
            && !parameter(&theirs, "filter", 2)
            && !parameter(&theirs, "include", 2)
            && operands(&theirs).any(|w| tree(&theirs, w).is_some_and(Tree::is_vital))
    });
    source.map(|_| look.hit())
}

pub(super) const CMD: Rule = Rule {
    id: "windows.cmd-delete",
    class: "windows",
    severity: Severity::High,
    keys: &[CMD_KEY],
    reason: "This deletes files or folders past the recycle bin.",
    alternative: Some("See what it would hit first: `dir *.log`."),
    platforms: super::CMD,
    help: Help::Anywhere,
    test: Test::Program(&["rd", "rmdir", "del", "erase", "deltree"], |look| {
        let folder = matches!(look.name, "rd" | "rmdir");
        // Without `/s` only an empty folder goes.
        let deletes = if folder {
            switch(look, &["s"])
        } else {
            operands(look).next().is_some() && !is_own_file(look)
        };
        deletes.then(|| look.hit())
    }),
    matches: &[
        "cmd /c del a.txt",
        "rd /s /q C:\\data",
        "rmdir /s /q build_old",
        "erase /s *.doc",
        "del /f/q x.log",
        "cmd /k erase x",
        "if exist x.log del /q x.log",
        "for %i in (*.txt) do del %i",
        "del src",
    ],
    near_misses: &["rd build", "cmd /c dir", "del a.txt"],
    safe: &[
        "cmd /c dir",
        "del notes.txt",
        "if exist x.log del x.log",
        "rmdir empty",
        "del /?",
        "echo del a.txt",
    ],
    ..Rule::ASK
};

pub(super) const POWERSHELL: Rule = Rule {
    id: "windows.powershell-delete",
    class: "windows",
    severity: Severity::High,
    keys: &[POWERSHELL_KEY],
    accepts: &[Key::both("recursive delete")],
    reason: "This deletes files or folders past the recycle bin.",
    alternative: Some("Rehearse it: `Remove-Item d -Recurse -WhatIf`."),
    platforms: super::POWERSHELL,
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "remove-item",
            "clear-content",
            "clear-item",
            "clear-recyclebin",
        ],
        |look| {
            // Variables, functions and aliases of the session are no files.
            let session = operands(look).all(|w| {
                let text = w.text().to_ascii_lowercase();
                ["env:", "function:", "alias:", "variable:"]
                    .iter()
                    .any(|p| text.starts_with(p))
            }) && operands(look).next().is_some();
            (!is_rehearsal(look) && !session && !is_own_file(look)).then(|| look.hit())
        },
    ),
    matches: &[
        "pwsh -NoProfile ri -Recurse d",
        "powershell Remove-Item -Recurse -Force C:\\data",
        "ri -Recurse -Force C:\\data",
        "pwsh -Command \"rm -r -fo src\"",
        "Remove-Item a.txt -Force",
        "pwsh -c \"Remove-Item a.txt\"",
        "if ($true) { Remove-Item -Recurse src }",
        "Clear-RecycleBin -Force",
        "Get-ChildItem src -Recurse | Remove-Item",
        "Clear-Content app.log",
    ],
    near_misses: &["Remove-Item d -Recurse -WhatIf", "powershell Get-Item d"],
    safe: &[
        "Get-Item -Force -LiteralPath $x",
        "Get-ChildItem | Measure-Object",
        "Remove-Item Env:FOO",
        "Remove-Item .\\notes.txt",
        "Remove-Item build.log -ErrorAction SilentlyContinue",
        "Get-Content a.txt",
    ],
    ..Rule::ASK
};

/// One plainly named file of the folder where one is, as in `rm notes.txt`. Behind `cmd /c` or
/// `powershell -Command` the Python Hermes asks, so it is asked here, too.
fn is_own_file(look: &Look<'_>) -> bool {
    if !matches!(look.name, "remove-item" | "del" | "erase") || !look.invocation.wrappers.is_empty()
    {
        return false;
    }
    let mut named = 0;
    let mut words = look.words().iter();
    while let Some(word) = words.next() {
        let text = word.raw().to_ascii_lowercase();
        if HARMLESS_VALUES.contains(&text.as_str()) {
            words.next();
        } else if HARMLESS.contains(&text.as_str()) {
        } else if is_plain_file(word) {
            named += 1;
        } else {
            return false;
        }
    }
    named == 1
}

/// Parameters that change nothing about what is deleted.
const HARMLESS: &[&str] = &["-path", "-literalpath", "-verbose", "-confirm"];

/// Such that have a value.
const HARMLESS_VALUES: &[&str] = &["-erroraction", "-ea"];

/// A name with an ending: without one it may be a folder.
fn is_plain_file(word: &Word) -> bool {
    let name = word.raw().trim_matches(['"', '\'']);
    let name = name
        .strip_prefix(".\\")
        .or(name.strip_prefix("./"))
        .unwrap_or(name);
    let base = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let odd = |c: char| "*?[]%$~:!`^(){}<>|&;,@".contains(c);
    word.known().is_some()
        && !name.starts_with(['-', '/', '\\'])
        && !name.contains(odd)
        && !name.contains("..")
        && base
            .find('.')
            .is_some_and(|at| at > 0 && at + 1 < base.len())
}

/// True if its output goes into a file and replaces what was there.
fn empties(look: &Look<'_>) -> bool {
    let mut redirects = look.invocation.redirects.iter();
    redirects.any(|r| {
        let target = r.target.as_ref().map_or("", Word::text);
        r.truncates() && !target.eq_ignore_ascii_case("nul") && !target.is_empty()
    })
}

/// Cmdlets that remove something of the session only.
#[rustfmt::skip]
const SESSION: &[&str] = &[
    "remove-alias", "remove-event", "remove-item", "remove-itemproperty", "remove-job", "remove-module",
    "remove-psbreakpoint", "remove-psdrive", "remove-psreadlinekeyhandler", "remove-pssession", "remove-typedata",
    "remove-variable", "remove-localuser", "remove-localgroupmember", "remove-localgroup", "remove-netfirewallrule",
    "remove-service", "remove-eventlog", "remove-aduser",
];

/// Other cmdlets that take something away, or let somebody in.
#[rustfmt::skip]
const OTHERS: &[&str] = &[
    "clear-bitlockerautounlock", "clear-tpm", "grant-smbshareaccess", "lock-bitlocker",
    "new-smbshare", "register-psrepository", "rename-computer", "reset-computermachinepassword",
    "restore-vmsnapshot", "restore-computer", "set-date", "set-disk", "stop-azvm", "stop-ec2instance",
    "stop-azwebapp", "stop-rdsdbinstance",
];

pub(super) const CMDLETS: Rule = Rule {
    id: "windows.remove-cmdlet",
    class: "windows",
    severity: Severity::High,
    keys: &[Key::ours("PowerShell Remove or Uninstall cmdlet")],
    reason: "This removes a part of the system or of a service.",
    alternative: Some("Rehearse it with `-WhatIf` at the end."),
    platforms: super::POWERSHELL,
    help: Help::Anywhere,
    test: Test::Any(|look| {
        let name = look.invocation.name()?;
        let (verb, _) = name.split_once('-')?;
        let takes = ["remove", "uninstall", "dismount", "disable", "unregister"]
            .iter()
            .any(|v| verb.eq_ignore_ascii_case(v));
        let lower = name.to_ascii_lowercase();
        if !takes && !OTHERS.contains(&lower.as_str()) {
            return None;
        }
        let session = SESSION.contains(&lower.as_str())
            || lower.starts_with("disable-psbreakpoint")
            || lower.starts_with("unregister-event");
        (!session && !is_rehearsal(look)).then(|| look.hit())
    }),
    matches: &[
        "Remove-ADUser2 eve",
        "Remove-VM x -Force",
        "Uninstall-WindowsFeature DNS",
        "Remove-AzResourceGroup g -Force",
        "Remove-Partition -DriveLetter D",
        "Disable-NetAdapter eth0",
        "Set-Disk 1 -IsOffline $true",
        "New-SmbShare x -FullAccess Everyone",
        "Stop-AzVM x",
    ],
    near_misses: &["Remove-Variable x", "Remove-VM x -WhatIf"],
    safe: &["Remove-Variable x", "Remove-Module m", "Get-VM"],
    ..Rule::ASK
};

pub(super) const OVERWRITE: Rule = Rule {
    id: "windows.overwrite",
    class: "windows",
    severity: Severity::High,
    keys: &[Key::ours("overwrite or empty files on Windows")],
    reason: "This empties or overwrites files, or deletes what the source lacks.",
    alternative: Some("List what would be done: `robocopy src dst /mir /l`."),
    platforms: BOTH,
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "move",
            "move-item",
            "type",
            "get-content",
            "copy",
            "copy-item",
            "robocopy",
            "fsutil",
            "forfiles",
            "break",
            "echo",
            "echo.",
            "new-item",
            "out-file",
            "rem",
            "set-content",
        ],
        |look| {
            let words = words(look);
            let nul = |w: &String| w == "nul" || w == "nul:";
            let found = match look.name {
                "move" | "move-item" => words.last().is_some_and(nul),
                "type" | "get-content" | "copy" | "copy-item" => {
                    let from_nul = words.iter().find(|w| !w.starts_with('/')).is_some_and(nul);
                    from_nul
                        && (look.name.starts_with("copy")
                            || look
                                .invocation
                                .redirects
                                .iter()
                                .any(crate::invocation::Redirect::truncates))
                }
                // Nothing at all, but into a file that is emptied for it.
                "break" | "rem" => words.is_empty() && empties(look),
                "echo" | "echo." => {
                    let dot = look.name == "echo."
                        || look.invocation.platform == Platform::Cmd
                            && words.first().is_some_and(|w| w == ".");
                    dot && words.len() < 2 && empties(look)
                }
                "set-content" | "out-file" => {
                    let nothing = look.words().iter().skip(1).any(|w| {
                        w.raw() == "''"
                            || w.raw() == "\"\""
                            || w.raw().eq_ignore_ascii_case("$null")
                    });
                    nothing && !is_rehearsal(look)
                }
                "new-item" => {
                    let folder = words.iter().any(|w| w == "directory");
                    parameter(look, "force", 2) && !folder && !is_rehearsal(look)
                }
                "robocopy" => {
                    switch(look, &["mir", "purge", "move", "mov"]) && !switch(look, &["l"])
                }
                "fsutil" => words
                    .iter()
                    .any(|w| matches!(w.as_str(), "setzerodata" | "deletejournal" | "seteof")),
                _ => words.iter().any(|w| {
                    w.contains("del ")
                        || w.contains("rd ")
                        || w.contains("rmdir ")
                        || w.contains("erase ")
                }),
            };
            found.then(|| look.hit())
        },
    ),
    matches: &[
        "move /y src NUL",
        "type nul > app.db",
        "copy /y nul app.db",
        "robocopy empty C:\\data /mir",
        "forfiles /p C:\\logs /d -30 /c \"cmd /c del @path\"",
        "fsutil usn deletejournal /d C:",
        "cmd /c \"break > app.db\"",
        "powershell -c \"Set-Content app.db ''\"",
        "powershell -c \"New-Item app.db -ItemType File -Force\"",
    ],
    near_misses: &[
        "robocopy src dst /mir /l",
        "type a.txt > b.txt",
        "powershell -c \"Set-Content a.txt hello\"",
        "powershell -c \"New-Item -ItemType Directory -Force out\"",
    ],
    safe: &["move a b", "copy a b", "robocopy src dst /e", "type a.txt"],
    ..Rule::ASK
};
