//! `sessions show`.

use hermes_kit::state::{Message, MessagePage, Session, SessionId, Store};
use serde_json::Value;

use crate::cli::{Global, Show};
use crate::failure::Failure;
use crate::home;
use crate::json::Rows;
use crate::output::{Output, Tone};
use crate::text::{harmless, indented, one_line};
use crate::when::When;

const MARGIN: &str = "    ";

pub(crate) fn run(global: &Global, args: &Show, output: &mut Output) -> Result<(), Failure> {
    let Some(store) = home::store_to_read(global, output)? else {
        return Err(Failure::no_session(&args.id));
    };
    let id = super::resolve(&store, &args.id)?;
    let above = if args.with_ancestors {
        let mut above = store.ancestors(&id)?;
        above.reverse();
        above
    } else {
        Vec::new()
    };
    show(&store, &id, &above, args.inactive, output)
}

/// Shows a session behind those that are `above` it.
pub(crate) fn show(
    store: &Store,
    id: &SessionId,
    above: &[SessionId],
    inactive: bool,
    output: &mut Output,
) -> Result<(), Failure> {
    let read = |id: &SessionId| {
        store
            .session(id)?
            .ok_or_else(|| Failure::no_session(id.as_str()))
    };
    let session = read(id)?;
    if output.json() {
        let mut head = format!("{{\"session\": {},\n", serde_json::to_string(&session)?);
        if !above.is_empty() {
            let above = above
                .iter()
                .map(read)
                .collect::<Result<Vec<_>, Failure>>()?;
            let above = serde_json::to_string(&above)?;
            head.push_str(&format!("\"ancestors\": {above},\n"));
        }
        let mut rows = Rows::begin(output, &head, "messages")?;
        for id in above.iter().chain([id]) {
            each_message(store, id, inactive, |message| rows.push(output, message))?;
        }
        return rows.end(output, "}");
    }
    let when = When::now();
    for id in above {
        head(&read(id)?, &when, output)?;
        each_message(store, id, inactive, |message| {
            body(message, false, &when, output)
        })?;
        output.line("")?;
    }
    head(&session, &when, output)?;
    each_message(store, id, inactive, |message| {
        body(message, false, &when, output)
    })
}

/// Reads a session page by page.
fn each_message(
    store: &Store,
    id: &SessionId,
    inactive: bool,
    mut each: impl FnMut(&Message) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut page = MessagePage {
        include_inactive: inactive,
        ..MessagePage::default()
    };
    loop {
        let messages = store.messages(id, page)?;
        page.after = messages.last().map(|message| message.id);
        if page.after.is_none() {
            return Ok(());
        }
        messages.iter().try_for_each(&mut each)?;
    }
}

fn head(session: &Session, when: &When, output: &mut Output) -> Result<(), Failure> {
    let title = session
        .title
        .as_deref()
        .map_or_else(|| "(untitled)".to_owned(), one_line);
    output.line(output.paint(Tone::Strong, title))?;
    let mut facts = vec![
        one_line(session.id.as_str()),
        one_line(&session.source),
        format!(
            "{} ({})",
            when.minute(session.started_at),
            when.ago(session.started_at)
        ),
    ];
    facts.extend(session.model.as_deref().map(one_line));
    facts.extend(
        session
            .end_reason
            .as_deref()
            .map(|reason| format!("ended: {}", one_line(reason))),
    );
    let parent = session.parent_session_id.as_deref();
    facts.extend(parent.map(|parent| format!("continues {}", one_line(parent))));
    output.line(output.paint(Tone::Faint, facts.join(" · ")))?;
    Ok(())
}

/// Shows a message whole; one that was `found` says so.
pub(crate) fn body(
    message: &Message,
    found: bool,
    when: &When,
    output: &mut Output,
) -> Result<(), Failure> {
    let mut name = one_line(&message.role);
    if let Some(tool) = message.tool_name.as_deref().filter(|tool| !tool.is_empty()) {
        name.push(' ');
        name.push_str(&one_line(tool));
    }
    let time = when.second(message.timestamp);
    let state = state(message);
    let mark = match found {
        true => format!(" {}", output.paint(Tone::Match, "← found")),
        false => String::new(),
    };
    output.line(format_args!(
        "\n{} {}{mark}",
        output.paint(Tone::Name, name),
        output.paint(Tone::Faint, format_args!("{time} #{}{state}", message.id))
    ))?;
    let width = output.width();
    if let Some(content) = &message.content {
        let text = harmless(&readable(&content.plain_text()));
        if !text.trim().is_empty() {
            output.line(indented(text.trim_end(), MARGIN, width))?;
        }
    }
    for call in tool_calls(message) {
        let call = indented(&harmless(&call), MARGIN, width);
        output.line(output.paint(Tone::Faint, call))?;
    }
    Ok(())
}

/// Why a message is not part of the transcript, where the store's version tells.
fn state(message: &Message) -> &'static str {
    let is =
        |name: &str, wanted: i64| message.extra.get(name).and_then(Value::as_i64) == Some(wanted);
    match (is("active", 0), is("compacted", 1)) {
        (true, true) => " (replaced by a compaction)",
        (true, false) => " (taken back)",
        (false, _) => "",
    }
}

/// The result of Hermes' tools is an object with the text in `output`: that text as it was, and
/// what else there is behind it. Anything else stays as it is.
fn readable(text: &str) -> String {
    let Some(Value::Object(result)) = Some(text)
        .filter(|text| text.starts_with('{'))
        .and_then(|text| serde_json::from_str(text).ok())
    else {
        return text.to_owned();
    };
    let Some(Value::String(printed)) = result.get("output") else {
        return text.to_owned();
    };
    let rest: Vec<String> = result
        .iter()
        .filter(|(key, value)| *key != "output" && !value.is_null())
        .map(|(key, value)| format!("{key}: {value}"))
        .collect();
    let mut shown = printed.trim_end().to_owned();
    if !rest.is_empty() {
        shown.push_str("\n(");
        shown.push_str(&rest.join(", "));
        shown.push(')');
    }
    shown
}

/// `→ name arguments` of each tool call; the stored text where it is not what it should be.
fn tool_calls(message: &Message) -> Vec<String> {
    let broken = message.raw.get("tool_calls").and_then(Value::as_str);
    let Some(calls) = &message.tool_calls else {
        return broken.map(|text| format!("→ {text}")).into_iter().collect();
    };
    match calls.value() {
        Some(Value::Array(calls)) => calls.iter().map(tool_call).collect(),
        _ => vec![format!("→ {calls}")],
    }
}

fn tool_call(call: &Value) -> String {
    let part = |key: &str| {
        call.pointer(key).map(|value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })
    };
    match (part("/function/name"), part("/function/arguments")) {
        (Some(name), arguments) => format!("→ {name} {}", arguments.unwrap_or_default()),
        _ => format!("→ {call}"),
    }
}
