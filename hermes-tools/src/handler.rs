//! What runs when a tool is called: plain and async functions as one object.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::context::CallContext;
use crate::output::Output;
use crate::tool_error::ToolError;

/// The arguments of a call.
pub type Arguments = Map<String, Value>;

/// What a handler gives: output, or what went wrong.
pub type HandlerResult = Result<Output, ToolError>;

/// What an async handler gives: the result, later, on any thread.
pub type HandlerFuture = Pin<Box<dyn Future<Output = HandlerResult> + Send + 'static>>;

pub(crate) type PlainFn = dyn Fn(Arguments, &CallContext) -> HandlerResult + Send + Sync;
pub(crate) type AsyncFn = dyn Fn(Arguments, CallContext) -> HandlerFuture + Send + Sync;

/// A handler of any form. A clone is the same handler.
#[derive(Clone)]
#[non_exhaustive]
pub enum Handler {
    /// Runs on the thread that it is called on, and may block it.
    Plain(Arc<PlainFn>),
    /// Gives a future.
    Async(Arc<AsyncFn>),
    /// Is the embedding loop's: see [`AgentLoop`](crate::AgentLoop).
    AgentLoop,
}

impl Handler {
    /// A function or closure.
    pub fn plain<F, O>(handler: F) -> Handler
    where
        F: Fn(Arguments, &CallContext) -> Result<O, ToolError> + Send + Sync + 'static,
        O: Into<Output>,
    {
        Handler::Plain(Arc::new(move |arguments, context| {
            handler(arguments, context).map(Into::into)
        }))
    }

    /// An async function, or a closure that gives a future.
    pub fn asynchronous<F, R, O>(handler: F) -> Handler
    where
        F: Fn(Arguments, CallContext) -> R + Send + Sync + 'static,
        R: Future<Output = Result<O, ToolError>> + Send + 'static,
        O: Into<Output>,
    {
        Handler::Async(Arc::new(move |arguments, context| {
            let result = handler(arguments, context);
            Box::pin(async move { result.await.map(Into::into) })
        }))
    }
}

impl fmt::Debug for Handler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Handler::Plain(_) => "Plain",
            Handler::Async(_) => "Async",
            Handler::AgentLoop => "AgentLoop",
        })
    }
}
