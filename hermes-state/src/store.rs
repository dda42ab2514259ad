//! The store: a cheap handle that threads share, one connection that writes and a few that read.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::Connection;

use crate::error::{Error, Result};
use crate::journal::JournalMode;
use crate::log_settings::LogSettings;
use crate::maintenance::{Checkpointer, Handles, Slot};
use crate::migrate::{Migration, MigrationBackup};
use crate::open;
use crate::open_files::OpenFiles;
use crate::schema::Layout;
use crate::search::KnownBounds;
use crate::session::check_time;
use crate::write::{WriteBudget, once_more, retry_busy};

/// What a commit survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Synchronous {
    /// A committed message survives a power cut: one fsync a transaction.
    #[default]
    Full,
    /// A committed message survives the end of the process, however it ends; a power cut may
    /// take the last commits, but never damages the file.
    Normal,
}

/// Tells the time, in seconds since the Unix epoch.
pub type Clock = Arc<dyn Fn() -> f64 + Send + Sync>;

/// How to open a store.
///
/// ```no_run
/// use hermes_state::StoreOptions;
/// let store = StoreOptions::new().read_only().open("/home/me/.hermes/state.db")?;
/// # Ok::<(), hermes_state::Error>(())
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct StoreOptions {
    pub(crate) read_only: bool,
    pub(crate) create: bool,
    pub(crate) synchronous: Synchronous,
    pub(crate) write_budget: WriteBudget,
    pub(crate) readers: usize,
    pub(crate) page_cache: usize,
    pub(crate) shared_file_system: Option<bool>,
    pub(crate) journal: Option<JournalMode>,
    pub(crate) clock: Clock,
    pub(crate) migration_backup: MigrationBackup,
    pub(crate) log: LogSettings,
}

impl std::fmt::Debug for StoreOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoreOptions")
            .field("read_only", &self.read_only)
            .field("synchronous", &self.synchronous)
            .field("write_budget", &self.write_budget)
            .field("readers", &self.readers)
            .field("page_cache", &self.page_cache)
            .field("shared_file_system", &self.shared_file_system)
            .field("journal", &self.journal)
            .finish_non_exhaustive()
    }
}

const PAGE_CACHE: usize = 16 << 20;

impl Default for StoreOptions {
    fn default() -> StoreOptions {
        StoreOptions {
            read_only: false,
            create: true,
            synchronous: Synchronous::default(),
            write_budget: WriteBudget::default(),
            readers: 4,
            page_cache: PAGE_CACHE,
            shared_file_system: None,
            journal: Some(JournalMode::default()),
            migration_backup: MigrationBackup::default(),
            log: LogSettings::default(),
            clock: Arc::new(system_time),
        }
    }
}

pub(crate) fn system_time() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or(Duration::ZERO)
        .as_secs_f64()
}

impl StoreOptions {
    /// To read and write, creating what is missing; every commit survives a power cut.
    pub fn new() -> StoreOptions {
        StoreOptions::default()
    }

    /// To read only: never creates, migrates or repairs anything.
    #[must_use]
    pub fn read_only(mut self) -> StoreOptions {
        self.read_only = true;
        self
    }

    /// To read and write what is there: no store is created, neither where there is no file nor in
    /// one without tables. For whatever makes sense on an existing store only.
    #[must_use]
    pub fn existing_only(mut self) -> StoreOptions {
        self.create = false;
        self
    }

    /// Sets what a commit survives.
    #[must_use]
    pub fn synchronous(mut self, synchronous: Synchronous) -> StoreOptions {
        self.synchronous = synchronous;
        self
    }

    /// Sets how long writes wait for others.
    #[must_use]
    pub fn write_budget(mut self, budget: WriteBudget) -> StoreOptions {
        self.write_budget = budget;
        self
    }

    /// Sets how many connections may read at the same time (at least one).
    #[must_use]
    pub fn readers(mut self, readers: usize) -> StoreOptions {
        self.readers = readers.max(1);
        self
    }

    /// Sets how many bytes of the file each connection keeps in memory, at most: 16 MiB by default,
    /// where a list of all sessions or a search finds the index of 200,000 messages. What is not
    /// used takes no memory.
    #[must_use]
    pub fn page_cache(mut self, bytes: usize) -> StoreOptions {
        self.page_cache = bytes;
        self
    }

    /// Says whether other machines may have the store open, as on a network file system: then a store
    /// gets no write-ahead log, which lives in the memory of one machine, and one that has it is
    /// warned about. Found out by default, on Linux.
    #[must_use]
    pub fn shared_file_system(mut self, shared: bool) -> StoreOptions {
        self.shared_file_system = Some(shared);
        self
    }

    /// Sets the journal that a store is to have, a write-ahead log by default. A store without one gets
    /// it, unless others have it open or somebody chose against it
    /// ([`health::set_journal`](crate::health::set_journal)). One that has a log keeps it: opening never
    /// takes it away, and warns once that it is not what was asked for.
    #[must_use]
    pub fn journal(mut self, mode: JournalMode) -> StoreOptions {
        self.journal = Some(mode);
        self
    }

    /// Leaves a store the journal that it has; a new one gets a write-ahead log.
    #[must_use]
    pub fn keep_journal(mut self) -> StoreOptions {
        self.journal = None;
        self
    }

    /// Sets when the store is copied before it is migrated.
    #[must_use]
    pub fn migration_backup(mut self, when: MigrationBackup) -> StoreOptions {
        self.migration_backup = when;
        self
    }

    /// Sets after how many pages in the write-ahead log a commit moves them into the main file
    /// itself, if the background has not done so before. 1 to 1,000,000; anything else is warned
    /// about, and 1000 is taken.
    #[must_use]
    pub fn wal_autocheckpoint(mut self, pages: i64) -> StoreOptions {
        self.log.set_autocheckpoint(pages);
        self
    }

    /// Sets to how many bytes a log that is not needed any more is cut. 0 to 1 TiB; anything else
    /// is warned about, and 64 MiB is taken.
    #[must_use]
    pub fn journal_size_limit(mut self, bytes: i64) -> StoreOptions {
        self.log.set_size_limit(bytes);
        self
    }

    /// What opening this store to write would change in it; changes nothing.
    ///
    /// # Errors
    /// Those of [`open`](Self::open) to read only.
    pub fn plan_migration(&self, path: impl AsRef<Path>) -> Result<Migration> {
        open::plan(path.as_ref(), self)
    }

    /// Sets the clock that stamps sessions and messages.
    #[must_use]
    pub fn clock(mut self, clock: impl Fn() -> f64 + Send + Sync + 'static) -> StoreOptions {
        self.clock = Arc::new(clock);
        self
    }

    /// Opens the store at this path (usually `HermesHome::state_db()`).
    ///
    /// A store of an older or a newer version than [`NATIVE_VERSION`](crate::NATIVE_VERSION) can
    /// be read; a write to it is refused with the reason.
    ///
    /// # Errors
    /// [`Error::NoStore`] (read only, or an existing one alone), [`Error::NotAFile`], [`Error::NotADatabase`],
    /// [`Error::NotAHermesDatabase`], [`Error::BadSchemaVersion`], [`Error::Corrupt`],
    /// [`Error::PermissionDenied`], [`Error::CannotOpen`], [`Error::Locked`], and
    /// [`Error::WalReplaced`] while this process still has the store open from before its files were
    /// replaced. None of them has changed the file.
    pub fn open(self, path: impl AsRef<Path>) -> Result<Store> {
        open::open(path.as_ref(), self)
    }
}

/// A session store.
///
/// A handle is cheap to clone and may be used from any thread. Writes of one store go one after
/// the other; reads run beside them and beside each other. No call leaves a transaction open.
#[derive(Clone)]
pub struct Store {
    /// Absent in the maintenance thread. Before `inner`: it waits until that thread is done.
    _handles: Option<Arc<Handles>>,
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) path: PathBuf,
    pub(crate) options: StoreOptions,
    // Before the writer: the last connection to close moves the log into the file and removes it,
    // which a reader cannot.
    readers: Mutex<Pool>,
    /// The connection of the maintenance thread, opened when it is first needed.
    pub(crate) own: Mutex<Option<Checkpointer>>,
    /// Absent when the handle or the file's version allows reading only.
    pub(crate) writer: Option<Mutex<Connection>>,
    /// The writer met a failure after which it must not go on.
    pub(crate) writer_spent: AtomicBool,
    returned: Condvar,
    layout: RwLock<Arc<Layout>>,
    /// Opened with `immutable=1`: the folder is not writable and nobody writes.
    immutable: bool,
    pub(crate) writes: AtomicU64,
    pub(crate) slot: Arc<Slot>,
    migration: Option<Migration>,
    pub(crate) time_bounds: KnownBounds,
    pub(crate) files: Arc<OpenFiles>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        fn of<T>(lock: &mut Mutex<T>) -> &mut T {
            lock.get_mut().unwrap_or_else(PoisonError::into_inner)
        }
        let writer = self.writer.as_mut().map(|writer| &*of(writer));
        let own = of(&mut self.own).as_ref().map(Checkpointer::connection);
        let writers: Vec<&Connection> = writer.into_iter().chain(own).collect();
        if !self.files.part(&writers) {
            of(&mut self.readers).idle.clear();
            *of(&mut self.own) = None;
            self.writer = None;
        }
        self.files.leave();
    }
}

struct Pool {
    idle: Vec<Connection>,
    open: usize,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store")
            .field("path", &self.inner.path)
            .field("read_only", &self.is_read_only())
            .finish_non_exhaustive()
    }
}

/// How often a read that met a lock (recovery after a crash, a store in rollback mode) is tried.
const READ_TRIES: u32 = 5;

impl Store {
    /// Opens a store to read and write, creating what is missing.
    ///
    /// # Errors
    /// See [`StoreOptions::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Store> {
        StoreOptions::new().open(path)
    }

    /// Opens a store to read only.
    ///
    /// # Errors
    /// See [`StoreOptions::open`].
    pub fn open_read_only(path: impl AsRef<Path>) -> Result<Store> {
        StoreOptions::new().read_only().open(path)
    }

    pub(crate) fn assemble(
        path: PathBuf,
        options: StoreOptions,
        writer: Option<Connection>,
        reader: Option<Connection>,
        layout: Layout,
        immutable: bool,
    ) -> Store {
        let idle: Vec<Connection> = reader.into_iter().collect();
        let slot = Arc::new(Slot::default());
        let files = OpenFiles::of(&path);
        Store {
            _handles: Some(Handles::new(slot.clone())),
            inner: Arc::new(Inner {
                path,
                options,
                writer: writer.map(Mutex::new),
                writer_spent: AtomicBool::new(false),
                readers: Mutex::new(Pool {
                    open: idle.len(),
                    idle,
                }),
                returned: Condvar::new(),
                layout: RwLock::new(Arc::new(layout)),
                immutable,
                writes: AtomicU64::new(0),
                own: Mutex::new(None),
                slot,
                migration: None,
                time_bounds: KnownBounds::default(),
                files,
            }),
        }
    }

    /// Notes what opening has changed in the file.
    pub(crate) fn migrated(mut self, migration: Option<Migration>) -> Store {
        if let Some(inner) = Arc::get_mut(&mut self.inner) {
            inner.migration = migration;
        }
        self
    }

    /// A handle for the maintenance thread, which keeps no store open.
    pub(crate) fn of_maintenance(inner: Arc<Inner>) -> Store {
        Store {
            _handles: None,
            inner,
        }
    }

    /// What opening the store has changed in it, or `None` if nothing was to be done.
    pub fn migration(&self) -> Option<&Migration> {
        self.inner.migration.as_ref()
    }

    /// The file, links resolved.
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// Whether this handle can only read, by choice or because of the file's version.
    pub fn is_read_only(&self) -> bool {
        self.inner.writer.is_none()
    }

    /// The schema version of the file.
    pub fn schema_version(&self) -> i64 {
        self.layout().version
    }

    /// The columns of `sessions` in the order of the file, which depends on its history.
    pub fn session_columns(&self) -> Vec<String> {
        self.layout().sessions.names.clone()
    }

    /// The columns of `messages` in the order of the file.
    pub fn message_columns(&self) -> Vec<String> {
        self.layout().messages.names.clone()
    }

    /// Why searches go through the rows instead of the index, or `None` if they do not.
    pub fn index_trouble(&self) -> Option<String> {
        self.layout().index_trouble.clone()
    }

    /// The time by the store's clock, which anybody may have set.
    pub(crate) fn now(&self) -> Result<f64> {
        let now = (self.inner.options.clock)();
        check_time("the clock", now)?;
        Ok(now)
    }

    pub(crate) fn layout(&self) -> Arc<Layout> {
        self.inner
            .layout
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The layout as of now: read again if somebody has changed the schema (another release may
    /// migrate the file while it is open here).
    pub(crate) fn refresh_layout(&self, conn: &Connection) -> Result<Arc<Layout>> {
        let layout = self.layout();
        if layout
            .is_current(conn)
            .map_err(|e| Error::from_sqlite(self.path(), e))?
        {
            return Ok(layout);
        }
        let fresh = Layout::read(conn, self.path())?.ok_or_else(|| Error::NoStore {
            path: self.path().to_path_buf(),
        })?;
        let fresh = Arc::new(fresh);
        *self
            .inner
            .layout
            .write()
            .unwrap_or_else(PoisonError::into_inner) = fresh.clone();
        Ok(fresh)
    }

    /// Runs one read on a connection of the pool. All its statements see the store as of one
    /// moment.
    pub(crate) fn read<T>(
        &self,
        body: impl Fn(&Connection, &Layout) -> rusqlite::Result<T>,
    ) -> Result<T> {
        let budget = &self.inner.options.write_budget;
        self.with_reader(|conn| {
            let patient = |tries, _| tries < READ_TRIES;
            let attempt = || {
                let sqlite = |e| Error::from_sqlite(self.path(), e);
                let transaction = ReadTransaction::begin(conn).map_err(sqlite)?;
                let layout = self.refresh_layout(conn)?;
                let outcome = body(conn, &layout).map_err(sqlite);
                drop(transaction);
                outcome
            };
            retry_busy(&budget.pause, self.path(), patient, || once_more(attempt))
        })
    }

    pub(crate) fn with_reader<T>(&self, body: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.inner.files.check_known()?;
        let conn = self.take_reader()?;
        let lease = Lease {
            store: self,
            conn: Some(conn),
        };
        match &lease.conn {
            Some(conn) => body(conn),
            None => Err(Error::ReadOnly {
                path: self.path().to_path_buf(),
            }),
        }
    }

    /// How many connections this handle has open.
    pub(crate) fn connections(&self) -> usize {
        let pool = self
            .inner
            .readers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        pool.open + usize::from(self.inner.writer.is_some())
    }

    fn take_reader(&self) -> Result<Connection> {
        let mut pool = self
            .inner
            .readers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(conn) = pool.idle.pop() {
                return Ok(conn);
            }
            if pool.open < self.inner.options.readers {
                pool.open += 1;
                break;
            }
            pool = self
                .inner
                .returned
                .wait(pool)
                .unwrap_or_else(PoisonError::into_inner);
        }
        drop(pool);
        let inner = &self.inner;
        let connect = || open::connect_reader(&inner.path, &inner.options, inner.immutable);
        open::retry_reading(&inner.options, &inner.path, connect)
            .inspect_err(|_| self.give_back(None))
    }

    fn give_back(&self, conn: Option<Connection>) {
        let mut pool = self
            .inner
            .readers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match conn {
            Some(conn) => pool.idle.push(conn),
            None => pool.open = pool.open.saturating_sub(1),
        }
        self.inner.returned.notify_one();
    }
}

/// The read transaction of one call, ended when this is dropped.
struct ReadTransaction<'a>(&'a Connection);

impl ReadTransaction<'_> {
    fn begin(conn: &Connection) -> rusqlite::Result<ReadTransaction<'_>> {
        conn.prepare_cached("BEGIN")?.execute([])?;
        Ok(ReadTransaction(conn))
    }
}

impl Drop for ReadTransaction<'_> {
    fn drop(&mut self) {
        // Some errors have ended it already.
        if self.0.is_autocommit() {
            return;
        }
        let ended = self
            .0
            .prepare_cached("COMMIT")
            .and_then(|mut s| s.execute([]));
        if let Err(e) = ended {
            tracing::warn!(error = %e, "a read transaction could not be ended");
        }
    }
}

/// A reader on loan; it goes back to the pool also when the body panics.
struct Lease<'a> {
    store: &'a Store,
    conn: Option<Connection>,
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        self.store.give_back(self.conn.take());
    }
}
