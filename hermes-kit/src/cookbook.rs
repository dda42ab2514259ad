//! Recipes to copy: each stands alone, and is run as a test.
//!
//! They work in a folder of their own; leave `.home(…)` out, and it is the home of whoever runs the
//! program.
//!
//! # Search only
//!
//! Nothing is created or migrated; a home without a store is an error that says so.
//!
//! ```
//! use hermes_kit::Hermes;
//! use hermes_kit::state::SearchOptions;
//!
//! # let folder = tempfile::tempdir()?;
//! # let home = folder.path();
//! # let store = hermes_kit::state::Store::open(home.join("state.db"))?;
//! # store.ensure_session("s")?;
//! # let text = "connection refused by the proxy";
//! # store.append_message(&hermes_kit::state::NewMessage::new("s", "user").content(text))?;
//! let hermes = Hermes::builder().home(home).read_only().open()?;
//! let found = hermes.search(&SearchOptions::new("\"connection refused\" OR time*"))?;
//! for hit in &found.matches {
//!     println!("{} {}", hit.session_id, hit.snippet.as_deref().unwrap_or_default());
//! }
//! assert_eq!(found.matches.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Store only
//!
//! A program that knows its file needs no home.
//!
//! ```
//! use hermes_kit::state::{MessagePage, NewMessage, NewSession, Store};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("state.db");
//! let store = Store::open(&path)?;
//! store.create_session(&NewSession::new("night-run", "bot").model("hermes-4-70b"))?;
//! store.set_session_title("night-run", Some("Night run"))?;
//! // All or none of them.
//! store.append_messages(&[
//!     NewMessage::new("night-run", "user").content("Is the backup done?"),
//!     NewMessage::new("night-run", "assistant").content("It is.").token_count(3),
//! ])?;
//! store.end_session("night-run", "done")?;
//!
//! let messages = store.messages("night-run", MessagePage::default())?;
//! assert_eq!(messages.len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Approval as a hook for another agent
//!
//! The agent asks before it runs a command, and shows the question to its own person. With the
//! home's settings and allowlist; `assess` alone judges without any.
//!
//! ```
//! use hermes_kit::Hermes;
//! use hermes_kit::approval::{AnalysisEnv, CommandRequest, Situation, Stage};
//! use serde_json::{Value, json};
//!
//! fn answer(hermes: &Hermes, event: &Value) -> Result<Value, hermes_kit::Error> {
//!     let command = event["command"].as_str().unwrap_or_default();
//!     // Nobody is here to be asked: what has to be asked about comes out as `Headless`.
//!     let situation = Situation::new(AnalysisEnv::new("/home/sam"));
//!     let outcome = hermes.approvals()?.check(&CommandRequest::new(command, situation));
//!     let decision = match (outcome.approved, outcome.stage) {
//!         (true, _) => "allow",
//!         (false, Stage::Headless) => "ask",
//!         (false, _) => "deny",
//!     };
//!     Ok(json!({"decision": decision, "rule": outcome.verdict.rule}))
//! }
//!
//! # let folder = tempfile::tempdir()?;
//! let hermes = Hermes::builder().home(folder.path()).open()?;
//! for (command, decision) in
//!     [("ls -l", "allow"), ("rm -rf /srv/app", "ask"), ("rm -rf /", "deny")]
//! {
//!     assert_eq!(answer(&hermes, &json!({"command": command}))?["decision"], decision);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A registry with typed tools
//!
//! The schema comes from the type; arguments are made to fit it. The doc comment of the type is what
//! the model is told of the tool. Wants `serde` and `schemars` beside this crate.
//!
//! ```
//! use hermes_kit::Hermes;
//! use hermes_kit::toolkit::{CallContext, Registry, Selection, Tool, ToolError};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//! use serde_json::json;
//!
//! /// Tells how many words a text has.
//! #[derive(Deserialize, JsonSchema)]
//! struct CountWords {
//!     text: String,
//! }
//!
//! let registry = Registry::new();
//! registry.register(Tool::typed("count_words", "text", |given: CountWords| {
//!     Ok::<_, ToolError>(json!({"words": given.text.split_whitespace().count()}))
//! }))?;
//!
//! # let folder = tempfile::tempdir()?;
//! let hermes = Hermes::builder().home(folder.path()).registry(registry).open()?;
//! let told = hermes.tool_definitions(&Selection::all()).to_json();
//! assert_eq!(told[0]["function"]["description"], "Tells how many words a text has.");
//! let arguments = json!({"text": "one two"});
//! let result = hermes.handle_function_call("count_words", arguments, &CallContext::new());
//! assert_eq!(result.to_string(), r#"{"words": 2}"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Several profiles in one process
//!
//! Each has its own store, config and tools' view of them; nothing is kept in the process's
//! environment.
//!
//! ```
//! use hermes_kit::Hermes;
//! use hermes_kit::home::{Environment, Platform};
//!
//! # let user = tempfile::tempdir()?;
//! # for name in ["coder", "writer"] {
//! #     std::fs::create_dir_all(user.path().join(".hermes/profiles").join(name))?;
//! # }
//! // `Environment::from_process()` is what is used if none is given.
//! let environment = Environment::new(Platform::host()).with_user_home(user.path());
//! let of = |name: &str| {
//!     Hermes::builder().environment(environment.clone()).profile(name).open()
//! };
//! let (coder, writer) = (of("coder")?, of("writer")?);
//! coder.store()?.ensure_session("only-here")?;
//! assert!(coder.store()?.session("only-here")?.is_some());
//! assert!(writer.store()?.session("only-here")?.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # In an async server
//!
//! Wants the feature `tokio`. Work that waits runs on threads where it may.
//!
//! ```
//! # #[cfg(not(feature = "tokio"))]
//! # fn main() {}
//! # #[cfg(feature = "tokio")]
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     use hermes_kit::state::{AsyncStore, NewMessage, SearchOptions};
//!
//! #   let folder = tempfile::tempdir()?;
//! #   let path = folder.path().join("state.db");
//!     let store = AsyncStore::open(&path).await?;
//!     store.ensure_session("chat").await?;
//!     let requests: Vec<_> = (0..8)
//!         .map(|n| {
//!             let store = store.clone();
//!             let text = format!("request {n} of the quokka");
//!             let message = NewMessage::new("chat", "user").content(text);
//!             tokio::spawn(async move { store.append_message(message).await })
//!         })
//!         .collect();
//!     for request in requests {
//!         request.await??;
//!     }
//!     let found = store.search(SearchOptions::new("quokka")).await?;
//!     assert_eq!(found.matches.len(), 8);
//!     store.close().await;
//!     Ok(())
//! }
//! ```
//!
//! # A terminal backend of your own
//!
//! On Unix. This one runs commands on this machine and counts them; one for another place has an
//! `open` and a `Shell` of its own. `Builder::backend` offers it by name instead, for
//! `terminal.backend` to choose.
//!
//! ```
//! # #[cfg(not(unix))]
//! # fn main() {}
//! # #[cfg(unix)]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use std::sync::Arc;
//! use std::sync::atomic::{AtomicUsize, Ordering};
//!
//! use hermes_kit::Hermes;
//! use hermes_kit::terminal::{Environment, Local, Request, Result, Shell, Unusable};
//!
//! #[derive(Debug)]
//! struct Counted {
//!     local: Local,
//!     tasks: AtomicUsize,
//! }
//!
//! impl Environment for Counted {
//!     fn name(&self) -> &str {
//!         "counted"
//!     }
//!     fn usable(&self) -> std::result::Result<(), Unusable> {
//!         self.local.usable()
//!     }
//!     // It reaches this machine, so that commands are judged by the rules for it.
//!     fn host_access(&self) -> bool {
//!         true
//!     }
//!     fn open(&self, task: &str) -> Result<Box<dyn Shell>> {
//!         self.tasks.fetch_add(1, Ordering::Relaxed);
//!         self.local.open(task)
//!     }
//! }
//!
//! # let folder = tempfile::tempdir()?;
//! # let home = folder.path();
//! let known = Hermes::builder().home(home).open()?.home().clone();
//! let counted = Arc::new(Counted {
//!     local: Local::new(known)?.in_directory(home),
//!     tasks: AtomicUsize::new(0),
//! });
//! let hermes = Hermes::builder().home(home).terminal(counted.clone()).open()?;
//! let outcome = hermes.terminal()?.run("a task", &Request::new("echo $((6 * 7))"))?;
//! assert_eq!(outcome.output, "42\n");
//! assert_eq!(counted.tasks.load(Ordering::Relaxed), 1);
//! # Ok(())
//! # }
//! ```
//!
//! # Migrating and checking a store
//!
//! ```
//! use hermes_kit::state::health::{self, Depth};
//! use hermes_kit::state::{MigrationBackup, NATIVE_VERSION, StoreOptions};
//!
//! # let old = testdata::fixture("v3.db");
//! # let path = old.path();
//! let options = StoreOptions::new()
//!     .existing_only()
//!     .migration_backup(MigrationBackup::Always);
//! // What would be done, without doing it.
//! let plan = options.plan_migration(path)?;
//! println!("from version {} to {}", plan.from, plan.to);
//!
//! let store = options.open(path)?;
//! store.complete_index(None, &|_| {})?;
//! assert_eq!(store.schema_version(), NATIVE_VERSION);
//! let copy = store.migration().and_then(|done| done.backup.clone());
//! assert!(copy.is_some_and(|copy| copy.exists()));
//!
//! let report = health::check(path, Depth::Deep, &|what| println!("{what}"))?;
//! for finding in &report.findings {
//!     println!("{}: {} ({})", finding.message, finding.count, finding.repair.describe());
//! }
//! assert!(!report.loses_rows());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Importing from JSON lines
//!
//! A line is a session with its `messages`, as an export has it. A bad line is named, and loses no
//! other one.
//!
//! ```
//! use hermes_kit::Hermes;
//! use hermes_kit::state::{Existing, ImportOptions};
//!
//! let lines = r#"{"id": "a", "source": "bot", "messages": [{"role": "user", "content": "hello"}]}
//! no session
//! {"id": "b", "title": "Second", "messages": []}
//! "#;
//! let mut options = ImportOptions::default();
//! options.existing = Existing::Skip;
//!
//! # let folder = tempfile::tempdir()?;
//! let hermes = Hermes::builder().home(folder.path()).open()?;
//! let report = hermes.store()?.import_with(&options, &mut lines.as_bytes(), &mut |_| {})?;
//! assert_eq!((report.sessions, report.messages), (2, 1));
//! for error in &report.errors {
//!     println!("line {}: {}", error.line, error.problem);
//! }
//! assert_eq!(report.errors[0].line, 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A dashboard that only reads
//!
//! It works on a store that others write to, of any version, and never changes it.
//!
//! ```
//! use hermes_kit::Hermes;
//! use hermes_kit::state::{ListOptions, StatsOptions};
//!
//! # let folder = tempfile::tempdir()?;
//! # let home = folder.path();
//! # let writer = hermes_kit::state::Store::open(home.join("state.db"))?;
//! # writer.create_session(&hermes_kit::state::NewSession::new("s", "cli").model("m"))?;
//! let store = Hermes::builder().home(home).read_only().open()?.store()?;
//! let mut options = ListOptions::default();
//! options.limit = 10;
//! for summary in store.list_sessions(&options)? {
//!     let title = summary.session.title.as_deref().unwrap_or("untitled");
//!     println!("{title}: last active {}", summary.last_active);
//! }
//! let stats = store.token_stats(&StatsOptions::default())?;
//! println!("{} tokens, ${:.2}", stats.total.tokens(), stats.total.cost_usd);
//! assert_eq!(stats.total.sessions, 1);
//! assert!(store.ensure_session("another").is_err(), "it cannot write");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
