//! The command line: what can be said, and the help for it.

mod approve;
mod chat_log;
mod db;
mod fts;
#[cfg(unix)]
mod run;
mod search;
mod sessions;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

pub(crate) use approve::{
    Allowlist, Approve, Check, Explain, Hook, Language, OnAsk, Reading, Rules, Test,
};
pub(crate) use chat_log::ChatLog;
pub(crate) use db::{
    Backup, Checkpoint, Db, DbBackup, DbCheck, DbRepair, DbRestore, Info, Journal, JournalMode,
    Migrate, Optimize, Vacuum,
};
pub(crate) use fts::{Fts, Sanitize};
#[cfg(unix)]
pub(crate) use run::Run;
pub(crate) use search::{Search, Sort};
pub(crate) use sessions::{
    Archive, Archived, Bars, By, Delete, End, Existing, Export, Filter, Format, Import, Lineage,
    List, Named, Order, Prune, Rename, Scope, Sessions, Show, Stats, Sweep, Titles,
};

/// Search, list, show, export and import the sessions of a Hermes home.
#[derive(Debug, Parser)]
#[command(
    name = "hermesctl",
    version,
    disable_help_subcommand = false,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "Reading commands never create or change a store. \
                  Exit codes: 0 done, 1 failed, 64 wrong usage."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Use this Hermes home
    #[arg(long, global = true, value_name = "DIR", conflicts_with = "profile")]
    pub(crate) home: Option<PathBuf>,
    /// Use this profile
    #[arg(long, short, global = true, value_name = "NAME")]
    pub(crate) profile: Option<String>,
    /// Use this store instead of the home's state.db
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) db: Option<PathBuf>,
    /// Print JSON for programs
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Use colours: by default on a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
    /// Say more on stderr (twice: still more)
    #[arg(long, short, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Tell which Hermes home is used, and why
    Home(Home),
    /// List, make, change, export and import profiles
    #[command(subcommand)]
    Profile(Profile),
    /// Run a program with HERMES_HOME set to the home that is used
    Exec(Exec),
    /// Run a shell command as an agent would: approved first, where the config says
    #[cfg(unix)]
    Run(Box<Run>),
    /// List, show, change, delete, export and import sessions
    #[command(subcommand)]
    Sessions(Sessions),
    /// Record a conversation from JSON lines, a message each, into a session
    ChatLog(ChatLog),
    /// Find messages: words, "exact phrases", prefix*, OR, NOT, any language
    Search(Box<Search>),
    /// See how queries are read
    #[command(subcommand)]
    Fts(Fts),
    /// Tell at a glance what is wrong anywhere, and what to do about it. Changes nothing
    #[command(after_help = "Exit codes: 0 nothing is wrong, 4 findings.")]
    Doctor,
    /// Look after the database itself
    #[command(subcommand)]
    Db(Db),
    /// Look at the tools that a model is given, and call one
    #[command(subcommand)]
    Tools(Tools),
    /// Judge shell commands, and look at what is allowed for good
    #[command(subcommand)]
    Approve(Approve),
    /// Serve the store to a program: JSON-RPC 2.0 on standard input and output, a message a line
    Rpc,
    /// See it work on sample conversations in a temporary home
    Quickstart(Quickstart),
    /// Print a shell's completion script
    Completions {
        /// The shell
        shell: Shell,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Home {
    /// Tell of each step of the order what it found, and why the winner won
    #[arg(long)]
    pub(crate) explain: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Profile {
    /// List the profiles
    List,
    /// Show a profile: where it is, what it holds, who uses it
    Show {
        /// The profile; the one that is used if not given
        name: Option<String>,
    },
    /// Make an empty profile
    Create {
        /// Its name: a-z, 0-9, - and _
        name: String,
    },
    /// Make a profile with config.yaml, .env and SOUL.md of another one
    Clone {
        /// The profile to take from
        from: String,
        /// The new one
        to: String,
        /// Take its sessions too
        #[arg(long)]
        sessions: bool,
    },
    /// Give a profile another name
    Rename {
        /// The profile
        from: String,
        /// Its new name
        to: String,
        /// Even if a program has files of it open
        #[arg(long)]
        force: bool,
    },
    /// Delete a profile with all that is in it
    Delete {
        /// The profile
        name: String,
        /// Even if it is the active one, or a program has files of it open
        #[arg(long)]
        force: bool,
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
    },
    /// Choose the profile that is used when nothing else selects one
    Use {
        /// The profile; `default` for the root itself
        name: String,
    },
    /// Write a profile into a .tar.gz
    Export {
        /// The profile
        name: String,
        /// The archive; NAME.tar.gz in this folder if not given
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Its sessions too
        #[arg(long)]
        sessions: bool,
        /// .env and other secrets too
        #[arg(long)]
        secrets: bool,
        /// Replace an existing archive
        #[arg(long)]
        force: bool,
    },
    /// Make a profile of such an archive
    Import {
        /// The archive
        file: PathBuf,
        /// The new profile's name, if it is to be another than the archive's
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Exec {
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "CMD")]
    pub(crate) command: Vec<std::ffi::OsString>,
}

/// Which sources to look at.
#[derive(Debug, Default, Args)]
pub(crate) struct Sources {
    /// Only sessions of this source, such as cli or telegram (repeatable)
    #[arg(long = "source", value_name = "SOURCE")]
    pub(crate) only: Vec<String>,
    /// No sessions of this source (repeatable)
    #[arg(long = "exclude-source", value_name = "SOURCE")]
    pub(crate) except: Vec<String>,
}

/// Which part of the results to print.
#[derive(Debug, Args)]
pub(crate) struct Page {
    /// Print at most this many
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// Skip this many first
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) offset: usize,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Tools {
    /// List the tools, and which of them a model is given
    List(Toolsets),
    /// Show a tool: what a model is told of it, where it comes from, whether it can be used
    Show {
        /// The tool
        name: String,
    },
    /// Print what a model is told of its tools, as the list that backends take
    Definitions(Toolsets),
    /// List the toolsets, or show one
    Toolsets {
        /// The toolset
        name: Option<String>,
    },
    /// Tell which tools some toolsets stand for
    Resolve {
        /// The toolsets; `all` for every one
        #[arg(required = true)]
        names: Vec<String>,
    },
    /// Tell why a model is given a tool, or why not
    Why {
        /// The tool
        name: String,
        #[command(flatten)]
        toolsets: Toolsets,
    },
    /// Call a tool as a model would, and print the result
    Call {
        /// The tool
        name: String,
        /// Its arguments, a JSON object; - reads them from standard input
        #[arg(default_value = "{}")]
        arguments: String,
        #[command(flatten)]
        toolsets: Toolsets,
    },
}

/// Which toolsets the model has.
#[derive(Debug, Default, Args)]
pub(crate) struct Toolsets {
    /// Only this toolset (repeatable); every one if this is not given
    #[arg(long = "enable", value_name = "TOOLSET")]
    pub(crate) enable: Vec<String>,
    /// Not this toolset (repeatable)
    #[arg(long = "disable", value_name = "TOOLSET")]
    pub(crate) disable: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Quickstart {
    /// Keep the temporary home
    #[arg(long)]
    pub(crate) keep: bool,
}
