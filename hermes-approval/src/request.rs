//! What is asked.

use std::fmt;
use std::ops::Range;

use crate::Choice;
use crate::grants::Scope;
use crate::redact::{redact, redact_around};

/// A command as it would run. It may hold secrets: `Debug` shows it without them, and it is not
/// serialised.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct RawCommand(String);

impl RawCommand {
    pub(crate) fn new(command: impl Into<String>) -> Self {
        Self(command.into())
    }

    /// The text, to decide on and to run, not to show.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for RawCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(redact(&self.0).as_str(), f)
    }
}

/// A question to a person, complete: what would run, why it is asked, and what each answer would
/// allow.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// Names the request among those that wait. Given by the asker if it is empty.
    pub id: String,
    /// The conversation.
    pub session_key: String,
    /// The command without its secrets, which is what is shown.
    pub command: String,
    /// The command itself.
    #[serde(skip)]
    pub raw: RawCommand,
    /// The approval keys it is asked about for; what "session" and "always" grant.
    pub keys: Vec<String>,
    /// Why, in a few words, without secrets.
    pub description: String,
    /// The rule that asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_id: Option<String>,
    /// How bad it could be, in the words of the rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<String>,
    /// The part that is asked about, in bytes of `command` as it is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Range<usize>>,
    /// What "session" and "always" would cover, a sentence each.
    pub covers: Vec<String>,
    /// Whether "session" may be answered.
    pub allow_session: bool,
    /// Whether "always" may be answered.
    pub allow_always: bool,
    /// The turn of the conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<String>,
    /// The call of the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
}

impl ApprovalRequest {
    /// A request of a conversation. Secrets are taken out of what is shown.
    pub fn new(
        session_key: impl Into<String>,
        command: impl Into<String>,
        description: impl AsRef<str>,
        keys: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        let raw = RawCommand(command.into());
        let keys: Vec<String> = keys.into_iter().map(Into::into).collect();
        Self {
            id: String::new(),
            session_key: session_key.into(),
            command: redact(raw.as_str()).into_text(),
            description: redact(description.as_ref()).into_text(),
            rule_id: None,
            severity: None,
            span: None,
            covers: keys.iter().map(|key| Scope::key(key).covers()).collect(),
            allow_session: true,
            allow_always: keys.iter().all(|key| crate::keys::may_be_permanent(key)),
            turn_id: None,
            tool_call_id: None,
            keys,
            raw,
        }
    }

    /// With the part that is asked about, in bytes of the raw command. It is shown even where it
    /// looks like a secret of several words.
    #[must_use]
    pub fn at(mut self, span: Range<usize>) -> Self {
        let shown = redact_around(self.raw.as_str(), span.clone());
        self.span = Some(shown.shown_span(span));
        self.command = shown.into_text();
        self
    }

    /// With the rule, and how bad it could be.
    #[must_use]
    pub fn by_rule(mut self, id: impl Into<String>, severity: impl Into<String>) -> Self {
        self.rule_id = Some(id.into());
        self.severity = Some(severity.into());
        self
    }

    /// With grants other than those of the keys.
    #[must_use]
    pub fn granting<'s>(mut self, scopes: impl IntoIterator<Item = &'s Scope>) -> Self {
        self.covers = scopes.into_iter().map(Scope::covers).collect();
        self
    }

    /// That cannot be answered "always".
    #[must_use]
    pub fn without_always(mut self) -> Self {
        self.allow_always = false;
        self
    }

    /// That can be answered for this once only, or denied.
    #[must_use]
    pub fn once_only(mut self) -> Self {
        self.allow_always = false;
        self.allow_session = false;
        self
    }

    /// The answers that are offered.
    pub fn choices(&self) -> impl Iterator<Item = Choice> + use<> {
        let (session, always) = (self.allow_session, self.allow_always);
        Choice::ALL.into_iter().filter(move |choice| match choice {
            Choice::Session => session,
            Choice::Always => always,
            Choice::Once | Choice::Deny => true,
        })
    }

    /// A choice cut down to what is offered: who says "always" where only "session" is offered means
    /// at least that, and where that is not offered, this once.
    pub fn limited(&self, choice: Choice) -> Choice {
        match choice {
            Choice::Always if !self.allow_always => self.limited(Choice::Session),
            Choice::Session if !self.allow_session => Choice::Once,
            other => other,
        }
    }
}
