//! The store for async callers: every operation runs on a thread where it may wait.
//!
//! A write can wait for a lock for seconds, and every call reads the disk. On an executor's thread
//! that would stop all its other tasks, so everything here goes to tokio's threads for blocking
//! work. The store's own rules decide how many of them get somewhere at once: one that writes, a
//! few that read.

use std::path::PathBuf;
use std::sync::Arc;

use tokio::runtime::Handle;

use crate::append::NewMessage;
use crate::conversation::ReplayMessage;
use crate::delete::{DeleteOptions, Deleted};
use crate::error::{Error, Result};
use crate::info::StoreInfo;
use crate::list::{ListOptions, SessionSummary};
use crate::message::{Message, MessageId, MessagePage};
use crate::new_session::NewSession;
use crate::search::{SearchOptions, SearchResults};
use crate::session::{Session, SessionId};
use crate::store::{Store, StoreOptions};
use crate::usage::TokenUsage;

/// A [`Store`] whose operations are awaited. Cheap to clone.
///
/// ```
/// use hermes_state::{AsyncStore, NewMessage, SearchOptions};
///
/// # let home = tempfile::tempdir()?;
/// # let path = home.path().join("state.db");
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// let store = AsyncStore::open(&path).await?;
/// store.ensure_session("20260101_120000_abc123").await?;
/// let message = NewMessage::new("20260101_120000_abc123", "user").content("Why does it restart?");
/// store.append_message(message).await?;
/// assert_eq!(store.search(SearchOptions::new("restart")).await?.matches.len(), 1);
///
/// // What has no method of its own here.
/// let titles = store.run(|store| store.next_title_in_lineage("Restarts")).await?;
/// # let _ = titles;
/// store.close().await;
/// # Ok::<(), hermes_state::Error>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Cancelling
/// Dropping a future gives up the wait, not the work: what has begun is finished, so a write is
/// done as a whole or, if it was not begun yet, perhaps not at all. Whoever must know awaits it.
/// A call outside of a tokio runtime, or in one that is already ending, gives [`Error::Stopping`],
/// and nothing was done.
///
/// # Closing
/// The connections close when the last handle is gone and what was begun is finished. That writes
/// the disk, so the last handle leaves it to a thread for blocking work where it is dropped inside
/// a runtime; [`close`](Self::close) waits for it.
#[derive(Debug, Clone)]
pub struct AsyncStore {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// Taken out when this is dropped.
    store: Option<Store>,
}

impl Drop for Shared {
    fn drop(&mut self) {
        let Some(store) = self.store.take() else {
            return;
        };
        // A runtime that is ending drops the closure, and the store with it, at once.
        if let Ok(runtime) = Handle::try_current() {
            drop(runtime.spawn_blocking(move || drop(store)));
        }
    }
}

impl From<Store> for AsyncStore {
    fn from(store: Store) -> AsyncStore {
        let store = Some(store);
        AsyncStore {
            shared: Arc::new(Shared { store }),
        }
    }
}

impl AsyncStore {
    /// Opens a store to read and write, creating what is missing.
    ///
    /// # Errors
    /// See [`StoreOptions::open`].
    pub async fn open(path: impl Into<PathBuf>) -> Result<AsyncStore> {
        AsyncStore::open_with(StoreOptions::new(), path).await
    }

    /// Opens a store.
    ///
    /// # Errors
    /// See [`StoreOptions::open`].
    pub async fn open_with(options: StoreOptions, path: impl Into<PathBuf>) -> Result<AsyncStore> {
        let path = path.into();
        off_the_executor(move || options.open(path).map(AsyncStore::from)).await
    }

    /// The same store for callers that may wait, or `None` while it is being closed.
    pub fn blocking(&self) -> Option<Store> {
        self.shared.store.clone()
    }

    /// Runs any work with the store, off the executor.
    ///
    /// # Errors
    /// Those of the work, and [`Error::Stopping`].
    ///
    /// # Panics
    /// If the work does: its panic goes on in the caller.
    pub async fn run<T, F>(&self, work: F) -> Result<T>
    where
        F: FnOnce(&Store) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        let store = self.blocking().ok_or(Error::Stopping)?;
        off_the_executor(move || work(&store)).await
    }

    /// Gives up this handle. If it is the last one, the connections are closed when this returns;
    /// what other handles or futures began is waited for by the last of them.
    pub async fn close(self) {
        let Some(mut shared) = Arc::into_inner(self.shared) else {
            return;
        };
        let store = shared.store.take();
        let closing = off_the_executor(move || {
            drop(store);
            Ok(())
        });
        // Where nothing can be run any more, the store is dropped with the closure.
        if let Err(error) = closing.await {
            tracing::debug!(%error, "closed on the caller's thread");
        }
    }

    /// See [`Store::create_session`].
    ///
    /// # Errors
    /// As there, and [`Error::Stopping`].
    pub async fn create_session(&self, new: NewSession) -> Result<bool> {
        self.run(move |store| store.create_session(&new)).await
    }

    /// See [`Store::ensure_session`].
    ///
    /// # Errors
    /// As there, and [`Error::Stopping`].
    pub async fn ensure_session(&self, id: impl Into<SessionId>) -> Result<bool> {
        let id = id.into();
        self.run(move |store| store.ensure_session(id)).await
    }

    /// See [`Store::end_session`].
    ///
    /// # Errors
    /// As there, and [`Error::Stopping`].
    pub async fn end_session(
        &self,
        id: impl Into<SessionId>,
        reason: impl Into<String>,
    ) -> Result<bool> {
        let (id, reason) = (id.into(), reason.into());
        self.run(move |store| store.end_session(&id, &reason)).await
    }

    /// See [`Store::reopen_session`].
    ///
    /// # Errors
    /// As there, and [`Error::Stopping`].
    pub async fn reopen_session(&self, id: impl Into<SessionId>) -> Result<()> {
        let id = id.into();
        self.run(move |store| store.reopen_session(&id)).await
    }

    /// See [`Store::set_session_title`].
    ///
    /// # Errors
    /// As there, and [`Error::Stopping`].
    pub async fn set_session_title(
        &self,
        id: impl Into<SessionId>,
        title: Option<String>,
    ) -> Result<bool> {
        let id = id.into();
        self.run(move |store| store.set_session_title(&id, title.as_deref()))
            .await
    }

    /// See [`Store::update_token_counts`].
    ///
    /// # Errors
    /// As there, and [`Error::Stopping`].
    pub async fn update_token_counts(&self, usage: TokenUsage) -> Result<()> {
        self.run(move |store| store.update_token_counts(&usage))
            .await
    }

    /// See [`Store::append_message`].
    ///
    /// # Errors
    /// As there, and [`Error::Stopping`].
    pub async fn append_message(&self, message: NewMessage) -> Result<MessageId> {
        self.run(move |store| store.append_message(&message)).await
    }

    /// See [`Store::append_messages`].
    ///
    /// # Errors
    /// As there, and [`Error::Stopping`].
    pub async fn append_messages(&self, messages: Vec<NewMessage>) -> Result<Vec<MessageId>> {
        self.run(move |store| store.append_messages(&messages))
            .await
    }

    /// See [`Store::replace_messages`].
    ///
    /// # Errors
    /// As there, and [`Error::Stopping`].
    pub async fn replace_messages(
        &self,
        id: impl Into<SessionId>,
        messages: Vec<NewMessage>,
    ) -> Result<Vec<MessageId>> {
        let id = id.into();
        self.run(move |store| store.replace_messages(&id, &messages))
            .await
    }

    /// See [`Store::delete_session`].
    ///
    /// # Errors
    /// As there, and [`Error::Stopping`].
    pub async fn delete_session(
        &self,
        id: impl Into<SessionId>,
        options: DeleteOptions,
    ) -> Result<Deleted> {
        let id = id.into();
        self.run(move |store| store.delete_session(id, &options))
            .await
    }

    /// See [`Store::session`].
    ///
    /// # Errors
    /// As there, and [`Error::Stopping`].
    pub async fn session(&self, id: impl Into<SessionId>) -> Result<Option<Session>> {
        let id = id.into();
        self.run(move |store| store.session(&id)).await
    }

    /// See [`Store::find_session`].
    ///
    /// # Errors
    /// As there, and [`Error::Stopping`].
    pub async fn find_session(&self, text: impl Into<String>) -> Result<Option<SessionId>> {
        let text = text.into();
        self.run(move |store| store.find_session(&text)).await
    }

    /// See [`Store::list_sessions`].
    ///
    /// # Errors
    /// As there, and [`Error::Stopping`].
    pub async fn list_sessions(&self, options: ListOptions) -> Result<Vec<SessionSummary>> {
        self.run(move |store| store.list_sessions(&options)).await
    }

    /// See [`Store::messages`].
    ///
    /// # Errors
    /// As there, and [`Error::Stopping`].
    pub async fn messages(
        &self,
        id: impl Into<SessionId>,
        page: MessagePage,
    ) -> Result<Vec<Message>> {
        let id = id.into();
        self.run(move |store| store.messages(&id, page)).await
    }

    /// See [`Store::conversation`].
    ///
    /// # Errors
    /// As there, and [`Error::Stopping`].
    pub async fn conversation(&self, id: impl Into<SessionId>) -> Result<Vec<ReplayMessage>> {
        let id = id.into();
        self.run(move |store| store.conversation(&id)).await
    }

    /// See [`Store::search`].
    ///
    /// # Errors
    /// As there, and [`Error::Stopping`].
    pub async fn search(&self, options: SearchOptions) -> Result<SearchResults> {
        self.run(move |store| store.search(&options)).await
    }

    /// See [`Store::meta`].
    ///
    /// # Errors
    /// As there, and [`Error::Stopping`].
    pub async fn meta(&self, key: impl Into<String>) -> Result<Option<String>> {
        let key = key.into();
        self.run(move |store| store.meta(&key)).await
    }

    /// See [`Store::set_meta`].
    ///
    /// # Errors
    /// As there, and [`Error::Stopping`].
    pub async fn set_meta(&self, key: impl Into<String>, value: impl Into<String>) -> Result<()> {
        let (key, value) = (key.into(), value.into());
        self.run(move |store| store.set_meta(&key, &value)).await
    }

    /// See [`Store::info`].
    ///
    /// # Errors
    /// As there, and [`Error::Stopping`].
    pub async fn info(&self) -> Result<StoreInfo> {
        self.run(Store::info).await
    }
}

async fn off_the_executor<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let runtime = Handle::try_current().map_err(|_| Error::Stopping)?;
    match runtime.spawn_blocking(work).await {
        Ok(outcome) => outcome,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(Error::Stopping),
        },
    }
}
