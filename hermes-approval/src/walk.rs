//! Goes through a scanned text in the order in which a shell would run it, keeps what the text
//! says of variables, functions and files, and notes every program that is run.

mod arithmetic;
mod builtins;
mod calls;
mod commands;
mod descriptors;
mod found;
mod loops;
mod scene;
mod simple;

use std::collections::HashMap;
use std::sync::Arc;

use crate::coverage::Limit;
use crate::environment::AnalysisEnv;
use crate::invocation::{Directory, InvocationId, Substitution, SubstitutionId, SubstitutionKind};
use crate::platform::Platform;
use crate::scan::syntax::Script;
use crate::scan::{Plain, Salvage, scan};
use crate::span::{At, Span, SpanMap};
use crate::word::Quoting;
use crate::word::variables::{Variable, Variables};

pub(crate) use arithmetic::subscripts;
pub(crate) use builtins::plain_path;
pub(crate) use descriptors::{Descriptors, descriptor_of};
pub(crate) use found::Found;
pub(crate) use scene::{Feed, Out, Scene, Text};
pub(crate) use simple::Place;

/// Nesting of any kind: parentheses, substitutions, scripts in scripts.
pub(crate) const MAX_DEPTH: u32 = 64;
/// Layers of wrappers.
pub(crate) const MAX_WRAPPERS: usize = 64;
/// Work that a text is given, in bytes copied: so much at least, and so much per byte of it.
const WORK_BASE: usize = 2 * 1024 * 1024;
const WORK_PER_BYTE: usize = 24;
/// What scanning a byte and going through what it says is worth.
const SCAN_WORK: usize = 16;
/// What an invocation or a substitution is worth.
pub(crate) const INVOCATION_WORK: usize = 384;

pub(crate) struct Walker<'e> {
    pub(crate) env: &'e AnalysisEnv,
    pub(crate) found: Found,
    /// Where the input of an invocation comes from, by its number.
    pub(crate) feeds: Vec<Feed>,
    /// What a wrapper runs in its own place, by its number.
    pub(crate) inner: Vec<Option<InvocationId>>,
    pub(crate) variables: Variables,
    /// Values of assignments that have been read and take effect with their command.
    pub(crate) pending_values: Vec<(String, Variable)>,
    /// `$1` …; none: those of the shell itself. An element may be unknown.
    pub(crate) positionals: Option<Vec<Option<String>>>,
    pub(crate) functions: HashMap<String, calls::Body>,
    pub(crate) aliases: HashMap<String, String>,
    /// Programs that the text gave another name: `ln -s /bin/rm x`.
    pub(crate) renamed: HashMap<String, String>,
    /// Files that the text wrote, and what wrote them.
    pub(crate) written: HashMap<String, InvocationId>,
    /// What the numbered descriptors read from, that the text has opened.
    pub(crate) descriptors: Descriptors,
    /// Functions and aliases that are being run.
    pub(crate) active: Vec<Arc<str>>,
    /// Function definitions that are being gone through: what they call is not run by that.
    pub(crate) defining: u32,
    pub(crate) directory: Directory,
    pub(crate) depth: u32,
    pub(crate) fuel: usize,
    pub(crate) pattern_budget: u32,
    pub(crate) whole: Span,
}

impl<'e> Walker<'e> {
    pub(crate) fn new(env: &'e AnalysisEnv, length: usize, whole: Span) -> Self {
        Self {
            env,
            // Most texts run one command or two, and a vector begins with room for four.
            found: Found {
                invocations: Vec::with_capacity(2),
                ..Found::default()
            },
            feeds: Vec::new(),
            inner: Vec::new(),
            variables: Variables::default(),
            pending_values: Vec::new(),
            positionals: None,
            functions: HashMap::new(),
            aliases: HashMap::new(),
            renamed: HashMap::new(),
            written: HashMap::new(),
            descriptors: Descriptors::default(),
            active: Vec::new(),
            defining: 0,
            directory: Directory::Start,
            depth: MAX_DEPTH,
            fuel: WORK_BASE + length.saturating_mul(WORK_PER_BYTE),
            pattern_budget: 32,
            whole,
        }
    }

    pub(crate) fn analysed(mut self, text: &str, map: &SpanMap, platform: Platform) -> Found {
        let scene = Scene {
            platform,
            ..Scene::default()
        };
        self.script_text(text, map, &scene);
        self.found
    }

    /// Takes so much from the work that is left; false (and the end of the analysis) if there
    /// isn't so much.
    pub(crate) fn spend(&mut self, work: usize) -> bool {
        match self.fuel.checked_sub(work) {
            Some(left) => {
                self.fuel = left;
                true
            }
            None => {
                self.fuel = 0;
                self.stop(Limit::Work, self.whole);
                false
            }
        }
    }

    pub(crate) fn stop(&mut self, limit: Limit, span: Span) {
        self.found.coverage.stop(limit, span);
    }

    pub(crate) fn stopped(&self) -> bool {
        self.fuel == 0
    }

    /// Goes one level deeper; `None` if that is too deep.
    pub(crate) fn deeper<T>(&mut self, span: Span, go: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth == 0 {
            self.stop(Limit::Depth, span);
            return None;
        }
        self.depth -= 1;
        let result = go(self);
        self.depth += 1;
        Some(result)
    }

    /// Scans a text and goes through it.
    pub(crate) fn script_text(&mut self, text: &str, map: &SpanMap, scene: &Scene) -> Out {
        if !self.spend(text.len().saturating_mul(SCAN_WORK)) {
            return Out::Unknown;
        }
        match scene.platform {
            Platform::Posix => {}
            Platform::Cmd => return self.cmd_text(text, map, scene),
            Platform::PowerShell => return self.powershell_text(text, map, scene),
        }
        let mut start = Salvage {
            at: 0,
            plain: Plain::default(),
        };
        let mut out = Out::Nothing;
        for round in 0..=MAX_SALVAGE {
            let scanned = scan(text, start.at, start.plain, self.depth);
            let t = Text {
                text,
                map,
                heres: &scanned.heres,
            };
            for fault in &scanned.faults {
                let end = text
                    .get(fault.at..)
                    .and_then(|rest| rest.chars().next())
                    .map_or(0, char::len_utf8);
                let span = map.original(At::new(fault.at, fault.at + end));
                self.found.coverage.hole(fault.kind, span);
            }
            if let Some(at) = scanned.too_deep {
                self.stop(
                    Limit::Depth,
                    map.original(At::new(at.min(text.len()), text.len())),
                );
            }
            let result = self.script(&scanned.script, &t, scene);
            if let Some(at) = scanned.too_many {
                self.stop(
                    Limit::Work,
                    map.original(At::new(at.min(text.len()), text.len())),
                );
            }
            if round == 0 {
                out = result;
            }
            match scanned.salvage.first() {
                Some(&next)
                    if next.at > start.at && self.spend((text.len() - next.at) * SCAN_WORK) =>
                {
                    start = next
                }
                _ => break,
            }
        }
        out
    }

    /// Runs a substitution; gives its number and, if it can be told, what it prints.
    pub(crate) fn substitution(
        &mut self,
        script: &Script,
        t: &Text<'_>,
        at: At,
        scene: &Scene,
        kind: SubstitutionKind,
    ) -> (SubstitutionId, Option<String>) {
        let span = t.map.original(at);
        self.substituted(span, scene, kind, |walker, scene| {
            walker.script(script, t, scene)
        })
    }

    /// `` `…` ``
    pub(crate) fn backtick(
        &mut self,
        at: At,
        quoting: Quoting,
        t: &Text<'_>,
        scene: &Scene,
    ) -> (SubstitutionId, Option<String>) {
        let raw = at.of(t.text);
        let span = t.map.original(at);
        self.substituted(span, scene, SubstitutionKind::Command, |walker, scene| {
            if raw.contains('\\') {
                let text = unescape_backtick(raw, quoting == Quoting::Double);
                walker.script_text(&text, &SpanMap::Whole(span), scene)
            } else {
                walker.script_text(raw, &t.map.part(at), scene)
            }
        })
    }

    fn substituted(
        &mut self,
        span: Span,
        scene: &Scene,
        kind: SubstitutionKind,
        run: impl FnOnce(&mut Self, &Scene) -> Out,
    ) -> (SubstitutionId, Option<String>) {
        if !self.spend(2 * INVOCATION_WORK) {
            return (SubstitutionId(self.found.substitutions.len()), None);
        }
        let id = SubstitutionId(self.found.substitutions.len());
        let first = InvocationId(self.found.invocations.len());
        self.found.substitutions.push(Substitution {
            kind,
            span,
            first,
            last: first,
            output: None,
        });
        let mut inner = scene.clone();
        inner.context.substitution = Some(id);
        let out = self.subshell(|walker| walker.deeper(span, |walker| run(walker, &inner)));
        let mut output = out.and_then(|out| self.literal(&out));
        if kind == SubstitutionKind::Command
            && let Some(text) = &mut output
        {
            text.truncate(text.trim_end_matches('\n').len());
        }
        let last = InvocationId(self.found.invocations.len());
        if let Some(substitution) = self.found.substitutions.get_mut(id.0) {
            substitution.last = last;
            substitution.output.clone_from(&output);
        }
        (id, output)
    }

    /// Takes back variables and directory afterwards.
    pub(crate) fn subshell<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.variables.open_scope();
        let directory = self.directory.clone();
        let descriptors = self.descriptors.clone();
        let result = run(self);
        self.directory = directory;
        self.descriptors = descriptors;
        self.variables.close_scope(mark);
        result
    }
}

/// Rounds of reading on after an opener that is never closed.
const MAX_SALVAGE: usize = 3;

fn unescape_backtick(raw: &str, quoted: bool) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut chars = raw.chars().peekable();
    while let Some(c) = chars.next() {
        let escaped = c == '\\' && matches!(chars.peek(), Some('\\' | '`' | '$'))
            || c == '\\' && quoted && chars.peek() == Some(&'"');
        match chars.next_if(|_| escaped) {
            Some(next) => out.push(next),
            None => out.push(c),
        }
    }
    out
}
