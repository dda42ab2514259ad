//! Shells, and what hands text to the shell that is running.

use crate::coverage::Gap;
use crate::grammar::{self, Order, UNKNOWN_TOOL};
use crate::invocation::{Args, InvocationId, Source, Stdin, WrapperKind};
use crate::name_index::NameIndex;
use crate::platform::Platform;
use crate::span::SpanMap;
use crate::walk::{Scene, Walker, descriptor_of};
use crate::word::{Unknown, Word};

/// True for a shell whose language is near enough to that of bash.
pub(super) fn is_shell(name: &str) -> bool {
    SHELL_NAMES.has(SHELLS, name)
}

static SHELL_NAMES: NameIndex<64> = NameIndex::of(SHELLS);

const SHELLS: &[&str] = &[
    "bash", "sh", "zsh", "dash", "ksh", "ash", "fish", "csh", "tcsh", "mksh", "rbash", "ksh93",
    "pdksh", "yash", "xonsh", "nu", "elvish", "osh", "oil", "rksh", "hush",
];

impl Walker<'_> {
    /// `sh -c '…'`, `sh file`, `sh <<< '…'`, `… | sh`.
    pub(super) fn shell(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let scene = &Scene {
            platform: Platform::Posix,
            ..scene.clone()
        };
        let grammar = grammar::grammar(name)
            .or_else(|| grammar::grammar("bash"))
            .unwrap_or(&UNKNOWN_TOOL);
        let words = super::arguments(argv);
        let read = grammar::read(words, grammar, Order::First);
        // `-n` reads without running; in `nu` it is something else.
        let checks = |o: &grammar::Opt<'_>| o.is_short('n') && !o.plus || o.is_long("no-execute");
        if !matches!(name, "nu" | "elvish" | "xonsh") && read.options.iter().any(checks) {
            return;
        }
        let files = read
            .options
            .iter()
            .filter(|o| o.is_long("rcfile") || o.is_long("init-file"));
        let made = files.filter_map(|o| match o.value {
            Some(grammar::OptValue::Word(word)) => match word.unknowns().next() {
                Some(Unknown::Process(substitution)) => Some(*substitution),
                _ => None,
            },
            _ => None,
        });
        for substitution in made.collect::<Vec<_>>() {
            self.run_process(id, name, substitution, scene);
        }
        let command = read.options.iter().any(|o| o.is_short('c') && !o.plus);
        let inline: Vec<Word> = if name == "fish" {
            let span = self.span_of(id);
            read.options
                .iter()
                .filter(|o| o.is('c', "command") || o.is('C', "init-command"))
                .filter_map(|o| o.value)
                .map(|value| super::value_word(value, span))
                .collect()
        } else {
            let long = read
                .options
                .iter()
                .filter(|o| o.is_long("command"))
                .filter_map(|o| o.value);
            let span = self.span_of(id);
            let long: Vec<Word> = long.map(|value| super::value_word(value, span)).collect();
            let first = read
                .operands
                .first()
                .filter(|_| command)
                .map(|word| match name {
                    "zsh" => without_qualifiers(word),
                    _ => (*word).clone(),
                });
            first.into_iter().chain(long).collect()
        };
        if !inline.is_empty() {
            // The words behind the script are `$0`, `$1` …
            let operands: Vec<Option<String>> = read
                .operands
                .iter()
                .skip(2)
                .map(|w| w.known().map(str::to_owned))
                .collect();
            let positionals = self.positionals.replace(operands);
            let wrapper = self.wrapper(id, name, WrapperKind::ShellScript);
            for script in &inline {
                self.subshell(|w| {
                    w.keep_input(id);
                    w.run_word(script, id, wrapper.clone(), scene);
                });
            }
            self.positionals = positionals;
            return;
        }
        let from_stdin = read.options.iter().any(|o| o.is_short('s'));
        match read.operands.first().filter(|_| !from_stdin) {
            Some(file) if file.known() != Some("-") => self.script_file(id, name, file, scene),
            _ => self.shell_input(id, name, scene),
        }
    }

    /// A script in a file: only what the text itself has made can be looked at.
    fn script_file(&mut self, id: InvocationId, name: &str, file: &Word, scene: &Scene) {
        if let Some(Unknown::Process(substitution)) = file.unknowns().next() {
            let substitution = *substitution;
            self.run_process(id, name, substitution, scene);
            return;
        }
        if let Some(number) = descriptor_of(file) {
            if self.read_descriptor(id, number) || number == 0 {
                self.shell_input(id, name, scene);
            } else {
                self.found.coverage.hole(Gap::DynamicCode, file.span);
            }
            return;
        }
        match file.known() {
            None if file.starts_with_known("/dev/fd/") => {
                self.found.coverage.hole(Gap::DynamicCode, file.span);
            }
            Some(path) => {
                let path = path.to_owned();
                self.run_written(id, &path, None, scene);
            }
            None => {}
        }
    }

    fn run_process(
        &mut self,
        id: InvocationId,
        name: &str,
        substitution: crate::invocation::SubstitutionId,
        scene: &Scene,
    ) {
        let Some((text, span)) = self
            .found
            .substitutions
            .get(substitution.0)
            .and_then(|s| Some((s.output.clone()?, s.span)))
        else {
            return;
        };
        let wrapper = self.wrapper(id, name, WrapperKind::ShellInput);
        self.run_text(
            &text,
            &SpanMap::Whole(span),
            id,
            wrapper,
            Source::Piped(id),
            scene,
        );
    }

    /// A shell that reads its commands from standard input.
    pub(super) fn shell_input(&mut self, id: InvocationId, name: &str, scene: &Scene) {
        let wrapper = self.wrapper(id, name, WrapperKind::ShellInput);
        let Some(invocation) = self.found.invocations.get(id.0) else {
            return;
        };
        match &invocation.stdin {
            Stdin::Inherited if self.reads_elsewhere(id) => {
                let span = invocation.span;
                self.found.coverage.hole(Gap::DynamicCode, span);
            }
            Stdin::Inherited => {
                // The input of a wrapper around it (`sudo bash <<E`) is its own.
                let given = invocation
                    .parent
                    .filter(|_| !invocation.wrappers.is_empty());
                let kind = invocation.wrappers.last().map(|w| w.kind);
                let passes = matches!(
                    kind,
                    Some(WrapperKind::Plain | WrapperKind::Remote | WrapperKind::Container)
                );
                if let Some(parent) = given.filter(|_| passes) {
                    self.shell_reads(id, parent, wrapper, scene);
                }
            }
            _ => self.shell_reads(id, id, wrapper, scene),
        }
    }

    /// Runs the input of `from` as the script of `id`.
    pub(super) fn shell_reads(
        &mut self,
        id: InvocationId,
        from: InvocationId,
        wrapper: crate::invocation::Wrapper,
        scene: &Scene,
    ) {
        let Some(invocation) = self.found.invocations.get(from.0) else {
            return;
        };
        match invocation.stdin.clone() {
            Stdin::HereDocument { body, .. } | Stdin::HereString(body) => {
                let map = body
                    .verbatim
                    .map_or(SpanMap::Whole(body.span), SpanMap::Offset);
                let text = super::strings::script_text(&body);
                self.run_text(&text, &map, id, wrapper, Source::Here(id), scene);
            }
            Stdin::Inherited => {
                let passes = invocation.wrappers.last().is_some_and(|w| {
                    matches!(
                        w.kind,
                        WrapperKind::Plain | WrapperKind::Remote | WrapperKind::Container
                    )
                });
                if let Some(parent) = invocation.parent.filter(|_| passes) {
                    self.shell_reads(id, parent, wrapper, scene);
                }
            }
            Stdin::Pipe(_) | Stdin::Process(_) | Stdin::File(_) => {
                let decoded = self.input_is_decoded(from);
                let span = self.input_span(from);
                if let Some(text) = self.input_text(from) {
                    let source = if decoded {
                        Source::Decoded(id)
                    } else {
                        Source::Piped(id)
                    };
                    self.run_text(&text, &SpanMap::Whole(span), id, wrapper, source, scene);
                }
            }
        }
    }

    /// Where the input of an invocation is written.
    pub(super) fn input_span(&self, id: InvocationId) -> crate::span::Span {
        let own = self.span_of(id);
        let Some(invocation) = self.found.invocations.get(id.0) else {
            return own;
        };
        match &invocation.stdin {
            Stdin::Pipe(from) => match (from.first(), from.last()) {
                (Some(first), Some(last)) => self.span_of(*first).cover(self.span_of(*last)),
                _ => own,
            },
            Stdin::HereDocument { body, .. } | Stdin::HereString(body) => body.span,
            Stdin::Process(id) => self.found.substitutions.get(id.0).map_or(own, |s| s.span),
            Stdin::File(_) | Stdin::Inherited => own,
        }
    }

    /// `eval …`: its words are joined and run by the shell itself.
    pub(super) fn eval(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let words = match super::arguments(argv) {
            [first, rest @ ..] if first.known() == Some("--") => rest,
            all => all,
        };
        let wrapper = self.wrapper(id, name, WrapperKind::Evaluated);
        self.run_joined(words, id, wrapper, scene);
    }

    /// `source file`, `. <(…)`
    pub(super) fn source(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let file = super::arguments(argv)
            .iter()
            .find(|w| w.known() != Some("--"))
            .cloned();
        match file {
            Some(file) if file.known() != Some("-") => self.script_file(id, name, &file, scene),
            // `… | source` of fish
            _ => self.shell_input(id, name, scene),
        }
    }
}

/// A script of zsh in which the qualifiers of patterns, `*.ts(.om[1,5])`, are as good as `*`: other
/// shells can't read them. No place moves.
fn without_qualifiers(script: &Word) -> Word {
    let mut script = script.clone();
    if !script.text.contains('(') {
        return script;
    }
    let mut out = String::with_capacity(script.text.len());
    let mut rest = script.text.as_str();
    while let Some((head, tail)) = rest.split_once('(') {
        out.push_str(head);
        let pattern = head
            .rsplit(|c: char| c.is_whitespace() || matches!(c, ';' | '|' | '&' | '(' | ')' | '='))
            .next()
            .unwrap_or("");
        let length = tail.find(')').unwrap_or(0);
        let inner = tail.get(..length).unwrap_or("");
        let qualifies = pattern.contains(['*', '?', '[', '/'])
            && !inner.is_empty()
            && inner
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "./@=*[],^-:+%#".contains(c));
        if qualifies {
            out.extend(std::iter::repeat_n('*', inner.len() + 2));
            rest = tail.get(length + 1..).unwrap_or("");
        } else {
            out.push('(');
            rest = tail;
        }
    }
    out.push_str(rest);
    script.text = out;
    script
}
