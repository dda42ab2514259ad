//! The last stages: the auxiliary model, the person, and what their answer leaves behind.

use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};

use super::adviser::{self, Advice};
use super::draft::Draft;
use super::outcome::{Outcome, Stage};
use super::{Approver, Next, wording};
use crate::audit::Record;
use crate::gateway::{Pending, Submitted};
use crate::grants::{Grant, Scope};
use crate::keys::{may_be_permanent, stored_as};
use crate::policy::OnTimeout;
use crate::situation::{CommandRequest, Person};
use crate::{Answer, AnsweredBy, ApprovalRequest, Choice, Surface};

/// How the description of a request begins that the model has said no to.
const ADVISED_AGAINST: &str = "The auxiliary model advises against it.";

/// A request on its way to a person.
pub(super) struct Asking {
    pub(super) request: ApprovalRequest,
    person: Person,
    draft: Draft,
}

/// What came back.
pub(super) enum Heard {
    Answer(Answer),
    /// Nobody listens; the request is kept.
    Pending(Pending),
}

impl Approver {
    /// Asks the auxiliary model, if it is to be asked, and says whether a person has to be.
    pub(super) fn advised(&self, request: &CommandRequest, mut draft: Draft, smart: bool) -> Next {
        let mut question = self.question(request, &draft);
        if let (true, Some(adviser)) = (smart, &self.parts.adviser) {
            let begun = Instant::now();
            self.parts.hooks.before(&question, Surface::Smart);
            let advice = adviser::asked(
                adviser.as_ref(),
                request.command.as_str(),
                &question.description,
                request.situation.platform,
            );
            let choice = match &advice {
                Advice::Approve => Some(Choice::Once),
                Advice::Deny => Some(Choice::Deny),
                Advice::Escalate { .. } => None,
            };
            if let Some(choice) = choice {
                let mut answer = Answer::person(choice, begun.elapsed());
                answer.by = AnsweredBy::Model;
                self.parts.hooks.after(&question, &answer, Surface::Smart);
            }
            draft.advice = Some(advice);
            match &draft.advice {
                Some(Advice::Approve) => return draft.approved(Stage::Smart, None),
                Some(Advice::Deny) => {
                    question = question.once_only();
                    question.description = format!("{ADVISED_AGAINST} {}", question.description);
                }
                _ => {}
            }
        }
        Next::Ask(Box::new(Asking {
            request: question,
            person: request.situation.person(),
            draft,
        }))
    }

    /// What a person is shown.
    fn question(&self, request: &CommandRequest, draft: &Draft) -> ApprovalRequest {
        let mut question = ApprovalRequest::new(
            request.situation.session_key.as_str(),
            request.command.as_str(),
            draft.description.as_deref().unwrap_or_default(),
            draft.keys.iter().map(String::as_str),
        );
        if let Some(finding) = &draft.shown {
            question = question
                .at(finding.span.start..finding.span.end)
                .by_rule(finding.rule, finding.severity.name());
        }
        let forever = self.parts.allowlist.is_some() && draft.keys.iter().all(|k| is_lasting(k));
        if !forever {
            question = question.without_always();
        }
        question.turn_id.clone_from(&request.turn_id);
        question.tool_call_id.clone_from(&request.tool_call_id);
        question
    }

    /// Asks, on this thread.
    pub(super) fn ask(&self, asking: &Asking) -> Heard {
        match (asking.person, &self.parts.gateway, &self.parts.terminal) {
            (Person::InMessenger, Some(gateway), _) => {
                match gateway.submit(asking.request.clone()) {
                    Submitted::Waiting(ticket) => Heard::Answer(ticket.wait()),
                    Submitted::Stored(pending) => Heard::Pending(pending),
                    Submitted::Refused(answer) => Heard::Answer(answer),
                }
            }
            (Person::AtTerminal, _, Some(terminal)) => {
                self.parts.hooks.before(&asking.request, Surface::Cli);
                Heard::Answer(self.heard(asking, terminal.ask(&asking.request)))
            }
            _ => Heard::Answer(Answer::denied(AnsweredBy::NobodyThere, Duration::ZERO)),
        }
    }

    #[cfg(feature = "tokio")]
    pub(super) async fn ask_async(&self, asking: &Asking) -> Heard {
        match (
            asking.person,
            &self.parts.gateway,
            &self.parts.terminal_async,
        ) {
            (Person::InMessenger, Some(gateway), _) => {
                match gateway.submit(asking.request.clone()) {
                    Submitted::Waiting(ticket) => Heard::Answer(ticket.answer().await),
                    Submitted::Stored(pending) => Heard::Pending(pending),
                    Submitted::Refused(answer) => Heard::Answer(answer),
                }
            }
            (Person::AtTerminal, _, Some(terminal)) => {
                self.parts.hooks.before(&asking.request, Surface::Cli);
                let answer = terminal.ask_async(&asking.request).await;
                Heard::Answer(self.heard(asking, answer))
            }
            _ => Heard::Answer(Answer::denied(AnsweredBy::NobodyThere, Duration::ZERO)),
        }
    }

    /// An asker of others may answer what was not offered.
    fn heard(&self, asking: &Asking, mut answer: Answer) -> Answer {
        answer.choice = asking.request.limited(answer.choice);
        self.parts
            .hooks
            .after(&asking.request, &answer, Surface::Cli);
        answer
    }

    /// Keeps what was granted. Gives what a person should know about that.
    pub(super) fn keep(&self, request: &ApprovalRequest, choice: Choice) -> Option<String> {
        if matches!(choice, Choice::Once | Choice::Deny) {
            return None;
        }
        let now = SystemTime::now();
        for key in &request.keys {
            let grant = Grant::new(Scope::key(key), now);
            self.parts.sessions.grant(&request.session_key, grant);
        }
        let file = self.parts.allowlist.as_ref()?;
        if choice != Choice::Always {
            return None;
        }
        let keys = request.keys.iter().filter(|key| is_lasting(key));
        let entries: Vec<&str> = keys.flat_map(|key| stored_as(key)).collect();
        let error = file.add(&entries).err()?;
        tracing::warn!(%error, "an approval could not be stored; it holds for the conversation");
        Some(format!(
            "the approval holds for this conversation only: {error}"
        ))
    }

    /// Says what came of it.
    pub(super) fn settle(&self, asking: Asking, heard: Heard, note: Option<String>) -> Outcome {
        let Asking {
            request, mut draft, ..
        } = asking;
        let answer = match heard {
            Heard::Answer(answer) => answer,
            Heard::Pending(pending) => {
                let message = Some(pending.message.clone());
                let mut outcome = draft.outcome(false, Stage::Asked, None, message);
                outcome.pending = Some(pending);
                return outcome;
            }
        };
        draft.notes.extend(note);
        let approved = answer.choice.allows();
        let stop_turn =
            answer.by == AnsweredBy::Timeout && self.parts.policy.on_timeout == OnTimeout::Stop;
        let message =
            (!approved).then(|| wording::denied(&answer, &request.description, stop_turn));
        let mut outcome = draft.outcome(approved, Stage::Asked, None, message);
        outcome.stop_turn = stop_turn;
        outcome.answer = Some(answer);
        outcome
    }

    /// Records the outcome, if there is a record. Gives what went wrong.
    pub(super) fn record(&self, request: &CommandRequest, outcome: &Outcome) -> Option<String> {
        let audit = &self.parts.audit;
        if !audit.is_on() {
            return None;
        }
        let verdict = serde_json::to_value(&outcome.verdict).unwrap_or(Value::Null);
        let decision = json!({
            "approved": outcome.approved,
            "stage": outcome.stage.name(),
            "by": outcome.by,
            "keys": outcome.keys,
            "ask_without_human": outcome.ask_without_human.name(),
            "headless": outcome.headless,
            "scan": outcome.scan,
            "advice": outcome.advice,
            "answer": outcome.answer,
            "pending": outcome.pending.is_some(),
        });
        let recorded = audit.record(&Record {
            at: SystemTime::now(),
            session_key: &request.situation.session_key,
            command: request.command.as_str(),
            verdict: &verdict,
            decision: &decision,
        });
        let error = recorded.err()?;
        tracing::warn!(%error, "a decision could not be recorded");
        Some(format!("it was not recorded: {error}"))
    }
}

impl Heard {
    /// What was chosen; nothing yet if the request waits.
    pub(super) fn choice(&self) -> Choice {
        match self {
            Self::Answer(answer) => answer.choice,
            Self::Pending(_) => Choice::Deny,
        }
    }
}

/// A key of the person's own list would undo that list.
fn is_lasting(key: &str) -> bool {
    may_be_permanent(key) && !key.starts_with("approvals.")
}
