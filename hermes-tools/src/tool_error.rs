//! What a handler says when it fails.

use std::fmt;

/// The failure of a handler, as the model is told of it: `<kind>: <message>`.
///
/// Any error converts into one, so that `?` works in handlers; its kind is the name of its type.
/// (That is why this type is no [`std::error::Error`] itself.)
///
/// ```
/// use hermes_tools::ToolError;
///
/// fn port(text: &str) -> Result<u16, ToolError> {
///     let port: u16 = text.parse()?;
///     if port < 1024 {
///         return Err(ToolError::new("PortReserved", format!("{port} is reserved")));
///     }
///     Ok(port)
/// }
/// assert_eq!(port("80").unwrap_err().to_string(), "PortReserved: 80 is reserved");
/// assert_eq!(port("x").unwrap_err().kind(), "ParseIntError");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolError {
    kind: String,
    message: String,
}

impl ToolError {
    /// An error of this kind. Both are cut and cleaned before a model sees them.
    pub fn new(kind: impl Into<String>, message: impl Into<String>) -> ToolError {
        ToolError {
            kind: kind.into(),
            message: message.into(),
        }
    }

    /// An error without a kind of its own.
    pub fn message(message: impl Into<String>) -> ToolError {
        ToolError::new("ToolError", message)
    }

    /// What kind of failure it is, in one word.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// What went wrong.
    pub fn text(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)
    }
}

impl<E: std::error::Error> From<E> for ToolError {
    fn from(error: E) -> ToolError {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            let cause_text = cause.to_string();
            if !message.contains(&cause_text) {
                message.push_str(": ");
                message.push_str(&cause_text);
            }
            source = cause.source();
        }
        ToolError::new(type_name::<E>(), message)
    }
}

/// The last part of a type's name, with the module before it where the name alone says nothing:
/// `ParseIntError`, but `io::Error`.
fn type_name<T>() -> String {
    let full = std::any::type_name::<T>();
    let path = full.split('<').next().unwrap_or(full);
    let mut parts = path
        .rsplit("::")
        .filter(|part| !matches!(*part, "error" | "errors"));
    let last = parts.next().unwrap_or(path);
    match parts.next() {
        Some(module) if last == "Error" => format!("{module}::{last}"),
        _ => last.to_owned(),
    }
}
