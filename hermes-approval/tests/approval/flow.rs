//! The stages of the flow, their order, and what none of them may loosen.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use hermes_approval::allowlist::AllowlistFile;
use hermes_approval::audit::AuditOptions;
use hermes_approval::gateway::{Gateway, GatewayOptions, Reply};
use hermes_approval::grants::{Grant, GrantsFile, Scope};
use hermes_approval::hooks::Event;
use hermes_approval::{
    Advice, Adviser, AnalysisEnv, Answer, AnsweredBy, ApprovalRequest, Approver, AskWithoutHuman,
    Asker, Backend, Callback, Choice, CommandRequest, CronMode, GuardResult, Headless, Hook, Mode,
    OnTimeout, Outcome, Platform, Policy, Situation, Stage, check_all_command_guards,
    check_dangerous_command,
};
use serde_json::{Value, json};

pub(crate) fn situation() -> Situation {
    Situation::new(AnalysisEnv::new("/home/sam"))
}

pub(crate) fn policy(approvals: Value) -> Policy {
    let (policy, warnings) = Policy::from_config(&json!({"approvals": approvals})).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    policy
}

fn answering(policy: Policy, choice: Choice) -> Approver {
    Approver::builder(policy)
        .terminal(Callback::new(move |_| choice))
        .build()
}

fn check(approver: &Approver, command: &str, at: Situation) -> Outcome {
    approver.check(&CommandRequest::new(command, at))
}

fn stage(approver: &Approver, command: &str, at: Situation) -> (bool, Stage) {
    let outcome = check(approver, command, at);
    assert_eq!(outcome.approved, outcome.message.is_none(), "{outcome:?}");
    if let Some(message) = &outcome.message
        && outcome.pending.is_none()
    {
        assert!(message.starts_with("BLOCKED"), "{message}");
    }
    (outcome.approved, outcome.stage)
}

const FLOOR: &str = "rm -rf /";
const ASKED: &str = "rm -rf src";
const SAFE: &str = "ls -la";

#[test]
fn each_stage_decides_before_those_behind_it() {
    let nobody = situation();
    let person = || situation().at_terminal();
    let deny = policy(json!({"deny": ["rm *"], "ask": ["rm *"], "allow": ["rm *"], "mode": "off"}));
    let docker = || Backend::new("docker", false);

    // The person's own list, before an isolated backend, the floor and everything else.
    let approver = answering(deny, Choice::Always);
    for command in [FLOOR, ASKED] {
        for at in [
            nobody.clone(),
            person().with_yolo(),
            person().on(docker()),
            situation().in_cron(),
        ] {
            assert_eq!(stage(&approver, command, at), (false, Stage::UserDeny));
        }
    }

    // An isolated backend, before the floor and the person's wish to be asked.
    let approver = answering(policy(json!({"ask": ["rm *"]})), Choice::Deny);
    for command in [FLOOR, ASKED, SAFE] {
        let at = situation().on(docker());
        assert_eq!(stage(&approver, command, at), (true, Stage::Isolated));
    }

    // The floor, before the wish, yolo, off, the lists, the headless rule and the person.
    let all =
        json!({"ask": ["rm *"], "allow": ["rm *"], "mode": "off", "ask_without_human": "allow"});
    let approver = answering(policy(all), Choice::Always);
    for at in [nobody.clone(), person(), person().with_yolo()] {
        assert_eq!(stage(&approver, FLOOR, at), (false, Stage::Hardline));
    }

    // The wish to be asked, before yolo, off and the lists.
    for at in [person(), person().with_yolo().in_session("two")] {
        assert_eq!(stage(&approver, ASKED, at), (true, Stage::Asked));
    }

    // Yolo, before off; off, before the lists.
    let off = answering(
        policy(json!({"mode": "off", "allow": ["rm *"]})),
        Choice::Deny,
    );
    assert_eq!(
        stage(&off, ASKED, person().with_yolo()),
        (true, Stage::Yolo)
    );
    assert_eq!(stage(&off, ASKED, person()), (true, Stage::Off));
    assert_eq!(stage(&off, ASKED, nobody.clone()), (true, Stage::Off));

    // The lists, before the headless rule and the person.
    let allow = answering(policy(json!({"allow": ["rm *"]})), Choice::Deny);
    for at in [person(), nobody.clone(), situation().in_cron()] {
        assert_eq!(stage(&allow, ASKED, at), (true, Stage::Allowlist));
    }
    // A text with an operator says too little.
    let chained = "rm -rf src; rm -rf lib";
    assert_eq!(stage(&allow, chained, person()), (false, Stage::Asked));

    // The headless rule, before the person.
    let manual = answering(policy(json!({})), Choice::Always);
    assert_eq!(
        stage(&manual, ASKED, nobody.clone()),
        (false, Stage::Headless)
    );
    assert_eq!(stage(&manual, ASKED, person()), (true, Stage::Asked));
    assert_eq!(stage(&manual, SAFE, nobody), (true, Stage::Clean));
}

#[test]
fn a_person_answers_once_for_the_conversation_or_no() {
    let answers = Arc::new(Mutex::new(vec![
        Choice::Deny,
        Choice::Once,
        Choice::Session,
    ]));
    let asked = Arc::clone(&answers);
    let approver = Approver::builder(Policy::default())
        .terminal(Callback::new(move |request| {
            assert_eq!(request.rule_id.as_deref(), Some("fs.recursive-delete"));
            assert!(!request.allow_always, "there is no allowlist to keep it in");
            let covers = request.covers.join(" ");
            assert!(covers.contains("\"recursive delete\""), "{covers}");
            asked.lock().unwrap().remove(0)
        }))
        .build();
    let at = || situation().at_terminal().in_session("one");
    assert_eq!(stage(&approver, "rm -rf a", at()), (false, Stage::Asked));
    assert_eq!(stage(&approver, "rm -rf b", at()), (true, Stage::Asked));
    assert_eq!(stage(&approver, "rm -rf c", at()), (true, Stage::Asked));
    assert_eq!(stage(&approver, "rm -rf d", at()), (true, Stage::Granted));
    assert!(answers.lock().unwrap().is_empty());

    // Another conversation has no part of it, and neither has this one when it begins anew.
    let nobody = situation().in_session("two");
    assert_eq!(
        stage(&approver, "rm -rf e", nobody),
        (false, Stage::Headless)
    );
    let nobody = || situation().in_session("one");
    assert_eq!(
        stage(&approver, "rm -rf f", nobody()),
        (true, Stage::Granted)
    );
    approver.clear_session("one");
    assert_eq!(
        stage(&approver, "rm -rf g", nobody()),
        (false, Stage::Headless)
    );
}

#[test]
fn yolo_of_a_conversation_is_its_own() {
    let approver = Approver::builder(Policy::default()).build();
    approver.sessions().set_yolo("one", true);
    let at = |key: &str| situation().in_session(key);
    assert_eq!(stage(&approver, ASKED, at("one")), (true, Stage::Yolo));
    assert_eq!(stage(&approver, FLOOR, at("one")), (false, Stage::Hardline));
    assert_eq!(stage(&approver, ASKED, at("two")), (false, Stage::Headless));
}

fn with_allowlist(folder: &Path, choice: Choice) -> Approver {
    Approver::builder(Policy::default())
        .terminal(Callback::new(move |_| choice))
        .allowlist(AllowlistFile::new(folder.join("config.yaml")))
        .build()
}

#[test]
fn always_is_kept_in_the_allowlist_for_every_process_and_a_revocation_counts_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("config.yaml");
    std::fs::write(&config, "# mine\nmodel: x\n").unwrap();
    let approver = with_allowlist(folder.path(), Choice::Always);
    let search = "find . -exec rm {} ;";
    assert_eq!(
        stage(&approver, search, situation().at_terminal()),
        (true, Stage::Asked)
    );
    let text = std::fs::read_to_string(&config).unwrap();
    assert!(text.starts_with("# mine\nmodel: x\n"), "{text}");
    // Both names of a key that 0.19 renamed.
    for key in ["find -exec/-execdir rm", "find -exec rm"] {
        assert!(text.contains(key), "{text}");
    }
    let other = with_allowlist(folder.path(), Choice::Deny);
    let nobody = || situation().in_session("other");
    assert_eq!(stage(&other, search, nobody()), (true, Stage::Granted));
    std::fs::write(&config, "model: x\n").unwrap();
    assert_eq!(stage(&other, search, nobody()), (false, Stage::Headless));
}

#[test]
fn an_approval_that_cannot_be_stored_holds_for_the_conversation_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("config.yaml");
    std::fs::write(&config, "a: [\n").unwrap();
    let approver = with_allowlist(folder.path(), Choice::Always);
    let outcome = check(&approver, ASKED, situation().at_terminal());
    assert!(outcome.approved);
    assert!(
        outcome.notes.join(" ").contains("this conversation only"),
        "{:?}",
        outcome.notes
    );
    assert_eq!(std::fs::read_to_string(&config).unwrap(), "a: [\n");
    assert_eq!(stage(&approver, ASKED, situation()), (true, Stage::Granted));
    // And what it cannot read approves nothing.
    let nobody = situation().in_session("two");
    let outcome = check(&approver, ASKED, nobody);
    assert!(!outcome.approved && !outcome.notes.is_empty());
}

#[test]
fn an_entry_that_is_a_command_and_keys_that_python_stored_count() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("config.yaml"),
        "command_allowlist:\n- rm -rf build-*\n- find -exec rm\n",
    )
    .unwrap();
    let approver = with_allowlist(folder.path(), Choice::Deny);
    for at in [situation(), situation().in_cron()] {
        let (approved, by) = stage(&approver, "rm -rf build-1", at.clone());
        assert_eq!((approved, by), (true, Stage::Allowlist));
        let (approved, by) = stage(&approver, "find . -exec rm {} +", at);
        assert_eq!((approved, by), (true, Stage::Granted));
    }
    assert!(!stage(&approver, "rm -rf build-1; ls", situation()).0);
    assert!(!stage(&approver, "rm -rf other", situation()).0);
}

#[test]
fn grants_for_folders_prefixes_and_a_time_are_kept_to() {
    let folder = tempfile::tempdir().unwrap();
    let file = || GrantsFile::in_folder(folder.path());
    let now = SystemTime::now();
    let below = Scope::path_under("recursive delete", "/work/data").unwrap();
    file().add(&Grant::new(below, now), now).unwrap();
    let approver = Approver::builder(Policy::default()).grants(file()).build();
    let at = || {
        let mut env = AnalysisEnv::new("/home/sam");
        env.cwd = Some("/work".to_owned());
        Situation::new(env)
    };
    assert!(stage(&approver, "rm -rf data/x /work/data/y/z", at()).0);
    for command in [
        "rm -rf data/x src",
        "rm -rf data/../src",
        "rm -rf data/x > log",
        "sudo rm -rf data/x",
    ] {
        assert!(!stage(&approver, command, at()).0, "{command}");
    }
    let prefix = Scope::prefix("rm -rf lib").unwrap();
    let ended = Grant::new(prefix, now - Duration::from_secs(10)).lasting(Duration::from_secs(5));
    approver.sessions().grant("default", ended);
    assert!(!stage(&approver, "rm -rf lib", at()).0);
}

#[test]
fn the_choice_for_when_nobody_is_there_is_in_every_outcome() {
    for (settings, at, approved, applied) in [
        (json!({}), situation(), false, Headless::Denied),
        (
            json!({"ask_without_human": "allow"}),
            situation(),
            true,
            Headless::Allowed,
        ),
        (
            json!({"ask_without_human": "as_python"}),
            situation(),
            true,
            Headless::AllowedAsPython,
        ),
        (
            json!({"ask_without_human": "as_python"}),
            situation().in_cron(),
            false,
            Headless::CronDenied,
        ),
        (
            json!({"ask_without_human": "allow"}),
            situation().in_cron(),
            false,
            Headless::CronDenied,
        ),
        (
            json!({"cron_mode": "approve"}),
            situation().in_cron(),
            true,
            Headless::CronApproved,
        ),
        (
            json!({"cron_mode": "approve"}),
            situation(),
            false,
            Headless::Denied,
        ),
    ] {
        let settings = policy(settings);
        let choice = settings.ask_without_human;
        let approver = Approver::builder(settings).build();
        let outcome = check(&approver, ASKED, at.clone());
        assert_eq!(
            (outcome.approved, outcome.headless),
            (approved, Some(applied))
        );
        assert_eq!(outcome.by.as_deref(), Some(applied.setting()));
        assert_eq!(outcome.ask_without_human, choice);
        if !approved {
            let message = outcome.message.unwrap();
            assert!(message.contains(applied.setting()), "{message}");
        }
        let safe = check(&approver, SAFE, at.clone());
        assert_eq!((safe.headless, safe.ask_without_human), (None, choice));
        assert!(!check(&approver, FLOOR, at).approved);
    }
}

struct Says(Advice, AtomicUsize);

impl Adviser for Says {
    fn advise(&self, command: &str, description: &str, platform: Platform) -> Advice {
        assert!(command.starts_with("rm") && !description.is_empty());
        assert_eq!(platform, Platform::Posix);
        self.1.fetch_add(1, Ordering::SeqCst);
        self.0.clone()
    }
}

fn smart(advice: Advice, answer: Choice) -> Approver {
    Approver::builder(policy(json!({"mode": "smart", "ask": ["rm -rf lib"]})))
        .adviser(Says(advice, AtomicUsize::new(0)))
        .terminal(Callback::new(move |_| answer))
        .build()
}

#[test]
fn the_model_approves_one_command_and_what_it_denies_a_person_can_allow_once() {
    let at = || situation().at_terminal();
    let yes = smart(Advice::Approve, Choice::Deny);
    let outcome = check(&yes, ASKED, at());
    assert_eq!((outcome.approved, outcome.stage), (true, Stage::Smart));
    assert!(yes.sessions().list("default").is_empty());
    let result = serde_json::to_value(GuardResult::from(&outcome)).unwrap();
    assert_eq!(result["smart_approved"], true);
    // Never in place of the person who wants to be asked, and never without a person.
    assert_eq!(stage(&yes, "rm -rf lib", at()), (false, Stage::Asked));
    assert_eq!(stage(&yes, ASKED, situation()), (false, Stage::Headless));
    assert_eq!(stage(&yes, FLOOR, at()), (false, Stage::Hardline));

    let no = smart(Advice::Deny, Choice::Always);
    let outcome = check(&no, ASKED, at());
    assert_eq!(
        (outcome.approved, outcome.choice()),
        (true, Some(Choice::Once))
    );
    assert!(no.sessions().list("default").is_empty());
    let no = smart(Advice::Deny, Choice::Deny);
    let result = GuardResult::from(&check(&no, ASKED, at()));
    assert!(result.smart_denied && !result.approved);

    let unsure = Advice::Escalate {
        problem: "?".to_owned(),
    };
    let unsure = smart(unsure, Choice::Session);
    assert_eq!(stage(&unsure, ASKED, at()), (true, Stage::Asked));
    assert_eq!(stage(&unsure, ASKED, at()), (true, Stage::Granted));
}

struct Broken;

impl Adviser for Broken {
    fn advise(&self, _: &str, _: &str, _: Platform) -> Advice {
        panic!("in the test");
    }
}

#[test]
fn an_adviser_that_panics_leaves_the_question_to_a_person() {
    let approver = Approver::builder(policy(json!({"mode": "smart"})))
        .adviser(Broken)
        .terminal(Callback::new(|_| Choice::Once))
        .build();
    let at = situation().at_terminal();
    assert_eq!(stage(&approver, ASKED, at), (true, Stage::Asked));
}

#[derive(Default)]
struct Listener(Mutex<Vec<String>>);

impl Hook for Listener {
    fn before(&self, event: &Event<'_>) {
        let line = format!("before {:?} {}", event.surface, event.command);
        self.0.lock().unwrap().push(line);
    }

    fn after(&self, event: &Event<'_>) {
        let line = format!("after {:?} {}", event.surface, event.choice.unwrap());
        self.0.lock().unwrap().push(line);
    }
}

#[test]
fn hooks_are_told_of_the_model_and_of_the_person_without_secrets() {
    let listener = Arc::new(Listener::default());
    let approver = Approver::builder(policy(json!({"mode": "smart"})))
        .adviser(Says(Advice::Deny, AtomicUsize::new(0)))
        .terminal(Callback::new(|_| Choice::Deny))
        .hook(Arc::clone(&listener) as Arc<dyn Hook>)
        .build();
    let at = situation().at_terminal();
    check(&approver, "rm -rf src --token=abcdef", at.clone());
    check(&approver, SAFE, at);
    assert_eq!(
        *listener.0.lock().unwrap(),
        [
            "before Smart rm -rf src --token=***",
            "after Smart smart_deny",
            "before Cli rm -rf src --token=***",
            "after Cli deny",
        ]
    );
}

// APPR-03
#[test]
fn always_where_it_was_not_offered_means_this_conversation() {
    struct Insists;
    impl Asker for Insists {
        fn ask(&self, request: &ApprovalRequest) -> Answer {
            assert!(!request.allow_always);
            Answer::person(Choice::Always, Duration::ZERO)
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("config.yaml");
    let approver = Approver::builder(policy(json!({"ask": ["ls*"]})))
        .terminal(Insists)
        .allowlist(AllowlistFile::new(&config))
        .build();
    let at = || situation().at_terminal();
    let outcome = check(&approver, SAFE, at());
    assert_eq!(
        (outcome.approved, outcome.choice()),
        (true, Some(Choice::Session))
    );
    assert!(!config.exists());
    assert_eq!(stage(&approver, SAFE, at()), (true, Stage::Granted));
}

// APPR-04
#[test]
fn deny_holds_always_ask_holds_under_yolo_and_allow_is_silent() {
    let settings = json!({"deny": ["rm -rf*"], "ask": ["ssh*"], "allow": ["git status"]});
    let approver = answering(policy(settings), Choice::Once);
    let yolo = || situation().at_terminal().with_yolo();
    assert_eq!(
        stage(&approver, "rm -rf x", yolo()),
        (false, Stage::UserDeny)
    );
    assert_eq!(
        stage(&approver, "cd x && sudo rm -rf y", yolo()),
        (false, Stage::UserDeny)
    );
    assert_eq!(
        stage(&approver, "ssh host uptime", yolo()),
        (true, Stage::Asked)
    );
    assert_eq!(
        stage(&approver, "cd x; ssh host", yolo()),
        (true, Stage::Asked)
    );
    assert_eq!(stage(&approver, "git status", yolo()), (true, Stage::Yolo));
    let at = situation().at_terminal();
    assert_eq!(stage(&approver, "git status", at), (true, Stage::Allowlist));
    let denying = policy(json!({"ask": ["ssh*"]}));
    let outcome = check(&answering(denying, Choice::Deny), "ssh h", yolo());
    assert!(!outcome.approved);
    assert_eq!(outcome.keys, ["approvals.ask: ssh*"]);
}

// APPR-01
#[test]
fn a_key_on_the_allowlist_approves_the_same_command_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("config.yaml");
    std::fs::write(&config, "command_allowlist: [\"recursive delete\"]\n").unwrap();
    let approver = with_allowlist(folder.path(), Choice::Deny);
    for at in [
        situation().at_terminal(),
        situation(),
        situation().in_cron(),
        situation().in_gateway(),
    ] {
        assert_eq!(stage(&approver, ASKED, at), (true, Stage::Granted));
    }
}

// APPR-06
#[test]
fn words_that_are_data_are_allowed_and_commands_behind_them_are_not() {
    let approver = Approver::builder(Policy::default()).build();
    for command in [
        "grep \"chmod 777\" .",
        "echo rm -rf /",
        "cat <<'EOF'\nrm -rf /\nEOF",
    ] {
        assert_eq!(
            stage(&approver, command, situation()),
            (true, Stage::Clean),
            "{command}"
        );
    }
    for command in ["x; rm -rf /", "$(rm -rf /)"] {
        assert!(!stage(&approver, command, situation()).0, "{command}");
    }
}

// APPR-07
#[test]
fn silence_denies_says_that_it_is_no_consent_and_ends_the_turn_where_that_is_set() {
    struct Silent;
    impl Asker for Silent {
        fn ask(&self, _: &ApprovalRequest) -> Answer {
            Answer::denied(AnsweredBy::Timeout, Duration::from_secs(60))
        }
    }
    for (word, stops) in [("continue", OnTimeout::Continue), ("stop", OnTimeout::Stop)] {
        let approver = Approver::builder(policy(json!({"on_timeout": word})))
            .terminal(Silent)
            .build();
        let outcome = check(&approver, ASKED, situation().at_terminal());
        let stops = stops == OnTimeout::Stop;
        assert_eq!((outcome.approved, outcome.stop_turn), (false, stops));
        let result = serde_json::to_value(GuardResult::from(&outcome)).unwrap();
        assert_eq!(
            (&result["outcome"], &result["user_consent"]),
            (&json!("timeout"), &json!(false))
        );
        let message = result["message"].as_str().unwrap();
        assert!(message.contains("Silence is no consent"), "{message}");
        assert_eq!(message.contains("End your turn"), stops, "{message}");
    }
}

// APPR-10
#[test]
fn a_payload_in_an_option_that_runs_programs_is_not_let_through() {
    let approver = Approver::builder(Policy::default()).build();
    for command in [
        "sort --compress-program=\"rm -rf /\" f",
        "rg --pre \"rm -rf /\" x",
        "man -P \"rm -rf /\" ls",
    ] {
        assert_eq!(
            stage(&approver, command, situation()),
            (false, Stage::Hardline),
            "{command}"
        );
    }
}

#[test]
fn a_messenger_is_asked_through_its_queue_and_without_a_listener_the_request_is_kept() {
    let gateway = Gateway::new(GatewayOptions::default());
    let approver = Approver::builder(Policy::default())
        .gateway(gateway.clone())
        .build();
    let at = || situation().in_gateway().in_session("chat");
    let outcome = check(&approver, ASKED, at());
    let result = serde_json::to_value(GuardResult::from(&outcome)).unwrap();
    assert_eq!(result["status"], "pending_approval");
    assert_eq!(result["approval_pending"], true);
    assert_eq!(result["approved"], false);
    assert_eq!(result["pattern_key"], "recursive delete");
    assert!(gateway.take_stored("chat").is_some());

    let answerer = gateway.clone();
    gateway.register("chat", move |request| {
        assert_eq!(request.session_key, "chat");
        let reply = Reply::parse("/deny not now").unwrap();
        assert_eq!(answerer.resolve("chat", &reply), 1);
        Ok(())
    });
    let outcome = check(&approver, ASKED, at());
    let result = GuardResult::from(&outcome);
    assert_eq!(result.outcome, Some("denied"));
    assert_eq!(result.deny_reason.as_deref(), Some("not now"));
    assert!(result.message.unwrap().contains("Reason: not now."));

    let answerer = gateway.clone();
    gateway.register("chat", move |_| {
        answerer.resolve("chat", &Reply::approve("session").unwrap());
        Ok(())
    });
    assert_eq!(stage(&approver, ASKED, at()), (true, Stage::Asked));
    assert_eq!(stage(&approver, ASKED, at()), (true, Stage::Granted));
    approver.clear_session("chat");
    gateway.unregister("chat");
    assert!(check(&approver, ASKED, at()).pending.is_some());
}

#[test]
fn the_plain_object_has_the_names_that_callers_read() {
    let at = || situation().at_terminal();
    let to_json = |result: GuardResult| serde_json::to_value(result).unwrap();
    let approver = answering(Policy::default(), Choice::Once);
    let request = |command: &str| CommandRequest::new(command, at());
    let safe = to_json(check_all_command_guards(&approver, &request(SAFE)));
    assert_eq!(safe, json!({"approved": true, "message": null}));
    let floor = to_json(check_all_command_guards(&approver, &request(FLOOR)));
    assert_eq!(floor["hardline"], true);
    assert!(
        floor["message"]
            .as_str()
            .unwrap()
            .starts_with("BLOCKED (hardline): ")
    );
    assert_eq!(floor.as_object().unwrap().len(), 3);
    let yes = to_json(check_all_command_guards(&approver, &request(ASKED)));
    assert_eq!(yes["user_approved"], true);
    assert!(yes["message"].is_null() && yes["description"].is_string());
    let approver = answering(Policy::default(), Choice::Deny);
    let no = to_json(check_all_command_guards(&approver, &request(ASKED)));
    assert_eq!(no["pattern_key"], "recursive delete");
    assert_eq!(
        (&no["outcome"], &no["user_consent"]),
        (&json!("denied"), &json!(false))
    );
    let approver = answering(policy(json!({"deny": ["ls*"]})), Choice::Once);
    let own = to_json(check_all_command_guards(&approver, &request(SAFE)));
    assert_eq!(
        (&own["user_deny"], &own["approved"]),
        (&json!(true), &json!(false))
    );
}

#[test]
fn the_older_entry_point_does_not_look_at_the_mode_but_at_yolo() {
    let approver = answering(policy(json!({"mode": "off"})), Choice::Deny);
    let request = CommandRequest::new(ASKED, situation().at_terminal());
    assert!(check_all_command_guards(&approver, &request).approved);
    assert!(!check_dangerous_command(&approver, &request).approved);
    let yolo = CommandRequest::new(ASKED, situation().with_yolo());
    assert!(check_dangerous_command(&approver, &yolo).approved);
    let floor = CommandRequest::new(FLOOR, situation().with_yolo());
    assert!(check_dangerous_command(&approver, &floor).hardline);
}

#[test]
fn each_decision_is_recorded_where_that_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let approver = Approver::builder(Policy::default())
        .terminal(Callback::new(|_| Choice::Once))
        .audit(AuditOptions::new(&path))
        .build();
    for (command, at) in [
        (SAFE, situation()),
        (FLOOR, situation()),
        ("rm -rf src --password=hunter2", situation().at_terminal()),
    ] {
        assert!(check(&approver, command, at).notes.is_empty());
    }
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("hunter2"));
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let stages: Vec<&str> = lines
        .iter()
        .map(|line| line["decision"]["stage"].as_str().unwrap())
        .collect();
    assert_eq!(stages, ["clean", "hardline", "asked"]);
    assert_eq!(lines[2]["decision"]["answer"]["choice"], "once");
    assert_eq!(lines[2]["verdict"]["rule"], "fs.recursive-delete");
}

#[test]
fn variables_say_who_is_there() {
    let env = AnalysisEnv::new("/home/sam");
    let from = |pairs: &[(&str, &str)]| {
        Situation::from_variables(env.clone(), |name| {
            let found = pairs.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    };
    assert_eq!(from(&[]), Situation::new(env.clone()));
    assert!(from(&[("HERMES_INTERACTIVE", "1")]).interactive);
    assert!(!from(&[("HERMES_INTERACTIVE", "0")]).interactive);
    assert!(from(&[("HERMES_SESSION_PLATFORM", "telegram")]).gateway);
    let cron = from(&[
        ("HERMES_GATEWAY_SESSION", "1"),
        ("HERMES_CRON_SESSION", "true"),
    ]);
    assert!(cron.cron && !cron.gateway);
    assert!(from(&[("HERMES_YOLO_MODE", " Yes ")]).yolo);
    assert!(from(&[("HERMES_EXEC_ASK", "on")]).exec_ask);
    assert!(from(&[("SUDO_PASSWORD", "")]).sudo_password);
    assert_eq!(from(&[("HERMES_SESSION_KEY", "k")]).session_key, "k");
    assert_eq!(from(&[("HERMES_SESSION_KEY", " ")]).session_key, "default");
}

#[test]
fn nobody_to_be_asked_where_a_person_should_be_denies() {
    let approver = Approver::builder(Policy::default()).build();
    for at in [situation().at_terminal(), situation().in_gateway()] {
        let outcome = check(&approver, ASKED, at);
        assert_eq!((outcome.approved, outcome.stage), (false, Stage::Asked));
        assert_eq!(outcome.answer.unwrap().by, AnsweredBy::NobodyThere);
    }
}

#[test]
fn policies_that_are_read_are_those_that_are_used() {
    let settings = policy(json!({"cron_mode": "approve", "mode": "off"}));
    let approver = Approver::builder(settings).build();
    assert_eq!(approver.policy().cron_mode, CronMode::Approve);
    assert_eq!(approver.policy().mode, Mode::Off);
    assert_eq!(approver.policy().ask_without_human, AskWithoutHuman::Deny);
}
