//! What a command inherits from the place where it stands.

use std::sync::Arc;

use crate::invocation::{Context, Host, InvocationId, Source, Stdin, Wrappers};
use crate::platform::Platform;
use crate::scan::syntax::HereBody;
use crate::span::{At, SpanMap};

/// A scanned text.
pub(crate) struct Text<'s> {
    pub(crate) text: &'s str,
    pub(crate) map: &'s SpanMap,
    pub(crate) heres: &'s [HereBody],
}

impl<'s> Text<'s> {
    pub(crate) fn slice(&self, at: At) -> &'s str {
        at.of(self.text)
    }
}

/// The surroundings of a command.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scene {
    pub(crate) platform: Platform,
    pub(crate) source: Source,
    pub(crate) parent: Option<InvocationId>,
    pub(crate) wrappers: Wrappers,
    pub(crate) host: Host,
    pub(crate) context: Context,
    pub(crate) background: bool,
    pub(crate) feed: Feed,
}

/// Where input comes from.
#[derive(Debug, Clone, Default)]
pub(crate) enum Feed {
    #[default]
    Inherited,
    Pipe(Out),
    /// A redirection of the compound command around it.
    Given(Arc<Stdin>),
}

/// What prints what a construct prints.
#[derive(Debug, Clone, Default)]
pub(crate) enum Out {
    #[default]
    Nothing,
    Invocation(InvocationId),
    Sequence(Arc<Vec<Out>>),
    Unknown,
}

impl Out {
    /// One after the other.
    pub(crate) fn sequence(mut outs: Vec<Self>) -> Self {
        if outs.len() > 1 {
            Self::Sequence(Arc::new(outs))
        } else {
            outs.pop().unwrap_or_default()
        }
    }

    /// The invocations in it; not more than a few.
    pub(crate) fn invocations(&self) -> Vec<InvocationId> {
        let mut found = Vec::new();
        let mut rest = vec![self];
        while let Some(out) = rest.pop() {
            match out {
                Self::Invocation(id) => found.push(*id),
                Self::Sequence(all) => rest.extend(all.iter().rev()),
                Self::Nothing | Self::Unknown => {}
            }
            if found.len() >= MAX_FEEDERS {
                break;
            }
        }
        found
    }
}

const MAX_FEEDERS: usize = 16;
