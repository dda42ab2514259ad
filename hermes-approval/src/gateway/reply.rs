//! What a person writes in a messenger.

use crate::Choice;

/// How much of a reason is kept, in characters.
const REASON_LIMIT: usize = 280;

/// An answer to the oldest request of a conversation, or to all.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reply {
    /// What is answered.
    pub choice: Choice,
    /// To all that wait, not only to the oldest.
    pub all: bool,
    /// Why, for the agent; at most 280 characters.
    pub reason: Option<String>,
}

impl Reply {
    /// To the oldest.
    pub fn new(choice: Choice) -> Self {
        Self {
            choice,
            all: false,
            reason: None,
        }
    }

    /// To all.
    #[must_use]
    pub fn to_all(mut self) -> Self {
        self.all = true;
        self
    }

    /// With a reason, cut to 280 characters.
    #[must_use]
    pub fn because(mut self, reason: &str) -> Self {
        let reason: String = reason.trim().chars().take(REASON_LIMIT).collect();
        self.reason = (!reason.is_empty()).then_some(reason);
        self
    }

    /// What follows `/approve`: `[all] [once|session|always]`, in any order, with their synonyms.
    /// `None` for anything else: a word that is not understood approves nothing.
    pub fn approve(arguments: &str) -> Option<Self> {
        let mut reply = Self::new(Choice::Once);
        let mut chosen = false;
        for word in arguments.split_whitespace() {
            let word = word.to_lowercase();
            let choice = match word.as_str() {
                "all" if !reply.all => {
                    reply.all = true;
                    continue;
                }
                "once" => Choice::Once,
                "session" | "ses" => Choice::Session,
                "always" | "permanent" | "permanently" => Choice::Always,
                _ => return None,
            };
            if std::mem::replace(&mut chosen, true) {
                return None;
            }
            reply.choice = choice;
        }
        Some(reply)
    }

    /// What follows `/deny`: `[all] [reason]`.
    pub fn deny(arguments: &str) -> Self {
        let arguments = arguments.trim();
        let (first, rest) = arguments
            .split_once(char::is_whitespace)
            .unwrap_or((arguments, ""));
        let reply = Self::new(Choice::Deny);
        if first.eq_ignore_ascii_case("all") {
            reply.to_all().because(rest)
        } else {
            reply.because(arguments)
        }
    }

    /// A whole message: `/approve …` or `/deny …`. `None` for any other.
    pub fn parse(message: &str) -> Option<Self> {
        let message = message.trim();
        let (command, arguments) = message
            .split_once(char::is_whitespace)
            .unwrap_or((message, ""));
        match command.to_lowercase().as_str() {
            "/approve" => Self::approve(arguments),
            "/deny" => Some(Self::deny(arguments)),
            _ => None,
        }
    }
}
