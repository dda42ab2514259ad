//! HTML in one file.

use std::fmt::Write as _;

use super::shown::{Piece, Shown};
use super::{Document, Entry, time, title};
use crate::session::Session;

pub(super) struct Html;

/// Tool output and reasoning of more lines, or bytes, is folded.
const SHORT_LINES: usize = 8;
const SHORT_BYTES: usize = 600;

const STYLE: &str = include_str!("style.css");

impl Document for Html {
    fn begin(&self, contents: &[Entry]) -> String {
        let title = match contents {
            [only] => only.title.clone(),
            all => format!("{} sessions", all.len()),
        };
        let title = escape(&title);
        let mut html = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             img-src data:; style-src 'unsafe-inline'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
        );
        if contents.len() > 1 {
            html.push_str("<nav>\n<h1>Sessions</h1>\n<ol>\n");
            for (n, entry) in contents.iter().enumerate() {
                let _ = writeln!(
                    html,
                    "<li><a href=\"#s{}\"><bdi>{}</bdi></a> <small>{} · {}</small></li>",
                    n + 1,
                    escape(&entry.title),
                    escape(&entry.source),
                    escape(&entry.started)
                );
            }
            html.push_str("</ol>\n</nav>\n");
        }
        html.push_str("<main>\n");
        html
    }

    fn session(&self, session: &Session, number: u64) -> String {
        let mut html = format!(
            "<article id=\"s{number}\">\n<header>\n<h2 dir=\"auto\">{}</h2>\n<dl>\n",
            escape(title(session))
        );
        for (name, value) in facts(session) {
            let _ = writeln!(
                html,
                "<div><dt>{name}</dt><dd>{}</dd></div>",
                escape(&value)
            );
        }
        html.push_str("</dl>\n</header>\n");
        html
    }

    fn message(&self, message: &Shown) -> String {
        let known = ["user", "assistant", "system", "tool"];
        let class = known
            .iter()
            .find(|role| **role == message.role)
            .unwrap_or(&"other");
        let mut html = format!(
            "<section class=\"{class}\">\n<h3>{}{} <time>{}</time></h3>\n",
            escape(&message.role),
            message
                .tool
                .as_deref()
                .map_or_else(String::new, |tool| format!(
                    " <code>{}</code>",
                    escape(tool)
                )),
            escape(&message.time)
        );
        if let Some(reasoning) = &message.reasoning {
            html.push_str(&folded("Reasoning", reasoning, false));
        }
        for piece in &message.pieces {
            match piece {
                Piece::Text(text) if message.is_tool_output() => {
                    html.push_str(&folded("Output", text, is_short(text)));
                }
                Piece::Text(text) => html.push_str(&prose(text)),
                Piece::Image(media, data, bytes) => {
                    let _ = writeln!(
                        html,
                        "<figure><img alt=\"\" src=\"data:{media};base64,{data}\">\
                         <figcaption>{media}, {bytes} bytes</figcaption></figure>"
                    );
                }
                Piece::Note(note) => {
                    let _ = writeln!(html, "<p class=\"note\">[{}]</p>", escape(note));
                }
            }
        }
        for call in &message.calls {
            let name = format!("Calls {}", call.name);
            html.push_str(&folded(&name, &call.arguments, is_short(&call.arguments)));
        }
        html.push_str("</section>\n");
        html
    }

    fn end_session(&self) -> String {
        "</article>\n".to_owned()
    }

    fn end(&self) -> String {
        "</main>\n</body>\n</html>\n".to_owned()
    }
}

pub(super) fn facts(session: &Session) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("Session", session.id.to_string()),
        ("Source", session.source.clone()),
        ("Started", time::text(session.started_at)),
    ];
    let mut add = |name, value: Option<String>| {
        facts.extend(value.filter(|v| !v.is_empty()).map(|value| (name, value)));
    };
    add(
        "Ended",
        session.ended_at.map(|at| {
            let reason = session.end_reason.as_deref().unwrap_or_default();
            format!("{} {reason}", time::text(at)).trim_end().to_owned()
        }),
    );
    add("Model", session.model.clone());
    add("Parent", session.parent_session_id.clone());
    let tokens = session
        .input_tokens
        .unwrap_or(0)
        .saturating_add(session.output_tokens.unwrap_or(0));
    add("Tokens", (tokens > 0).then(|| tokens.to_string()));
    let cost = session.actual_cost_usd.or(session.estimated_cost_usd);
    add(
        "Cost",
        cost.filter(|cost| *cost > 0.0)
            .map(|cost| format!("${cost:.4}")),
    );
    facts
}

pub(super) fn is_short(text: &str) -> bool {
    text.len() <= SHORT_BYTES && text.lines().count() <= SHORT_LINES
}

fn folded(name: &str, text: &str, open: bool) -> String {
    let lines = text.lines().count();
    format!(
        "<details{}><summary>{} <small>{lines} {}</small></summary><pre dir=\"auto\">{}</pre></details>\n",
        if open { " open" } else { "" },
        escape(name),
        if lines == 1 { "line" } else { "lines" },
        escape(text)
    )
}

/// Text as it was written, but for blocks of code.
fn prose(text: &str) -> String {
    let mut html = String::new();
    let mut block: Vec<&str> = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    let mut flush = |block: &mut Vec<&str>, code: bool| {
        let text = block.join("\n");
        let text = if code {
            text.as_str()
        } else {
            text.trim_matches('\n')
        };
        if !text.is_empty() {
            let tag = if code { "pre" } else { "div" };
            let _ = writeln!(
                html,
                "<{tag} class=\"text\" dir=\"auto\">{}</{tag}>",
                escape(text)
            );
        }
        block.clear();
    };
    for line in text.lines() {
        match (fence, fence_of(line)) {
            (None, Some((mark, length, _))) => {
                flush(&mut block, false);
                fence = Some((mark, length));
            }
            (Some((mark, length)), Some((closing, closing_length, true)))
                if closing == mark && closing_length >= length =>
            {
                flush(&mut block, true);
                fence = None;
            }
            _ => block.push(line),
        }
    }
    flush(&mut block, fence.is_some());
    html
}

/// The fence that a line begins or ends a block of code with: its character, its length, and
/// whether nothing follows, so that it may end one.
pub(super) fn fence_of(line: &str) -> Option<(char, usize, bool)> {
    let text = line.trim_start_matches(' ');
    if line.len() - text.len() > 3 {
        return None;
    }
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = text.trim_start_matches(mark);
    let length = text.len() - rest.len();
    let opens = length >= 3 && !(mark == '`' && rest.contains('`'));
    opens.then(|| (mark, length, rest.trim().is_empty()))
}

/// Text as HTML text or in an attribute's quotes. Characters that HTML has no place for become
/// U+FFFD.
pub(super) fn escape(text: &str) -> String {
    let mut html = String::with_capacity(text.len() + text.len() / 16);
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            '\r' => {}
            '\t' | '\n' => html.push(c),
            c if c.is_control() => html.push('\u{fffd}'),
            c => html.push(c),
        }
    }
    html
}
