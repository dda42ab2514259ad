//! Methods of .NET objects that start, end or delete something.

use super::POWERSHELL;
use crate::look::Look;
use crate::rule::{Help, Hit, Key, Rule, Severity, Test};
use crate::word::Word;

/// The method, and what its owner's name must hold, if that matters.
const METHODS: &[(&str, &str)] = &[
    ("create", "scriptblock"),
    ("delete", ""),
    ("deletesubkey", ""),
    ("deletesubkeytree", ""),
    ("exec", ""),
    ("fire", ""),
    ("invoke", ""),
    ("invokemember", ""),
    ("invokereturnasis", ""),
    ("invokescript", ""),
    ("kill", ""),
    ("load", "assembly"),
    ("loadfile", "assembly"),
    ("loadfrom", "assembly"),
    ("reboot", ""),
    ("run", ""),
    ("shellexecute", ""),
    ("shutdown", ""),
    ("start", "process"),
    ("terminate", ""),
    ("win32shutdown", ""),
];

pub(super) const METHOD: Rule = Rule {
    id: "windows.method",
    class: "windows",
    severity: Severity::High,
    keys: &[Key::ours("method that starts, ends or deletes something")],
    reason: "A method of .NET is called that starts, ends or deletes something.",
    alternative: Some(
        "Use the cmdlet for it, which can be checked: `Start-Process`, `Remove-Item`.",
    ),
    platforms: POWERSHELL,
    help: Help::Never,
    test: Test::Any(method),
    matches: &[
        "[Diagnostics.Process]::Start('x.exe')",
        "[IO.File]::Delete('C:\\data\\a.db')",
        "(Get-Process app).Kill()",
        "$block.Invoke()",
        "([wmiclass]'Win32_Process').Create('x.exe')",
        "Get-ChildItem src | ForEach-Object { $_.Delete() }",
        "Write-Output \"$([IO.Directory]::Delete('C:\\data', $true))\"",
        "$p = New-Object System.Diagnostics.Process; $p.Start()",
    ],
    near_misses: &[
        "[IO.File]::Exists('a')",
        "[Diagnostics.Stopwatch]::StartNew()",
    ],
    safe: &[
        "[Math]::Pow(2, 10)",
        "[guid]::NewGuid()",
        "$timer.Start()",
        "Get-ChildItem -File | Where-Object { $_.LastWriteTime -gt (Get-Date).AddDays(-1) }",
    ],
    ..Rule::ASK
};

fn method(look: &Look<'_>) -> Option<Hit> {
    let is_called = |word: &&Word| {
        let text = word.text().to_ascii_lowercase();
        let Some((owner, name)) = text.strip_suffix('(').and_then(owner_and_name) else {
            return false;
        };
        let Some((_, part)) = METHODS.iter().find(|(m, _)| *m == name) else {
            return false;
        };
        if name == "create" && !owner.contains("scriptblock") {
            return whole_text(look).contains("win32_process");
        }
        // What was made before tells what a variable holds.
        let made = || owner.starts_with('$') && whole_text(look).contains("diagnostics.process");
        owner.contains(part) || *part == "process" && made()
    };
    let word = look.invocation.argv.iter().find(is_called)?;
    Some(look.hit_word(word))
}

/// The beginning of the text, in lower case: it is looked through again for each call.
fn whole_text(look: &Look<'_>) -> String {
    let text = look.scope.analysis.original;
    let end = text.floor_char_boundary(MAX_TEXT);
    text.get(..end).unwrap_or(text).to_ascii_lowercase()
}

const MAX_TEXT: usize = 4096;

/// `[io.file]::delete`, `$x.kill`
fn owner_and_name(text: &str) -> Option<(&str, &str)> {
    let (owner, name) = text.split_at_checked(text.rfind(['.', ':'])?)?;
    Some((owner, name.trim_start_matches(['.', ':'])))
}
