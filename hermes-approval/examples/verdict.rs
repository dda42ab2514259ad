//! Prints the verdict on a command: `cargo run --example verdict -- 'sudo rm -rf "$HOME"'`.
//!
//! `--platform cmd|powershell` reads it as Windows would; `--home DIR` says what `~` is; `--json`
//! prints all of it.

use std::process::ExitCode;

use hermes_approval::{AnalysisEnv, Decision, Platform, assess};

fn main() -> ExitCode {
    let mut platform = Platform::Posix;
    let mut env = AnalysisEnv::new("/home/agent");
    let mut json = false;
    let mut words = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--platform" => {
                platform = match arguments.next().as_deref() {
                    Some("cmd") => Platform::Cmd,
                    Some("powershell") => Platform::PowerShell,
                    _ => Platform::Posix,
                }
            }
            "--home" => env = AnalysisEnv::new(arguments.next().unwrap_or_default()),
            "--json" => json = true,
            "--" => {}
            _ => words.push(argument),
        }
    }
    let text = words.join(" ");
    let verdict = assess(&text, &env, platform);
    if json {
        match serde_json::to_string_pretty(&verdict) {
            Ok(text) => println!("{text}"),
            Err(error) => eprintln!("{error}"),
        }
    } else {
        println!("{} {:?}", verdict.decision.name(), verdict.keys);
        for finding in &verdict.findings {
            println!(
                "  {} {}: {:?} at {}..{}",
                finding.severity.name(),
                finding.rule,
                finding.resolved,
                finding.span.start,
                finding.span.end
            );
        }
        println!("  {}", verdict.message.unwrap_or_default());
    }
    ExitCode::from(match verdict.decision {
        Decision::Allow => 0,
        Decision::Ask => 2,
        Decision::Block => 3,
    })
}
