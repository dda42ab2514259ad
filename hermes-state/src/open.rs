//! Opening: what is at the path, may it be read or written, and the connections' settings.
//!
//! The live file and its side files are touched by SQLite alone. Looking at a path's metadata is
//! harmless; opening and closing a descriptor of our own would drop the locks that SQLite holds
//! in this process.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::error::{Error, Result};
use crate::file_system;
use crate::holders::holders;
use crate::journal;
use crate::migrate::{self, Migration};
use crate::open_files;
use crate::recurring;
use crate::reindex;
use crate::schema::{self, Layout};
use crate::search;
use crate::store::{Store, StoreOptions, Synchronous};
use crate::write::{once_more, retry_busy};

const STATEMENT_CACHE: usize = 64;
/// What SQLite can be told.
const MOST_KIB: i64 = 2_000_000_000;

pub(crate) fn open(path: &Path, options: StoreOptions) -> Result<Store> {
    // First of all: in a test, a production store is not even looked at.
    hermes_home::guard::check(path).map_err(Error::LiveSystemGuard)?;
    let found = look(path)?;
    match (found, options.read_only) {
        (None, read_only) if read_only || !options.create => Err(nothing_at(path)),
        (Some(path), true) => open_read_only(path, options),
        (None, _) => {
            let path = prepare_folder(path)?;
            open_read_write(path, options, false, None)
        }
        (Some(path), false) => {
            // A reader looks first: a file that must not be written is never opened for writing.
            match probe(&path, &options) {
                Ok(Some((conn, layout))) if !may_become_writable(&layout) => Ok(Store::assemble(
                    path,
                    options,
                    None,
                    Some(conn),
                    layout,
                    false,
                )),
                // A definition may be doubled, which SQLite cannot tell from other damage.
                Err(error @ Error::Corrupt { .. }) => mend_and_open(path, options, error),
                Ok(None) if !options.create => Err(Error::NoStore { path }),
                Ok(found) => open_read_write(path, options, found.is_some(), found),
                Err(Error::CannotOpen { .. } | Error::ReadOnly { .. }) => {
                    open_read_write(path, options, true, None)
                }
                Err(e) => Err(e),
            }
        }
    }
}

fn may_become_writable(layout: &Layout) -> bool {
    layout.is_writable() || layout.needs_structure()
}

/// What opening the store at this path to write would change.
pub(crate) fn plan(path: &Path, options: &StoreOptions) -> Result<Migration> {
    hermes_home::guard::check(path).map_err(Error::LiveSystemGuard)?;
    match look(path)? {
        Some(path) => migrate::plan(&path, options),
        None => Err(nothing_at(path)),
    }
}

/// The file at this path, links resolved, for what works on an existing store without a handle.
pub(crate) fn existing(path: &Path) -> Result<PathBuf> {
    hermes_home::guard::check(path).map_err(Error::LiveSystemGuard)?;
    let found = look(path)?.ok_or_else(|| nothing_at(path))?;
    match fs::metadata(&found) {
        Ok(metadata) if metadata.len() == 0 && wal_bytes(&found) == 0 => Err(Error::NoStore {
            path: path.to_path_buf(),
        }),
        Ok(_) => Ok(found),
        Err(e) => Err(system_error(path, e)),
    }
}

/// A connection that reads, on a medium that cannot be written, too.
pub(crate) fn connect_to_read(path: &Path, options: &StoreOptions) -> Result<Connection> {
    let readable = |conn: Connection| -> Result<Connection> {
        conn.query_row("PRAGMA schema_version", [], |_| Ok(()))
            .map_err(|e| Error::from_sqlite(path, e))?;
        Ok(conn)
    };
    let immutable = is_at_rest_on_read_only(path);
    match retry_reading(options, path, || {
        connect_reader(path, options, false).and_then(readable)
    }) {
        Err(Error::CannotOpen { .. } | Error::ReadOnly { .. }) if immutable => {
            connect_reader(path, options, true)
        }
        // What is wrong inside is met again by whoever reads.
        Err(Error::Corrupt { .. } | Error::NotADatabase { .. }) => {
            connect_reader(path, options, false)
        }
        connected => connected,
    }
}

/// Opens a store whose schema cannot be read, if the reason is one that can be put right.
fn mend_and_open(path: PathBuf, options: StoreOptions, error: Error) -> Result<Store> {
    let conn = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_WRITE)
        .map_err(|e| explain_open(&path, e))?;
    conn.busy_timeout(options.write_budget.busy_timeout)
        .map_err(|e| Error::from_sqlite(&path, e))?;
    let mended = retry(&options, &path, || {
        migrate::mend_schema(&conn, &path, &options)
    })?;
    drop(conn);
    match mended {
        Some(backup) => {
            let mended = Migration {
                steps: vec![migrate::MENDED.to_owned()],
                backup,
                ..Migration::default()
            };
            open_migrated(path, options, true, None, Some(mended))
        }
        None => Err(error),
    }
}

/// Opens one more connection that writes.
pub(crate) fn connect_writer(path: &Path, options: &StoreOptions) -> Result<Connection> {
    open_files::check_before_opening(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags).map_err(|e| explain_open(path, e))?;
    let conn = watched(conn);
    configure(&conn, options)
        .and_then(|()| configure_writer(&conn, options))
        .map_err(|e| Error::from_sqlite(path, e))?;
    Ok(conn)
}

/// Opens one more connection that reads.
pub(crate) fn connect_reader(
    path: &Path,
    options: &StoreOptions,
    immutable: bool,
) -> Result<Connection> {
    open_files::check_before_opening(path)?;
    let read_only = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = if immutable {
        Connection::open_with_flags(immutable_uri(path), read_only | OpenFlags::SQLITE_OPEN_URI)
    } else {
        Connection::open_with_flags(path, read_only)
    };
    let conn = watched(conn.map_err(|e| explain_open(path, e))?);
    configure(&conn, options)
        .and_then(|()| search::define_functions(&conn))
        .map_err(|e| Error::from_sqlite(path, e))?;
    Ok(conn)
}

/// The regular file at this path that may be a database, links resolved; `None` if there is nothing.
fn look(path: &Path) -> Result<Option<PathBuf>> {
    let found = regular_file(path)?;
    if let Some(found) = &found
        && fs::metadata(found).is_ok_and(|metadata| metadata.len() == 1)
    {
        // SQLite takes a single byte for an empty database (an old file system needed that).
        return Err(Error::NotADatabase {
            path: path.to_path_buf(),
        });
    }
    Ok(found)
}

/// The regular file at this path, links resolved, whatever is in it; `None` if there is nothing.
pub(crate) fn regular_file(path: &Path) -> Result<Option<PathBuf>> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(system_error(path, e)),
    };
    if let Some(kind) = not_a_file(&metadata) {
        return Err(Error::NotAFile {
            path: path.to_path_buf(),
            kind,
        });
    }
    fs::canonicalize(path)
        .map(Some)
        .map_err(|e| system_error(path, e))
}

/// There is no file. A link is there for one, though: its disk may be away, and whoever is told that
/// there are no sessions yet would take them for lost.
pub(crate) fn nothing_at(path: &Path) -> Error {
    let path = path.to_path_buf();
    if fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink()) {
        return Error::NotAFile {
            path,
            kind: "a link to a file that is not there",
        };
    }
    Error::NoStore { path }
}

/// Fails early, with the reason, where no file could be made beside the store.
pub(crate) fn check_folder_is_writable(path: &Path) -> Result<()> {
    match path.parent() {
        Some(folder) if folder.exists() && !may_write(folder) => Err(Error::ReadOnly {
            path: path.to_path_buf(),
        }),
        _ => Ok(()),
    }
}

fn not_a_file(metadata: &Metadata) -> Option<&'static str> {
    if metadata.is_file() {
        return None;
    }
    Some(if metadata.is_dir() {
        "a directory"
    } else {
        "a pipe, socket or device"
    })
}

pub(crate) fn system_error(path: &Path, e: io::Error) -> Error {
    let path = path.to_path_buf();
    match e.kind() {
        _ if is_endless_link(&e) => Error::NotAFile {
            path,
            kind: "a link that leads back to itself",
        },
        io::ErrorKind::PermissionDenied => Error::PermissionDenied { path },
        io::ErrorKind::StorageFull => Error::DiskFull {
            path,
            source: e.into(),
        },
        io::ErrorKind::ReadOnlyFilesystem => Error::ReadOnly { path },
        _ => Error::CannotOpen {
            path,
            source: e.into(),
        },
    }
}

#[cfg(unix)]
fn is_endless_link(e: &io::Error) -> bool {
    e.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(not(unix))]
fn is_endless_link(_: &io::Error) -> bool {
    false
}

/// Makes the folder of a store to be created, for its owner only, and gives the full path.
pub(crate) fn prepare_folder(path: &Path) -> Result<PathBuf> {
    let name = path.file_name().ok_or(Error::NotAFile {
        path: path.to_path_buf(),
        kind: "a directory",
    })?;
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(folder)
        .map_err(|e| system_error(folder, e))?;
    let folder = fs::canonicalize(folder).map_err(|e| system_error(folder, e))?;
    Ok(folder.join(name))
}

fn open_read_only(path: PathBuf, options: StoreOptions) -> Result<Store> {
    let mut immutable = false;
    let found = match probe(&path, &options) {
        Err(Error::CannotOpen { .. } | Error::ReadOnly { .. })
            if is_at_rest_on_read_only(&path) =>
        {
            immutable = true;
            read_layout(connect_reader(&path, &options, true)?, &path)
        }
        found => found,
    }?;
    match found {
        Some((conn, layout)) => Ok(Store::assemble(
            path,
            options,
            None,
            Some(conn),
            layout,
            immutable,
        )),
        None => Err(Error::NoStore { path }),
    }
}

/// A WAL store needs its side files made even to be read. Where they cannot be, and no log of an
/// unfinished business is left over, the file is complete in itself and nobody can be writing it.
fn is_at_rest_on_read_only(path: &Path) -> bool {
    let left_over = |suffix| side_file(path, suffix).exists();
    !left_over("-wal")
        && !left_over("-journal")
        && path.parent().is_some_and(|folder| !may_write(folder))
}

/// What a store consists of: suffixes of its own name.
pub(crate) const SIDE_FILES: [&str; 4] = ["", "-wal", "-shm", "-journal"];

pub(crate) fn side_file(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Bytes in the write-ahead log beside the store.
pub(crate) fn wal_bytes(path: &Path) -> u64 {
    fs::metadata(side_file(path, "-wal")).map_or(0, |m| m.len())
}

/// Reads the layout with a read-only connection. Waits out others who are creating the store.
fn probe(path: &Path, options: &StoreOptions) -> Result<Option<(Connection, Layout)>> {
    retry_reading(options, path, || {
        read_layout(connect_reader(path, options, false)?, path)
    })
}

fn read_layout(conn: Connection, path: &Path) -> Result<Option<(Connection, Layout)>> {
    Ok(Layout::read(&conn, path)?.map(|layout| (conn, layout)))
}

/// Tries again while others hold the file, within the write budget.
pub(crate) fn retry<T>(
    options: &StoreOptions,
    path: &Path,
    step: impl FnMut() -> Result<T>,
) -> Result<T> {
    let budget = &options.write_budget;
    retry_busy(&budget.pause, path, |tries, _| tries < budget.tries, step)
}

/// [`retry`] for what only reads, or sets a connection up: it is also done once more when the disk has
/// failed in it.
pub(crate) fn retry_reading<T>(
    options: &StoreOptions,
    path: &Path,
    mut step: impl FnMut() -> Result<T>,
) -> Result<T> {
    retry(options, path, || once_more(&mut step))
}

/// `existing`: something was there at the first look; `found`: what it was, and the connection that
/// has read it.
fn open_read_write(
    path: PathBuf,
    options: StoreOptions,
    existing: bool,
    found: Option<(Connection, Layout)>,
) -> Result<Store> {
    open_migrated(path, options, existing, found, None)
}

/// `mended`: what had to be done before the store could be read at all.
fn open_migrated(
    path: PathBuf,
    options: StoreOptions,
    existing: bool,
    found: Option<(Connection, Layout)>,
    mended: Option<Migration>,
) -> Result<Store> {
    open_files::check_before_opening(&path)?;
    let created = !path.exists();
    if created {
        create_private(&path);
    } else {
        tighten(&path);
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(&path, flags).map_err(|e| explain_open(&path, e))?;
    let conn = watched(conn);
    let sqlite = |e| Error::from_sqlite(&path, e);
    if conn.is_readonly(rusqlite::MAIN_DB).map_err(sqlite)? {
        return Err(Error::ReadOnly { path });
    }
    if created {
        owner_only(&path)?;
    }
    // Some settings make SQLite read the file, which others may hold.
    retry_reading(&options, &path, || {
        configure(&conn, &options).map_err(sqlite)?;
        configure_writer(&conn, &options).map_err(sqlite)
    })?;
    use_wal(&conn, &path, &options, existing)?;
    let (reader, mut layout) = match found {
        Some((reader, layout)) if layout.is_current(&conn).unwrap_or(false) => {
            (Some(reader), layout)
        }
        _ => (
            None,
            retry(&options, &path, || create_or_read(&conn, &path))?,
        ),
    };
    let mut migration = mended.map(|mended| Migration {
        from: layout.version,
        to: layout.version,
        ..mended
    });
    if layout.needs_structure() {
        let done = retry(&options, &path, || {
            migrate::structure(&conn, &path, &options)
        })?;
        migration = match migration {
            Some(mended) => Some(mended.then(done)),
            None => Some(done).filter(|done| !done.is_empty()),
        };
        layout = retry(&options, &path, || create_or_read(&conn, &path))?;
    }
    // The name may be a link to a file that was not there before.
    let path = fs::canonicalize(&path).map_err(|e| system_error(&path, e))?;
    if !layout.is_writable() {
        // Somebody made or migrated it since the first look.
        return Ok(Store::assemble(path, options, None, reader, layout, false));
    }
    let trouble = layout.index_trouble.clone();
    let due = reindex::is_due(&layout);
    let mut store = Store::assemble(path, options, Some(conn), reader, layout, false);
    match open_files::put_back(&store) {
        Ok(None) => {}
        Ok(Some(step)) => {
            let version = store.schema_version();
            let put = Migration {
                from: version,
                to: version,
                steps: vec![step],
                ..Migration::default()
            };
            migration = Some(migration.map_or(put.clone(), |done| done.then(put)));
        }
        Err(error) => {
            let what = "what was saved of a log is not put back; the next opening tries again";
            recurring::warn(store.path(), what, &error);
        }
    }
    store = store.migrated(migration);
    if reindex::is_found_incomplete(&store)? || due {
        recurring::warn_because(
            store.path(),
            "the full-text index is made anew from the messages",
            "index_trouble",
            &trouble.as_deref().unwrap_or("it is not complete"),
        );
        reindex::tend(&store);
    }
    Ok(store)
}

/// Creates the tables where there are none, then reads what is there.
fn create_or_read(conn: &Connection, path: &Path) -> Result<Layout> {
    if let Some(layout) = Layout::read(conn, path)? {
        return Ok(layout);
    }
    let sqlite = |e| Error::from_sqlite(path, e);
    conn.execute_batch("BEGIN IMMEDIATE").map_err(sqlite)?;
    let outcome = (|| {
        // Another process may have created it while this one waited for the lock.
        if Layout::read(conn, path)?.is_none() {
            schema::create(conn).map_err(sqlite)?;
        }
        conn.execute_batch("COMMIT").map_err(sqlite)
    })();
    if outcome.is_err() && !conn.is_autocommit() {
        conn.execute_batch("ROLLBACK").map_err(sqlite)?;
    }
    outcome?;
    Layout::read(conn, path)?.ok_or_else(|| Error::NoStore {
        path: path.to_path_buf(),
    })
}

/// Write-ahead logging, where the file system can do it and nobody has chosen otherwise.
fn use_wal(conn: &Connection, path: &Path, options: &StoreOptions, existing: bool) -> Result<()> {
    let ask = |sql: &str| {
        conn.query_row(sql, [], |row| row.get::<_, String>(0))
            .map_err(|e| Error::from_sqlite(path, e))
    };
    let mode = retry_reading(options, path, || ask("PRAGMA journal_mode"))?;
    let shared = options
        .shared_file_system
        .unwrap_or_else(|| path.parent().is_some_and(file_system::is_shared));
    if shared {
        file_system::warn_once(path, &mode);
    }
    if journal::is_to_stay(conn, path, options, existing, &mode)? {
        return Ok(());
    }
    // A new store with shared memory would be one that only this machine can use.
    if mode == "wal" || shared {
        return Ok(());
    }
    // On a network file system a program may have fallen back to a rollback journal, and would not
    // expect the mode to change under it.
    if existing && !holders(path).is_empty() {
        let what = "others hold the store: its journal mode stays";
        recurring::warn_because(path, what, "journal_mode", &mode);
        return Ok(());
    }
    let what = "no write-ahead log here: readers and the writer will wait for each other";
    match retry_reading(options, path, || ask("PRAGMA journal_mode = WAL")) {
        Ok(mode) if mode == "wal" => Ok(()),
        Ok(mode) => {
            recurring::warn_because(path, what, "journal_mode", &mode);
            Ok(())
        }
        // Works as it is, only slower.
        Err(error @ (Error::Io { .. } | Error::Locked { .. })) => {
            recurring::warn(path, what, &error);
            Ok(())
        }
        Err(e) => Err(e),
    }
}

/// Makes the empty file for its owner only, before SQLite would make it for whom the umask lets
/// in. It is made under another name and then linked, so that no descriptor of the store itself is
/// opened and closed outside SQLite. Where that fails, SQLite makes it and says what is wrong.
fn create_private(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        let draft = side_file(path, &format!("-new-{:016x}", rand::random::<u64>()));
        let made = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&draft);
        if made.is_err() {
            return;
        }
        drop(made);
        if let Err(e) = fs::hard_link(&draft, path) {
            tracing::debug!(error = %e, "no private file could be made beforehand");
        }
        if let Err(e) = fs::remove_file(&draft) {
            tracing::warn!(error = %e, file = %draft.display(), "an empty file stays behind");
        }
    }
    #[cfg(not(unix))]
    let _ = path;
}

/// The store's content is private. SQLite gives its side files the same mode.
fn owner_only(path: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600))
            .map_err(|e| system_error(path, e))?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

/// Takes a store that is there already, and its side files, from everybody but its owner. By name
/// only: a descriptor of our own would drop SQLite's locks when it is closed.
pub(crate) fn tighten(path: &Path) {
    #[cfg(unix)]
    for suffix in SIDE_FILES {
        use std::os::unix::fs::PermissionsExt;
        let file = side_file(path, suffix);
        let Ok(found) = fs::symlink_metadata(&file) else {
            continue;
        };
        let mode = found.permissions().mode() & 0o777;
        if !found.is_file() || mode & 0o077 == 0 {
            continue;
        }
        match fs::set_permissions(&file, fs::Permissions::from_mode(mode & 0o700)) {
            Ok(()) => tracing::info!(file = %file.display(), "was open to others: now its owner's"),
            // Another user's file; or SQLite has just removed it.
            Err(error) => {
                let what = "is open to others and stays so";
                recurring::warn_because(&file, what, "mode", &error);
            }
        }
    }
    #[cfg(not(unix))]
    let _ = path;
}

/// The tests of this crate count and stop the statements of a connection.
#[cfg(not(test))]
fn watched(conn: Connection) -> Connection {
    conn
}

#[cfg(test)]
fn watched(mut conn: Connection) -> Connection {
    crate::kill_point::watch(&mut conn).unwrap();
    conn
}

/// Settings of every connection: all said, because builds of SQLite differ in their defaults.
fn configure(conn: &Connection, options: &StoreOptions) -> rusqlite::Result<()> {
    conn.busy_timeout(options.write_budget.busy_timeout)?;
    conn.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    // Plans do not look at bound values. Otherwise a bound LIMIT alone makes SQLite compile a
    // cached statement again each time it is used.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    conn.pragma_update(None, "foreign_keys", true)?;
    // Negative: KiB, not pages.
    let kib = i64::try_from(options.page_cache / 1024).unwrap_or(i64::MAX);
    conn.pragma_update(None, "cache_size", -kib.clamp(1, MOST_KIB))?;
    conn.pragma_update(None, "temp_store", "MEMORY")
}

fn configure_writer(conn: &Connection, options: &StoreOptions) -> rusqlite::Result<()> {
    let synchronous = match options.synchronous {
        Synchronous::Full => "FULL",
        Synchronous::Normal => "NORMAL",
    };
    conn.pragma_update(None, "synchronous", synchronous)?;
    // What is deleted is overwritten where that costs no extra write.
    conn.pragma_update_and_check(None, "secure_delete", "FAST", |_| Ok(()))?;
    conn.pragma_update(None, "recursive_triggers", false)?;
    let log = &options.log;
    conn.pragma_update_and_check(None, "wal_autocheckpoint", log.autocheckpoint(), |_| Ok(()))?;
    conn.pragma_update_and_check(None, "journal_size_limit", log.size_limit(), |_| Ok(()))
}

/// A failed open says only "unable to open"; the system knows more.
fn explain_open(path: &Path, e: rusqlite::Error) -> Error {
    match Error::from_sqlite(path, e) {
        Error::CannotOpen { path, .. } if path.exists() && !may_read(&path) => {
            Error::PermissionDenied { path }
        }
        Error::CannotOpen { path, .. }
            if !path.exists() && path.parent().is_some_and(|folder| !may_write(folder)) =>
        {
            Error::PermissionDenied { path }
        }
        other => other,
    }
}

#[cfg(unix)]
fn may_read(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::READ_OK).is_ok()
}

#[cfg(unix)]
fn may_write(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
}

#[cfg(not(unix))]
fn may_read(path: &Path) -> bool {
    fs::metadata(path).is_ok()
}

#[cfg(not(unix))]
fn may_write(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|m| !m.permissions().readonly())
}

/// `file:` URI of a path, every byte kept: SQLite decodes `%xx` itself.
fn immutable_uri(path: &Path) -> String {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                uri.push(char::from(*byte));
            }
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri.push_str("?immutable=1");
    uri
}
