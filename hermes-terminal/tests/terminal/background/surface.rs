//! The tool as a model calls it.

use hermes_terminal::{PROCESS_PARAMETERS, Processes};
use serde_json::{Value, json};

use super::setup::{ended, processes, read_until, start};
use crate::setup::Place;

fn ask(processes: &Processes, arguments: Value) -> Value {
    processes.handle(&arguments, None, None)
}

#[test]
fn each_action_answers() {
    let place = Place::new();
    let processes = processes(&place);
    let id = start(&processes, "echo hello; read x; echo got $x; exit 3");
    read_until(&processes, &id, "hello");
    let of = |action: &str| json!({"action": action, "session_id": id.as_str()});
    let with = |action: &str, more: Value| {
        let mut arguments = of(action);
        for (name, value) in more.as_object().unwrap() {
            arguments[name] = value.clone();
        }
        ask(&processes, arguments)
    };
    let list = ask(&processes, json!({"action": "list"}));
    assert_eq!(list["processes"][0]["session_id"], id.as_str());
    assert_eq!(list["processes"][0]["status"], "running");
    let poll = ask(&processes, of("poll"));
    assert_eq!(
        (&poll["status"], &poll["new_output"]),
        (&json!("running"), &json!(""))
    );
    assert_eq!(poll["output_preview"], "hello\n");
    let waited = with("wait", json!({"timeout": 1}));
    assert_eq!(waited["status"], "timeout");
    assert_eq!(with("write", json!({"data": "a"}))["bytes_written"], 1);
    assert_eq!(with("submit", json!({"data": "bc"}))["bytes_written"], 3);
    let waited = with("wait", json!({"timeout": "60"}));
    assert_eq!(
        (&waited["status"], &waited["exit_code"]),
        (&json!("exited"), &json!(3))
    );
    assert_eq!(waited["output"], "hello\ngot abc\n");
    let log = with("log", json!({"offset": 1, "limit": 1}));
    assert_eq!(
        (&log["output"], &log["total_lines"]),
        (&json!("got abc"), &json!(2))
    );
    assert_eq!(with("log", json!({"offset": -1}))["output"], "got abc");
    assert_eq!(with("log", json!({}))["showing"], "2 lines");
    for action in ["kill", "write", "submit", "close"] {
        assert_eq!(
            with(action, json!({}))["status"],
            "already_exited",
            "{action}"
        );
    }
}

#[test]
fn killing_and_closing_answer_too() {
    let place = Place::new();
    let processes = processes(&place);
    let id = start(&processes, "cat; sleep 1000");
    let close = json!({"action": "close", "session_id": id.as_str()});
    assert_eq!(ask(&processes, close.clone())["status"], "ok");
    assert_eq!(ask(&processes, close)["status"], "error");
    let kill = json!({"action": "kill", "session_id": id.as_str()});
    let killed = ask(&processes, kill);
    assert_eq!(killed["status"], "killed");
    assert_eq!(killed["completion_reason"], "killed");
    ended(&processes, &id);
}

#[test]
fn what_is_no_question_gets_an_answer_that_says_what_to_do() {
    let place = Place::new();
    let processes = processes(&place);
    let id = start(&processes, "sleep 1000");
    for (arguments, expected) in [
        (json!({}), "use list, poll"),
        (json!({"action": "bogus"}), "unknown action \"bogus\""),
        (json!({"action": "poll"}), "session_id is needed for poll"),
        (
            json!({"action": "poll", "session_id": 5}),
            "session_id is needed",
        ),
        (
            json!({"action": "poll", "session_id": "proc_x"}),
            "no background process has the id",
        ),
        (
            json!({"action": "log", "session_id": id.as_str(), "limit": 0}),
            "limit must be",
        ),
        (
            json!({"action": "log", "session_id": id.as_str(), "offset": "x"}),
            "whole number",
        ),
        (
            json!({"action": "wait", "session_id": id.as_str(), "timeout": 0}),
            "timeout must be",
        ),
        (
            json!({"action": "write", "session_id": id.as_str(), "data": [1]}),
            "data must be text",
        ),
        (json!("poll"), "unknown action"),
    ] {
        let answer = ask(&processes, arguments);
        let error = answer["error"].as_str().unwrap_or_default();
        assert!(error.contains(expected), "{answer}");
    }
    processes.kill(&id).unwrap();
}

#[test]
fn the_parameters_are_a_schema_that_names_every_action() {
    let schema: Value = serde_json::from_str(PROCESS_PARAMETERS).unwrap();
    let actions = schema["properties"]["action"]["enum"].as_array().unwrap();
    assert_eq!(actions.len(), 8);
    assert_eq!(schema["required"], json!(["action"]));
}
