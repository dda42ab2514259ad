//! Code of other languages in arguments and input: process and file calls, read off where they are
//! literal.
//!
//! No parser for each language, but one scanner for what they have in common (names, strings,
//! calls) and a table of calls. It is not meant to understand a program; it finds
//! `shutil.rmtree("/srv")` and `system("rm -rf x")`, and says where code is made at run time.

mod calls;
mod tokens;

use crate::coverage::Gap;
use crate::effect::{Effect, EffectKind};
use crate::invocation::{Args, InvocationId, Source, WrapperKind};
use crate::span::{At, SpanMap};
use crate::walk::{Scene, Walker};
use crate::word::Word;
use calls::{Call, Does};
use tokens::{Token, TokenKind, tokens};

/// A language of embedded code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Python,
    JavaScript,
    Perl,
    Ruby,
    Php,
    Lua,
    R,
    Julia,
    Awk,
    Tcl,
    AppleScript,
}

impl Language {
    /// The name under which what it runs is wrapped.
    fn name(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::JavaScript => "javascript",
            Self::Perl => "perl",
            Self::Ruby => "ruby",
            Self::Php => "php",
            Self::Lua => "lua",
            Self::R => "R",
            Self::Julia => "julia",
            Self::Awk => "awk",
            Self::Tcl => "tcl",
            Self::AppleScript => "applescript",
        }
    }

    /// Calls may do without parentheses: `system "ls"`.
    fn bare_calls(self) -> bool {
        matches!(
            self,
            Self::Perl | Self::Ruby | Self::Tcl | Self::AppleScript | Self::Lua | Self::Php
        )
    }

    /// `` `…` `` runs a command.
    fn backticks_run(self) -> bool {
        matches!(self, Self::Perl | Self::Ruby | Self::Php | Self::Julia)
    }
}

impl Walker<'_> {
    /// Looks through code.
    pub(crate) fn code_text(
        &mut self,
        id: InvocationId,
        language: Language,
        text: &str,
        map: &SpanMap,
        scene: &Scene,
    ) {
        if !self.spend(text.len()) {
            return;
        }
        if language == Language::Tcl {
            self.tcl(id, text, map, scene);
            return;
        }
        let tokens = tokens(text, language);
        for (i, token) in tokens.iter().enumerate() {
            if self.stopped() {
                return;
            }
            match &token.kind {
                TokenKind::Command(command) => {
                    self.code_runs(id, language, command, token.at, map, scene)
                }
                TokenKind::Name(name) => {
                    self.code_name(id, language, &tokens, i, name, text, map, scene)
                }
                // awk: `print | "sh"`, `"cmd" | getline`
                TokenKind::Text(string) if language == Language::Awk => {
                    let piped = i
                        .checked_sub(1)
                        .and_then(|b| tokens.get(b))
                        .is_some_and(|t| t.kind == TokenKind::Sign('|'));
                    let read = matches!(
                        tokens.get(i + 1).map(|t| &t.kind),
                        Some(TokenKind::Sign('|'))
                    );
                    if piped || read {
                        self.code_runs(id, language, string, token.at, map, scene);
                    }
                }
                _ => {}
            }
        }
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "the place of a token and where it comes from"
    )]
    fn code_name(
        &mut self,
        id: InvocationId,
        language: Language,
        tokens: &[Token],
        i: usize,
        name: &str,
        text: &str,
        map: &SpanMap,
        scene: &Scene,
    ) {
        let next = tokens.get(i + 1).map(|t| &t.kind);
        let parens = next == Some(&TokenKind::Sign('('));
        let last = name.rsplit(['.', ':']).next().unwrap_or(name);
        let Some(call) = calls::find(language, name, last) else {
            return;
        };
        let statement = matches!(
            next,
            Some(TokenKind::Text(_) | TokenKind::Name(_) | TokenKind::Sign('$' | '@' | '['))
        );
        // Names of functions that anything may be called need their parentheses.
        let called = parens || language.bare_calls() && statement;
        if !called {
            return;
        }
        let from = if parens { i + 2 } else { i + 1 };
        let arguments = calls::arguments(tokens, from, parens);
        let at = Token::stretch(tokens, i, arguments.end);
        let span = map.original(at);
        // `Path("x").unlink()`: what it is called on.
        let receiver = if name.starts_with('.') || call.on_receiver {
            calls::receiver(tokens, i)
        } else {
            None
        };
        // `open(os.path.expanduser("~/x"), "w")`, `os.path.join("/etc", "hosts")`
        let inner = match arguments.nested.as_slice() {
            [] => None,
            [one] => Some(one.clone()),
            many => Some(many.join("/")),
        };
        let literal = arguments.texts.first().cloned();
        let first = if arguments.nested_first {
            inner.or(literal)
        } else {
            literal.or(inner)
        };
        let first = first.or(receiver);
        let call_text = name.trim_start_matches('.').to_owned();
        match call.does {
            Does::Shell | Does::Argv
                if arguments.texts.is_empty()
                    && arguments.list.is_empty()
                    && arguments.nested.is_empty() =>
            {
                if !call.needs_literal {
                    self.effect(id, EffectKind::Execute, None, call_text, span);
                    self.found.coverage.hole(Gap::DynamicCode, span);
                }
            }
            Does::Shell | Does::Argv => {
                self.effect(id, EffectKind::Execute, first, call_text, span);
                self.code_executes(id, language, &call, &arguments, at, map, scene);
            }
            Does::Evaluate => {
                let stretch = at.of(text);
                let decoded = arguments
                    .nested
                    .iter()
                    .find(|code| stretch.contains("64") && code.len() > 6);
                let inner = arguments.texts.first().or(decoded).cloned();
                match inner {
                    Some(code) if stretch.contains("64") => {
                        self.effect(id, EffectKind::Evaluate, None, call_text, span);
                        let decoded = crate::output::decode::base64(&code)
                            .and_then(|b| String::from_utf8(b).ok());
                        match decoded {
                            Some(code) => self.inner_code(id, language, &code, span, scene),
                            None => self.found.coverage.hole(Gap::DynamicCode, span),
                        }
                    }
                    Some(code) => {
                        self.effect(
                            id,
                            EffectKind::Evaluate,
                            Some(code.clone()),
                            call_text,
                            span,
                        );
                        self.inner_code(id, language, &code, span, scene);
                    }
                    None => {
                        self.effect(id, EffectKind::Evaluate, None, call_text, span);
                        self.found.coverage.hole(Gap::DynamicCode, span);
                    }
                }
            }
            Does::OpenFile => {
                let mode_at = usize::from(!arguments.nested_first);
                let mode = arguments.texts.get(mode_at).map_or("", String::as_str);
                let written = arguments.texts.first().is_some_and(|t| t.starts_with('>'));
                let kind = if mode.contains(['w', 'a', 'x', '+', '>']) || written {
                    EffectKind::Write
                } else {
                    EffectKind::Read
                };
                // perl: `open(F, '>', 'x')`
                let target = match mode.starts_with(['>', '<'])
                    || matches!(
                        arguments.texts.first().map(String::as_str),
                        Some(">" | ">>" | "<")
                    ) {
                    true => arguments.texts.last().cloned(),
                    false => first.map(|t| t.trim_start_matches(['>', '<', ' ']).to_owned()),
                };
                let kind = if matches!(
                    arguments.texts.first().map(String::as_str),
                    Some(">" | ">>")
                ) {
                    EffectKind::Write
                } else {
                    kind
                };
                self.effect(id, kind, target, call_text, span);
            }
            Does::Effect(kind) => {
                if first.is_some() || !call.needs_literal {
                    self.effect(id, kind, first, call_text, span);
                }
            }
        }
    }

    /// Tcl's words are bare, so `exec` is followed by a command as in a shell.
    fn tcl(&mut self, id: InvocationId, text: &str, map: &SpanMap, scene: &Scene) {
        let mut start = 0;
        for line in text.split_inclusive(['\n', ';', '[']) {
            let command = line.trim_end_matches(['\n', ';', '[', ']']).trim_start();
            if let Some(command) = command.strip_prefix("exec ") {
                let at = At::new(start, start + line.len());
                self.code_runs(id, Language::Tcl, command, at, map, scene);
            }
            start += line.len();
        }
    }

    /// Another round in code that is a literal argument of `eval`.
    fn inner_code(
        &mut self,
        id: InvocationId,
        language: Language,
        code: &str,
        span: crate::span::Span,
        scene: &Scene,
    ) {
        self.deeper(span, |w| {
            w.code_text(id, language, code, &SpanMap::Whole(span), scene)
        });
    }

    fn effect(
        &mut self,
        id: InvocationId,
        kind: EffectKind,
        target: Option<String>,
        call: String,
        span: crate::span::Span,
    ) {
        if let Some(invocation) = self.found.invocations.get_mut(id.0)
            && invocation.effects.len() < MAX_EFFECTS
        {
            invocation.effects.push(Effect {
                kind,
                target,
                call,
                span,
            });
        }
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "the call and where it comes from"
    )]
    fn code_executes(
        &mut self,
        id: InvocationId,
        language: Language,
        call: &Call,
        arguments: &calls::Arguments,
        at: At,
        map: &SpanMap,
        scene: &Scene,
    ) {
        let span = map.original(at);
        let made = |text: &String| Word::made(text.clone(), span);
        let mut words: Vec<Word> = Vec::new();
        match (arguments.list.as_slice(), arguments.texts.as_slice()) {
            ([], [one]) => {
                let place = arguments.places.first().copied().unwrap_or(at);
                self.code_runs(id, language, one, place, map, scene);
                return;
            }
            ([], many) if call.does == Does::Shell && language == Language::Python => {
                // `os.system(a)`: what comes behind is no argument of the command.
                if let Some(one) = many.first() {
                    self.code_runs(id, language, one, at, map, scene);
                }
                return;
            }
            // `system(sprintf("rm -rf %s", x))`
            ([], []) => {
                if let Some(one) = arguments.nested.first() {
                    self.code_runs(id, language, one, at, map, scene);
                }
                return;
            }
            ([], many) => words.extend(many.iter().map(made)),
            (list, texts) => {
                // `spawn('rm', ['-rf', 'x'])`, but `execvp('rm', ['rm', '-rf', 'x'])`.
                if let Some(program) = texts.first()
                    && list.first() != Some(program)
                    && arguments.text_first
                {
                    words.push(made(program));
                }
                words.extend(list.iter().map(made));
            }
        }
        // `['bash', '-c', x]` with something unknown in it keeps its place.
        let wrapper = self.wrapper(id, language.name(), WrapperKind::Code);
        self.run(Args::new(words), id, wrapper, scene);
    }

    /// Runs a text that the code hands to a shell.
    fn code_runs(
        &mut self,
        id: InvocationId,
        language: Language,
        command: &str,
        at: At,
        map: &SpanMap,
        scene: &Scene,
    ) {
        let wrapper = self.wrapper(id, language.name(), WrapperKind::Code);
        let map = SpanMap::Whole(map.original(at));
        self.run_text(command, &map, id, wrapper, Source::Argument(id), scene);
    }
}

const MAX_EFFECTS: usize = 64;
