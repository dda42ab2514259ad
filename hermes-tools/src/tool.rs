//! A tool before it is registered.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::check::Check;
use crate::concurrency::Concurrency;
use crate::context::CallContext;
use crate::handler::{Arguments, Handler};
use crate::limit::ResultLimit;
use crate::output::Output;
use crate::tool_error::ToolError;

/// Gives keys to put into a tool's schema at the time a definition is made.
pub(crate) type DynamicSchema = dyn Fn() -> Map<String, Value> + Send + Sync;

/// A tool: its name and toolset, what the model is told of it, what runs, and when it is there.
///
/// ```
/// use hermes_tools::{CallContext, Registry, Tool};
/// use serde_json::json;
///
/// let tool = Tool::new("greet", "social")
///     .description("Greets a person by name.")
///     .parameters(json!({
///         "type": "object",
///         "properties": {"name": {"type": "string"}},
///         "required": ["name"],
///     }))
///     .handler(|arguments, _context| Ok(format!("hello, {}", arguments["name"])));
/// let registry = Registry::new();
/// registry.register(tool)?;
/// # Ok::<(), hermes_tools::Error>(())
/// ```
#[derive(Clone)]
#[must_use = "a tool does nothing until it is registered"]
pub struct Tool {
    pub(crate) name: String,
    pub(crate) toolset: String,
    pub(crate) schema: Value,
    pub(crate) handler: Option<Handler>,
    pub(crate) check: Option<Check>,
    pub(crate) requires_env: Vec<String>,
    pub(crate) registry_description: Option<String>,
    pub(crate) emoji: Option<String>,
    pub(crate) max_result: ResultLimit,
    pub(crate) dynamic_schema: Option<Arc<DynamicSchema>>,
    pub(crate) concurrency: Concurrency,
    pub(crate) timeout: Option<Duration>,
    pub(crate) fallback: bool,
}

impl Tool {
    /// A tool of this name in this toolset. Give it a handler before it is registered.
    pub fn new(name: impl Into<String>, toolset: impl Into<String>) -> Tool {
        Tool {
            name: name.into(),
            toolset: toolset.into(),
            schema: json!({}),
            handler: None,
            check: None,
            requires_env: Vec::new(),
            registry_description: None,
            emoji: None,
            max_result: ResultLimit::Default,
            dynamic_schema: None,
            concurrency: Concurrency::default(),
            timeout: None,
            fallback: false,
        }
    }

    /// What the model is given: an object with `description` and `parameters`, bare or already
    /// wrapped as `{"type": "function", "function": {…}}`. A `name` in it gives way to the tool's.
    pub fn schema(mut self, schema: Value) -> Tool {
        self.schema = schema;
        self
    }

    /// What the model is told that the tool does: `description` of the schema.
    pub fn description(self, text: impl Into<String>) -> Tool {
        self.schema_key("description", Value::String(text.into()))
    }

    /// The JSON Schema of the arguments: `parameters` of the schema.
    pub fn parameters(self, parameters: Value) -> Tool {
        self.schema_key("parameters", parameters)
    }

    /// A schema that is not an object stays as it is, and is refused when the tool is registered.
    fn schema_key(mut self, key: &str, value: Value) -> Tool {
        if let Value::Object(schema) = &mut self.schema {
            schema.insert(key.to_owned(), value);
        }
        self
    }

    /// What runs: a function or closure that gives text, or a [multimodal](crate::Multimodal)
    /// envelope.
    pub fn handler<F, O>(mut self, handler: F) -> Tool
    where
        F: Fn(Arguments, &CallContext) -> Result<O, ToolError> + Send + Sync + 'static,
        O: Into<Output>,
    {
        self.handler = Some(Handler::plain(handler));
        self
    }

    /// What runs: an async function, or a closure that gives a future.
    ///
    /// The context comes by value, where a plain handler borrows it: the future goes on after this
    /// function has returned, on any thread, and so has to own what it uses. A clone shares all
    /// that is in it, the flag that ends the call too.
    ///
    /// ```
    /// use hermes_tools::Tool;
    ///
    /// let tool = Tool::new("session", "info").async_handler(|_arguments, context| async move {
    ///     Ok(context.session_id().unwrap_or("none").to_owned())
    /// });
    /// ```
    pub fn async_handler<F, R, O>(mut self, handler: F) -> Tool
    where
        F: Fn(Arguments, CallContext) -> R + Send + Sync + 'static,
        R: Future<Output = Result<O, ToolError>> + Send + 'static,
        O: Into<Output>,
    {
        self.handler = Some(Handler::asynchronous(handler));
        self
    }

    /// What runs, in its erased form.
    pub fn erased_handler(mut self, handler: Handler) -> Tool {
        self.handler = Some(handler);
        self
    }

    /// Leaves the calls to the embedding loop: see [`AgentLoop`](crate::AgentLoop).
    pub fn agent_loop(self) -> Tool {
        self.erased_handler(Handler::AgentLoop)
    }

    /// Offers the tool only while this check says yes.
    pub fn check(mut self, check: Check) -> Tool {
        self.check = Some(check);
        self
    }

    /// Names the environment variables that the tool needs, for explanations. Whether they are set
    /// is for the [check](Tool::check) to find.
    pub fn requires_env<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Tool {
        self.requires_env = names.into_iter().map(Into::into).collect();
        self
    }

    /// A description for people who look at the registry. The model never sees it; without one they
    /// see what the model does.
    pub fn registry_description(mut self, text: impl Into<String>) -> Tool {
        self.registry_description = Some(text.into()).filter(|text| !text.is_empty());
        self
    }

    /// The sign that a progress display shows.
    pub fn emoji(mut self, emoji: impl Into<String>) -> Tool {
        self.emoji = Some(emoji.into()).filter(|emoji| !emoji.is_empty());
        self
    }

    /// Cuts results that are longer.
    pub fn max_result(mut self, limit: ResultLimit) -> Tool {
        self.max_result = limit;
        self
    }

    /// Gives keys that take the place of those of the schema whenever a definition is made.
    /// Definitions are remembered for up to 30 s.
    pub fn dynamic_schema<F>(mut self, overrides: F) -> Tool
    where
        F: Fn() -> Map<String, Value> + Send + Sync + 'static,
    {
        self.dynamic_schema = Some(Arc::new(overrides));
        self
    }

    /// Which other calls of a batch a call may run beside.
    pub fn concurrency(mut self, concurrency: Concurrency) -> Tool {
        self.concurrency = concurrency;
        self
    }

    /// Lets calls run beside any others.
    pub fn parallel_safe(self) -> Tool {
        self.concurrency(Concurrency::Parallel)
    }

    /// Ends calls that take longer, instead of the dispatcher's own limit.
    pub fn timeout(mut self, timeout: Duration) -> Tool {
        self.timeout = Some(timeout);
        self
    }

    /// Marks a tool that stands in until the same source registers the name for itself, whatever
    /// the order of the two. It never replaces another tool; another source that wants its name
    /// meets the same [policy](crate::Collision) as with any tool.
    pub fn fallback(mut self) -> Tool {
        self.fallback = true;
        self
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool")
            .field("name", &self.name)
            .field("toolset", &self.toolset)
            .field("handler", &self.handler)
            .finish_non_exhaustive()
    }
}
