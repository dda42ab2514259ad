//! What a handler says when it fails.

use std::fmt;

/// The failure of a handler, as the model is told of it: `<kind>: <message>`.
///
/// Any error converts into one, so that `?` works in handlers; its kind is the name of its type.
/// (That is why this type is no [`std::error::Error`] itself.)
///
/// A text and a `Box<dyn Error>` are no errors in this sense, and Rust allows no conversion of their
/// own beside that of all errors:
///
/// | instead of `?` or `.into()` on | write |
/// |---|---|
/// | `&str`, `String` | [`ToolError::message(text)`](ToolError::message) |
/// | `Result<T, String>` | `result.map_err(ToolError::message)?` |
/// | `Result<T, Box<dyn Error>>` | `result.map_err(ToolError::from_boxed)?` |
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

    /// The error in a box, whose type need not be known: `Box<dyn Error>`, with `Send` and `Sync` or
    /// without. If it is not known, the error has no kind of its own.
    ///
    /// ```
    /// use hermes_tools::ToolError;
    ///
    /// fn old_code(text: &str) -> Result<u16, Box<dyn std::error::Error>> {
    ///     Ok(text.parse()?)
    /// }
    /// let error = old_code("x").map_err(ToolError::from_boxed).unwrap_err();
    /// assert_eq!(error.to_string(), "ToolError: invalid digit found in string");
    /// ```
    pub fn from_boxed<E: std::error::Error + ?Sized>(error: Box<E>) -> ToolError {
        let message = with_causes(&error.to_string(), error.source());
        if std::any::type_name::<E>().starts_with("dyn ") {
            ToolError::message(message)
        } else {
            ToolError::new(type_name::<E>(), message)
        }
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
        let message = with_causes(&error.to_string(), error.source());
        ToolError::new(type_name::<E>(), message)
    }
}

/// The text of an error with those of its causes that it does not repeat itself.
fn with_causes(text: &str, mut source: Option<&(dyn std::error::Error + 'static)>) -> String {
    let mut message = text.to_owned();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !message.contains(&cause_text) {
            message.push_str(": ");
            message.push_str(&cause_text);
        }
        source = cause.source();
    }
    message
}

/// The last part of a type's name, with the module before it where the name alone says nothing:
/// `ParseIntError`, but `io::Error`.
fn type_name<T: ?Sized>() -> String {
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

#[cfg(test)]
mod tests {
    use std::error::Error;
    use std::fmt;

    use super::*;

    #[derive(Debug)]
    struct Outer(std::num::ParseIntError);

    impl fmt::Display for Outer {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("no port")
        }
    }

    impl Error for Outer {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            Some(&self.0)
        }
    }

    fn outer() -> Outer {
        Outer("x".parse::<u8>().unwrap_err())
    }

    #[test]
    fn an_error_in_any_box_keeps_its_causes_and_a_kind_that_is_known() {
        let plain: Result<(), Box<dyn Error>> = Err(Box::new(outer()));
        let shared: Result<(), Box<dyn Error + Send + Sync>> = Err(Box::new(outer()));
        let known: Result<(), Box<Outer>> = Err(Box::new(outer()));
        let message = "no port: invalid digit found in string";
        let unknown = ToolError::message(message);
        assert_eq!(plain.map_err(ToolError::from_boxed), Err(unknown.clone()));
        assert_eq!(shared.map_err(ToolError::from_boxed), Err(unknown));
        let named = ToolError::new("Outer", message);
        assert_eq!(known.map_err(ToolError::from_boxed), Err(named.clone()));
        assert_eq!(ToolError::from(outer()), named);
        let text: Box<dyn Error> = "only text".into();
        assert_eq!(ToolError::from_boxed(text).text(), "only text");
    }
}
