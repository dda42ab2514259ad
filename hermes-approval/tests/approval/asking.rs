//! Requests, callbacks and hooks.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hermes_approval::hooks::Event;
use hermes_approval::{
    Answer, AnsweredBy, ApprovalRequest, Asker, Callback, Choice, Hook, Hooks, Surface,
};

fn request() -> ApprovalRequest {
    ApprovalRequest::new(
        "one",
        "TOKEN=abc rm -rf x",
        "recursive delete",
        ["recursive delete"],
    )
}

#[test]
fn what_is_shown_of_a_request_holds_no_secret() {
    let request = request().at(10..15).by_rule("rm-recursive", "high");
    assert_eq!(request.command, "TOKEN=*** rm -rf x");
    assert_eq!(request.raw.as_str(), "TOKEN=abc rm -rf x");
    assert_eq!(
        request.command.get(request.span.clone().unwrap()),
        Some("rm -r")
    );
    let json = serde_json::to_string(&request).unwrap();
    let debug = format!("{request:?}");
    for shown in [json, debug] {
        assert!(!shown.contains("abc"), "{shown}");
        assert!(shown.contains("rm-recursive"), "{shown}");
    }
}

#[test]
fn always_where_it_is_not_offered_means_the_most_that_is() {
    let request = request();
    assert_eq!(request.limited(Choice::Always), Choice::Always);
    let request = request.without_always();
    assert_eq!(request.limited(Choice::Always), Choice::Session);
    assert_eq!(
        request.choices().collect::<Vec<_>>(),
        [Choice::Once, Choice::Session, Choice::Deny]
    );
    let request = request.once_only();
    for choice in [Choice::Always, Choice::Session, Choice::Once] {
        assert_eq!(request.limited(choice), Choice::Once);
    }
    assert_eq!(request.limited(Choice::Deny), Choice::Deny);
}

#[test]
fn a_finding_of_a_scanner_cannot_be_allowed_always() {
    let request = ApprovalRequest::new("s", "x", "y", ["recursive delete", "tirith:x"]);
    assert!(!request.allow_always);
    assert!(request.allow_session);
}

#[test]
fn a_function_is_asked_and_a_panic_in_it_denies() {
    let yes = Callback::new(|request: &ApprovalRequest| {
        assert_eq!(request.session_key, "one");
        Choice::Always
    });
    let answer = yes.ask(&request().without_always());
    assert_eq!(
        (answer.choice, answer.by),
        (Choice::Session, AnsweredBy::Person)
    );
    let broken = Callback::new(|_: &ApprovalRequest| panic!("in the test"));
    let answer = broken.ask(&request());
    assert_eq!(
        (answer.choice, answer.by),
        (Choice::Deny, AnsweredBy::Failed)
    );
    assert_eq!(answer.outcome(), "blocked");
}

#[derive(Default)]
struct Listener(Mutex<Vec<String>>);

impl Hook for Listener {
    fn before(&self, event: &Event<'_>) {
        let line = serde_json::to_string(event).unwrap();
        self.0.lock().unwrap().push(line);
    }

    fn after(&self, event: &Event<'_>) {
        let line = format!("{} {:?}", event.choice.unwrap(), event.surface);
        self.0.lock().unwrap().push(line);
    }
}

struct Broken;

impl Hook for Broken {
    fn before(&self, _: &Event<'_>) {
        panic!("in the test");
    }

    fn after(&self, _: &Event<'_>) {
        panic!("in the test");
    }
}

#[test]
fn hooks_are_told_without_secrets_and_a_panic_in_one_stops_nothing() {
    let listener = Arc::new(Listener::default());
    let mut hooks = Hooks::new();
    hooks.add(Arc::new(Broken));
    hooks.add(Arc::clone(&listener) as Arc<dyn Hook>);
    let request = request();
    hooks.before(&request, Surface::Cli);
    let once = Answer::person(Choice::Once, Duration::ZERO);
    hooks.after(&request, &once, Surface::McpElicitation);
    let late = Answer::denied(AnsweredBy::Timeout, Duration::ZERO);
    hooks.after(&request, &late, Surface::Smart);
    assert_eq!(
        *listener.0.lock().unwrap(),
        [
            "{\"command\":\"TOKEN=*** rm -rf x\",\"description\":\"recursive delete\",\
             \"pattern_key\":\"recursive delete\",\"pattern_keys\":[\"recursive delete\"],\
             \"session_key\":\"one\",\"surface\":\"cli\"}",
            "once McpElicitation",
            "timeout Smart",
        ]
    );
}
