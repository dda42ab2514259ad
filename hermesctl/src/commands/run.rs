//! `run`: a shell command through approval and terminal of the home, as an agent's would go.

mod asking;
mod signals;

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hermes_kit::Hermes;
use hermes_kit::approval::{Callback, Choice, Platform};
use hermes_kit::state::NewSession;
use hermes_kit::terminal::{INTERRUPTED, Interrupt, NOT_STARTED, Outcome, Request, TIMED_OUT};
use serde_json::{Value, json};

use self::asking::AtTerminal;
use self::signals::Signals;
use crate::cli::{Global, Run};
use crate::commands::approve::command_text::joined;
use crate::failure::Failure;
use crate::output::Output;
use crate::{EXIT_USAGE, home, json};

/// What `env`, `timeout` and shells say of what is not the command's own doing.
const EXIT_OURS: u8 = 125;
const EXIT_DENIED: u8 = 126;
/// 128 and the number of SIGPIPE.
const EXIT_UNREAD: u8 = 141;

/// The task of commands that name none, so that a container is the one that an agent has.
const TASK: &str = "default";
/// The longest command that is read from a file.
const LONGEST: u64 = 16 << 20;

pub(crate) fn run(global: &Global, args: &Run, output: &mut Output) -> Result<(), Failure> {
    let ours = |failure: Failure| match failure.exit() {
        1 => failure.with_exit(EXIT_OURS).even_if_closed(),
        _ => failure,
    };
    outcome(global, args, output).map_err(ours)
}

fn outcome(global: &Global, args: &Run, output: &mut Output) -> Result<(), Failure> {
    let text = command(args)?;
    let interrupt = Interrupt::new().map_err(hermes_kit::Error::from)?;
    let signals = Signals::watch(interrupt.clone())?;
    let asker = AtTerminal::find(&interrupt);
    let can_ask = args.yes || asker.is_some();
    let said_no = asker.as_ref().map(AtTerminal::said_no).unwrap_or_default();
    let hermes = opened(global, args, asker, output)?;
    if let Some(session) = &args.record {
        // Before anything runs: what cannot be recorded is not run.
        let store = hermes.store()?;
        home::remark_on_migration(&store, output);
        store.create_session(&NewSession::new(session.as_str(), "cli"))?;
    }
    let terminal = hermes.terminal()?;
    let is_here = terminal.environment_of(TASK).name() == "local";
    let request = request(args, text, &interrupt, is_here)?;
    output.finish()?;

    let unread = AtomicBool::new(false);
    let shown = !output.json();
    let mut out = io::stdout().lock();
    let outcome = terminal.run_with_output(TASK, &request, |bytes| {
        let gone = unread.load(Ordering::Relaxed);
        if shown && !gone && out.write_all(bytes).and_then(|()| out.flush()).is_err() {
            unread.store(true, Ordering::Relaxed);
            interrupt.interrupt();
        }
    });
    drop(out);
    let outcome = outcome.map_err(hermes_kit::Error::from)?;
    let recorded = args.record.as_ref();
    let recorded = recorded.map(|session| hermes.record_command(session, &request, &outcome));
    let exit = if unread.into_inner() {
        EXIT_UNREAD
    } else {
        signals.exit().unwrap_or_else(|| exit_of(&outcome))
    };
    tell(&outcome, exit, output)?;
    if let Some(Err(error)) = recorded {
        let done = format!("the command had exited with {}", outcome.exit_code);
        return Err(Failure::from(error).after(&done));
    }
    if outcome.exit_code == NOT_STARTED && signals.exit().is_none() {
        let said_no = said_no.load(Ordering::Relaxed);
        return Err(denied(&outcome, can_ask, said_no));
    }
    match exit {
        0 => Ok(()),
        exit => Err(Failure::answer(exit)),
    }
}

/// The text for the shell.
fn command(args: &Run) -> Result<String, Failure> {
    let usage =
        |problem: String, hint: &str| Failure::new("usage", problem, hint).with_exit(EXIT_USAGE);
    let Some(file) = &args.file else {
        let words = args
            .command
            .iter()
            .map(|word| word.to_str().map(str::to_owned));
        let words: Option<Vec<String>> = words.collect();
        let words = words.ok_or_else(|| {
            usage(
                "the command is not UTF-8".to_owned(),
                "convert it, or write the bytes as $'\\xNN'",
            )
        })?;
        return Ok(joined(&words, Platform::Posix));
    };
    let unread = |error: io::Error| {
        Failure::new(
            "input",
            format!(
                "the command cannot be read from {}: {error}",
                file.display()
            ),
            "check the name and the rights of the file",
        )
    };
    let mut bytes = Vec::new();
    let source: Box<dyn Read> = match file == Path::new("-") {
        true => Box::new(io::stdin().lock()),
        false => Box::new(File::open(file).map_err(unread)?),
    };
    source
        .take(LONGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(unread)?;
    if bytes.len() as u64 > LONGEST {
        let problem = format!("the command has more than {} MiB", LONGEST >> 20);
        return Err(usage(problem, "put it into a file and run that"));
    }
    let request = Request::from_bytes(bytes).map_err(hermes_kit::Error::from)?;
    Ok(request.command().to_owned())
}

fn opened(
    global: &Global,
    args: &Run,
    asker: Option<AtTerminal>,
    output: &Output,
) -> Result<Hermes, Failure> {
    let (yes, can_ask) = (args.yes, args.yes || asker.is_some());
    home::open_with(global, output, |builder| {
        let builder = match &args.backend {
            Some(name) => builder.backend_named(name),
            None => builder,
        };
        builder
            .limits(|mut limits| {
                // Whoever sits here may wait as long as they like.
                limits.max_timeout = Duration::MAX;
                limits
            })
            .approvals(move |approver| match (yes, &asker) {
                (true, _) => approver.terminal(Callback::new(|_| Choice::Once)),
                (false, Some(asker)) => {
                    let timeout = approver.policy().timeout;
                    approver.terminal(asker.clone().waiting(timeout))
                }
                (false, None) => approver,
            })
            .situation(move |mut situation| {
                // Nobody in a messenger is asked about what somebody runs here.
                situation.gateway = false;
                situation.exec_ask = false;
                situation.interactive = can_ask;
                situation
            })
    })
}

fn request(
    args: &Run,
    text: String,
    interrupt: &Interrupt,
    is_here: bool,
) -> Result<Request, Failure> {
    let mut request = Request::new(text).with_interrupt(interrupt);
    if let Some(workdir) = &args.workdir {
        // As it is named from here, wherever the config lets commands start; on another machine and in
        // a container as it is named there.
        let named = match is_here {
            true => std::path::absolute(workdir)?,
            false => workdir.clone(),
        };
        request = request.in_directory(named);
    }
    if let Some(seconds) = args.timeout {
        request = request
            .with_timeout_seconds(seconds)
            .map_err(hermes_kit::Error::from)?;
    }
    let taken = args.file.as_deref() == Some(Path::new("-"));
    if !taken && (args.stdin || !io::stdin().is_terminal()) {
        let stdin = io::stdin().as_fd().try_clone_to_owned();
        // One that is closed has nothing to pass on.
        if let Ok(stdin) = stdin {
            request = request.with_stdin_from(stdin);
        }
    }
    Ok(request)
}

fn exit_of(outcome: &Outcome) -> u8 {
    match outcome.exit_code {
        NOT_STARTED => EXIT_DENIED,
        code => u8::try_from(code).unwrap_or(EXIT_OURS),
    }
}

fn status(outcome: &Outcome) -> &'static str {
    match outcome.exit_code {
        NOT_STARTED => "denied",
        TIMED_OUT if outcome.timed_out => "timed_out",
        INTERRUPTED if outcome.error.is_some() => "interrupted",
        _ => "ended",
    }
}

/// What there is to say besides the output.
fn tell(outcome: &Outcome, exit: u8, output: &mut Output) -> Result<(), Failure> {
    if output.json() {
        let mut object = serde_json::to_value(outcome)?;
        if let Value::Object(object) = &mut object {
            object.insert("status".to_owned(), json!(status(outcome)));
            object.insert("exit".to_owned(), json!(exit));
        }
        return json::object(output, &object);
    }
    for note in &outcome.notes {
        output.remark(format_args!("note: {note}"));
    }
    if let Some(error) = outcome
        .error
        .as_ref()
        .filter(|_| outcome.exit_code != NOT_STARTED)
    {
        output.remark(format_args!("hermesctl: {error}"));
    }
    Ok(())
}

fn denied(outcome: &Outcome, can_ask: bool, said_no: bool) -> Failure {
    let why = outcome.error.clone().unwrap_or_default();
    // What an approval says to a model begins so; other refusals say what to do.
    let (why, hint) = match (said_no, why.starts_with("BLOCKED"), can_ask) {
        (true, ..) => ("you have denied it".to_owned(), "nothing was run"),
        (_, false, _) => (why, "nothing was run"),
        (_, _, true) => (
            why,
            "nothing was run; `hermesctl approve explain` shows what was found in it",
        ),
        (_, _, false) => (
            why,
            "nothing was run; at a terminal it is asked about, and --yes allows what may be allowed",
        ),
    };
    Failure::new("denied", why, hint)
        .with_exit(EXIT_DENIED)
        .already_told()
}
