//! `config.yaml`, `.env`, and what they say of approvals.

use hermes_kit::approval::allowlist::AllowlistFile;
use hermes_kit::approval::{AnalysisEnv, Mode, Situation};
use hermes_kit::{Config, DotEnv, Hermes, Place};
use serde_json::json;

use super::finding::{Exam, Finding};
use crate::commands::approve::allowlist::covers_nothing;
use crate::text::counted;

pub(super) fn examine(hermes: &Hermes, exam: &mut Exam) {
    let env = env(hermes, exam);
    let lookup = |name: &str| env.or(name, &|name| std::env::var(name).ok());
    let file = hermes.home().config_file();
    let shown = hermes.home().display_path(&file);
    let exists = file.exists();
    let there = if exists { "" } else { ", not there: defaults" };
    exam.line("config", format!("{shown}{there}"));
    exam.fact(
        "config",
        json!({"path": file.to_string_lossy(), "exists": exists}),
    );
    match hermes.config() {
        Ok(config) => {
            problems(&config, &lookup, exam);
            #[cfg(unix)]
            unused(hermes, &lookup, exam);
            #[cfg(unix)]
            places(hermes, &config, &env, &lookup, exam);
            approvals(hermes, &config, &lookup, exam);
        }
        Err(error) => exam.failed("config", error),
    }
}

/// The variables of `.env`: none if it cannot be read.
fn env(hermes: &Hermes, exam: &mut Exam) -> DotEnv {
    let file = hermes.home().env_file();
    let shown = hermes.home().display_path(&file);
    let env = match hermes.dot_env(&|name| std::env::var(name).ok()) {
        Ok(env) => env,
        Err(error) => {
            exam.failed("env", error);
            return DotEnv::default();
        }
    };
    let count = env.iter().count();
    let exists = file.exists();
    if exists {
        exam.line(
            "env",
            format!("{shown}, {}", counted(count as u64, "variable")),
        );
    } else {
        exam.line("env", format!("{shown}, not there"));
    }
    exam.fact(
        "env",
        json!({"path": file.to_string_lossy(), "exists": exists, "variables": count}),
    );
    for line in env.skipped_lines() {
        let message = format!("line {line} of {shown} is not understood, and passed over");
        exam.find(
            Finding::warning("bad_env_line", "env", message)
                .at(*line, None)
                .remedy("write NAME=value, with quotes around what has blanks or #"),
        );
    }
    env
}

fn problems(config: &Config, lookup: &dyn Fn(&str) -> Option<String>, exam: &mut Exam) {
    for problem in config.problems(lookup) {
        let finding = Finding::error("bad_setting", "config", problem.to_string());
        exam.find(match &problem.place {
            Place::File { line, column } => finding
                .at(*line, Some(*column))
                .remedy(format!("write {} there, or take it out", problem.expected)),
            Place::Variable(name) => {
                finding.remedy(format!("set {name} to {}, or unset it", problem.expected))
            }
            _ => finding.remedy(format!("make it {}", problem.expected)),
        });
    }
}

/// What is set, and changes nothing.
#[cfg(unix)]
fn unused(hermes: &Hermes, lookup: &dyn Fn(&str) -> Option<String>, exam: &mut Exam) {
    // What keeps a file from being read has been told.
    for unused in hermes.unused_settings(lookup).unwrap_or_default() {
        let finding = Finding::warning("unused_setting", "config", unused.to_string());
        exam.find(match unused.place {
            Place::File { line, column } => finding.at(line, Some(column)).remedy(unused.remedy),
            _ => finding.remedy(unused.remedy),
        });
    }
}

/// Where commands on this machine shall start, and files that a shell shall read before they run,
/// that are not there.
#[cfg(unix)]
fn places(
    hermes: &Hermes,
    config: &Config,
    env: &DotEnv,
    lookup: &dyn Fn(&str) -> Option<String>,
    exam: &mut Exam,
) {
    // What is wrong in the settings has been told; those of another machine are not here.
    let Ok(terminal) = config.terminal(lookup) else {
        return;
    };
    if terminal.backend != "local" {
        return;
    }
    if let Some(directory) = hermes
        .start_directory(&terminal)
        .filter(|cwd| !cwd.is_dir())
    {
        let shown = hermes.home().display_path(&directory);
        let message = format!("terminal.cwd, where commands start, is not there: {shown}");
        exam.find(
            Finding::warning("cwd_missing", "config", message)
                .remedy("make it, or name another; commands start in the nearest folder above it"),
        );
    }
    for file in hermes.shell_init_files(&terminal, env) {
        if !file.is_file() {
            let shown = hermes.home().display_path(&file);
            let message = format!("{shown} of terminal.shell_init_files is not there");
            exam.find(
                Finding::warning("init_file_missing", "config", message)
                    .remedy("make it, or take it out; commands run without it"),
            );
        }
    }
}

fn approvals(
    hermes: &Hermes,
    config: &Config,
    lookup: &dyn Fn(&str) -> Option<String>,
    exam: &mut Exam,
) {
    const AREA: &str = "approvals";
    let (policy, warnings) = match config.approval_policy() {
        Ok(read) => read,
        Err(error) => return exam.failed(AREA, error),
    };
    for warning in &warnings {
        exam.find(
            Finding::warning("bad_setting", AREA, warning.to_string())
                .remedy(format!("correct {} in config.yaml", warning.setting)),
        );
    }
    let file = AllowlistFile::new(hermes.home().config_file());
    let list = match file.current() {
        Ok(list) => Some(list),
        Err(error) => {
            exam.failed("allowlist", error);
            None
        }
    };
    let mode = match policy.mode {
        Mode::Manual => "manual",
        Mode::Smart => "smart",
        Mode::Off => "off",
    };
    let entries = list.as_ref().map_or(0, |list| list.entries().len());
    exam.line(
        AREA,
        format!(
            "mode {mode}, {entries} allowed for good, {} denied",
            policy.deny.len()
        ),
    );
    exam.fact(
        AREA,
        json!({"mode": mode, "allowlist": entries, "deny": policy.deny.len()}),
    );
    if policy.mode == Mode::Off {
        exam.find(
            Finding::warning(
                "approvals_off",
                AREA,
                "nobody is asked before dangerous commands",
            )
            .remedy("set approvals.mode to manual in config.yaml"),
        );
    }
    if Situation::from_variables(AnalysisEnv::new(""), lookup).yolo {
        let message = "HERMES_YOLO_MODE is set: nobody is asked before dangerous commands";
        exam.find(
            Finding::warning("approvals_off", AREA, message)
                .remedy("unset it, here or in the home's .env"),
        );
    }
    let Some(list) = list else { return };
    for ignored in list.ignored() {
        let message = format!(
            "an entry of command_allowlist is {}, and approves nothing",
            ignored.found
        );
        exam.find(
            Finding::warning("allowlist_ignored", "allowlist", message)
                .at(ignored.line, None)
                .remedy("put quotes around it, or take it out"),
        );
    }
    for entry in list.entries() {
        let (message, remedy) = if covers_nothing(&entry.text) {
            (
                "approves nothing: it has an operator of the shell",
                "remove",
            )
        } else if entry.text.chars().all(|c| c == '*') {
            (
                "approves every command without an operator of the shell",
                "remove",
            )
        } else {
            continue;
        };
        let finding = Finding::warning(
            "allowlist_entry",
            "allowlist",
            format!("the entry {:?} {message}", entry.text),
        );
        exam.find(finding.at(entry.line, None).remedy(format!(
            "`hermesctl approve allowlist {remedy}` takes it out"
        )));
    }
}
