//! Arguments of a call as a Rust type, and what is wrong with those that do not fit.

use std::fmt;

use serde::de::{self, DeserializeOwned};
use serde_json::Value;

use super::from_value::FromValue;
use super::words;
use crate::handler::Arguments;
use crate::tool_error::ToolError;

/// The arguments as a value of this type, for handlers that are not [typed](crate::Tool::typed) and
/// for an [`AgentLoop`](crate::AgentLoop).
///
/// # Errors
/// `InvalidArguments`, with the place and what is expected there.
///
/// ```
/// #[derive(serde::Deserialize)]
/// struct Page {
///     number: u32,
/// }
/// let arguments = serde_json::json!({"number": "seven"}).as_object().unwrap().clone();
/// let error = hermes_tools::typed_arguments::<Page>(arguments).err().unwrap();
/// assert!(error.text().starts_with("number: "), "{error}");
/// ```
pub fn read<T: DeserializeOwned>(arguments: Arguments) -> Result<T, ToolError> {
    T::deserialize(FromValue::root(arguments))
        .map_err(|misfit| ToolError::new("InvalidArguments", misfit.to_string()))
}

/// What does not fit, and where.
#[derive(Debug)]
pub(super) struct Misfit {
    /// Innermost first.
    path: Vec<Step>,
    message: String,
}

#[derive(Debug)]
enum Step {
    Field(String),
    Item(usize),
}

impl Misfit {
    /// The same, seen from the object around.
    pub(super) fn in_field(mut self, name: &str) -> Misfit {
        self.path.push(Step::Field(name.to_owned()));
        self
    }

    /// The same, seen from the array around.
    pub(super) fn in_item(mut self, index: usize) -> Misfit {
        self.path.push(Step::Item(index));
        self
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, step) in self.path.iter().rev().enumerate() {
            match step {
                Step::Field(name) if place == 0 => f.write_str(name)?,
                Step::Field(name) => write!(f, ".{name}")?,
                Step::Item(index) => write!(f, "[{index}]")?,
            }
        }
        if !self.path.is_empty() {
            f.write_str(": ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for Misfit {}

impl de::Error for Misfit {
    fn custom<T: fmt::Display>(message: T) -> Misfit {
        Misfit {
            path: Vec::new(),
            message: words::without_type_names(message.to_string()),
        }
    }

    fn invalid_type(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Misfit {
        de::Error::custom(format_args!(
            "invalid type: {}, expected {}",
            words::found(found),
            words::expected(expected)
        ))
    }

    fn invalid_value(found: de::Unexpected<'_>, expected: &dyn de::Expected) -> Misfit {
        de::Error::custom(format_args!(
            "invalid value: {}, expected {}",
            words::found(found),
            words::expected_with_range(expected)
        ))
    }

    fn invalid_length(count: usize, expected: &dyn de::Expected) -> Misfit {
        de::Error::custom(format_args!(
            "invalid length {count}, expected {}",
            words::expected(expected)
        ))
    }
}

/// What JSON is called in messages, instead of Rust's types.
pub(super) fn unexpected(value: &Value) -> de::Unexpected<'_> {
    match value {
        Value::Null => de::Unexpected::Unit,
        Value::Bool(truth) => de::Unexpected::Bool(*truth),
        Value::Number(_) => de::Unexpected::Other("a number"),
        Value::String(text) => de::Unexpected::Str(text),
        Value::Array(_) => de::Unexpected::Seq,
        Value::Object(_) => de::Unexpected::Map,
    }
}
