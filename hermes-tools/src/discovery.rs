//! Tools that have to be looked for: servers to ask, folders to read.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::contain::contain;
use crate::problem::Problem;
use crate::registry::Registry;
use crate::source::{Collision, ToolSource};
use crate::tool::Tool;
use crate::tool_error::ToolError;

/// What is left out when a source gives nothing.
const ALL: &str = "all tools";

/// Something that brings tools: an MCP server, a plugin.
pub trait Discovery: Send {
    /// Who the tools belong to.
    fn source(&self) -> ToolSource;

    /// What its tools may do to those that are there. Nothing, unless this says otherwise.
    fn collision(&self) -> Collision {
        Collision::Reject
    }

    /// Finds the tools. It runs on a thread of its own and may block; whatever it brings after the
    /// time is up is dropped.
    ///
    /// # Errors
    /// Why none can be had.
    fn discover(&mut self) -> Result<Found, ToolError>;
}

/// What a [`Discovery`] brings.
#[derive(Debug, Default)]
pub struct Found {
    /// The tools.
    pub tools: Vec<Tool>,
    /// Further names for toolsets, as (alias, toolset).
    pub aliases: Vec<(String, String)>,
}

/// What came of one source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discovered {
    /// The source.
    pub source: ToolSource,
    /// The names that were registered.
    pub tools: Vec<String>,
    /// What was left out, and why.
    pub problems: Vec<Problem>,
}

impl Registry {
    /// Asks all sources at once, for at most this long, and registers what they bring in the order
    /// in which they are given here. A source that fails, panics or hangs costs its own tools only.
    ///
    /// The problems are also in [`Snapshot::problems`](crate::Snapshot::problems), until the source is
    /// asked again. Blocks, so it
    /// has no place on an executor's thread.
    pub fn discover(&self, sources: Vec<Box<dyn Discovery>>, limit: Duration) -> Vec<Discovered> {
        let _discovering = self.begin_discovery();
        let deadline = Instant::now() + limit;
        let asked: Vec<_> = sources.into_iter().map(ask).collect();
        asked
            .into_iter()
            .map(|asked| {
                let left = deadline.saturating_duration_since(Instant::now());
                let discovered = self.take_in(asked, left, limit);
                for problem in &discovered.problems {
                    tracing::warn!(%problem, "left out");
                }
                self.note_problems(&discovered.source, &discovered.problems);
                discovered
            })
            .collect()
    }

    fn take_in(&self, asked: Asked, left: Duration, limit: Duration) -> Discovered {
        let mut tools = Vec::new();
        let mut problems = Vec::new();
        let mut left_out = |what: String, reason: String| {
            problems.push(Problem::new(asked.source.clone(), what, reason));
        };
        let found = match asked.answer.recv_timeout(left) {
            Ok(Ok(found)) => found,
            Ok(Err(error)) => {
                left_out(ALL.to_owned(), error.to_string());
                Found::default()
            }
            Err(_) => {
                left_out(ALL.to_owned(), format!("no answer within {limit:?}"));
                Found::default()
            }
        };
        let registrar = self.source(asked.source.clone()).collision(asked.collision);
        for tool in found.tools {
            let name = tool.name.clone();
            match registrar.register(tool) {
                Ok(_) => tools.push(name),
                Err(error) => left_out(name, error.to_string()),
            }
        }
        for (alias, toolset) in found.aliases {
            if let Err(error) = self.register_toolset_alias(&alias, &toolset) {
                left_out(format!("alias {alias:?}"), error.to_string());
            }
        }
        Discovered {
            source: asked.source,
            tools,
            problems,
        }
    }
}

/// A source that is looking.
struct Asked {
    source: ToolSource,
    collision: Collision,
    answer: mpsc::Receiver<Result<Found, ToolError>>,
}

fn ask(mut discovery: Box<dyn Discovery>) -> Asked {
    let (send, answer) = mpsc::sync_channel(1);
    let asked = Asked {
        source: discovery.source(),
        collision: discovery.collision(),
        answer,
    };
    let failed = send.clone();
    let started = thread::Builder::new()
        .name("hermes-discover".to_owned())
        .spawn(move || {
            let found = contain(|| discovery.discover())
                .unwrap_or_else(|text| Err(ToolError::new("Panic", text)));
            // Nobody listens any more if it took too long.
            _ = send.send(found);
        });
    if let Err(error) = started {
        _ = failed.send(Err(error.into()));
    }
    asked
}
