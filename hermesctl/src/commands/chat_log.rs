//! `chat-log`: a conversation, message by message as it comes, into a session of the store.

mod answers;
mod recorder;

use std::io::BufRead;

use hermes_kit::state::NewMessage;

use crate::cli::{ChatLog, Global};
use crate::commands::chat_log::answers::Answers;
use crate::commands::chat_log::recorder::{Recorder, Summary};
use crate::commands::{rpc, sessions};
use crate::failure::Failure;
use crate::lines::{Line, Lines};
use crate::output::Output;
use crate::text::counted;
use crate::{home, json};

/// Messages that are stored in one transaction at most.
const BATCH: usize = 500;

pub(crate) fn run(global: &Global, args: &ChatLog, output: &mut Output) -> Result<(), Failure> {
    // The input first: a file that is not there must not bring a store into being.
    let (input, _) = sessions::import::open(&args.file)?;
    let mut lines = Lines::new(input);
    let store = home::store_to_write(global, output)?;
    let mut answers = Answers::new(output, args.acknowledge)?;
    let mut recorder = Recorder::new(&store, args)?;
    let recorded = record(&mut lines, &mut recorder, &mut answers);
    let ended = match recorded {
        Ok(true) => recorder.end(),
        Ok(false) => Ok(()),
        Err(failure) => Err(failure),
    };
    let summary = recorder.into_summary();
    if let Err(failure) = ended {
        return Err(failure.after(&before(&summary)));
    }
    let told = if output.json() {
        json::object(output, &summary)
    } else if args.acknowledge {
        Ok(())
    } else {
        tell(&summary, output)
    };
    match told {
        // Nobody reads it; the exit code still tells.
        Err(failure) if summary.bad_lines > 0 && failure.is_closed_pipe() => {}
        told => told?,
    }
    if summary.bad_lines == 0 {
        return Ok(());
    }
    let bad = counted(summary.bad_lines, "line");
    let rest = if args.strict {
        "nothing behind it was"
    } else {
        "everything else was"
    };
    let failure = Failure::new(
        "bad_lines",
        format!("{bad} could not be recorded; {rest}"),
        "correct them and record them alone: what is recorded already would be there twice",
    );
    Err(failure.already_told())
}

/// Records until the input ends; `false` if a bad line ended it before.
fn record(
    lines: &mut Lines<Box<dyn BufRead>>,
    recorder: &mut Recorder<'_>,
    answers: &mut Answers<'_>,
) -> Result<bool, Failure> {
    let mut batch = Vec::new();
    loop {
        let next = lines.next()?;
        let over = next.is_none();
        let mut bad = None;
        if let Some((number, line)) = next {
            match message(recorder.session(), number, line) {
                Ok(message) => batch.push((number, message)),
                Err(problem) => bad = Some((number, problem)),
            }
        }
        // Whoever waits for an answer before they send the next line gets it.
        if over || bad.is_some() || batch.len() >= BATCH || !lines.more_is_there() {
            let all = recorder.store(&mut batch, answers)?;
            if recorder.strict() && !all {
                return Ok(false);
            }
            if let Some((number, problem)) = bad {
                recorder.refuse(number, problem, answers)?;
                if recorder.strict() {
                    return Ok(false);
                }
            }
        }
        if over {
            return Ok(true);
        }
    }
}

fn message(session: &str, number: u64, line: Line<'_>) -> Result<NewMessage, String> {
    let line = line.map_err(str::to_owned)?;
    let line = match number {
        1 => line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line),
        _ => line,
    };
    let text = std::str::from_utf8(line).map_err(|error| format!("it is no UTF-8: {error}"))?;
    let object = serde_json::from_str(text).map_err(|error| format!("it is no JSON: {error}"))?;
    rpc::message_of(session, object)
}

fn tell(summary: &Summary, output: &mut Output) -> Result<(), Failure> {
    let messages = counted(summary.messages, "message");
    output.line(format_args!("recorded {messages}"))?;
    if summary.ended {
        output.line("the session is ended")?;
    }
    Ok(())
}

fn before(summary: &Summary) -> String {
    match &summary.session_id {
        Some(id) => {
            let messages = counted(summary.messages, "message");
            format!("{messages} of session {id} had been recorded before")
        }
        None => "nothing had been recorded".to_owned(),
    }
}
