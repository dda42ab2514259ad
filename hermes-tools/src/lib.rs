//! A tool layer for agents: what tools there are, which of them a model is given, what it is told of
//! them, and what comes back when it calls one.
//!
//! ```
//! use hermes_tools::{CallContext, Dispatcher, Registry, Selection, Tool, ToolError};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//! use serde_json::json;
//!
//! /// Repeats a text.
//! #[derive(Deserialize, JsonSchema)]
//! struct Repeat {
//!     text: String,
//!     times: u8,
//! }
//!
//! let registry = Registry::new();
//! registry.register(Tool::typed("repeat", "text", |repeat: Repeat| -> Result<String, ToolError> {
//!     Ok(repeat.text.repeat(repeat.times.into()))
//! }))?;
//!
//! let definitions = registry.tool_definitions(&Selection::all());
//! assert_eq!(definitions.to_json()[0]["function"]["description"], "Repeats a text.");
//!
//! let tools = Dispatcher::new(registry);
//! let context = CallContext::new().with_session_id("s1");
//! let result = tools.handle_function_call("repeat", json!({"text": "ha", "times": "3"}), &context);
//! assert_eq!(result.into_text(), "hahaha");
//! let result = tools.handle_function_call("repaet", json!({}), &context);
//! assert_eq!(
//!     result.into_text(),
//!     r#"{"error": "Unknown tool: repaet", "did_you_mean": ["repeat"]}"#,
//! );
//! # Ok::<(), hermes_tools::Error>(())
//! ```
//!
//! # What there is
//!
//! | to … | use |
//! |---|---|
//! | make a tool | [`Tool`]: [`typed`](Tool::typed) from a Rust type, or with a schema of your own |
//! | hold tools, and see them go and come | [`Registry`], read through a [`Snapshot`], changed through a [`Registrar`] |
//! | have tools without a list of them | [`register_tool!`], [`Registry::global`]; [`Discovery`] for those that have to be looked for |
//! | offer a tool only while it can be used | [`Check`] |
//! | name sets of tools, and choose among them | [`Toolset`], [`Selection`]; [`hermes`] has those of Hermes |
//! | tell a model of its tools | [`Registry::tool_definitions`] |
//! | tell a person why one is missing | [`Registry::why`], [`Definitions::left_out`], [`Registry::unavailable`] |
//! | run a model's calls | [`Dispatcher`]: one, or a batch |
//! | watch, stop or change calls | the hooks and gates of its [`Builder`] |
//! | hand something to handlers | [`CallContext`], [`Carry`] |
//!
//! # Why it is like this
//!
//! **A model always gets an answer it can read.** Well-formed JSON, or the handler's own text,
//! whatever a handler, hook or check does: fail, panic, hang, give nonsense. Texts of errors are
//! cleaned of what could pass for the framing of a conversation. So a call has no `Result`: what
//! happened is the [`Status`] of its [`ToolResult`].
//!
//! **Nothing widens.** A toolset that nobody knows is a warning and no tool; a list of such names
//! is an empty list of tools, not all of them. A tool outside the list that a model was given is
//! refused when the caller says what the list was
//! ([`with_enabled_tools`](CallContext::with_enabled_tools)). A gate that fails blocks.
//!
//! **Who registered a tool keeps it.** Collisions are decided by the policy of the
//! [source](ToolSource) that comes later, and only the source that registered a tool or an alias
//! can remove it. So under [`Collision::Reject`], which is what [`Discovery`] has, a plugin can
//! neither shadow `terminal` nor take it away and fill the hole.
//!
//! **Readers wait for nobody.** The state is one immutable [`Snapshot`] behind an atomic pointer. A
//! change makes the next one, and raises its generation, by which definitions are remembered.
//! Nothing foreign (a check, a handler, a patch) runs while a lock is held.
//!
//! **Coercion loses nothing.** Models write `"42"` where a number is wanted. It becomes one when
//! that is the only thing it can mean, digit by digit; what is doubtful stays as it is.
//!
//! **A check is asked on a thread of its own**, because it may hang. Its answer holds for 30 s; a
//! failure within 60 s of a success counts as a flake. What a check says belongs to the process: one
//! that depends on the caller's profile wants a registry for each profile.
//!
//! **The sync API needs no runtime.** With the feature `tokio` async handlers get one in each
//! situation a caller can be in, and async callers a native path.

#![forbid(unsafe_code)]

mod agent_loop;
mod arguments;
mod availability;
mod batch;
mod bridge;
mod builtin;
mod cancel;
mod carry;
mod check;
mod coerce;
mod concurrency;
mod contain;
mod context;
mod contract;
mod definitions;
mod discovery;
mod dispatch;
mod entry;
mod error;
mod error_text;
mod extensions;
mod failure;
mod handler;
pub mod hermes;
mod hooks;
mod json_text;
mod limit;
mod memo;
mod name;
mod near;
mod output;
mod patch;
mod presence;
mod problem;
mod registrar;
mod registry;
mod resolve;
mod schema;
mod selection;
mod snapshot;
mod source;
mod text;
mod tool;
mod tool_error;
mod tool_result;
mod toolset;
mod trace;
mod typed;
mod warning;

pub use agent_loop::AgentLoop;
pub use arguments::{MAX_ARGUMENT_BYTES, ReadArguments, read_arguments, replay_arguments};
pub use batch::{BatchOptions, ToolCall};
pub use bridge::abandoned_handlers;
pub use builtin::Builtin;
pub use cancel::{Cancellation, Cancelled};
pub use carry::{Carried, Carry};
pub use check::{Answer, Check, DEFAULT_BUDGET, IntoAnswer};
pub use coerce::coerce as coerce_arguments;
pub use concurrency::{Concurrency, PathAccess};
pub use context::CallContext;
pub use definitions::Definitions;
pub use discovery::{Discovered, Discovery, Found};
pub use dispatch::{Builder, Dispatcher};
pub use entry::{DEFAULT_EMOJI, ToolEntry};
pub use error::{Error, Result};
pub use extensions::Extensions;
pub use handler::{Arguments, Handler, HandlerFuture, HandlerResult};
pub use hooks::{Call, Decision, Outcome};
pub use json_text::{error as tool_error_text, result as tool_result_text};
pub use limit::ResultLimit;
pub use name::{MAX_NAME_CHARS, UniqueNames, check_tool_name, check_toolset_name, safe_tool_name};
pub use output::{Multimodal, Output};
pub use patch::Patch;
pub use presence::{Absence, LeftOut, Presence, Unavailable};
pub use problem::Problem;
pub use registrar::{Registered, Registrar};
pub use registry::{DiscoveryGuard, Registry};
pub use resolve::Resolved;
pub use selection::Selection;
pub use snapshot::Snapshot;
pub use source::{Collision, ToolSource};
pub use tool::Tool;
pub use tool_error::ToolError;
pub use tool_result::{Content, Status, ToolResult};
pub use toolset::{Presets, Toolset, ToolsetInfo, ToolsetNames};
pub use trace::Received;
pub use typed::typed_arguments;
pub use warning::{Role, Warning};

/// For [`register_tool!`] alone.
#[doc(hidden)]
pub use inventory as __inventory;

/// The README's example is compiled with the others.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
