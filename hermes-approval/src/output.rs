//! What commands print, where the text alone tells: `echo`, `printf`, `cat` of a here-document, and
//! filters that can be worked out.

pub(crate) mod decode;
mod print;
mod translate;

pub(crate) use print::{echo, printf};

use crate::invocation::{Invocation, InvocationId, Stdin};
use crate::walk::{Feed, Out, Walker, descriptor_of};
use crate::word::Word;

/// Longest output that is worked out.
const MAX_OUTPUT: usize = 256 * 1024;
/// Longest chain of commands that is followed back.
const MAX_CHAIN: u32 = 32;

impl Walker<'_> {
    /// What a construct prints, if it can be told.
    pub(crate) fn literal(&mut self, out: &Out) -> Option<String> {
        let mut steps = MAX_CHAIN;
        let text = self.literal_out(out, &mut steps)?;
        if !self.spend(text.len()) {
            return None;
        }
        Some(text)
    }

    /// What an invocation reads on standard input, if it can be told.
    pub(crate) fn input_text(&mut self, id: InvocationId) -> Option<String> {
        let mut steps = MAX_CHAIN;
        let text = self.input_of(id, &mut steps)?;
        if !self.spend(text.len()) {
            return None;
        }
        Some(text)
    }

    /// True if what it reads went through a decoder.
    pub(crate) fn input_is_decoded(&self, id: InvocationId) -> bool {
        let mut at = self.found.invocations.get(id.0);
        for _ in 0..MAX_CHAIN {
            let Some(Stdin::Pipe(from)) = at.map(|i| &i.stdin) else {
                return false;
            };
            let Some(from) = from.first().and_then(|id| self.found.invocations.get(id.0)) else {
                return false;
            };
            if from.name().is_some_and(|name| DECODERS.contains(&name)) {
                return true;
            }
            at = Some(from);
        }
        false
    }

    fn literal_out(&self, out: &Out, steps: &mut u32) -> Option<String> {
        match out {
            Out::Nothing => Some(String::new()),
            Out::Unknown => None,
            Out::Invocation(id) => self.printed_by(*id, steps),
            Out::Sequence(all) => {
                let mut text = String::new();
                for out in all.iter() {
                    text.push_str(&self.literal_out(out, steps)?);
                    if text.len() > MAX_OUTPUT {
                        return None;
                    }
                }
                Some(text)
            }
        }
    }

    fn printed_by(&self, id: InvocationId, steps: &mut u32) -> Option<String> {
        *steps = steps.checked_sub(1)?;
        let invocation = self.found.invocations.get(id.0)?;
        if invocation
            .redirects
            .iter()
            .any(|r| r.descriptor == 1 && r.writes())
            && *steps + 1 < MAX_CHAIN
        {
            return Some(String::new());
        }
        if let Some(inner) = self.inner.get(id.0).copied().flatten() {
            return self.printed_by(inner, steps);
        }
        let Some(name) = invocation.name() else {
            return match &invocation.stdin {
                // `$(< file)`
                Stdin::File(file) if invocation.argv.is_empty() => self.file_text(file, steps),
                _ => invocation.argv.is_empty().then(String::new),
            };
        };
        let arguments = invocation.arguments();
        match name {
            "echo" => echo(arguments),
            "printf" => printf(arguments),
            "true" | ":" | "sleep" => Some(String::new()),
            // `export -p`, `set -o` and `cd -` print something, the first two without words, too.
            "cd" | "export" | "set" => {
                let words = || arguments.iter().map(Word::known);
                let silent =
                    words().all(|w| w.is_some_and(|w| !matches!(w, "-" | "-p" | "-o" | "+o")));
                (silent
                    && (name == "cd"
                        || !arguments.is_empty()
                        || !invocation.assignments.is_empty()))
                .then(String::new)
            }
            "command" => locate(arguments),
            "basename" | "dirname" => print::path_part(name, arguments),
            "which" | "type" => locate_program(arguments),
            _ => {
                let filter = FILTERS.iter().find(|(program, _)| *program == name)?.1;
                let input = self.filter_input(invocation, steps)?;
                filter(arguments, &input).filter(|text| text.len() <= MAX_OUTPUT)
            }
        }
    }

    /// The input of a filter: a file in its arguments that the text wrote, or standard input.
    fn filter_input(&self, invocation: &Invocation, steps: &mut u32) -> Option<String> {
        if invocation.is("cat") || invocation.is("tac") {
            let mut files = invocation
                .arguments()
                .iter()
                .filter(|w| !w.starts_with_known("-"))
                .peekable();
            if files.peek().is_some() {
                let mut text = String::new();
                for file in files {
                    text.push_str(&self.file_text(file, steps)?);
                }
                return Some(text);
            }
        }
        self.input_of(invocation.id, steps)
    }

    fn file_text(&self, file: &Word, steps: &mut u32) -> Option<String> {
        if let Some(crate::word::Unknown::Process(id)) = file.unknowns().next() {
            return self.found.substitutions.get(id.0)?.output.clone();
        }
        if let Some(number) = descriptor_of(file).filter(|number| *number > 0) {
            return match self.descriptors.get(number)? {
                Feed::Inherited => None,
                Feed::Pipe(out) => self.literal_out(out, steps),
                Feed::Given(stdin) => self.given(stdin, steps),
            };
        }
        let path = file.known()?;
        let writer = *self.written.get(path.strip_prefix("./").unwrap_or(path))?;
        *steps = steps.checked_sub(1)?;
        let invocation = self.found.invocations.get(writer.0)?;
        // Its redirection is what wrote the file.
        match invocation.name()? {
            "echo" => echo(invocation.arguments()),
            "printf" => printf(invocation.arguments()),
            "cat" | "tee" | "dd" => self.input_of(writer, steps),
            _ => None,
        }
    }

    fn input_of(&self, id: InvocationId, steps: &mut u32) -> Option<String> {
        let invocation = self.found.invocations.get(id.0)?;
        match &invocation.stdin {
            Stdin::Pipe(_) => match self.feeds.get(id.0)? {
                Feed::Pipe(out) => self.literal_out(out, steps),
                _ => None,
            },
            stdin => self.given(stdin, steps),
        }
    }

    fn given(&self, stdin: &Stdin, steps: &mut u32) -> Option<String> {
        match stdin {
            Stdin::Inherited | Stdin::Pipe(_) => None,
            Stdin::File(word) => self.file_text(word, steps),
            Stdin::HereDocument { body, .. } => body.known().map(str::to_owned),
            Stdin::HereString(word) => word.known().map(|text| format!("{text}\n")),
            Stdin::Process(id) => self.found.substitutions.get(id.0)?.output.clone(),
        }
    }
}

/// `command -v rm` prints where `rm` is.
fn locate(arguments: &[Word]) -> Option<String> {
    match arguments {
        [flag, rest @ ..] if flag.known() == Some("-v") => locate_program(rest),
        _ => None,
    }
}

fn locate_program(arguments: &[Word]) -> Option<String> {
    let [name] = arguments else { return None };
    let name = name.known()?;
    (!name.starts_with('-')).then(|| format!("{name}\n"))
}

type Filter = fn(&[Word], &str) -> Option<String>;

const DECODERS: &[&str] = &["base64", "base32", "basenc", "xxd", "rev", "tr", "openssl"];

/// Programs that print what they read, or something that can be worked out from it.
const FILTERS: &[(&str, Filter)] = &[
    ("cat", |arguments, text| {
        arguments
            .iter()
            .all(|w| {
                w.known()
                    .is_some_and(|t| !t.starts_with("-n") && !t.starts_with("-b"))
            })
            .then(|| text.to_owned())
    }),
    ("tee", |_, text| Some(text.to_owned())),
    ("dd", |arguments, text| {
        let copies = |t: &str| t.starts_with("of=") || t.starts_with("status=");
        let plain = arguments.iter().all(|w| w.known().is_some_and(copies));
        plain.then(|| text.to_owned())
    }),
    ("pv", |_, text| Some(text.to_owned())),
    ("sponge", |_, text| Some(text.to_owned())),
    ("base64", |arguments, text| {
        decode::command(arguments, text, decode::base64)
    }),
    ("base32", |arguments, text| {
        decode::command(arguments, text, decode::base32)
    }),
    ("openssl", decode::openssl),
    ("xxd", decode::xxd),
    ("rev", |_, text| {
        Some(text.split_inclusive('\n').map(reverse).collect())
    }),
    ("tac", |_, text| {
        Some(text.split_inclusive('\n').rev().collect())
    }),
    ("tr", translate::tr),
];

fn reverse(line: &str) -> String {
    let (body, end) = line
        .strip_suffix('\n')
        .map_or((line, ""), |body| (body, "\n"));
    body.chars().rev().chain(end.chars()).collect()
}
