//! The tool `process`: what a model asks of background processes, as JSON.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::Processes;
use super::entry::{ProcessId, ProcessInfo, Status};
use crate::bounded::start_of_last;
use crate::interrupt::Interrupt;
use crate::{Error, Result};

/// The parameters of the tool, a JSON Schema.
pub const PROCESS_PARAMETERS: &str = r#"{
  "type": "object",
  "properties": {
    "action": {
      "type": "string",
      "enum": ["list", "poll", "log", "wait", "kill", "write", "submit", "close"],
      "description": "What to do: list all processes; poll one for its status and what it wrote since the last poll; read its log by lines; wait for its end; kill it with all it has started; write to its input; submit a line to it; close its input."
    },
    "session_id": {
      "type": "string",
      "description": "Which process, as the terminal tool named it. Needed by every action but list."
    },
    "data": {
      "type": "string",
      "description": "For write and submit: the text. submit adds the Enter key."
    },
    "timeout": {
      "type": "integer",
      "minimum": 1,
      "description": "For wait: how many seconds at most. 180 if left out, 600 at most."
    },
    "offset": {
      "type": "integer",
      "description": "For log: the first line, counted from 0. The last lines if left out; a negative number counts from the end."
    },
    "limit": {
      "type": "integer",
      "minimum": 1,
      "description": "For log: how many lines. 200 if left out."
    }
  },
  "required": ["action"]
}"#;

/// How many lines a log has unless something else is said.
const LINES: u64 = 200;
/// How long is waited unless something else is said, in seconds.
const WAIT: u64 = 180;
/// The longest wait, in seconds.
const LONGEST: u64 = 600;
/// Characters of output in the answer to `wait` and `kill`.
const OUTPUT: usize = 2_000;
/// Characters of a command in a list.
const COMMAND: usize = 200;

/// An answer that is no success, for the model.
struct Answer(Value);

impl From<Error> for Answer {
    fn from(error: Error) -> Self {
        let status = match error {
            Error::UnknownProcess { .. } => "not_found",
            _ => "error",
        };
        Self(json!({"status": status, "error": error.to_string()}))
    }
}

impl Processes {
    /// Answers a model's call of the tool `process`. Never fails: what goes wrong is in the answer.
    ///
    /// With a `task`, `list` shows that task's processes alone. `interrupt` ends a wait.
    pub fn handle(
        &self,
        arguments: &Value,
        task: Option<&str>,
        interrupt: Option<&Interrupt>,
    ) -> Value {
        match self.answer(arguments, task, interrupt) {
            Ok(answer) | Err(Answer(answer)) => answer,
        }
    }

    fn answer(
        &self,
        arguments: &Value,
        task: Option<&str>,
        interrupt: Option<&Interrupt>,
    ) -> std::result::Result<Value, Answer> {
        let action = text(arguments, "action").unwrap_or_default();
        if action == "list" {
            let all: Vec<Value> = self.list(task).iter().map(in_list).collect();
            return Ok(json!({"processes": all}));
        }
        let is_known = ["poll", "log", "wait", "kill", "write", "submit", "close"];
        if !is_known.contains(&action) {
            return Err(wrong(format!(
                "unknown action {action:?}; use list, {}",
                is_known.join(", ")
            )));
        }
        let Some(id) = text(arguments, "session_id").filter(|id| !id.trim().is_empty()) else {
            return Err(wrong(format!("session_id is needed for {action}")));
        };
        let id = ProcessId::new(id.trim());
        match action {
            "poll" => Ok(self.polled(&id)?),
            "log" => self.logged(&id, arguments),
            "wait" => self.waited(&id, arguments, interrupt),
            "kill" => Ok(self.killed(&id)?),
            "close" => {
                self.while_running(&id)?;
                self.close(&id)?;
                Ok(json!({"status": "ok", "message": "the input is closed"}))
            }
            _ => self.written(&id, action, arguments),
        }
    }

    fn polled(&self, id: &ProcessId) -> Result<Value> {
        let poll = self.poll(id)?;
        let mut answer = described(&poll.info);
        answer.insert("new_output".to_owned(), json!(poll.new_output.text));
        if poll.new_output.left_out > 0 {
            let left_out = json!(poll.new_output.left_out);
            answer.insert("new_output_left_out".to_owned(), left_out);
        }
        Ok(Value::Object(answer))
    }

    fn logged(&self, id: &ProcessId, arguments: &Value) -> std::result::Result<Value, Answer> {
        let limit = whole(arguments, "limit")?.map_or(Ok(LINES), |limit| {
            u64::try_from(limit)
                .ok()
                .filter(|&limit| limit > 0)
                .ok_or_else(|| wrong("limit must be 1 or more".to_owned()))
        })?;
        let offset = match whole(arguments, "offset")? {
            None => None,
            Some(offset) if offset >= 0 => Some(offset.unsigned_abs()),
            Some(offset) => {
                let total = self.log(id, None, 0)?.total;
                Some(total.saturating_sub(offset.unsigned_abs()))
            }
        };
        let lines = self.log(id, offset, limit)?;
        let info = self.poll_quietly(id)?;
        let mut answer = Map::new();
        answer.insert("session_id".to_owned(), json!(id.as_str()));
        answer.insert("command".to_owned(), json!(info.command));
        answer.insert("status".to_owned(), json!(status_word(info.status)));
        answer.insert("output".to_owned(), json!(lines.text));
        answer.insert("total_lines".to_owned(), json!(lines.total));
        answer.insert("first_line".to_owned(), json!(lines.first));
        answer.insert(
            "showing".to_owned(),
            json!(format!("{} lines", lines.count)),
        );
        if lines.dropped > 0 {
            answer.insert("dropped_lines".to_owned(), json!(lines.dropped));
        }
        Ok(Value::Object(answer))
    }

    fn waited(
        &self,
        id: &ProcessId,
        arguments: &Value,
        interrupt: Option<&Interrupt>,
    ) -> std::result::Result<Value, Answer> {
        let asked = whole(arguments, "timeout")?.map_or(Ok(WAIT), |seconds| {
            u64::try_from(seconds)
                .ok()
                .filter(|&seconds| seconds > 0)
                .ok_or_else(|| wrong("timeout must be 1 or more seconds".to_owned()))
        })?;
        let seconds = asked.min(LONGEST);
        let waited = self.wait(id, Duration::from_secs(seconds), interrupt)?;
        let mut answer = ending(&waited.info);
        answer.insert("output".to_owned(), json!(self.tail(id, OUTPUT)?));
        if waited.info.status == Status::Running {
            let (status, note) = match waited.interrupted {
                true => ("interrupted", "the wait was interrupted".to_owned()),
                false => ("timeout", format!("waited {seconds} s; it still runs")),
            };
            answer.insert("status".to_owned(), json!(status));
            answer.insert("timeout_note".to_owned(), json!(note));
        }
        if asked > seconds {
            let note = format!("waits are {LONGEST} s at most; {asked} s were asked for");
            answer.insert("note".to_owned(), json!(note));
        }
        Ok(Value::Object(answer))
    }

    fn killed(&self, id: &ProcessId) -> Result<Value> {
        let had_ended = self.poll_quietly(id)?.status != Status::Running;
        let info = self.kill(id)?;
        let mut answer = ending(&info);
        let status = if had_ended {
            "already_exited"
        } else {
            "killed"
        };
        answer.insert("status".to_owned(), json!(status));
        answer.insert("output".to_owned(), json!(self.tail(id, OUTPUT)?));
        Ok(Value::Object(answer))
    }

    fn written(
        &self,
        id: &ProcessId,
        action: &str,
        arguments: &Value,
    ) -> std::result::Result<Value, Answer> {
        self.while_running(id)?;
        let data = match arguments.get("data") {
            None | Some(Value::Null) => "",
            Some(Value::String(data)) => data.as_str(),
            Some(_) => return Err(wrong("data must be text".to_owned())),
        };
        let bytes = match action {
            "submit" => {
                self.submit(id, data)?;
                data.len() + 1
            }
            _ => {
                self.write(id, data.as_bytes())?;
                data.len()
            }
        };
        Ok(json!({"status": "ok", "bytes_written": bytes}))
    }

    fn while_running(&self, id: &ProcessId) -> std::result::Result<(), Answer> {
        match self.poll_quietly(id)?.status {
            Status::Running => Ok(()),
            Status::Ended { exit_code, .. } => Err(Answer(json!({
                "status": "already_exited",
                "exit_code": exit_code,
                "error": "the process has ended",
            }))),
        }
    }

    /// What is known of it, without taking its new output.
    fn poll_quietly(&self, id: &ProcessId) -> Result<ProcessInfo> {
        Ok(self.entry(id)?.info())
    }
}

fn wrong(error: String) -> Answer {
    Answer(json!({"error": error}))
}

fn text<'a>(arguments: &'a Value, name: &str) -> Option<&'a str> {
    arguments.get(name).and_then(Value::as_str)
}

fn whole(arguments: &Value, name: &str) -> std::result::Result<Option<i64>, Answer> {
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            let written = value.as_str().and_then(|text| text.trim().parse().ok());
            match value.as_i64().or(written) {
                Some(number) => Ok(Some(number)),
                None => Err(wrong(format!("{name} must be a whole number"))),
            }
        }
    }
}

fn status_word(status: Status) -> &'static str {
    match status {
        Status::Running => "running",
        Status::Ended { .. } => "exited",
    }
}

fn in_list(info: &ProcessInfo) -> Value {
    let mut shown = described(info);
    if let Some((end, _)) = info.command.char_indices().nth(COMMAND) {
        let start = info.command.get(..end).unwrap_or_default();
        shown.insert("command".to_owned(), json!(format!("{start}…")));
    }
    let start = start_of_last(&info.output_preview, COMMAND);
    let preview = info.output_preview.get(start..).unwrap_or_default();
    shown.insert("output_preview".to_owned(), json!(preview));
    Value::Object(shown)
}

fn described(info: &ProcessInfo) -> Map<String, Value> {
    let mut shown = ending(info);
    shown.insert("session_id".to_owned(), json!(info.id.as_str()));
    shown.insert("cwd".to_owned(), json!(info.directory.to_string_lossy()));
    shown.insert("pid".to_owned(), json!(info.pid));
    shown.insert("started_at".to_owned(), json!(info.started_at));
    shown.insert("uptime_seconds".to_owned(), json!(info.uptime.as_secs()));
    shown.insert("output_preview".to_owned(), json!(info.output_preview));
    if info.detached {
        shown.insert("detached".to_owned(), json!(true));
    }
    if info.on_terminal {
        shown.insert("pty".to_owned(), json!(true));
    }
    if !info.notes.is_empty() {
        shown.insert("notes".to_owned(), json!(info.notes));
    }
    shown
}

fn ending(info: &ProcessInfo) -> Map<String, Value> {
    let mut shown = Map::new();
    shown.insert("status".to_owned(), json!(status_word(info.status)));
    shown.insert("command".to_owned(), json!(info.command));
    if let Status::Ended { exit_code, reason } = info.status {
        shown.insert("exit_code".to_owned(), json!(exit_code));
        shown.insert("completion_reason".to_owned(), json!(reason.as_str()));
    }
    shown
}
