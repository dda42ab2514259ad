//! What was granted for a conversation. It is in memory only, and ends with the conversation.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::{Grant, Question, covering};

/// How much is kept. What is pushed out is asked about again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionLimits {
    /// Conversations; the one that was not used for the longest time goes first. 1,024.
    pub sessions: usize,
    /// Grants of one conversation; the oldest goes first. 1,024.
    pub grants: usize,
}

impl Default for SessionLimits {
    fn default() -> Self {
        Self {
            sessions: 1_024,
            grants: 1_024,
        }
    }
}

impl SessionLimits {
    /// With this many conversations and grants of each; at least one.
    pub fn new(sessions: usize, grants: usize) -> Self {
        Self {
            sessions: sessions.max(1),
            grants: grants.max(1),
        }
    }
}

/// The grants of all conversations of a process. Shared between threads by reference.
#[derive(Debug, Default)]
pub struct SessionGrants {
    limits: SessionLimits,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    sessions: HashMap<String, Session>,
    /// The conversations in the order of their last use.
    by_use: BTreeMap<u64, String>,
    clock: u64,
}

#[derive(Debug, Default)]
struct Session {
    used: u64,
    grants: Vec<Grant>,
    yolo: bool,
}

impl SessionGrants {
    /// With limits of one's own.
    pub fn with_limits(limits: SessionLimits) -> Self {
        Self {
            limits,
            state: Mutex::default(),
        }
    }

    /// Adds a grant to a conversation. One of the same scope is replaced.
    pub fn grant(&self, session: &str, grant: Grant) {
        let limit = self.limits.grants;
        self.change(session, |session| {
            session.grants.retain(|old| old.scope != grant.scope);
            session.grants.push(grant);
            let excess = session.grants.len().saturating_sub(limit);
            session.grants.drain(..excess);
        });
    }

    /// The grants that cover the question in this conversation.
    pub fn covering(
        &self,
        session: &str,
        question: &Question<'_>,
        now: SystemTime,
    ) -> Option<Vec<Grant>> {
        let mut state = self.state();
        state.touch(session);
        let session = state.sessions.get_mut(session)?;
        session.grants.retain(|grant| grant.holds(now));
        covering(&session.grants, question, now).map(|found| found.into_iter().cloned().collect())
    }

    /// The grants of a conversation, oldest first.
    pub fn list(&self, session: &str) -> Vec<Grant> {
        self.state()
            .sessions
            .get(session)
            .map(|session| session.grants.clone())
            .unwrap_or_default()
    }

    /// Whether the conversation asks for nothing that may be asked: its own yolo.
    pub fn is_yolo(&self, session: &str) -> bool {
        let mut state = self.state();
        state.touch(session);
        state.sessions.get(session).is_some_and(|one| one.yolo)
    }

    /// Turns yolo of a conversation on or off.
    pub fn set_yolo(&self, session: &str, yolo: bool) {
        self.change(session, |session| session.yolo = yolo);
    }

    /// Forgets a conversation: it has ended, or begins anew.
    pub fn clear(&self, session: &str) {
        let mut state = self.state();
        if let Some(gone) = state.sessions.remove(session) {
            state.by_use.remove(&gone.used);
        }
    }

    /// How many conversations are remembered.
    pub fn len(&self) -> usize {
        self.state().sessions.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn change(&self, session: &str, change: impl FnOnce(&mut Session)) {
        let mut state = self.state();
        change(state.sessions.entry(session.to_owned()).or_default());
        state.touch(session);
        while state.sessions.len() > self.limits.sessions {
            let Some((_, oldest)) = state.by_use.pop_first() else {
                break;
            };
            state.sessions.remove(&oldest);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere leaves no half change here: each is made of single steps that hold.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn touch(&mut self, name: &str) {
        if let Some(session) = self.sessions.get_mut(name) {
            self.clock += 1;
            self.by_use.remove(&session.used);
            session.used = self.clock;
            self.by_use.insert(self.clock, name.to_owned());
        }
    }
}
