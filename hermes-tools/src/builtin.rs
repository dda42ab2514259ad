//! Tools that register themselves when a program is linked.

use crate::contain::contain;
use crate::problem::Problem;
use crate::registry::Registry;
use crate::source::{Collision, ToolSource};
use crate::tool::Tool;
use crate::tool_error::ToolError;

/// Sets up a tool. Any error leaves that tool out, and no other.
type Make = fn() -> Result<Tool, ToolError>;

/// A tool of the program, known from the moment it is linked: see
/// [`register_tool!`](crate::register_tool).
#[derive(Debug)]
pub struct Builtin {
    name: &'static str,
    make: Make,
}

inventory::collect!(Builtin);

impl Builtin {
    /// A tool of this name, set up by this function when a registry first wants it.
    pub const fn new(name: &'static str, make: Make) -> Builtin {
        Builtin { name, make }
    }

    /// The names of all that were linked in, sorted.
    pub fn linked() -> Vec<&'static str> {
        let mut names: Vec<&str> = inventory::iter::<Builtin>().map(|tool| tool.name).collect();
        names.sort_unstable();
        names
    }

    fn set_up(&self) -> Result<Tool, ToolError> {
        contain(self.make).unwrap_or_else(|text| Err(ToolError::new("Panic", text)))
    }
}

impl Registry {
    /// Registers every tool that was linked in with [`register_tool!`](crate::register_tool), by
    /// name. One whose set-up fails is logged, noted in
    /// [`Snapshot::problems`](crate::Snapshot::problems) and left out.
    pub fn register_builtins(&self) {
        let mut linked: Vec<&Builtin> = inventory::iter::<Builtin>().collect();
        linked.sort_by_key(|tool| tool.name);
        // Two linked tools of one name are a fault of the program that no order should hide.
        let registrar = self
            .source(ToolSource::Builtin)
            .collision(Collision::Reject);
        let mut problems = Vec::new();
        let mut left_out = |name: &str, reason: String| {
            tracing::error!(tool = name, reason, "a built-in tool was left out");
            problems.push(Problem::new(ToolSource::Builtin, name, reason));
        };
        let (mut names, mut tools) = (Vec::new(), Vec::new());
        for builtin in linked {
            match builtin.set_up() {
                Ok(tool) => {
                    names.push(builtin.name);
                    tools.push(tool);
                }
                Err(error) => left_out(builtin.name, error.to_string()),
            }
        }
        for (name, result) in names.into_iter().zip(registrar.register_all(tools)) {
            if let Err(error) = result {
                left_out(name, error.to_string());
            }
        }
        self.note_problems(&[&ToolSource::Builtin], &problems);
    }
}

/// Registers a tool at link time: wherever the item is, and without any list, the tool is in
/// [`Registry::global`](crate::Registry::global).
///
/// It takes the name, which only tells where an error came from, and a function or closure without
/// captures that sets the tool up.
///
/// ```
/// use hermes_tools::{Registry, Tool, ToolError, register_tool};
///
/// register_tool!("ping", || Ok(Tool::new("ping", "net").handler(|_, _| Ok("pong"))));
/// register_tool!("broken", || Err(ToolError::message("no configuration")));
///
/// let registry = Registry::new();
/// registry.register_builtins();
/// assert!(registry.get("ping").is_some());
/// assert!(registry.get("broken").is_none());
/// assert_eq!(registry.snapshot().problems()[0].what(), "broken");
/// ```
#[macro_export]
macro_rules! register_tool {
    ($name:expr, $make:expr $(,)?) => {
        $crate::__inventory::submit! { $crate::Builtin::new($name, $make) }
    };
}
