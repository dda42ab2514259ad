//! Prints what a command line runs: `cargo run --example analyse -- 'sudo rm -rf "$HOME"'`.
//!
//! `--platform cmd|powershell` reads it as Windows would; `--home DIR` says what `~` is.

use std::process::ExitCode;

use hermes_approval::{AnalysisEnv, Invocation, Platform, Word, analyse};

fn main() -> ExitCode {
    let mut platform = Platform::Posix;
    let mut env = AnalysisEnv::new("/home/agent");
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
            "--" => {}
            _ => words.push(argument),
        }
    }
    if words.is_empty() {
        eprintln!("usage: analyse [--platform cmd|powershell] [--home DIR] COMMAND");
        return ExitCode::from(64);
    }
    let text = words.join(" ");
    let analysis = analyse(&text, &env, platform);
    println!("coverage: {:?}", analysis.coverage);
    for hidden in &analysis.hidden {
        println!(
            "hidden:   {:?} at {}..{}",
            hidden.kind, hidden.span.start, hidden.span.end
        );
    }
    for invocation in analysis.invocations() {
        print_invocation(invocation, &text);
    }
    ExitCode::SUCCESS
}

fn print_invocation(invocation: &Invocation, text: &str) {
    let words: Vec<String> = invocation.argv.iter().map(show).collect();
    println!("#{} {}", invocation.id.0, words.join("  "));
    println!(
        "    in the text: {}",
        invocation.span.of(text).escape_debug()
    );
    for assignment in &invocation.assignments {
        let values: Vec<String> = assignment.values.iter().map(show).collect();
        println!("    sets {} = {}", assignment.name, values.join("  "));
    }
    for redirect in &invocation.redirects {
        let target = redirect.target.as_ref().map(show).unwrap_or_default();
        println!(
            "    {:?} {} {target}",
            redirect.operator, redirect.descriptor
        );
    }
    for wrapper in invocation.wrappers.iter() {
        println!("    wrapped by {} ({:?})", wrapper.program, wrapper.kind);
    }
    for effect in &invocation.effects {
        println!(
            "    {:?} {:?} by {}",
            effect.kind, effect.target, effect.call
        );
    }
    println!(
        "    stage {} of pipeline {}, {:?}, {:?}, {:?}",
        invocation.stage,
        invocation.pipeline.0,
        invocation.host,
        invocation.source,
        invocation.directory
    );
}

/// The word as it is known, unknown pieces as `⟨…⟩`.
fn show(word: &Word) -> String {
    if word.alternatives().is_empty() && word.known().is_some() {
        return word.text().escape_debug().to_string();
    }
    let unknowns: Vec<String> = word
        .unknowns()
        .map(|unknown| format!("{unknown:?}"))
        .collect();
    format!(
        "{}⟨{}{}⟩",
        word.text(),
        unknowns.join(", "),
        word.alternatives().join("|")
    )
}
