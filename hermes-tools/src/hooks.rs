//! What looks at calls before and after they run.

use std::sync::Arc;
use std::time::Duration;

use crate::contain::contain;
use crate::context::CallContext;
use crate::handler::Arguments;
use crate::tool_error::ToolError;
use crate::tool_result::{Status, ToolResult};

/// A call that is about to run, or has.
#[derive(Debug)]
#[non_exhaustive]
pub struct Call<'a> {
    /// The tool.
    pub name: &'a str,
    /// The arguments, as they are handed to the handler.
    pub arguments: &'a Arguments,
    /// Where the call comes from.
    pub context: &'a CallContext,
}

/// What a hook that runs before the handler decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// The call may go on.
    Allow,
    /// The model gets `{"error": message}` in place of a result.
    Block(String),
}

/// What came of a call.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Outcome<'a> {
    /// What the model gets, as long as no transform changes it.
    pub result: &'a ToolResult,
    /// How it ended.
    pub status: Status,
    /// How long the handler ran, in milliseconds.
    pub duration_ms: u64,
}

type Pre = dyn Fn(&Call<'_>) -> Result<Decision, ToolError> + Send + Sync;
type Post = dyn Fn(&Call<'_>, Outcome<'_>) -> Result<(), ToolError> + Send + Sync;
type Transform = dyn Fn(&Call<'_>, Outcome<'_>) -> Result<Option<String>, ToolError> + Send + Sync;

#[derive(Clone)]
struct PreHook {
    hook: Arc<Pre>,
    /// Whether a failure of the hook blocks the call.
    is_gate: bool,
}

/// The hooks of a dispatcher, in the order they were added.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    pre: Vec<PreHook>,
    post: Vec<Arc<Post>>,
    transforms: Vec<Arc<Transform>>,
}

impl Hooks {
    pub(crate) fn add_pre(&mut self, hook: Arc<Pre>, is_gate: bool) {
        self.pre.push(PreHook { hook, is_gate });
    }

    pub(crate) fn add_post(&mut self, hook: Arc<Post>) {
        self.post.push(hook);
    }

    pub(crate) fn add_transform(&mut self, hook: Arc<Transform>) {
        self.transforms.push(hook);
    }

    /// Whether any hook has to see the arguments after the handler took them.
    pub(crate) fn look_after(&self) -> bool {
        !(self.post.is_empty() && self.transforms.is_empty())
    }

    pub(crate) fn look_before(&self) -> bool {
        !self.pre.is_empty()
    }

    /// Why the call is blocked, if it is. The first hook that blocks ends it.
    pub(crate) fn before(&self, call: &Call<'_>) -> Option<String> {
        for pre in &self.pre {
            match guarded(|| (pre.hook)(call)) {
                Ok(Decision::Allow) => {}
                Ok(Decision::Block(message)) => return Some(message),
                Err(error) if pre.is_gate => {
                    tracing::error!(tool = call.name, %error, "a gate failed; the call is blocked");
                    return Some(format!(
                        "Blocked: the check of this call could not be made ({error})"
                    ));
                }
                Err(error) => {
                    tracing::warn!(
                        tool = call.name, %error,
                        "a hook before the call failed; it is no gate, so the call goes on"
                    );
                }
            }
        }
        None
    }

    /// Lets observers see the result.
    pub(crate) fn observe(&self, call: &Call<'_>, result: &ToolResult) {
        let outcome = Outcome::of(result);
        for post in &self.post {
            if let Err(error) = guarded(|| post(call, outcome)) {
                tracing::warn!(tool = call.name, %error, "a hook after the call failed");
            }
        }
    }

    /// Lets observers see the result, then the transforms change it.
    pub(crate) fn after(&self, call: &Call<'_>, result: &ToolResult) -> Option<String> {
        self.observe(call, result);
        let outcome = Outcome::of(result);
        for transform in &self.transforms {
            match guarded(|| transform(call, outcome)) {
                Ok(Some(text)) => return Some(text),
                Ok(None) => {}
                Err(error) => {
                    tracing::warn!(tool = call.name, %error, "a transform of the result failed");
                }
            }
        }
        None
    }
}

impl<'a> Outcome<'a> {
    fn of(result: &'a ToolResult) -> Outcome<'a> {
        Outcome {
            result,
            status: result.status,
            duration_ms: milliseconds(result.duration),
        }
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Runs foreign code; a panic becomes an error.
fn guarded<T>(run: impl FnOnce() -> Result<T, ToolError>) -> Result<T, ToolError> {
    contain(run).unwrap_or_else(|text| Err(ToolError::new("panic", text)))
}
