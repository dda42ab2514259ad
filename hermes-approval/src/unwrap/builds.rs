//! Build tools: makefiles that the text has made, and runners that are handed a command.

use super::strings::MAX_LINES;
use crate::grammar::{self, Grammar, OptValue, Order, UNKNOWN_TOOL};
use crate::invocation::{Args, InvocationId, Source, WrapperKind};
use crate::span::SpanMap;
use crate::walk::{Scene, Walker};
use crate::word::Word;

/// What make reads if it isn't told.
const MAKEFILES: &[&str] = &["GNUmakefile", "makefile", "Makefile"];

impl Walker<'_> {
    /// `make -f - <<E`, `make -f <(…)`, `--eval`, and a makefile that the text has written.
    pub(super) fn make(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let grammar = grammar::grammar("make").unwrap_or(&UNKNOWN_TOOL);
        let words = super::arguments(argv);
        let read = grammar::read(words, grammar, Order::Anywhere);
        let span = self.span_of(id);
        let files = read
            .options
            .iter()
            .filter(|o| o.is('f', "file") || o.is_long("makefile"));
        let mut files: Vec<Word> = files
            .filter_map(|o| o.value)
            .map(|v| super::value_word(v, span))
            .collect();
        if files.is_empty() && !self.written.is_empty() {
            files.extend(MAKEFILES.iter().map(|f| Word::made((*f).to_owned(), span)));
        }
        let mut at = span;
        let mut recipes: Vec<String> = Vec::new();
        for file in files.iter().take(MAX_FILES) {
            if let Some((text, place)) = self.given_text(id, file) {
                at = place;
                recipes.extend(in_makefile(&text));
            }
        }
        let evals = read.options.iter().filter(|o| o.is_long("eval"));
        for text in evals.filter_map(|o| o.value.and_then(OptValue::known)) {
            recipes.extend(in_makefile(text));
        }
        let wrapper = self.wrapper(id, name, WrapperKind::Evaluated);
        for recipe in recipes.iter().take(MAX_LINES) {
            // `$$` is a dollar there, `@` and `-` are no part of the command.
            let text = recipe
                .trim_start_matches(['@', '-', '+', ' '])
                .replace("$$", "$");
            let source = Source::Here(id);
            self.run_text(
                &text,
                &SpanMap::Whole(at),
                id,
                wrapper.clone(),
                source,
                scene,
            );
        }
    }

    /// `just --command cmd …`: all that stands behind is the command.
    pub(super) fn just(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let grammar = Grammar {
            short_values: "fdE",
            long_values: &[
                "justfile",
                "working-directory",
                "dotenv-path",
                "shell",
                "color",
            ],
            ..UNKNOWN_TOOL
        };
        let read = grammar::read(super::arguments(argv), &grammar, Order::First);
        let option = read.options.iter().find(|o| o.is('c', "command"));
        let Some(at) = option.map(|o| o.word) else {
            return;
        };
        let wrapper = self.wrapper(id, name, WrapperKind::Plain);
        match argv.get(1 + at).and_then(Word::known) {
            // `--command=rm`
            Some(text) if text.contains('=') => {
                let length = text.find('=').map_or(0, |at| at + 1);
                let Some(first) = argv.get(1 + at).map(|w| super::rest_of(w, length)) else {
                    return;
                };
                let rest = argv.iter().skip(2 + at).cloned();
                let words = std::iter::once(first).chain(rest).collect();
                self.run(Args::new(words), id, wrapper, scene);
            }
            _ => {
                self.run(argv.after(2 + at), id, wrapper, scene);
            }
        }
    }

    /// `/lib64/ld-linux-x86-64.so.2 --preload x /bin/rm y`: the loader runs what it is given.
    pub(super) fn loader(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let grammar = Grammar {
            long_values: &[
                "library-path",
                "inhibit-rpath",
                "preload",
                "audit",
                "argv0",
                "glibc-hwcaps-mask",
                "glibc-hwcaps-prepend",
            ],
            ..UNKNOWN_TOOL
        };
        let read = grammar::read(super::arguments(argv), &grammar, Order::First);
        let only_looks = [
            "list",
            "verify",
            "help",
            "version",
            "list-tunables",
            "list-diagnostics",
        ];
        if read
            .options
            .iter()
            .any(|o| only_looks.iter().any(|name| o.is_long(name)))
        {
            return;
        }
        let wrapper = self.wrapper(id, name, WrapperKind::Plain);
        if argv.len() > 1 + read.rest {
            self.run(argv.after(1 + read.rest), id, wrapper, scene);
        }
    }
}

/// True for the name of a dynamic loader: `ld-linux-x86-64.so.2`, `ld-musl-x86_64.so.1`, `ld.so`.
pub(super) fn is_loader(name: &str) -> bool {
    name.starts_with("ld") && name.contains(".so") && !name.contains(' ')
}

/// What the recipes and `$(shell …)` of a makefile run.
fn in_makefile(text: &str) -> Vec<String> {
    let text = text.replace("\\\n", " ");
    let mut found: Vec<String> = Vec::new();
    for line in text.lines().take(MAX_LINES) {
        let recipe = line.strip_prefix('\t');
        found.extend(recipe.map(str::to_owned));
        for opener in ["$(shell ", "${shell "] {
            let shell = line.split_once(opener).map(|(_, rest)| rest);
            found.extend(shell.map(|t| t.trim_end_matches([')', '}']).to_owned()));
        }
        if recipe.is_none() {
            // `all: ; cmd`, `x != cmd`
            let behind = line.split_once(';').or_else(|| line.split_once("!="));
            found.extend(behind.map(|(_, t)| t.to_owned()));
        }
    }
    found
}

const MAX_FILES: usize = 4;
