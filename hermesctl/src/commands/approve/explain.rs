//! `approve explain`: a verdict with all that led to it, and the place marked in the text.

use std::ops::Range;

use hermes_kit::approval::redact::redact_around;
use hermes_kit::approval::{Coverage, Decision, Finding, Gap, RuleEffect, Span, Verdict, assess};
use serde_json::Value;

use super::command_text::joined;
use super::shown;
use crate::cli::{Explain, Global};
use crate::failure::Failure;
use crate::json;
use crate::output::{Output, Tone};
use crate::text::{one_line, width};

pub(super) fn run(global: &Global, args: &Explain, output: &mut Output) -> Result<(), Failure> {
    let platform = super::platform(args.reading.platform);
    let env = super::env(global, &args.reading, output)?;
    let command = joined(&args.command, platform);
    let verdict = assess(&command, &env, platform);
    if output.json() {
        let mut object = shown::object(&verdict)?;
        object.insert("command".to_owned(), Value::String(command));
        return json::object(output, &object);
    }
    output.line(shown::word(verdict.decision, output))?;
    output.line("")?;
    marked(&command, verdict.span, output)?;
    output.line("")?;
    if verdict.decision != Decision::Allow {
        shown::facts(&verdict, output)?;
    }
    output.fact("coverage", understood(&verdict))?;
    for (number, finding) in verdict.findings.iter().enumerate() {
        output.line("")?;
        self::finding(number + 1, finding, &command, output)?;
    }
    Ok(())
}

/// The text with a line of marks under the part that matters.
fn marked(command: &str, span: Option<Span>, output: &mut Output) -> Result<(), Failure> {
    let span = span.map_or(0..0, |span| span.start..span.end);
    let redacted = redact_around(command, span.clone());
    let span = redacted.shown_span(span);
    let mut start = 0;
    for line in redacted.as_str().split('\n') {
        let end = start + line.len();
        let part = span.start.clamp(start, end) - start..span.end.clamp(start, end) - start;
        let (before, inside, after) = cut(line, &part);
        let (before, inside, after) = (one_line(before), one_line(inside), one_line(after));
        let painted = output.paint(Tone::Match, &inside);
        let painted = if inside.is_empty() {
            inside.clone()
        } else {
            painted
        };
        output.line(format_args!("  {before}{painted}{after}"))?;
        if !inside.trim().is_empty() {
            let marks = "^".repeat(width(&inside));
            let marks = output.paint(Tone::Bad, marks);
            output.line(format_args!("  {}{marks}", " ".repeat(width(&before))))?;
        }
        start = end + 1;
    }
    Ok(())
}

fn cut<'t>(line: &'t str, part: &Range<usize>) -> (&'t str, &'t str, &'t str) {
    let piece = |range: Range<usize>| line.get(range).unwrap_or_default();
    (
        piece(0..part.start),
        piece(part.clone()),
        piece(part.end..line.len()),
    )
}

fn understood(verdict: &Verdict) -> String {
    match &verdict.coverage {
        Coverage::Full => "all of it".to_owned(),
        Coverage::NotUnderstood { .. } => "not: it is too large, or nested too deeply".to_owned(),
        Coverage::Partial(holes) => {
            let mut problems: Vec<&str> = Vec::new();
            for hole in holes {
                let problem = gap(hole.gap);
                if !problems.contains(&problem) {
                    problems.push(problem);
                }
            }
            format!("a part of it: {}", problems.join(", "))
        }
    }
}

fn gap(gap: Gap) -> &'static str {
    match gap {
        Gap::UnclosedQuote => "a quote is not closed",
        Gap::UnclosedBacktick => "a backtick is not closed",
        Gap::Unclosed => "a bracket or a block is not closed",
        Gap::UnclosedHereDocument => "a here-document does not end",
        Gap::Unexpected => "something stands where no shell expects it",
        Gap::DynamicCode => "code decides at run time what it runs",
        _ => "something else",
    }
}

fn finding(
    number: usize,
    finding: &Finding,
    command: &str,
    output: &mut Output,
) -> Result<(), Failure> {
    let effect = match finding.effect {
        RuleEffect::Ask => "asks",
        RuleEffect::SudoGuard => "blocks, unless a password for sudo is configured",
        RuleEffect::Hardline => "blocks",
    };
    let rule = output.paint(Tone::Name, finding.rule);
    output.line(format_args!(
        "{number}. {rule} ({}): {effect}",
        finding.severity.name()
    ))?;
    output.fact("  at", {
        let span = finding.span;
        let text = one_line(&shown::text(span.of(command)));
        format!("{}..{} {text}", span.start, span.end)
    })?;
    let resolved = one_line(&shown::text(&finding.resolved));
    output.fact("  runs", resolved)?;
    if !finding.wrappers.is_empty() {
        let around: Vec<&str> = finding
            .wrappers
            .iter()
            .map(|w| w.program.as_str())
            .collect();
        output.fact("  inside", one_line(&around.join(" > ")))?;
    }
    output.fact("  why", shown::text(&finding.reason))?;
    let keys: Vec<&str> = finding.keys.iter().map(|key| key.text).collect();
    if !keys.is_empty() {
        output.fact("  keys", keys.join(", "))?;
    }
    Ok(())
}
