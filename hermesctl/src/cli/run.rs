//! What `run` can be told.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[command(
    after_help = "What config.yaml, the allowlist and the grants of the home do not settle is asked at the\n\
                  terminal; without one approvals.ask_without_human decides. Standard output and standard\n\
                  error of the command both go to standard output, as they come. It reads this program's\n\
                  standard input, unless that is a terminal: then it gets end of file (see --stdin).\n\
                  Ctrl-C, SIGTERM and SIGHUP end the command with all that it has started.\n\
                  Exit codes: the command's own, 128 and the number of the signal that ended it; 64 wrong\n\
                  usage, 124 timed out, 125 not started or failed here, 126 denied, 130 Ctrl-C, 141 nobody\n\
                  reads the output."
)]
pub(crate) struct Run {
    /// Run it in this backend, whatever terminal.backend says
    #[arg(long, value_name = "NAME")]
    pub(crate) backend: Option<String>,
    /// Run it in this directory; where terminal.cwd says, or here, if not given
    #[arg(long, value_name = "DIR")]
    pub(crate) workdir: Option<PathBuf>,
    /// How long it may take, up to a day; as terminal.timeout says if not given
    #[arg(
        long,
        value_name = "SECONDS",
        value_parser = seconds,
        allow_negative_numbers = true
    )]
    pub(crate) timeout: Option<f64>,
    /// Allow, this once, what would be asked about. What is never allowed stays so
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Pass on what is typed, too
    #[arg(long)]
    pub(crate) stdin: bool,
    /// Record the command and its result in this session, which is made if it is not there
    #[arg(long, value_name = "SESSION")]
    pub(crate) record: Option<String>,
    /// Read the command from this file; - for standard input
    #[arg(long, short, value_name = "FILE", conflicts_with = "command")]
    pub(crate) file: Option<PathBuf>,
    /// The command: one text for the shell, or its words
    #[arg(
        required_unless_present = "file",
        trailing_var_arg = true,
        value_name = "CMD"
    )]
    pub(crate) command: Vec<OsString>,
}

/// A day.
const LONGEST: f64 = 86_400.0;

fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| "give a number".to_owned())?;
    if seconds > 0.0 && seconds <= LONGEST {
        return Ok(seconds);
    }
    Err(format!(
        "give a number above 0, and at most {LONGEST} (a day)"
    ))
}
