//! What a typed function gives, as a model gets it.

use serde::ser::{Serialize, Serializer};
use serde_json::Value;

use crate::json_text;
use crate::output::{Multimodal, Output};
use crate::tool_error::ToolError;

/// Text as it is, an envelope as one, anything else as JSON.
pub(super) fn of<T: Serialize + ?Sized>(value: &T) -> Result<Output, ToolError> {
    let cannot = |error: serde_json::Error| ToolError::new("InvalidResult", error.to_string());
    let json = json_text::try_write(value).map_err(cannot)?;
    if json.starts_with('"') {
        return serde_json::from_str(&json)
            .map(Output::Text)
            .map_err(cannot);
    }
    // Looked for in the text, because nearly no result is an envelope.
    if json.starts_with('{')
        && json.contains("\"_multimodal\"")
        && let Value::Object(object) = serde_json::from_str(&json).map_err(cannot)?
        && let Ok(envelope) = Multimodal::from_object(object)
    {
        return Ok(Output::Multimodal(envelope));
    }
    Ok(Output::Text(json))
}

/// The envelope as JSON: a typed function can give one.
impl Serialize for Multimodal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_value().serialize(serializer)
    }
}
