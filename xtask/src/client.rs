//! A process that serves a store as JSON-RPC.

pub(crate) mod operation;

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout};

use serde_json::{Value, json};

use operation::Operation;

use crate::error::{Context, Error, Result};
use crate::parity::Environment;
use crate::process::Program;
use crate::workspace::Workspace;

/// A process and its pipes; it is ended with this.
#[derive(Debug)]
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

/// What one side says to a request: a result, or the name of an exception.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    Result(Value),
    Raised { exception: String, message: String },
}

impl Client {
    pub(crate) fn theirs(ws: &Workspace, environment: &Environment) -> Result<Client> {
        Client::start(environment.script(ws, "serve_store.py"))
    }

    pub(crate) fn ours(ws: &Workspace) -> Result<Client> {
        // A home of its own is never needed: every store is opened by its path.
        Client::start(Program::new(ws.binary("debug", "hermesctl"), &ws.root).arg("rpc"))
    }

    fn start(program: Program) -> Result<Client> {
        let mut child = program.spawn_piped()?;
        let input = child.stdin.take();
        let output = child.stdout.take().context(|| "no output".to_owned())?;
        Ok(Client {
            child,
            input,
            output: BufReader::new(output),
        })
    }

    pub(crate) fn send(&mut self, operation: &Operation) -> Result<()> {
        let request = format!(
            "{{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"{}\", \"params\": {}}}\n",
            operation.method,
            operation.params()
        );
        let input = self.input.as_mut().context(|| "closed".to_owned())?;
        input
            .write_all(request.as_bytes())
            .and_then(|()| input.flush())
            .context(|| format!("asking for {}", operation.method))
    }

    pub(crate) fn receive(&mut self) -> Result<Answer> {
        let mut line = String::new();
        let read = self.output.read_line(&mut line);
        read.context(|| "reading an answer".to_owned())?;
        if line.is_empty() {
            return Err(Error::failed("a side ended without an answer"));
        }
        let mut answer: Value =
            serde_json::from_str(&readable(&line)).context(|| format!("an answer: {line}"))?;
        if let Some(error) = answer.get("error") {
            let text = |path: &str| {
                let found = error.pointer(path).and_then(Value::as_str);
                found.unwrap_or_default().to_owned()
            };
            return Ok(Answer::Raised {
                exception: text("/data/exception"),
                message: text("/message"),
            });
        }
        let result = answer.get_mut("result").map(Value::take);
        Ok(Answer::Result(result.unwrap_or_default()))
    }

    pub(crate) fn ask(&mut self, operation: &Operation) -> Result<Answer> {
        self.send(operation)?;
        self.receive()
    }

    /// The result of what must succeed.
    pub(crate) fn call(&mut self, method: &'static str, params: Value) -> Result<Value> {
        let operation = Operation::new(method, params);
        match self.ask(&operation)? {
            Answer::Result(result) => Ok(result),
            Answer::Raised { exception, message } => Err(Error::failed(format!(
                "{method} failed: {exception}: {message}"
            ))),
        }
    }

    /// Ends the process at this moment.
    pub(crate) fn kill(&mut self) -> Result<()> {
        self.child.kill().context(|| "killing a process".to_owned())
    }

    pub(crate) fn open(&mut self, path: &Path) -> Result<()> {
        self.call("open", json!({"path": path})).map(drop)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.input.take());
        // One that hangs must not outlive us.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The text with each half of a surrogate pair, which no string of ours holds, as its name.
pub(crate) fn readable(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        text.push_str(before);
        let half = |escape: &str| {
            let digits = escape.strip_prefix("\\u")?.get(..4)?;
            u16::from_str_radix(digits, 16).ok()
        };
        let taken = match half(escape) {
            Some(0xd800..0xdc00) => match escape.get(6..).and_then(half) {
                Some(0xdc00..0xe000) => 12,
                _ => 0,
            },
            Some(0xdc00..0xe000) => 0,
            Some(_) => 6,
            None => 2,
        };
        if taken == 0 {
            let _ = write!(
                text,
                "<half {}>",
                escape.get(2..6).unwrap_or_default().to_lowercase()
            );
            rest = escape.get(6..).unwrap_or_default();
        } else {
            text.push_str(escape.get(..taken).unwrap_or(escape));
            rest = escape.get(taken..).unwrap_or_default();
        }
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn half_surrogate_pairs_become_readable() {
        for (sent, read) in [
            (
                r#"["\ud83d", "\ud83d\ude00"]"#,
                r#"["<half d83d>", "\ud83d\ude00"]"#,
            ),
            (
                r#""\\ud83d \u00e9 \" \udc00""#,
                r#""\\ud83d \u00e9 \" <half dc00>""#,
            ),
        ] {
            assert_eq!(readable(sent), read);
        }
    }
}
