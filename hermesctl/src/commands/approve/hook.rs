//! `approve hook`: the answer to an event that an agent sends before it runs a tool.
//!
//! The lists and grants of the home count here, as they do where Hermes itself decides. What goes
//! wrong is never an answer that lets a command run.

mod call;
mod reader;

use std::io::Read;

use hermes_kit::Hermes;
use hermes_kit::approval::allowlist::AllowlistFile;
use hermes_kit::approval::grants::GrantsFile;
use hermes_kit::approval::redact::redact;
use hermes_kit::approval::{
    Approver, AskWithoutHuman, CommandRequest, CronMode, Outcome, Policy, Situation, Stage,
};
use serde_json::{Value, json};

use call::Call;

use crate::cli::{Global, Hook, OnAsk};
use crate::failure::Failure;
use crate::home;
use crate::output::Output;

/// The most that is read of an event, in bytes.
const LONGEST: u64 = 64 << 20;

/// What agents take for "block" when they cannot read the answer.
const EXIT_BLOCK: u8 = 2;

/// Whose event it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Hermes' shell hooks.
    Hermes,
    /// Claude Code's hooks.
    ClaudeCode,
}

/// What is answered, the worst last.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Reply {
    /// It is none of our business.
    Nothing,
    Allow,
    Ask(String),
    Deny(String),
}

pub(super) fn run(global: &Global, args: &Hook, output: &mut Output) -> Result<(), Failure> {
    // Failures are for stderr: an agent takes what is printed for an answer.
    output.stream()?;
    let reader = reader::open()?;
    let (shape, event) = event().map_err(|failure| failure.with_exit(EXIT_BLOCK))?;
    let reply = reply(global, args, &event, output);
    let answer = match shape {
        Shape::Hermes => for_hermes(reply, args.on_ask),
        Shape::ClaudeCode => for_claude_code(reply),
    };
    reader::tell(reader, &format!("{answer}\n"))
}

fn event() -> Result<(Shape, Value), Failure> {
    let bad = |problem: String| {
        Failure::new(
            "bad_event",
            format!("the event is not understood: {problem}"),
            "call this from a pre_tool_call hook of Hermes or a PreToolUse hook of Claude Code",
        )
    };
    let mut bytes = Vec::new();
    let read = std::io::stdin()
        .lock()
        .take(LONGEST)
        .read_to_end(&mut bytes);
    read.map_err(|error| bad(error.to_string()))?;
    let event: Value = serde_json::from_slice(&bytes).map_err(|error| bad(error.to_string()))?;
    let shape = match event.get("hook_event_name").and_then(Value::as_str) {
        Some("pre_tool_call") => Shape::Hermes,
        Some("PreToolUse") => Shape::ClaudeCode,
        Some(other) => return Err(bad(format!("its hook_event_name is {other:?}"))),
        None => return Err(bad("it has no hook_event_name".to_owned())),
    };
    Ok((shape, event))
}

fn reply(global: &Global, args: &Hook, event: &Value, output: &Output) -> Reply {
    let tool = event.get("tool_name").and_then(Value::as_str);
    let input = event.get("tool_input").unwrap_or(&Value::Null);
    let call = match tool.and_then(|tool| call::read(tool, input)) {
        Some(Ok(call)) => call,
        Some(Err(missing)) => {
            return Reply::Deny(format!("BLOCKED: the event names no {missing}."));
        }
        None => return Reply::Nothing,
    };
    match worst(global, args, &call, event, output) {
        Ok(Reply::Allow) if !call.is_all => Reply::Nothing,
        Ok(reply) => reply,
        Err(failure) => Reply::Ask(format!(
            "It could not be told whether this is allowed: {}",
            failure.problem()
        )),
    }
}

fn worst(
    global: &Global,
    args: &Hook,
    call: &Call,
    event: &Value,
    output: &Output,
) -> Result<Reply, Failure> {
    let hermes = home::resolve_to_read(global, output)?;
    let mut env = super::env(global, &args.reading, output)?;
    if let (None, Some(cwd)) = (&args.reading.cwd, event.get("cwd").and_then(Value::as_str)) {
        env.cwd = Some(cwd.to_owned());
    }
    let mut situation = Situation::new(env).in_language(
        call.language
            .unwrap_or_else(|| super::platform(args.reading.platform)),
    );
    situation.sudo_password = std::env::var_os("SUDO_PASSWORD").is_some();
    if let Some(session) = event.get("session_id").and_then(Value::as_str) {
        situation.session_key = session.to_owned();
    }
    let approver = approver(&hermes, policy(&hermes, output)?);
    let replies = call.commands.iter().map(|command| {
        for_outcome(&approver.check(&CommandRequest::new(command, situation.clone())))
    });
    Ok(replies.max().unwrap_or(Reply::Nothing))
}

/// The home's settings. Whoever sent the event asks the person, so that here nobody is there, and
/// what is to be asked comes out as such.
fn policy(hermes: &Hermes, output: &Output) -> Result<Policy, Failure> {
    let (mut policy, warnings) = hermes.approval_policy()?;
    for warning in warnings {
        output.remark(format_args!("warning: {warning}"));
    }
    policy.ask_without_human = AskWithoutHuman::Deny;
    policy.cron_mode = CronMode::Deny;
    Ok(policy)
}

fn approver(hermes: &Hermes, policy: Policy) -> Approver {
    let home = hermes.home();
    Approver::builder(policy)
        .allowlist(AllowlistFile::new(home.config_file()))
        .grants(GrantsFile::in_folder(home.path()))
        .build()
}

fn for_outcome(outcome: &Outcome) -> Reply {
    if outcome.approved {
        return Reply::Allow;
    }
    if outcome.stage == Stage::Headless {
        let reason = outcome.verdict.message.as_deref();
        let reason = reason.or(outcome.description.as_deref());
        return Reply::Ask(told(reason.unwrap_or("This command needs approval.")));
    }
    Reply::Deny(told(outcome.message.as_deref().unwrap_or("BLOCKED.")))
}

/// Agents write what they are told into their logs.
fn told(text: &str) -> String {
    redact(text).into_text()
}

/// Hermes blocks on this shape, and passes on anything else. It has no word for asking.
fn for_hermes(reply: Reply, on_ask: OnAsk) -> Value {
    let block = |reason: String| json!({"decision": "block", "reason": reason});
    match (reply, on_ask) {
        (Reply::Deny(reason), _) | (Reply::Ask(reason), OnAsk::Block) => block(reason),
        (Reply::Allow | Reply::Nothing, _) | (Reply::Ask(_), OnAsk::Pass) => json!({}),
    }
}

fn for_claude_code(reply: Reply) -> Value {
    let (decision, reason) = match reply {
        Reply::Allow => ("allow", "Nothing dangerous was found.".to_owned()),
        Reply::Ask(reason) => ("ask", reason),
        Reply::Deny(reason) => ("deny", reason),
        Reply::Nothing => return json!({}),
    };
    json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": decision,
        "permissionDecisionReason": reason,
    }})
}
