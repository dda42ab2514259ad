//! From a model's call to a result, whatever happens on the way.

mod builder;
#[cfg(feature = "tokio")]
mod large;
#[cfg(feature = "tokio")]
mod native;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tracing::Span;

pub use builder::Builder;
#[cfg(feature = "tokio")]
pub(crate) use large::are_large;
#[cfg(feature = "tokio")]
pub(crate) use native::traced;

use crate::agent_loop::AgentLoop;
use crate::arguments::read_arguments;
use crate::bridge::{self, Job, Ran};
use crate::carry::Luggage;
use crate::coerce::coerce;
use crate::contain::contain;
use crate::context::CallContext;
use crate::contract;
use crate::entry::ToolEntry;
use crate::failure;
use crate::handler::{Arguments, Handler};
use crate::hooks::{Call, Hooks};
use crate::limit::ResultLimit;
use crate::registry::Registry;
use crate::tool_result::{Content, Status, ToolResult};
use crate::trace::{self, MakeSpan, Received};

/// How long an async handler may run unless something else is said.
const ASYNC_LIMIT: Duration = Duration::from_secs(300);

impl Registry {
    /// Runs a tool: no coercion, no hooks, no agent loop. Those are a [`Dispatcher`]'s. A tool that
    /// the context does not [enable](CallContext::with_enabled_tools) is refused here too.
    pub fn dispatch(&self, name: &str, arguments: Arguments, context: &CallContext) -> ToolResult {
        contained(name, || {
            let Ready { entry, bounds } = match self.ready(name, context) {
                Ok(ready) => ready,
                Err(refusal) => return *refusal,
            };
            let ran = bridge::run(Job {
                name,
                handler: entry.handler(),
                arguments,
                context,
                limit: bounds.limit,
                can_be_left: bounds.can_be_left,
                carries: self.carries().as_slice(),
            });
            finished(&entry, ran, ResultLimit::Unlimited)
        })
    }

    /// The tool that a call names, if the model was given it.
    fn callable(&self, name: &str, context: &CallContext) -> Result<Arc<ToolEntry>, Refusal> {
        let Some(entry) = self.get(name) else {
            let unknown = failure::unknown_tool(name, &self.snapshot(), context);
            return Err(Box::new(unknown));
        };
        let enabled = context.enabled_tools();
        if enabled.is_some_and(|enabled| !enabled.contains(name)) {
            return Err(Box::new(failure::not_enabled(name)));
        }
        Ok(entry)
    }

    /// A tool that can run without a dispatcher.
    fn ready(&self, name: &str, context: &CallContext) -> Result<Ready, Refusal> {
        let entry = self.callable(name, context)?;
        loop_handler(&entry, None)?;
        Ok(Ready {
            bounds: Bounds::of(entry.handler(), entry.timeout(), ASYNC_LIMIT),
            entry,
        })
    }
}

/// Why a call does not run, as the model gets it.
type Refusal = Box<ToolResult>;

/// A tool, and the bounds of its handler.
struct Ready {
    entry: Arc<ToolEntry>,
    bounds: Bounds,
}

/// Turns a model's calls into results: reads and coerces arguments, asks gates, runs handlers, tells
/// observers. Clones are one dispatcher.
///
/// Which tools a model may call is for the caller to say: with
/// [`with_enabled_tools`](CallContext::with_enabled_tools) any other is refused. Without it every
/// registered tool runs when it is called, also one whose [check](crate::Check) says no and that no
/// definition was given of; checks are asked for definitions, not for calls.
///
/// A hook or gate that calls its own dispatcher is run for that call too. If it does so for each
/// call, or for the tool that it watches, it calls itself without end, and nothing stops it before
/// the stack is full: let it pass on its own calls (by the name of the tool, or an
/// [extension](CallContext::with_extension) of their context), or call
/// [`Registry::dispatch`], which has no hooks.
///
/// ```
/// use hermes_tools::{CallContext, Dispatcher, Registry, Tool};
/// use serde_json::json;
///
/// let registry = Registry::new();
/// registry.register(
///     Tool::new("double", "math")
///         .parameters(json!({"type": "object", "properties": {"n": {"type": "integer"}}}))
///         .handler(|arguments, _| {
///             let n = arguments["n"].as_i64().ok_or(hermes_tools::ToolError::message("no n"))?;
///             Ok((2 * n).to_string())
///         }),
/// )?;
/// let tools = Dispatcher::new(registry);
/// let result = tools.handle_function_call("double", json!({"n": "21"}), &CallContext::new());
/// assert_eq!(result.into_text(), "42");
/// # Ok::<(), hermes_tools::Error>(())
/// ```
#[derive(Clone)]
pub struct Dispatcher {
    inner: Arc<Inner>,
}

struct Inner {
    registry: Registry,
    hooks: Hooks,
    agent_loop: Option<Arc<dyn AgentLoop>>,
    max_result: ResultLimit,
    timeout: Option<Duration>,
    async_limit: Duration,
    span: Arc<MakeSpan>,
}

/// A call that may run.
pub(crate) struct Prepared {
    pub(crate) entry: Arc<ToolEntry>,
    /// The agent loop's handler, if the tool is its.
    loop_handler: Option<Handler>,
    pub(crate) arguments: Arguments,
    warnings: Vec<String>,
}

impl Prepared {
    fn handler(&self) -> &Handler {
        self.loop_handler
            .as_ref()
            .unwrap_or_else(|| self.entry.handler())
    }
}

/// What a batch asks of each of its calls.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Terms {
    /// No longer than this, whatever else is said.
    pub(crate) timeout: Option<Duration>,
    /// Whether a plain handler must be one that can be given up, although it has no limit.
    pub(crate) plain_can_be_left: bool,
}

/// How long a handler may run, and whether it gets a thread that can be left.
struct Bounds {
    limit: Option<Duration>,
    can_be_left: bool,
}

impl Bounds {
    /// What somebody asked for is kept even if the handler blocks. The limit that async handlers
    /// have anyway is kept wherever the future lets go of its thread, and costs no thread.
    fn of(handler: &Handler, said: Option<Duration>, async_limit: Duration) -> Bounds {
        let is_async = matches!(handler, Handler::Async(_));
        Bounds {
            limit: said.or(is_async.then_some(async_limit)),
            can_be_left: said.is_some(),
        }
    }
}

impl Dispatcher {
    /// A dispatcher of this registry, without hooks or agent loop.
    pub fn new(registry: Registry) -> Dispatcher {
        Dispatcher::builder(registry).build()
    }

    /// Makes a dispatcher of this registry.
    pub fn builder(registry: Registry) -> Builder {
        Builder::new(registry)
    }

    /// The registry.
    pub fn registry(&self) -> &Registry {
        &self.inner.registry
    }

    /// Runs a model's call and waits for it. May be called anywhere, also inside a runtime; there
    /// it holds up the executor's thread, which `handle_function_call_async` does not.
    ///
    /// The arguments are an object, null, or a text that holds an object, as models send it.
    pub fn handle_function_call(
        &self,
        name: &str,
        arguments: Value,
        context: &CallContext,
    ) -> ToolResult {
        let span = self.span_of(name, &arguments, context);
        let in_span;
        let context = match span.is_disabled() && context.span().is_none() {
            true => context,
            false => {
                in_span = context.in_span(&span);
                &in_span
            }
        };
        let _entered = span.enter();
        let result = contained(name, || match self.prepare(name, arguments, context) {
            Ok(prepared) => self.run(prepared, context, Terms::default()),
            Err(refusal) => self.refused(name, &Arguments::new(), context, *refusal),
        });
        trace::finish(&span, &result);
        result
    }

    /// The span of a call. Who makes it may be foreign code, whose panic costs only the span.
    pub(crate) fn span_of(&self, name: &str, arguments: &Value, context: &CallContext) -> Span {
        let received = Received {
            name,
            arguments,
            context,
        };
        contain(|| (self.inner.span)(&received)).unwrap_or_else(|panic| {
            tracing::error!(panic, "a call has no span");
            Span::none()
        })
    }

    /// Gates, handler, observers.
    pub(crate) fn run(
        &self,
        mut prepared: Prepared,
        context: &CallContext,
        terms: Terms,
    ) -> ToolResult {
        if let Some(refusal) = self.refusal(&prepared, context) {
            return self.refused(prepared.entry.name(), &prepared.arguments, context, refusal);
        }
        let seen = self.arguments_for_hooks(&prepared);
        let bounds = self.bounds(&prepared, terms);
        let started = Instant::now();
        let ran = bridge::run(Job {
            name: prepared.entry.name(),
            arguments: std::mem::take(&mut prepared.arguments),
            handler: prepared.handler(),
            context,
            limit: bounds.limit,
            can_be_left: bounds.can_be_left,
            carries: self.inner.registry.carries().as_slice(),
        });
        let duration = started.elapsed();
        let result = self.judged(&prepared.entry, prepared.warnings, ran, duration);
        match seen {
            Some(seen) => self.observed(&prepared.entry, &seen, context, result),
            None => result,
        }
    }

    /// Finds the tool and makes the arguments fit. The error is what the model gets.
    pub(crate) fn prepare(
        &self,
        name: &str,
        arguments: Value,
        context: &CallContext,
    ) -> Result<Prepared, Refusal> {
        let entry = self.inner.registry.callable(name, context)?;
        let mut read = read_arguments(arguments).map_err(|problem| {
            Box::new(failure::executing(Status::BadArguments, name, &problem))
        })?;
        if let Some(parameters) = entry.parameters() {
            let warnings = coerce(&mut read.arguments, parameters);
            read.warnings.extend(warnings);
        }
        Ok(Prepared {
            loop_handler: loop_handler(&entry, self.inner.agent_loop.as_ref())?,
            entry,
            arguments: read.arguments,
            warnings: read.warnings,
        })
    }

    /// Why the call does not run, if it does not: it was cancelled, or a hook or gate says no.
    fn refusal(&self, prepared: &Prepared, context: &CallContext) -> Option<ToolResult> {
        // A person is not asked about a call that nobody wants any more.
        if context.cancellation().is_cancelled() {
            return Some(failure::not_done(prepared.entry.name(), Ran::Cancelled));
        }
        if !self.inner.hooks.look_before() {
            return None;
        }
        let call = Call {
            name: prepared.entry.name(),
            arguments: &prepared.arguments,
            context,
        };
        let message = self.inner.hooks.before(&call)?;
        Some(failure::blocked(&message))
    }

    /// What the current thread has that calls take along.
    pub(crate) fn pack(&self) -> Result<Luggage, String> {
        Luggage::pack(self.inner.registry.carries().as_slice())
    }

    /// The handler takes the arguments; hooks that run after it need them too.
    fn arguments_for_hooks(&self, prepared: &Prepared) -> Option<Arguments> {
        self.inner
            .hooks
            .look_after()
            .then(|| prepared.arguments.clone())
    }

    fn bounds(&self, prepared: &Prepared, terms: Terms) -> Bounds {
        let handler = prepared.handler();
        let said = prepared.entry.timeout().or(self.inner.timeout);
        let own = Bounds::of(handler, said, self.inner.async_limit);
        let plain_can_be_left = terms.plain_can_be_left && !matches!(handler, Handler::Async(_));
        Bounds {
            limit: match (own.limit, terms.timeout) {
                (Some(own), Some(most)) => Some(own.min(most)),
                (own, most) => own.or(most),
            },
            can_be_left: own.can_be_left || terms.timeout.is_some() || plain_can_be_left,
        }
    }

    /// What came of a run, as far as hooks have no say in it.
    fn judged(
        &self,
        entry: &ToolEntry,
        warnings: Vec<String>,
        ran: Ran,
        duration: Duration,
    ) -> ToolResult {
        let mut result = finished(entry, ran, self.inner.max_result);
        result.duration = duration;
        result.warnings = warnings;
        tracing::debug!(status = result.status.as_str(), ?duration, "a tool ran");
        result
    }

    /// Shows a result to those who observe, and lets transforms change it.
    fn observed(
        &self,
        entry: &ToolEntry,
        arguments: &Arguments,
        context: &CallContext,
        mut result: ToolResult,
    ) -> ToolResult {
        let call = Call {
            name: entry.name(),
            arguments,
            context,
        };
        if let Some(text) = self.inner.hooks.after(&call, &result) {
            result.content = Content::Text(text);
            limit_result(&mut result, entry.max_result(), self.inner.max_result);
        }
        result
    }

    /// A call that never ran is shown to those who observe, and changed by nobody.
    pub(crate) fn refused(
        &self,
        name: &str,
        arguments: &Arguments,
        context: &CallContext,
        result: ToolResult,
    ) -> ToolResult {
        if self.inner.hooks.look_after() {
            let call = Call {
                name,
                arguments,
                context,
            };
            self.inner.hooks.observe(&call, &result);
        }
        result
    }
}

impl fmt::Debug for Dispatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dispatcher")
            .field("registry", &self.inner.registry)
            .finish_non_exhaustive()
    }
}

/// What runs in place of the tool's own handler: nothing, or the agent loop's, if the tool is its.
fn loop_handler(
    entry: &ToolEntry,
    agent_loop: Option<&Arc<dyn AgentLoop>>,
) -> Result<Option<Handler>, Refusal> {
    if !matches!(entry.handler(), Handler::AgentLoop) {
        return Ok(None);
    }
    let Some(agent_loop) = agent_loop.filter(|agent_loop| agent_loop.has(entry.name())) else {
        return Err(Box::new(failure::no_agent_loop(entry.name())));
    };
    let agent_loop = Arc::clone(agent_loop);
    let name = Arc::clone(entry.shared_name());
    Ok(Some(Handler::Plain(Arc::new(move |arguments, context| {
        agent_loop.handle(&name, arguments, context)
    }))))
}

/// The result of a run, whatever it was, cut to the tool's limit or this one.
fn finished(entry: &ToolEntry, ran: Ran, default: ResultLimit) -> ToolResult {
    let mut result = match ran {
        Ran::Done(Ok(output)) => contract::accept(entry.name(), output),
        other => failure::not_done(entry.name(), other),
    };
    limit_result(&mut result, entry.max_result(), default);
    result
}

fn limit_result(result: &mut ToolResult, own: ResultLimit, default: ResultLimit) {
    let limit = match own {
        ResultLimit::Default => default,
        said => said,
    };
    if let ResultLimit::Chars(chars) = limit {
        contract::cut(&mut result.content, chars);
    }
}

/// A panic on the way, outside any handler, becomes a result too.
pub(crate) fn contained(name: &str, run: impl FnOnce() -> ToolResult) -> ToolResult {
    contain(run).unwrap_or_else(|text| failure::executing(Status::Error, name, &text))
}
