//! Code of other languages in arguments and input: process and file calls, read off where they are
//! literal.
//!
//! No parser for each language, but one scanner for what they have in common (names, strings,
//! calls) and a table of calls. It is not meant to understand a program; it finds
//! `shutil.rmtree("/srv")` and `system("rm -rf x")`, and says where code is made at run time.

mod arguments;
mod awk;
mod calls;
mod language;
mod named;
mod queries;
mod table;
mod tcl;
mod tokens;

use crate::coverage::Gap;
use crate::effect::{Effect, EffectKind};
use crate::invocation::{Args, InvocationId, Source, WrapperKind};
use crate::span::{At, SpanMap};
use crate::walk::{Scene, Walker};
use crate::word::Word;
use arguments::{Arguments, arguments};
use calls::{Call, Does};
pub(crate) use language::Language;
use tokens::{Token, TokenKind, tokens};

/// A code, and the invocation that runs it.
struct Code<'c> {
    id: InvocationId,
    language: Language,
    text: &'c str,
    map: &'c SpanMap,
    scene: &'c Scene,
    tokens: Vec<Token>,
}

impl Code<'_> {
    fn kind(&self, at: usize) -> Option<&TokenKind> {
        self.tokens.get(at).map(|t| &t.kind)
    }

    fn before(&self, at: usize) -> Option<&TokenKind> {
        at.checked_sub(1).and_then(|before| self.kind(before))
    }

    fn is_sign(&self, at: usize, sign: char) -> bool {
        self.kind(at) == Some(&TokenKind::Sign(sign))
    }

    /// The name that ends in front of a token.
    fn name_before(&self, at: usize) -> Option<&str> {
        match self.before(at) {
            Some(TokenKind::Name(name)) => Some(name),
            _ => None,
        }
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
        let mut code = Code {
            id,
            language,
            text,
            map,
            scene,
            tokens: Vec::new(),
        };
        if language == Language::Tcl {
            self.tcl(&code);
            return;
        }
        code.tokens = tokens(text, language);
        let aliases = named::aliases(&code);
        for (i, token) in code.tokens.iter().enumerate() {
            if self.stopped() {
                return;
            }
            match &token.kind {
                TokenKind::Command(command) => self.code_runs(&code, command, token.at),
                TokenKind::Name(name) => {
                    let name = aliases
                        .iter()
                        .find(|(alias, _)| alias == name)
                        .map_or(name.as_str(), |(_, of)| of);
                    self.code_name(&code, i, name);
                }
                TokenKind::Text(string) => self.code_string(&code, i, string),
                TokenKind::Sign(sign) => self.code_line(&code, i, *sign),
            }
        }
    }

    fn code_string(&mut self, code: &Code<'_>, i: usize, string: &str) {
        let at = code.tokens.get(i).map_or(At::default(), |t| t.at);
        match code.language {
            Language::Awk => self.awk_string(code, i, string),
            // gnuplot: `plot "< cmd"`, `set output "|cmd"`
            Language::Gnuplot => {
                if let Some(command) = string.strip_prefix(['<', '|']) {
                    self.code_runs(code, command, at);
                }
            }
            // Scala: `"cmd".!`
            Language::Jvm
                if code.kind(i + 1) == Some(&TokenKind::Name(".".to_owned()))
                    && code.is_sign(i + 2, '!') =>
            {
                self.code_runs(code, string, at);
            }
            _ => {
                self.subscripted(code, i, string);
                self.queries(code, i, string);
            }
        }
    }

    /// `!cmd` at the start of a line.
    fn code_line(&mut self, code: &Code<'_>, i: usize, sign: char) {
        let starts = matches!(code.before(i), None | Some(TokenKind::Sign('\n' | ';')));
        if !starts || code.language.escape() != Some(sign) {
            return;
        }
        let Some(token) = code.tokens.get(i) else {
            return;
        };
        let rest = code.text.get(token.at.end..).unwrap_or("");
        let line = rest.lines().next().unwrap_or("");
        let at = At::new(token.at.end, token.at.end + line.len());
        self.code_runs(code, line.trim_start_matches('!'), at);
    }

    fn code_name(&mut self, code: &Code<'_>, i: usize, name: &str) {
        let language = code.language;
        let mut last = name.rsplit(['.', ':']).next().unwrap_or(name);
        if language == Language::Lisp && name.contains('.') {
            // `clojure.java.shell/sh`
            last = last.rsplit('/').next().unwrap_or(last);
        }
        if language == Language::AppleScript && self.stops_system(code, i, last) {
            return;
        }
        let parens = code.is_sign(i + 1, '(');
        if parens && let Some(which) = calls::by_name(language, last) {
            self.called_by_name(code, i, name, which);
            return;
        }
        let Some(call) = calls::find(language, name, last) else {
            return;
        };
        let next = code.kind(i + 1);
        let called = match language {
            // The name stands behind the parenthesis, or is handed on.
            Language::Lisp => matches!(code.before(i), Some(TokenKind::Sign('('))),
            // `kill 9, $pid`, `exec {"rm"} "rm", "x"`
            Language::Perl
                if matches!(
                    (last, next),
                    ("kill", Some(TokenKind::Sign(',')))
                        | ("exec" | "system", Some(TokenKind::Sign('{')))
                ) =>
            {
                true
            }
            _ => parens || language.bare_calls() && starts_argument(next, language),
        };
        // `unlink` of `$_`, `Pathname.new("x").rmtree`
        let bare = match language {
            Language::Perl => matches!(last, "unlink" | "rmdir"),
            Language::Ruby => name.contains('.') && !call.needs_literal,
            _ => false,
        };
        let ends = matches!(
            next,
            None | Some(TokenKind::Sign(';' | '}' | ')' | '<' | '\n'))
        );
        if called {
            let from = if parens { i + 2 } else { i + 1 };
            let arguments = arguments(&code.tokens, from, parens || language == Language::Lisp);
            self.code_call(code, i, name, call, &arguments);
        } else if bare && ends || !call.needs_literal && named::is_handed_on(code, i, name) {
            let end = Arguments {
                end: i,
                ..Arguments::default()
            };
            self.code_call(code, i, name, call, &end);
        }
    }

    /// Notes what a call does; `i` is the number of its first token.
    fn code_call(
        &mut self,
        code: &Code<'_>,
        i: usize,
        name: &str,
        call: Call,
        arguments: &Arguments,
    ) {
        let (id, tokens) = (code.id, &code.tokens);
        let at = Token::stretch(tokens, i, arguments.end);
        let span = code.map.original(at);
        // `Path("x").unlink()`: what it is called on.
        let receiver = if name.starts_with('.') || call.on_receiver {
            arguments::receiver(tokens, i)
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
        let first = if call.only_on_literal() {
            receiver
        } else {
            first.or(receiver)
        };
        let call_text = name.trim_start_matches('.').to_owned();
        if call.only_on_literal() && call.does == Does::Shell {
            if let Some(command) = &first {
                self.code_runs(code, command, at);
            }
            return;
        }
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
                self.code_executes(code, &call, arguments, at);
            }
            Does::Evaluate => {
                let stretch = at.of(code.text);
                let decoded = arguments
                    .nested
                    .iter()
                    .find(|code| stretch.contains("64") && code.len() > 6);
                let inner = arguments.texts.first().or(decoded).cloned();
                match inner {
                    Some(made) if stretch.contains("64") => {
                        self.effect(id, EffectKind::Evaluate, None, call_text, span);
                        let decoded = crate::output::decode::base64(&made)
                            .and_then(|b| String::from_utf8(b).ok());
                        match decoded {
                            Some(made) => self.inner_code(code, &made, span),
                            None => self.found.coverage.hole(Gap::DynamicCode, span),
                        }
                    }
                    Some(made) => {
                        self.effect(
                            id,
                            EffectKind::Evaluate,
                            Some(made.clone()),
                            call_text,
                            span,
                        );
                        self.inner_code(code, &made, span);
                    }
                    None => {
                        self.effect(id, EffectKind::Evaluate, None, call_text, span);
                        self.found.coverage.hole(Gap::DynamicCode, span);
                    }
                }
            }
            Does::OpenFile if self.opens_pipe(code, arguments, at) => {}
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

    /// `open(F, "cmd|")`, `open(F, "-|", "cmd")` of Perl and Ruby, `[open "|cmd"]`: true if it is one.
    fn opens_pipe(&mut self, code: &Code<'_>, arguments: &Arguments, at: At) -> bool {
        if !matches!(code.language, Language::Perl | Language::Ruby) {
            return false;
        }
        match arguments.texts.as_slice() {
            [mode, words @ ..] if matches!(mode.as_str(), "-|" | "|-") => {
                let command = words.join(" ");
                self.code_runs(code, &command, at);
            }
            [one, ..] if one.starts_with('|') || one.ends_with('|') => {
                self.code_runs(code, one.trim_matches(['|', ' ']), at);
            }
            _ => return false,
        }
        true
    }

    /// Another round in code that is a literal argument of `eval`.
    fn inner_code(&mut self, code: &Code<'_>, made: &str, span: crate::span::Span) {
        self.deeper(span, |w| {
            w.code_text(
                code.id,
                code.language,
                made,
                &SpanMap::Whole(span),
                code.scene,
            )
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

    fn code_executes(&mut self, code: &Code<'_>, call: &Call, arguments: &Arguments, at: At) {
        let span = code.map.original(at);
        let made = |text: &String| Word::made(text.clone(), span);
        let mut words: Vec<Word> = Vec::new();
        match (arguments.list.as_slice(), arguments.texts.as_slice()) {
            // `system2("rm", c("-rf", "x"))`, `(run-program "rm" '("-rf" "x"))`
            ([], texts) if call.does == Does::Argv && code.language.lists_are_calls() => {
                words.extend(texts.iter().chain(&arguments.nested).map(made));
            }
            ([], [one]) => {
                let place = arguments.places.first().copied().unwrap_or(at);
                self.code_runs(code, one, place);
                return;
            }
            ([], many) if call.does == Does::Shell && code.language == Language::Python => {
                // `os.system(a)`: what comes behind is no argument of the command.
                if let Some(one) = many.first() {
                    self.code_runs(code, one, at);
                }
                return;
            }
            // `system(sprintf("rm -rf %s", x))`, `system(decode_base64("…"))`
            ([], []) => {
                let Some(one) = arguments.nested.first() else {
                    return;
                };
                let encoded = at.of(code.text).contains("64");
                let decoded = encoded
                    .then(|| crate::output::decode::base64(one))
                    .flatten()
                    .and_then(|bytes| String::from_utf8(bytes).ok());
                if encoded && decoded.is_none() {
                    self.found.coverage.hole(Gap::DynamicCode, span);
                }
                self.code_runs(code, decoded.as_deref().unwrap_or(one), at);
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
        // One word with blanks in it is for a shell all the same: `System.cmd("rm -rf x")`.
        if let [one] = words.as_slice()
            && one.text.contains(' ')
        {
            let command = one.text.clone();
            self.code_runs(code, &command, at);
            return;
        }
        // `['bash', '-c', x]` with something unknown in it keeps its place.
        let wrapper = self.wrapper(code.id, code.language.name(), WrapperKind::Code);
        self.run(Args::new(words), code.id, wrapper, code.scene);
    }

    /// Runs a text that the code hands to a shell.
    fn code_runs(&mut self, code: &Code<'_>, command: &str, at: At) {
        let wrapper = self.wrapper(code.id, code.language.name(), WrapperKind::Code);
        let map = SpanMap::Whole(code.map.original(at));
        let source = Source::Argument(code.id);
        self.run_text(command, &map, code.id, wrapper, source, code.scene);
    }
}

/// What may stand behind the name of a function that is called without parentheses.
fn starts_argument(next: Option<&TokenKind>, language: Language) -> bool {
    match next {
        Some(TokenKind::Text(_) | TokenKind::Name(_) | TokenKind::Sign('$' | '@' | '[')) => true,
        // Ruby: `system *%w[rm -rf x]`; Haskell: `system $ "rm"`
        Some(TokenKind::Sign('*')) => language == Language::Ruby,
        _ => false,
    }
}

const MAX_EFFECTS: usize = 64;
