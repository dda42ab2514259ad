//! People in a messenger: requests wait in a queue per conversation until someone answers.
//!
//! A conversation *registers* a function that brings requests to it. Each request that waits is
//! answered exactly once: by a person, by its time-out, or because the conversation has gone. Who
//! takes a request out of the queue answers it, and taking it out is one step under one lock.

mod queue;
mod reply;
mod status;
mod ticket;

use std::error::Error as StdError;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

pub use reply::Reply;
pub use status::{Pending, Status, Waiting};
pub use ticket::Ticket;

use queue::{Slot, State};

#[cfg(feature = "tokio")]
use crate::asker::{Answering, AsyncAsker};
use crate::{Answer, AnsweredBy, ApprovalRequest, Asker, Choice, Hooks, Surface};

/// Brings a request to a conversation. An error, or a panic, denies the request.
pub type Notify =
    dyn Fn(&ApprovalRequest) -> Result<(), Box<dyn StdError + Send + Sync>> + Send + Sync;

/// Called at least once a second while someone waits, with the conversation. Says that the agent is
/// alive, and learns whether it shall go on: `false` denies the request.
pub type Heartbeat = dyn Fn(&str) -> bool + Send + Sync;

/// How a gateway works.
#[derive(Clone)]
#[non_exhaustive]
pub struct GatewayOptions {
    /// How long a person has: 300 s.
    pub timeout: Duration,
    /// How many requests of one conversation wait at most: 4,096.
    pub per_conversation: usize,
    /// How many wait, and how many are stored for later, at most: 65,536 each.
    pub total: usize,
    /// Whoever wants to know. They are told before a request is shown, and must not submit another.
    pub hooks: Hooks,
    /// See [`Heartbeat`].
    pub heartbeat: Option<Arc<Heartbeat>>,
}

impl Default for GatewayOptions {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(300),
            per_conversation: 4_096,
            total: 65_536,
            hooks: Hooks::new(),
            heartbeat: None,
        }
    }
}

impl fmt::Debug for GatewayOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GatewayOptions")
            .field("timeout", &self.timeout)
            .field("per_conversation", &self.per_conversation)
            .field("total", &self.total)
            .field("heartbeat", &self.heartbeat.is_some())
            .finish_non_exhaustive()
    }
}

/// What became of a request.
#[derive(Debug)]
#[non_exhaustive]
pub enum Submitted {
    /// It was shown, and waits. Dropping the ticket takes it back.
    Waiting(Ticket),
    /// Nobody listens to the conversation. It is kept for [`Gateway::take_stored`].
    Stored(Pending),
    /// It is denied already.
    Refused(Answer),
}

/// The gateway of a process. Clones are the same gateway.
#[derive(Clone, Debug)]
pub struct Gateway {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    options: GatewayOptions,
    state: Mutex<State>,
}

impl Default for Gateway {
    fn default() -> Self {
        Self::new(GatewayOptions::default())
    }
}

impl Gateway {
    /// With these options.
    pub fn new(options: GatewayOptions) -> Self {
        Self {
            shared: Arc::new(Shared {
                options,
                state: Mutex::default(),
            }),
        }
    }

    /// From now on requests of the conversation are brought to it by `notify`, in place of what was
    /// registered before. It is called for one request of a conversation at a time, so that a person
    /// sees them in the order in which they are answered. It may answer the request, and must not
    /// submit another one to the same conversation.
    pub fn register(
        &self,
        session: &str,
        notify: impl Fn(&ApprovalRequest) -> Result<(), Box<dyn StdError + Send + Sync>>
        + Send
        + Sync
        + 'static,
    ) {
        let notify: Arc<Notify> = Arc::new(notify);
        self.shared.state().conversation(session).notify = Some(notify);
    }

    /// Nobody listens any more: whoever waits is denied.
    pub fn unregister(&self, session: &str) {
        let gone = self.shared.state().unregister(session);
        close(gone);
    }

    /// The conversation begins anew: whoever waits is denied, and what is stored is forgotten.
    pub fn clear(&self, session: &str) {
        let gone = self.shared.state().clear(session);
        close(gone);
    }

    /// Ends all conversations.
    pub fn close_all(&self) {
        let gone = self.shared.state().close_all();
        close(gone);
    }

    /// Puts a request into the queue and shows it.
    pub fn submit(&self, mut request: ApprovalRequest) -> Submitted {
        let begun = Instant::now();
        let turn = self.shared.state().turn(&request.session_key);
        // One turn from the queue to the person, so that both have the same order.
        let turn = turn
            .as_ref()
            .map(|turn| turn.lock().unwrap_or_else(PoisonError::into_inner));
        let entered = self
            .shared
            .state()
            .enter(&mut request, &self.shared.options);
        let (slot, notify) = match entered {
            queue::Entered::Queued { slot, notify } => (slot, notify),
            queue::Entered::Stored => return Submitted::Stored(Pending::new(request)),
            queue::Entered::Full => {
                let answer = Answer::denied(AnsweredBy::Full, begun.elapsed());
                return Submitted::Refused(answer);
            }
        };
        let ticket = Ticket::new(Arc::clone(&self.shared), Arc::clone(&slot));
        let hooks = &self.shared.options.hooks;
        hooks.before(&slot.request, Surface::Gateway);
        let shown = catch_unwind(AssertUnwindSafe(|| notify(&slot.request)));
        drop(turn);
        let failed = match shown {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error.to_string()),
            Err(_) => Some("it panicked".to_owned()),
        };
        if let Some(error) = failed {
            tracing::warn!(%error, "a request for approval could not be shown, which denies");
            if self
                .shared
                .settle_waiting(&slot, Choice::Deny, None, AnsweredBy::NotifyFailed)
            {
                return Submitted::Refused(ticket.wait());
            }
        }
        Submitted::Waiting(ticket)
    }

    /// Answers the oldest request of a conversation, or all. Gives how many there were.
    pub fn resolve(&self, session: &str, reply: &Reply) -> usize {
        let slots = self.shared.state().take(session, reply.all);
        for slot in &slots {
            slot.settle(reply.choice, reply.reason.clone(), AnsweredBy::Person);
        }
        slots.len()
    }

    /// Answers one request, by its id. Gives whether it was waiting.
    pub fn resolve_one(&self, session: &str, id: &str, reply: &Reply) -> bool {
        let slot = self.shared.state().take_by_id(session, id);
        if let Some(slot) = &slot {
            slot.settle(reply.choice, reply.reason.clone(), AnsweredBy::Person);
        }
        slot.is_some()
    }

    /// How a conversation stands.
    pub fn status(&self, session: &str) -> Status {
        self.shared.state().status(session)
    }

    /// How many requests wait in all conversations.
    pub fn waiting(&self) -> usize {
        self.shared.state().waiting()
    }

    /// Takes what was stored while nobody listened: the last request of the conversation.
    pub fn take_stored(&self, session: &str) -> Option<ApprovalRequest> {
        self.shared.state().take_stored(session)
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // No code of others runs under this lock, and none of ours panics.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers a request, unless somebody else has taken it or is about to answer it.
    fn settle_waiting(
        &self,
        slot: &Slot,
        choice: Choice,
        reason: Option<String>,
        by: AnsweredBy,
    ) -> bool {
        let taken = self.state().take_slot(slot);
        if taken {
            slot.settle(choice, reason, by);
        }
        taken
    }
}

fn close(gone: Vec<Arc<Slot>>) {
    for slot in gone {
        slot.settle(Choice::Deny, None, AnsweredBy::Closed);
    }
}

impl Asker for Gateway {
    /// A request that nobody listens to is stored and denied.
    fn ask(&self, request: &ApprovalRequest) -> Answer {
        match self.submit(request.clone()) {
            Submitted::Waiting(ticket) => ticket.wait(),
            Submitted::Stored(_) => Answer::denied(AnsweredBy::NobodyThere, Duration::ZERO),
            Submitted::Refused(answer) => answer,
        }
    }
}

#[cfg(feature = "tokio")]
impl AsyncAsker for Gateway {
    /// The function that brings the request to the conversation is called in the task, and should
    /// only hand it on.
    fn ask_async<'a>(&'a self, request: &'a ApprovalRequest) -> Answering<'a> {
        Box::pin(async move {
            match self.submit(request.clone()) {
                Submitted::Waiting(ticket) => ticket.answer().await,
                Submitted::Stored(_) => Answer::denied(AnsweredBy::NobodyThere, Duration::ZERO),
                Submitted::Refused(answer) => answer,
            }
        })
    }
}
