//! `ssh` and what copies by it.

use crate::grammar::{self, Order, UNKNOWN_TOOL};
use crate::invocation::{Args, InvocationId, WrapperKind};
use crate::walk::{Scene, Walker};

impl Walker<'_> {
    pub(super) fn ssh(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let grammar = grammar::grammar("ssh").unwrap_or(&UNKNOWN_TOOL);
        let words = super::arguments(argv);
        let read = grammar::read(words, grammar, Order::First);
        self.local_options(id, name, &read, scene);
        if read.operands.is_empty() {
            return;
        }
        // The host, then again options, then the command.
        let after_host = words.get(read.rest + 1..).unwrap_or(&[]);
        let again = grammar::read(after_host, grammar, Order::First);
        self.local_options(id, name, &again, scene);
        let command = after_host.get(again.rest..).unwrap_or(&[]);
        let wrapper = self.wrapper(id, name, WrapperKind::Remote);
        if command.is_empty() {
            self.shell_reads(id, id, wrapper, scene);
        } else {
            self.run_joined(command, id, wrapper, scene);
        }
    }

    /// `-o ProxyCommand=…` and `-o LocalCommand=…` run here.
    fn local_options(
        &mut self,
        id: InvocationId,
        name: &str,
        read: &grammar::Options<'_>,
        scene: &Scene,
    ) {
        let span = self.span_of(id);
        for option in read.options.iter().filter(|o| o.is_short('o')) {
            let Some(value) = option.value else { continue };
            let word = super::value_word(value, span);
            let prefix = word.known_prefix().to_ascii_lowercase();
            let start = [
                "proxycommand=",
                "localcommand=",
                "knownhostscommand=",
                "proxycommand ",
                "localcommand ",
            ]
            .iter()
            .find(|key| prefix.starts_with(**key))
            .map(|key| key.len());
            if let Some(start) = start {
                let wrapper = self.wrapper(id, name, WrapperKind::Evaluated);
                let script = super::rest_of(&word, start);
                self.run_word(&script, id, wrapper, scene);
            }
        }
    }

    /// `rsync -e 'ssh -p 22'`, `--rsync-path='…'`, `scp -S prog`, `scp -o ProxyCommand=…`.
    pub(super) fn rsync(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let grammar = grammar::grammar(name).unwrap_or(&UNKNOWN_TOOL);
        let read = grammar::read(super::arguments(argv), grammar, Order::Anywhere);
        self.local_options(id, name, &read, scene);
        let span = self.span_of(id);
        for option in &read.options {
            let kind = if name == "rsync" && option.is('e', "rsh")
                || name != "rsync" && option.is_short('S')
            {
                WrapperKind::Evaluated
            } else if option.is_long("rsync-path") {
                WrapperKind::Remote
            } else {
                continue;
            };
            let Some(value) = option.value else { continue };
            let word = super::value_word(value, span);
            if word.known() != Some("ssh") {
                let wrapper = self.wrapper(id, name, kind);
                self.run_word(&word, id, wrapper, scene);
            }
        }
    }

    /// `ansible HOST -m shell -a '…'`
    pub(super) fn ansible(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let grammar = grammar::Grammar {
            short_values: "maiulefMtBPcK",
            long_values: &[
                "module-name",
                "args",
                "inventory",
                "user",
                "limit",
                "extra-vars",
                "forks",
            ],
            ..UNKNOWN_TOOL
        };
        let read = grammar::read(super::arguments(argv), &grammar, Order::Anywhere);
        let module = read
            .value('m', "module-name")
            .and_then(grammar::OptValue::known)
            .unwrap_or("command");
        if !matches!(module.rsplit('.').next(), Some("shell" | "command" | "raw")) {
            return;
        }
        let Some(value) = read.value('a', "args") else {
            return;
        };
        let word = super::value_word(value, self.span_of(id));
        let wrapper = self.wrapper(id, name, WrapperKind::Remote);
        self.run_word(&word, id, wrapper, scene);
    }
}

impl Walker<'_> {
    /// `socat - EXEC:'cmd'`, `socat - SYSTEM:'cmd'`
    pub(super) fn socat(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        for word in super::arguments(argv) {
            let text = word.text();
            let Some((kind, _)) = text.split_once(':') else {
                continue;
            };
            if ["exec", "system", "shell"]
                .iter()
                .any(|k| kind.eq_ignore_ascii_case(k))
            {
                // Options stand behind commas.
                let mut command = super::rest_of(word, kind.len() + 1);
                if let Some(end) = command.text.find(',').filter(|_| word.known().is_some()) {
                    command.text.truncate(end);
                    command.parts.clear();
                }
                let wrapper = self.wrapper(id, name, WrapperKind::Evaluated);
                self.run_word(&command, id, wrapper, scene);
            }
        }
    }
}
