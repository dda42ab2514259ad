//! What `approve` can be told.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub(crate) enum Approve {
    /// Judge a command by itself: exits with 0 to allow, 2 to ask, 3 to block
    #[command(
        after_help = "Grants, modes and the lists in config.yaml are not looked at; `hook` does that.\n\
                            Exit codes: 0 allow, 2 ask, 3 block, 1 failed, 64 wrong usage."
    )]
    Check(Check),
    /// Show what a command comes down to, what was found in it, and where
    Explain(Explain),
    /// List the rules, or show one
    Rules {
        #[command(subcommand)]
        command: Option<Rules>,
    },
    /// List, add and remove what config.yaml allows for good (command_allowlist)
    #[command(subcommand)]
    Allowlist(Allowlist),
    /// Judge a file of commands whose right verdicts are known, and tell how often it was right
    Test(Test),
    /// Answer a hook event on standard input, as Hermes and Claude Code send them before a tool runs
    #[command(
        after_help = "Tools that are judged, whoever sends the event, in any case of letters:\n  \
                      terminal, bash, powershell: by `command`.\n  \
                      execute_code: by `code`, as python3 -c would run it.\n  \
                      write, edit, multiedit, notebookedit, write_file, patch: by the files they write, as tee\n  \
                      would; asked or denied, never allowed, for what is written is not looked at.\n\
                      Of any other tool nothing is said: {}.\n\
                      Exit codes: 0 with an answer; 2, which agents take for a block, if the event is not\n\
                      understood, or nobody would read the answer: standard output is closed, or /dev/null."
    )]
    Hook(Hook),
}

/// How commands are read.
#[derive(Debug, Args)]
pub(crate) struct Reading {
    /// The command language
    #[arg(long, value_name = "LANGUAGE", default_value = "posix")]
    pub(crate) platform: Language,
    /// What ~ stands for; the user's home if not given
    #[arg(long, value_name = "DIR")]
    pub(crate) user_home: Option<PathBuf>,
    /// What the Hermes home is taken for; the home that is used if not given
    #[arg(long, value_name = "DIR")]
    pub(crate) hermes_home: Option<PathBuf>,
    /// The directory that the command would start in
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    Posix,
    Cmd,
    Powershell,
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// Read commands from standard input, one a line: a JSON string, or an object with id and command
    #[arg(long, conflicts_with = "command")]
    pub(crate) batch: bool,
    /// The command: one text, or its words
    #[arg(
        required_unless_present = "batch",
        trailing_var_arg = true,
        value_name = "CMD"
    )]
    pub(crate) command: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// The command: one text, or its words
    #[arg(required = true, trailing_var_arg = true, value_name = "CMD")]
    pub(crate) command: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Rules {
    /// List all rules
    List,
    /// Show a rule with its keys and examples
    Show {
        /// Its id, such as fs.recursive-delete
        id: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Allowlist {
    /// List the entries
    List,
    /// Add entries: approval keys, commands, or globs for commands
    Add {
        /// The entries
        #[arg(required = true, value_name = "ENTRY")]
        entries: Vec<String>,
    },
    /// Remove entries
    Remove {
        /// The entries, to the letter
        #[arg(required = true, value_name = "ENTRY")]
        entries: Vec<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Test {
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// Show the commands that came out wrong, too
    #[arg(long)]
    pub(crate) wrong: bool,
    /// The file: JSON lines with command, verdict (safe, dangerous, hardline) and class
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Hook {
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// What Hermes is told where a person should be asked, which its hooks cannot do: block, or pass
    /// it on to Hermes' own approval
    #[arg(long, value_name = "ANSWER", default_value = "block")]
    pub(crate) on_ask: OnAsk,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnAsk {
    Block,
    Pass,
}
