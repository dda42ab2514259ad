//! Lists, pipelines and compound commands.

use std::sync::Arc;

use super::Walker;
use super::calls::Body;
use super::scene::{Feed, Out, Scene, Text};
use super::simple::Place;
use crate::invocation::{Function, InvocationId, Pipeline, PipelineId, Redirect, Stdin};
use crate::scan::syntax::{Command, Item, Piece, Script, SourceWord, Stage};
use crate::span::{At, Span, SpanMap};
use crate::word::Word;
use crate::word::variables::Variable;

impl Walker<'_> {
    pub(crate) fn script(&mut self, script: &Script, t: &Text<'_>, scene: &Scene) -> Out {
        let mut outs = Vec::new();
        for item in &script.items {
            if self.stopped() {
                break;
            }
            outs.push(self.item(item, t, scene));
        }
        Out::sequence(outs)
    }

    fn item(&mut self, item: &Item, t: &Text<'_>, scene: &Scene) -> Out {
        let conditional;
        let scene = if item.conditional && !scene.context.in_condition {
            conditional = Scene {
                context: crate::invocation::Context {
                    in_condition: true,
                    ..scene.context.clone()
                },
                ..scene.clone()
            };
            &conditional
        } else {
            scene
        };
        let pipeline = PipelineId(self.found.pipelines.len());
        let first = InvocationId(self.found.invocations.len());
        let (start, end) = match (item.stages.first(), item.stages.last()) {
            (Some(first), Some(last)) => (first.at.start, last.at.end),
            _ => return Out::Nothing,
        };
        let span = t.map.original(At::new(start, end));
        self.found.pipelines.push(Pipeline {
            stages: item.stages.len(),
            span,
            first,
            last: first,
        });
        let mut previous: Option<Out> = None;
        for (number, stage) in item.stages.iter().enumerate() {
            let place = Place {
                pipeline,
                stage: number,
                background: item.background || scene.background,
                negated: item.negated,
            };
            let feed = previous
                .take()
                .map_or_else(|| scene.feed.clone(), Feed::Pipe);
            // All but the last stage run in subshells; what the last one sets may stay (zsh, ksh).
            let out = if number + 1 < item.stages.len() {
                self.subshell(|walker| walker.stage(stage, t, scene, place, feed))
            } else {
                self.stage(stage, t, scene, place, feed)
            };
            previous = Some(out);
        }
        if let Some(pipeline) = self.found.pipelines.get_mut(pipeline.0) {
            pipeline.last = InvocationId(self.found.invocations.len());
        }
        previous.unwrap_or_default()
    }

    fn stage(
        &mut self,
        stage: &Stage,
        t: &Text<'_>,
        scene: &Scene,
        place: Place,
        feed: Feed,
    ) -> Out {
        if let Command::Simple(simple) = &stage.command {
            return self.simple(stage, simple, t, scene, place, feed);
        }
        let span = t.map.original(stage.at);
        let mut inner = Scene {
            background: place.background,
            feed,
            ..scene.clone()
        };
        let before = self.descriptors.clone();
        if !stage.redirects.is_empty() {
            let (redirects, input) = self.redirects(&stage.redirects, t, scene, &inner.feed);
            if let Some(feed) = input.feed() {
                inner.feed = feed;
            }
            self.bare(redirects, t, stage, scene, place);
        }
        let out = self.deeper(span, |walker| walker.compound(stage, t, &mut inner));
        if !stage.redirects.is_empty() {
            self.descriptors = before;
        }
        out.unwrap_or(Out::Unknown)
    }

    /// Redirections of a compound command are noted as an invocation without a program.
    fn bare(
        &mut self,
        redirects: Vec<Redirect>,
        t: &Text<'_>,
        stage: &Stage,
        scene: &Scene,
        place: Place,
    ) {
        let span = t.map.original(stage.at);
        self.note(
            Vec::new(),
            Vec::new(),
            redirects,
            Stdin::Inherited,
            Feed::Inherited,
            span,
            scene,
            place,
        );
    }

    fn compound(&mut self, stage: &Stage, t: &Text<'_>, scene: &mut Scene) -> Out {
        let span = t.map.original(stage.at);
        match &stage.command {
            Command::Simple(_) => Out::Nothing,
            Command::Subshell(script) => self.subshell(|walker| walker.script(script, t, scene)),
            Command::Group(script) => self.script(script, t, scene),
            Command::If(branches) => {
                scene.context.in_condition = true;
                let mut outs = Vec::new();
                for (condition, body) in branches {
                    if let Some(condition) = condition {
                        self.script(condition, t, scene);
                    }
                    outs.push(self.script(body, t, scene));
                }
                // Which of them prints isn't known, unless there is but one.
                if outs.len() == 1 {
                    Out::sequence(outs)
                } else {
                    Out::Unknown
                }
            }
            Command::Loop(condition, body) => {
                scene.context.in_condition = true;
                self.script(condition, t, scene);
                self.loop_body(body, t, scene);
                Out::Unknown
            }
            Command::For { name, words, body } => {
                self.for_loop(*name, words.as_deref(), body, t, scene)
            }
            Command::ForArithmetic { head, body } => {
                self.arithmetic(head, span, t, scene);
                self.loop_body(body, t, scene);
                Out::Unknown
            }
            Command::Case { subject, arms } => {
                if let Some(subject) = subject {
                    self.expand_single(subject, t, scene);
                }
                scene.context.in_condition = true;
                let mut outs = Vec::new();
                for (patterns, body) in arms {
                    self.evaluate_only(patterns, t, scene);
                    outs.push(self.script(body, t, scene));
                }
                if outs.len() == 1 {
                    Out::sequence(outs)
                } else {
                    Out::Unknown
                }
            }
            Command::Function {
                name,
                body,
                body_at,
            } => {
                self.define(*name, body, *body_at, t, scene);
                Out::Nothing
            }
            Command::Coprocess(inner) => {
                scene.background = true;
                let place = Place {
                    pipeline: self.current_pipeline(),
                    stage: 0,
                    background: true,
                    negated: false,
                };
                self.stage(inner, t, scene, place, scene.feed.clone())
            }
            Command::Test(words) => {
                self.test(words, t, scene);
                Out::Nothing
            }
            Command::Arithmetic(pieces) => {
                self.arithmetic(pieces, span, t, scene);
                Out::Nothing
            }
        }
    }

    fn current_pipeline(&self) -> PipelineId {
        PipelineId(self.found.pipelines.len().saturating_sub(1))
    }

    /// Words that no command gets, but whose substitutions run.
    fn evaluate_only(&mut self, words: &[SourceWord], t: &Text<'_>, scene: &Scene) {
        for word in words {
            self.expand_single(word, t, scene);
        }
    }

    fn arithmetic(&mut self, pieces: &[Piece], span: Span, t: &Text<'_>, scene: &Scene) {
        let built = self.expand_pieces(pieces, t, scene);
        self.run_subscripts(&built.text, span, scene);
    }

    /// `[[ … ]]`: operands of comparisons of numbers, and names of variables, are evaluated.
    fn test(&mut self, words: &[SourceWord], t: &Text<'_>, scene: &Scene) {
        let words: Vec<Word> = words
            .iter()
            .map(|word| self.expand_single(word, t, scene))
            .collect();
        for (i, word) in words.iter().enumerate() {
            let around = [i.checked_sub(1), Some(i + 1)];
            let operator = |at: usize| words.get(at).and_then(Word::known);
            let [before, after] = around.map(|at| at.and_then(operator).unwrap_or(""));
            if matches!(before, "-v" | "-R") || compares(before) || compares(after) {
                self.run_subscripts(&word.text, word.span, scene);
            }
        }
    }

    fn for_loop(
        &mut self,
        name: At,
        words: Option<&[SourceWord]>,
        body: &Script,
        t: &Text<'_>,
        scene: &mut Scene,
    ) -> Out {
        let words = words.map(|words| self.expand_words(words, t, scene));
        let value = match &words {
            None => Variable::Unknown,
            Some(words) => {
                let all_known = words.iter().all(|w| w.known().is_some() && !w.has_glob());
                let values: Vec<String> = words
                    .iter()
                    .filter_map(|w| w.known())
                    .map(str::to_owned)
                    .collect();
                match values.as_slice() {
                    _ if !all_known => Variable::Unknown,
                    [one] => Variable::Scalar(one.clone()),
                    _ if values.len() <= crate::word::build::MAX_ALTERNATIVES => {
                        Variable::OneOf(values)
                    }
                    _ => Variable::Unknown,
                }
            }
        };
        self.variables.set(name.of(t.text), value);
        let out = self.loop_body(body, t, scene);
        if words.is_some_and(|words| words.len() == 1) {
            out
        } else {
            Out::Unknown
        }
    }

    fn define(&mut self, name: At, body: &Stage, body_at: At, t: &Text<'_>, scene: &Scene) {
        let name: Arc<str> = name.of(t.text).trim_matches(['"', '\'', '\\']).into();
        let span = t.map.original(body_at);
        if !self.spend(body_at.end - body_at.start) {
            return;
        }
        let raw = t.slice(body_at);
        // `f(){x;}` is read as a group in a definition only.
        let tight = raw
            .strip_prefix('{')
            .filter(|rest| !rest.starts_with([' ', '\t', '\n']));
        let (text, map) = match tight {
            Some(rest) => (format!("{{ {rest}").into(), Arc::new(SpanMap::Whole(span))),
            None => (raw.into(), Arc::new(t.map.part(body_at))),
        };
        self.functions.insert(
            name.to_string(),
            Body {
                text,
                map,
                calls: 0,
            },
        );
        let first = InvocationId(self.found.invocations.len());
        let mut inner = scene.clone();
        inner.context.function = Some(Arc::clone(&name));
        inner.feed = Feed::Inherited;
        let positionals = self.positionals.take();
        self.active.push(Arc::clone(&name));
        self.defining += 1;
        self.subshell(|walker| {
            let place = Place {
                pipeline: walker.current_pipeline(),
                stage: 0,
                background: scene.background,
                negated: false,
            };
            walker.stage(body, t, &inner, place, Feed::Inherited)
        });
        self.defining -= 1;
        self.active.pop();
        self.positionals = positionals;
        let last = InvocationId(self.found.invocations.len());
        let recursive = self
            .found
            .invocations
            .get(first.0..last.0)
            .unwrap_or(&[])
            .iter()
            .any(|i| i.is(&name));
        self.found.functions.push(Function {
            name,
            span,
            first,
            last,
            recursive,
        });
    }
}

/// True for an operator that compares numbers.
pub(super) fn compares(operator: &str) -> bool {
    matches!(operator, "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge")
}
