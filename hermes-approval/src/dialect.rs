//! Tells by its words that a text is meant for `cmd.exe` or PowerShell, though nobody said so.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Regex, RegexSet};

use crate::invocation::Invocation;
use crate::name_filter::NameFilter;
use crate::platform::Platform;
use crate::word::Word;

/// Commands that only `cmd.exe` and Windows have, in order.
#[rustfmt::skip]
const CMD: &[&str] = &[
    "assoc", "attrib", "bcdedit", "bitsadmin", "bootrec", "cacls", "certutil", "cipher", "cmd", "cmdkey", "copy",
    "cscript", "del", "diskpart", "diskshadow", "dsrm",
    "erase", "forfiles", "format", "fsutil", "ftype", "icacls", "logoff", "manage-bde", "mountvol", "move",
    "mshta", "msiexec", "net", "net1", "netsh",
    "rd", "reagentc", "reg", "regedit", "regsvr32", "robocopy", "rundll32", "sc", "schtasks", "sdelete", "setx", "takeown", "taskkill",
    "tasklist", "tskill", "vssadmin", "wbadmin", "wevtutil", "wmic", "wscript", "xcopy",
];

/// Aliases that only PowerShell has, in order.
#[rustfmt::skip]
const ALIASES: &[&str] = &[
    "clc", "gci", "gi", "gp", "gps", "gsv", "iex", "irm", "iwr", "ni", "ri", "rni", "rp", "saps", "sasv",
    "spps", "spsv",
];

/// Switches of `cmd.exe` on commands that other systems have, too: `rmdir /s`, `type nul`.
const SHARED: &[(&str, &[&str])] = &[
    ("mkdir", &["/s"]),
    ("rmdir", &["/s", "/q"]),
    (
        "shutdown",
        &["/s", "/r", "/p", "/h", "/l", "/g", "/sg", "/f"],
    ),
    ("type", &["nul"]),
];

static CMD_NAMES: NameFilter = NameFilter::of(CMD);
static ALIAS_NAMES: NameFilter = NameFilter::of(ALIASES);

/// The language that the program gives away.
pub(crate) fn of_invocation(invocation: &Invocation) -> Option<Platform> {
    let name = invocation.name()?;
    let first = name.bytes().next()?;
    if !first.is_ascii_alphabetic() {
        return None;
    }
    if is_cmdlet(name) {
        return Some(Platform::PowerShell);
    }
    let lower = lower(name);
    let lower = lower.as_ref();
    if ALIAS_NAMES.may_have(lower) && ALIASES.binary_search(&lower).is_ok()
        || lower.starts_with("iex(")
    {
        return Some(Platform::PowerShell);
    }
    if CMD_NAMES.may_have(lower) && CMD.binary_search(&lower).is_ok() {
        return Some(Platform::Cmd);
    }
    let (_, switches) = SHARED.iter().find(|(program, _)| *program == lower)?;
    let mut known = invocation.arguments().iter().filter_map(Word::known);
    known
        .any(|word| switches.iter().any(|s| s.eq_ignore_ascii_case(word)))
        .then_some(Platform::Cmd)
}

/// The language that the shape of a text gives away, where a POSIX shell can't make sense of it:
/// what stands here is a mistake there, so that no shell runs it as something else.
pub(crate) fn of_text(text: &str) -> Option<Platform> {
    static MARKS: LazyLock<Option<RegexSet>> =
        LazyLock::new(|| RegexSet::new(SHAPES.iter().map(|&(shape, _)| shape)).ok());
    let found = MARKS.as_ref()?.matches(text).into_iter().next()?;
    SHAPES.get(found).map(|&(_, platform)| platform)
}

/// True for what is an expression in PowerShell and nothing that anybody would write for a POSIX
/// shell to run: `$env:PATH`, `$x.Name`, `$x = …`, `[Math]::Pow`, `$?`.
pub(crate) fn is_expression(text: &str) -> bool {
    static SHAPE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(EXPRESSION).ok());
    SHAPE.as_ref().is_some_and(|shape| shape.is_match(text))
}

const EXPRESSION: &str = r#"(?x) ^ (
    \$(env|global|script):\w | \$PS[A-Z]\w*\b | \$\? | \$_\b | \$\w+\.[A-Z]?[a-z]\w*
    | \$\w+\s+([-+*/]?=|in)\s | \[[A-Za-z][\w.]*\]::\w | \*\.
    | "\$\([^"]*:\s[^"]*"\s*\}? \s* $ )"#;

/// Shapes that only one language has, at the start of a command.
const SHAPES: &[(&str, Platform)] = &[
    (
        r"(?i)^\s*@?for\s+(/[lfdr]\s+.*)?%%?[a-z]\s+in\s*\(",
        Platform::Cmd,
    ),
    (
        r"(?i)^\s*@?if\s+(/i\s+)?(not\s+)?(exist|errorlevel|defined)\s",
        Platform::Cmd,
    ),
    (
        r#"(?i)^\s*@?if\s+(/i\s+)?(not\s+)?"[^"]*"\s*==\s*"[^"]*"\s"#,
        Platform::Cmd,
    ),
    (
        r"(?i)(^|[;{|]\s*)(if|foreach|while|switch)\s*\(.*\)\s*\{",
        Platform::PowerShell,
    ),
    (r"(?i)^\s*\$env:[a-z_]\w*", Platform::PowerShell),
    (
        r"^\s*\$(PSVersionTable|PSHOME|PSScriptRoot|PROFILE)\b",
        Platform::PowerShell,
    ),
    (r"^\s*\[[A-Za-z][\w.]*\]::[A-Za-z]\w*", Platform::PowerShell),
    // Cmdlets, assigned or piped to.
    (
        r"(^|[;|({=]\s*)(Get|Set|New|Select|Where|Sort|Format|Measure|ConvertFrom|ConvertTo|Test|Write|Import|Export|Join|Split|Resolve|Out|Invoke|Start|Stop|Remove|Copy|Move|Add|Clear|Compare|Group|ForEach)-[A-Z][A-Za-z]+\b",
        Platform::PowerShell,
    ),
    // An escape in a string, where a POSIX shell sees a substitution that never ends.
    (
        "^[^'`]*\"[^'`\"]*(`[tnr0][^'`\"]*)+\"[^'`]*$",
        Platform::PowerShell,
    ),
];

/// The name in small letters; nothing is copied if it is.
pub(crate) fn lower(name: &str) -> Cow<'_, str> {
    if name.bytes().any(|b| b.is_ascii_uppercase()) {
        Cow::Owned(name.to_ascii_lowercase())
    } else {
        Cow::Borrowed(name)
    }
}

/// `Verb-Noun`, as cmdlets are written.
fn is_cmdlet(name: &str) -> bool {
    let Some((verb, noun)) = name.split_once('-') else {
        return false;
    };
    let word = |text: &str| {
        text.len() >= 2
            && text.starts_with(|c: char| c.is_ascii_uppercase())
            && text.bytes().all(|b| b.is_ascii_alphanumeric())
    };
    word(verb) && word(noun)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_in_order() {
        assert!(CMD.is_sorted() && ALIASES.is_sorted() && SHARED.is_sorted());
    }

    #[test]
    fn cmdlets_are_told_from_other_names_with_a_dash() {
        assert!(is_cmdlet("Remove-Item") && is_cmdlet("Format-Volume"));
        assert!(!is_cmdlet("apt-get") && !is_cmdlet("X-") && !is_cmdlet("ls"));
    }
}
