//! The session that is recorded into.

use hermes_kit::state::{
    DeleteOptions, Error as StateError, MessageId, NewMessage, NewSession, Store,
};
use jiff::ZonedDateTime;
use serde::Serialize;

use super::answers::Answers;
use crate::cli::ChatLog;
use crate::failure::Failure;

/// Bad lines that are kept to be listed.
const KEPT: usize = 1000;

/// What became of a conversation.
#[derive(Debug, Default, Serialize)]
pub(super) struct Summary {
    /// None if no message came.
    pub(super) session_id: Option<String>,
    created: bool,
    reopened: bool,
    pub(super) messages: u64,
    pub(super) bad_lines: u64,
    errors: Vec<BadLine>,
    pub(super) ended: bool,
}

#[derive(Debug, Serialize)]
struct BadLine {
    line: u64,
    problem: String,
}

/// Appends messages to a session that comes into being, or is opened again, with the first one.
pub(super) struct Recorder<'s> {
    store: &'s Store,
    args: &'s ChatLog,
    session: String,
    summary: Summary,
}

impl<'s> Recorder<'s> {
    pub(super) fn new(store: &'s Store, args: &'s ChatLog) -> Result<Recorder<'s>, Failure> {
        let session = match &args.session {
            Some(id) => id.clone(),
            None => free_id(store)?,
        };
        Ok(Recorder {
            store,
            args,
            session,
            summary: Summary::default(),
        })
    }

    pub(super) fn session(&self) -> &str {
        &self.session
    }

    /// Whether nothing is recorded behind a bad line.
    pub(super) fn strict(&self) -> bool {
        self.args.strict
    }

    /// Stores the messages of these lines and empties the batch. `false` if one was refused.
    pub(super) fn store(
        &mut self,
        batch: &mut Vec<(u64, NewMessage)>,
        answers: &mut Answers<'_>,
    ) -> Result<bool, Failure> {
        if batch.is_empty() {
            return Ok(true);
        }
        self.begin(answers)?;
        let (lines, messages): (Vec<u64>, Vec<NewMessage>) = batch.drain(..).unzip();
        match self.store.append_messages(&messages) {
            Ok(ids) => {
                self.stored(lines.into_iter().zip(ids), answers)?;
                Ok(true)
            }
            Err(error) if is_about_a_message(&error) => self.one_by_one(&lines, &messages, answers),
            Err(error) => Err(error.into()),
        }
    }

    fn one_by_one(
        &mut self,
        lines: &[u64],
        messages: &[NewMessage],
        answers: &mut Answers<'_>,
    ) -> Result<bool, Failure> {
        let mut all = true;
        for (line, message) in lines.iter().zip(messages) {
            match self.store.append_message(message) {
                Ok(id) => self.stored([(*line, id)], answers)?,
                Err(error) if is_about_a_message(&error) => {
                    self.refuse(*line, error.problem(), answers)?;
                    all = false;
                    if self.strict() {
                        break;
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(all)
    }

    /// A line that holds no message to be stored.
    pub(super) fn refuse(
        &mut self,
        line: u64,
        problem: String,
        answers: &mut Answers<'_>,
    ) -> Result<(), Failure> {
        self.summary.bad_lines += 1;
        answers.refused(line, &problem, self.summary.bad_lines)?;
        if self.summary.errors.len() < KEPT {
            self.summary.errors.push(BadLine { line, problem });
        }
        Ok(())
    }

    /// The input is over.
    pub(super) fn end(&mut self) -> Result<(), Failure> {
        if let Some(reason) = &self.args.end
            && (self.summary.session_id.is_some() || self.store.session(&self.session)?.is_some())
        {
            self.summary.session_id = Some(self.session.clone());
            self.summary.ended = self.store.end_session(&self.session, reason)?;
        }
        Ok(())
    }

    pub(super) fn into_summary(self) -> Summary {
        self.summary
    }

    fn stored(
        &mut self,
        stored: impl IntoIterator<Item = (u64, MessageId)>,
        answers: &mut Answers<'_>,
    ) -> Result<(), Failure> {
        let stored: Vec<_> = stored.into_iter().collect();
        self.summary.messages += stored.len() as u64;
        answers.stored(&self.session, stored)
    }

    /// The session, once, before its first message.
    fn begin(&mut self, answers: &mut Answers<'_>) -> Result<(), Failure> {
        if self.summary.session_id.is_some() {
            return Ok(());
        }
        let mut new = NewSession::new(self.session.as_str(), self.args.source.as_str());
        if let Some(model) = &self.args.model {
            new = new.model(model.as_str());
        }
        if let Some(cwd) = &self.args.cwd {
            new = new.cwd(cwd.as_str());
        }
        let created = self.store.create_session(&new)?;
        if let Some(title) = &self.args.title
            && let Err(error) = self
                .store
                .set_session_title(&self.session, Some(title.as_str()))
        {
            if created {
                self.store
                    .delete_session(self.session.as_str(), &DeleteOptions::new())?;
            }
            return Err(error.into());
        }
        let session = self.store.session(&self.session)?;
        if session.is_some_and(|session| session.ended_at.is_some()) {
            self.store.reopen_session(&self.session)?;
            self.summary.reopened = true;
        }
        self.summary.created = created;
        self.summary.session_id = Some(self.session.clone());
        answers.session(&self.session)
    }
}

/// Whether other messages can be stored all the same.
fn is_about_a_message(error: &StateError) -> bool {
    matches!(
        error,
        StateError::Invalid { .. } | StateError::Unsupported { .. }
    )
}

/// An id as Hermes makes them: the local time, and something by chance.
fn free_id(store: &Store) -> Result<String, Failure> {
    loop {
        let time = ZonedDateTime::now().strftime("%Y%m%d_%H%M%S").to_string();
        let id = format!("{time}_{:06x}", rand::random::<u32>() >> 8);
        if store.session(&id)?.is_none() {
            return Ok(id);
        }
    }
}
