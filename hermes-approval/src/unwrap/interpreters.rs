//! Interpreters of other languages: where their code is given.

use crate::embedded::Language;
use crate::grammar::{self, Order, UNKNOWN_TOOL};
use crate::invocation::{Args, InvocationId, Stdin};
use crate::span::SpanMap;
use crate::walk::{Scene, Walker};
use crate::word::{Unknown, Word};

/// An interpreter and the options that carry code.
struct Interpreter {
    name: &'static str,
    language: Language,
    letters: &'static str,
    long: &'static [&'static str],
    /// A first word behind which code stands: `deno eval '…'`.
    verb: Option<&'static str>,
}

const fn i(
    name: &'static str,
    language: Language,
    letters: &'static str,
    long: &'static [&'static str],
) -> Interpreter {
    Interpreter {
        name,
        language,
        letters,
        long,
        verb: None,
    }
}

/// By name, in order.
const INTERPRETERS: &[Interpreter] = &[
    i("R", Language::R, "e", &[]),
    i("Rscript", Language::R, "e", &[]),
    i("awk", Language::Awk, "", &["source"]),
    Interpreter {
        verb: Some("eval"),
        ..i("bun", Language::JavaScript, "ep", &["eval", "print"])
    },
    Interpreter {
        verb: Some("eval"),
        ..i("deno", Language::JavaScript, "", &[])
    },
    i("expect", Language::Tcl, "c", &[]),
    i("gawk", Language::Awk, "e", &["source"]),
    i("jruby", Language::Ruby, "e", &[]),
    i("julia", Language::Julia, "eE", &["eval", "print"]),
    i("lua", Language::Lua, "e", &[]),
    i("luajit", Language::Lua, "e", &[]),
    i("mawk", Language::Awk, "", &[]),
    i("nawk", Language::Awk, "", &[]),
    i("node", Language::JavaScript, "ep", &["eval", "print"]),
    i("nodejs", Language::JavaScript, "ep", &["eval", "print"]),
    i("osascript", Language::AppleScript, "e", &[]),
    i("perl", Language::Perl, "eE", &[]),
    i(
        "php",
        Language::Php,
        "rRBE",
        &["run", "process-code", "process-begin", "process-end"],
    ),
    i("py", Language::Python, "c", &[]),
    i("pypy", Language::Python, "c", &[]),
    i("python", Language::Python, "c", &[]),
    i("ruby", Language::Ruby, "e", &[]),
    i("tclsh", Language::Tcl, "", &[]),
    i("ts-node", Language::JavaScript, "ep", &["eval", "print"]),
    i("tsx", Language::JavaScript, "ep", &["eval", "print"]),
    i("wish", Language::Tcl, "", &[]),
];

fn interpreter(name: &str) -> Option<&'static Interpreter> {
    let find = |name: &str| {
        INTERPRETERS
            .binary_search_by(|i| i.name.cmp(name))
            .ok()
            .and_then(|at| INTERPRETERS.get(at))
    };
    find(name).or_else(|| {
        // `python3.11`, `ruby2.7`, `php8`
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
        if stem.len() < name.len() {
            find(stem)
        } else {
            None
        }
    })
}

pub(super) fn is_interpreter(name: &str) -> bool {
    interpreter(name).is_some()
}

impl Walker<'_> {
    pub(super) fn interpreter(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let Some(interpreter) = interpreter(name) else {
            return;
        };
        let words = super::arguments(argv);
        let grammar = grammar::grammar(interpreter.name).unwrap_or(&UNKNOWN_TOOL);
        let read = grammar::read(words, grammar, Order::First);
        let span = self.span_of(id);
        let carries = |o: &&grammar::Opt<'_>| {
            if o.long {
                interpreter.long.contains(&o.name)
            } else {
                interpreter.letters.contains(o.name)
            }
        };
        let mut codes: Vec<Word> = read
            .options
            .iter()
            .filter(carries)
            .filter_map(|o| o.value)
            .map(|value| super::value_word(value, span))
            .collect();
        let first = read.operands.first().copied();
        if let Some(verb) = interpreter.verb
            && first.is_some_and(|w| w.known() == Some(verb))
        {
            codes.extend(
                read.operands
                    .iter()
                    .skip(1)
                    .filter(|w| !w.starts_with_known("-"))
                    .take(1)
                    .map(|w| (*w).clone()),
            );
        }
        if interpreter.language == Language::Awk && codes.is_empty() && !read.has('f', "file") {
            codes.extend(first.cloned());
        }
        if !codes.is_empty() {
            for code in &codes {
                self.code_word(id, interpreter.language, code, scene);
            }
            return;
        }
        let runs_module = read
            .options
            .iter()
            .any(|o| interpreter.language == Language::Python && o.is_short('m'));
        match first {
            Some(file) if file.known() != Some("-") && !runs_module => {
                if let Some(Unknown::Process(substitution)) = file.unknowns().next() {
                    let found = self.found.substitutions.get(substitution.0);
                    if let Some((text, at)) = found.and_then(|s| Some((s.output.clone()?, s.span)))
                    {
                        self.code_text(id, interpreter.language, &text, &SpanMap::Whole(at), scene);
                    }
                } else if let Some(path) = file.known().filter(|_| !self.written.is_empty()) {
                    let path = path.to_owned();
                    self.run_written(id, &path, Some(interpreter.name), scene);
                }
            }
            _ if runs_module || interpreter.language == Language::Awk => {}
            _ => self.code_input(id, interpreter.language, scene),
        }
    }

    /// Code on standard input.
    fn code_input(&mut self, id: InvocationId, language: Language, scene: &Scene) {
        let Some(invocation) = self.found.invocations.get(id.0) else {
            return;
        };
        let from = match (&invocation.stdin, invocation.parent) {
            (Stdin::Inherited, Some(parent)) if !invocation.wrappers.is_empty() => parent,
            _ => id,
        };
        let Some(invocation) = self.found.invocations.get(from.0) else {
            return;
        };
        match &invocation.stdin {
            Stdin::Inherited => {}
            Stdin::HereDocument { body, .. } | Stdin::HereString(body) => {
                let body = body.clone();
                self.code_word(id, language, &body, scene);
            }
            _ => {
                let span = self.input_span(from);
                if let Some(text) = self.input_text(from) {
                    self.code_text(id, language, &text, &SpanMap::Whole(span), scene);
                }
            }
        }
    }

    fn code_word(&mut self, id: InvocationId, language: Language, word: &Word, scene: &Scene) {
        let map = word
            .verbatim
            .map_or(SpanMap::Whole(word.span), SpanMap::Offset);
        let text = super::strings::script_text(word);
        self.code_text(id, language, &text, &map, scene);
    }

    /// Code of the language that an interpreter runs.
    pub(crate) fn code(
        &mut self,
        id: InvocationId,
        name: &str,
        text: &str,
        map: &SpanMap,
        scene: &Scene,
    ) {
        if let Some(interpreter) = interpreter(name) {
            self.code_text(id, interpreter.language, text, map, scene);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpreters_are_in_order_and_found_with_versions() {
        assert!(INTERPRETERS.is_sorted_by(|a, b| a.name < b.name));
        assert!(is_interpreter("python3.11"));
        assert!(!is_interpreter("pythonx"));
    }
}
