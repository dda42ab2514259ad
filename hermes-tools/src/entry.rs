//! A tool as the registry holds it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::check::Check;
use crate::concurrency::Concurrency;
use crate::error::{Error, Result};
use crate::handler::Handler;
use crate::limit::ResultLimit;
use crate::name::{check_tool_name, check_toolset_name};
use crate::schema;
use crate::source::ToolSource;
use crate::tool::{DynamicSchema, Tool};

/// The sign of a tool that has none of its own.
pub const DEFAULT_EMOJI: &str = "⚡";

/// A registered tool. It never changes: registering again makes a new one.
pub struct ToolEntry {
    name: Arc<str>,
    toolset: Arc<str>,
    source: ToolSource,
    schema: Map<String, Value>,
    definition: Arc<Value>,
    handler: Handler,
    check: Option<Check>,
    requires_env: Vec<String>,
    registry_description: Option<String>,
    emoji: Option<String>,
    max_result: ResultLimit,
    dynamic_schema: Option<Arc<DynamicSchema>>,
    concurrency: Concurrency,
    timeout: Option<Duration>,
    fallback: bool,
}

impl ToolEntry {
    pub(crate) fn new(tool: Tool, source: ToolSource) -> Result<ToolEntry> {
        check_tool_name(&tool.name)?;
        check_toolset_name(&tool.toolset)?;
        let Some(handler) = tool.handler else {
            return Err(Error::NoHandler { tool: tool.name });
        };
        let schema = schema::accept(tool.schema).map_err(|problem| Error::InvalidSchema {
            tool: tool.name.clone(),
            problem,
        })?;
        Ok(ToolEntry {
            definition: Arc::new(schema::definition(&tool.name, &schema)),
            name: Arc::from(tool.name),
            toolset: Arc::from(tool.toolset),
            source,
            schema,
            handler,
            check: tool.check,
            requires_env: tool.requires_env,
            registry_description: tool.registry_description,
            emoji: tool.emoji,
            max_result: tool.max_result,
            dynamic_schema: tool.dynamic_schema,
            concurrency: tool.concurrency,
            timeout: tool.timeout,
            fallback: tool.fallback,
        })
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn shared_name(&self) -> &Arc<str> {
        &self.name
    }

    pub(crate) fn shared_toolset(&self) -> &Arc<str> {
        &self.toolset
    }

    /// The toolset that it was registered in.
    pub fn toolset(&self) -> &str {
        &self.toolset
    }

    /// Who registered it.
    pub fn source(&self) -> &ToolSource {
        &self.source
    }

    /// The schema as it was registered, unwrapped.
    pub fn schema(&self) -> &Map<String, Value> {
        &self.schema
    }

    /// The JSON Schema of the arguments as it was registered; `None` if the tool takes none.
    pub fn parameters(&self) -> Option<&Map<String, Value>> {
        self.schema.get("parameters")?.as_object()
    }

    /// What the model is given, before [dynamic](Tool::dynamic_schema) keys and patches:
    /// `{"type": "function", "function": {…}}`, made safe for strict backends.
    pub fn definition(&self) -> &Arc<Value> {
        &self.definition
    }

    /// What the registry shows to people: its own description, else the one that the model sees.
    pub fn description(&self) -> &str {
        self.registry_description.as_deref().unwrap_or_else(|| {
            self.schema
                .get("description")
                .and_then(Value::as_str)
                .unwrap_or_default()
        })
    }

    /// The sign that a progress display shows.
    pub fn emoji(&self) -> &str {
        self.emoji.as_deref().unwrap_or(DEFAULT_EMOJI)
    }

    /// What runs.
    pub fn handler(&self) -> &Handler {
        &self.handler
    }

    /// The check that says whether it is available.
    pub fn check(&self) -> Option<&Check> {
        self.check.as_ref()
    }

    /// The environment variables that it needs.
    pub fn requires_env(&self) -> &[String] {
        &self.requires_env
    }

    /// How long its results may be.
    pub fn max_result(&self) -> ResultLimit {
        self.max_result
    }

    /// Which other calls of a batch it may run beside.
    pub fn concurrency(&self) -> &Concurrency {
        &self.concurrency
    }

    /// How long a call may take, if the tool says so.
    pub fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// Whether it stands in until its name is registered for itself.
    pub fn is_fallback(&self) -> bool {
        self.fallback
    }

    pub(crate) fn dynamic_schema(&self) -> Option<&DynamicSchema> {
        self.dynamic_schema.as_deref()
    }
}

impl fmt::Debug for ToolEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolEntry")
            .field("name", &self.name)
            .field("toolset", &self.toolset)
            .field("source", &self.source)
            .field("handler", &self.handler)
            .finish_non_exhaustive()
    }
}
