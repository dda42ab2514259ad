//! `approve hook`: what agents are answered.

use std::path::Path;
#[cfg(unix)]
use std::process::Stdio;

use serde_json::{Value, json};

use crate::approve::hermes_home;
#[cfg(unix)]
use crate::program::hermesctl;
use crate::program::{Run, fed};

fn hook(home: &Path, options: &[&str], event: &Value) -> Run {
    let arguments = [&["approve", "hook"], options].concat();
    fed(home, &arguments, event.to_string().as_bytes())
}

fn claude_code(command: &str) -> Value {
    json!({
        "session_id": "s", "cwd": "/work", "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": {"command": command, "description": "x"},
    })
}

fn hermes(command: &str) -> Value {
    json!({
        "hook_event_name": "pre_tool_call", "tool_name": "terminal",
        "tool_input": {"command": command}, "session_id": "s", "cwd": "/work", "extra": {},
    })
}

#[test]
fn a_hook_answers_claude_code_in_its_words() {
    let home = tempfile::tempdir().unwrap();
    for (command, decision) in [("ls", "allow"), ("rm -rf src", "ask"), ("rm -rf /", "deny")] {
        let answer = hook(home.path(), &[], &claude_code(command)).ok().json();
        let answer = &answer["hookSpecificOutput"];
        assert_eq!(answer["hookEventName"], "PreToolUse");
        assert_eq!(answer["permissionDecision"], decision, "{command}");
        assert!(answer["permissionDecisionReason"].is_string());
    }
    let mut other = claude_code("rm -rf /");
    other["tool_name"] = json!("Read");
    assert_eq!(hook(home.path(), &[], &other).ok().json(), json!({}));
}

#[test]
fn a_hook_answers_hermes_in_its_words() {
    let home = tempfile::tempdir().unwrap();
    assert_eq!(hook(home.path(), &[], &hermes("ls")).ok().json(), json!({}));
    for command in ["rm -rf src", "rm -rf /"] {
        let answer = hook(home.path(), &[], &hermes(command)).ok().json();
        assert_eq!(answer["decision"], "block", "{command}");
        assert!(answer["reason"].is_string());
    }
    let pass = &["--on-ask", "pass"];
    let answer = hook(home.path(), pass, &hermes("rm -rf src")).ok().json();
    assert_eq!(answer, json!({}));
    let answer = hook(home.path(), pass, &hermes("rm -rf /")).ok().json();
    assert_eq!(answer["decision"], "block");
}

#[test]
fn a_hook_keeps_to_the_lists_of_the_home() {
    let home = tempfile::tempdir().unwrap();
    let config = hermes_home(home.path()).join("config.yaml");
    std::fs::write(
        &config,
        "approvals:\n  mode: off\n  deny: ['curl *']\n  ask: ['ssh *']\n\
         command_allowlist: ['rm -rf src']\n",
    )
    .unwrap();
    let decision = |command: &str| {
        let answer = hook(home.path(), &[], &claude_code(command)).ok().json();
        answer["hookSpecificOutput"]["permissionDecision"].clone()
    };
    assert_eq!(decision("curl x"), "deny");
    assert_eq!(decision("ssh host"), "ask");
    assert_eq!(decision("rm -rf lib"), "allow");
    assert_eq!(decision("rm -rf /"), "deny");
    std::fs::write(&config, "command_allowlist: ['rm -rf src']\n").unwrap();
    assert_eq!(decision("rm -rf src"), "allow");
    assert_eq!(decision("rm -rf lib"), "ask");
    // What forbids and cannot be read lets nothing through by itself.
    for broken in ["approvals: {deny: {a: b}}\n", "a: [\n"] {
        std::fs::write(&config, broken).unwrap();
        assert_eq!(decision("ls"), "ask", "{broken}");
    }
}

#[test]
fn an_event_that_is_not_understood_blocks() {
    let home = tempfile::tempdir().unwrap();
    for event in [
        "",
        "{",
        "[]",
        "{\"hook_event_name\": \"Stop\"}",
        "{\"tool_name\": \"Bash\"}",
    ] {
        let failed = fed(home.path(), &["approve", "hook"], event.as_bytes());
        assert_eq!((failed.code, failed.stdout.as_str()), (2, ""), "{event}");
        assert!(
            failed.stderr.contains("not understood"),
            "{}",
            failed.stderr
        );
    }
    let mut bare = claude_code("x");
    bare["tool_input"] = json!({});
    let answer = hook(home.path(), &[], &bare).ok().json();
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");
}

fn decision(home: &Path, tool: &str, input: &Value) -> Value {
    let mut event = claude_code("");
    event["tool_name"] = json!(tool);
    event["tool_input"] = input.clone();
    let answer = hook(home, &[], &event).ok().json();
    answer["hookSpecificOutput"]["permissionDecision"].clone()
}

#[test]
fn a_tool_is_known_by_its_name_in_any_case() {
    let home = tempfile::tempdir().unwrap();
    for tool in ["Bash", "bash", "BASH", "terminal", "Terminal"] {
        let input = json!({"command": "rm -rf /"});
        assert_eq!(decision(home.path(), tool, &input), "deny", "{tool}");
    }
    let input = json!({"command": "Remove-Item -Recurse -Force C:\\"});
    assert_ne!(decision(home.path(), "powershell", &input), "allow");
    for tool in ["mcp__x__bash", "Read", "Task", "bash2", ""] {
        let input = json!({"command": "rm -rf /", "file_path": "/etc/passwd"});
        assert_eq!(decision(home.path(), tool, &input), Value::Null, "{tool}");
    }
}

#[test]
fn code_is_judged_as_python_runs_it() {
    let home = tempfile::tempdir().unwrap();
    for (code, expected) in [
        ("print('it is fine; rm -rf /')", "allow"),
        ("import shutil\nshutil.rmtree('/')", "deny"),
        ("import os\nos.system('rm -rf src')\nx = 'it\\'s'", "ask"),
        (
            "import subprocess\nsubprocess.run(['rm', '-rf', '/'])",
            "deny",
        ),
        ("open('/etc/passwd', 'w').write('x')", "ask"),
    ] {
        let input = json!({"code": code});
        assert_eq!(
            decision(home.path(), "execute_code", &input),
            expected,
            "{code}"
        );
    }
    let mut event = hermes("");
    event["tool_name"] = json!("execute_code");
    event["tool_input"] = json!({"code": "import shutil\nshutil.rmtree('/')"});
    let answer = hook(home.path(), &[], &event).ok().json();
    assert_eq!(answer["decision"], "block");
    event["tool_input"] = json!({"code": "print(1)"});
    assert_eq!(hook(home.path(), &[], &event).ok().json(), json!({}));
}

#[test]
fn a_file_is_judged_by_where_it_is_and_never_allowed() {
    let home = tempfile::tempdir().unwrap();
    let own = |name: &str| home.path().join(name).display().to_string();
    let own = [
        own(".ssh/authorized_keys"),
        own(".bashrc"),
        own(".hermes/config.yaml"),
    ];
    let asked = [
        "/etc/passwd",
        "/etc/x/../passwd",
        "~/.ssh/authorized_keys",
        "/usr/bin/ls",
    ];
    for path in asked.into_iter().chain(own.iter().map(String::as_str)) {
        for (tool, name) in [
            ("Write", "file_path"),
            ("Edit", "file_path"),
            ("MultiEdit", "file_path"),
            ("NotebookEdit", "notebook_path"),
            ("write_file", "path"),
            ("patch", "path"),
        ] {
            let input = json!({name: path, "content": "x"});
            assert_eq!(decision(home.path(), tool, &input), "ask", "{tool} {path}");
        }
    }
    let write = |path: &str| decision(home.path(), "Write", &json!({"file_path": path}));
    assert_eq!(write("/dev/sda"), "deny");
    // What is written into an everyday file has not been looked at.
    for path in [
        "/work/src/main.rs",
        "notes.md",
        "/work/a; rm -rf /",
        "/work/$(reboot)",
    ] {
        assert_eq!(write(path), Value::Null, "{path}");
    }
    let patch = |text: &str| {
        decision(
            home.path(),
            "patch",
            &json!({"mode": "patch", "patch": text}),
        )
    };
    assert_eq!(
        patch("*** Begin Patch\n*** Update File: a.rs\n@@\n+x\n"),
        Value::Null
    );
    assert_eq!(
        patch("*** Begin Patch\n*** Update File: a.rs\n+x\n*** Add File: /etc/b\n+x\n"),
        "ask"
    );
    for tool in ["Write", "write_file", "patch", "execute_code"] {
        assert_eq!(decision(home.path(), tool, &json!({})), "deny", "{tool}");
    }
    // A path from the agent's folder on.
    let mut event = claude_code("");
    event["tool_name"] = json!("Write");
    event["tool_input"] = json!({"file_path": "passwd"});
    event["cwd"] = json!("/etc");
    let answer = hook(home.path(), &[], &event).ok().json();
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "ask");
}

/// Runs the hook by a shell that does this to its standard output.
#[cfg(unix)]
fn hook_into(home: &Path, redirection: &str) -> Run {
    use std::io::Write;
    use std::process::Command;
    let program = env!("CARGO_BIN_EXE_hermesctl");
    let mut child = Command::new("/bin/sh")
        .args(["-c", &format!("'{program}' approve hook {redirection}")])
        .env_clear()
        .env("HOME", home)
        .current_dir(home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let event = claude_code("rm -rf /").to_string();
    // It may have ended without reading.
    let _ = child.stdin.take().unwrap().write_all(event.as_bytes());
    child.wait_with_output().unwrap().into()
}

#[cfg(unix)]
#[test]
fn an_answer_that_nobody_reads_blocks() {
    let home = tempfile::tempdir().unwrap();
    for redirection in [
        ">&-",
        ">/dev/null",
        "1<>/dev/null",
        "1</dev/null",
        "1</etc/passwd",
    ] {
        let failed = hook_into(home.path(), redirection);
        assert_eq!(failed.code, 2, "{redirection}: {}", failed.stderr);
        assert!(
            failed.stderr.contains("output"),
            "{redirection}: {}",
            failed.stderr
        );
    }
    #[cfg(target_os = "linux")]
    assert_eq!(hook_into(home.path(), ">/dev/full").code, 2);
    // Nobody is left to be told why; the code says it.
    for redirection in [">&- 2>&-", ">/dev/null 2>&-"] {
        assert_eq!(hook_into(home.path(), redirection).code, 2, "{redirection}");
    }
    let mut child = hermesctl(home.path())
        .args(["approve", "hook"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    serde_json::to_writer(child.stdin.take().unwrap(), &claude_code("ls")).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(2));
    // A file is read later.
    let done = hook_into(home.path(), ">answer");
    assert_eq!(done.code, 0, "{}", done.stderr);
    let answer = std::fs::read_to_string(home.path().join("answer")).unwrap();
    assert!(answer.contains("\"deny\""), "{answer}");
}
