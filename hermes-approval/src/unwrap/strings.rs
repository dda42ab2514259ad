//! Tools with commands in strings of their own.

use crate::grammar::{self, Grammar, Order, UNKNOWN_TOOL};
use crate::invocation::{Args, InvocationId, WrapperKind};
use crate::walk::{Scene, Walker};
use crate::word::{PartKind, Word};

/// The value of a word as a script; an unknown piece becomes a variable that is not set.
pub(super) fn script_text(word: &Word) -> String {
    if word.known().is_some() || word.parts.is_empty() {
        return word.text.clone();
    }
    word.parts()
        .iter()
        .map(|part| match part.kind {
            PartKind::Unknown(_) => "${_}",
            _ => word.part_text(part),
        })
        .collect()
}

impl Walker<'_> {
    pub(super) fn evaluated(&mut self, id: InvocationId, name: &str, word: &Word, scene: &Scene) {
        let wrapper = self.wrapper(id, name, WrapperKind::Evaluated);
        self.run_word(word, id, wrapper, scene);
    }

    /// `env A=1 cmd`, `env -S 'cmd …'`
    pub(super) fn env(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let grammar = grammar::grammar("env").unwrap_or(&UNKNOWN_TOOL);
        let words = super::arguments(argv);
        let read = grammar::read(words, grammar, Order::First);
        let wrapper = self.wrapper(id, name, WrapperKind::Plain);
        if let Some(value) = read.value('S', "split-string") {
            let mut joined = vec![super::value_word(value, self.span_of(id))];
            joined.extend(words.get(read.rest..).unwrap_or(&[]).iter().cloned());
            self.run_joined(&joined, id, wrapper, scene);
            return;
        }
        let mut at = read.rest;
        // `env -` is `env -i`.
        at += words
            .iter()
            .skip(at)
            .take_while(|w| super::is_assignment(w) || w.known() == Some("-"))
            .count();
        if words.len() > at {
            self.run(argv.after(1 + at), id, wrapper, scene);
        }
    }

    pub(super) fn watch(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let grammar = grammar::grammar("watch").unwrap_or(&UNKNOWN_TOOL);
        let words = super::arguments(argv);
        let read = grammar::read(words, grammar, Order::First);
        let wrapper = self.wrapper(id, name, WrapperKind::Repeated);
        self.run_joined(words.get(read.rest..).unwrap_or(&[]), id, wrapper, scene);
    }

    /// `at`, `batch`, `crontab -`: the input is a script for later.
    pub(super) fn at(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let words = super::arguments(argv);
        let lists = words.iter().any(|w| {
            w.known()
                .is_some_and(|t| matches!(t, "-l" | "-r" | "-d" | "-c" | "-e"))
        });
        let reads = words.is_empty() || words.iter().any(|w| w.known() == Some("-"));
        if lists || (name == "crontab" && !reads) {
            return;
        }
        let wrapper = crate::invocation::Wrapper {
            detaches: true,
            ..self.wrapper(id, name, WrapperKind::Evaluated)
        };
        if name != "crontab" {
            self.shell_reads(id, id, wrapper, scene);
            return;
        }
        // The command of a line stands behind its five times.
        let Some(text) = self.input_text(id) else {
            return;
        };
        let span = self.input_span(id);
        for line in text.lines().take(MAX_LINES) {
            let fields = if line.starts_with('@') { 1 } else { 5 };
            let command = (0..fields).try_fold(line.trim_start(), |rest, _| {
                rest.split_once([' ', '\t'])
                    .map(|(_, rest)| rest.trim_start())
            });
            if let Some(command) = command.filter(|_| !line.starts_with('#')) {
                let map = crate::span::SpanMap::Whole(span);
                let source = crate::invocation::Source::Here(id);
                self.run_text(command, &map, id, wrapper.clone(), source, scene);
            }
        }
    }

    pub(super) fn screen(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let words = super::arguments(argv);
        let stuff = words.iter().position(|w| w.known() == Some("stuff"));
        if let Some(text) = stuff.and_then(|at| words.get(at + 1)).cloned() {
            self.evaluated(id, name, &text, scene);
            return;
        }
        // `-d` may have a session behind it, but `-dm` starts one.
        let starts = |w: &Word| w.starts_with_known("-dm") || w.starts_with_known("-Dm");
        let grammar = Grammar {
            short_attached: if words.iter().any(starts) { "" } else { "dD" },
            ..*grammar::grammar("screen").unwrap_or(&UNKNOWN_TOOL)
        };
        let read = grammar::read(words, &grammar, Order::First);
        let wrapper = crate::invocation::Wrapper {
            detaches: true,
            ..self.wrapper(id, name, WrapperKind::Plain)
        };
        if read.rest < words.len() {
            self.run(argv.after(1 + read.rest), id, wrapper, scene);
        }
    }

    /// `tmux new -d 'cmd'`, `tmux send-keys 'cmd' Enter`, `tmux run-shell 'cmd'`.
    pub(super) fn tmux(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let words = super::arguments(argv);
        let global = Grammar {
            short_values: "cfLST",
            ..UNKNOWN_TOOL
        };
        let read = grammar::read(words, &global, Order::First);
        let Some(verb) = words.get(read.rest).and_then(Word::known) else {
            return;
        };
        let runs = TMUX.iter().any(|(verbs, _)| verbs.contains(&verb));
        if !runs {
            return;
        }
        let values = TMUX
            .iter()
            .find(|(verbs, _)| verbs.contains(&verb))
            .map_or("", |(_, values)| values);
        let after = words.get(read.rest + 1..).unwrap_or(&[]);
        let grammar = Grammar {
            short_values: values,
            ..UNKNOWN_TOOL
        };
        let inner = grammar::read(after, &grammar, Order::First);
        let command: Vec<Word> = after
            .get(inner.rest..)
            .unwrap_or(&[])
            .iter()
            .filter(|w| !matches!(w.known(), Some("Enter" | "C-m" | "C-c" | "Space")))
            .cloned()
            .collect();
        let wrapper = crate::invocation::Wrapper {
            detaches: true,
            ..self.wrapper(id, name, WrapperKind::Evaluated)
        };
        self.run_joined(&command, id, wrapper, scene);
    }

    /// `--to-command`, `--checkpoint-action=exec=`, `-I prog`.
    pub(super) fn tar(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let words = super::arguments(argv);
        for (i, word) in words.iter().enumerate() {
            let text = word.known_prefix();
            let start = TAR
                .iter()
                .find(|prefix| text.starts_with(**prefix))
                .map(|p| p.len());
            let script = match (start, text) {
                (Some(start), _) => super::rest_of(word, start),
                (
                    None,
                    "--to-command"
                    | "-I"
                    | "--use-compress-program"
                    | "-F"
                    | "--info-script"
                    | "--rsh-command",
                ) => match words.get(i + 1) {
                    Some(next) => next.clone(),
                    None => continue,
                },
                (None, "--checkpoint-action") => match words.get(i + 1) {
                    Some(next) if next.starts_with_known("exec=") => {
                        super::rest_of(next, "exec=".len())
                    }
                    _ => continue,
                },
                _ => continue,
            };
            self.evaluated(id, name, &script, scene);
        }
    }

    /// `vim -c '!cmd'`, `+'!cmd'`
    pub(super) fn editor(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let grammar = grammar::grammar("vim").unwrap_or(&UNKNOWN_TOOL);
        let words = super::arguments(argv);
        let read = grammar::read(words, grammar, Order::Anywhere);
        let span = self.span_of(id);
        let options = read
            .options
            .iter()
            .filter(|o| o.is('c', "cmd"))
            .filter_map(|o| o.value);
        let mut commands: Vec<Word> = options.map(|v| super::value_word(v, span)).collect();
        commands.extend(
            words
                .iter()
                .filter(|w| w.starts_with_known("+"))
                .map(|w| super::rest_of(w, 1)),
        );
        // `ed` reads its commands, and so does vim when it is told to be `ex`.
        if matches!(name, "ed" | "dc" | "ex") || read.has('e', "") {
            let at = self.input_span(id);
            let input = self.input_text(id).unwrap_or_default();
            let escapes = input.lines().take(MAX_LINES).filter(|l| l.contains('!'));
            commands.extend(escapes.map(|l| Word::made(l.to_owned(), at)));
        }
        if name == "dc" {
            let scripts = words
                .iter()
                .filter(|w| w.text().trim_start().starts_with('!'));
            commands.extend(scripts.cloned());
        }
        for command in commands {
            let text = command.text();
            let code = VIM_LANGUAGES.iter().find_map(|(prefix, language)| {
                let code = text.trim_start_matches([':', ' ']).strip_prefix(prefix)?;
                Some((*language, code.to_owned()))
            });
            if let Some((language, code)) = code {
                let map = crate::span::SpanMap::Whole(command.span);
                self.code(id, language, &code, &map, scene);
                continue;
            }
            let start = match shell_escape(text) {
                // `:!cmd`, `:r !cmd`, `:silent !cmd`, `:%!cmd`
                Some(at) => at + 1,
                None => match text.find("system(") {
                    Some(at) => at + "system(".len() + 1,
                    None => continue,
                },
            };
            let script = super::rest_of(&command, start);
            let script = match text.find("system(") {
                Some(_) => Word::made(
                    script.text.trim_end_matches([')', '\'', '"']).to_owned(),
                    script.span,
                ),
                None => script,
            };
            self.evaluated(id, name, &script, scene);
        }
    }

    /// `git -c alias.x='!cmd' x`, `git config alias.x '!cmd'`, `git bisect run cmd`, and the like.
    pub(super) fn git(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let grammar = grammar::grammar("git").unwrap_or(&UNKNOWN_TOOL);
        let words = super::arguments(argv);
        let read = grammar::read(words, grammar, Order::First);
        for option in read.options.iter().filter(|o| o.is_short('c')) {
            if let Some(value) = option.value {
                let word = super::value_word(value, self.span_of(id));
                self.git_setting(id, name, &word, scene);
            }
        }
        for setting in self.settings_of_environment(id) {
            self.git_setting(id, name, &setting, scene);
        }
        let rest = words.get(read.rest..).unwrap_or(&[]);
        let known: Vec<&str> = rest
            .iter()
            .take(3)
            .map(|w| w.known().unwrap_or(""))
            .collect();
        if let Some(first) = known.first()
            && self.git_alias(id, first, argv, read.rest, scene)
        {
            return;
        }
        match known.as_slice() {
            ["bisect", "run", ..] => {
                let wrapper = self.wrapper(id, name, WrapperKind::Repeated);
                self.run(argv.after(1 + read.rest + 2), id, wrapper, scene);
            }
            ["submodule", "foreach", ..] => {
                let wrapper = self.wrapper(id, name, WrapperKind::Repeated);
                let command: Vec<Word> = rest
                    .iter()
                    .skip(2)
                    .skip_while(|w| w.starts_with_known("-"))
                    .cloned()
                    .collect();
                self.run_joined(&command, id, wrapper, scene);
            }
            ["rebase", ..] | ["filter-branch", ..] | ["difftool", ..] | ["mergetool", ..] => {
                let grammar = Grammar {
                    short_values: "xXsC",
                    long_values: &[
                        "exec",
                        "onto",
                        "tree-filter",
                        "index-filter",
                        "msg-filter",
                        "env-filter",
                        "extcmd",
                        "commit-filter",
                        "parent-filter",
                    ],
                    ..UNKNOWN_TOOL
                };
                let inner = grammar::read(rest.get(1..).unwrap_or(&[]), &grammar, Order::Anywhere);
                let scripts: Vec<Word> = inner
                    .options
                    .iter()
                    .filter(|o| {
                        o.is('x', "exec") || o.name.ends_with("-filter") || o.is_long("extcmd")
                    })
                    .filter_map(|o| o.value)
                    .map(|v| super::value_word(v, self.span_of(id)))
                    .collect();
                for script in scripts {
                    self.evaluated(id, name, &script, scene);
                }
            }
            ["clone", ..] => {
                let grammar = grammar::grammar("git clone").unwrap_or(&UNKNOWN_TOOL);
                let inner = grammar::read(rest.get(1..).unwrap_or(&[]), grammar, Order::Anywhere);
                let settings = inner.options.iter().filter(|o| o.is('c', "config"));
                let settings: Vec<Word> = settings
                    .filter_map(|o| o.value)
                    .map(|v| super::value_word(v, self.span_of(id)))
                    .collect();
                for setting in settings {
                    self.git_setting(id, name, &setting, scene);
                }
            }
            ["config", ..] => {
                let operands: Vec<&Word> = rest
                    .iter()
                    .skip(1)
                    .filter(|w| !w.starts_with_known("-"))
                    .skip_while(|w| w.known() == Some("set"))
                    .collect();
                if let [key, value, ..] = operands.as_slice()
                    && let Some(key) = key.known()
                {
                    let mut setting = Word::made(format!("{key}={}", value.text()), value.span);
                    setting.parts.clear();
                    self.git_setting(id, name, &setting, scene);
                }
            }
            _ => {}
        }
    }

    /// `GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='!cmd' git x`
    fn settings_of_environment(&self, id: InvocationId) -> Vec<Word> {
        let mut settings = Vec::new();
        let Some(invocation) = self.found.invocations.get(id.0) else {
            return settings;
        };
        for key in &invocation.assignments {
            let Some(number) = key.name.strip_prefix("GIT_CONFIG_KEY_") else {
                continue;
            };
            let value = invocation
                .assignments
                .iter()
                .find(|a| a.name.strip_prefix("GIT_CONFIG_VALUE_") == Some(number));
            if let (Some(name), Some(value)) = (
                key.values.first().and_then(Word::known),
                value.and_then(|a| a.values.first()?.known()),
            ) && settings.len() < MAX_SETTINGS
            {
                settings.push(Word::made(format!("{name}={value}"), key.span));
            }
        }
        settings
    }

    /// `git -c alias.p='push --force' p`: runs git with the words of the alias; false if it is none.
    fn git_alias(
        &mut self,
        id: InvocationId,
        alias: &str,
        argv: &Args,
        before: usize,
        scene: &Scene,
    ) -> bool {
        if self.aliases.is_empty() || alias.is_empty() {
            return false;
        }
        let Some(value) = self
            .aliases
            .get(&format!("git {}", alias.to_ascii_lowercase()))
        else {
            return false;
        };
        let span = self.span_of(id);
        let words = value
            .split_whitespace()
            .map(|word| Word::made(word.trim_matches(['"', '\'']).to_owned(), span));
        let git = std::iter::once(Word::made("git".to_owned(), span));
        let rest = argv.iter().skip(before + 2).cloned();
        let words: Vec<Word> = git.chain(words).chain(rest).collect();
        // An alias may not call itself, and a builtin is no alias.
        if words.get(1).and_then(Word::known) == Some(alias) {
            return false;
        }
        let wrapper = self.wrapper(id, "git", WrapperKind::Plain);
        self.run(Args::new(words), id, wrapper, scene);
        true
    }

    fn git_setting(&mut self, id: InvocationId, name: &str, setting: &Word, scene: &Scene) {
        let text = setting.text();
        let Some((key, value)) = text.split_once('=') else {
            return;
        };
        let lower = key.to_ascii_lowercase();
        let start = key.len() + 1;
        let script = if let Some(alias) = lower.strip_prefix("alias.") {
            if !value.starts_with('!') {
                let words = value.to_owned();
                self.aliases.insert(format!("git {alias}"), words);
                return;
            }
            value
                .starts_with('!')
                .then(|| super::rest_of(setting, start + 1))
        } else {
            let runs = GIT_COMMANDS.contains(&lower.as_str())
                || lower.ends_with(".cmd")
                || (lower.starts_with("filter.")
                    && (lower.ends_with(".clean") || lower.ends_with(".smudge")))
                || (lower == "credential.helper" && value.starts_with('!'));
            runs.then(|| super::rest_of(setting, start + usize::from(value.starts_with('!'))))
        };
        if let Some(script) = script {
            self.evaluated(id, name, &script, scene);
        }
    }

    /// `gdb -ex 'shell cmd'`, `gdb --args cmd`
    pub(super) fn gdb(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let words = super::arguments(argv);
        if let Some(at) = words
            .iter()
            .position(|w| matches!(w.known(), Some("--args" | "-args" | "--")))
        {
            let wrapper = self.wrapper(id, name, WrapperKind::Plain);
            self.run(argv.after(2 + at), id, wrapper, scene);
        }
        for word in words {
            let text = word.text();
            // `gdb -ex 'python …'`, `lldb -o 'script …'`
            let code = ["python ", "py ", "script "]
                .iter()
                .find_map(|p| text.strip_prefix(p));
            if let Some(code) = code {
                let map = crate::span::SpanMap::Whole(word.span);
                let code = code.to_owned();
                self.code(id, "python", &code, &map, scene);
                continue;
            }
            let command = text
                .strip_prefix("shell ")
                .or_else(|| text.strip_prefix('!'))
                .or_else(|| text.strip_prefix("platform shell "));
            if let Some(command) = command {
                let script = super::rest_of(word, text.len() - command.len());
                self.evaluated(id, name, &script, scene);
            }
        }
    }

    /// `.shell cmd` of sqlite3, `\! cmd` of psql and mysql, in arguments or input.
    pub(super) fn database(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let escapes: &[&str] = match name {
            "sqlite3" => &[".shell ", ".system "],
            _ => &["\\! ", "\\!", "system "],
        };
        let span = self.input_span(id);
        let input = self.input_text(id).map(|text| Word::made(text, span));
        for word in super::arguments(argv).iter().cloned().chain(input) {
            for line in word.text().lines().take(MAX_LINES) {
                let line = line.trim_start();
                if let Some(command) = escapes.iter().find_map(|e| line.strip_prefix(e)) {
                    let script = Word::made(command.to_owned(), word.span);
                    self.evaluated(id, name, &script, scene);
                }
            }
        }
    }
}

const MAX_SETTINGS: usize = 8;

/// Lines of an input that are looked at.
pub(super) const MAX_LINES: usize = 256;

const TAR: &[&str] = &[
    "--to-command=",
    "--checkpoint-action=exec=",
    "--use-compress-program=",
    "--info-script=",
    "--new-volume-script=",
    "--rsh-command=",
    "--rmt-command=",
];

/// Verbs of tmux that take a command, and their options with a value.
const TMUX: &[(&[&str], &str)] = &[
    (&["new", "new-session"], "cFenstxyf"),
    (&["neww", "new-window"], "cFent"),
    (&["split-window", "splitw"], "cFelpt"),
    (
        &["respawn-pane", "respawnp", "respawn-window", "respawnw"],
        "cet",
    ),
    (&["send-keys", "send"], "cNt"),
    (&["run-shell", "run", "if-shell", "if"], "cdt"),
    (
        &["pipe-pane", "pipep", "display-popup", "popup"],
        "cbdeEhsStTwxy",
    ),
];

/// Commands of vim with code of another language.
const VIM_LANGUAGES: &[(&str, &str)] = &[
    ("lua ", "lua"),
    ("perl ", "perl"),
    ("py ", "python"),
    ("py3 ", "python"),
    ("python ", "python"),
    ("python3 ", "python"),
    ("ruby ", "ruby"),
];

/// Settings of git that are commands.
const GIT_COMMANDS: &[&str] = &[
    "core.pager",
    "core.editor",
    "core.sshcommand",
    "core.fsmonitor",
    "core.askpass",
    "sequence.editor",
    "diff.external",
    "gpg.program",
    "uploadpack.packobjectshook",
    "interactive.difffilter",
];

/// Where the `!` stands that hands the rest to a shell. `Lazy! sync` is a command of a plugin, whose
/// names start with a capital; its `!` only makes it do more.
fn shell_escape(text: &str) -> Option<usize> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices('!').map(|(at, _)| at).find(|&at| {
        let before = text.get(..at).unwrap_or("");
        let name = before.trim_end_matches(word).len();
        let name = before.get(name..).unwrap_or("");
        !name.starts_with(|c: char| c.is_ascii_uppercase())
    })
}
