//! Which invocations of a text are of a kind that many rules ask for: looked up once, so that a
//! text of many commands is not gone through again for each of them.

use std::sync::OnceLock;

use crate::analysis::Analysis;
use crate::invocation::Invocation;

/// A kind of invocation; each is asked for with one and the same test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// Fetches in a way that only PowerShell has, too.
    WindowsSource,
    /// Gives a variable a value: by assignment or `read`.
    Sets,
    /// Assigns the output of a substitution.
    SetsOutput,
}

const COUNT: usize = 3;

/// The answers so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Marks([OnceLock<Box<[usize]>>; COUNT]);

impl Analysis<'_> {
    /// The numbers of the invocations of a kind, in order.
    pub(crate) fn marked(&self, mark: Mark, test: fn(&Invocation) -> bool) -> &[usize] {
        let Some(slot) = self.marks.0.get(mark as usize) else {
            return &[];
        };
        slot.get_or_init(|| {
            let all = self.invocations().iter().enumerate();
            all.filter(|(_, i)| test(i)).map(|(n, _)| n).collect()
        })
    }
}
