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
/// mark, a Markdown fence, white space or more text around the object, the same object several
/// times, a key twice (the last one counts), trailing commas, raw line breaks in strings,
/// half surrogate pairs (each becomes U+FFFD), `NaN` and `Infinity` (they become null), or itself
/// written as a JSON string. All of these but white space give a warning.
///
/// ```
/// use hermes_tools::read_arguments;
/// use serde_json::json;
///
/// let read = read_arguments(json!("{\"path\": \"a.txt\"}"))?;
/// assert_eq!(read.arguments["path"], "a.txt");
/// assert!(read_arguments(json!("{\"path\": \"a.t")).is_err());
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

/// Looks at what stands behind the object. The same object again is a stutter and other text is
/// left out, but another object is another call, and nobody knows which one is meant.
fn what_follows(reader: &mut Reader<'_>, first: &Arguments) -> Result<Option<String>, String> {
    let mut times = 1_usize;
    loop {
        reader.skip_separators();
        if reader.is_at_end() {
            break;
        }
        let left = reader.rest();
        let next = if left.starts_with('{') {
            reader.value().ok()
        } else {
            None
        };
        match next.map(|parsed| parsed.value) {
            Some(Value::Object(again)) if again == *first => times += 1,
            Some(Value::Object(_)) => {
                return Err(format!(
                    "the arguments hold two different objects, the second one beginning with {:?}; send one object in each call",
                    clip(left, SHOWN_CHARS)
                ));
            }
            _ => {
                return Ok(Some(format!(
                    "left out what followed the arguments: {:?}",
                    clip(left, SHOWN_CHARS)
                )));
            }
        }
    }
    Ok((times > 1).then(|| format!("the arguments were there {times} times")))
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
