//! Interpreters of other languages: where their code is given.

use crate::embedded::Language;
use crate::grammar::{self, Grammar, Order, Style, UNKNOWN_TOOL};
use crate::invocation::{Args, InvocationId, Stdin};
use crate::name_index::{NameIndex, index_of};
use crate::span::SpanMap;
use crate::walk::{Scene, Walker};
use crate::word::{Unknown, Word};

/// An interpreter and the options that carry code.
struct Interpreter {
    name: &'static str,
    language: Language,
    letters: &'static str,
    long: &'static [&'static str],
    /// First words behind which code stands: `deno eval '…'`.
    verbs: &'static [&'static str],
    /// Its long options have one dash.
    style: Style,
    /// Its operands are files that it runs.
    runs_files: bool,
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
        verbs: &[],
        style: Style::Gnu,
        runs_files: true,
    }
}

impl Interpreter {
    const fn verbs(mut self, verbs: &'static [&'static str]) -> Self {
        self.verbs = verbs;
        self
    }

    const fn single(mut self) -> Self {
        self.style = Style::Single;
        self
    }

    /// A compiler, a framework, a client: its operands are something else.
    const fn tool(mut self) -> Self {
        self.runs_files = false;
        self
    }

    /// How it reads its options, where the table of grammars has nothing on it.
    fn grammar(&self) -> Grammar {
        match grammar::grammar(self.name) {
            Some(known) => *known,
            None => Grammar {
                short_values: self.letters,
                long_values: self.long,
                style: self.style,
                ..UNKNOWN_TOOL
            },
        }
    }
}

/// By name, in order.
#[rustfmt::skip]
const INTERPRETERS: &[Interpreter] = &[
    i("R", Language::R, "e", &[]),
    i("Rscript", Language::R, "e", &[]),
    i("amm", Language::Jvm, "c", &["code"]),
    i("awk", Language::Awk, "", &["source"]),
    i("bb", Language::Lisp, "e", &["eval"]),
    i("blender", Language::Python, "", &["python-expr"]).tool(),
    i("bpython", Language::Python, "c", &[]),
    i("bun", Language::JavaScript, "ep", &["eval", "print"]).verbs(&["eval"]),
    i("clisp", Language::Lisp, "x", &[]),
    i("clj", Language::Lisp, "e", &["eval"]),
    i("clojure", Language::Lisp, "e", &["eval"]),
    i("crystal", Language::Ruby, "", &[]).verbs(&["eval"]).tool(),
    i("csi", Language::Lisp, "eps", &["eval"]),
    i("d8", Language::JavaScript, "e", &[]),
    i("deno", Language::JavaScript, "", &[]).verbs(&["eval"]),
    i("drush", Language::Php, "", &[]).verbs(&["ev", "eval", "php-eval", "php:eval"]).tool(),
    i("ecl", Language::Lisp, "", &["eval", "eval-string"]).single(),
    i("elixir", Language::Beam, "e", &["eval"]),
    i("erl", Language::Beam, "", &["eval"]).single().tool(),
    i("esno", Language::JavaScript, "e", &["eval"]),
    i("expect", Language::Tcl, "c", &[]),
    i("gawk", Language::Awk, "e", &["source"]),
    i("ghc", Language::Haskell, "e", &[]).tool(),
    i("ghci", Language::Haskell, "e", &[]),
    i("gnuplot", Language::Gnuplot, "e", &[]),
    i("gosh", Language::Lisp, "e", &[]),
    i("groovy", Language::Jvm, "e", &[]),
    i("groovysh", Language::Jvm, "e", &["evaluate"]),
    i("gsi", Language::Lisp, "e", &[]),
    i("guile", Language::Lisp, "c", &[]),
    i("hy", Language::Lisp, "c", &[]),
    i("ipython", Language::Python, "c", &[]),
    i("irb", Language::Ruby, "", &[]),
    i("janet", Language::Lisp, "e", &[]),
    i("jruby", Language::Ruby, "e", &[]),
    i("jshell", Language::Jvm, "", &[]),
    i("julia", Language::Julia, "eE", &["eval", "print"]),
    i("jython", Language::Python, "c", &[]),
    i("kotlin", Language::Jvm, "e", &["expression"]),
    i("kotlinc", Language::Jvm, "e", &["expression"]).tool(),
    i("latexmk", Language::Perl, "e", &[]).tool(),
    i("lua", Language::Lua, "e", &[]),
    i("luajit", Language::Lua, "e", &[]),
    i("matlab", Language::Matlab, "", &["batch", "r"]).single().tool(),
    i("mawk", Language::Awk, "", &[]),
    i("micropython", Language::Python, "c", &[]),
    i("mongo", Language::JavaScript, "", &["eval"]).tool(),
    i("mongosh", Language::JavaScript, "", &["eval"]).tool(),
    i("nawk", Language::Awk, "", &[]),
    i("node", Language::JavaScript, "ep", &["eval", "print"]),
    i("nodejs", Language::JavaScript, "ep", &["eval", "print"]),
    i("ocaml", Language::Ocaml, "e", &[]),
    i("octave", Language::Matlab, "", &["eval"]),
    i("octave-cli", Language::Matlab, "", &["eval"]),
    i("osascript", Language::AppleScript, "e", &[]),
    i("perl", Language::Perl, "eE", &[]),
    i("php", Language::Php, "rRBE", &["run", "process-code", "process-begin", "process-end"]),
    i("py", Language::Python, "c", &[]),
    i("pypy", Language::Python, "c", &[]),
    i("python", Language::Python, "c", &[]),
    i("qjs", Language::JavaScript, "e", &["eval"]),
    i("racket", Language::Lisp, "e", &["eval"]),
    i("rails", Language::Ruby, "", &[]).verbs(&["r", "runner"]).tool(),
    i("raku", Language::Perl, "e", &[]),
    i("ruby", Language::Ruby, "e", &[]),
    i("runghc", Language::Haskell, "", &[]),
    i("runhaskell", Language::Haskell, "", &[]),
    i("sage", Language::Python, "c", &[]),
    i("sbcl", Language::Lisp, "", &["eval"]),
    i("scala", Language::Jvm, "e", &[]),
    i("scala-cli", Language::Jvm, "e", &["execute-script"]).tool(),
    i("swift", Language::Swift, "e", &[]),
    i("tclsh", Language::Tcl, "", &[]),
    i("texlua", Language::Lua, "", &[]),
    i("truffleruby", Language::Ruby, "e", &[]),
    i("ts-node", Language::JavaScript, "ep", &["eval", "print"]),
    i("tsx", Language::JavaScript, "ep", &["eval", "print"]),
    i("wish", Language::Tcl, "", &[]),
    i("wp", Language::Php, "", &[]).verbs(&["eval"]).tool(),
    i("zx", Language::JavaScript, "", &["eval"]),
];

static NAMES: NameIndex<512> = index_of!(INTERPRETERS, name);

fn interpreter(name: &str) -> Option<&'static Interpreter> {
    let find = |name: &str| {
        let at = NAMES.find(name, |at| Some(INTERPRETERS.get(at)?.name))?;
        INTERPRETERS.get(at)
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
        let read = grammar::read(words, &interpreter.grammar(), Order::First);
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
            .filter_map(|o| match o.value? {
                // `node -pe CODE`
                grammar::OptValue::Attached("e") if interpreter.letters.contains('e') => {
                    words.get(o.word + 1).cloned()
                }
                value => Some(super::value_word(value, span)),
            })
            .collect();
        let timed = |o: &grammar::Opt<'_>| {
            o.is_short('m') && o.value.and_then(grammar::OptValue::known) == Some("timeit")
        };
        if interpreter.language == Language::Python && read.options.iter().any(timed) {
            // Its statements, and what runs before them.
            codes.extend(read.operands.iter().take(8).map(|w| (*w).clone()));
        }
        let first = read.operands.first().copied();
        if first
            .and_then(|w| w.known())
            .is_some_and(|verb| interpreter.verbs.contains(&verb))
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
        codes.extend(framework_code(&read.operands).cloned());
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
            Some(_) if !interpreter.runs_files => {}
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

/// The code of `python manage.py shell -c '…'`, `php artisan tinker --execute='…'`.
fn framework_code<'w>(operands: &[&'w Word]) -> Option<&'w Word> {
    let [script, verb, rest @ ..] = operands else {
        return None;
    };
    let name = script.known()?.rsplit('/').next()?;
    let options: &[&str] = match (name, verb.known()?) {
        ("manage.py", "shell" | "shell_plus") => &["-c", "--command"],
        ("artisan", "tinker") => &["--execute"],
        _ => return None,
    };
    let at = rest
        .iter()
        .position(|w| w.known().is_some_and(|t| options.contains(&t)))?;
    rest.get(at + 1).copied()
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
