//! What a name stands for: a function, an alias, a renamed program, a file that the text wrote, or
//! a program that may wrap others.

use std::sync::Arc;

use super::builtins::plain_path;
use super::scene::{Out, Scene};
use super::{MAX_WRAPPERS, Walker};
use crate::coverage::Limit;
use crate::invocation::{Args, Invocation, InvocationId, Source, Stdin, Wrapper, WrapperKind};
use crate::platform::Platform;
use crate::span::SpanMap;
use crate::word::{Part, PartKind, Quoting, Word, program_name};

/// The body of a function.
#[derive(Debug, Clone)]
pub(crate) struct Body {
    pub(crate) text: Arc<str>,
    pub(crate) map: Arc<SpanMap>,
    /// How often it was called.
    pub(crate) calls: u32,
}

impl Walker<'_> {
    /// Looks at what an invocation runs.
    pub(crate) fn called(&mut self, id: InvocationId, scene: &Scene) -> Out {
        let argv = self.argv_of(id);
        let out = Out::Invocation(id);
        self.note_written(id);
        let Some(program) = argv.first() else {
            return out;
        };
        let path = program.candidates().next().or(program.program_path());
        let Some(path) = path.map(str::to_owned) else {
            return out;
        };
        let name = program_name(&path, scene.platform);
        if let Some(out) = self.call_alias(id, &path, &argv, scene) {
            return out;
        }
        if let Some(out) = self.call_function(id, &path, &argv, scene) {
            return out;
        }
        self.builtin(id, name, &argv, scene);
        if !self.renamed.is_empty() {
            self.call_renamed(id, &path, &argv, scene);
        }
        if !self.written.is_empty() && (path.contains('/') || scene.platform != Platform::Posix) {
            self.run_written(id, &path, None, scene);
        }
        // `=rm` of zsh, `^rm` of nu.
        if let Some(plain) = path.strip_prefix(['=', '^'])
            && !plain.is_empty()
        {
            let mut words = argv.to_vec();
            if let Some(first) = words.first_mut() {
                *first = Word::made(plain.to_owned(), first.span);
            }
            let wrapper = self.wrapper(id, &path, WrapperKind::Plain);
            self.run(Args::new(words), id, wrapper, scene);
            return out;
        }
        self.unwrap(id, name, &argv, scene);
        // One of several: the others may be wrappers too.
        for other in program.alternatives().iter().skip(1).take(MAX_OTHERS) {
            self.unwrap(id, program_name(other, scene.platform), &argv, scene);
        }
        out
    }

    fn call_alias(
        &mut self,
        id: InvocationId,
        name: &str,
        argv: &Args,
        scene: &Scene,
    ) -> Option<Out> {
        let value = self.aliases.get(name)?;
        if self.active.iter().any(|a| a.as_ref() == name)
            || argv.first().is_none_or(|w| w.raw() != name)
        {
            return None;
        }
        let mut text = value.clone();
        for word in argv.iter().skip(1) {
            text.push(' ');
            text.push_str(&quote(word));
        }
        self.spend(text.len()).then_some(())?;
        let name: Arc<str> = name.into();
        let span = self.span_of(id);
        let inner = Scene {
            source: Source::Alias(Arc::clone(&name)),
            parent: Some(id),
            ..scene.clone()
        };
        self.active.push(name);
        let out = self.deeper(span, |w| {
            w.script_text(&text, &SpanMap::Whole(span), &inner)
        });
        self.active.pop();
        out
    }

    fn call_function(
        &mut self,
        id: InvocationId,
        name: &str,
        argv: &Args,
        scene: &Scene,
    ) -> Option<Out> {
        let body = self.functions.get_mut(name)?;
        if self.defining > 0 || (!self.active.is_empty() && body.calls >= MAX_NESTED_CALLS) {
            return None;
        }
        body.calls += 1;
        let body = body.clone();
        if self.active.iter().any(|a| a.as_ref() == name) {
            return None;
        }
        let name: Arc<str> = name.into();
        let span = self.span_of(id);
        let mut inner = Scene {
            source: Source::Function(Arc::clone(&name)),
            parent: Some(id),
            ..scene.clone()
        };
        inner.context.function = Some(Arc::clone(&name));
        let arguments = argv
            .iter()
            .skip(1)
            .map(|w| w.known().map(str::to_owned))
            .collect();
        let positionals = self.positionals.replace(arguments);
        self.active.push(name);
        let out = self.deeper(span, |w| w.script_text(&body.text, &body.map, &inner));
        self.active.pop();
        self.positionals = positionals;
        out
    }

    fn call_renamed(&mut self, id: InvocationId, path: &str, argv: &Args, scene: &Scene) {
        let Some(real) = self.renamed.get(plain_path(path)).cloned() else {
            return;
        };
        if real == path || self.active.iter().any(|a| a.as_ref() == path) {
            return;
        }
        let mut words = argv.to_vec();
        if let Some(first) = words.first_mut() {
            *first = Word::made(real, first.span);
        }
        let wrapper = self.wrapper(id, path, WrapperKind::Plain);
        self.active.push(path.into());
        self.run(Args::new(words), id, wrapper, scene);
        self.active.pop();
    }

    /// Remembers which files the text itself writes.
    pub(crate) fn note_written(&mut self, id: InvocationId) {
        let Some(invocation) = self.found.invocations.get(id.0) else {
            return;
        };
        let (tee, dd) = (invocation.is("tee"), invocation.is("dd"));
        if (invocation.redirects.is_empty() && !tee && !dd)
            || invocation.argv.is_empty()
            || self.written.len() > MAX_WRITTEN
        {
            return;
        }
        let targets = invocation
            .redirects
            .iter()
            .filter(|r| r.writes() && r.descriptor == 1)
            .filter_map(|r| r.target.as_ref());
        let operands = invocation
            .arguments()
            .iter()
            .filter(|w| tee && !w.starts_with_known("-"));
        let copied = invocation.arguments().iter().filter(|_| dd);
        let copied = copied.filter_map(|w| w.known()?.strip_prefix("of="));
        for path in targets
            .chain(operands)
            .filter_map(Word::known)
            .chain(copied)
        {
            if self.written.len() > MAX_WRITTEN {
                break;
            }
            if !path.starts_with("/dev/") {
                self.written.insert(plain_path(path).to_owned(), id);
            }
        }
    }

    /// Runs a file that the text wrote, if its content can be told. `language` is the program that
    /// runs it, if it isn't a shell.
    pub(crate) fn run_written(
        &mut self,
        id: InvocationId,
        path: &str,
        language: Option<&str>,
        scene: &Scene,
    ) {
        let Some(&writer) = self.written.get(plain_path(path)) else {
            return;
        };
        let Some(text) = self.literal(&Out::Invocation(writer)) else {
            return;
        };
        let span = self.span_of(writer);
        match language {
            Some(language) => self.code(id, language, &text, &SpanMap::Whole(span), scene),
            None => {
                let wrapper = self.wrapper(id, path, WrapperKind::ShellFile);
                self.run_text(
                    &text,
                    &SpanMap::Whole(span),
                    id,
                    wrapper,
                    Source::Written(writer),
                    scene,
                );
            }
        }
    }

    pub(crate) fn wrapper(&self, id: InvocationId, program: &str, kind: WrapperKind) -> Wrapper {
        Wrapper {
            program: program.into(),
            kind,
            elevates: false,
            detaches: false,
            invocation: id,
        }
    }

    /// Runs words as a program of its own, in the place of the invocation that wraps it.
    pub(crate) fn run(
        &mut self,
        argv: Args,
        id: InvocationId,
        wrapper: Wrapper,
        scene: &Scene,
    ) -> Option<InvocationId> {
        let wrapping = self.found.invocations.get(id.0)?;
        let span = super::simple::span_over(&argv, wrapping.span);
        if wrapping.wrappers.len() >= MAX_WRAPPERS || self.depth == 0 {
            self.stop(Limit::Depth, span);
            return None;
        }
        if argv.is_empty() || !self.spend(super::INVOCATION_WORK) {
            return None;
        }
        let wrapping = self.found.invocations.get(id.0)?;
        let inner = Invocation {
            id: InvocationId(self.found.invocations.len()),
            argv,
            assignments: Vec::new(),
            redirects: Vec::new(),
            stdin: if matches!(wrapping.stdin, Stdin::Pipe(_) | Stdin::Process(_)) {
                wrapping.stdin.clone()
            } else {
                Stdin::Inherited
            },
            pipeline: wrapping.pipeline,
            stage: wrapping.stage,
            background: wrapping.background || wrapper.detaches,
            negated: wrapping.negated,
            context: wrapping.context.clone(),
            wrappers: wrapping.wrappers.with(wrapper.clone()),
            host: host_of(wrapper.kind, wrapping.host),
            platform: scene.platform,
            source: wrapping.source.clone(),
            parent: Some(id),
            directory: wrapping.directory.clone(),
            effects: Vec::new(),
            span,
        };
        let inner_id = inner.id;
        let inner_scene = Scene {
            parent: Some(inner_id),
            wrappers: inner.wrappers.clone(),
            host: inner.host,
            context: inner.context.clone(),
            ..scene.clone()
        };
        self.found.invocations.push(inner);
        // Input given to a wrapper is read by what it wraps.
        let feed = self.feeds.get(id.0).cloned().unwrap_or_default();
        self.feeds.push(feed);
        self.inner.push(None);
        if let Some(slot) = self.inner.get_mut(id.0) {
            *slot = Some(inner_id);
        }
        self.depth -= 1;
        self.called(inner_id, &inner_scene);
        self.depth += 1;
        Some(inner_id)
    }

    /// Runs a text as a script of its own.
    pub(crate) fn run_text(
        &mut self,
        text: &str,
        map: &SpanMap,
        id: InvocationId,
        wrapper: Wrapper,
        source: Source,
        scene: &Scene,
    ) -> Out {
        let Some(wrapping) = self.found.invocations.get(id.0) else {
            return Out::Nothing;
        };
        let inner = Scene {
            source,
            parent: Some(id),
            host: host_of(wrapper.kind, wrapping.host),
            context: wrapping.context.clone(),
            background: wrapping.background || wrapper.detaches,
            wrappers: wrapping.wrappers.with(wrapper),
            feed: Default::default(),
            platform: scene.platform,
        };
        let span = wrapping.span;
        if inner.wrappers.len() > MAX_WRAPPERS {
            self.stop(Limit::Depth, span);
            return Out::Unknown;
        }
        self.deeper(span, |w| w.script_text(text, map, &inner))
            .unwrap_or(Out::Unknown)
    }

    /// Runs the value of a word as a script: the text that is known of it, with each unknown piece
    /// as a variable that is not set.
    pub(crate) fn run_word(
        &mut self,
        word: &Word,
        id: InvocationId,
        wrapper: Wrapper,
        scene: &Scene,
    ) -> Out {
        let source = Source::Argument(id);
        let map = word
            .verbatim
            .map_or(SpanMap::Whole(word.span), SpanMap::Offset);
        let alternatives = word.alternatives().to_vec();
        for text in &alternatives {
            self.run_text(text, &map, id, wrapper.clone(), source.clone(), scene);
        }
        if !alternatives.is_empty() {
            return Out::Unknown;
        }
        let text = script_of(word);
        self.run_text(&text, &map, id, wrapper, source, scene)
    }

    /// Runs words, joined by blanks, as a script.
    pub(crate) fn run_joined(
        &mut self,
        words: &[Word],
        id: InvocationId,
        wrapper: Wrapper,
        scene: &Scene,
    ) -> Out {
        if let [word] = words {
            return self.run_word(word, id, wrapper, scene);
        }
        if words.is_empty() {
            return Out::Nothing;
        }
        let length: usize = words.iter().map(|w| w.text.len() + 1).sum();
        let span = super::simple::span_over(words, self.span_of(id));
        if !self.spend(length) {
            return Out::Unknown;
        }
        let mut text = String::with_capacity(length);
        for (i, word) in words.iter().enumerate() {
            if i > 0 {
                text.push(' ');
            }
            text.push_str(&script_of(word));
        }
        self.run_text(
            &text,
            &SpanMap::Whole(span),
            id,
            wrapper,
            Source::Argument(id),
            scene,
        )
    }
}

fn host_of(kind: WrapperKind, outer: crate::invocation::Host) -> crate::invocation::Host {
    use crate::invocation::Host;
    match kind {
        WrapperKind::Remote => Host::Remote,
        WrapperKind::Container if outer == Host::Local => Host::Container,
        _ => outer,
    }
}

/// The value of a word as a script.
fn script_of(word: &Word) -> String {
    if word.known().is_some() || word.parts.is_empty() {
        return word.text.clone();
    }
    let mut text = String::with_capacity(word.text.len() + 16);
    for part in word.parts() {
        match &part.kind {
            PartKind::Unknown(_) => text.push_str(UNKNOWN_PIECE),
            _ => text.push_str(word.part_text(part)),
        }
    }
    text
}

/// Stands for an unknown piece in a script.
const UNKNOWN_PIECE: &str = "${_}";

/// A word as a shell would have to read it to get the same value.
fn quote(word: &Word) -> String {
    let plain = |part: &Part| part.quoting == Quoting::None;
    match word.known() {
        Some(text)
            if word.parts.iter().all(plain) && !text.contains(['\'', '"', '\\', '$', '`']) =>
        {
            word.text.clone()
        }
        Some(text) => format!("'{}'", text.replace('\'', "'\\''")),
        None => script_of(word),
    }
}

/// Programs that one word may stand for, besides the first.
const MAX_OTHERS: usize = 4;
/// Calls of a function after which those in other functions are not followed any more; its body
/// has been looked at in any case.
const MAX_NESTED_CALLS: u32 = 3;
const MAX_WRITTEN: usize = 256;
