//! A call as a model sends it.

use serde_json::Value;

/// A tool that a model wants to be called.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolCall {
    /// What the model calls this call, to know its result by.
    pub id: Option<String>,
    /// The tool.
    pub name: String,
    /// An object, null, or a text that holds an object.
    pub arguments: Value,
    /// Why what the model sent is no call. The result is an error that says so.
    pub problem: Option<String>,
}

impl ToolCall {
    /// A call without an id.
    pub fn new(name: impl Into<String>, arguments: Value) -> ToolCall {
        ToolCall {
            id: None,
            name: name.into(),
            arguments,
            problem: None,
        }
    }

    /// The call with this id.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> ToolCall {
        self.id = Some(id.into());
        self
    }

    /// Reads an entry of a model's `tool_calls`: `{"id", "type", "function": {"name",
    /// "arguments"}}`, where the arguments are JSON text or an object, or plainly
    /// `{"id", "name", "arguments"}`.
    ///
    /// What is no such entry becomes a call that gives an error, so that the model gets one result
    /// for each entry.
    ///
    /// ```
    /// use hermes_tools::ToolCall;
    /// use serde_json::json;
    ///
    /// let call = ToolCall::from_model(&json!({
    ///     "id": "call_1",
    ///     "type": "function",
    ///     "function": {"name": "ping", "arguments": "{\"n\": 1}"},
    /// }));
    /// assert_eq!((call.id.as_deref(), call.name.as_str()), (Some("call_1"), "ping"));
    /// assert!(call.problem.is_none());
    /// assert!(ToolCall::from_model(&json!("ping")).problem.is_some());
    /// ```
    pub fn from_model(entry: &Value) -> ToolCall {
        let function = entry.get("function").unwrap_or(entry);
        let name = function.get("name").and_then(Value::as_str).unwrap_or("");
        let problem = if !entry.is_object() {
            Some("the call is not a JSON object")
        } else if !function.is_object() {
            Some("the `function` of the call is not a JSON object")
        } else if name.is_empty() {
            Some("the call names no tool")
        } else {
            None
        };
        ToolCall {
            id: id(entry),
            name: name.to_owned(),
            arguments: function.get("arguments").cloned().unwrap_or_default(),
            problem: problem.map(str::to_owned),
        }
    }
}

fn id(entry: &Value) -> Option<String> {
    match entry.get("id")? {
        Value::String(id) if !id.is_empty() => Some(id.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn both_forms_of_a_call_are_read() {
        let expected = ToolCall::new("t", json!({"a": 1})).with_id("7");
        for entry in [
            json!({"id": "7", "function": {"name": "t", "arguments": {"a": 1}}}),
            json!({"id": 7, "name": "t", "arguments": {"a": 1}}),
        ] {
            assert_eq!(ToolCall::from_model(&entry), expected, "{entry}");
        }
        let bare = ToolCall::from_model(&json!({"name": "t"}));
        assert_eq!(bare, ToolCall::new("t", Value::Null));
    }

    #[test]
    fn what_is_no_call_says_why_and_keeps_its_id() {
        for (entry, why) in [
            (json!(null), "not a JSON object"),
            (json!(["t"]), "not a JSON object"),
            (json!({"id": "7", "function": "t"}), "`function`"),
            (
                json!({"id": "7", "function": null, "name": "t"}),
                "`function`",
            ),
            (
                json!({"id": "7", "function": {"arguments": "{}"}}),
                "names no tool",
            ),
            (json!({"id": "7", "name": null}), "names no tool"),
            (json!({"id": "7", "name": 4}), "names no tool"),
        ] {
            let call = ToolCall::from_model(&entry);
            assert!(call.problem.unwrap().contains(why), "{entry}");
            assert_eq!(call.id.is_some(), entry.get("id").is_some(), "{entry}");
        }
    }
}
