//! What a dispatcher is made of.

use std::sync::Arc;
use std::time::Duration;

use super::{ASYNC_LIMIT, Dispatcher, Inner};
use crate::agent_loop::AgentLoop;
use crate::hooks::{Call, Decision, Hooks, Outcome};
use crate::limit::ResultLimit;
use crate::registry::Registry;
use crate::tool_error::ToolError;
use crate::trace::{self, Received};

/// How many characters of a result a model gets unless something else is said.
const RESULT_LIMIT: ResultLimit = ResultLimit::Chars(100_000);

/// Makes a [`Dispatcher`].
#[must_use = "it makes a dispatcher only when `build` is called"]
pub struct Builder {
    made: Inner,
}

impl Builder {
    pub(super) fn new(registry: Registry) -> Builder {
        Builder {
            made: Inner {
                registry,
                hooks: Hooks::default(),
                agent_loop: None,
                max_result: RESULT_LIMIT,
                timeout: None,
                async_limit: ASYNC_LIMIT,
                span: Arc::new(trace::plain),
            },
        }
    }

    /// Asks this before each execution. If it fails, that is logged and the call goes on: it may
    /// observe and advise. What guards something is a [gate](Builder::gate).
    pub fn pre_hook<F>(mut self, hook: F) -> Builder
    where
        F: Fn(&Call<'_>) -> Result<Decision, ToolError> + Send + Sync + 'static,
    {
        self.made.hooks.add_pre(Arc::new(hook), false);
        self
    }

    /// Asks this before each execution. If it fails or panics, the call is blocked.
    pub fn gate<F>(mut self, gate: F) -> Builder
    where
        F: Fn(&Call<'_>) -> Result<Decision, ToolError> + Send + Sync + 'static,
    {
        self.made.hooks.add_pre(Arc::new(gate), true);
        self
    }

    /// Shows this every result.
    pub fn post_hook<F>(mut self, hook: F) -> Builder
    where
        F: Fn(&Call<'_>, Outcome<'_>) -> Result<(), ToolError> + Send + Sync + 'static,
    {
        self.made.hooks.add_post(Arc::new(hook));
        self
    }

    /// Lets this replace results; the first transform that gives a text wins.
    pub fn transform<F>(mut self, hook: F) -> Builder
    where
        F: Fn(&Call<'_>, Outcome<'_>) -> Result<Option<String>, ToolError> + Send + Sync + 'static,
    {
        self.made.hooks.add_transform(Arc::new(hook));
        self
    }

    /// Runs the tools that are the agent loop's.
    pub fn agent_loop(mut self, agent_loop: impl AgentLoop + 'static) -> Builder {
        self.made.agent_loop = Some(Arc::new(agent_loop));
        self
    }

    /// Makes the span of each call, single or of a batch. Its fields `status` and `duration_ms` (how
    /// long the handler ran), if it has them, are filled in when the call has ended; handlers find
    /// it in their [context](crate::CallContext::span).
    ///
    /// Without this it is `tool_call`, at the level debug, with the fields `tool`, `task`,
    /// `session` and `call`. Arguments may hold secrets: take those out before they get into a span.
    ///
    /// ```
    /// use hermes_tools::{Dispatcher, Registry};
    /// use tracing::field::Empty;
    ///
    /// let tools = Dispatcher::builder(Registry::new())
    ///     .span(|call| tracing::info_span!("call", tool = call.name, status = Empty))
    ///     .build();
    /// ```
    pub fn span<F>(mut self, make: F) -> Builder
    where
        F: Fn(&Received<'_>) -> tracing::Span + Send + Sync + 'static,
    {
        self.made.span = Arc::new(make);
        self
    }

    /// How long results may be for tools that do not say. 100,000 characters if this is not called.
    pub fn max_result(mut self, limit: ResultLimit) -> Builder {
        self.made.max_result = match limit {
            ResultLimit::Default => RESULT_LIMIT,
            said => said,
        };
        self
    }

    /// How long any handler may run for tools that do not say. Without it plain handlers have no
    /// limit.
    ///
    /// A handler with a limit that somebody asked for, here or in [`Tool::timeout`], runs on a
    /// thread of its own (a few ten µs), because a handler that blocks cannot be stopped: at the
    /// limit the flag of its context is set, and its thread is left to end by itself (see
    /// [`abandoned_handlers`]). Only an async handler whose caller awaits it is polled in place, and
    /// must not block.
    ///
    /// [`Tool::timeout`]: crate::Tool::timeout
    /// [`abandoned_handlers`]: crate::abandoned_handlers
    pub fn timeout(mut self, timeout: Duration) -> Builder {
        self.made.timeout = Some(timeout);
        self
    }

    /// How long async handlers may take where neither the tool nor [`timeout`](Builder::timeout)
    /// says. 300 s if this is not called. At the limit the future is dropped.
    pub fn async_limit(mut self, limit: Duration) -> Builder {
        self.made.async_limit = limit;
        self
    }

    /// The dispatcher.
    pub fn build(self) -> Dispatcher {
        Dispatcher {
            inner: Arc::new(self.made),
        }
    }
}
