//! Tools that have to be looked for: servers to ask, folders to read.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::contain::contain;
use crate::problem::Problem;
use crate::registrar::Registered;
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
#[non_exhaustive]
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
    /// The problems are also in [`Snapshot::problems`](crate::Snapshot::problems), until the source
    /// is asked again; there, a server whose tool another one took the name of finds that too.
    /// Blocks, so it has no place on an executor's thread.
    pub fn discover(&self, sources: Vec<Box<dyn Discovery>>, limit: Duration) -> Vec<Discovered> {
        let _discovering = self.begin_discovery();
        let deadline = Instant::now().checked_add(limit);
        let asked: Vec<_> = sources.into_iter().map(ask).collect();
        let mut lost = Vec::new();
        let discovered: Vec<Discovered> = asked
            .into_iter()
            .map(|asked| self.take_in(asked, deadline, limit, &mut lost))
            .collect();
        let problems = discovered.iter().flat_map(|one| &one.problems);
        let problems: Vec<Problem> = problems.chain(&lost).cloned().collect();
        for problem in &problems {
            tracing::warn!(%problem, "left out");
        }
        let asked: Vec<&ToolSource> = discovered.iter().map(|one| &one.source).collect();
        self.note_problems(&asked, &problems);
        discovered
    }

    fn take_in(
        &self,
        asked: Asked,
        deadline: Option<Instant>,
        limit: Duration,
        lost: &mut Vec<Problem>,
    ) -> Discovered {
        let (mut tools, mut problems) = (Vec::new(), Vec::new());
        let mut left_out = |what: String, reason: String| {
            problems.push(Problem::new(asked.source.clone(), what, reason));
        };
        let found = asked.wait(deadline, limit).unwrap_or_else(|reason| {
            left_out(ALL.to_owned(), reason);
            Found::default()
        });
        let registrar = self.source(asked.source.clone()).collision(asked.collision);
        let names: Vec<String> = found.tools.iter().map(|tool| tool.name.clone()).collect();
        let results = registrar.register_all(found.tools);
        for (name, result) in names.into_iter().zip(results) {
            match result {
                Ok(Registered::Skipped) => {
                    left_out(name, "it stands in for a tool that is there".to_owned());
                    continue;
                }
                Ok(Registered::Replaced { source, .. }) if source != asked.source => {
                    let reason = format!("{} registered the same name", asked.source);
                    lost.push(Problem::new(source, &name, reason));
                }
                Ok(_) => {}
                Err(error) => {
                    left_out(name, error.to_string());
                    continue;
                }
            }
            tools.push(name);
        }
        for (alias, toolset) in found.aliases {
            if let Err(error) = registrar.register_toolset_alias(&alias, &toolset) {
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

impl Asked {
    /// What was found, or why nothing was.
    fn wait(&self, deadline: Option<Instant>, limit: Duration) -> Result<Found, String> {
        let answer = match deadline {
            Some(deadline) => {
                let left = deadline.saturating_duration_since(Instant::now());
                self.answer.recv_timeout(left)
            }
            None => self.answer.recv().map_err(Into::into),
        };
        match answer {
            Ok(answer) => answer.map_err(|error| error.to_string()),
            Err(RecvTimeoutError::Timeout) => Err(format!("no answer within {limit:?}")),
            Err(RecvTimeoutError::Disconnected) => Err("it ended without an answer".to_owned()),
        }
    }
}

fn ask(mut discovery: Box<dyn Discovery>) -> Asked {
    let (send, answer) = mpsc::sync_channel(1);
    let named = contain(|| (discovery.source(), discovery.collision()));
    let (source, collision) = match named {
        Ok(named) => named,
        Err(text) => {
            // Who it is it did not say.
            let error = ToolError::new("Panic", text);
            _ = send.send(Err(error));
            return Asked {
                source: ToolSource::Plugin("unknown".to_owned()),
                collision: Collision::Reject,
                answer,
            };
        }
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
    Asked {
        source,
        collision,
        answer,
    }
}
