//! What of a handler's output can go to a model, and how much of it.

use serde_json::Value;

use crate::failure::bad_result;
use crate::output::{Multimodal, Output};
use crate::tool_result::{Content, Status, ToolResult};

/// The output as a result, or the error that tells the model of a handler's fault.
pub(crate) fn accept(name: &str, output: Output) -> ToolResult {
    let content = match output {
        Output::Text(text) | Output::Value(Value::String(text)) => Content::Text(text),
        Output::Multimodal(parts) => Content::Multimodal(parts),
        Output::Value(Value::Object(object)) => match Multimodal::from_object(object) {
            Ok(parts) => Content::Multimodal(parts),
            Err(_) => return bad_result(name, "object"),
        },
        Output::Value(value) => return bad_result(name, json_type(&value)),
        Output::Bytes(_) => return bad_result(name, "bytes"),
    };
    ToolResult::new(content, Status::Ok)
}

/// JSON's own name of the value's type.
fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Cuts the text of a result to so many characters, and says how many are left out. Of an envelope
/// all texts together count; other parts stay.
pub(crate) fn cut(content: &mut Content, limit: usize) {
    match content {
        Content::Text(text) => {
            let mut left = limit;
            cut_text(text, &mut left);
        }
        Content::Multimodal(envelope) => {
            let mut left = limit;
            for part in envelope.parts_mut().into_iter().flatten() {
                // A part is an object with a text, or now and then the bare text.
                let text = match part {
                    Value::Object(part) => part.get_mut("text"),
                    part => Some(part),
                };
                if let Some(Value::String(text)) = text {
                    cut_text(text, &mut left);
                }
            }
        }
    }
}

/// Takes the text's characters from what is left.
fn cut_text(text: &mut String, left: &mut usize) {
    // Bytes are never fewer than characters: most texts need no counting.
    if text.len() <= *left {
        *left -= text.len().min(*left);
        return;
    }
    let Some((end, _)) = text.char_indices().nth(*left) else {
        *left = left.saturating_sub(text.chars().count());
        return;
    };
    let omitted = text.chars().count() - *left;
    let total = omitted + *left;
    text.truncate(end);
    text.push_str(&format!("\n[{omitted} of {total} characters left out]"));
    *left = 0;
}
