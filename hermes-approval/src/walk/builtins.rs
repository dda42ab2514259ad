//! What builtins and a few programs change for the commands that follow.

use super::Walker;
use super::arithmetic::subscripts;
use super::commands::compares;
use super::scene::Scene;
use super::simple::list_value;
use crate::invocation::{Args, Directory, InvocationId, Stdin};
use crate::span::Span;
use crate::word::Word;
use crate::word::variables::Variable;

impl Walker<'_> {
    /// Lets a command change variables, aliases, the directory, names of programs.
    pub(super) fn builtin(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        if SUBSCRIPTS.contains(&name) {
            self.subscripts(id, name, argv, scene);
        }
        match name {
            "export" | "declare" | "typeset" | "local" | "readonly" => self.declare(argv, scene),
            "unset" => {
                for word in argv.iter().skip(1) {
                    if let Some(name) = word.known().filter(|n| !n.starts_with('-')) {
                        // Without a value it is as good as empty, and that is known.
                        let empty = Variable::Scalar(String::new());
                        if !argv.get(1).is_some_and(|w| w.starts_with_known("-f")) {
                            self.set_variable(name, empty, scene);
                        }
                        self.functions.remove(name);
                    }
                }
            }
            "read" | "mapfile" | "readarray" => self.read(id, name, argv, scene),
            "printf" => self.print_variable(argv, scene),
            "set" => self.set_positionals(argv),
            "shift" => {
                if let Some(list) = &mut self.positionals {
                    let by = argv
                        .get(1)
                        .and_then(Word::known)
                        .and_then(|n| n.parse().ok())
                        .unwrap_or(1);
                    list.drain(..list.len().min(by));
                }
            }
            // `alias x 'cmd'` of csh and fish
            "alias" if argv.iter().skip(1).all(|w| !w.text.contains('=')) => {
                if let [_, name, value] = &argv[..]
                    && let (Some(name), Some(value)) = (name.known(), value.known())
                {
                    self.aliases.insert(name.to_owned(), value.to_owned());
                }
            }
            "alias" => {
                for word in argv.iter().skip(1) {
                    if let Some((name, value)) = word.known().and_then(|text| text.split_once('='))
                    {
                        self.aliases.insert(name.to_owned(), value.to_owned());
                    }
                }
            }
            "unalias" => {
                for name in argv.iter().skip(1).filter_map(Word::known) {
                    self.aliases.remove(name);
                }
            }
            "cd" | "pushd" | "chdir" => self.change_directory(argv, scene),
            "popd" => self.directory = Directory::Unknown,
            "trap" => {
                if let Some(text) = argv
                    .iter()
                    .skip(1)
                    .find(|w| w.known() != Some("--"))
                    .and_then(Word::known)
                    .filter(|t| !t.starts_with('-'))
                {
                    let text = text.to_owned();
                    self.hook(&text, "trap", id, scene);
                }
            }
            "hash" => {
                if let [_, flag, path, names @ ..] = &argv[..]
                    && flag.known() == Some("-p")
                {
                    self.rename(path, names);
                }
            }
            "ln" | "cp" | "mv" => {
                let operands: Vec<Word> = argv
                    .iter()
                    .skip(1)
                    .filter(|w| !w.starts_with_known("-"))
                    .cloned()
                    .collect();
                if let [from, to] = operands.as_slice() {
                    self.rename(from, std::slice::from_ref(to));
                }
            }
            _ => {}
        }
    }

    /// `let 'a[$(cmd)]'`, `test -v 'a[$(cmd)]'`: a subscript is expanded once more.
    fn subscripts(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let span = self.span_of(id);
        let words = arguments(argv);
        let known = |at: usize| words.get(at).and_then(Word::known).unwrap_or("");
        let integer = words
            .iter()
            .any(|w| w.starts_with_known("-") && w.text.contains(['i', 'n']));
        for (i, word) in words.iter().enumerate().take(MAX_SUBSCRIPTS) {
            let before = i.checked_sub(1).map_or("", known);
            let evaluated = match name {
                "let" => true,
                "printf" => before == "-v",
                "wait" => before == "-p",
                "[" | "test" => {
                    matches!(before, "-v" | "-R") || compares(before) || compares(known(i + 1))
                }
                _ => false,
            };
            if evaluated || integer && word.text.contains('=') {
                let text = word.text.clone();
                self.run_subscripts(&text, span, scene);
            } else if !matches!(name, "printf" | "wait" | "[" | "test") {
                // A name; what is assigned to it is only text.
                let variable = word.text.split('=').next().unwrap_or("");
                if variable.contains('[') && variable.contains(['$', '`']) {
                    let text = word.text.clone();
                    self.run_subscripts(subscripts(&text), span, scene);
                }
            }
        }
        // `declare -i x='a[$(cmd)]'`, `declare -n x='a[$(cmd)]'`
        if integer && name != "read" {
            let assignments = self.found.invocations.get(id.0).map(|i| &i.assignments);
            let values: Vec<String> = assignments
                .into_iter()
                .flatten()
                .flat_map(|a| a.values.iter().map(|v| v.text.clone()))
                .collect();
            for value in values {
                self.run_subscripts(&value, span, scene);
            }
        }
    }

    fn rename(&mut self, from: &Word, names: &[Word]) {
        let Some(from) = from.known() else { return };
        for name in names.iter().filter_map(Word::known) {
            // A file that the text wrote is still the same under its new name.
            if let Some(&writer) = self.written.get(plain_path(from)) {
                self.written.insert(plain_path(name).to_owned(), writer);
            }
            let of = self.renamed.get(plain_path(from)).cloned();
            let of = of.unwrap_or_else(|| from.to_owned());
            if self.renamed.len() < MAX_RENAMED {
                self.renamed.insert(plain_path(name).to_owned(), of);
            }
        }
    }

    fn declare(&mut self, argv: &Args, scene: &Scene) {
        let reference = argv.iter().skip(1).any(|w| {
            w.known()
                .is_some_and(|t| t.starts_with('-') && t.contains('n'))
        });
        let by_name = argv
            .first()
            .is_some_and(|w| !w.is("export") && !w.is("readonly"));
        for word in argv.iter().skip(1) {
            // What the scanner didn't take for an assignment: `export "X=rm"`.
            if let Some((name, value)) = word.known().and_then(|text| text.split_once('=')) {
                let list = value.strip_prefix('(').and_then(|v| v.strip_suffix(')'));
                let value = match list {
                    Some(list) => declared_list(list, word.span),
                    None => Variable::Scalar(value.to_owned()),
                };
                self.set_variable(name, value, scene);
            }
        }
        let names: Vec<String> = self.found.invocations.last().map_or(Vec::new(), |i| {
            i.assignments.iter().map(|a| a.name.clone()).collect()
        });
        // `declare -l x=RM`
        let turned = |letter| {
            let flags = argv.iter().skip(1).filter_map(Word::known);
            by_name
                && flags
                    .filter(|t| t.starts_with('-'))
                    .any(|t| t.contains(letter))
        };
        let (lower, upper) = (turned('l'), turned('u'));
        for name in names.iter().filter(|_| lower || upper) {
            if let Some(Variable::Scalar(value)) = self.variables.get(name) {
                let value = match lower {
                    true => value.to_lowercase(),
                    false => value.to_uppercase(),
                };
                self.variables.set(name, Variable::Scalar(value));
            }
        }
        if reference && by_name {
            for name in names {
                if let Some(Variable::Scalar(target)) = self.variables.get(&name).cloned() {
                    self.variables.set(&name, Variable::Reference(target));
                }
            }
        }
    }

    fn read(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        if let Some(number) = from_descriptor(argv) {
            self.read_descriptor(id, number);
        }
        let input = if self.reads_literal(id) {
            self.input_text(id)
        } else {
            None
        };
        let mut names: Vec<&str> = Vec::new();
        let mut words = argv.iter().skip(1).filter_map(Word::known);
        let mut array = name != "read";
        while let Some(word) = words.next() {
            match word.strip_prefix('-') {
                Some(flags) if !flags.is_empty() => {
                    array |= flags.contains('a') && name == "read";
                    if flags.ends_with(['d', 'n', 'N', 'p', 't', 'u', 'i', 'c', 'C', 'O', 's'])
                        && !(flags.ends_with('s') && name == "read")
                    {
                        words.next();
                    }
                }
                _ => names.push(word),
            }
        }
        if array {
            let list = input.map(|text| {
                if name == "read" {
                    text.split_whitespace().map(str::to_owned).collect()
                } else {
                    text.lines().map(str::to_owned).collect()
                }
            });
            let variable = names.first().copied().unwrap_or("MAPFILE");
            self.set_variable(
                variable,
                list.map_or(Variable::Unknown, Variable::Array),
                scene,
            );
            return;
        }
        if names.is_empty() {
            names.push("REPLY");
        }
        let line = input.as_deref().and_then(|text| text.lines().next());
        let last = names.len() - 1;
        let mut rest = line.map(str::trim);
        for (i, name) in names.iter().enumerate() {
            let value = rest.map(|text| {
                if i == last {
                    rest = Some("");
                    return text.to_owned();
                }
                let (head, tail) = text.split_once([' ', '\t']).unwrap_or((text, ""));
                rest = Some(tail.trim_start());
                head.to_owned()
            });
            self.set_variable(
                name,
                value.map_or(Variable::Unknown, Variable::Scalar),
                scene,
            );
        }
    }

    fn reads_literal(&self, id: InvocationId) -> bool {
        let in_loop = self
            .found
            .invocations
            .get(id.0)
            .is_some_and(|i| i.context.in_loop || i.context.in_condition);
        let one_line = |stdin: &Stdin| !matches!(stdin, Stdin::Inherited);
        !in_loop
            && self
                .found
                .invocations
                .get(id.0)
                .is_some_and(|i| one_line(&i.stdin))
    }

    /// `printf -v name format …`
    fn print_variable(&mut self, argv: &Args, scene: &Scene) {
        let [_, flag, name, rest @ ..] = &argv[..] else {
            return;
        };
        if flag.known() != Some("-v") {
            return;
        }
        let Some(name) = name.known() else { return };
        let value = crate::output::printf(rest).map_or(Variable::Unknown, Variable::Scalar);
        self.set_variable(name, value, scene);
    }

    /// `set -- a b`
    fn set_positionals(&mut self, argv: &Args) {
        let dashes = argv.iter().position(|w| w.known() == Some("--"));
        let from = dashes.map(|at| at + 1).or_else(|| {
            argv.get(1)
                .filter(|w| !w.starts_with_known("-") && !w.starts_with_known("+"))
                .map(|_| 1)
        });
        if let Some(from) = from {
            let list = argv
                .iter()
                .skip(from)
                .map(|w| w.known().map(str::to_owned))
                .collect();
            self.positionals = Some(list);
        }
    }

    fn change_directory(&mut self, argv: &Args, scene: &Scene) {
        let target = argv.iter().skip(1).find(|w| !w.starts_with_known("-"));
        let to = match target {
            None => Some(self.env.user_home.clone()),
            Some(word) => word.known().map(str::to_owned),
        };
        let next = match (to, &self.directory) {
            (Some(to), _) if to.starts_with('/') => Directory::Known(to.into()),
            (Some(to), Directory::Known(from)) => Directory::Known(join(from, &to).into()),
            (Some(to), Directory::Start) => match &self.env.cwd {
                Some(from) => Directory::Known(join(from, &to).into()),
                None => Directory::Unknown,
            },
            _ => Directory::Unknown,
        };
        if let Directory::Known(path) = &next {
            self.set_variable("PWD", Variable::Scalar(path.to_string()), scene);
        }
        self.directory = next;
    }
}

/// The number of `read -u 3`.
fn from_descriptor(argv: &Args) -> Option<u32> {
    let words = arguments(argv);
    let at = words.iter().position(|w| {
        w.known()
            .is_some_and(|t| t.starts_with('-') && t.contains('u'))
    })?;
    let (_, attached) = words.get(at)?.known()?.split_once('u')?;
    let number = match attached {
        "" => words.get(at + 1)?.known()?,
        attached => attached,
    };
    number.parse().ok()
}

/// `declare -a 'a=(x y)'`
fn declared_list(list: &str, span: Span) -> Variable {
    if list.contains(['\'', '"', '\\', '$', '`', '*', '?']) {
        return Variable::Unknown;
    }
    let words: Vec<Word> = list
        .split_whitespace()
        .map(|word| Word::made(word.to_owned(), span))
        .collect();
    list_value(&words)
}

fn arguments(argv: &Args) -> &[Word] {
    argv.get(1..).unwrap_or(&[])
}

/// A path below another; `.` and `..` are left to the reader.
fn join(from: &str, to: &str) -> String {
    format!("{}/{to}", from.trim_end_matches('/'))
}

/// `./x` and `x` are one file.
pub(crate) fn plain_path(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

const MAX_RENAMED: usize = 256;

/// Builtins that take names of variables, or arithmetic.
const SUBSCRIPTS: &[&str] = &[
    "[", "declare", "export", "getopts", "let", "local", "printf", "read", "readonly", "test",
    "typeset", "unset", "wait",
];

const MAX_SUBSCRIPTS: usize = 16;
