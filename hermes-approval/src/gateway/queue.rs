//! Who waits, in what order. Everything here runs under the one lock of the gateway.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Instant;

use super::{GatewayOptions, Notify, Status, Waiting};
use crate::{Answer, AnsweredBy, ApprovalRequest, Choice};

/// The place of one request, from the queue to its answer.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) request: ApprovalRequest,
    pub(super) since: Instant,
    number: u64,
    pub(super) cell: Mutex<Cell>,
    pub(super) answered: Condvar,
}

#[derive(Debug, Default)]
pub(super) struct Cell {
    pub(super) answer: Option<Answer>,
    pub(super) waker: Option<Waker>,
}

impl Slot {
    /// Gives the answer, and wakes who waits for it. Only for who has taken the slot out of the
    /// queue, so that it happens once.
    pub(super) fn settle(&self, choice: Choice, reason: Option<String>, by: AnsweredBy) {
        let answer = Answer {
            choice: self.request.limited(choice),
            reason,
            by,
            after: self.since.elapsed(),
        };
        let waker = {
            let mut cell = self.cell();
            cell.answer = Some(answer);
            cell.waker.take()
        };
        self.answered.notify_all();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    pub(super) fn cell(&self) -> MutexGuard<'_, Cell> {
        self.cell.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Default)]
pub(super) struct Conversation {
    pub(super) notify: Option<Arc<Notify>>,
    /// Held from when a request is queued until it is shown.
    turn: Arc<Mutex<()>>,
    /// Oldest first.
    queue: BTreeMap<u64, Arc<Slot>>,
    stored: Option<u64>,
}

impl Conversation {
    fn is_idle(&self) -> bool {
        self.notify.is_none() && self.queue.is_empty() && self.stored.is_none()
    }
}

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversation")
            .field("listening", &self.notify.is_some())
            .field("waiting", &self.queue.len())
            .finish_non_exhaustive()
    }
}

#[derive(Debug, Default)]
pub(super) struct State {
    conversations: HashMap<String, Conversation>,
    /// What nobody has seen, oldest first.
    stored: BTreeMap<u64, ApprovalRequest>,
    waiting: usize,
    last: u64,
}

/// Where a request went.
pub(super) enum Entered {
    Queued {
        slot: Arc<Slot>,
        notify: Arc<Notify>,
    },
    Stored,
    Full,
}

impl State {
    pub(super) fn conversation(&mut self, session: &str) -> &mut Conversation {
        self.conversations.entry(session.to_owned()).or_default()
    }

    /// What is held while a request of the conversation is shown; `None` if nobody listens.
    pub(super) fn turn(&self, session: &str) -> Option<Arc<Mutex<()>>> {
        let conversation = self.conversations.get(session)?;
        conversation.notify.as_ref()?;
        Some(Arc::clone(&conversation.turn))
    }

    pub(super) fn enter(
        &mut self,
        request: &mut ApprovalRequest,
        options: &GatewayOptions,
    ) -> Entered {
        self.last += 1;
        let number = self.last;
        if request.id.is_empty() {
            request.id = format!("approval-{number}");
        }
        let full = self.waiting >= options.total;
        let conversation = self
            .conversations
            .entry(request.session_key.clone())
            .or_default();
        let Some(notify) = conversation.notify.clone() else {
            return self.store(number, request, options);
        };
        if full || conversation.queue.len() >= options.per_conversation {
            return Entered::Full;
        }
        let slot = Arc::new(Slot {
            request: request.clone(),
            since: Instant::now(),
            number,
            cell: Mutex::default(),
            answered: Condvar::new(),
        });
        conversation.queue.insert(number, Arc::clone(&slot));
        self.waiting += 1;
        Entered::Queued { slot, notify }
    }

    fn store(
        &mut self,
        number: u64,
        request: &ApprovalRequest,
        options: &GatewayOptions,
    ) -> Entered {
        let before = self
            .conversation(&request.session_key)
            .stored
            .replace(number);
        if let Some(before) = before {
            self.stored.remove(&before);
        }
        self.stored.insert(number, request.clone());
        while self.stored.len() > options.total.max(1) {
            let Some((_, oldest)) = self.stored.pop_first() else {
                break;
            };
            self.conversation(&oldest.session_key).stored = None;
            self.forget_if_idle(&oldest.session_key);
        }
        Entered::Stored
    }

    pub(super) fn take_stored(&mut self, session: &str) -> Option<ApprovalRequest> {
        let number = self.conversations.get_mut(session)?.stored.take()?;
        self.forget_if_idle(session);
        self.stored.remove(&number)
    }

    /// The oldest, or all.
    pub(super) fn take(&mut self, session: &str, all: bool) -> Vec<Arc<Slot>> {
        let Some(conversation) = self.conversations.get_mut(session) else {
            return Vec::new();
        };
        let taken: Vec<Arc<Slot>> = if all {
            std::mem::take(&mut conversation.queue)
                .into_values()
                .collect()
        } else {
            conversation
                .queue
                .pop_first()
                .map(|(_, slot)| slot)
                .into_iter()
                .collect()
        };
        self.waiting = self.waiting.saturating_sub(taken.len());
        self.forget_if_idle(session);
        taken
    }

    pub(super) fn take_by_id(&mut self, session: &str, id: &str) -> Option<Arc<Slot>> {
        let conversation = self.conversations.get(session)?;
        let slot = conversation
            .queue
            .values()
            .find(|slot| slot.request.id == id)
            .map(Arc::clone)?;
        self.take_slot(&slot).then_some(slot)
    }

    /// Whether the slot was still in the queue, and now is not.
    pub(super) fn take_slot(&mut self, slot: &Slot) -> bool {
        let session = &slot.request.session_key;
        let taken = self
            .conversations
            .get_mut(session)
            .is_some_and(|conversation| conversation.queue.remove(&slot.number).is_some());
        if taken {
            self.waiting = self.waiting.saturating_sub(1);
            self.forget_if_idle(session);
        }
        taken
    }

    pub(super) fn unregister(&mut self, session: &str) -> Vec<Arc<Slot>> {
        if let Some(conversation) = self.conversations.get_mut(session) {
            conversation.notify = None;
        }
        self.take(session, true)
    }

    pub(super) fn clear(&mut self, session: &str) -> Vec<Arc<Slot>> {
        self.take_stored(session);
        self.take(session, true)
    }

    pub(super) fn close_all(&mut self) -> Vec<Arc<Slot>> {
        self.waiting = 0;
        self.stored.clear();
        std::mem::take(&mut self.conversations)
            .into_values()
            .flat_map(|conversation| conversation.queue.into_values())
            .collect()
    }

    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    pub(super) fn status(&self, session: &str) -> Status {
        let Some(conversation) = self.conversations.get(session) else {
            return Status::default();
        };
        Status {
            listening: conversation.notify.is_some(),
            waiting: conversation
                .queue
                .values()
                .map(|slot| Waiting::new(&slot.request, slot.since.elapsed()))
                .collect(),
            stored: conversation
                .stored
                .and_then(|number| self.stored.get(&number).cloned()),
        }
    }

    /// So that conversations that have ended leave nothing.
    fn forget_if_idle(&mut self, session: &str) {
        if self
            .conversations
            .get(session)
            .is_some_and(Conversation::is_idle)
        {
            self.conversations.remove(session);
        }
    }
}
