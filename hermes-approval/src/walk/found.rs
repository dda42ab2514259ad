//! What was found, and putting two readings together.

use crate::coverage::Coverage;
use crate::invocation::{
    Function, Invocation, InvocationId, Pipeline, PipelineId, Source, Stdin, Substitution,
    SubstitutionId,
};
use crate::word::{PartKind, Unknown};

#[derive(Debug, Clone, Default)]
pub(crate) struct Found {
    pub(crate) invocations: Vec<Invocation>,
    pub(crate) pipelines: Vec<Pipeline>,
    pub(crate) functions: Vec<Function>,
    pub(crate) substitutions: Vec<Substitution>,
    pub(crate) coverage: Coverage,
}

impl Found {
    /// Adds what another reading found; its numbers go on after ours.
    pub(crate) fn append(&mut self, other: Self) {
        let shift = Shift {
            invocations: self.invocations.len(),
            pipelines: self.pipelines.len(),
            substitutions: self.substitutions.len(),
        };
        for mut invocation in other.invocations {
            shift.invocation(&mut invocation);
            self.invocations.push(invocation);
        }
        for mut pipeline in other.pipelines {
            shift.range(&mut pipeline.first, &mut pipeline.last);
            self.pipelines.push(pipeline);
        }
        for mut function in other.functions {
            shift.range(&mut function.first, &mut function.last);
            self.functions.push(function);
        }
        for mut substitution in other.substitutions {
            shift.range(&mut substitution.first, &mut substitution.last);
            self.substitutions.push(substitution);
        }
        match other.coverage {
            Coverage::Full => {}
            Coverage::Partial(holes) => {
                holes.iter().for_each(|h| self.coverage.hole(h.gap, h.span))
            }
            Coverage::NotUnderstood { reason, span } => self.coverage.stop(reason, span),
        }
    }
}

struct Shift {
    invocations: usize,
    pipelines: usize,
    substitutions: usize,
}

impl Shift {
    fn id(&self, id: InvocationId) -> InvocationId {
        InvocationId(id.0 + self.invocations)
    }

    fn range(&self, first: &mut InvocationId, last: &mut InvocationId) {
        *first = self.id(*first);
        *last = self.id(*last);
    }

    fn substitution(&self, id: &mut SubstitutionId) {
        id.0 += self.substitutions;
    }

    fn invocation(&self, i: &mut Invocation) {
        i.id = self.id(i.id);
        i.pipeline = PipelineId(i.pipeline.0 + self.pipelines);
        i.parent = i.parent.map(|id| self.id(id));
        if let Some(id) = &mut i.context.substitution {
            self.substitution(id);
        }
        match &mut i.source {
            Source::Argument(id)
            | Source::Here(id)
            | Source::Piped(id)
            | Source::Decoded(id)
            | Source::Written(id) => *id = self.id(*id),
            Source::Typed | Source::Alias(_) | Source::Function(_) | Source::Hook(_) => {}
        }
        match &mut i.stdin {
            Stdin::Pipe(ids) => ids.iter_mut().for_each(|id| *id = self.id(*id)),
            Stdin::Process(id) => self.substitution(id),
            _ => {}
        }
        i.wrappers = i
            .wrappers
            .map(|wrapper| wrapper.invocation = self.id(wrapper.invocation));
        i.argv = i.argv.map(|part| {
            if let PartKind::Unknown(Unknown::Command(id) | Unknown::Process(id)) = part {
                self.substitution(id);
            }
        });
    }
}
