//! A client of `hermesctl rpc`.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::program::hermesctl;

/// A running process, ended with this.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Client {
    pub(crate) fn start(home: &Path, args: &[&str]) -> Client {
        let mut child = hermesctl(home)
            .args(args)
            .arg("rpc")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Client {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    /// Starts one on a store.
    pub(crate) fn on(db: &Path) -> Client {
        let folder = db.parent().unwrap();
        Client::start(folder, &["--db", db.to_str().unwrap()])
    }

    pub(crate) fn send(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{line}").unwrap();
    }

    pub(crate) fn receive_text(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line
    }

    pub(crate) fn receive(&mut self) -> Value {
        let line = self.receive_text();
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("not JSON ({e}): {line}"))
    }

    /// The answer to one line.
    pub(crate) fn line(&mut self, line: &str) -> Value {
        self.send(line);
        self.receive()
    }

    /// The whole answer to a request.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let request = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        let answer = self.line(&request.to_string());
        assert_eq!(answer["jsonrpc"], "2.0");
        assert_eq!(answer["id"], 7);
        answer
    }

    /// The result of a request that succeeds.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.ask(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    /// The stable code and the exception of a request that fails.
    pub(crate) fn refusal(&mut self, method: &str, params: Value) -> (i64, Value, Value) {
        let answer = self.ask(method, params);
        let error = &answer["error"];
        assert!(error.is_object(), "{method}: {answer}");
        (
            error["code"].as_i64().unwrap(),
            error["data"]["code"].clone(),
            error["data"]["exception"].clone(),
        )
    }

    /// Ends the input; gives the exit code.
    pub(crate) fn end(mut self) -> i32 {
        drop(self.input.take());
        self.child.wait().unwrap().code().unwrap()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
