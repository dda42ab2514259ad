//! What the scanner makes of a text: commands and words, before anything is resolved.

use crate::span::At;
use crate::word::Quoting;

/// Commands one after the other.
#[derive(Debug, Default)]
pub(crate) struct Script {
    pub(crate) items: Vec<Item>,
}

#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) stages: Vec<Stage>,
    pub(crate) negated: bool,
    pub(crate) background: bool,
    /// Runs only if the one before it went well (or badly).
    pub(crate) conditional: bool,
}

/// One command of a pipeline.
#[derive(Debug)]
pub(crate) struct Stage {
    pub(crate) at: At,
    pub(crate) command: Command,
    pub(crate) redirects: Vec<RawRedirect>,
}

#[derive(Debug)]
pub(crate) enum Command {
    Simple(Simple),
    /// `( … )`
    Subshell(Script),
    /// `{ …; }`
    Group(Script),
    /// Conditions and their bodies; `else` is a body without condition.
    If(Vec<(Option<Script>, Script)>),
    /// `while` or `until`: condition, body.
    Loop(Script, Script),
    /// `for` or `select`; without `in`, the positional parameters.
    For {
        name: At,
        words: Option<Vec<SourceWord>>,
        body: Script,
    },
    /// `for ((…))`
    ForArithmetic {
        head: Vec<Piece>,
        body: Script,
    },
    Case {
        subject: Option<SourceWord>,
        arms: Vec<(Vec<SourceWord>, Script)>,
    },
    Function {
        name: At,
        body: Box<Stage>,
        body_at: At,
    },
    Coprocess(Box<Stage>),
    /// `[[ … ]]`
    Test(Vec<SourceWord>),
    /// `(( … ))`
    Arithmetic(Vec<Piece>),
}

#[derive(Debug, Default)]
pub(crate) struct Simple {
    pub(crate) assignments: Vec<RawAssignment>,
    pub(crate) words: Vec<SourceWord>,
}

#[derive(Debug)]
pub(crate) struct RawAssignment {
    pub(crate) at: At,
    pub(crate) name: At,
    pub(crate) subscript: Option<Subscript>,
    pub(crate) append: bool,
    pub(crate) value: RawValue,
}

/// What stands between the brackets of `a[…]`.
#[derive(Debug)]
pub(crate) struct Subscript {
    pub(crate) at: At,
    /// What is in it, if it expands.
    pub(crate) pieces: Vec<Piece>,
}

#[derive(Debug)]
pub(crate) enum RawValue {
    Scalar(SourceWord),
    Array(Vec<SourceWord>),
}

#[derive(Debug)]
pub(crate) struct RawRedirect {
    pub(crate) at: At,
    pub(crate) descriptor: Descriptor,
    pub(crate) operator: crate::invocation::RedirectOperator,
    pub(crate) target: RawTarget,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Descriptor {
    /// What the operator implies.
    Implied,
    Number(u32),
    /// `{name}>`
    Named,
}

#[derive(Debug)]
pub(crate) enum RawTarget {
    Word(SourceWord),
    /// Index into the scanner's here-documents.
    Here(usize),
    Missing,
}

/// The body of a here-document.
#[derive(Debug)]
pub(crate) struct HereBody {
    pub(crate) body: At,
    /// Variables and substitutions in it are expanded.
    pub(crate) expands: bool,
    /// `<<-`: leading tabs don't count.
    pub(crate) strips_tabs: bool,
    /// What is in the body, if it expands.
    pub(crate) pieces: Vec<Piece>,
}

#[derive(Debug)]
pub(crate) struct SourceWord {
    pub(crate) at: At,
    pub(crate) pieces: Vec<Piece>,
}

#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) at: At,
    pub(crate) quoting: Quoting,
    pub(crate) kind: PieceKind,
}

#[derive(Debug)]
pub(crate) enum PieceKind {
    /// The text of `at`, as it is.
    Text,
    /// The body of `$'…'`, still escaped.
    AnsiC,
    Parameter(Box<Parameter>),
    Substitution(Box<Script>),
    /// The inner text of `` `…` ``, still escaped; scanned when it is resolved.
    Backtick,
    Process {
        script: Box<Script>,
        output: bool,
    },
    Arithmetic(Vec<Piece>),
}

#[derive(Debug)]
pub(crate) struct Parameter {
    /// Name, digits or the special character.
    pub(crate) name: At,
    /// `${!x}`
    pub(crate) indirect: bool,
    /// `${#x}`
    pub(crate) length: bool,
    pub(crate) subscript: Option<Subscript>,
    pub(crate) operator: Operator,
    /// The word after the operator.
    pub(crate) argument: Vec<Piece>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    None,
    /// `:-` `-`
    Default,
    /// `:=` `=`
    Assign,
    /// `:?` `?`
    Error,
    /// `:+` `+`
    Alternate,
    /// `#` `##`
    RemovePrefix {
        longest: bool,
    },
    /// `%` `%%`
    RemoveSuffix {
        longest: bool,
    },
    /// `/` `//` `/#` `/%`
    Replace,
    /// `:offset:length`
    Substring,
    /// `^` `^^`
    Upper {
        all: bool,
    },
    /// `,` `,,`
    Lower {
        all: bool,
    },
    /// `@Q` and the like, and anything that isn't known.
    Other,
}

/// Something the scanner could not read as a shell would.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) kind: crate::coverage::Gap,
    pub(crate) at: usize,
}
