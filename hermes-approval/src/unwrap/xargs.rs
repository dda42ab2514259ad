//! `xargs`, `parallel`: a command for each of the inputs.

use crate::grammar::{self, Grammar, Order, UNKNOWN_TOOL};
use crate::invocation::{Args, InvocationId, Stdin, WrapperKind};
use crate::span::Span;
use crate::walk::{Scene, Walker};
use crate::word::{Part, PartKind, Quoting, Unknown, Word};

impl Walker<'_> {
    pub(super) fn xargs(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let grammar = grammar::grammar(name)
            .or_else(|| grammar::grammar("xargs"))
            .unwrap_or(&UNKNOWN_TOOL);
        let words = super::arguments(argv);
        let read = grammar::read(words, grammar, Order::First);
        let replace = read
            .options
            .iter()
            .find(|o| o.is('I', "replace") || o.is_short('J'))
            .map(|o| {
                o.value
                    .and_then(grammar::OptValue::known)
                    .unwrap_or("{}")
                    .to_owned()
            })
            .or_else(|| {
                read.options
                    .iter()
                    .any(|o| o.is_short('i'))
                    .then(|| "{}".to_owned())
            });
        let zero = read.has('0', "null");
        let command = words.get(read.rest..).unwrap_or(&[]);
        let wrapper = self.wrapper(id, name, WrapperKind::Repeated);
        // `xe -s SCRIPT`
        if let Some(script) = read.value('s', "").filter(|_| name == "xe") {
            let script = super::value_word(script, self.span_of(id));
            self.run_word(&script, id, wrapper, scene);
            return;
        }
        if command.is_empty() {
            return;
        }
        let input = self.inputs(id, zero, replace.is_some());
        let argv = self.filled(command, replace.as_deref(), input, id);
        self.run(argv, id, wrapper, scene);
    }

    /// The inputs as words: those that are known, else one unknown.
    fn inputs(&mut self, id: InvocationId, zero: bool, by_line: bool) -> Vec<Word> {
        let span = self.input_span(id);
        let unknown = || vec![Word::unknown(Unknown::Input, span)];
        if self
            .found
            .invocations
            .get(id.0)
            .is_some_and(|i| matches!(i.stdin, Stdin::Inherited))
        {
            return unknown();
        }
        let Some(text) = self.input_text(id) else {
            return unknown();
        };
        let made = |text: &str| Word::made(text.to_owned(), span);
        let items: Vec<Word> = if zero {
            text.split('\0')
                .filter(|t| !t.is_empty())
                .take(MAX_INPUTS)
                .map(made)
                .collect()
        } else if by_line {
            text.lines()
                .map(str::trim)
                .filter(|t| !t.is_empty())
                .take(MAX_INPUTS)
                .map(made)
                .collect()
        } else {
            text.split_whitespace()
                .map(|t| t.trim_matches(['"', '\'']))
                .take(MAX_INPUTS)
                .map(made)
                .collect()
        };
        if items.len() >= MAX_INPUTS {
            unknown()
        } else {
            items
        }
    }

    /// The command with its inputs in it.
    fn filled(
        &mut self,
        command: &[Word],
        replace: Option<&str>,
        input: Vec<Word>,
        id: InvocationId,
    ) -> Args {
        if !self.spend((command.len() + input.len()) * WORD_WORK) {
            return Args::default();
        }
        let mut words = Vec::with_capacity(command.len() + input.len());
        match replace.filter(|r| !r.is_empty()) {
            None => {
                words.extend_from_slice(command);
                words.extend(input);
            }
            Some(replace) => {
                let span = self.span_of(id);
                for word in command {
                    if !word.text.contains(replace) {
                        words.push(word.clone());
                        continue;
                    }
                    match input.as_slice() {
                        [one] if one.known().is_some() && word.known().is_some() => {
                            words
                                .push(Word::made(word.text.replace(replace, &one.text), word.span));
                        }
                        many if many.len() > 1 && word.text == replace => {
                            words.extend_from_slice(many)
                        }
                        _ => words.push(with_hole(word, replace, span)),
                    }
                }
            }
        }
        Args::new(words)
    }

    /// `parallel rm ::: a b`, `ls | parallel rm {}`.
    pub(super) fn parallel(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let grammar = grammar::grammar("parallel").unwrap_or(&UNKNOWN_TOOL);
        let words = super::arguments(argv);
        let read = grammar::read(words, grammar, Order::First);
        let command = words.get(read.rest..).unwrap_or(&[]);
        let separator = command.iter().position(|w| {
            w.known()
                .is_some_and(|t| matches!(t, ":::" | ":::+" | "::::"))
        });
        let (command, given) = match separator {
            Some(at) => (
                command.get(..at).unwrap_or(&[]),
                command.get(at + 1..).unwrap_or(&[]),
            ),
            None => (command, [].as_slice()),
        };
        let wrapper = self.wrapper(id, name, WrapperKind::Repeated);
        if command.is_empty() {
            // Without a command each input is one.
            if given.is_empty() {
                self.shell_reads(id, id, wrapper.clone(), scene);
            }
            for word in given {
                self.run_word(word, id, wrapper.clone(), scene);
            }
            return;
        }
        let input = if given.is_empty() {
            self.inputs(id, false, true)
        } else {
            given.to_vec()
        };
        let template = command.iter().any(|w| w.text.contains('{'));
        match command {
            [one] if super::has_blank(one) => {
                self.run_word(one, id, wrapper, scene);
            }
            _ => {
                let argv = self.filled(command, template.then_some("{}"), input, id);
                self.run(argv, id, wrapper, scene);
            }
        }
    }

    /// `mapfile -C command`
    pub(super) fn mapfile(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let grammar = Grammar {
            short_values: "dnOstucC",
            ..UNKNOWN_TOOL
        };
        let read = grammar::read(super::arguments(argv), &grammar, Order::First);
        let Some(value) = read.value('C', "") else {
            return;
        };
        let word = super::value_word(value, self.span_of(id));
        let wrapper = self.wrapper(id, name, WrapperKind::Evaluated);
        self.run_word(&word, id, wrapper, scene);
    }
}

/// A word in which the replace string stands for something unknown.
pub(super) fn with_hole(word: &Word, replace: &str, span: Span) -> Word {
    if word.text == replace {
        return Word::unknown(Unknown::Input, span);
    }
    let mut out = word.clone();
    let Some(at) = word.text.find(replace) else {
        return out;
    };
    out.text = word.text.replacen(replace, "", 1);
    out.verbatim = None;
    out.certainty = crate::word::Certainty::Partial;
    let literal = |start, end| Part {
        kind: PartKind::Literal,
        quoting: Quoting::None,
        start,
        end,
    };
    out.parts = vec![
        literal(0, at),
        Part {
            kind: PartKind::Unknown(Unknown::Input),
            quoting: Quoting::None,
            start: at,
            end: at,
        },
        literal(at, out.text.len()),
    ];
    out
}

/// What copying a word is worth.
pub(super) const WORD_WORK: usize = 64;
/// More inputs than this are not followed one by one.
const MAX_INPUTS: usize = 256;
