//! One system of it all: a model's calls are approved, run, traced, recorded and found again.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that meets the unexpected must fail"
)]

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hermes_kit::approval::{Callback, Choice};
use hermes_kit::state::{MessagePage, NewSession, SearchOptions};
use hermes_kit::terminal::{Channel, Notification};
use hermes_kit::toolkit::{
    AgentLoop, Arguments, BatchOptions, CallContext, Cancellation, HandlerResult, Registry,
    Selection, Tool, ToolCall,
};
use hermes_kit::{Builder, Error, Hermes};
use serde_json::{Value, json};

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("work")).unwrap();
        let place = Place { folder };
        place.config("");
        place
    }

    fn config(&self, text: &str) {
        let work = self.folder.path().join("work");
        let text = format!("terminal:\n  cwd: {}\n{text}", work.display());
        fs::write(self.folder.path().join("config.yaml"), text).unwrap();
    }

    fn builder(&self) -> Builder {
        Hermes::builder()
            .home(self.folder.path())
            .variables(|_| None)
    }

    fn hermes(&self) -> Hermes {
        self.builder().open().unwrap()
    }
}

fn call(hermes: &Hermes, tool: &str, arguments: Value) -> Value {
    call_in(
        hermes,
        tool,
        arguments,
        &CallContext::new().with_session_id("s"),
    )
}

fn call_in(hermes: &Hermes, tool: &str, arguments: Value, context: &CallContext) -> Value {
    let result = hermes.handle_function_call(tool, arguments, context);
    assert!(result.is_ok(), "{result}");
    serde_json::from_str(&result.into_text()).unwrap()
}

#[test]
fn the_tools_are_there_without_anybody_registering_them() {
    let place = Place::new();
    let hermes = place.hermes();
    let definitions = hermes.tool_definitions(&Selection::all());
    let text = format!("{definitions:?}");
    for tool in ["terminal", "process", "session_search"] {
        assert!(text.contains(tool), "{tool}");
    }
}

#[test]
fn a_command_runs_in_the_session_of_its_task() {
    let place = Place::new();
    fs::write(
        place.folder.path().join(".env"),
        "GREETING='hi there'\nOPENAI_API_KEY=sk-x\n",
    )
    .unwrap();
    let hermes = place.hermes();
    let work = place.folder.path().join("work");
    let first = call(
        &hermes,
        "terminal",
        json!({"command": "export A=1; mkdir d; cd d; pwd"}),
    );
    assert_eq!(first["exit_code"], 0);
    assert_eq!(first["cwd"], work.join("d").to_str().unwrap());
    let next = call(
        &hermes,
        "terminal",
        json!({"command": "echo $A $GREETING $HERMES_HOME; env | grep -c sk-x"}),
    );
    let home = place.folder.path().to_str().unwrap();
    assert_eq!(next["output"], format!("1 hi there {home}\n0\n"));
    let other = CallContext::new().with_task_id("other");
    let apart = call_in(
        &hermes,
        "terminal",
        json!({"command": "pwd; echo $A"}),
        &other,
    );
    assert_eq!(apart["output"], format!("{}\n\n", work.display()));
    let failed = call(&hermes, "terminal", json!({"command": "exit 3"}));
    assert_eq!(failed["exit_code"], 3);
    let late = call(
        &hermes,
        "terminal",
        json!({"command": "sleep 100", "timeout": 0.1}),
    );
    assert_eq!(
        (&late["exit_code"], &late["timed_out"]),
        (&json!(124), &json!(true))
    );
}

#[test]
fn what_is_dangerous_is_asked_about_and_what_is_forbidden_never_runs() {
    let place = Place::new();
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let answers = Mutex::new(vec![Choice::Session, Choice::Deny]);
    let hermes = place
        .builder()
        .approvals(move |approver| {
            let counted = Arc::clone(&counted);
            let answers = Mutex::new(std::mem::take(&mut *answers.lock().unwrap()));
            approver.terminal(Callback::new(move |_| {
                counted.fetch_add(1, Ordering::SeqCst);
                answers.lock().unwrap().pop().unwrap()
            }))
        })
        .situation(|situation| situation.at_terminal())
        .open()
        .unwrap();
    let file = place.folder.path().join("work/x");
    fs::write(&file, "x").unwrap();
    let remove = json!({"command": "rm -rf x"});
    let denied = call(&hermes, "terminal", remove.clone());
    assert_eq!(denied["exit_code"], -1);
    assert!(
        denied["error"].as_str().unwrap().contains("BLOCKED"),
        "{denied}"
    );
    assert!(file.exists());
    assert_eq!(call(&hermes, "terminal", remove.clone())["exit_code"], 0);
    assert!(!file.exists());
    // Granted for the session, and for no other.
    assert_eq!(call(&hermes, "terminal", remove.clone())["exit_code"], 0);
    assert_eq!(asked.load(Ordering::SeqCst), 2);
    let in_background = json!({"command": "rm -rf ~", "background": true});
    let blocked = call(&hermes, "terminal", in_background);
    assert_eq!(blocked["exit_code"], -1);
    assert!(blocked.get("session_id").is_none(), "{blocked}");
    assert_eq!(asked.load(Ordering::SeqCst), 2);
}

#[test]
fn nobody_there_is_a_no() {
    let place = Place::new();
    let hermes = place.hermes();
    let denied = call(&hermes, "terminal", json!({"command": "rm -rf x"}));
    assert_eq!(denied["exit_code"], -1);
    assert_eq!(
        call(&hermes, "terminal", json!({"command": "echo ok"}))["output"],
        "ok\n"
    );
}

#[test]
fn a_background_process_is_driven_through_the_tools() {
    let place = Place::new();
    let (sender, told) = std::sync::mpsc::channel();
    let hermes = place
        .builder()
        .notify(Arc::new(Channel(sender)))
        .open()
        .unwrap();
    let started = call(
        &hermes,
        "terminal",
        json!({"command": "read x; echo got $x", "background": true, "notify_on_complete": true}),
    );
    let id = started["session_id"].as_str().unwrap();
    let list = call(&hermes, "process", json!({"action": "list"}));
    assert_eq!(list["processes"][0]["session_id"], id);
    let record = fs::read_to_string(place.folder.path().join("processes.json")).unwrap();
    assert!(record.contains(id));
    call(
        &hermes,
        "process",
        json!({"action": "submit", "session_id": id, "data": "it"}),
    );
    let waited = call(
        &hermes,
        "process",
        json!({"action": "wait", "session_id": id, "timeout": 60}),
    );
    assert_eq!(
        (&waited["exit_code"], &waited["output"]),
        (&json!(0), &json!("got it\n"))
    );
    let Notification::Ended { exit_code, .. } = told.recv_timeout(Duration::from_secs(60)).unwrap()
    else {
        panic!("another notification")
    };
    assert_eq!(exit_code, Some(0));
}

#[test]
fn a_cancelled_call_ends_its_command_and_its_wait() {
    let place = Place::new();
    let hermes = place.hermes();
    let started = call(
        &hermes,
        "terminal",
        json!({"command": "sleep 1000", "background": true}),
    );
    let id = started["session_id"].clone();
    for (tool, arguments) in [
        (
            "terminal",
            json!({"command": "echo begun; touch ready; sleep 1000"}),
        ),
        (
            "process",
            json!({"action": "wait", "session_id": id, "timeout": 600}),
        ),
    ] {
        let flag = Cancellation::default();
        let context = CallContext::new().with_cancellation(flag.clone());
        let ready = place.folder.path().join("work/ready");
        std::thread::scope(|scope| {
            let running = scope.spawn(|| hermes.handle_function_call(tool, arguments, &context));
            while tool == "terminal" && !ready.exists() {
                std::thread::yield_now();
            }
            flag.cancel();
            let result = running.join().unwrap();
            let text = result.to_string();
            assert!(
                text.contains("interrupted") || text.contains("cancel"),
                "{text}"
            );
        });
    }
    call(
        &hermes,
        "process",
        json!({"action": "kill", "session_id": id}),
    );
}

#[test]
fn a_turn_is_run_recorded_and_found() {
    let place = Place::new();
    let hermes = place.hermes();
    let store = hermes.store().unwrap();
    store.create_session(&NewSession::new("s", "cli")).unwrap();
    let calls = vec![
        ToolCall::new("terminal", json!({"command": "echo quokka"})).with_id("a"),
        ToolCall::new("session_search", json!({"query": "wombat"})).with_id("b"),
        ToolCall::new("no_such_tool", json!({})).with_id("c"),
    ];
    let context = CallContext::new().with_session_id("s");
    let options = BatchOptions::default();
    let turn = hermes.run_turn("s", Some("I look"), calls.clone(), &options, &context);
    assert_eq!(turn.results.len(), 3);
    assert_eq!(turn.recorded.unwrap().len(), 4);
    let found = hermes.search(&SearchOptions::new("quokka")).unwrap();
    assert_eq!(found.matches.len(), 2);
    assert_eq!(
        store.messages("s", MessagePage::default()).unwrap().len(),
        4
    );
    // What ran has run, whether it could be recorded or not.
    let lost = hermes.run_turn("none", None, calls, &options, &context);
    assert_eq!(lost.results.len(), 3);
    assert!(lost.recorded.is_err());
}

#[test]
fn a_config_that_is_wrong_is_told_and_can_be_put_right() {
    let place = Place::new();
    for (config, expected) in [
        ("  timeout: soon\n", "line 3, column 12"),
        (
            "  backend: nowhere\n",
            "unknown terminal backend \"nowhere\"",
        ),
        ("  backend: modal\n", "not built into this program"),
        ("approvals:\n  deny: {rm: true}\n", "approvals.deny"),
    ] {
        place.config(config);
        let hermes = place.hermes();
        let context = CallContext::new();
        let result = hermes.handle_function_call("terminal", json!({"command": "true"}), &context);
        assert!(!result.is_ok(), "{config}: {result}");
        assert!(
            result.to_string().contains(expected)
                || result.to_string().contains(&expected.replace('"', "\\\"")),
            "{result}"
        );
        assert!(hermes.terminal().is_err());
        place.config("");
        assert_eq!(
            call(&hermes, "terminal", json!({"command": "echo on"}))["output"],
            "on\n"
        );
    }
    place.config("");
    let outside = |name: &str| (name == "TERMINAL_ENV").then(|| "ssh".to_owned());
    let hermes = place.builder().variables(outside).open().unwrap();
    let error = hermes.terminal().unwrap_err();
    assert!(matches!(error, Error::Config { .. }));
    assert!(error.to_string().contains("ssh_host"), "{error}");
    place.config("  ssh_host: host.example\n  ssh_user: ann\n  ssh_port: 2222\n");
    let environment = hermes.terminal().unwrap().environment_of("t");
    assert_eq!(environment.name(), "ssh");
    let told = format!("{environment:?}");
    for part in ["host.example", "ann", "2222"] {
        assert!(told.contains(part), "{told}");
    }
}

struct Todo;

impl AgentLoop for Todo {
    fn has(&self, name: &str) -> bool {
        name == "todo"
    }

    fn handle(&self, _: &str, _: Arguments, _: &CallContext) -> HandlerResult {
        Ok("done".to_owned().into())
    }
}

#[test]
fn an_agent_loop_adds_to_the_tools_of_the_home() {
    let place = Place::new();
    let registry = Registry::new();
    registry.register_builtins();
    registry
        .register(Tool::new("todo", "todo").agent_loop())
        .unwrap();
    let hermes = place
        .builder()
        .registry(registry)
        .agent_loop(Todo)
        .open()
        .unwrap();
    let context = CallContext::new();
    let result = hermes.handle_function_call("todo", json!({}), &context);
    assert_eq!(result.into_text(), "done");
    assert_eq!(
        call(&hermes, "terminal", json!({"command": "echo x"}))["output"],
        "x\n"
    );
}

/// A home whose person has these files in theirs.
fn of_person(files: &[(&str, &str)]) -> (Place, tempfile::TempDir, impl Fn() -> Hermes) {
    use hermes_kit::home::{Environment, Platform};

    let person = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(person.path().join(name), text).unwrap();
    }
    let place = Place::new();
    let environment = Environment::new(Platform::Unix).with_user_home(person.path());
    let builder = {
        let home = place.folder.path().to_owned();
        move || {
            let known = |name: &str| (name == "FROM").then(|| "listed".to_owned());
            let builder = Hermes::builder().environment(environment.clone());
            builder.home(&home).variables(known).open().unwrap()
        }
    };
    (place, person, builder)
}

#[test]
fn what_the_person_has_in_bashrc_is_there_unless_other_files_are_listed() {
    let files = [
        (".bashrc", "export RC=bashrc; f() { echo f; }"),
        ("listed", "export L=listed"),
    ];
    let (place, _person, hermes) = of_person(&files);
    for (config, expected) in [
        ("", "bashrc none f\n"),
        ("  auto_source_bashrc: false\n", "none none none\n"),
        (
            "  shell_init_files: [~/listed, ~/none]\n",
            "none listed none\n",
        ),
        ("  shell_init_files: ['~/${FROM}']\n", "none listed none\n"),
        (
            "  shell_init_files: ['~/$FROM', ~/.bashrc]\n",
            "bashrc listed f\n",
        ),
    ] {
        place.config(config);
        let command = "echo ${RC-none} ${L-none} $(f 2>/dev/null || echo none)";
        let told = call(&hermes(), "terminal", json!({"command": command}));
        assert_eq!(told["output"], expected, "{config}");
    }
}

#[test]
fn the_home_of_commands_is_the_persons_or_the_profiles_own() {
    let (place, person, hermes) = of_person(&[]);
    let person = person.path().display().to_string();
    let own = place.folder.path().join("home");
    let show = json!({"command": "echo $HOME ${HERMES_REAL_HOME-none}"});
    let told = |config: &str| {
        place.config(config);
        call(&hermes(), "terminal", show.clone())["output"].clone()
    };
    let persons = format!("{person} none\n");
    // As long as the profile has none, there is only one.
    for mode in ["auto", "real", "profile"] {
        assert_eq!(told(&format!("  home_mode: {mode}\n")), persons, "{mode}");
    }
    fs::create_dir(&own).unwrap();
    assert_eq!(told("  home_mode: real\n"), persons);
    let apart = format!("{} {person}\n", own.display());
    assert_eq!(told("  home_mode: profile\n"), apart);
    let in_container = ["/.dockerenv", "/run/.containerenv"]
        .iter()
        .any(|mark| std::path::Path::new(mark).exists());
    let expected = if in_container { &apart } else { &persons };
    assert_eq!(told(""), **expected);
}
