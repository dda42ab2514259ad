//! The queue of a conversation: who is answered, by what, and what others are told.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use hermes_approval::gateway::{Gateway, GatewayOptions, Reply, Submitted, Ticket};
use hermes_approval::hooks::Event;
use hermes_approval::{AnsweredBy, ApprovalRequest, Asker, Choice, Hook, Hooks};

fn request(session: &str, command: &str) -> ApprovalRequest {
    ApprovalRequest::new(session, command, "recursive delete", ["recursive delete"])
}

fn listening(options: GatewayOptions) -> Gateway {
    let gateway = Gateway::new(options);
    gateway.register("one", |_| Ok(()));
    gateway
}

fn submit(gateway: &Gateway, command: &str) -> Ticket {
    match gateway.submit(request("one", command)) {
        Submitted::Waiting(ticket) => ticket,
        other => panic!("{other:?}"),
    }
}

fn options(change: impl FnOnce(&mut GatewayOptions)) -> GatewayOptions {
    let mut options = GatewayOptions::default();
    change(&mut options);
    options
}

#[test]
fn the_oldest_is_answered_first() {
    let gateway = listening(GatewayOptions::default());
    let tickets: Vec<_> = (0..20)
        .map(|number| submit(&gateway, &format!("c{number}")))
        .collect();
    assert_eq!(gateway.waiting(), 20);
    for number in 0..20 {
        assert_eq!(
            gateway.status("one").waiting[0].command,
            format!("c{number}")
        );
        let reply = Reply::new(Choice::Once).because(&number.to_string());
        assert_eq!(gateway.resolve("one", &reply), 1);
    }
    for (number, ticket) in tickets.into_iter().enumerate() {
        let answer = ticket.wait();
        assert_eq!(answer.reason, Some(number.to_string()));
        assert_eq!(
            (answer.choice, answer.by),
            (Choice::Once, AnsweredBy::Person)
        );
    }
    assert_eq!(gateway.resolve("one", &Reply::new(Choice::Once)), 0);
    assert_eq!(gateway.waiting(), 0);
}

#[test]
fn all_are_answered_at_once_and_one_by_its_id() {
    let gateway = listening(GatewayOptions::default());
    let first = submit(&gateway, "a");
    let second = submit(&gateway, "b");
    let third = submit(&gateway, "c");
    let id = second.request().id.clone();
    assert!(gateway.resolve_one("one", &id, &Reply::new(Choice::Session)));
    assert!(!gateway.resolve_one("one", &id, &Reply::new(Choice::Once)));
    assert!(!gateway.resolve_one("two", &third.request().id, &Reply::new(Choice::Once)));
    assert_eq!(
        gateway.resolve("two", &Reply::new(Choice::Once).to_all()),
        0
    );
    let deny = Reply::deny("all too dangerous");
    assert_eq!(gateway.resolve("one", &deny), 2);
    assert_eq!(second.wait().choice, Choice::Session);
    for ticket in [first, third] {
        let answer = ticket.wait();
        assert_eq!(answer.choice, Choice::Deny);
        assert_eq!(answer.reason.as_deref(), Some("too dangerous"));
        assert_eq!(answer.outcome(), "denied");
    }
}

#[test]
fn always_where_it_is_not_allowed_is_a_session() {
    let gateway = listening(GatewayOptions::default());
    let Submitted::Waiting(ticket) = gateway.submit(request("one", "x").without_always()) else {
        panic!("it was shown");
    };
    gateway.resolve("one", &Reply::new(Choice::Always));
    assert_eq!(ticket.wait().choice, Choice::Session);
}

#[test]
fn silence_denies_and_takes_the_request_out_of_the_queue() {
    let gateway = listening(options(|options| {
        options.timeout = Duration::from_millis(20)
    }));
    let answer = gateway.ask(&request("one", "x"));
    assert_eq!(
        (answer.choice, answer.by),
        (Choice::Deny, AnsweredBy::Timeout)
    );
    assert!(answer.after >= Duration::from_millis(20));
    assert_eq!(gateway.waiting(), 0);
    assert_eq!(gateway.resolve("one", &Reply::new(Choice::Always)), 0);
}

#[test]
fn whoever_waits_is_denied_when_the_conversation_goes() {
    let ends: [fn(&Gateway); 3] = [
        |gateway| gateway.unregister("one"),
        |gateway| gateway.clear("one"),
        Gateway::close_all,
    ];
    for end in ends {
        let gateway = listening(GatewayOptions::default());
        let tickets = [submit(&gateway, "a"), submit(&gateway, "b")];
        end(&gateway);
        for ticket in tickets {
            let answer = ticket.wait();
            assert_eq!(
                (answer.choice, answer.by),
                (Choice::Deny, AnsweredBy::Closed)
            );
            assert_eq!(answer.outcome(), "denied");
            assert_eq!(answer.hook_choice(), "timeout");
        }
    }
}

#[test]
fn a_conversation_that_is_cleared_still_listens() {
    let gateway = listening(GatewayOptions::default());
    gateway.clear("one");
    assert!(gateway.status("one").listening);
    gateway.unregister("one");
    assert!(!gateway.status("one").listening);
}

#[test]
fn what_cannot_be_shown_is_denied() {
    let gateway = Gateway::default();
    gateway.register("one", |_| Err("the network is down".into()));
    gateway.register("two", |_| panic!("in the test"));
    for session in ["one", "two"] {
        let answer = gateway.ask(&request(session, "x"));
        assert_eq!(
            (answer.choice, answer.by),
            (Choice::Deny, AnsweredBy::NotifyFailed)
        );
        assert_eq!(answer.outcome(), "notify_failed");
    }
    assert_eq!(gateway.waiting(), 0);
}

#[test]
fn a_conversation_may_answer_while_it_is_being_told() {
    let gateway = Gateway::default();
    let inside = gateway.clone();
    gateway.register("one", move |request| {
        assert!(inside.resolve_one("one", &request.id, &Reply::new(Choice::Once)));
        Err("and fails afterwards".into())
    });
    assert_eq!(gateway.ask(&request("one", "x")).choice, Choice::Once);
}

#[test]
fn where_nobody_listens_the_request_is_kept_and_neither_allowed_nor_run() {
    let gateway = Gateway::default();
    gateway.submit(request("one", "first"));
    let Submitted::Stored(pending) = gateway.submit(request("one", "TOKEN=abc rm -rf x")) else {
        panic!("nobody listens");
    };
    let json = serde_json::to_value(&pending).unwrap();
    assert_eq!(json["status"], "pending_approval");
    assert_eq!(json["approved"], false);
    assert_eq!(json["approval_pending"], true);
    assert_eq!(json["command"], "TOKEN=*** rm -rf x");
    assert_eq!(json["pattern_key"], "recursive delete");
    assert_eq!(
        gateway.ask(&request("two", "x")).by,
        AnsweredBy::NobodyThere
    );
    assert!(gateway.status("one").stored.is_some());
    let stored = gateway.take_stored("one").unwrap();
    assert_eq!(stored.raw.as_str(), "TOKEN=abc rm -rf x");
    assert!(gateway.take_stored("one").is_none());
    gateway.clear("two");
    assert!(gateway.take_stored("two").is_none());
}

#[test]
fn no_more_wait_and_no_more_is_stored_than_was_allowed() {
    let gateway = listening(options(|options| {
        options.per_conversation = 2;
        options.total = 3;
    }));
    gateway.register("two", |_| Ok(()));
    let _first = submit(&gateway, "a");
    let second = submit(&gateway, "b");
    assert_eq!(gateway.ask(&request("one", "c")).by, AnsweredBy::Full);
    let Submitted::Waiting(_third) = gateway.submit(request("two", "d")) else {
        panic!("there was room");
    };
    assert_eq!(gateway.ask(&request("two", "e")).by, AnsweredBy::Full);
    drop(second);
    let _fourth = submit(&gateway, "f");
    for number in 0..10 {
        gateway.submit(request(&format!("nobody {number}"), "x"));
    }
    let stored =
        (0..10).filter(|number| gateway.take_stored(&format!("nobody {number}")).is_some());
    assert_eq!(stored.count(), 3);
}

#[test]
fn a_ticket_that_is_dropped_takes_its_request_back() {
    let gateway = listening(GatewayOptions::default());
    drop(submit(&gateway, "a"));
    let second = submit(&gateway, "b");
    assert_eq!(gateway.resolve("one", &Reply::new(Choice::Once)), 1);
    assert_eq!(second.wait().choice, Choice::Once);
}

#[test]
fn an_agent_that_is_told_to_stop_is_not_kept_waiting() {
    let beats = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&beats);
    let gateway = listening(options(|options| {
        options.heartbeat = Some(Arc::new(move |session| {
            assert_eq!(session, "one");
            counted.fetch_add(1, Ordering::SeqCst) == 0
        }));
    }));
    let answer = gateway.ask(&request("one", "x"));
    assert_eq!(
        (answer.choice, answer.by),
        (Choice::Deny, AnsweredBy::Interrupted)
    );
    assert_eq!(beats.load(Ordering::SeqCst), 2);
    assert!(answer.after < Duration::from_secs(60));
}

#[test]
fn requests_are_shown_in_the_order_in_which_they_are_answered() {
    let gateway = Gateway::default();
    let shown = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&shown);
    gateway.register("one", move |request| {
        seen.lock().unwrap().push(request.id.clone());
        Ok(())
    });
    let (sender, tickets) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            let (gateway, sender) = (&gateway, sender.clone());
            scope.spawn(move || {
                for _ in 0..50 {
                    sender.send(submit(gateway, "x")).unwrap();
                }
            });
        }
    });
    drop(sender);
    let shown = shown.lock().unwrap().clone();
    let queued: Vec<_> = gateway
        .status("one")
        .waiting
        .into_iter()
        .map(|one| one.id)
        .collect();
    assert_eq!(shown.len(), 400);
    let differing = shown
        .iter()
        .zip(&queued)
        .filter(|(one, other)| one != other)
        .count();
    assert_eq!(differing, 0);
    // Only now are they taken back.
    drop(tickets);
}

struct Told(Mutex<Vec<String>>);

impl Hook for Told {
    fn before(&self, event: &Event<'_>) {
        self.0
            .lock()
            .unwrap()
            .push(format!("before {}", event.command));
    }

    fn after(&self, event: &Event<'_>) {
        let line = format!("after {} {}", event.command, event.choice.unwrap());
        self.0.lock().unwrap().push(line);
    }
}

#[test]
fn hooks_are_told_once_before_and_once_after_each() {
    let told = Arc::new(Told(Mutex::default()));
    let mut hooks = Hooks::new();
    hooks.add(Arc::clone(&told) as Arc<dyn Hook>);
    let gateway = listening(options(|options| options.hooks = hooks));
    let first = submit(&gateway, "a");
    gateway.resolve("one", &Reply::new(Choice::Session));
    first.wait();
    drop(submit(&gateway, "b"));
    gateway.register("one", |_| Err("no".into()));
    gateway.ask(&request("one", "c"));
    assert_eq!(
        *told.0.lock().unwrap(),
        [
            "before a",
            "after a session",
            "before b",
            "after b timeout",
            "before c",
            "after c deny"
        ]
    );
}

#[test]
fn messages_are_understood_as_the_guide_says() {
    let of = |choice, all: bool, reason: Option<&str>| {
        let mut reply = Reply::new(choice);
        reply.all = all;
        reply.reason = reason.map(str::to_owned);
        Some(reply)
    };
    for (message, expected) in [
        ("/approve", of(Choice::Once, false, None)),
        ("/approve all", of(Choice::Once, true, None)),
        ("/approve session", of(Choice::Session, false, None)),
        ("/APPROVE all Ses", of(Choice::Session, true, None)),
        ("/approve always all", of(Choice::Always, true, None)),
        ("/approve permanent", of(Choice::Always, false, None)),
        ("/approve permanently", of(Choice::Always, false, None)),
        ("/approve maybe", None),
        ("/approve session always", None),
        ("/approved", None),
        ("approve", None),
        ("/deny", of(Choice::Deny, false, None)),
        (" /deny all ", of(Choice::Deny, true, None)),
        ("/deny not  now", of(Choice::Deny, false, Some("not  now"))),
        ("/deny all not now", of(Choice::Deny, true, Some("not now"))),
        ("/deny allow me", of(Choice::Deny, false, Some("allow me"))),
    ] {
        assert_eq!(Reply::parse(message), expected, "{message}");
    }
    let long = Reply::deny(&"é".repeat(1_000));
    assert_eq!(long.reason.unwrap().chars().count(), 280);
}
