//! What a person sees when asked.

use std::io::{self, Write};
use std::ops::Range;

use crate::display::{lines, one_line};
use crate::{Answer, AnsweredBy, ApprovalRequest, Choice};

/// How much of a command is shown; of a longer one the beginning, the end and what is asked about.
const SHOWN: usize = 8_000;

pub(super) fn write(out: &mut impl Write, request: &ApprovalRequest) -> io::Result<()> {
    let severity = request
        .severity
        .as_deref()
        .map(|severity| format!(" ({})", one_line(severity)))
        .unwrap_or_default();
    writeln!(
        out,
        "\nThis command needs your approval: {}{severity}\n",
        one_line(&request.description)
    )?;
    for line in lines(&shortened(&request.command, request.span.clone())).lines() {
        writeln!(out, "    {line}")?;
    }
    if let Some(part) = part(request) {
        writeln!(out, "\n  It is about: {part}")?;
    }
    writeln!(out)?;
    for choice in request.choices() {
        writeln!(
            out,
            "  {:<11}{}",
            choice.offered(),
            meaning(choice, request)
        )?;
    }
    let letters: Vec<String> = request
        .choices()
        .map(|choice| match choice {
            // The capital is what silence means.
            Choice::Deny => "D".to_owned(),
            other => other.letter().to_string(),
        })
        .collect();
    write!(out, "Choice [{}]: ", letters.join("/"))
}

pub(super) fn write_answer(out: &mut impl Write, answer: &Answer) -> io::Result<()> {
    match answer.by {
        AnsweredBy::Timeout => writeln!(out, "\nNo answer in time: denied."),
        AnsweredBy::EndOfInput => writeln!(out, "\nNo answer: denied."),
        _ if answer.choice == Choice::Deny => writeln!(out, "Denied."),
        _ => writeln!(out, "Allowed: {}.", answer.choice),
    }
}

fn meaning(choice: Choice, request: &ApprovalRequest) -> String {
    let covers = match request.covers.as_slice() {
        [] => "the same again".to_owned(),
        covers => covers
            .iter()
            .map(|sentence| one_line(sentence))
            .collect::<Vec<_>>()
            .join("; and "),
    };
    match choice {
        Choice::Once => "run this command, this time".to_owned(),
        Choice::Session => format!("until this conversation ends: {covers}"),
        Choice::Always => format!("from now on, and in new conversations: {covers}"),
        Choice::Deny => "do not run it".to_owned(),
    }
}

/// The part that is asked about, if it is not the whole.
fn part(request: &ApprovalRequest) -> Option<String> {
    let span = request.span.clone()?;
    let part = request.command.get(span)?.trim();
    (!part.is_empty() && part != request.command.trim()).then(|| one_line(&shortened(part, None)))
}

fn shortened(command: &str, span: Option<Range<usize>>) -> String {
    if command.len() <= SHOWN {
        return command.to_owned();
    }
    let half = SHOWN / 2;
    let head = floor(command, half);
    let tail = floor(command, command.len() - half);
    let left_out = command.get(head..tail).unwrap_or_default();
    let hidden = match span {
        Some(span) if span.start < tail && head < span.end => ", with the part below",
        _ => "",
    };
    format!(
        "{}\n[… {} characters are not shown{hidden} …]\n{}",
        command.get(..head).unwrap_or_default(),
        left_out.chars().count(),
        command.get(tail..).unwrap_or_default()
    )
}

fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}
