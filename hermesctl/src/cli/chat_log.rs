//! What `chat-log` can be told.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[command(
    after_help = "A line is an object with `role`, and with what else the message has: content, tool_calls,\n\
                  tool_call_id, tool_name, timestamp (seconds since 1970), token_count, finish_reason,\n\
                  reasoning, … as an export has them; other keys are passed over.\n\
                  Exit codes: 0 all lines recorded, 1 some were not, or it failed."
)]
pub(crate) struct ChatLog {
    /// The file of JSON lines; - for standard input, recorded as the lines come
    #[arg(default_value = "-")]
    pub(crate) file: PathBuf,
    /// The session, to the letter: continued if it is there, made if not; a new one if not given
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// The session's title
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// Where a new session is held
    #[arg(long, default_value = "cli")]
    pub(crate) source: String,
    /// The model of a new session
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// The working directory of a new session (stores of version 14 and newer)
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<String>,
    /// End the session with this reason when the input has ended
    #[arg(long, value_name = "REASON")]
    pub(crate) end: Option<String>,
    /// Stop at the first line that cannot be recorded
    #[arg(long)]
    pub(crate) strict: bool,
    /// Answer each line as soon as it is stored for good: {"line", "session_id", "id"}, or
    /// {"line", "error"}
    #[arg(long)]
    pub(crate) acknowledge: bool,
}
