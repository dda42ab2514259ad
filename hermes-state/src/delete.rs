//! Deleting sessions: in batches that hold the write lock for a moment each, so that whoever else
//! writes the store has its turn.
//!
//! A batch is one transaction and takes whole sessions, as many as its time allows. A session that
//! no batch can hold is marked first (in `state_meta`, and by its end reason
//! [`DELETING`]), then its messages go from the newest to the oldest, its row last. Killed in between, what
//! is left says what it is, and the next deletion or prune goes on with it.

mod batch;

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::error::Result;
use crate::pace::Pace;
use crate::prune::Condition;
use crate::session::SessionId;
use crate::session_files::{FileError, SessionFiles};
use crate::store::Store;
use crate::write::Patience;

pub(crate) use batch::{Delegates, delegates_of, loose_delegates, mark, with_mark};
use batch::{Job, run};

/// The end reason of a session whose deletion is under way.
pub(crate) const DELETING: &str = "deleting";

/// How to delete.
///
/// ```
/// use hermes_state::DeleteOptions;
/// let options = DeleteOptions::new().files_in("/home/me/.hermes/sessions");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct DeleteOptions {
    /// The folder with the sessions' files. None are removed if `None`.
    pub files: Option<PathBuf>,
}

impl DeleteOptions {
    /// The rows only, no files.
    pub fn new() -> DeleteOptions {
        DeleteOptions::default()
    }

    /// Also removes the sessions' files in this folder: `<id>.json`, `<id>.jsonl` and
    /// `request_dump_<id>_*.json`. Never one outside of it, whatever an id is made of.
    #[must_use]
    pub fn files_in(mut self, folder: impl AsRef<Path>) -> DeleteOptions {
        self.files = Some(folder.as_ref().to_path_buf());
        self
    }
}

/// What was deleted so far, and at the end in all.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Deleted {
    /// The sessions deleted, delegates that went along included.
    pub ids: Vec<SessionId>,
    /// Their messages.
    pub messages: u64,
    /// Other sessions that lost their parent.
    pub detached: u64,
    /// Sessions left as they are: by the time of their turn they did not match any more, or they
    /// got messages while theirs were being deleted.
    pub kept: Vec<SessionId>,
    /// Files removed.
    pub files: u64,
    /// Files that could not be removed, and ids that cannot be part of a file's name.
    pub file_errors: Vec<FileError>,
    /// Transactions.
    pub batches: u64,
    /// The longest of them, in milliseconds: so long nobody else could write.
    pub longest_batch_ms: u64,
    /// Whether the caller ended it before all was done.
    pub cancelled: bool,
}

impl Deleted {
    pub(crate) fn add(&mut self, more: Deleted) {
        self.ids.extend(more.ids);
        self.messages += more.messages;
        self.detached += more.detached;
        self.kept.extend(more.kept);
        self.files += more.files;
        self.file_errors.extend(more.file_errors);
        self.batches += more.batches;
        self.longest_batch_ms = self.longest_batch_ms.max(more.longest_batch_ms);
        self.cancelled |= more.cancelled;
    }
}

/// Told after each batch what is done; [`ControlFlow::Break`] ends the work at the next boundary
/// between two sessions.
pub type DeleteProgress<'a> = &'a mut dyn FnMut(&Deleted) -> ControlFlow<()>;

impl Store {
    /// Deletes a session with its messages. Its children lose their parent; the delegates that it
    /// had started (stores of version 12 and newer mark them) are deleted along, with theirs.
    ///
    /// Nothing is deleted, and no error, if there is no such session.
    ///
    /// # Errors
    /// Those of every write. A file that could not be removed is no error, but in the report.
    pub fn delete_session(
        &self,
        id: impl Into<SessionId>,
        options: &DeleteOptions,
    ) -> Result<Deleted> {
        self.delete_sessions(&[id.into()], options, &mut |_| ControlFlow::Continue(()))
    }

    /// Deletes sessions, as [`delete_session`](Self::delete_session), in batches.
    ///
    /// # Errors
    /// Those of every write. What was deleted before stays deleted, and no session is left with a
    /// part of its messages but one whose end reason says so; the next deletion goes on with it.
    pub fn delete_sessions(
        &self,
        ids: &[SessionId],
        options: &DeleteOptions,
        progress: DeleteProgress<'_>,
    ) -> Result<Deleted> {
        self.delete_all(ids, None, Delegates::All, options, progress)
    }

    /// Deletes a session if it holds nothing: no message row (whatever its counter says), no title
    /// and no children. Returns whether it was deleted.
    ///
    /// # Errors
    /// Those of every write.
    pub fn delete_session_if_empty(
        &self,
        id: impl Into<SessionId>,
        options: &DeleteOptions,
    ) -> Result<bool> {
        let id = id.into();
        let holds_nothing = Condition::plain(
            "COALESCE(s.title, '') = ''
             AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id)
             AND NOT EXISTS (SELECT 1 FROM sessions c WHERE c.parent_session_id = s.id)",
        );
        let done = self.delete_all(
            std::slice::from_ref(&id),
            Some(&holds_nothing),
            Delegates::Leave,
            options,
            &mut |_| ControlFlow::Continue(()),
        )?;
        Ok(done.ids.contains(&id))
    }

    /// The ended sessions without a message row. Archived ones and delegates do not count.
    ///
    /// # Errors
    /// Those of every read.
    pub fn empty_sessions(&self) -> Result<Vec<SessionId>> {
        self.matching(&self.empty_condition())
    }

    /// Deletes the [`empty_sessions`](Self::empty_sessions). Their children lose their parent.
    ///
    /// # Errors
    /// As [`delete_sessions`](Self::delete_sessions).
    pub fn delete_empty_sessions(
        &self,
        options: &DeleteOptions,
        progress: DeleteProgress<'_>,
    ) -> Result<Deleted> {
        let condition = self.empty_condition();
        let ids = self.matching(&condition)?;
        self.delete_all(&ids, Some(&condition), Delegates::Leave, options, progress)
    }

    fn empty_condition(&self) -> Condition {
        Condition::plain(
            "s.ended_at IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id)",
        )
        .without_archived_and_delegates(&self.layout())
    }

    /// Deletes what a deletion, or the import of a long session, has left behind that was killed.
    /// Every deletion, prune and import does this first.
    ///
    /// # Errors
    /// As [`delete_sessions`](Self::delete_sessions).
    pub fn finish_deletions(&self, options: &DeleteOptions) -> Result<Deleted> {
        let mut report = Deleted::default();
        self.give_up_stale_imports()?;
        let ids = self.read(|conn, _| batch::marked(conn))?;
        if !ids.is_empty() {
            let job = Job::marked();
            self.work(&ids, &job, options, &mut report, &mut |_| {
                ControlFlow::Continue(())
            })?;
        }
        Ok(report)
    }

    /// Deletes these sessions, as far as they still meet the condition at their turn.
    pub(crate) fn delete_all(
        &self,
        ids: &[SessionId],
        still: Option<&Condition>,
        delegates: Delegates,
        options: &DeleteOptions,
        progress: DeleteProgress<'_>,
    ) -> Result<Deleted> {
        let mut report = self.finish_deletions(options)?;
        let loose = if delegates == Delegates::Leave || ids.is_empty() {
            HashMap::new()
        } else {
            self.read(loose_delegates)?
        };
        let job = Job {
            still,
            delegates,
            loose: &loose,
            marked_only: false,
        };
        self.work(ids, &job, options, &mut report, progress)?;
        Ok(report)
    }

    fn work(
        &self,
        ids: &[SessionId],
        job: &Job<'_>,
        options: &DeleteOptions,
        report: &mut Deleted,
        progress: DeleteProgress<'_>,
    ) -> Result<()> {
        let mut files = options.files.as_deref().map(SessionFiles::new);
        let mut pace = Pace::new();
        let mut rest = ids;
        let detached_before = report.detached;
        let mut detached: HashSet<SessionId> = HashSet::new();
        while !rest.is_empty() {
            pace.pause(self);
            let allowance = pace.allowance();
            let (batch, held) = pace.time(|begun| {
                self.write(Patience::Append, |tx| {
                    begun();
                    run(tx, rest, job, &allowance)
                })
            })?;
            pace.learn(held, batch.messages);
            rest = rest.get(batch.roots..).unwrap_or_default();
            report.batches += 1;
            report.longest_batch_ms = report
                .longest_batch_ms
                .max(u64::try_from(held.as_millis()).unwrap_or(u64::MAX));
            report.messages += batch.messages;
            detached.extend(batch.detached);
            for id in &batch.finished {
                detached.remove(id);
            }
            report.detached = detached_before + detached.len() as u64;
            report.kept.extend(batch.kept);
            if let Some(files) = &mut files {
                let removed = files.remove(self, &batch.finished)?;
                report.files += removed.files;
                report.file_errors.extend(removed.errors);
            }
            report.ids.extend(batch.finished);
            let told = progress(report);
            if told.is_break() && !batch.unfinished && !rest.is_empty() {
                report.cancelled = true;
                return Ok(());
            }
        }
        Ok(())
    }
}
