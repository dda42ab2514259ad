//! Arguments as models send them: an object, or text that holds one.
//!
//! Models write JSON by hand. What can only mean one thing is understood, with a warning; what could
//! mean two things, or is cut short, is sent back with a text that says what is wrong.

mod json;

use serde_json::Value;

use crate::handler::Arguments;
use crate::text::clip;
pub(crate) use json::strict as strict_json;
use json::{Parsed, Problem, Reader};

/// How long the text of arguments may be, in bytes: 8 MiB. What is longer belongs in a file.
pub const MAX_ARGUMENT_BYTES: usize = 8 * 1024 * 1024;

/// How much of a text that could not be read is repeated.
const SHOWN_CHARS: usize = 40;

/// Arguments that were understood.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReadArguments {
    /// The arguments.
    pub arguments: Arguments,
    /// What was odd about them.
    pub warnings: Vec<String>,
}

/// Reads what a model sent as arguments.
///
/// An object is taken as it is, and null is no arguments. A text is read as JSON: with a byte-order
/// mark, a Markdown fence, white space or other text around the object, the same object several
/// times, a key twice (the last one counts), trailing commas, raw line breaks in strings,
/// half surrogate pairs (each becomes U+FFFD), `NaN` and `Infinity` (they become null), or itself
/// written as a JSON string. All of these but white space give a warning.
///
/// Text around the object is left out only where it holds no other one, whole or cut short: that
/// would be another call.
///
/// ```
/// use hermes_tools::read_arguments;
/// use serde_json::json;
///
/// let read = read_arguments(json!("{\"path\": \"a.txt\"}"))?;
/// assert_eq!(read.arguments["path"], "a.txt");
/// assert!(read_arguments(json!("{\"path\": \"a.t")).is_err());
///
/// let read = read_arguments(json!("Sure: {\"path\": \"a.txt\"}"))?;
/// assert_eq!(read.arguments["path"], "a.txt");
/// assert_eq!(read.warnings.len(), 1);
/// # Ok::<(), String>(())
/// ```
///
/// # Errors
/// What is wrong, for the model: no object, two different ones, JSON that is cut short or broken,
/// more than 128 levels, more than [`MAX_ARGUMENT_BYTES`].
pub fn read_arguments(value: Value) -> Result<ReadArguments, String> {
    match value {
        Value::Null => Ok(ReadArguments::default()),
        Value::Object(arguments) => Ok(ReadArguments {
            arguments,
            warnings: Vec::new(),
        }),
        Value::String(text) => read_text(&text, true),
        other => Err(no_object(&other)),
    }
}

/// The arguments of a call that was stored, to be sent to a model again.
///
/// A backend refuses a conversation in which any arguments are no object, so that this always gives
/// one: what [`read_arguments`] understands, the object inside an array of one, else an empty one.
///
/// ```
/// use hermes_tools::replay_arguments;
///
/// assert_eq!(replay_arguments(r#"[{"a": 1}]"#)["a"], 1);
/// assert!(replay_arguments("[1, 2]").is_empty());
/// assert!(replay_arguments("no JSON").is_empty());
/// ```
pub fn replay_arguments(text: &str) -> Arguments {
    if let Ok(read) = read_text(text, true) {
        return read.arguments;
    }
    if text.len() > MAX_ARGUMENT_BYTES {
        return Arguments::new();
    }
    let mut reader = Reader::new(trimmed(text).0);
    match reader.value().map(|parsed| parsed.value) {
        Ok(Value::Array(mut items)) if items.len() == 1 && reader.is_at_end() => {
            match items.pop() {
                Some(Value::Object(arguments)) => arguments,
                _ => Arguments::new(),
            }
        }
        _ => Arguments::new(),
    }
}

/// `unwrap`: whether a JSON string may hold the text of the object.
fn read_text(text: &str, unwrap: bool) -> Result<ReadArguments, String> {
    if text.len() > MAX_ARGUMENT_BYTES {
        return Err(format!(
            "the arguments are {} bytes long and the limit is {MAX_ARGUMENT_BYTES}; send less, or pass a file",
            text.len()
        ));
    }
    let (inner, mut warnings) = trimmed(text);
    if inner.is_empty() {
        return Ok(ReadArguments {
            arguments: Arguments::new(),
            warnings,
        });
    }
    let mut reader = Reader::new(inner);
    if let Some(before) = text_before(inner) {
        warnings.push(left_out("stood before", before));
        reader.skip(before.len());
    }
    let Parsed { value, oddities } = reader.value().map_err(|problem| explain(inner, &problem))?;
    warnings.extend(oddities);
    match value {
        Value::Null if reader.is_at_end() => Ok(ReadArguments {
            arguments: Arguments::new(),
            warnings,
        }),
        Value::Object(arguments) => {
            warnings.extend(what_follows(&mut reader, &arguments)?);
            Ok(ReadArguments {
                arguments,
                warnings,
            })
        }
        Value::String(text) if unwrap && reader.is_at_end() => {
            let mut read = read_text(&text, false).map_err(|_| no_object(&Value::from(text)))?;
            warnings.push("the arguments were JSON inside a JSON string".to_owned());
            warnings.append(&mut read.warnings);
            Ok(ReadArguments {
                arguments: read.arguments,
                warnings,
            })
        }
        other => Err(no_object(&other)),
    }
}

/// The text without what may stand around JSON, and what was odd there.
fn trimmed(text: &str) -> (&str, Vec<String>) {
    let mut warnings = Vec::new();
    let mut inner = text.trim();
    if let Some(rest) = inner.strip_prefix('\u{feff}') {
        warnings.push("the arguments began with a byte-order mark".to_owned());
        inner = rest.trim();
    }
    if let Some(fenced) = inner
        .strip_prefix("```")
        .and_then(|rest| rest.strip_suffix("```"))
    {
        warnings.push("the arguments stood in a Markdown fence".to_owned());
        inner = fenced
            .trim_start_matches(|c: char| c.is_ascii_alphanumeric())
            .trim();
    }
    (inner, warnings)
}

/// The text before an object that begins behind it, in `Sure: {"a": 1}`. None if the text begins with
/// JSON of its own, or if the object seems to be a part of something larger.
fn text_before(text: &str) -> Option<&str> {
    let brace = text.find('{')?;
    let before = text.get(..brace)?;
    let end = before.trim_end();
    let is_json = end.is_empty() || end.starts_with(['[', '"']);
    let is_inside = end.ends_with('[') || end.ends_with("\":");
    (!is_json && !is_inside && begins_object(text.get(brace..)?)).then_some(before)
}

/// Whether what begins with a brace can be meant as an object: a key or the end follows.
fn begins_object(text: &str) -> bool {
    text.strip_prefix('{')
        .map(str::trim_start)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['"', '}']))
}

/// Looks at what stands behind the object, and gives warnings. The same object again is a stutter and
/// other text is left out, but another object, or the beginning of one, is another call, and nobody
/// knows which one is meant.
fn what_follows(reader: &mut Reader<'_>, first: &Arguments) -> Result<Vec<String>, String> {
    let follows = reader.rest();
    let mut times = 1_usize;
    let mut only_again = true;
    // Each part of the text is read once: what is no object is not looked into.
    loop {
        reader.skip_separators();
        let left = reader.rest();
        let Some(brace) = left.find('{') else {
            only_again &= left.is_empty();
            break;
        };
        let at_once = brace == 0;
        reader.skip(brace);
        let left = reader.rest();
        if !begins_object(left) {
            only_again = false;
            reader.skip(1);
            continue;
        }
        let start = reader.at();
        match reader.value() {
            Ok(Parsed {
                value: Value::Object(again),
                ..
            }) if again == *first => {
                only_again &= at_once;
                times += 1;
            }
            Ok(_) => {
                return Err(format!(
                    "the arguments hold two different objects, the second one beginning with {:?}; send one object in each call",
                    clip(left, SHOWN_CHARS)
                ));
            }
            Err(problem) if at_once || problem.at >= start + left.len() => {
                return Err(format!(
                    "the arguments hold two calls, the second one, which is cut short or broken, beginning with {:?}; send one complete JSON object in each call",
                    clip(left, SHOWN_CHARS)
                ));
            }
            Err(_) => only_again = false,
        }
    }
    let mut warnings = Vec::new();
    if times > 1 {
        warnings.push(format!("the arguments were there {times} times"));
    }
    if !only_again || (times == 1 && !follows.trim().is_empty()) {
        warnings.push(left_out("followed", follows.trim()));
    }
    Ok(warnings)
}

fn left_out(how: &str, text: &str) -> String {
    format!(
        "left out what {how} the arguments: {:?}",
        clip(text.trim(), SHOWN_CHARS)
    )
}

fn no_object(value: &Value) -> String {
    let found = match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object and more",
    };
    format!("the arguments have to be one JSON object, and are {found}")
}

fn explain(text: &str, problem: &Problem) -> String {
    let what = &problem.what;
    if problem.at >= text.len() {
        return format!(
            "the arguments are cut short: {what}; send the complete JSON object again, in smaller calls if it is long"
        );
    }
    let near = text.get(problem.at..).unwrap_or_default();
    format!(
        "the arguments are not valid JSON: {what} at byte {}, before {:?}; send one complete JSON object",
        problem.at,
        clip(near, SHOWN_CHARS)
    )
}

#[cfg(test)]
mod tests;
