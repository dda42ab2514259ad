//! `approve`: judging commands, and what is allowed for good.

pub(super) mod allowlist;
mod batch;
mod check;
pub(super) mod command_text;
mod corpus;
mod explain;
mod hook;
mod rules;
mod shown;

use hermes_kit::approval::{AnalysisEnv, Platform};

use crate::cli::{Approve, Global, Language, Reading};
use crate::failure::Failure;
use crate::home;
use crate::output::Output;

pub(crate) fn run(global: &Global, command: &Approve, output: &mut Output) -> Result<(), Failure> {
    match command {
        Approve::Check(args) if args.batch => batch::run(global, &args.reading, output),
        // The exit code is the answer here: nothing that goes wrong may look like one.
        Approve::Check(args) => check::run(global, args, output).map_err(Failure::even_if_closed),
        Approve::Explain(args) => explain::run(global, args, output),
        Approve::Rules { command } => rules::run(command.as_ref(), output),
        Approve::Allowlist(command) => allowlist::run(global, command, output),
        Approve::Test(args) => corpus::run(global, args, output),
        Approve::Hook(args) => hook::run(global, args, output),
    }
}

fn platform(language: Language) -> Platform {
    match language {
        Language::Posix => Platform::Posix,
        Language::Cmd => Platform::Cmd,
        Language::Powershell => Platform::PowerShell,
    }
}

/// Homes and directory, by the options, or as they are here.
fn env(global: &Global, reading: &Reading, output: &Output) -> Result<AnalysisEnv, Failure> {
    let text = |path: &std::path::Path| path.to_string_lossy().into_owned();
    let user_home = match &reading.user_home {
        Some(path) => text(path),
        None => std::env::home_dir()
            .filter(|path| !path.as_os_str().is_empty())
            .map_or_else(|| "/root".to_owned(), |path| text(&path)),
    };
    let mut env = AnalysisEnv::new(user_home);
    if let Some(path) = &reading.hermes_home {
        env.hermes_home = text(path);
    } else if reading.user_home.is_none() || global.home.is_some() || global.profile.is_some() {
        // Beside another user's home, ours means nothing.
        env.hermes_home = text(home::resolve_to_read(global, output)?.home().path());
    }
    env.cwd = match &reading.cwd {
        Some(path) => Some(text(path)),
        None if reading.user_home.is_none() => std::env::current_dir().ok().map(|path| text(&path)),
        None => None,
    };
    Ok(env)
}
