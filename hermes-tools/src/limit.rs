//! How long a result may be.

use serde_json::Value;

/// How many characters of a result a model gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ResultLimit {
    /// What the dispatcher has as default.
    #[default]
    Default,
    /// This many.
    Chars(usize),
    /// All.
    Unlimited,
}

impl ResultLimit {
    /// Reads a limit from a configuration: a whole number above zero, `"unlimited"`, or nothing.
    /// The text says what was wrong where the default was taken instead.
    ///
    /// ```
    /// use hermes_tools::ResultLimit;
    /// use serde_json::json;
    ///
    /// assert_eq!(ResultLimit::from_config(&json!(5)), (ResultLimit::Chars(5), None));
    /// assert_eq!(ResultLimit::from_config(&json!("unlimited")).0, ResultLimit::Unlimited);
    /// let (limit, warning) = ResultLimit::from_config(&json!(-1));
    /// assert_eq!(limit, ResultLimit::Default);
    /// assert!(warning.is_some());
    /// ```
    pub fn from_config(value: &Value) -> (ResultLimit, Option<String>) {
        let text = match value {
            Value::Null => return (ResultLimit::Default, None),
            Value::String(text) => text.trim().to_owned(),
            other => other.to_string(),
        };
        if text.eq_ignore_ascii_case("unlimited") {
            return (ResultLimit::Unlimited, None);
        }
        match text.parse() {
            Ok(chars) if chars > 0 => (ResultLimit::Chars(chars), None),
            _ => {
                let shown = crate::text::clip(&text, 60);
                let warning = format!(
                    "a limit of results is a number of characters or \"unlimited\", not {shown:?}; the default is used"
                );
                (ResultLimit::Default, Some(warning))
            }
        }
    }
}
