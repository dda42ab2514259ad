//! `db checkpoint`.

use hermes_kit::state::Checkpoint as How;

use super::size;
use crate::cli::{Checkpoint, Global};
use crate::failure::Failure;
use crate::output::Output;
use crate::text::counted;
use crate::{home, json};

pub(crate) fn run(global: &Global, args: &Checkpoint, output: &mut Output) -> Result<(), Failure> {
    let (store, _) = home::store_to_change(global, output)?;
    let how = if args.truncate {
        How::Truncate
    } else {
        How::Passive
    };
    let done = store.checkpoint(how)?;
    if output.json() {
        json::object(output, &done)?;
    } else if done.log_pages == 0 && done.complete {
        output.line("the log is empty")?;
    } else if done.log_pages == 0 {
        let log = size(done.log_bytes_after);
        output.line(format_args!("nothing could be moved; the log has {log}"))?;
    } else {
        output.line(format_args!(
            "{} of {} moved into the file; the log had {}, and has {}",
            done.moved_pages,
            counted(done.log_pages, "page"),
            size(done.log_bytes_before),
            size(done.log_bytes_after)
        ))?;
    }
    if done.complete || !args.truncate {
        if !done.complete {
            output.remark("others use the rest: it stays in the log for now");
        }
        return Ok(());
    }
    let failure = Failure::new(
        "locked",
        "others read or write the store: its log could not be cut",
        "run it again when they are done; nothing is lost meanwhile",
    );
    Err(failure.already_told())
}
