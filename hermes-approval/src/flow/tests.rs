//! Stages on verdicts that are made by hand, and parts that the public API does not show.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that meets what it does not expect has to fail"
)]

use std::borrow::Cow;
use std::path::PathBuf;

use super::own_lists::{Match, Spellings};
use super::*;
use crate::coverage::Coverage;
use crate::invocation::Host;
use crate::rule::{Key, RuleEffect, Severity};
use crate::situation::{Backend, Situation};
use crate::span::Span;
use crate::{AnalysisEnv, Callback, Choice, Platform, analyse};

fn situation() -> Situation {
    Situation::new(AnalysisEnv::new("/home/sam"))
}

/// A verdict with one finding of this effect.
fn verdict(effect: RuleEffect) -> Verdict {
    let finding = Finding {
        rule: "test.rule",
        class: "test",
        effect,
        severity: Severity::High,
        keys: vec![Key::ours("test key")],
        accepts: vec![Key::ours("another key")],
        span: Span::new(0, 4),
        resolved: "sudo -S".to_owned(),
        wrappers: Vec::new(),
        host: Host::Local,
        reason: Cow::Borrowed("A test."),
        alternative: None,
    };
    let decision = match effect {
        RuleEffect::Hardline => Decision::Block,
        RuleEffect::Ask | RuleEffect::SudoGuard => Decision::Ask,
    };
    Verdict {
        decision,
        rule: Some("test.rule"),
        keys: vec!["test key"],
        severity: Some(Severity::High),
        span: Some(finding.span),
        resolved: None,
        wrappers: Vec::new(),
        coverage: Coverage::Full,
        reason: Some(Cow::Borrowed("A test.")),
        alternative: None,
        findings: vec![finding],
        message: None,
    }
}

fn decided(approver: &Approver, situation: Situation, effect: RuleEffect) -> Outcome {
    let request = CommandRequest::new("sudo -S ls", situation);
    match approver.decide(&request, verdict(effect), Entry::All) {
        Next::Decided(outcome) => *outcome,
        Next::Ask(asking) => {
            let heard = approver.ask(&asking);
            approver.settle(*asking, heard, None)
        }
    }
}

fn off() -> Policy {
    Policy {
        mode: Mode::Off,
        allow: vec!["*".to_owned()],
        ask_without_human: AskWithoutHuman::Allow,
        ..Policy::default()
    }
}

#[test]
fn the_sudo_guard_holds_whatever_is_loosened_unless_a_password_is_configured() {
    let loose = Approver::builder(off())
        .terminal(Callback::new(|_| Choice::Always))
        .build();
    for at in [
        situation(),
        situation().at_terminal(),
        situation().with_yolo(),
        situation().in_cron(),
    ] {
        let outcome = decided(&loose, at, RuleEffect::SudoGuard);
        assert_eq!((outcome.approved, outcome.stage), (false, Stage::SudoGuard));
        assert!(outcome.message.unwrap().starts_with("BLOCKED"));
    }
    let mut at = situation().at_terminal();
    at.sudo_password = true;
    let manual = Approver::builder(Policy::default())
        .terminal(Callback::new(|request| {
            assert_eq!(request.keys, ["test key"]);
            Choice::Once
        }))
        .build();
    let outcome = decided(&manual, at, RuleEffect::SudoGuard);
    assert_eq!((outcome.approved, outcome.stage), (true, Stage::Asked));
}

#[test]
fn the_floor_stands_before_the_sudo_guard_and_neither_holds_in_an_isolated_backend() {
    let approver = Approver::builder(Policy::default()).build();
    let blocked = decided(&approver, situation(), RuleEffect::Hardline);
    assert_eq!((blocked.approved, blocked.stage), (false, Stage::Hardline));
    for (backend, isolated) in [
        (Backend::new("docker", false), true),
        (Backend::new("docker", true), false),
        (Backend::new("ssh", false), false),
        (Backend::new("vercel_sandbox", false), false),
        (Backend::local(), false),
    ] {
        for effect in [RuleEffect::Hardline, RuleEffect::SudoGuard] {
            let outcome = decided(&approver, situation().on(backend.clone()), effect);
            assert_eq!(outcome.approved, isolated, "{backend:?}");
            assert_eq!(outcome.stage == Stage::Isolated, isolated, "{backend:?}");
        }
    }
}

#[test]
fn a_grant_of_an_accepted_key_covers_a_finding() {
    let approver = Approver::builder(Policy::default()).build();
    let grant = Grant::new(crate::grants::Scope::key("another key"), SystemTime::now());
    approver.sessions().grant("default", grant);
    let outcome = decided(&approver, situation(), RuleEffect::Ask);
    assert_eq!((outcome.approved, outcome.stage), (true, Stage::Granted));
}

fn found(glob: &str, command: &str) -> bool {
    let globs = [glob.to_owned()];
    match Spellings::of(command, &situation()).find(&globs) {
        Match::Glob(_) => true,
        Match::Unsure => panic!("unsure: {command}"),
        Match::None => false,
    }
}

#[test]
fn a_glob_of_the_persons_own_finds_a_command_however_it_is_dressed() {
    for command in [
        "rm -rf x",
        "RM -RF x",
        "  rm -rf x",
        "cd a && rm -rf x",
        "sudo rm -rf x",
        "/bin/rm -rf x",
        "'rm' -r'f' x",
        "sh -c 'rm -rf x'",
        "echo $(rm -rf x)",
        "X=rm; $X -rf x",
        "echo \"; rm -rf x",
    ] {
        assert!(found("rm -rf*", command), "{command}");
    }
    for command in ["echo 'rm -rf x'", "rm x", "ls # rm -rf x", "git rm -rf x"] {
        assert!(!found("rm -rf*", command), "{command}");
    }
    assert!(found("cat ~/.ssh/*", "cat ~/.ssh/id"));
    assert!(found("cat ~/.ssh/*", "cat $HOME/.ssh/id"));
    assert!(found("cat ~/.ssh/*", "cat /home/sam/.ssh/id"));
    assert!(found("* > /etc/*", "echo x >/etc/motd"));
    assert!(found("sudo *", "/usr/bin/sudo ls"));
}

#[test]
fn a_command_too_large_to_be_compared_is_asked_about_where_there_are_lists() {
    let deep = "$(".repeat(50_000);
    let globs = ["curl*".to_owned()];
    let spellings = Spellings::of(&deep, &situation());
    assert_eq!(spellings.find(&globs), Match::Unsure);
    assert_eq!(spellings.find(&[]), Match::None);
}

fn touched_by(command: &str) -> Vec<PathBuf> {
    let mut env = AnalysisEnv::new("/home/sam");
    env.cwd = Some("/work".to_owned());
    let analysis = analyse(command, &env, Platform::Posix);
    touched::paths(&analysis, &env)
}

#[test]
fn the_paths_of_a_removal_are_known_only_where_nothing_is_in_doubt() {
    let paths = |paths: &[&str]| -> Vec<PathBuf> { paths.iter().map(PathBuf::from).collect() };
    assert_eq!(touched_by("rm -rf a /b"), paths(&["/work/a", "/b"]));
    assert_eq!(touched_by("cd sub && rm x"), paths(&["/work/sub/x"]));
    assert_eq!(touched_by("rm -- -x"), paths(&["/work/-x"]));
    for command in [
        "rm $X",
        "rm *",
        "rm a/../../b",
        "rm a > b",
        "rm a; make",
        "ssh h rm a",
        "ls | xargs rm",
        "sh -c 'rm a'",
        "cd $X && rm a",
        "rm \"a",
        "python3 -c 'print(1)'; rm a",
    ] {
        assert_eq!(touched_by(command), paths(&[]), "{command}");
    }
}
