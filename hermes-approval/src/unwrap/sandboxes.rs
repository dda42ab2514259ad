//! Wrappers whose own words can't be told by a table: sandboxes, personalities, environments.

use super::arguments;
use crate::grammar::{self, Grammar, Order, UNKNOWN_TOOL};
use crate::invocation::{Args, InvocationId, WrapperKind};
use crate::walk::{Scene, Walker};
use crate::word::Word;

/// Options of bwrap with two values.
const BWRAP_TWO: &[&str] = &[
    "--bind",
    "--bind-data",
    "--bind-try",
    "--dev-bind",
    "--dev-bind-try",
    "--file",
    "--ro-bind",
    "--ro-bind-data",
    "--ro-bind-try",
    "--setenv",
    "--symlink",
    "--chmod",
];

/// Options of bwrap without a value; all others have one.
const BWRAP_NONE: &[&str] = &[
    "--as-pid-1",
    "--clearenv",
    "--die-with-parent",
    "--disable-userns",
    "--new-session",
    "--unshare-all",
    "--unshare-cgroup",
    "--unshare-cgroup-try",
    "--unshare-ipc",
    "--unshare-net",
    "--unshare-pid",
    "--unshare-user",
    "--unshare-user-try",
    "--unshare-uts",
    "--share-net",
];

/// Machines that `setarch` knows, by how their names begin.
const MACHINES: &[&str] = &[
    "aarch64", "alpha", "arm", "i386", "i486", "i586", "i686", "ia64", "linux", "mips", "parisc",
    "ppc", "riscv", "s390", "sparc", "x86_64", "uname26", "athlon",
];

impl Walker<'_> {
    /// `bwrap --ro-bind / / --dev /dev cmd`
    pub(super) fn bwrap(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let mut at = 1;
        while let Some(text) = argv.get(at).map(Word::known_prefix) {
            at += match text {
                "--" => {
                    at += 1;
                    break;
                }
                _ if BWRAP_TWO.contains(&text) => 3,
                _ if BWRAP_NONE.contains(&text) => 1,
                _ if text.starts_with("--") => 2,
                _ => break,
            };
        }
        let wrapper = self.wrapper(id, name, WrapperKind::Container);
        if at < argv.len() {
            self.run(argv.after(at), id, wrapper, scene);
        }
    }

    /// `setarch x86_64 -R cmd`, `setarch -R cmd`
    pub(super) fn setarch(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let words = arguments(argv);
        let mut at = grammar::read(words, &UNKNOWN_TOOL, Order::First).rest;
        let machine = words.get(at).and_then(Word::known).unwrap_or("");
        if MACHINES.iter().any(|m| machine.starts_with(m)) {
            at += 1;
            let after = words.get(at..).unwrap_or(&[]);
            at += grammar::read(after, &UNKNOWN_TOOL, Order::First).rest;
        }
        let wrapper = self.wrapper(id, name, WrapperKind::Plain);
        if at < words.len() {
            self.run(argv.after(1 + at), id, wrapper, scene);
        }
    }

    /// `nix develop .#x -c cmd …`, `nix shell x --command cmd …`, `guix shell x -- cmd …`: all that
    /// stands behind is the command.
    pub(super) fn behind_option(
        &mut self,
        id: InvocationId,
        name: &str,
        argv: &Args,
        scene: &Scene,
    ) {
        let verb = argv.get(1).and_then(Word::known);
        let option: &[&str] = match (name, verb) {
            ("nix", Some("develop" | "shell")) => &["-c", "--command"],
            ("guix", Some("shell" | "environment" | "time-machine")) => &["--"],
            _ => return,
        };
        let at = argv
            .iter()
            .position(|w| w.known().is_some_and(|text| option.contains(&text)));
        let wrapper = self.wrapper(id, name, WrapperKind::Plain);
        if let Some(at) = at.filter(|at| at + 1 < argv.len()) {
            self.run(argv.after(at + 1), id, wrapper, scene);
        }
    }

    /// `cmake -E env A=1 cmd`, `cmake -E time cmd`, `cmake -E rm -rf x`
    pub(super) fn cmake(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        if argv.get(1).and_then(Word::known) != Some("-E") {
            return;
        }
        let words: &[&str] = match argv.get(2).and_then(Word::known) {
            Some("env") => &["env"],
            Some("time") => &[],
            Some("rm") => &["rm"],
            Some("remove") => &["rm", "-f"],
            Some("remove_directory") => &["rm", "-r"],
            _ => return,
        };
        let span = self.span_of(id);
        let own = words
            .iter()
            .map(|text| Word::made((*text).to_owned(), span));
        let words: Vec<Word> = own.chain(argv.iter().skip(3).cloned()).collect();
        let wrapper = self.wrapper(id, name, WrapperKind::Plain);
        self.run(Args::new(words), id, wrapper, scene);
    }

    /// `runuser -u bob -- cmd`, `runuser -l bob -c 'cmd'`
    pub(super) fn runuser(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let grammar = grammar::grammar("runuser").unwrap_or(&UNKNOWN_TOOL);
        let words = arguments(argv);
        let before = grammar::read(words, grammar, Order::First);
        let wrapper = crate::invocation::Wrapper {
            elevates: true,
            ..self.wrapper(id, name, WrapperKind::Plain)
        };
        if before.has('u', "user") {
            if before.rest < words.len() {
                self.run(argv.after(1 + before.rest), id, wrapper, scene);
            }
            return;
        }
        let all = grammar::read(words, grammar, Order::Anywhere);
        match all.value('c', "command") {
            Some(script) => {
                let script = super::value_word(script, self.span_of(id));
                self.run_word(&script, id, wrapper, scene);
            }
            None => self.shell_reads(id, id, wrapper, scene),
        }
    }

    /// `capsh --drop=all -- -c 'cmd'`: what stands behind `--` is for bash.
    pub(super) fn capsh(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let Some(at) = argv.iter().position(|w| w.known() == Some("--")) else {
            return;
        };
        let mut words = vec![Word::made("bash".to_owned(), self.span_of(id))];
        words.extend(argv.iter().skip(at + 1).cloned());
        let wrapper = self.wrapper(id, name, WrapperKind::Plain);
        self.run(Args::new(words), id, wrapper, scene);
    }

    /// `salt '*' cmd.run 'cmd'`
    pub(super) fn salt(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let runs = |w: &Word| matches!(w.known(), Some("cmd.run" | "cmd.shell" | "cmd.run_all"));
        let Some(at) = argv.iter().position(runs) else {
            return;
        };
        let wrapper = self.wrapper(id, name, WrapperKind::Remote);
        if let Some(script) = argv.get(at + 1).cloned() {
            self.run_word(&script, id, wrapper, scene);
        }
    }

    /// `fzf --preview 'cmd {}' --bind 'ctrl-d:execute(cmd {})'`
    pub(super) fn fzf(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let grammar = Grammar {
            long_values: &[
                "bind",
                "preview",
                "cmd",
                "preview-window",
                "prompt",
                "header",
                "query",
            ],
            ..UNKNOWN_TOOL
        };
        let read = grammar::read(arguments(argv), &grammar, Order::Anywhere);
        let span = self.span_of(id);
        for option in &read.options {
            let Some(value) = option.value.map(|v| super::value_word(v, span)) else {
                continue;
            };
            let wrapper = self.wrapper(id, name, WrapperKind::Repeated);
            if option.is_long("preview") || option.is_long("cmd") {
                self.run_word(&value, id, wrapper, scene);
            } else if option.is_long("bind")
                && let Some((_, action)) = value.text().split_once("execute")
            {
                // `execute(…)`, `execute-silent:…`
                let command = action
                    .trim_start_matches("-silent")
                    .trim_start_matches("-multi");
                let command = command.trim_matches(['(', ')', '[', ']', ':', '+']);
                let script = Word::made(command.to_owned(), value.span);
                self.run_word(&script, id, wrapper, scene);
            }
        }
    }
}
