//! `terminal`: commands, for a model.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};

use hermes_terminal::{
    Background, Interrupt, Launched, Outcome, ProcessInfo, Request, TerminalSize,
};
use hermes_tools::{
    Arguments, CallContext, HandlerResult, Tool, ToolError, register_tool, typed_arguments,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::error::Error;
use crate::gate::for_call;
use crate::hermes::Hermes;

/// The tool's name.
pub const TERMINAL: &str = "terminal";

/// The task of calls that name none.
const NO_TASK: &str = "default";

register_tool!(TERMINAL, || {
    Ok(Tool::new(TERMINAL, "terminal")
        .description(
            "Runs a shell command. The directory, exported variables, functions and aliases last \
             from one command to the next. In the foreground it is waited for, and answers as soon \
             as it ends, so a long time-out costs nothing. What takes longer than ten minutes or \
             does not end, such as a server, belongs into the background: that gives a session_id \
             for the tool process; ask with notify_on_complete to be told of its end. Programs \
             that talk to a person need pty. Long output loses its middle.",
        )
        .parameters(json!({
            "type": "object",
            "properties": {
                "command": {"type": "string", "description": "The command, for bash."},
                "background": {
                    "type": "boolean",
                    "default": false,
                    "description": "Leave it running and answer at once.",
                },
                "timeout": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "How many seconds it may take in the foreground; 600 at most.",
                },
                "workdir": {
                    "type": "string",
                    "description": "The directory for this command alone.",
                },
                "pty": {
                    "type": "boolean",
                    "default": false,
                    "description": "Run it on a terminal of its own.",
                },
                "notify_on_complete": {
                    "type": "boolean",
                    "default": false,
                    "description": "In the background: tell when it has ended.",
                },
                "watch_patterns": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "In the background: tell when one of these texts is in its \
                                    output, for signals that come seldom. At most once in 15 \
                                    seconds; not together with notify_on_complete.",
                },
            },
            "required": ["command"],
        }))
        .agent_loop())
});

#[derive(Debug, Deserialize)]
struct Asked {
    command: String,
    #[serde(default)]
    background: Option<bool>,
    #[serde(default)]
    timeout: Option<f64>,
    #[serde(default)]
    workdir: Option<String>,
    #[serde(default)]
    pty: Option<bool>,
    #[serde(default)]
    notify_on_complete: Option<bool>,
    #[serde(default)]
    watch_patterns: Option<Vec<String>>,
}

pub(super) fn run(hermes: &Hermes, arguments: Arguments, context: &CallContext) -> HandlerResult {
    let asked: Asked = typed_arguments(arguments)?;
    let processes = hermes.processes().map_err(|error| failed(&error))?;
    let task = context.task_id().unwrap_or(NO_TASK);
    let mut request = Request::new(asked.command);
    if let Some(workdir) = asked.workdir.filter(|workdir| !workdir.trim().is_empty()) {
        request = request.in_directory(workdir);
    }
    if asked.pty.unwrap_or(false) {
        request = request.on_terminal(TerminalSize::default());
    }
    if asked.background.unwrap_or(false) {
        let mut how = Background::default()
            .watch(asked.watch_patterns.unwrap_or_default())
            .of_session(context.session_id().unwrap_or_default());
        how.notify_on_complete = asked.notify_on_complete.unwrap_or(false);
        let launched = for_call(context, || processes.start(task, &request, &how));
        return Ok(match launched.map_err(|error| failed(&error.into()))? {
            Launched::Running(info) => started(&info),
            Launched::Refused(outcome) => ended(&outcome),
        }
        .to_string()
        .into());
    }
    if let Some(seconds) = asked.timeout {
        let limited = request.with_timeout_seconds(seconds);
        request = limited.map_err(|error| failed(&error.into()))?;
    }
    let interrupted = Interrupted::by(context)?;
    let request = request.with_interrupt(interrupted.flag());
    let outcome = for_call(context, || processes.terminal().run(task, &request));
    let outcome = outcome.map_err(|error| failed(&error.into()))?;
    Ok(ended(&outcome).to_string().into())
}

fn started(info: &ProcessInfo) -> Value {
    let mut answer = Map::new();
    answer.insert("output".to_owned(), json!("It runs in the background."));
    answer.insert("session_id".to_owned(), json!(info.id.as_str()));
    answer.insert("pid".to_owned(), json!(info.pid));
    answer.insert("exit_code".to_owned(), json!(0));
    answer.insert("error".to_owned(), Value::Null);
    answer.insert("cwd".to_owned(), json!(info.directory.to_string_lossy()));
    if !info.notes.is_empty() {
        answer.insert("notes".to_owned(), json!(info.notes));
    }
    Value::Object(answer)
}

pub(crate) fn ended(outcome: &Outcome) -> Value {
    let mut answer = Map::new();
    answer.insert("output".to_owned(), json!(outcome.output));
    answer.insert("exit_code".to_owned(), json!(outcome.exit_code));
    answer.insert("error".to_owned(), json!(outcome.error));
    answer.insert("cwd".to_owned(), json!(outcome.cwd.to_string_lossy()));
    answer.insert("duration_ms".to_owned(), json!(outcome.duration_ms));
    for (name, is_so) in [
        ("truncated", outcome.truncated),
        ("timed_out", outcome.timed_out),
    ] {
        if is_so {
            answer.insert(name.to_owned(), json!(true));
        }
    }
    if !outcome.notes.is_empty() {
        answer.insert("notes".to_owned(), json!(outcome.notes));
    }
    Value::Object(answer)
}

pub(super) fn failed(error: &Error) -> ToolError {
    ToolError::new(error.code(), error.to_string())
}

/// The flag of a call as what a terminal waits for.
pub(super) struct Interrupted {
    flag: Arc<Flag>,
    /// While it is kept, the flag's setting wakes it.
    _waiting: Pin<Box<dyn Future<Output = ()> + Send>>,
}

struct Flag(Interrupt);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.interrupt();
    }
}

impl Interrupted {
    pub(super) fn by(context: &CallContext) -> Result<Interrupted, ToolError> {
        let interrupt = Interrupt::new().map_err(|error| failed(&error.into()))?;
        let flag = Arc::new(Flag(interrupt));
        let mut waiting: Pin<Box<dyn Future<Output = ()> + Send>> =
            Box::pin(context.cancellation().cancelled());
        let waker = Waker::from(Arc::clone(&flag));
        if waiting
            .as_mut()
            .poll(&mut Context::from_waker(&waker))
            .is_ready()
        {
            flag.0.interrupt();
        }
        Ok(Interrupted {
            flag,
            _waiting: waiting,
        })
    }

    pub(super) fn flag(&self) -> &Interrupt {
        &self.flag.0
    }
}
