//! A verdict for a person: what was found, with its place marked under the command.

use std::fmt::Write as _;

use crate::span::Span;
use crate::verdict::{Decision, Finding, Verdict, coverage_name};

/// Most lines of the command that are shown for a finding.
const MAX_LINES: usize = 6;
/// Most characters of a line that are shown.
const MAX_WIDTH: usize = 160;
/// Most findings that are shown one by one.
const MAX_FINDINGS: usize = 8;

/// Explains a verdict to a person.
///
/// The command is shown with the place of each finding marked by carets. Signs that a terminal
/// would obey, and those that can't be seen, are shown as escapes. `hidden` are stretches of the
/// command that are not to be shown (secrets); each is replaced by `***`.
///
/// ```
/// use hermes_approval::{AnalysisEnv, Platform, assess, explain};
///
/// let command = "cd /srv && rm -rf app";
/// let verdict = assess(command, &AnalysisEnv::new("/home/sam"), Platform::Posix);
/// let text = explain(&verdict, command, &[]);
/// assert!(text.contains("cd /srv && rm -rf app\n             ^^^^^^^^^^"));
/// ```
pub fn explain(verdict: &Verdict, command: &str, hidden: &[Span]) -> String {
    let mut text = String::with_capacity(512);
    let _ = write!(text, "{}", verdict.decision.name());
    if let Some(severity) = verdict.severity {
        let _ = write!(text, " ({})", severity.name());
    }
    if !verdict.coverage.is_full() {
        let _ = write!(text, ", coverage {}", coverage_name(&verdict.coverage));
    }
    text.push('\n');
    if verdict.decision == Decision::Allow {
        text.push_str("Nothing was found.\n");
    }
    for finding in verdict.findings.iter().take(MAX_FINDINGS) {
        one(&mut text, finding, command, hidden);
    }
    if let Some(more) = verdict.findings.len().checked_sub(MAX_FINDINGS + 1) {
        let _ = writeln!(text, "\n… and {} more", more + 1);
    }
    text
}

fn one(text: &mut String, finding: &Finding, command: &str, hidden: &[Span]) {
    let _ = writeln!(text, "\n{} ({})", finding.rule, finding.severity.name());
    let _ = writeln!(text, "  {}", finding.reason);
    mark(text, command, finding.span, hidden);
    let shown = finding.span.of(command);
    let overlaps = |h: &Span| h.start < finding.span.end && finding.span.start < h.end;
    if finding.resolved != shown && !hidden.iter().any(overlaps) {
        let _ = writeln!(text, "  comes down to: {}", harmless(&finding.resolved));
    }
    if !finding.wrappers.is_empty() {
        let names: Vec<String> = finding
            .wrappers
            .iter()
            .map(|w| harmless(&w.program))
            .collect();
        let _ = writeln!(text, "  inside: {}", names.join(" > "));
    }
    let keys: Vec<&str> = finding.keys.iter().map(|k| k.text).collect();
    let _ = writeln!(text, "  approval key: {}", keys.join(", "));
    if let Some(alternative) = finding.alternative {
        let _ = writeln!(text, "  instead: {alternative}");
    }
}

/// Writes the lines that the span touches, each with carets under the span.
fn mark(text: &mut String, command: &str, span: Span, hidden: &[Span]) {
    let mut start = 0;
    let mut written = 0;
    for line in command.split('\n') {
        let end = start + line.len();
        let touches = span.start <= end && (span.end > start || span.start >= start);
        if touches {
            if written == MAX_LINES {
                text.push_str("  …\n");
                return;
            }
            written += 1;
            mark_line(text, line, start, span, hidden);
        }
        start = end + 1;
    }
}

fn mark_line(text: &mut String, line: &str, start: usize, span: Span, hidden: &[Span]) {
    let mut shown = String::with_capacity(line.len());
    let mut carets = String::with_capacity(line.len());
    let mut width = 0;
    let mut last_hidden = None;
    // A long line is shown from a little before the span on.
    let from = first_shown(line, start, span);
    if from > 0 {
        shown.push('…');
        carets.push(' ');
    }
    for (offset, c) in line.char_indices().skip_while(|(offset, _)| *offset < from) {
        let at = start + offset;
        let piece = match hidden.iter().position(|h| (h.start..h.end).contains(&at)) {
            Some(n) if last_hidden == Some(n) => continue,
            Some(n) => {
                last_hidden = Some(n);
                "***".to_owned()
            }
            None => {
                last_hidden = None;
                visible(c)
            }
        };
        let columns = piece.chars().count();
        width += columns;
        if width > MAX_WIDTH {
            shown.push('…');
            break;
        }
        let marked = (span.start..span.end).contains(&at);
        carets.extend(std::iter::repeat_n(if marked { '^' } else { ' ' }, columns));
        shown.push_str(&piece);
    }
    if span.is_empty() && (start..=start + line.len()).contains(&span.start) {
        carets.push('^');
    }
    let _ = writeln!(text, "  {shown}");
    let carets = carets.trim_end();
    if !carets.is_empty() {
        let _ = writeln!(text, "  {carets}");
    }
}

fn first_shown(line: &str, start: usize, span: Span) -> usize {
    let at = span.start.saturating_sub(start).min(line.len());
    if line.len() <= MAX_WIDTH || at <= MAX_WIDTH / 2 {
        return 0;
    }
    let wanted = at - MAX_WIDTH / 4;
    (wanted..=line.len())
        .find(|&i| line.is_char_boundary(i))
        .unwrap_or(0)
}

/// A text with nothing in it that a terminal would obey.
pub(crate) fn harmless(text: &str) -> String {
    text.chars().map(visible).collect()
}

/// The character, or an escape for one that does something or can't be seen.
fn visible(c: char) -> String {
    let unseen = matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}');
    if c == '\t' {
        " ".to_owned()
    } else if c.is_control() || unseen {
        c.escape_unicode().to_string()
    } else {
        c.to_string()
    }
}
