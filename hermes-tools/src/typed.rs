//! Tools whose arguments and results are Rust types.

mod answer;
mod arguments;
mod from_value;
mod map_key;
mod parameters;
mod words;

pub use arguments::read as typed_arguments;

use std::future::Future;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::context::CallContext;
use crate::handler::{Arguments, Handler};
use crate::output::Output;
use crate::tool::Tool;
use crate::tool_error::ToolError;

/// Tools from typed functions.
///
/// The schema is derived once from the type of the arguments: what the model is told of the tool is
/// the type's doc comment, unless [`description`](Tool::description) says otherwise, and of each
/// argument its field's. A result that serialises to a string goes to the model as that text, a
/// [`Multimodal`](crate::Multimodal) envelope as one, and anything else as JSON. Arguments that do
/// not fit are an error of the kind `InvalidArguments` that names the field.
///
/// Numbers are read as what they are, also behind `#[serde(flatten)]` and in untagged or tagged
/// enums. A type without arguments is a struct without fields, or `()`.
///
/// ```
/// use hermes_tools::{CallContext, Dispatcher, Registry, Tool, ToolError};
/// use serde_json::json;
///
/// /// Adds two numbers.
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Add {
///     /// The first one.
///     a: i64,
///     b: i64,
/// }
///
/// let registry = Registry::new();
/// registry.register(Tool::typed("add", "math", |add: Add| {
///     add.a.checked_add(add.b).ok_or(ToolError::message("the sum is too large"))
/// }))?;
/// let tools = Dispatcher::new(registry);
/// let call = |arguments| {
///     tools.handle_function_call("add", arguments, &CallContext::new()).into_text()
/// };
/// assert_eq!(call(json!({"a": 1, "b": "2"})), "3");
/// assert_eq!(
///     call(json!({"a": 1})),
///     r#"{"error": "Tool execution failed: InvalidArguments: missing field `b`"}"#,
/// );
/// # Ok::<(), hermes_tools::Error>(())
/// ```
impl Tool {
    /// A tool from a function of its arguments.
    ///
    /// A closure says what it takes, and what it gives: where `?` or `Ok` alone stands in it, nobody
    /// could tell the type of its error.
    ///
    /// ```
    /// use hermes_tools::{Tool, ToolError};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Port {
    ///     text: String,
    /// }
    ///
    /// let tool = Tool::typed("port", "net", |port: Port| -> Result<u16, ToolError> {
    ///     Ok(port.text.parse()?)
    /// });
    /// ```
    pub fn typed<F, Args, Out, E>(
        name: impl Into<String>,
        toolset: impl Into<String>,
        function: F,
    ) -> Tool
    where
        F: Fn(Args) -> Result<Out, E> + Send + Sync + 'static,
        Args: DeserializeOwned + JsonSchema,
        Out: Serialize,
        E: Into<ToolError>,
    {
        Tool::typed_with(name, toolset, move |args: Args, _: &CallContext| {
            function(args)
        })
    }

    /// A tool from a function of its arguments and where the call comes from.
    pub fn typed_with<F, Args, Out, E>(
        name: impl Into<String>,
        toolset: impl Into<String>,
        function: F,
    ) -> Tool
    where
        F: Fn(Args, &CallContext) -> Result<Out, E> + Send + Sync + 'static,
        Args: DeserializeOwned + JsonSchema,
        Out: Serialize,
        E: Into<ToolError>,
    {
        described::<Args>(name, toolset).erased_handler(Handler::plain(
            move |arguments: Arguments, context: &CallContext| {
                let args: Args = arguments::read(arguments)?;
                give(function(args, context))
            },
        ))
    }

    /// A tool from an async function of its arguments.
    ///
    /// A closure that gives an async block says what that gives at its end; an async closure at its
    /// beginning. A closure may be called several times at once, so that an async block takes what it
    /// uses of it as a clone.
    ///
    /// ```
    /// use hermes_tools::{Tool, ToolError};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Port {
    ///     text: String,
    /// }
    ///
    /// let block = Tool::typed_async("port", "net", |port: Port| async move {
    ///     Ok::<u16, ToolError>(port.text.parse()?)
    /// });
    /// let closure = Tool::typed_async("port", "net", async |port: Port| -> Result<u16, ToolError> {
    ///     Ok(port.text.parse()?)
    /// });
    /// ```
    pub fn typed_async<F, R, Args, Out, E>(
        name: impl Into<String>,
        toolset: impl Into<String>,
        function: F,
    ) -> Tool
    where
        F: Fn(Args) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Out, E>> + Send + 'static,
        Args: DeserializeOwned + JsonSchema,
        Out: Serialize,
        E: Into<ToolError>,
    {
        Tool::typed_async_with(name, toolset, move |args: Args, _: CallContext| {
            function(args)
        })
    }

    /// A tool from an async function of its arguments and where the call comes from.
    pub fn typed_async_with<F, R, Args, Out, E>(
        name: impl Into<String>,
        toolset: impl Into<String>,
        function: F,
    ) -> Tool
    where
        F: Fn(Args, CallContext) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Out, E>> + Send + 'static,
        Args: DeserializeOwned + JsonSchema,
        Out: Serialize,
        E: Into<ToolError>,
    {
        described::<Args>(name, toolset).erased_handler(Handler::asynchronous(
            move |arguments: Arguments, context: CallContext| {
                // Read here, so that the arguments need not be `Send`.
                let running = arguments::read(arguments).map(|args| function(args, context));
                async move { give(running?.await) }
            },
        ))
    }
}

fn described<Args: JsonSchema>(name: impl Into<String>, toolset: impl Into<String>) -> Tool {
    let mut tool = Tool::new(name, toolset);
    let derived = parameters::of::<Args>();
    if let Some(description) = derived.description {
        tool = tool.description(description);
    }
    match derived.parameters {
        Some(parameters) => tool.parameters(parameters),
        None => tool,
    }
}

fn give<Out: Serialize, E: Into<ToolError>>(result: Result<Out, E>) -> Result<Output, ToolError> {
    result.map_err(Into::into).and_then(|out| answer::of(&out))
}
