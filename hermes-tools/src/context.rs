//! What a call knows about where it comes from.

use std::collections::BTreeSet;
use std::sync::Arc;

use tracing::Span;

use crate::cancel::Cancellation;
use crate::extensions::Extensions;

/// Who calls, for what, and what travels along. A clone is cheap.
///
/// ```
/// use hermes_tools::CallContext;
///
/// let context = CallContext::new().with_session_id("s1").with_tool_call_id("call_7");
/// assert_eq!(context.session_id(), Some("s1"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct CallContext {
    task_id: Option<Arc<str>>,
    session_id: Option<Arc<str>>,
    tool_call_id: Option<Arc<str>>,
    user_task: Option<Arc<str>>,
    enabled_tools: Option<Arc<BTreeSet<String>>>,
    extensions: Extensions,
    cancellation: Cancellation,
    span: Option<Span>,
}

impl CallContext {
    /// A context that says nothing.
    pub fn new() -> CallContext {
        CallContext::default()
    }

    /// The task, which keeps one terminal from the next.
    #[must_use]
    pub fn with_task_id(mut self, id: impl AsRef<str>) -> CallContext {
        self.task_id = Some(Arc::from(id.as_ref()));
        self
    }

    /// The conversation.
    #[must_use]
    pub fn with_session_id(mut self, id: impl AsRef<str>) -> CallContext {
        self.session_id = Some(Arc::from(id.as_ref()));
        self
    }

    /// The id that the model gave this call.
    #[must_use]
    pub fn with_tool_call_id(mut self, id: impl AsRef<str>) -> CallContext {
        self.tool_call_id = Some(Arc::from(id.as_ref()));
        self
    }

    /// What the user asked for.
    #[must_use]
    pub fn with_user_task(mut self, text: impl AsRef<str>) -> CallContext {
        self.user_task = Some(Arc::from(text.as_ref()));
        self
    }

    /// The tools that the model was given. A call of any other is refused.
    #[must_use]
    pub fn with_enabled_tools<T: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = T>,
    ) -> CallContext {
        self.enabled_tools = Some(Arc::new(names.into_iter().map(Into::into).collect()));
        self
    }

    /// Adds a value for handlers and hooks, in place of an earlier one of its type.
    #[must_use]
    pub fn with_extension<T: Send + Sync + 'static>(mut self, value: T) -> CallContext {
        self.extensions.insert(value);
        self
    }

    /// The flag that ends the call.
    #[must_use]
    pub fn with_cancellation(mut self, cancellation: Cancellation) -> CallContext {
        self.cancellation = cancellation;
        self
    }

    /// The context of one call of several: with its id, and a flag of its own that follows this
    /// one's.
    pub(crate) fn of_call(&self, id: Option<&str>) -> CallContext {
        CallContext {
            tool_call_id: id.map(Arc::from),
            cancellation: self.cancellation.child(),
            ..self.clone()
        }
    }

    /// The context of a call that has this span.
    pub(crate) fn in_span(&self, span: &Span) -> CallContext {
        CallContext {
            span: (!span.is_disabled()).then(|| span.clone()),
            ..self.clone()
        }
    }

    /// The task.
    pub fn task_id(&self) -> Option<&str> {
        self.task_id.as_deref()
    }

    /// The conversation.
    pub fn session_id(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    /// The id that the model gave this call.
    pub fn tool_call_id(&self) -> Option<&str> {
        self.tool_call_id.as_deref()
    }

    /// What the user asked for.
    pub fn user_task(&self) -> Option<&str> {
        self.user_task.as_deref()
    }

    /// The tools that the model was given; `None` if nobody said.
    pub fn enabled_tools(&self) -> Option<&BTreeSet<String>> {
        self.enabled_tools.as_deref()
    }

    /// The value of this type.
    pub fn extension<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.extensions.get()
    }

    /// The span of the call, for a handler that has something to record there; none while nobody
    /// listens.
    pub fn span(&self) -> Option<&Span> {
        self.span.as_ref()
    }

    /// The flag that ends the call: a handler that takes long asks it now and then.
    pub fn cancellation(&self) -> &Cancellation {
        &self.cancellation
    }
}
