//! How far a batch has come: which calls wait, and what came of those that ended.

use super::Planned;
use super::schedule::Schedule;
use crate::failure;
use crate::tool_result::{Status, ToolResult};

/// The calls of a batch, in their order.
pub(super) struct Progress {
    schedule: Schedule,
    names: Vec<String>,
    calls: Vec<Option<Planned>>,
    results: Vec<Option<ToolResult>>,
}

impl Progress {
    pub(super) fn new(calls: Vec<Planned>, schedule: Schedule) -> Progress {
        Progress {
            schedule,
            names: calls.iter().map(|call| call.name.clone()).collect(),
            results: calls.iter().map(|_| None).collect(),
            calls: calls.into_iter().map(Some).collect(),
        }
    }

    /// The first call that may start now, with its place. It is given once.
    pub(super) fn next(&mut self) -> Option<(usize, Planned)> {
        let index = self.schedule.next()?;
        let call = self.calls.get_mut(index)?.take()?;
        Some((index, call))
    }

    /// A call has ended, with a result unless that was lost; others may begin.
    pub(super) fn end(&mut self, index: usize, result: Option<ToolResult>) {
        if let Some(place) = self.results.get_mut(index) {
            *place = result;
        }
        self.schedule.done(index);
    }

    /// Whether all calls have ended.
    pub(super) fn is_finished(&self) -> bool {
        self.schedule.is_finished()
    }

    /// One result for each call.
    pub(super) fn into_results(self) -> Vec<ToolResult> {
        let lost = |name: &str| failure::executing(Status::Error, name, "its result was lost");
        let results = self.results.into_iter().zip(&self.names);
        results
            .map(|(result, name)| result.unwrap_or_else(|| lost(name)))
            .collect()
    }
}
