//! A simple command: assignments, words, redirections; then what it runs.

use std::sync::Arc;

use super::descriptors::Input;
use super::scene::{Feed, Out, Scene, Text};
use super::{INVOCATION_WORK, Walker};
use crate::invocation::{
    Args, Assignment, Invocation, InvocationId, PipelineId, Redirect, RedirectOperator, Stdin,
};
use crate::scan::syntax::{
    Descriptor, RawAssignment, RawRedirect, RawTarget, RawValue, Simple, Stage,
};
use crate::span::Span;
use crate::word::Word;
use crate::word::parameter::unquoted;
use crate::word::variables::Variable;

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
        let before = self.descriptors.clone();
        let (redirects, input) = self.redirects(&stage.redirects, t, scene, &feed);
        // `exec <file` is for all that comes.
        let stays = !stage.redirects.is_empty() && only_redirects(&argv);
        let input = match input {
            Input::Own(stdin) if stays => Input::From(Feed::Given(Arc::new(stdin))),
            input => input,
        };
        if stays && let Input::From(feed) = &input {
            self.descriptors.set(0, feed.clone());
        }
        let (stdin, feed) = match (input, feed) {
            (Input::Own(stdin), _) => (stdin, Feed::Inherited),
            (Input::From(feed), _) => (self.stdin_of(&feed), feed),
            (Input::Same, Feed::Inherited) => {
                let feed = self.descriptors.get(0).cloned().unwrap_or_default();
                (self.stdin_of(&feed), feed)
            }
            (Input::Same, feed) => (self.stdin_of(&feed), feed),
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
        let out = if for_itself {
            let mark = self.variables.open_scope();
            self.assign(id, scene);
            let out = self.called(id, scene);
            self.variables.close_scope(mark);
            out
        } else {
            self.assign(id, scene);
            self.called(id, scene)
        };
        if !stage.redirects.is_empty() && !stays {
            self.descriptors = before;
        }
        out
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
        let key = self.subscript(raw.subscript.as_ref(), t, scene);
        let values = match &raw.value {
            RawValue::Scalar(word) => vec![self.expand_single(word, t, scene)],
            RawValue::Array(words) => self.expand_words(words, t, scene),
        };
        let name = raw.name.of(t.text).to_owned();
        let value = match (&raw.value, key) {
            (RawValue::Array(_), _) => list_value(&values),
            (RawValue::Scalar(_), Some(key)) => {
                let value = self.with_element(&name, &key, values.first(), raw.append);
                self.pending_values.push((name.clone(), value));
                return Assignment {
                    name,
                    append: raw.append,
                    values,
                    span: t.map.original(raw.at),
                };
            }
            (RawValue::Scalar(_), None) => values.first().map_or(Variable::Unknown, word_value),
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
            // An element in front of a list: the list goes on behind it.
            (Some(old @ (Variable::Array(_) | Variable::Keyed(_))), new) => {
                let (Some(mut all), Some(new)) = (keyed(old), keyed(&new)) else {
                    return Variable::Unknown;
                };
                for (key, value) in new {
                    put(&mut all, key, value);
                }
                array(all)
            }
            _ => Variable::Unknown,
        }
    }

    /// `name[key]=value`
    fn with_element(&self, name: &str, key: &str, value: Option<&Word>, append: bool) -> Variable {
        let number = self.calculated(key).map(|n| n.to_string());
        let key = number.unwrap_or_else(|| unquoted(key).to_owned());
        let empty = Variable::Array(Vec::new());
        let old = match self.pending_values.iter().rev().find(|(n, _)| n == name) {
            Some((_, value)) => Some(value),
            None => self.variables.get(name),
        };
        let all = keyed(old.unwrap_or(&empty));
        let (Some(mut all), Some(value)) = (all, value.and_then(Word::known)) else {
            return Variable::Unknown;
        };
        let before = all.iter().find(|(k, _)| *k == key && append);
        let before = before.map_or("", |(_, value)| value.as_str());
        if all.len() >= MAX_ELEMENTS || key == "\0" {
            return Variable::Unknown;
        }
        let value = format!("{before}{value}");
        put(&mut all, key, value);
        array(all)
    }

    /// Lets the assignments of a command take effect.
    fn assign(&mut self, id: InvocationId, scene: &Scene) {
        for (name, value) in std::mem::take(&mut self.pending_values) {
            let size = match &value {
                Variable::Scalar(text) => text.len(),
                Variable::Array(all) | Variable::OneOf(all) => all.iter().map(String::len).sum(),
                Variable::Keyed(all) => all.iter().map(|(k, v)| k.len() + v.len()).sum(),
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

    /// Resolves redirections; gives them and what they make of the input, which is `feed` otherwise.
    /// Those of other descriptors are open from then on.
    pub(super) fn redirects(
        &mut self,
        raw: &[RawRedirect],
        t: &Text<'_>,
        scene: &Scene,
        feed: &Feed,
    ) -> (Vec<Redirect>, Input) {
        let mut redirects = Vec::with_capacity(raw.len());
        let mut input = Input::Same;
        for raw in raw {
            let span = t.map.original(raw.at);
            let descriptor = match raw.descriptor {
                Descriptor::Number(number) => number,
                Descriptor::Named => self.named_descriptor(t.slice(raw.at), scene),
                Descriptor::Implied => u32::from(!is_input(raw.operator)),
            };
            let (target, fed) = match &raw.target {
                RawTarget::Missing => (None, None),
                RawTarget::Here(index) => {
                    (None, self.here_document(*index, t, scene).map(Input::Own))
                }
                RawTarget::Word(word) => {
                    let word = self.expand_single(word, t, scene);
                    let fed = if descriptor == 0 || is_input(raw.operator) || descriptor > 2 {
                        self.fed_by(raw.operator, &word)
                    } else {
                        None
                    };
                    // `3<&0`
                    let fed = match (fed, word.known()) {
                        (None, Some("0")) if raw.operator == RedirectOperator::DuplicateInput => {
                            let open = self.descriptors.get(0).cloned();
                            let own = match feed {
                                Feed::Inherited => open,
                                feed => Some(feed.clone()),
                            };
                            own.map(Input::From)
                        }
                        (fed, _) => fed,
                    };
                    (Some(word), fed)
                }
            };
            match fed {
                Some(fed) if descriptor == 0 => input = fed,
                Some(fed) => {
                    if let Some(feed) = fed.feed() {
                        self.descriptors.set(descriptor, feed);
                    }
                }
                None => {}
            }
            redirects.push(Redirect {
                operator: raw.operator,
                descriptor,
                target,
                span,
            });
        }
        (redirects, input)
    }

    /// `{name}<…`: the shell picks a number and sets the variable to it.
    fn named_descriptor(&mut self, raw: &str, scene: &Scene) -> u32 {
        let number = self.descriptors.next();
        let name = raw
            .strip_prefix('{')
            .and_then(|rest| rest.split_once('}'))
            .map(|(name, _)| name.to_owned());
        if let Some(name) = name {
            self.set_variable(&name, Variable::Scalar(number.to_string()), scene);
        }
        number
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

    pub(super) fn stdin_of(&mut self, feed: &Feed) -> Stdin {
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

/// `exec` with nothing but redirections: they are for the shell itself.
fn only_redirects(argv: &[Word]) -> bool {
    match argv {
        [exec] => exec.known() == Some("exec"),
        [front, exec] => {
            exec.known() == Some("exec") && matches!(front.known(), Some("command" | "builtin"))
        }
        _ => false,
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

/// The values of `( … )`: in order, or with a key each, `[2]=x`.
pub(super) fn list_value(words: &[Word]) -> Variable {
    if words.len() > MAX_ELEMENTS {
        return Variable::Unknown;
    }
    let keyed = words
        .iter()
        .any(|w| w.text.starts_with('[') && w.text.contains("]=") || w.text.contains("]+="));
    let known = words.iter().map(Word::known);
    if !keyed {
        let list = known.map(|w| w.map(str::to_owned)).collect();
        return match list {
            Some(list) => Variable::Array(list),
            None => Variable::Unknown,
        };
    }
    let mut all = Vec::with_capacity(words.len());
    let mut next = 0_i64;
    for text in known {
        let Some(text) = text else {
            return Variable::Unknown;
        };
        let pair = text
            .strip_prefix('[')
            .and_then(|rest| rest.split_once("]="));
        let (key, value) = match pair {
            Some((key, value)) => match key.trim().parse() {
                Ok(number) => {
                    next = number;
                    (number.to_string(), value)
                }
                // It may be the name of a variable.
                Err(_) => (key.to_owned(), value),
            },
            None => (next.to_string(), text),
        };
        next = next.saturating_add(1);
        put(&mut all, key, value.to_owned());
    }
    array(all)
}

/// An array as keys and values; none for what is no array.
fn keyed(variable: &Variable) -> Option<Vec<(String, String)>> {
    match variable {
        Variable::Array(list) => {
            let numbered = list.iter().enumerate();
            Some(numbered.map(|(i, v)| (i.to_string(), v.clone())).collect())
        }
        Variable::Keyed(all) => Some(all.clone()),
        Variable::Scalar(text) => Some(vec![("0".to_owned(), text.clone())]),
        _ => None,
    }
}

/// Sets an element; numbers stay in order.
fn put(all: &mut Vec<(String, String)>, key: String, value: String) {
    if let Some((_, old)) = all.iter_mut().find(|(k, _)| *k == key) {
        *old = value;
        return;
    }
    let number = |key: &str| key.parse::<i64>().ok();
    let at = match number(&key) {
        Some(new) => all
            .iter()
            .position(|(k, _)| number(k).is_some_and(|n| n > new)),
        None => None,
    };
    all.insert(at.unwrap_or(all.len()), (key, value));
}

/// The array of some elements: a plain list, if there are no gaps.
fn array(all: Vec<(String, String)>) -> Variable {
    let plain = all
        .iter()
        .enumerate()
        .all(|(i, (key, _))| key.parse() == Ok(i));
    if plain {
        Variable::Array(all.into_iter().map(|(_, value)| value).collect())
    } else {
        Variable::Keyed(all)
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
