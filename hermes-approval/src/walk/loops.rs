//! The bodies of loops: what one round sets, the next one uses.

use super::Walker;
use super::scene::{Out, Scene, Text};
use crate::invocation::InvocationId;
use crate::scan::syntax::Script;

/// How much had been found at some point.
#[derive(Clone, Copy)]
struct Found {
    invocations: usize,
    pipelines: usize,
    functions: usize,
    substitutions: usize,
}

impl Walker<'_> {
    /// Goes through the body of a loop; a second time if it sets variables and is no loop in a
    /// loop. The second round is kept if it runs anything else than the first.
    pub(super) fn loop_body(&mut self, body: &Script, t: &Text<'_>, scene: &mut Scene) -> Out {
        let outermost = !scene.context.in_loop;
        scene.context.in_loop = true;
        let start = self.so_far();
        let changes = self.variables.changes();
        let out = self.script(body, t, scene);
        if outermost && self.variables.changes() != changes && !self.stopped() {
            let middle = self.so_far();
            self.script(body, t, scene);
            if self.repeats(start, middle) {
                self.forget(middle);
            }
        }
        out
    }

    fn so_far(&self) -> Found {
        Found {
            invocations: self.found.invocations.len(),
            pipelines: self.found.pipelines.len(),
            functions: self.found.functions.len(),
            substitutions: self.found.substitutions.len(),
        }
    }

    fn repeats(&self, start: Found, middle: Found) -> bool {
        let all = &self.found.invocations;
        let first = all
            .get(start.invocations..middle.invocations)
            .unwrap_or(&[]);
        let second = all.get(middle.invocations..).unwrap_or(&[]);
        first.len() == second.len()
            && first.iter().zip(second).all(|(a, b)| {
                a.argv.len() == b.argv.len()
                    && a.argv.iter().zip(b.argv.iter()).all(|(a, b)| {
                        a.text == b.text
                            && a.alternatives == b.alternatives
                            && a.certainty == b.certainty
                    })
            })
    }

    fn forget(&mut self, from: Found) {
        self.found.invocations.truncate(from.invocations);
        self.feeds.truncate(from.invocations);
        self.inner.truncate(from.invocations);
        self.found.pipelines.truncate(from.pipelines);
        self.found.functions.truncate(from.functions);
        self.found.substitutions.truncate(from.substitutions);
        let last = InvocationId(from.invocations);
        self.written.retain(|_, id| *id < last);
    }
}
