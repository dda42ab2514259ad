//! Words as a command gets them: resolved as far as the text alone tells.

pub(crate) mod ansi_c;
pub(crate) mod brace;
pub(crate) mod build;
pub(crate) mod expand;
pub(crate) mod glob;
pub(crate) mod parameter;
pub(crate) mod variables;

use crate::invocation::SubstitutionId;
use crate::platform::Platform;
use crate::span::Span;

/// One argument of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Where it stands in the original text. A word that was made (joined, decoded, a piece of a
    /// variable) has the span of what it was made from.
    pub span: Span,
    /// How much of it is quoted.
    pub quoted: Quoted,
    /// How much of its value is known.
    pub certainty: Certainty,
    pub(crate) raw: Option<Box<str>>,
    pub(crate) text: String,
    pub(crate) parts: Vec<Part>,
    pub(crate) alternatives: Vec<String>,
    /// Where the value stands in the original byte for byte.
    pub(crate) verbatim: Option<usize>,
}

/// How much of a word is quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Quoted {
    /// Nothing.
    #[default]
    None,
    /// A part.
    Some,
    /// All of it.
    All,
}

/// How much of a word's value is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Certainty {
    /// The value is [`Word::text`].
    #[default]
    Known,
    /// Some of it; [`Word::parts`] says which, [`Word::alternatives`] what else it may be.
    Partial,
    /// Nothing.
    Unknown,
}

/// A piece of a word's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// What it is.
    pub kind: PartKind,
    /// How it is quoted.
    pub quoting: Quoting,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// What a piece of a word is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartKind {
    /// Text that is known.
    Literal,
    /// Signs of a file name pattern that the shell expands.
    Glob,
    /// One of several values; the first is in the text, all are in [`Word::alternatives`].
    OneOf,
    /// Nobody can know it from the text alone.
    Unknown(Unknown),
}

/// What kept a piece from being known.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unknown {
    /// A variable that the text doesn't set.
    Variable(String),
    /// `$1`, `$@` and the like.
    Positional,
    /// `$?`, `$$` and the like.
    Special(char),
    /// The output of a command.
    Command(SubstitutionId),
    /// A file name made by `<(…)` or `>(…)`.
    Process(SubstitutionId),
    /// The result of a calculation.
    Arithmetic,
    /// Input of a wrapper: `{}` of `xargs` and `find`, the lines of standard input.
    Input,
    /// Too long or too many to be followed.
    TooLong,
}

/// How a piece is quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Quoting {
    /// Not at all.
    #[default]
    None,
    /// By a backslash.
    Escaped,
    /// `'…'` or `$'…'`
    Single,
    /// `"…"`
    Double,
}

impl Word {
    /// A word as it was written, quotes included.
    pub fn raw(&self) -> &str {
        self.raw.as_deref().unwrap_or(&self.text)
    }

    /// The value as far as it is known: unknown pieces are left out, patterns are not expanded.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The value, if all of it is known. A file name pattern counts as known: it is what the
    /// command line says.
    pub fn known(&self) -> Option<&str> {
        (self.certainty == Certainty::Known).then_some(self.text.as_str())
    }

    /// The pieces of the value. A word without quotes, variables and patterns has none: its text
    /// is all there is.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The text of one of the word's pieces; empty for an unknown one.
    pub fn part_text(&self, part: &Part) -> &str {
        self.text.get(part.start..part.end).unwrap_or("")
    }

    /// What the word may be, if it is one of several things: values of a loop variable,
    /// well-known files that a pattern matches.
    pub fn alternatives(&self) -> &[String] {
        &self.alternatives
    }

    /// All values to be reckoned with: the known one, or the alternatives.
    pub fn candidates(&self) -> impl Iterator<Item = &str> {
        self.known()
            .into_iter()
            .chain(self.alternatives.iter().map(String::as_str))
    }

    /// The beginning of the value that is known in any case.
    pub fn known_prefix(&self) -> &str {
        let stop = self
            .parts
            .iter()
            .find(|part| !matches!(part.kind, PartKind::Literal | PartKind::Glob));
        self.text
            .get(..stop.map_or(self.text.len(), |part| part.start))
            .unwrap_or("")
    }

    /// True if the value certainly starts so.
    pub fn starts_with_known(&self, prefix: &str) -> bool {
        self.known_prefix().starts_with(prefix)
    }

    /// True if it holds an unquoted file name pattern.
    pub fn has_glob(&self) -> bool {
        self.parts.iter().any(|part| part.kind == PartKind::Glob)
    }

    /// The unknown pieces.
    pub fn unknowns(&self) -> impl Iterator<Item = &Unknown> {
        self.parts.iter().filter_map(|part| match &part.kind {
            PartKind::Unknown(unknown) => Some(unknown),
            _ => None,
        })
    }

    /// True if this names the program: `rm`, `/bin/rm`, `rm.exe`; on Windows in any case of the
    /// letters. For a word that may be several things: if one of them does.
    pub fn is(&self, program: &str) -> bool {
        self.is_on(program, Platform::Posix)
    }

    /// [`Word::is`], by the rules of a platform.
    pub fn is_on(&self, program: &str, platform: Platform) -> bool {
        // Behind a folder that isn't known.
        let end = self.program_path().filter(|_| self.known().is_none());
        self.candidates().chain(end).any(|value| {
            let name = program_name(value, platform);
            if platform.ignores_case() {
                name.eq_ignore_ascii_case(program)
            } else {
                name == program
            }
        })
    }

    /// The name of the program that this word calls: without folder and `.exe`. None if it isn't
    /// known.
    pub fn program(&self, platform: Platform) -> Option<&str> {
        self.program_path()
            .map(|value| program_name(value, platform))
    }

    /// The path of the program that this word calls, or the end of it behind a folder that isn't
    /// known: `lint` of `$BIN/lint`.
    pub(crate) fn program_path(&self) -> Option<&str> {
        self.known().or_else(|| {
            let last = self.parts.last()?;
            let (_, name) = self.part_text(last).rsplit_once('/')?;
            let certain = matches!(last.kind, PartKind::Literal) && self.alternatives.is_empty();
            (certain && !name.is_empty()).then_some(name)
        })
    }

    /// A word that was made, not written.
    pub(crate) fn made(text: String, span: Span) -> Self {
        Self {
            span,
            quoted: Quoted::None,
            certainty: Certainty::Known,
            raw: None,
            text,
            parts: Vec::new(),
            alternatives: Vec::new(),
            verbatim: None,
        }
    }

    /// A word that nothing is known of.
    pub(crate) fn unknown(unknown: Unknown, span: Span) -> Self {
        let part = Part {
            kind: PartKind::Unknown(unknown),
            quoting: Quoting::None,
            start: 0,
            end: 0,
        };
        Self {
            certainty: Certainty::Unknown,
            parts: vec![part],
            ..Self::made(String::new(), span)
        }
    }
}

/// The name of a program without folder and `.exe`.
pub(crate) fn program_name(value: &str, platform: Platform) -> &str {
    if value.len() > MAX_PATH {
        return value;
    }
    // Names are short and asked for often: no searcher is set up.
    let mut bytes = value.as_bytes().iter();
    let slash = match platform {
        Platform::Posix => bytes.rposition(|&b| b == b'/'),
        Platform::Cmd | Platform::PowerShell => bytes.rposition(|&b| matches!(b, b'/' | b'\\')),
    };
    let name = slash.and_then(|at| value.get(at + 1..)).unwrap_or(value);
    if !matches!(name.as_bytes().last(), Some(b'e' | b'E')) {
        return name;
    }
    match name
        .len()
        .checked_sub(4)
        .and_then(|at| name.split_at_checked(at))
    {
        Some((stem, ext)) if !stem.is_empty() && ext.eq_ignore_ascii_case(".exe") => stem,
        _ => name,
    }
}

/// No system runs a program with a longer path.
const MAX_PATH: usize = 32 * 1024;
