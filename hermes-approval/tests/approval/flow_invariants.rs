//! What no policy, mode, grant or answer may loosen, for any of them.

use hermes_approval::allowlist::AllowlistFile;
use hermes_approval::grants::{Grant, Scope};
use hermes_approval::{
    Advice, Adviser, AnalysisEnv, Approver, AskWithoutHuman, Backend, Callback, Choice,
    CommandRequest, CronMode, Decision, Headless, Mode, Outcome, Platform, Policy, Situation,
    Stage, assess, corpus,
};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use crate::flow::situation;

const COMMANDS: &[&str] = &[
    "ls -la",
    "rm -rf /",
    "sudo rm -rf ~",
    "rm -rf src",
    "cd x && rm -rf y",
    "rm -f /srv/x",
    "find . -delete",
    "echo \"abc",
    "$X -rf src",
];
const GLOBS: &[&str] = &["*", "rm*", "ls*", "rm -rf src", "find *"];
const ENTRIES: &[&str] = &[
    "recursive delete",
    "rm -rf src",
    "find *",
    "delete in root path",
];

struct Says(Advice);

impl Adviser for Says {
    fn advise(&self, _: &str, _: &str, _: Platform) -> Advice {
        self.0.clone()
    }
}

#[derive(Debug, Clone)]
struct Case {
    command: &'static str,
    policy: Policy,
    situation: Situation,
    session_yolo: bool,
    entries: Vec<&'static str>,
    granted: Vec<&'static str>,
    answer: Choice,
    advice: Advice,
}

fn globs() -> impl Strategy<Value = Vec<String>> {
    // Most of the time none, so that later stages are reached, too.
    prop_oneof![
        3 => Just(Vec::new()),
        1 => subsequence(GLOBS, 0..=2).prop_map(|all| all.into_iter().map(str::to_owned).collect()),
    ]
}

fn policies() -> impl Strategy<Value = Policy> {
    let mode = select(vec![Mode::Manual, Mode::Manual, Mode::Smart, Mode::Off]);
    let headless = select(vec![
        AskWithoutHuman::Deny,
        AskWithoutHuman::Allow,
        AskWithoutHuman::AsPython,
    ]);
    let cron = select(vec![CronMode::Deny, CronMode::Approve]);
    (mode, headless, cron, globs(), globs(), globs()).prop_map(
        |(mode, headless, cron, deny, ask, allow)| {
            let mut policy = Policy::default();
            policy.mode = mode;
            policy.ask_without_human = headless;
            policy.cron_mode = cron;
            policy.deny = deny;
            policy.ask = ask;
            policy.allow = allow;
            policy
        },
    )
}

fn situations() -> impl Strategy<Value = Situation> {
    let backend = select(vec![
        Backend::local(),
        Backend::local(),
        Backend::new("docker", true),
        Backend::new("docker", false),
    ]);
    (0..3_u8, prop::bool::weighted(0.2), backend).prop_map(|(who, yolo, backend)| {
        let mut at = situation().on(backend);
        at.yolo = yolo;
        match who {
            0 => at,
            1 => at.at_terminal(),
            _ => at.in_cron(),
        }
    })
}

fn cases() -> impl Strategy<Value = Case> {
    let advice = select(vec![
        Advice::Approve,
        Advice::Deny,
        Advice::Escalate {
            problem: "?".to_owned(),
        },
    ]);
    let entries = prop_oneof![2 => Just(Vec::new()), 1 => subsequence(ENTRIES, 0..=2)];
    let granted = prop_oneof![2 => Just(Vec::new()), 1 => subsequence(ENTRIES, 0..=2)];
    (
        select(COMMANDS),
        policies(),
        situations(),
        prop::bool::weighted(0.1),
        entries,
        granted,
        select(Choice::ALL.to_vec()),
        advice,
    )
        .prop_map(
            |(command, policy, situation, session_yolo, entries, granted, answer, advice)| Case {
                command,
                policy,
                situation,
                session_yolo,
                entries,
                granted,
                answer,
                advice,
            },
        )
}

fn outcome(case: &Case) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("config.yaml");
    if !case.entries.is_empty() {
        let text = serde_json::json!({"command_allowlist": case.entries}).to_string();
        std::fs::write(&config, text).unwrap();
    }
    let answer = case.answer;
    let approver = Approver::builder(case.policy.clone())
        .terminal(Callback::new(move |_| answer))
        .adviser(Says(case.advice.clone()))
        .allowlist(AllowlistFile::new(config))
        .build();
    let session = case.situation.session_key.as_str();
    approver.sessions().set_yolo(session, case.session_yolo);
    for key in &case.granted {
        let grant = Grant::new(Scope::key(*key), std::time::SystemTime::now());
        approver.sessions().grant(session, grant);
    }
    approver.check(&CommandRequest::new(case.command, case.situation.clone()))
}

/// The globs here are plain enough for a second, simpler reading; the commands with a `cd` and a
/// `sudo` in front are matched by what follows.
fn matched(globs: &[String], command: &str) -> bool {
    let parts = [
        command,
        command.trim_start_matches("cd x && "),
        command.trim_start_matches("sudo "),
    ];
    globs.iter().any(|glob| {
        parts.iter().any(|part| match glob.strip_suffix('*') {
            Some(start) => part.starts_with(start),
            None => part == glob,
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn the_floor_and_the_persons_own_list_are_never_loosened(case in cases()) {
        let outcome = outcome(&case);
        let isolated = case.situation.backend.is_isolated();
        if matched(&case.policy.deny, case.command) {
            prop_assert!(!outcome.approved, "{:?}", outcome);
            prop_assert_eq!(outcome.stage, Stage::UserDeny);
        } else if outcome.verdict.decision == Decision::Block {
            prop_assert_eq!(outcome.approved, isolated, "{:?}", outcome);
        }
    }

    #[test]
    fn what_is_asked_is_approved_only_by_who_may(case in cases()) {
        let outcome = outcome(&case);
        let wanted = matched(&case.policy.ask, case.command);
        let asks = outcome.verdict.decision == Decision::Ask || wanted;
        if !asks || !outcome.approved || outcome.stage == Stage::Isolated {
            return Ok(());
        }
        let yolo = case.situation.yolo || case.session_yolo;
        let ok = match outcome.stage {
            Stage::Yolo => yolo && !wanted,
            Stage::Off => case.policy.mode == Mode::Off && !wanted,
            Stage::Allowlist => {
                !(wanted || case.entries.is_empty() && case.policy.allow.is_empty())
            }
            Stage::Granted => !(wanted || case.granted.is_empty() && case.entries.is_empty()),
            Stage::Headless => outcome.headless.is_some_and(Headless::allows),
            Stage::Smart => {
                case.policy.mode == Mode::Smart && case.advice == Advice::Approve && !wanted
            }
            Stage::Asked => case.answer.allows() && case.situation.interactive,
            _ => false,
        };
        prop_assert!(ok, "{:?}", outcome);
    }

    #[test]
    fn what_is_safe_and_not_on_a_list_is_never_stopped(case in cases()) {
        let outcome = outcome(&case);
        let listed = matched(&case.policy.deny, case.command) || matched(&case.policy.ask, case.command);
        if outcome.verdict.decision == Decision::Allow && !listed {
            prop_assert!(outcome.approved, "{:?}", outcome);
        }
    }
}

// APPR-09
#[test]
fn what_is_explained_is_what_is_decided_on_every_command_of_the_corpus() {
    let rows = corpus::read(&testdata::approval()).unwrap();
    assert!(rows.len() > 1_000);
    let approver = Approver::builder(Policy::default()).build();
    let env = AnalysisEnv::new("/home/agent");
    for row in &rows {
        let explained = assess(&row.command, &env, Platform::Posix);
        let request = CommandRequest::new(row.command.as_str(), Situation::new(env.clone()));
        let decided = approver.check(&request);
        let stage = match explained.decision {
            Decision::Allow => Stage::Clean,
            Decision::Ask if explained.guesses_sudo_password() => Stage::SudoGuard,
            Decision::Ask => Stage::Headless,
            Decision::Block => Stage::Hardline,
        };
        assert_eq!(decided.stage, stage, "{}", row.command);
        assert_eq!(decided.approved, explained.decision == Decision::Allow);
    }
}
