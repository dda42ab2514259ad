//! An auxiliary model that may say yes or no before a person is asked.
//!
//! Only an answer that *is* `APPROVE` or `DENY` counts. Everything else, and everything that goes
//! wrong, leaves the question to a person. The command is given as data: without comments, which a
//! shell does not run but a model reads, and between tags that it cannot close.

mod comments;
mod messages;

use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};

pub use comments::without_comments;

use crate::{Error, Result};

/// The most that is read of an answer. It is one word.
const ANSWER_LIMIT: u64 = 256 << 10;

/// Which model, and how it is asked.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelOptions {
    /// The address of an OpenAI-compatible service, such as `http://localhost:11434/v1`;
    /// `/chat/completions` is added.
    pub base_url: String,
    /// The name of the model.
    pub model: String,
    /// The key of the service.
    pub api_key: Option<String>,
    /// How long it has, in all: 15 s.
    pub timeout: Duration,
    /// Whether the proxy of the environment is used. It is.
    pub proxy: bool,
}

impl ModelOptions {
    /// This model of this service.
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            model: model.into(),
            api_key: None,
            timeout: Duration::from_secs(15),
            proxy: true,
        }
    }
}

impl fmt::Debug for ModelOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelOptions")
            .field("base_url", &crate::redact::redact(&self.base_url).as_str())
            .field("model", &self.model)
            .field("api_key", &self.api_key.as_ref().map(|_| "***"))
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// What the model is asked.
#[derive(Clone, Copy, Debug)]
pub struct SmartQuestion<'a> {
    /// The raw command.
    pub command: &'a str,
    /// Why it would be asked about.
    pub description: &'a str,
    /// Whether it is for a POSIX shell, whose comments are known. Those of others stay.
    pub posix: bool,
}

/// What the model says.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case", tag = "smart")]
#[non_exhaustive]
pub enum SmartAnswer {
    /// The command may run, this once.
    Approve,
    /// It may not, unless a person says so.
    Deny,
    /// A person has to decide.
    Escalate {
        /// Why the model did not.
        problem: String,
    },
}

/// A model that is asked over HTTP.
pub struct Model {
    options: ModelOptions,
    agent: ureq::Agent,
}

impl Model {
    /// With these options. Nothing is sent yet.
    pub fn new(options: ModelOptions) -> Self {
        let mut config = ureq::Agent::config_builder()
            .timeout_global(Some(options.timeout))
            .http_status_as_error(false)
            // A key is for the service that was named, not for where it points.
            .max_redirects(0);
        if !options.proxy {
            config = config.proxy(None);
        }
        Self {
            agent: config.build().into(),
            options,
        }
    }

    /// Asks the model.
    pub fn judge(&self, question: &SmartQuestion<'_>) -> SmartAnswer {
        let said = match self.answer(question) {
            Ok(said) => said,
            Err(error) => {
                tracing::warn!(%error, "a person is asked instead");
                return SmartAnswer::Escalate {
                    problem: error.problem(),
                };
            }
        };
        match said.trim() {
            "APPROVE" => SmartAnswer::Approve,
            "DENY" => SmartAnswer::Deny,
            other => {
                let beginning: String = other.chars().take(40).collect();
                SmartAnswer::Escalate {
                    problem: format!("it said {beginning:?}"),
                }
            }
        }
    }

    fn answer(&self, question: &SmartQuestion<'_>) -> Result<String> {
        let failed = |error: ureq::Error| Error::Model {
            problem: error.to_string(),
        };
        let url = format!(
            "{}/chat/completions",
            self.options.base_url.trim_end_matches('/')
        );
        let body = json!({
            "model": self.options.model,
            "messages": messages::messages(question),
            "temperature": 0,
            "max_tokens": 16,
            "stream": false,
        });
        let mut request = self
            .agent
            .post(&url)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json");
        if let Some(key) = &self.options.api_key {
            request = request.header("Authorization", format!("Bearer {key}"));
        }
        let mut response = request.send(body.to_string()).map_err(failed)?;
        let status = response.status();
        let bytes = response
            .body_mut()
            .with_config()
            .limit(ANSWER_LIMIT)
            .read_to_vec()
            .map_err(failed)?;
        if !status.is_success() {
            return Err(Error::Model {
                problem: format!("the service answered {status}"),
            });
        }
        said(&bytes).ok_or_else(|| Error::Model {
            problem: "the service answered in an unknown form".to_owned(),
        })
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Model").field(&self.options).finish()
    }
}

/// The text of the one answer.
fn said(bytes: &[u8]) -> Option<String> {
    let answer: Value = serde_json::from_slice(bytes).ok()?;
    let [choice] = answer.get("choices")?.as_array()?.as_slice() else {
        return None;
    };
    choice
        .get("message")?
        .get("content")?
        .as_str()
        .map(str::to_owned)
}
