//! The same flow for those who await.

use std::sync::Arc;

use hermes_approval::audit::AuditOptions;
use hermes_approval::gateway::{Gateway, GatewayOptions, Reply};
use hermes_approval::{Approver, Callback, Choice, CommandRequest, Policy, Stage};

use crate::flow::situation;

#[tokio::test]
async fn a_function_is_asked_off_the_executor_and_its_answer_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let approver = Approver::builder(Policy::default())
        .terminal(Callback::new(|_| {
            // Would panic on a thread of the executor.
            tokio::runtime::Handle::current().block_on(async {});
            Choice::Session
        }))
        .audit(AuditOptions::new(&path))
        .build();
    let request = |command: &str| CommandRequest::new(command, situation().at_terminal());
    let first = approver.check_async(request("rm -rf src")).await;
    assert_eq!((first.approved, first.stage), (true, Stage::Asked));
    let second = approver.check_async(request("rm -rf lib")).await;
    assert_eq!((second.approved, second.stage), (true, Stage::Granted));
    let never = approver.check_async(request("rm -rf /")).await;
    assert_eq!((never.approved, never.stage), (false, Stage::Hardline));
    let lines = std::fs::read_to_string(&path).unwrap();
    assert_eq!(lines.lines().count(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_wait_for_a_messenger_at_once_and_each_has_its_answer() {
    let gateway = Gateway::new(GatewayOptions::default());
    let (seen, mut shown) = tokio::sync::mpsc::unbounded_channel();
    gateway.register("chat", move |request| {
        seen.send(request.id.clone()).map_err(Into::into)
    });
    let approver = Approver::builder(Policy::default())
        .gateway(gateway.clone())
        .build();
    let at = situation().in_gateway().in_session("chat");
    let tasks: Vec<_> = (0..50)
        .map(|n| {
            let (approver, at) = (approver.clone(), at.clone());
            tokio::spawn(async move {
                let request = CommandRequest::new(format!("rm -rf dir{n}"), at);
                approver.check_async(request).await
            })
        })
        .collect();
    for n in 0..50 {
        let id = shown.recv().await.unwrap();
        let choice = if n % 2 == 0 {
            Choice::Once
        } else {
            Choice::Deny
        };
        assert!(gateway.resolve_one("chat", &id, &Reply::new(choice)));
    }
    let mut approved = 0;
    for task in tasks {
        approved += usize::from(task.await.unwrap().approved);
    }
    assert_eq!((approved, gateway.waiting()), (25, 0));
}

#[tokio::test]
async fn a_check_that_is_no_longer_wanted_takes_its_request_back() {
    let gateway = Gateway::new(GatewayOptions::default());
    let shown = Arc::new(tokio::sync::Notify::new());
    let seen = Arc::clone(&shown);
    gateway.register("chat", move |_| {
        seen.notify_one();
        Ok(())
    });
    let approver = Approver::builder(Policy::default())
        .gateway(gateway.clone())
        .build();
    let at = situation().in_gateway().in_session("chat");
    let check = approver.check_async(CommandRequest::new("rm -rf src", at));
    tokio::select! {
        _ = check => panic!("nobody has answered"),
        () = shown.notified() => {}
    }
    assert_eq!(gateway.waiting(), 0);
}
