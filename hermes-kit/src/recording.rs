//! A model's calls and their results as rows of a session, so that a search finds them.

use hermes_state::{Content, JsonText, MessageId, NewMessage};
use hermes_tools::{ToolCall, ToolResult};
use serde_json::{Value, json};

use crate::error::Result;
use crate::hermes::Hermes;

impl Hermes {
    /// Records what a model asked for and what came of it: one `assistant` message with the calls,
    /// and a `tool` message for each result, all or none of them. `said` is what the model said
    /// with its calls. Gives the ids of the rows, the assistant's first.
    ///
    /// A call without an id gets one. Nothing is taken out: a session is the record of what
    /// happened.
    ///
    /// ```
    /// use hermes_kit::Hermes;
    /// use hermes_kit::state::{NewSession, SearchOptions};
    /// use hermes_kit::toolkit::{CallContext, ToolCall};
    /// use serde_json::json;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let hermes = Hermes::builder().home(folder.path()).open()?;
    /// hermes.store()?.create_session(&NewSession::new("s", "cli"))?;
    /// let call = ToolCall::new("session_search", json!({"query": "quokka"})).with_id("call_1");
    /// let result = hermes.dispatcher().handle_function_call(
    ///     &call.name,
    ///     call.arguments.clone(),
    ///     &CallContext::new(),
    /// );
    /// hermes.record_calls("s", None, &[(&call, &result)])?;
    /// assert!(!hermes.store()?.search(&SearchOptions::new("quokka"))?.matches.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::State`](crate::Error::State) if the session is not there, or the store cannot be
    /// written.
    pub fn record_calls(
        &self,
        session: &str,
        said: Option<&str>,
        calls: &[(&ToolCall, &ToolResult)],
    ) -> Result<Vec<MessageId>> {
        if calls.is_empty() {
            return Ok(Vec::new());
        }
        let pairs = calls.iter().map(|(call, result)| (*call, content(result)));
        self.record_pairs(session, said, pairs.collect())
    }

    /// Records a command that a program has run by itself, with [`terminal`](Self::terminal), as a
    /// call of the tool `terminal` and its result. Gives the ids of the two rows.
    ///
    /// # Errors
    /// As [`record_calls`](Self::record_calls).
    #[cfg(unix)]
    pub fn record_command(
        &self,
        session: &str,
        request: &hermes_terminal::Request,
        outcome: &hermes_terminal::Outcome,
    ) -> Result<Vec<MessageId>> {
        let arguments = match request.workdir() {
            None => json!({"command": request.command()}),
            Some(workdir) => {
                json!({"command": request.command(), "workdir": workdir.to_string_lossy()})
            }
        };
        let call = ToolCall::new(crate::tools::TERMINAL, arguments);
        let result = crate::tools::terminal_result(outcome).to_string();
        self.record_pairs(session, None, vec![(&call, Content::from(result))])
    }

    fn record_pairs(
        &self,
        session: &str,
        said: Option<&str>,
        calls: Vec<(&ToolCall, Content)>,
    ) -> Result<Vec<MessageId>> {
        let ids: Vec<String> = calls.iter().map(|(call, _)| id_of(call)).collect();
        let entries: Vec<Value> = calls
            .iter()
            .zip(&ids)
            .map(|((call, _), id)| entry(call, id))
            .collect();
        let asked = NewMessage::new(session, "assistant")
            .tool_calls(JsonText::from_value(&Value::Array(entries)))
            .finish_reason("tool_calls")
            .content(said.unwrap_or_default());
        let answers = calls.into_iter().zip(ids).map(|((call, result), id)| {
            NewMessage::new(session, "tool")
                .content(result)
                .tool_call_id(id)
                .tool_name(call.name.clone())
        });
        let messages: Vec<NewMessage> = std::iter::once(asked).chain(answers).collect();
        Ok(self.store()?.append_messages(&messages)?)
    }
}

fn id_of(call: &ToolCall) -> String {
    let given = call.id.clone();
    given.unwrap_or_else(|| format!("call_{:032x}", rand::random::<u128>()))
}

/// As models send it, the arguments in JSON text.
fn entry(call: &ToolCall, id: &str) -> Value {
    let arguments = match &call.arguments {
        Value::String(text) => text.clone(),
        Value::Null => "{}".to_owned(),
        other => other.to_string(),
    };
    json!({
        "id": id,
        "type": "function",
        "function": {"name": call.name, "arguments": arguments},
    })
}

/// Parts of several kinds stay parts.
fn content(result: &ToolResult) -> Content {
    match result.content() {
        hermes_tools::Content::Multimodal(parts) => {
            Content::from(JsonText::from_value(&Value::Array(parts.parts().to_vec())))
        }
        _ => Content::from(result.to_string()),
    }
}
