//! What a handler gives back.

use serde_json::{Map, Value};

/// What a handler that is not typed gives back.
///
/// A model gets text, or an envelope of parts. Any other value is a fault of the handler, and the
/// model is told so instead of being given something nobody meant.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Output {
    /// Text, which goes to the model as it is.
    Text(String),
    /// A value: a string is text, an envelope is [multimodal](Multimodal), anything else is
    /// refused.
    Value(Value),
    /// Parts of several kinds.
    Multimodal(Multimodal),
    /// Bytes, which are refused.
    Bytes(Vec<u8>),
}

impl From<String> for Output {
    fn from(text: String) -> Output {
        Output::Text(text)
    }
}

impl From<&str> for Output {
    fn from(text: &str) -> Output {
        Output::Text(text.to_owned())
    }
}

impl From<Value> for Output {
    fn from(value: Value) -> Output {
        Output::Value(value)
    }
}

impl From<Multimodal> for Output {
    fn from(parts: Multimodal) -> Output {
        Output::Multimodal(parts)
    }
}

impl From<Vec<u8>> for Output {
    fn from(bytes: Vec<u8>) -> Output {
        Output::Bytes(bytes)
    }
}

/// A result of several parts, in the shape that Hermes passes through:
/// `{"_multimodal": true, "content": [...]}`, with other keys kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Multimodal {
    envelope: Map<String, Value>,
}

impl Multimodal {
    /// An envelope around parts such as `{"type": "text", "text": "…"}`.
    pub fn new(parts: Vec<Value>) -> Multimodal {
        let mut envelope = Map::new();
        envelope.insert("_multimodal".to_owned(), Value::Bool(true));
        envelope.insert("content".to_owned(), Value::Array(parts));
        Multimodal { envelope }
    }

    /// The envelope that this object is, or the object back.
    ///
    /// # Errors
    /// The object, unless `_multimodal` is `true` and `content` is an array.
    pub fn from_object(object: Map<String, Value>) -> Result<Multimodal, Map<String, Value>> {
        let is_envelope = object.get("_multimodal") == Some(&Value::Bool(true))
            && object.get("content").is_some_and(Value::is_array);
        if is_envelope {
            Ok(Multimodal { envelope: object })
        } else {
            Err(object)
        }
    }

    /// The parts.
    pub fn parts(&self) -> &[Value] {
        self.envelope
            .get("content")
            .and_then(Value::as_array)
            .map_or(&[], Vec::as_slice)
    }

    pub(crate) fn parts_mut(&mut self) -> Option<&mut Vec<Value>> {
        self.envelope.get_mut("content")?.as_array_mut()
    }

    /// The whole as JSON.
    pub fn to_value(&self) -> Value {
        Value::Object(self.envelope.clone())
    }
}
