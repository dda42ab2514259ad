//! Environments of a program's own.

use std::sync::{Arc, Barrier, Mutex};

use hermes_terminal::{
    Approval, Environment, Error, Gate, GateRequest, Local, Request, Result, Shell, Terminal,
    Unusable, select,
};

use crate::setup::Place;

/// Stands for a container: tells the gate that nothing there reaches this machine.
#[derive(Debug)]
struct Container {
    local: Local,
    usable: bool,
    /// Opening waits here for somebody else.
    opening: Option<Arc<Barrier>>,
}

impl Container {
    fn on(local: Local) -> Self {
        Self {
            local,
            usable: true,
            opening: None,
        }
    }
}

impl Environment for Container {
    fn name(&self) -> &str {
        "container"
    }

    fn usable(&self) -> std::result::Result<(), Unusable> {
        if self.usable {
            return self.local.usable();
        }
        Err(Unusable {
            reason: "the daemon does not answer".to_owned(),
            remedy: "start it".to_owned(),
        })
    }

    fn host_access(&self) -> bool {
        false
    }

    fn open(&self, task: &str) -> Result<Box<dyn Shell>> {
        if let Some(opening) = &self.opening {
            opening.wait();
        }
        self.local.open(task)
    }
}

#[derive(Debug, Default)]
struct Recording(Mutex<Vec<(String, bool)>>);

impl Gate for Recording {
    fn approve(&self, asked: &GateRequest<'_>) -> Approval {
        let asked = (asked.backend.to_owned(), asked.host_access);
        self.0.lock().unwrap().push(asked);
        Approval::Allowed { note: None }
    }
}

#[test]
fn a_task_may_have_an_environment_of_its_own_and_the_gate_is_told() {
    let place = Place::new();
    let gate = Arc::new(Recording::default());
    let terminal = place.builder().gate(gate.clone()).build().unwrap();
    let run =
        |task: &str, command: &str| terminal.run(task, &Request::new(command)).unwrap().output;
    run("a", "export A=1");
    let container = Arc::new(Container::on(place.local().in_directory("/usr")));
    terminal.set_environment("a", container.clone());
    assert_eq!(run("a", "echo ${A-none}; pwd"), "none\n/usr\n");
    assert_eq!(run("b", "pwd"), format!("{}\n", place.work().display()));
    let asked = gate.0.lock().unwrap().clone();
    let asked: Vec<_> = asked
        .iter()
        .map(|(name, access)| (name.as_str(), *access))
        .collect();
    assert_eq!(
        asked,
        [("local", true), ("container", false), ("local", true)]
    );
    let offered: [Arc<dyn Environment>; 2] = [Arc::new(place.local()), container];
    assert_eq!(select("container", &offered).unwrap().name(), "container");
}

#[test]
fn one_that_cannot_be_used_says_why_until_it_can() {
    let place = Place::new();
    let mut container = Container::on(place.local());
    container.usable = false;
    let terminal = place.terminal();
    terminal.set_environment("t", Arc::new(container));
    let error = terminal.run("t", &Request::new("true")).unwrap_err();
    assert!(matches!(&error, Error::BackendUnusable { name, .. } if name == "container"));
    assert_eq!(
        error.to_string(),
        "the terminal backend container cannot be used: the daemon does not answer; start it"
    );
    terminal.set_environment("t", Arc::new(place.local()));
    assert_eq!(
        terminal.run("t", &Request::new("true")).unwrap().exit_code,
        0
    );
}

#[test]
fn other_tasks_do_not_wait_for_one_that_is_being_opened() {
    let place = Place::new();
    let barrier = Arc::new(Barrier::new(2));
    let mut container = Container::on(place.local());
    container.opening = Some(barrier.clone());
    let terminal: Terminal = place.terminal();
    terminal.set_environment("slow", Arc::new(container));
    std::thread::scope(|scope| {
        let slow = scope.spawn(|| terminal.run("slow", &Request::new("echo slow")).unwrap());
        let other = terminal.run("other", &Request::new("echo other")).unwrap();
        assert_eq!(other.output, "other\n");
        barrier.wait();
        assert_eq!(slow.join().unwrap().output, "slow\n");
    });
}
