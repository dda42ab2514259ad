//! A program that a text runs, with everything that is known of how.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::effect::Effect;
use crate::platform::Platform;
use crate::span::Span;
use crate::word::Word;

/// Number of an invocation in [`crate::Analysis::invocations`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InvocationId(pub usize);

/// Number of a pipeline in [`crate::Analysis::pipelines`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PipelineId(pub usize);

/// Number of a substitution in [`crate::Analysis::substitutions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SubstitutionId(pub usize);

/// A program, with its arguments, that the text runs (or may run).
///
/// A wrapper and what it wraps are two invocations: `sudo rm x` gives `sudo rm x` and `rm x`, the
/// second with the first as its parent and in its [`wrappers`](Self::wrappers).
#[derive(Debug, Clone)]
pub struct Invocation {
    /// Its own number.
    pub id: InvocationId,
    /// Program and arguments. Empty for a line of assignments or redirections only.
    pub argv: Args,
    /// `NAME=value` in front of the program, or standing alone.
    pub assignments: Vec<Assignment>,
    /// Its redirections, in order.
    pub redirects: Vec<Redirect>,
    /// Where it reads from.
    pub stdin: Stdin,
    /// The pipeline that it is part of.
    pub pipeline: PipelineId,
    /// Its place in the pipeline, from 0.
    pub stage: usize,
    /// Runs in the background.
    pub background: bool,
    /// The pipeline's result is turned round by `!`.
    pub negated: bool,
    /// What it stands in.
    pub context: Context,
    /// What it is wrapped in, outermost first.
    pub wrappers: Wrappers,
    /// Where it runs.
    pub host: Host,
    /// Whose command language it is written in.
    pub platform: Platform,
    /// Where its text comes from.
    pub source: Source,
    /// The invocation that runs it, if it isn't the shell itself.
    pub parent: Option<InvocationId>,
    /// The directory it runs in, as far as the text tells.
    pub directory: Directory,
    /// What code of another language in its arguments or input does.
    pub effects: Vec<Effect>,
    /// Where it stands in the original text.
    pub span: Span,
}

impl Invocation {
    /// The word that names the program.
    pub fn program(&self) -> Option<&Word> {
        self.argv.first()
    }

    /// True if it runs this program, by whatever path.
    pub fn is(&self, program: &str) -> bool {
        self.program()
            .is_some_and(|word| word.is_on(program, self.platform))
    }

    /// The program's name without folder and `.exe`, if it is known.
    pub fn name(&self) -> Option<&str> {
        self.program()?.program(self.platform)
    }

    /// The arguments after the program.
    pub fn arguments(&self) -> &[Word] {
        self.argv.get(1..).unwrap_or(&[])
    }
}

/// Words of a command, shared between a wrapper and what it wraps.
#[derive(Clone, Default)]
pub struct Args {
    words: Arc<Vec<Word>>,
    start: usize,
}

impl Args {
    pub(crate) fn new(words: Vec<Word>) -> Self {
        Self {
            words: Arc::new(words),
            start: 0,
        }
    }

    /// The words from the n-th on.
    pub(crate) fn after(&self, n: usize) -> Self {
        Self {
            words: Arc::clone(&self.words),
            start: self.start + n,
        }
    }
}

impl Deref for Args {
    type Target = [Word];

    fn deref(&self) -> &[Word] {
        self.words.get(self.start..).unwrap_or(&[])
    }
}

impl fmt::Debug for Args {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// `NAME=value`
#[derive(Debug, Clone)]
pub struct Assignment {
    /// The variable's name.
    pub name: String,
    /// `+=`
    pub append: bool,
    /// One word; several for an array.
    pub values: Vec<Word>,
    /// Where it stands.
    pub span: Span,
}

/// A redirection.
#[derive(Debug, Clone)]
pub struct Redirect {
    /// What it does.
    pub operator: RedirectOperator,
    /// The descriptor in front of the operator, or what the operator implies (0 or 1).
    pub descriptor: u32,
    /// File, descriptor or delimiter; none for a here-document or if it is missing.
    pub target: Option<Word>,
    /// Where it stands.
    pub span: Span,
}

impl Redirect {
    /// True if it can write to its target.
    pub fn writes(&self) -> bool {
        use RedirectOperator as Op;
        match self.operator {
            Op::Output | Op::Append | Op::Clobber | Op::Both | Op::BothAppend | Op::ReadWrite => {
                true
            }
            // `>&file`, but `>&1`, `>&-` are descriptors.
            Op::DuplicateOutput => self
                .target
                .as_ref()
                .and_then(Word::known)
                .is_none_or(|t| !t.trim_end_matches('-').bytes().all(|b| b.is_ascii_digit())),
            Op::Input | Op::Here | Op::HereStripped | Op::HereString | Op::DuplicateInput => false,
        }
    }

    /// True if what was in the target before is gone.
    pub fn truncates(&self) -> bool {
        use RedirectOperator as Op;
        self.writes() && !matches!(self.operator, Op::Append | Op::BothAppend | Op::ReadWrite)
    }
}

/// The operators of redirection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the sign stands beside each")]
#[rustfmt::skip]
pub enum RedirectOperator {
    /// `<`
    Input,
    /// `>`
    Output,
    /// `>>`
    Append,
    /// `>|`
    Clobber,
    /// `<>`
    ReadWrite,
    /// `<&`
    DuplicateInput,
    /// `>&`
    DuplicateOutput,
    /// `&>`
    Both,
    /// `&>>`
    BothAppend,
    /// `<<`
    Here,
    /// `<<-`
    HereStripped,
    /// `<<<`
    HereString,
}

/// Where a command reads from.
#[derive(Debug, Clone, Default)]
pub enum Stdin {
    /// From wherever the shell itself reads.
    #[default]
    Inherited,
    /// From these invocations, through a pipe.
    Pipe(Vec<InvocationId>),
    /// From a file.
    File(Word),
    /// A here-document. `expands`: variables and substitutions in it count.
    HereDocument {
        /// The body, as one word.
        body: Word,
        /// Its delimiter is not quoted.
        expands: bool,
    },
    /// `<<< word`
    HereString(Word),
    /// `< <(…)`
    Process(SubstitutionId),
}

/// What a command stands in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Context {
    /// The body of this function.
    pub function: Option<Arc<str>>,
    /// A loop.
    pub in_loop: bool,
    /// A condition or a branch, or behind `&&` or `||`.
    pub in_condition: bool,
    /// `$(…)`, `` `…` ``, `<(…)` or `>(…)`.
    pub substitution: Option<SubstitutionId>,
}

/// One layer that a command is wrapped in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrapper {
    /// The wrapping program.
    pub program: Arc<str>,
    /// How it runs what it wraps.
    pub kind: WrapperKind,
    /// Runs it as another user, root as a rule.
    pub elevates: bool,
    /// It goes on when the shell has ended.
    pub detaches: bool,
    /// The invocation of the wrapper.
    pub invocation: InvocationId,
}

/// How a wrapper runs what it wraps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WrapperKind {
    /// As its own arguments: `nice rm x`.
    Plain,
    /// As a script in an argument of a shell: `sh -c 'rm x'`.
    ShellScript,
    /// As a script on a shell's standard input.
    ShellInput,
    /// As a script in a file that the text itself wrote or made.
    ShellFile,
    /// `eval`, `trap`, and strings that tools hand to a shell.
    Evaluated,
    /// Once for each of its inputs: `xargs`, `find -exec`.
    Repeated,
    /// On another host.
    Remote,
    /// In a container or another root.
    Container,
    /// From code of another language.
    Code,
    /// Its program is not in the table, but a later word is a program that is known.
    Unknown,
}

/// The layers around a command, outermost first.
#[derive(Debug, Clone, Default)]
pub struct Wrappers(Option<Arc<Vec<Wrapper>>>);

impl Wrappers {
    pub(crate) fn with(&self, wrapper: Wrapper) -> Self {
        let mut all = Vec::with_capacity(self.len() + 1);
        all.extend_from_slice(self);
        all.push(wrapper);
        Self(Some(Arc::new(all)))
    }
}

impl Deref for Wrappers {
    type Target = [Wrapper];

    fn deref(&self) -> &[Wrapper] {
        self.0.as_ref().map_or(&[], |all| all.as_slice())
    }
}

/// Where a command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Host {
    /// Here.
    #[default]
    Local,
    /// On another machine.
    Remote,
    /// In a container, a virtual machine or another root.
    Container,
}

/// Where the text of a command comes from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Source {
    /// It was typed.
    #[default]
    Typed,
    /// From an argument of that invocation.
    Argument(InvocationId),
    /// From a here-document or here-string of that invocation.
    Here(InvocationId),
    /// From what other commands print into that invocation.
    Piped(InvocationId),
    /// The same, and decoded on the way (base64, hex, tr, …).
    Decoded(InvocationId),
    /// From a file that the text itself wrote.
    Written(InvocationId),
    /// From an alias.
    Alias(Arc<str>),
    /// From a function's body.
    Function(Arc<str>),
    /// From a variable that a shell runs (`PROMPT_COMMAND`) or a trap.
    Hook(Arc<str>),
}

/// A directory, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Directory {
    /// Where the shell started.
    #[default]
    Start,
    /// This one.
    Known(Arc<str>),
    /// Somewhere else.
    Unknown,
}

/// Commands that are connected by pipes; a single command is a pipeline of one.
#[derive(Debug, Clone, Copy)]
pub struct Pipeline {
    /// How many stages it has.
    pub stages: usize,
    /// Where it stands.
    pub span: Span,
    /// Its first invocation; they are not all that lie up to `last`.
    pub first: InvocationId,
    /// One past its last invocation.
    pub last: InvocationId,
}

/// `$(…)`, `` `…` ``, `<(…)` or `>(…)`.
#[derive(Debug, Clone)]
pub struct Substitution {
    /// Which of them.
    pub kind: SubstitutionKind,
    /// Where it stands.
    pub span: Span,
    /// Its first invocation.
    pub first: InvocationId,
    /// One past its last invocation.
    pub last: InvocationId,
    /// What it prints, if that can be told from the text.
    pub output: Option<String>,
}

/// The kinds of substitution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SubstitutionKind {
    /// `$(…)` or `` `…` ``
    Command,
    /// `<(…)`
    ProcessInput,
    /// `>(…)`
    ProcessOutput,
}

/// A function that the text defines.
#[derive(Debug, Clone)]
pub struct Function {
    /// Its name.
    pub name: Arc<str>,
    /// Where it is defined.
    pub span: Span,
    /// The first invocation of its body.
    pub first: InvocationId,
    /// One past the last invocation of its body.
    pub last: InvocationId,
    /// Calls itself, directly.
    pub recursive: bool,
}

impl Wrappers {
    /// The same with each layer changed.
    pub(crate) fn map(&self, mut change: impl FnMut(&mut Wrapper)) -> Self {
        let Some(all) = &self.0 else {
            return Self(None);
        };
        let mut all = all.as_ref().clone();
        all.iter_mut().for_each(&mut change);
        Self(Some(Arc::new(all)))
    }
}

impl Args {
    /// The same with each part's kind changed.
    pub(crate) fn map(&self, mut change: impl FnMut(&mut crate::word::PartKind)) -> Self {
        let mut words = self.to_vec();
        words
            .iter_mut()
            .flat_map(|word| &mut word.parts)
            .for_each(|part| change(&mut part.kind));
        Self::new(words)
    }
}
