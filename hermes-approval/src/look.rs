//! What a rule gets to see: one invocation, with its options read and its surroundings at hand.

use std::cell::OnceCell;

use crate::analysis::Analysis;
use crate::environment::AnalysisEnv;
use crate::grammar::{self, Options, Order, UNKNOWN_TOOL};
use crate::invocation::{Invocation, Redirect, Stdin, WrapperKind};
use crate::paths::{Place, Target};
use crate::removal::{self, Removal};
use crate::rule::{Help, Hit};
use crate::rules::subcommands::Call;
use crate::rules::writes::written::Written;
use crate::span::Span;
use crate::word::{Unknown, Word};
use crate::writing::{self, Write};

/// The whole of a text.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// What was found in it.
    pub analysis: &'a Analysis<'a>,
    /// Whose it is.
    pub env: &'a AnalysisEnv,
    /// It is a script from an option of another text; looked into once, not again and again.
    pub(crate) inner: bool,
}

impl<'a> Scope<'a> {
    /// A look at one of its invocations.
    pub fn look(&self, invocation: &'a Invocation) -> Look<'a> {
        Look::new(*self, invocation, invocation.name().unwrap_or(""))
    }

    /// The invocations of its pipeline, in order; of a very long one those around it.
    pub(crate) fn near_in_pipeline(
        &self,
        invocation: &Invocation,
    ) -> impl Iterator<Item = &'a Invocation> + use<'a> {
        let (analysis, id) = (self.analysis, invocation.pipeline);
        let range = analysis.pipelines().get(id.0);
        let (first, last) = range.map_or((0, 0), |p| (p.first.0, p.last.0));
        let at = invocation.id.0;
        let first = first.max(at.saturating_sub(MAX_UPSTREAM));
        let last = last.min(at.saturating_add(MAX_UPSTREAM));
        let near = analysis.invocations().get(first..last).unwrap_or(&[]);
        near.iter().filter(move |other| other.pipeline == id)
    }

    /// The command that has the output of the substitution which the invocation is in among its
    /// words. It comes after what it is made of.
    pub(crate) fn taker(&self, invocation: &Invocation) -> Option<&'a Invocation> {
        let id = invocation.context.substitution?;
        let last = self.analysis.substitution(id)?.last.0;
        let mut near = self
            .analysis
            .invocations()
            .get(last..)?
            .iter()
            .take(MAX_TAKER);
        near.find(|i| {
            let assigned = i.assignments.iter().flat_map(|a| &a.values);
            let mut unknowns = i.argv.iter().chain(assigned).flat_map(Word::unknowns);
            unknowns.any(|u| *u == Unknown::Command(id))
        })
    }

    /// True if the output goes into another command or a variable; false if it is shown, be it by
    /// `echo "$(…)"`.
    fn is_taken(&self, invocation: &Invocation) -> bool {
        let mut inner = invocation;
        for _ in 0..MAX_NESTED {
            if inner.context.substitution.is_none() {
                return false;
            }
            match self.taker(inner) {
                Some(outer) if self.shows(outer) => inner = outer,
                Some(_) => return true,
                // In a here-string or a list of words; or too far off to be found.
                None => return !self.is_far(inner),
            }
        }
        false
    }

    fn is_far(&self, invocation: &Invocation) -> bool {
        let id = invocation.context.substitution;
        let last = id
            .and_then(|id| self.analysis.substitution(id))
            .map_or(0, |s| s.last.0);
        self.analysis.invocations().len() > last + MAX_TAKER
    }

    /// True if the command prints its arguments, and nothing takes them up.
    fn shows(&self, invocation: &Invocation) -> bool {
        matches!(invocation.name(), Some("echo" | "printf" | "print"))
            && !invocation.redirects.iter().any(Redirect::writes)
            && !self
                .near_in_pipeline(invocation)
                .any(|other| other.stage > invocation.stage)
    }
}

/// One invocation.
#[derive(Debug)]
pub struct Look<'a> {
    /// The text it is part of.
    pub scope: Scope<'a>,
    /// The invocation.
    pub invocation: &'a Invocation,
    /// The program's name as it was found: without folder; for a word that may be several things,
    /// the one that is looked at.
    pub name: &'a str,
    options: OnceCell<Options<'a>>,
    sub: OnceCell<Option<Sub<'a>>>,
    removal: OnceCell<Removal<'a>>,
    writes: OnceCell<Vec<Write<'a>>>,
    redirected: OnceCell<Vec<(&'a Word, Place)>>,
    pub(crate) written: OnceCell<Vec<Written<'a>>>,
    pub(crate) redirect_places: OnceCell<Vec<(&'a Redirect, Place)>>,
    pub(crate) call: OnceCell<Call<'a>>,
}

/// A subcommand with what stands behind it: `git -C x push --force`.
#[derive(Debug, Clone)]
pub struct Sub<'a> {
    /// Its name.
    pub name: &'a str,
    /// Options in front of it.
    pub global: Options<'a>,
    /// Options and operands behind it.
    pub options: Options<'a>,
    /// The words behind it.
    pub words: &'a [Word],
}

impl Sub<'_> {
    /// True if the option was given, as a letter or in full.
    pub fn has(&self, letter: char, name: &str) -> bool {
        self.options.has(letter, name)
    }
}

impl<'a> Look<'a> {
    pub(crate) fn new(scope: Scope<'a>, invocation: &'a Invocation, name: &'a str) -> Self {
        Self {
            scope,
            invocation,
            name,
            options: OnceCell::new(),
            sub: OnceCell::new(),
            removal: OnceCell::new(),
            writes: OnceCell::new(),
            redirected: OnceCell::new(),
            written: OnceCell::new(),
            redirect_places: OnceCell::new(),
            call: OnceCell::new(),
        }
    }

    /// The arguments.
    pub fn words(&self) -> &'a [Word] {
        self.invocation.arguments()
    }

    /// The n-th argument, if it is known.
    pub fn word(&self, n: usize) -> Option<&'a str> {
        self.words().get(n)?.known()
    }

    /// True if one of the arguments is this, whole.
    pub fn has_word(&self, text: &str) -> bool {
        self.words().iter().any(|w| w.known() == Some(text))
    }

    /// Arguments, sorted by the tool's grammar; options may stand anywhere.
    pub fn options(&self) -> &Options<'a> {
        self.options.get_or_init(|| {
            let grammar = grammar::grammar(self.name).unwrap_or(&UNKNOWN_TOOL);
            grammar::read(self.words(), grammar, Order::Anywhere)
        })
    }

    /// True if the option was given, as a letter (`'\0'`: none) or in full (`""`: none).
    pub fn has(&self, letter: char, name: &str) -> bool {
        let options = &self.options().options;
        options
            .iter()
            .any(|o| o.is_short(letter) || (!name.is_empty() && o.is_long(name)))
    }

    /// The value of an option, if it is known.
    pub fn value(&self, letter: char, name: &str) -> Option<&'a str> {
        self.options().value(letter, name)?.known()
    }

    /// What is no option.
    pub fn operands(&self) -> &[&'a Word] {
        &self.options().operands
    }

    /// True if the operands start with these words: `compose down` for `docker compose -f x down`.
    pub fn verbs(&self, expected: &[&str]) -> bool {
        let operands = self.operands();
        expected.len() <= operands.len()
            && operands
                .iter()
                .zip(expected)
                .all(|(word, text)| word.candidates().any(|c| c == *text))
    }

    /// The n-th operand, if it is known.
    pub fn operand(&self, n: usize) -> Option<&'a str> {
        self.operands().get(n)?.known()
    }

    /// The subcommand of a tool whose own options stand in front of it, like git; its options are
    /// read by the grammar of `tool subcommand` where there is one.
    pub fn sub(&self) -> Option<&Sub<'a>> {
        self.sub
            .get_or_init(|| {
                let words = self.words();
                let tool = grammar::grammar(self.name).unwrap_or(&UNKNOWN_TOOL);
                let global = grammar::read(words, tool, Order::First);
                let verb = global.operands.first()?;
                let name = verb.candidates().next()?;
                let at = words.iter().position(|w| std::ptr::eq(w, *verb))?;
                let words = words.get(at + 1..)?;
                let full = format!("{} {name}", self.name);
                let own = grammar::grammar(&full).unwrap_or(tool);
                Some(Sub {
                    name,
                    options: grammar::read(words, own, Order::Anywhere),
                    global,
                    words,
                })
            })
            .as_ref()
    }

    /// Where a word points to.
    pub fn target(&self, word: &'a Word) -> Target<'a> {
        Target::new(word, self)
    }

    /// What it deletes; for the programs that delete.
    pub(crate) fn removal(&self) -> &Removal<'a> {
        self.removal.get_or_init(|| removal::read(self))
    }

    /// The files that it writes, with their kinds; for the programs of the table.
    pub(crate) fn writes(&self) -> &[Write<'a>] {
        self.writes.get_or_init(|| writing::read(self))
    }

    /// The targets of its redirections that write, as far as they are of a kind that matters.
    pub(crate) fn redirected(&self) -> &[(&'a Word, Place)] {
        self.redirected.get_or_init(|| {
            let writes = self.invocation.redirects.iter().filter(|r| r.writes());
            writes
                .filter_map(|r| r.target.as_ref())
                .filter_map(|word| Some((word, self.target(word).place()?)))
                .collect()
        })
    }

    /// All invocations that feed this one through pipes, the nearest first; of a very long
    /// pipeline the nearest ones.
    pub fn upstream(&self) -> impl Iterator<Item = &'a Invocation> + use<'a> {
        let (analysis, i) = (self.scope.analysis, self.invocation);
        let first = match analysis.pipelines().get(i.pipeline.0) {
            Some(pipeline) if i.stage > 0 => pipeline.first.0,
            _ => i.id.0,
        };
        let before = analysis.invocations().get(first..i.id.0).unwrap_or(&[]);
        let near = before.iter().rev().take(MAX_UPSTREAM);
        near.filter(move |other| other.pipeline == i.pipeline && other.stage < i.stage)
    }

    /// The invocations of the same pipeline in later stages, in order; of a very long pipeline the
    /// nearest ones.
    pub(crate) fn downstream(&self) -> impl Iterator<Item = &'a Invocation> + use<'a> {
        let stage = self.invocation.stage;
        self.scope
            .near_in_pipeline(self.invocation)
            .filter(move |other| other.stage > stage)
    }

    /// What comes in from here-documents, here-strings, `echo` and `printf`, as far as it is known.
    pub(crate) fn input(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let here = match &self.invocation.stdin {
            Stdin::HereString(word) | Stdin::HereDocument { body: word, .. } => word.known(),
            _ => None,
        };
        let printed = self
            .upstream()
            .filter(|i| matches!(i.name(), Some("echo" | "printf")))
            .flat_map(|i| i.arguments().iter().filter_map(Word::known));
        here.into_iter().chain(printed)
    }

    /// True if what it prints goes into a substitution that another command or a variable takes up.
    pub(crate) fn is_taken(&self) -> bool {
        self.scope.is_taken(self.invocation)
    }

    /// The first invocation that this one runs: what it wraps, or what its script calls.
    pub fn child(&self) -> Option<&'a Invocation> {
        let id = self.invocation.id;
        let after = self.scope.analysis.invocations().get(id.0 + 1..)?;
        let mut near = after.iter().take(MAX_DOWN);
        near.find(|i| i.parent == Some(id))
    }

    /// True if it is run as somebody else: sudo, doas, su, …
    pub fn elevated(&self) -> bool {
        self.invocation.wrappers.iter().any(|w| w.elevates)
    }

    /// True if this program is one of those around it.
    pub fn wrapped_in(&self, program: &str) -> bool {
        let wrappers = &self.invocation.wrappers;
        wrappers.iter().any(|w| w.program.as_ref() == program)
    }

    /// The invocation of the innermost wrapper that runs it once for each of its inputs.
    pub fn repeated_by(&self) -> Option<&'a Invocation> {
        let wrappers = &self.invocation.wrappers;
        let wrapper = wrappers
            .iter()
            .rev()
            .find(|w| w.kind == WrapperKind::Repeated)?;
        self.scope.analysis.invocation(wrapper.invocation)
    }

    /// A hit with everything as the rule says.
    pub fn hit(&self) -> Hit {
        Hit::default()
    }

    /// A hit at a place.
    pub fn hit_at(&self, span: Span) -> Hit {
        Hit::default().at(span)
    }

    /// A hit at a word.
    pub fn hit_word(&self, word: &Word) -> Hit {
        self.hit_at(word.span)
    }

    /// True if the command only prints its help or its version.
    pub(crate) fn asks_for_help(&self, help: Help) -> bool {
        if help == Help::Never {
            return false;
        }
        let mut first = true;
        for word in self.words() {
            match word.known() {
                Some("--") => return false,
                Some("--help" | "--usage" | "/?" | "-?") => return true,
                Some("--version" | "help" | "-help") if first => return true,
                Some(text) if text.starts_with('-') => {}
                _ if help == Help::Leading => return false,
                _ => {}
            }
            first = false;
        }
        false
    }
}

/// So many invocations before or after one are looked at, so that the work stays linear.
/// So many commands behind a substitution, the one that takes its output is looked for.
const MAX_TAKER: usize = 64;

/// So many substitutions in one another are followed.
const MAX_NESTED: usize = 16;

const MAX_UPSTREAM: usize = 64;
const MAX_DOWN: usize = 32;
