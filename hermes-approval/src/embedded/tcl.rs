//! Tcl and Expect, whose words are bare: `exec` is followed by a command as in a shell.

use super::Code;
use crate::effect::EffectKind;
use crate::span::At;
use crate::walk::Walker;

/// What is followed by a command, by text for the other end of a session, or by a pipe.
const RUNS: &[&str] = &["exec", "spawn", "system", "send", "exp_spawn", "exp_send"];

/// Commands of a script that are looked at.
const MAX_COMMANDS: usize = 1024;

impl Walker<'_> {
    pub(super) fn tcl(&mut self, code: &Code<'_>) {
        let mut start = 0;
        let boundary = |c: char| matches!(c, '\n' | ';' | '[' | '{');
        let mut looked = 0;
        while let Some(rest) = code.text.get(start..).filter(|r| !r.is_empty()) {
            let command = rest.trim_start();
            let from = start + rest.len() - command.len();
            let word = command.split_whitespace().next().unwrap_or("");
            let deletes = word == "file" && command.starts_with("file delete");
            if RUNS.contains(&word) || deletes || command.starts_with("open \"|") {
                looked += 1;
                if looked > MAX_COMMANDS {
                    return;
                }
                let length = length(command);
                let at = At::new(from, from + length);
                let text = command.get(word.len()..length).unwrap_or("");
                self.tcl_command(code, word, text, at);
                start = from + length.max(1);
            } else {
                let skip = command.find(boundary).map_or(command.len(), |at| at + 1);
                start = from + skip.max(1);
            }
        }
    }

    fn tcl_command(&mut self, code: &Code<'_>, word: &str, text: &str, at: At) {
        if word == "file" {
            let target = text.split_whitespace().rfind(|w| !w.starts_with('-'));
            let target = target.map(|t| t.trim_matches(['"', '{', '}']).to_owned());
            let span = code.map.original(at);
            self.effect(
                code.id,
                EffectKind::DeleteTree,
                target,
                "file delete".to_owned(),
                span,
            );
            return;
        }
        let text = text.trim();
        let options = |w: &&str| w.starts_with('-') && text.len() > w.len();
        let skipped: usize = text
            .split_whitespace()
            .take_while(options)
            .map(|w| w.len() + 1)
            .sum();
        let command = text.get(skipped..).unwrap_or("").trim();
        // Braces quote as single quotes do.
        let command = match word {
            "send" | "exp_send" | "open" => command
                .trim_matches(['"', '{', '}'])
                .trim_start_matches(['|', ' '])
                .trim_end_matches("\\r")
                .trim_end_matches("\\n")
                .to_owned(),
            _ => command.replace(['{', '}'], "'"),
        };
        self.code_runs(code, &command, at);
    }
}

/// The length of a command: up to the end of its line, or to the bracket that closes what it is in.
fn length(command: &str) -> usize {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, c) in command.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '{' | '[' => depth += 1,
            '}' | ']' if depth == 0 => return at,
            '}' | ']' => depth -= 1,
            ';' | '\n' if depth == 0 => return at,
            _ => {}
        }
    }
    command.len()
}
