//! What came back, from whom, and after how long.

use std::time::Duration;

use crate::Choice;

/// Who or what gave an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AnsweredBy {
    /// A person.
    Person,
    /// The auxiliary model.
    Model,
    /// The time was up.
    Timeout,
    /// There was nothing left to read: the terminal was closed, or its input had ended.
    EndOfInput,
    /// There is no terminal to ask at, and nobody else.
    NobodyThere,
    /// The request could not be brought to anybody.
    NotifyFailed,
    /// The conversation was ended, or whoever listened has gone.
    Closed,
    /// The agent was told to stop.
    Interrupted,
    /// Too many requests are waiting.
    Full,
    /// The asker itself failed.
    Failed,
}

/// An answer. Every way in which nobody says yes is a denial.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct Answer {
    /// What it is.
    pub choice: Choice,
    /// Why, in the words of whoever answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// From whom.
    pub by: AnsweredBy,
    /// How long it took.
    pub after: Duration,
}

impl Answer {
    /// The answer of a person.
    pub fn person(choice: Choice, after: Duration) -> Self {
        Self {
            choice,
            reason: None,
            by: AnsweredBy::Person,
            after,
        }
    }

    /// A denial that no person gave.
    pub fn denied(by: AnsweredBy, after: Duration) -> Self {
        Self {
            choice: Choice::Deny,
            reason: None,
            by,
            after,
        }
    }

    /// With a reason.
    #[must_use]
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// The word that callers of Hermes read: `approved`, `denied`, `timeout`, `notify_failed` or
    /// `blocked`.
    pub fn outcome(&self) -> &'static str {
        if self.choice.allows() {
            return "approved";
        }
        match self.by {
            AnsweredBy::Person
            | AnsweredBy::Model
            | AnsweredBy::Closed
            | AnsweredBy::Interrupted => "denied",
            AnsweredBy::Timeout => "timeout",
            AnsweredBy::NotifyFailed => "notify_failed",
            _ => "blocked",
        }
    }

    /// The choice as hooks are told it: as [`Choice::word`], `smart_approve` and `smart_deny` of the
    /// model, or `timeout` when nobody chose.
    pub fn hook_choice(&self) -> &'static str {
        match self.by {
            AnsweredBy::Person => self.choice.word(),
            AnsweredBy::Model if self.choice.allows() => "smart_approve",
            AnsweredBy::Model => "smart_deny",
            AnsweredBy::Timeout | AnsweredBy::Closed => "timeout",
            _ => "deny",
        }
    }
}
