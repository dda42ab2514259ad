//! Changes to a definition that depend on which other tools are offered.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

type PatchFn = dyn Fn(&Value, &BTreeSet<&str>) -> Option<Value> + Send + Sync;

/// Changes the definition of one tool by what other tools survived.
///
/// The function gets the definition (`{"type": "function", "function": {…}}`) and the names of all
/// tools that are offered, and gives the definition to use, or `None` to leave the tool out. When
/// patches leave tools out, all patches are asked again with what is left, so that no definition
/// speaks of a tool that is gone. A patch that panics, or gives something else than a definition of
/// its tool, changes nothing and is warned of.
///
/// ```
/// use hermes_tools::{Patch, Registry, Selection, Tool};
///
/// let registry = Registry::new();
/// registry.register(Tool::new("undo", "edit").handler(|_, _| Ok("undone")))?;
/// registry.add_patch(Patch::new("undo", |definition, offered| {
///     offered.contains("write").then(|| definition.clone())
/// }));
/// assert!(registry.tool_definitions(&Selection::all()).is_empty());
/// # Ok::<(), hermes_tools::Error>(())
/// ```
#[derive(Clone)]
pub struct Patch {
    tool: String,
    change: Arc<PatchFn>,
}

impl Patch {
    /// A patch of this tool's definition.
    pub fn new<F>(tool: impl Into<String>, change: F) -> Patch
    where
        F: Fn(&Value, &BTreeSet<&str>) -> Option<Value> + Send + Sync + 'static,
    {
        Patch {
            tool: tool.into(),
            change: Arc::new(change),
        }
    }

    /// The tool whose definition it changes.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The definition to use; `None` leaves the tool out.
    pub fn apply(&self, definition: &Value, surviving: &BTreeSet<&str>) -> Option<Value> {
        (self.change)(definition, surviving)
    }
}

impl fmt::Debug for Patch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Patch").field(&self.tool).finish()
    }
}
