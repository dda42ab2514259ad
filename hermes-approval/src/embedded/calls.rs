//! The table of calls, and reading a call's arguments.

use super::Language;
use super::tokens::{Token, TokenKind};
use crate::effect::EffectKind;
use crate::span::At;

/// What a call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    /// Hands a text to a shell.
    Shell,
    /// Runs a list of words.
    Argv,
    /// Runs code of the same language.
    Evaluate,
    /// Reads or writes, as its second argument says.
    OpenFile,
    Effect(EffectKind),
}

/// A call of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Call {
    /// Languages, by their letters: P(ython) J(avaScript) L (Perl) R(uby) H (PHP) U (Lua) S (R)
    /// I (Julia) A (awk) T(cl) O (AppleScript).
    languages: &'static str,
    name: &'static str,
    /// One of these stands before it; empty: anything, or nothing.
    owners: &'static str,
    pub(super) does: Does,
    /// A name that many things have: it counts only with a literal argument.
    pub(super) needs_literal: bool,
    /// What it is done to is what it is called on.
    pub(super) on_receiver: bool,
}

const fn c(languages: &'static str, name: &'static str, owners: &'static str, does: Does) -> Call {
    Call {
        languages,
        name,
        owners,
        does,
        needs_literal: false,
        on_receiver: false,
    }
}

const fn common(
    languages: &'static str,
    name: &'static str,
    owners: &'static str,
    does: Does,
) -> Call {
    Call {
        languages,
        name,
        owners,
        does,
        needs_literal: true,
        on_receiver: false,
    }
}

const fn method(languages: &'static str, name: &'static str, does: Does) -> Call {
    Call {
        languages,
        name,
        owners: "",
        does,
        needs_literal: true,
        on_receiver: true,
    }
}

use Does::{Argv, Evaluate, OpenFile, Shell};
const DELETE: Does = Does::Effect(EffectKind::Delete);
const TREE: Does = Does::Effect(EffectKind::DeleteTree);
const WRITE: Does = Does::Effect(EffectKind::Write);
const READ: Does = Does::Effect(EffectKind::Read);
const MOVE: Does = Does::Effect(EffectKind::Move);
const MODE: Does = Does::Effect(EffectKind::Permissions);
const NETWORK: Does = Does::Effect(EffectKind::Network);
const SIGNAL: Does = Does::Effect(EffectKind::Signal);

#[rustfmt::skip]
const CALLS: &[Call] = &[
    // Python
    c("P", "system", "", Shell), c("P", "popen", "", Shell), c("P", "getoutput", "", Shell),
    c("P", "getstatusoutput", "", Shell), c("P", "check_call", "", Argv), c("P", "check_output", "", Argv),
    c("P", "Popen", "", Argv), common("P", "run", "", Argv), common("P", "call", "", Argv),
    c("P", "execv", "", Argv), c("P", "execvp", "", Argv), c("P", "execve", "", Argv), c("P", "execl", "", Argv),
    c("P", "execlp", "", Argv), c("P", "spawnl", "", Argv), c("P", "spawnv", "", Argv), c("P", "spawnvp", "", Argv),
    c("P", "create_subprocess_shell", "", Shell), c("P", "create_subprocess_exec", "", Argv),
    c("P", "spawn", "pty", Argv),
    c("P", "rmtree", "", TREE), c("P", "removedirs", "", TREE), c("P", "remove", "os", DELETE),
    common("P", "remove", "", DELETE), c("P", "unlink", "os", DELETE), method("P", "unlink", DELETE),
    c("P", "rmdir", "os", DELETE), method("P", "rmdir", DELETE), method("P", "write_text", WRITE),
    method("P", "write_bytes", WRITE), method("P", "read_text", READ), method("P", "read_bytes", READ),
    method("P", "touch", WRITE), common("P", "truncate", "os", WRITE), common("P", "open", "", OpenFile),
    c("P", "rename", "os", MOVE), c("P", "replace", "os", MOVE), c("P", "move", "shutil", MOVE),
    common("P", "copy", "shutil", WRITE), common("P", "copyfile", "shutil", WRITE), c("P", "chmod", "os", MODE),
    c("P", "chown", "os", MODE), c("P", "kill", "os", SIGNAL), c("P", "killpg", "os", SIGNAL),
    c("P", "eval", "", Evaluate), c("P", "exec", "", Evaluate), common("P", "urlopen", "", NETWORK),
    common("P", "urlretrieve", "", NETWORK), common("P", "get", "requests", NETWORK),
    common("P", "post", "requests", NETWORK), c("P", "connect", "socket", NETWORK), c("P", "socket", "socket", NETWORK),
    // JavaScript
    c("J", "execSync", "", Shell), common("J", "exec", "", Shell), c("J", "spawnSync", "", Argv),
    c("J", "spawn", "", Argv), c("J", "execFile", "", Argv), c("J", "execFileSync", "", Argv),
    c("J", "rmSync", "", TREE), c("J", "rm", "", TREE), c("J", "rmdirSync", "", TREE), c("J", "rmdir", "", DELETE),
    c("J", "unlinkSync", "", DELETE), c("J", "unlink", "", DELETE), c("J", "removeSync", "", TREE),
    common("J", "remove", "", TREE), c("J", "rimraf", "", TREE), c("J", "writeFileSync", "", WRITE),
    c("J", "writeFile", "", WRITE), c("J", "appendFileSync", "", WRITE), c("J", "appendFile", "", WRITE),
    c("J", "truncateSync", "", WRITE), c("J", "writeTextFileSync", "", WRITE), c("J", "writeTextFile", "", WRITE),
    common("J", "readFileSync", "", READ), common("J", "readFile", "", READ), c("J", "renameSync", "", MOVE),
    c("J", "chmodSync", "", MODE), c("J", "eval", "", Evaluate), c("J", "Function", "", Evaluate),
    c("J", "kill", "process", SIGNAL), common("J", "fetch", "", NETWORK), c("J", "Command", "Deno", Argv),
    // Perl
    c("L", "system", "", Shell), c("L", "exec", "", Shell), c("L", "unlink", "", DELETE), c("L", "rmtree", "", TREE),
    c("L", "remove_tree", "", TREE), c("L", "rmdir", "", DELETE), c("L", "rename", "", MOVE), c("L", "chmod", "", MODE),
    c("L", "chown", "", MODE), c("L", "kill", "", SIGNAL), common("L", "open", "", OpenFile), c("L", "truncate", "", WRITE),
    common("L", "eval", "", Evaluate),
    // Ruby
    c("R", "system", "", Shell), c("R", "exec", "", Shell), common("R", "spawn", "", Shell), common("R", "popen", "", Shell),
    common("R", "capture2", "", Shell), common("R", "capture2e", "", Shell), common("R", "capture3", "", Shell),
    c("R", "rm_rf", "", TREE), c("R", "rm_r", "", TREE), c("R", "remove_dir", "", TREE), c("R", "remove_entry", "", TREE),
    c("R", "rmtree", "", TREE), c("R", "rm", "FileUtils", DELETE), c("R", "rm_f", "", DELETE),
    common("R", "delete", "File", DELETE), common("R", "unlink", "File", DELETE), common("R", "rmdir", "Dir", DELETE),
    common("R", "delete", "Dir", DELETE), common("R", "write", "File", WRITE), common("R", "write", "IO", WRITE),
    common("R", "open", "", OpenFile), common("R", "read", "File", READ), common("R", "rename", "File", MOVE),
    common("R", "mv", "FileUtils", MOVE), common("R", "chmod", "", MODE), common("R", "chmod_R", "", MODE),
    c("R", "kill", "Process", SIGNAL), c("R", "eval", "", Evaluate), c("R", "instance_eval", "", Evaluate),
    common("R", "truncate", "File", WRITE),
    // PHP
    c("H", "system", "", Shell), c("H", "exec", "", Shell), c("H", "shell_exec", "", Shell), c("H", "passthru", "", Shell),
    c("H", "popen", "", Shell), c("H", "proc_open", "", Shell), c("H", "pcntl_exec", "", Argv), c("H", "unlink", "", DELETE),
    c("H", "rmdir", "", DELETE), c("H", "file_put_contents", "", WRITE), common("H", "file_get_contents", "", READ),
    common("H", "fopen", "", OpenFile), c("H", "rename", "", MOVE), c("H", "chmod", "", MODE), c("H", "eval", "", Evaluate),
    c("H", "assert", "", Evaluate),
    // Lua
    c("U", "execute", "os", Shell), c("U", "popen", "io", Shell), c("U", "remove", "os", DELETE), c("U", "rename", "os", MOVE),
    common("U", "open", "io", OpenFile), c("U", "load", "", Evaluate), c("U", "loadstring", "", Evaluate),
    // R
    c("S", "system", "", Shell), c("S", "system2", "", Argv), c("S", "shell", "", Shell), c("S", "unlink", "", TREE),
    c("S", "file.remove", "", DELETE), c("S", "remove", "file", DELETE), common("S", "writeLines", "", WRITE),
    // Julia
    c("I", "rm", "", TREE), c("I", "mv", "", MOVE), c("I", "chmod", "", MODE), common("I", "write", "", WRITE),
    common("I", "open", "", OpenFile),
    // awk
    c("A", "system", "", Shell),
    // Tcl
    c("T", "exec", "", Argv), c("T", "eval", "", Evaluate), common("T", "open", "", OpenFile),
    // AppleScript
    c("O", "script", "", Shell),
];

fn letter(language: Language) -> char {
    match language {
        Language::Python => 'P',
        Language::JavaScript => 'J',
        Language::Perl => 'L',
        Language::Ruby => 'R',
        Language::Php => 'H',
        Language::Lua => 'U',
        Language::R => 'S',
        Language::Julia => 'I',
        Language::Awk => 'A',
        Language::Tcl => 'T',
        Language::AppleScript => 'O',
    }
}

/// The call of a name; `last` is the part behind its last dot.
pub(super) fn find(language: Language, name: &str, last: &str) -> Option<Call> {
    let letter = letter(language);
    let owner = name
        .strip_suffix(last)
        .unwrap_or("")
        .trim_end_matches(['.', ':']);
    let owner = owner.rsplit(['.', ':']).next().unwrap_or("");
    let fits = |call: &&Call| {
        call.name == last
            && call.languages.contains(letter)
            && (call.owners.is_empty()
                || call.owners == owner
                || (owner.is_empty() && name.starts_with('.')))
    };
    CALLS.iter().find(fits).copied()
}

/// The literal arguments of a call.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    /// Strings at the top level, in order.
    pub(super) texts: Vec<String>,
    /// Strings in calls among the arguments.
    pub(super) nested: Vec<String>,
    /// Where the strings of the top level stand.
    pub(super) places: Vec<At>,
    /// Strings of the first list.
    pub(super) list: Vec<String>,
    /// They came before the strings of the top level.
    pub(super) nested_first: bool,
    /// A string came before the list.
    pub(super) text_first: bool,
    /// Number of the last token.
    pub(super) end: usize,
}

/// Most tokens of a call that are looked at.
const MAX_TOKENS: usize = 256;
const MAX_TEXTS: usize = 64;

/// Reads the arguments from the token `from` on.
pub(super) fn arguments(tokens: &[Token], from: usize, parens: bool) -> Arguments {
    let mut found = Arguments {
        end: from,
        ..Arguments::default()
    };
    let mut depth = 0_usize;
    let mut lists = 0_usize;
    for (i, token) in tokens.iter().enumerate().skip(from).take(MAX_TOKENS) {
        found.end = i;
        match &token.kind {
            TokenKind::Sign('(' | '{') => depth += 1,
            TokenKind::Sign(')' | '}') if depth == 0 => break,
            TokenKind::Sign(')' | '}') => depth -= 1,
            TokenKind::Sign(';') if depth == 0 && lists == 0 => break,
            TokenKind::Sign('\n') if !parens && depth == 0 => break,
            TokenKind::Sign('[') => lists += 1,
            TokenKind::Sign(']') if lists == 0 => break,
            TokenKind::Sign(']') => lists -= 1,
            TokenKind::Text(text) if found.texts.len() + found.list.len() < MAX_TEXTS => {
                if depth > 0 && lists == 0 {
                    found.nested_first |= found.texts.is_empty();
                    found.nested.push(text.clone());
                } else if lists > 0 {
                    found.list.push(text.clone());
                } else {
                    found.text_first |= found.list.is_empty();
                    found.texts.push(text.clone());
                    found.places.push(token.at);
                }
            }
            _ => {}
        }
    }
    found
}

/// The literal that a method is called on: `Path("x").unlink()`.
pub(super) fn receiver(tokens: &[Token], at: usize) -> Option<String> {
    let before = at.checked_sub(1)?;
    if tokens.get(before).map(|t| &t.kind) != Some(&TokenKind::Sign(')')) {
        return None;
    }
    tokens
        .get(before.saturating_sub(4)..before)?
        .iter()
        .rev()
        .find_map(|t| match &t.kind {
            TokenKind::Text(text) => Some(text.clone()),
            _ => None,
        })
}
