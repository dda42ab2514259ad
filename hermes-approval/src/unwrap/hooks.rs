//! Options and builtins with a command for later: completions, key bindings, what comes after a
//! download or before an installation.

use super::arguments;
use crate::grammar::{self, Grammar, Order, UNKNOWN_TOOL};
use crate::invocation::{Args, InvocationId, WrapperKind};
use crate::walk::{Scene, Walker};
use crate::word::Word;

impl Walker<'_> {
    fn later(&mut self, id: InvocationId, name: &str, command: String, scene: &Scene) {
        let wrapper = self.wrapper(id, name, WrapperKind::Evaluated);
        let script = Word::made(command, self.span_of(id));
        self.run_word(&script, id, wrapper, scene);
    }

    /// `bind -x '"\C-l": cmd'`
    pub(super) fn bind(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let words = arguments(argv);
        let at = words
            .iter()
            .position(|w| w.known_prefix().starts_with("-x"));
        let binding = at.and_then(|at| {
            let attached = words.get(at)?.text().get(2..).filter(|t| !t.is_empty());
            attached.or_else(|| words.get(at + 1).map(|w| w.text()))
        });
        // The key sequence is quoted, and may have a colon in it.
        let command = binding.and_then(|text| {
            let key = text.rfind("\":").map(|at| at + 2);
            let at = key.or_else(|| text.find(':').map(|at| at + 1))?;
            text.get(at..)
        });
        if let Some(command) = command {
            let command = command.trim().trim_matches('"').to_owned();
            self.later(id, name, command, scene);
        }
    }

    /// `complete -C 'cmd' name`, `compgen -C 'cmd'`, `compgen -W '$(cmd)'`
    pub(super) fn complete(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let grammar = Grammar {
            short_values: "oAGWFCXPS",
            ..UNKNOWN_TOOL
        };
        let read = grammar::read(arguments(argv), &grammar, Order::Anywhere);
        let text = |letter| {
            let value = read.value(letter, "").and_then(grammar::OptValue::known);
            value.map(str::to_owned)
        };
        if let Some(command) = text('C') {
            self.later(id, name, command, scene);
        }
        if let Some(words) = text('W') {
            self.expanded_later(id, name, &words, scene);
        }
    }

    /// `yt-dlp --exec 'cmd {}'`, `aria2c --on-download-complete=cmd`
    pub(super) fn exec_option(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let grammar = Grammar {
            long_values: &[
                "exec",
                "exec-after",
                "exec-before-download",
                "on-bt-download-complete",
                "on-download-complete",
                "on-download-error",
                "on-download-pause",
                "on-download-start",
                "on-download-stop",
            ],
            ..UNKNOWN_TOOL
        };
        let read = grammar::read(arguments(argv), &grammar, Order::Anywhere);
        let hooks = read
            .options
            .iter()
            .filter(|o| o.long && (o.name.starts_with("exec") || o.name.starts_with("on-")));
        let commands: Vec<String> = hooks
            .filter_map(|o| o.value?.known())
            .map(|text| {
                // `after_move:cmd`
                let when = text
                    .split_once(':')
                    .filter(|(when, _)| !when.contains([' ', '/']));
                when.map_or(text, |(_, command)| command).to_owned()
            })
            .collect();
        for command in commands {
            self.later(id, name, command, scene);
        }
    }

    /// `rpm --eval '%(cmd)'`, `rpm --pipe cmd`
    pub(super) fn rpm(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let mut before = "";
        let mut commands: Vec<String> = Vec::new();
        for text in arguments(argv).iter().filter_map(Word::known) {
            let (option, value) = text.split_once('=').unwrap_or((before, text));
            before = text;
            if option == "--pipe" {
                commands.push(value.to_owned());
            } else if let Some((_, command)) = text.split_once("%(") {
                commands.push(command.trim_end_matches(')').to_owned());
            }
        }
        for command in commands.into_iter().take(MAX_COMMANDS) {
            self.later(id, name, command, scene);
        }
    }

    /// `apt-get -o APT::Update::Pre-Invoke::=cmd update`
    pub(super) fn apt(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let hook = |text: &str| {
            let (setting, command) = text.split_once('=')?;
            setting.contains("-Invoke").then(|| command.to_owned())
        };
        let words = arguments(argv).iter().filter_map(Word::known);
        let commands: Vec<String> = words.filter_map(hook).collect();
        for command in commands {
            self.later(id, name, command, scene);
        }
    }

    /// `lftp -e '!cmd'`, `lftp -c 'open x; !cmd'`
    pub(super) fn lftp(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let grammar = Grammar {
            short_values: "ecfpus",
            ..UNKNOWN_TOOL
        };
        let read = grammar::read(arguments(argv), &grammar, Order::Anywhere);
        let scripts = read
            .options
            .iter()
            .filter(|o| o.is_short('e') || o.is_short('c'));
        let scripts: Vec<String> = scripts
            .filter_map(|o| o.value?.known())
            .map(str::to_owned)
            .collect();
        for script in scripts {
            let commands = script
                .split([';', '\n'])
                .filter_map(|c| c.trim().strip_prefix('!'));
            for command in commands.take(MAX_COMMANDS) {
                self.later(id, name, command.to_owned(), scene);
            }
        }
    }

    /// A text that the shell expands some time: the substitutions in it.
    pub(crate) fn expanded_later(
        &mut self,
        id: InvocationId,
        name: &str,
        text: &str,
        scene: &Scene,
    ) {
        for command in substitutions(text) {
            self.later(id, name, command.to_owned(), scene);
        }
    }
}

/// What stands in `$(…)` and `` `…` `` of a text.
pub(crate) fn substitutions(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while found.len() < MAX_COMMANDS {
        let Some(at) = rest.find(['`', '$']) else {
            break;
        };
        let after = rest.get(at..).unwrap_or("");
        let (command, next) = if let Some(inner) = after.strip_prefix("$(") {
            let length = closing(inner).unwrap_or(inner.len());
            (inner.get(..length), inner.get(length..))
        } else if let Some(inner) = after.strip_prefix('`') {
            let length = inner.find('`').unwrap_or(inner.len());
            (inner.get(..length), inner.get(length + 1..))
        } else {
            (None, after.get(1..))
        };
        found.extend(command);
        rest = next.unwrap_or("");
    }
    found
}

/// Where the parenthesis is closed that was opened in front of a text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

const MAX_COMMANDS: usize = 64;
