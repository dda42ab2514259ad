//! What a tool call would do, as the commands that it is judged by.

use std::borrow::Cow;

use hermes_kit::approval::Platform;
use serde_json::Value;

use super::super::command_text::quoted;

/// A call of a tool that is judged.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Call {
    /// The worst of them counts.
    pub(super) commands: Vec<String>,
    /// Their language; nothing for what the options say.
    pub(super) language: Option<Platform>,
    /// Whether the tool does just this. What else a tool does is not ours to allow: that it may
    /// write this file says nothing of what it writes.
    pub(super) is_all: bool,
}

/// What a tool takes.
#[derive(Clone, Copy)]
enum Takes {
    /// `command`, and the language that it is in, if that is known.
    Command(Option<Platform>),
    /// `code`, in Python.
    Code,
    /// A file that it writes, or a patch that names several.
    Files,
}

/// The tools of Hermes and of Claude Code. Agents that took over their hooks write the names in
/// their own way, so that case does not matter, nor who sends the event.
const TOOLS: &[(&str, Takes)] = &[
    ("terminal", Takes::Command(None)),
    ("bash", Takes::Command(None)),
    ("powershell", Takes::Command(Some(Platform::PowerShell))),
    ("execute_code", Takes::Code),
    ("write_file", Takes::Files),
    ("patch", Takes::Files),
    ("write", Takes::Files),
    ("edit", Takes::Files),
    ("multiedit", Takes::Files),
    ("notebookedit", Takes::Files),
];

/// What a tool's file is called.
const PATHS: &[&str] = &["file_path", "path", "notebook_path", "filePath"];

/// How lines begin in which a patch names a file.
const HEADERS: &[&str] = &[
    "*** Add File:",
    "*** Update File:",
    "*** Delete File:",
    "*** Move to:",
];

/// How a patch names a file and its new place.
const MOVE: &str = "*** Move File:";

/// Reads a call: `None` for a tool that is not judged, an error that says what is missing for one
/// that cannot be.
pub(super) fn read(tool: &str, input: &Value) -> Option<Result<Call, &'static str>> {
    let (_, takes) = TOOLS
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(tool))?;
    let text = |name: &str| input.get(name).and_then(Value::as_str);
    Some(match takes {
        Takes::Command(language) => match text("command") {
            Some(command) => Ok(Call {
                commands: vec![command.to_owned()],
                language: *language,
                is_all: true,
            }),
            None => Err("command"),
        },
        Takes::Code => match text("code") {
            Some(code) => Ok(Call {
                commands: vec![format!("python3 -c {}", quoted(code, Platform::Posix))],
                language: Some(Platform::Posix),
                is_all: true,
            }),
            None => Err("code"),
        },
        Takes::Files => {
            let named = PATHS.iter().filter_map(|name| text(name));
            let patched = text("patch").map(files_of_patch).unwrap_or_default();
            let commands: Vec<String> = named.chain(patched).map(writing).collect();
            if commands.is_empty() {
                Err("file")
            } else {
                Ok(Call {
                    commands,
                    language: Some(Platform::Posix),
                    is_all: false,
                })
            }
        }
    })
}

fn files_of_patch(patch: &str) -> Vec<&str> {
    let mut files = Vec::new();
    for line in patch.lines().map(str::trim) {
        if let Some(both) = line.strip_prefix(MOVE) {
            files.extend(both.split("->"));
        } else {
            let named = HEADERS.iter().find_map(|header| line.strip_prefix(header));
            files.extend(named);
        }
    }
    files.into_iter().map(str::trim).collect()
}

/// The command that writes this file, and does nothing else.
fn writing(path: &str) -> String {
    // Tools that write files read a tilde as shells do, which a quote would prevent.
    let (home, rest) = match path.split_once('/') {
        Some((home, rest)) if is_home(home) => (Cow::Owned(format!("{home}/")), rest),
        _ => (Cow::Borrowed(""), path),
    };
    match rest {
        "" => format!("tee -- {home}"),
        rest => format!("tee -- {home}{}", quoted(rest, Platform::Posix)),
    }
}

fn is_home(text: &str) -> bool {
    text.strip_prefix('~').is_some_and(|user| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        user.chars().all(plain)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn commands(tool: &str, input: &Value) -> Vec<String> {
        read(tool, input).unwrap().unwrap().commands
    }

    #[test]
    fn files_are_written_where_the_tool_would_write_them() {
        for (path, command) in [
            ("/etc/passwd", "tee -- /etc/passwd"),
            ("~/.ssh/config", "tee -- ~/.ssh/config"),
            ("~/a b", "tee -- ~/'a b'"),
            ("~root/x", "tee -- ~root/x"),
            ("~$(id)/x", "tee -- '~$(id)/x'"),
            ("/a; rm -rf /", "tee -- '/a; rm -rf /'"),
            ("/it's", "tee -- '/it'\\''s'"),
        ] {
            assert_eq!(commands("Write", &json!({"file_path": path})), [command]);
            assert_eq!(commands("write_file", &json!({"path": path})), [command]);
        }
    }

    #[test]
    fn a_patch_writes_every_file_that_it_names() {
        let patch = "*** Begin Patch\n*** Update File: a.rs\n@@\n-x\n+y\n*** Add File: /etc/b\n+*\n\
                     *** Move File: c -> d e\n*** Delete File: f\n*** End Patch";
        assert_eq!(
            commands("patch", &json!({"mode": "patch", "patch": patch})),
            [
                "tee -- a.rs",
                "tee -- /etc/b",
                "tee -- c",
                "tee -- 'd e'",
                "tee -- f"
            ]
        );
    }

    #[test]
    fn what_a_known_tool_must_name_is_missed_and_other_tools_are_none_of_ours() {
        for (tool, missing) in [
            ("Bash", "command"),
            ("execute_code", "code"),
            ("Edit", "file"),
        ] {
            assert_eq!(read(tool, &json!({})), Some(Err(missing)));
            assert_eq!(
                read(tool, &json!({missing: 3, "path": 3})),
                Some(Err(missing))
            );
        }
        for tool in ["Read", "Grep", "mcp__x__bash", ""] {
            assert_eq!(read(tool, &json!({"command": "rm -rf /"})), None);
        }
    }
}
