//! From any text to the programs it runs.

use std::borrow::Cow;

use crate::coverage::Coverage;
use crate::environment::AnalysisEnv;
use crate::invocation::{
    Function, Invocation, InvocationId, Pipeline, PipelineId, Substitution, SubstitutionId,
};
use crate::marks::Marks;
use crate::normalise::{Hidden, as_typed, normalise};
use crate::platform::Platform;
use crate::span::{At, Span, SpanMap};
use crate::walk::{Found, Walker};

/// What a text runs.
#[derive(Debug, Clone)]
pub struct Analysis<'t> {
    /// The text as it was handed in. All spans are byte offsets into it.
    pub original: &'t str,
    /// How much of it was understood.
    pub coverage: Coverage,
    /// What was taken out or folded before it was read.
    pub hidden: Vec<Hidden>,
    normalised: Cow<'t, str>,
    map: SpanMap,
    found: Found,
    pub(crate) marks: Marks,
}

/// Finds out what a text runs.
///
/// Works on any text, in time proportional to its length, and never fails: what could not be
/// understood is in [`Analysis::coverage`].
///
/// ```
/// use hermes_approval::{AnalysisEnv, Platform, analyse};
///
/// let env = AnalysisEnv::new("/home/sam");
/// let analysis = analyse("cd /tmp && X='-r -f'; sudo rm $X \"$HOME\"", &env, Platform::Posix);
/// let rm = analysis.invocations().iter().find(|i| i.is("rm")).unwrap();
/// let argv: Vec<_> = rm.argv.iter().map(|word| word.text()).collect();
/// assert_eq!(argv, ["rm", "-r", "-f", "/home/sam"]);
/// assert_eq!(rm.wrappers[0].program.as_ref(), "sudo");
/// assert!(analysis.coverage.is_full());
/// ```
pub fn analyse<'t>(text: &'t str, env: &AnalysisEnv, platform: Platform) -> Analysis<'t> {
    let seen = normalise(text);
    let changed = !seen.is_unchanged();
    let (normalised, map, hidden) = seen.into_parts();
    let mut found = Walker::new(env, text.len(), Span::new(0, text.len())).analysed(
        &normalised,
        &map,
        platform,
    );
    if changed {
        // What a shell gets may be read in another way than what a person sees.
        let typed = as_typed(text);
        let (typed_text, typed_map, _) = typed.into_parts();
        if typed_text != normalised {
            let other = Walker::new(env, text.len(), Span::new(0, text.len())).analysed(
                &typed_text,
                &typed_map,
                platform,
            );
            if !same_commands(&found, &other) {
                found.append(other);
            }
        }
    }
    let coverage = std::mem::take(&mut found.coverage);
    Analysis {
        original: text,
        coverage,
        hidden,
        normalised,
        map,
        found,
        marks: Marks::default(),
    }
}

fn same_commands(a: &Found, b: &Found) -> bool {
    let key = |i: &Invocation| {
        (
            i.span,
            i.program().map(|w| w.text().to_owned()),
            i.argv.len(),
        )
    };
    a.invocations.len() == b.invocations.len()
        && a.invocations
            .iter()
            .zip(&b.invocations)
            .all(|(a, b)| key(a) == key(b))
}

impl<'t> Analysis<'t> {
    /// The text that was read.
    pub fn normalised(&self) -> &str {
        &self.normalised
    }

    /// The bytes of the original that a stretch of [`Analysis::normalised`] stands for.
    pub fn original_span(&self, start: usize, end: usize) -> Span {
        self.map.original(At::new(start, end))
    }

    /// All programs that the text runs, a wrapper before what it wraps, and what stands in a
    /// substitution before the command that it is part of.
    pub fn invocations(&self) -> &[Invocation] {
        &self.found.invocations
    }

    /// One of them.
    pub fn invocation(&self, id: InvocationId) -> Option<&Invocation> {
        self.found.invocations.get(id.0)
    }

    /// All pipelines.
    pub fn pipelines(&self) -> &[Pipeline] {
        &self.found.pipelines
    }

    /// The invocations of one stage of a pipeline. A wrapper and what it wraps are in the same
    /// stage; so are the commands of `( … )`.
    pub fn stage(&self, pipeline: PipelineId, stage: usize) -> impl Iterator<Item = &Invocation> {
        let range = self
            .found
            .pipelines
            .get(pipeline.0)
            .map_or(0..0, |p| p.first.0..p.last.0);
        self.found
            .invocations
            .get(range)
            .unwrap_or(&[])
            .iter()
            .filter(move |i| i.pipeline == pipeline && i.stage == stage)
    }

    /// Functions that the text defines.
    pub fn functions(&self) -> &[Function] {
        &self.found.functions
    }

    /// All substitutions.
    pub fn substitutions(&self) -> &[Substitution] {
        &self.found.substitutions
    }

    /// One of them.
    pub fn substitution(&self, id: SubstitutionId) -> Option<&Substitution> {
        self.found.substitutions.get(id.0)
    }

    /// The invocations inside a substitution.
    pub fn inside(&self, id: SubstitutionId) -> &[Invocation] {
        self.substitution(id)
            .and_then(|s| self.found.invocations.get(s.first.0..s.last.0))
            .unwrap_or(&[])
    }
}
