//! A simple command: assignments, words, redirections; then what it runs.

use super::scene::{Feed, Out, Scene, Text};
use super::{INVOCATION_WORK, Walker};
use crate::invocation::{
    Args, Assignment, Invocation, InvocationId, PipelineId, Redirect, RedirectOperator, Stdin,
};
use crate::scan::syntax::{
    Descriptor, RawAssignment, RawRedirect, RawTarget, RawValue, Simple, Stage,
};
use crate::span::Span;
use crate::word::variables::Variable;
use crate::word::{Unknown, Word};

/// Where in a pipeline a command stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) pipeline: PipelineId,
    pub(crate) stage: usize,
    pub(crate) background: bool,
    pub(crate) negated: bool,
}

impl Walker<'_> {
    pub(super) fn simple(
        &mut self,
        stage: &Stage,
        simple: &Simple,
        t: &Text<'_>,
        scene: &Scene,
        place: Place,
        feed: Feed,
    ) -> Out {
        let argv = self.expand_words(&simple.words, t, scene);
        let assignments: Vec<Assignment> = simple
            .assignments
            .iter()
            .map(|raw| self.assignment(raw, t, scene))
            .collect();
        let (redirects, stdin) = self.redirects(&stage.redirects, t, scene);
        let (stdin, feed) = match stdin {
            Some(stdin) => (stdin, Feed::Inherited),
            None => (self.stdin_of(&feed), feed),
        };
        let span = t.map.original(stage.at);
        let id = self.note(
            argv,
            assignments,
            redirects,
            stdin,
            feed,
            span,
            scene,
            place,
        );
        // Assignments in front of a program hold for that program only.
        let for_itself =
            !simple.words.is_empty() && !simple.assignments.is_empty() && !self.declares(id);
        if for_itself {
            let mark = self.variables.open_scope();
            self.assign(id, scene);
            let out = self.called(id, scene);
            self.variables.close_scope(mark);
            out
        } else {
            self.assign(id, scene);
            self.called(id, scene)
        }
    }

    fn declares(&self, id: InvocationId) -> bool {
        self.found
            .invocations
            .get(id.0)
            .and_then(Invocation::name)
            .is_some_and(|name| {
                matches!(
                    name,
                    "export" | "declare" | "typeset" | "local" | "readonly"
                )
            })
    }

    /// Notes an invocation; gives its number.
    #[allow(
        clippy::too_many_arguments,
        reason = "each is a field of the invocation"
    )]
    pub(crate) fn note(
        &mut self,
        argv: Vec<Word>,
        assignments: Vec<Assignment>,
        redirects: Vec<Redirect>,
        stdin: Stdin,
        feed: Feed,
        span: Span,
        scene: &Scene,
        place: Place,
    ) -> InvocationId {
        let id = InvocationId(self.found.invocations.len());
        if !self.spend(INVOCATION_WORK) || id.0 >= MAX_INVOCATIONS {
            self.fuel = 0;
            self.stop(crate::coverage::Limit::Work, span);
        }
        self.found.invocations.push(Invocation {
            id,
            argv: Args::new(argv),
            assignments,
            redirects,
            stdin,
            pipeline: place.pipeline,
            stage: place.stage,
            background: place.background,
            negated: place.negated,
            context: scene.context.clone(),
            wrappers: scene.wrappers.clone(),
            host: scene.host,
            platform: scene.platform,
            source: scene.source.clone(),
            parent: scene.parent,
            directory: self.directory.clone(),
            effects: Vec::new(),
            span,
        });
        self.feeds.push(feed);
        self.inner.push(None);
        id
    }

    fn assignment(&mut self, raw: &RawAssignment, t: &Text<'_>, scene: &Scene) -> Assignment {
        let values = match &raw.value {
            RawValue::Scalar(word) => vec![self.expand_single(word, t, scene)],
            RawValue::Array(words) => self.expand_words(words, t, scene),
        };
        let name = raw.name.of(t.text).to_owned();
        // An element set by itself makes the array unknown, unless it is the first.
        let value = match (&raw.value, raw.subscript.map(|at| at.of(t.text))) {
            (_, Some(subscript)) if subscript != "0" => Variable::Unknown,
            (RawValue::Array(_), _) => list_value(&values),
            (RawValue::Scalar(_), _) => values.first().map_or(Variable::Unknown, word_value),
        };
        let value = if raw.append {
            self.appended(&name, value)
        } else {
            value
        };
        self.pending_values.push((name.clone(), value));
        Assignment {
            name,
            append: raw.append,
            values,
            span: t.map.original(raw.at),
        }
    }

    fn appended(&self, name: &str, value: Variable) -> Variable {
        match (self.variables.get(name), value) {
            (None, value) => value,
            (Some(Variable::Scalar(old)), Variable::Scalar(new))
                if old.len() + new.len() <= crate::word::expand::MAX_VALUE =>
            {
                Variable::Scalar(format!("{old}{new}"))
            }
            (Some(Variable::Array(old)), Variable::Array(new)) => {
                Variable::Array(old.iter().cloned().chain(new).take(MAX_ELEMENTS).collect())
            }
            _ => Variable::Unknown,
        }
    }

    /// Lets the assignments of a command take effect.
    fn assign(&mut self, id: InvocationId, scene: &Scene) {
        for (name, value) in std::mem::take(&mut self.pending_values) {
            let size = match &value {
                Variable::Scalar(text) => text.len(),
                Variable::Array(all) | Variable::OneOf(all) => all.iter().map(String::len).sum(),
                _ => 0,
            };
            if !self.spend(size) {
                return;
            }
            match (&value, name.as_str()) {
                (Variable::Scalar(text), "PROMPT_COMMAND") => {
                    let text = text.clone();
                    self.hook(&text, "PROMPT_COMMAND", id, scene);
                }
                // A prompt is expanded each time it is shown.
                (
                    Variable::Scalar(text),
                    "PS0" | "PS1" | "PS2" | "PS3" | "PS4" | "PROMPT" | "RPROMPT" | "RPS1",
                ) if text.contains(['$', '`']) => {
                    let text = text.clone();
                    self.expanded_later(id, &name, &text, scene);
                }
                _ => {}
            }
            self.set_variable(&name, value, scene);
        }
    }

    pub(crate) fn set_variable(&mut self, name: &str, value: Variable, scene: &Scene) {
        if scene.context.in_condition || scene.context.in_loop {
            self.variables.set_maybe(name, value);
        } else {
            self.variables.set(name, value);
        }
    }

    /// Resolves redirections; gives them and, if one of them is for input, where that comes from.
    pub(super) fn redirects(
        &mut self,
        raw: &[RawRedirect],
        t: &Text<'_>,
        scene: &Scene,
    ) -> (Vec<Redirect>, Option<Stdin>) {
        let mut redirects = Vec::with_capacity(raw.len());
        let mut stdin = None;
        for raw in raw {
            let span = t.map.original(raw.at);
            let descriptor = match raw.descriptor {
                Descriptor::Number(number) => number,
                Descriptor::Named => 10,
                Descriptor::Implied => u32::from(!is_input(raw.operator)),
            };
            let target = match &raw.target {
                RawTarget::Missing => None,
                RawTarget::Here(index) => {
                    if descriptor == 0 {
                        stdin = self.here_document(*index, t, scene);
                    } else {
                        self.here_document(*index, t, scene);
                    }
                    None
                }
                RawTarget::Word(word) => {
                    let word = self.expand_single(word, t, scene);
                    if descriptor == 0 {
                        match raw.operator {
                            RedirectOperator::HereString => {
                                stdin = Some(Stdin::HereString(word.clone()))
                            }
                            RedirectOperator::Input | RedirectOperator::ReadWrite => {
                                stdin = Some(input_from(&word));
                            }
                            _ => {}
                        }
                    }
                    Some(word)
                }
            };
            redirects.push(Redirect {
                operator: raw.operator,
                descriptor,
                target,
                span,
            });
        }
        (redirects, stdin)
    }

    fn here_document(&mut self, index: usize, t: &Text<'_>, scene: &Scene) -> Option<Stdin> {
        let here = t.heres.get(index)?;
        let span = t.map.original(here.body);
        let raw = t.slice(here.body);
        if !self.spend(raw.len()) {
            return None;
        }
        let mut body = if here.expands {
            let builder = self.expand_pieces(&here.pieces, t, scene);
            builder.finish(raw, span, t.map.verbatim(here.body))
        } else {
            let mut word = Word::made(raw.to_owned(), span);
            word.verbatim = t.map.verbatim(here.body);
            word
        };
        if here.strips_tabs && raw.contains('\t') {
            let stripped: String = body
                .text
                .split_inclusive('\n')
                .map(|l| l.trim_start_matches('\t'))
                .collect();
            body = Word {
                text: stripped,
                parts: Vec::new(),
                verbatim: None,
                ..body
            };
        } else if body.text != raw {
            body.verbatim = None;
        }
        Some(Stdin::HereDocument {
            body,
            expands: here.expands,
        })
    }

    fn stdin_of(&mut self, feed: &Feed) -> Stdin {
        match feed {
            Feed::Inherited => Stdin::Inherited,
            Feed::Pipe(out) => Stdin::Pipe(out.invocations()),
            Feed::Given(stdin) => {
                let size = match stdin.as_ref() {
                    Stdin::HereDocument { body, .. } | Stdin::HereString(body) => body.text.len(),
                    _ => 0,
                };
                if self.spend(size) {
                    stdin.as_ref().clone()
                } else {
                    Stdin::Inherited
                }
            }
        }
    }

    /// Runs a text that a variable or a trap holds.
    pub(crate) fn hook(&mut self, text: &str, name: &str, id: InvocationId, scene: &Scene) {
        let span = self
            .found
            .invocations
            .get(id.0)
            .map_or(self.whole, |i| i.span);
        let inner = Scene {
            source: crate::invocation::Source::Hook(name.into()),
            parent: Some(id),
            ..scene.clone()
        };
        self.deeper(span, |walker| {
            walker.script_text(text, &crate::span::SpanMap::Whole(span), &inner);
        });
    }

    pub(crate) fn span_of(&self, id: InvocationId) -> Span {
        self.found
            .invocations
            .get(id.0)
            .map_or(self.whole, |i| i.span)
    }

    pub(crate) fn argv_of(&self, id: InvocationId) -> Args {
        self.found
            .invocations
            .get(id.0)
            .map(|i| i.argv.clone())
            .unwrap_or_default()
    }
}

fn input_from(word: &Word) -> Stdin {
    match word.unknowns().next() {
        Some(Unknown::Process(id)) => Stdin::Process(*id),
        _ => Stdin::File(word.clone()),
    }
}

fn is_input(operator: RedirectOperator) -> bool {
    use RedirectOperator as Op;
    matches!(
        operator,
        Op::Input
            | Op::ReadWrite
            | Op::DuplicateInput
            | Op::Here
            | Op::HereStripped
            | Op::HereString
    )
}

/// The value that an assigned word gives a variable.
pub(crate) fn word_value(word: &Word) -> Variable {
    match word.known() {
        Some(text) => Variable::Scalar(text.to_owned()),
        None if word.unknowns().next().is_none() && !word.alternatives().is_empty() => {
            Variable::OneOf(word.alternatives().to_vec())
        }
        None => Variable::Unknown,
    }
}

fn list_value(words: &[Word]) -> Variable {
    let known = words
        .iter()
        .take(MAX_ELEMENTS + 1)
        .map(|w| w.known().map(str::to_owned))
        .collect::<Option<Vec<_>>>();
    match known {
        Some(list) if list.len() <= MAX_ELEMENTS => Variable::Array(list),
        _ => Variable::Unknown,
    }
}

/// More invocations than this are not followed.
const MAX_INVOCATIONS: usize = 9_000;

/// Longest array that is followed.
const MAX_ELEMENTS: usize = 256;

/// The stretch from the first to the last of some words.
pub(crate) fn span_over(words: &[Word], otherwise: Span) -> Span {
    match (words.first(), words.last()) {
        (Some(first), Some(last)) => first.span.cover(last.span),
        _ => otherwise,
    }
}
