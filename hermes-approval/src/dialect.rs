//! Tells by its words that a text is meant for `cmd.exe` or PowerShell, though nobody said so.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use crate::invocation::Invocation;
use crate::name_index::NameIndex;
use crate::platform::Platform;
use crate::word::Word;

/// Commands that only `cmd.exe` and Windows have, in order.
#[rustfmt::skip]
const CMD: &[&str] = &[
    "assoc", "attrib", "bcdedit", "bitsadmin", "bootrec", "cacls", "certutil", "cipher", "cmd", "cmdkey", "copy",
    "cscript", "del", "diskpart", "diskshadow", "dsrm", "echo.",
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

static CMD_NAMES: NameIndex<256> = NameIndex::of(CMD);
static ALIAS_NAMES: NameIndex<128> = NameIndex::of(ALIASES);

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
    if ALIAS_NAMES.has(ALIASES, lower) || lower.starts_with("iex(") {
        return Some(Platform::PowerShell);
    }
    if CMD_NAMES.has(CMD, lower) {
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
    static MARKS: LazyLock<Option<RegexSet>> = LazyLock::new(|| {
        let shapes = SHAPES.iter().map(|&(shape, _)| shape);
        RegexSetBuilder::new(shapes).unicode(false).build().ok()
    });
    if !may_have_shape(text) {
        return None;
    }
    let found = MARKS
        .as_ref()?
        .matches(text.as_bytes())
        .into_iter()
        .next()?;
    SHAPES.get(found).map(|&(_, platform)| platform)
}

/// False for most texts that have no such shape: the patterns are made only where one of them may
/// fit, since that takes longer than anything else here.
fn may_have_shape(text: &str) -> bool {
    let start = text.trim_start().trim_start_matches('@').as_bytes();
    let begins = matches!(start.first(), Some(b'$' | b'[' | b'&'))
        || start
            .get(..2)
            .is_some_and(|word| word.eq_ignore_ascii_case(b"if"));
    let cmdlet = |pair: &[u8]| matches!(pair, [b'-', next] if next.is_ascii_uppercase());
    begins || text.contains(['(', '`']) || text.as_bytes().windows(2).any(cmdlet)
}

/// True for what is an expression in PowerShell and nothing that anybody would write for a POSIX
/// shell to run: `$env:PATH`, `$x.Name`, `$x = …`, `[Math]::Pow`, `$?`.
pub(crate) fn is_expression(text: &str) -> bool {
    static SHAPE: LazyLock<Option<Regex>> =
        LazyLock::new(|| RegexBuilder::new(EXPRESSION).unicode(false).build().ok());
    let shape = SHAPE.as_ref();
    shape.is_some_and(|shape| shape.is_match(text.as_bytes()))
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
    // The call operator, or a method of a literal, in front of everything.
    (r#"^\s*&\s*["'(]"#, Platform::PowerShell),
    (
        r#"^\s*('[^']*'|"[^"]*")\.[A-Z][A-Za-z]*\("#,
        Platform::PowerShell,
    ),
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

/// True if the first word is a cmdlet.
pub(crate) fn starts_with_cmdlet(text: &str) -> bool {
    text.split_whitespace().next().is_some_and(is_cmdlet)
}

/// `Verb-Noun`, as cmdlets are written.
fn is_cmdlet(name: &str) -> bool {
    // Few names start so; nothing is searched in the others.
    if !name.starts_with(|c: char| c.is_ascii_uppercase()) {
        return false;
    }
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
    fn no_shape_is_left_out_beforehand() {
        let shaped = [
            "for %%i in (1) do x",
            "@if exist x del x",
            "IF \"a\" == \"b\" x",
            "x; foreach ($i in 1) { y }",
            "$env:PATH",
            " $PSHOME",
            "[Math]::Pow(2,3)",
            "& \"C:\\a.exe\"",
            "'a'.ToUpper()",
            "$x = Get-Item y",
            "x | Where-Object y",
            "echo \"a`tb\"",
        ];
        for text in shaped {
            assert!(of_text(text).is_some(), "{text}");
        }
        assert!(!may_have_shape("echo \"abc"));
    }

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
