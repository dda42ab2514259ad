//! Disks that fail when a test asks them to.
//!
//! SQLite reaches its files through a table of functions, its VFS. [`arm`] puts a copy of the
//! system's in its place that counts the calls for files in one folder, and fails those that the
//! [`Plan`] names. All other files are as ever, so that tests of one process don't meet.

use std::collections::BTreeMap;
use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rusqlite::ffi;

/// What is asked of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Opening it.
    Open,
    /// Reading from it.
    Read,
    /// Writing to it.
    Write,
    /// Waiting until what was written is on the disk.
    Sync,
    /// Cutting it short.
    Truncate,
    /// Mapping a part of the memory that processes share (`-shm`).
    Map,
}

/// How it fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// There is no room (`ENOSPC`); half of a write is done.
    Full,
    /// The disk is broken (`EIO`); nothing of a write is done.
    Broken,
    /// The disk is broken after half of a write.
    Half,
}

/// Which calls fail.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    operation: Operation,
    fault: Fault,
    skip: u64,
    times: u64,
}

impl Plan {
    /// Each of these operations fails.
    #[must_use]
    pub fn new(operation: Operation, fault: Fault) -> Plan {
        Plan {
            operation,
            fault,
            skip: 0,
            times: u64::MAX,
        }
    }

    /// The first `count` go well.
    #[must_use]
    pub fn after(self, count: u64) -> Plan {
        Plan {
            skip: count,
            ..self
        }
    }

    /// Only one fails, and those after it go well.
    #[must_use]
    pub fn once(self) -> Plan {
        Plan { times: 1, ..self }
    }
}

/// A disk that fails, until it is dropped.
#[derive(Debug)]
pub struct Armed {
    disk: Arc<Disk>,
}

#[derive(Debug)]
struct Disk {
    folder: PathBuf,
    plan: Plan,
    seen: AtomicU64,
}

/// The count of a disk's calls, which outlives it.
#[derive(Debug)]
pub struct Calls {
    disk: Arc<Disk>,
}

impl Calls {
    /// How many calls of the plan's operation there were, those that failed included.
    #[must_use]
    pub fn seen(&self) -> u64 {
        self.disk.seen.load(Ordering::SeqCst)
    }
}

impl Armed {
    /// For counting the calls of a disk that is given away.
    #[must_use]
    pub fn counter(&self) -> Calls {
        Calls {
            disk: Arc::clone(&self.disk),
        }
    }
}

impl Drop for Armed {
    fn drop(&mut self) {
        disks().retain(|disk| !Arc::ptr_eq(disk, &self.disk));
    }
}

static DISKS: Mutex<Vec<Arc<Disk>>> = Mutex::new(Vec::new());
/// The open files, by the address of SQLite's object for each.
static FILES: Mutex<BTreeMap<usize, OpenFile>> = Mutex::new(BTreeMap::new());
/// Our table of functions for each of the system's, by its address: files that lock have another
/// than those that do not.
static METHODS: Mutex<BTreeMap<usize, &'static Methods>> = Mutex::new(BTreeMap::new());
static OPEN: OnceLock<Open> = OnceLock::new();

type Methods = ffi::sqlite3_io_methods;
type Open = unsafe extern "C" fn(
    *mut ffi::sqlite3_vfs,
    *const c_char,
    *mut ffi::sqlite3_file,
    c_int,
    *mut c_int,
) -> c_int;

#[derive(Clone)]
struct OpenFile {
    path: Arc<Path>,
    system: &'static Methods,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn disks() -> MutexGuard<'static, Vec<Arc<Disk>>> {
    lock(&DISKS)
}

/// Makes the calls of the plan fail for files in this folder. Only files that are opened after the
/// first call of this function in the process are seen: [`install`] does no more than that.
///
/// # Panics
///
/// If SQLite has no file layer, or takes none.
#[must_use]
pub fn arm(folder: &Path, plan: Plan) -> Armed {
    install();
    let folder = folder.canonicalize().expect("a folder that is there");
    let disk = Arc::new(Disk {
        folder,
        plan,
        seen: AtomicU64::new(0),
    });
    disks().push(Arc::clone(&disk));
    Armed { disk }
}

/// Stands between SQLite and the system from now on.
///
/// # Panics
///
/// If SQLite has no file layer, or takes none.
pub fn install() {
    OPEN.get_or_init(|| {
        // SAFETY: SQLite initialises itself; the default VFS lives as long as the process, and the
        // copy that is registered is never freed.
        unsafe {
            assert_eq!(ffi::sqlite3_initialize(), ffi::SQLITE_OK);
            let system = ffi::sqlite3_vfs_find(std::ptr::null());
            assert!(!system.is_null(), "SQLite has no file layer");
            let vfs = *system;
            let ours = Box::leak(Box::new(ffi::sqlite3_vfs {
                zName: c"faults".as_ptr(),
                pNext: std::ptr::null_mut(),
                xOpen: Some(open),
                ..vfs
            }));
            assert_eq!(ffi::sqlite3_vfs_register(ours, 1), ffi::SQLITE_OK);
            vfs.xOpen.expect("every VFS opens")
        }
    });
}

/// How a call fails, if it does.
fn strike(path: &Path, operation: Operation) -> Option<Fault> {
    let mut fault = None;
    for disk in disks()
        .iter()
        .filter(|disk| disk.plan.operation == operation && path.starts_with(&disk.folder))
    {
        let before = disk.seen.fetch_add(1, Ordering::SeqCst);
        if before
            .checked_sub(disk.plan.skip)
            .is_some_and(|n| n < disk.plan.times)
        {
            fault = Some(disk.plan.fault);
        }
    }
    fault
}

/// The functions that the system has for a file, and how this call of one fails, if it does.
fn call(file: *mut ffi::sqlite3_file, operation: Operation) -> (&'static Methods, Option<Fault>) {
    let open = lock(&FILES).get(&file.addr()).cloned();
    let open = open.expect("an open file");
    (open.system, strike(&open.path, operation))
}

unsafe extern "C" fn open(
    vfs: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    let path: Option<Arc<Path>> = (!name.is_null()).then(|| {
        // SAFETY: SQLite's names end in NUL.
        let bytes = unsafe { CStr::from_ptr(name) }.to_bytes();
        Arc::from(Path::new(OsStr::from_bytes(bytes)))
    });
    let fault = path
        .as_deref()
        .and_then(|path| strike(path, Operation::Open));
    if let Some(fault) = fault {
        // SAFETY: SQLite's object for the file; without methods it is not closed.
        unsafe { (*file).pMethods = std::ptr::null() };
        return match fault {
            Fault::Full => ffi::SQLITE_FULL,
            Fault::Broken | Fault::Half => ffi::SQLITE_CANTOPEN,
        };
    }
    let system = OPEN.get().expect("installed");
    // SAFETY: the arguments are those that SQLite gave for this very function.
    let code = unsafe { system(vfs, name, file, flags, out_flags) };
    let Some(path) = path.filter(|_| code == ffi::SQLITE_OK) else {
        return code;
    };
    // SAFETY: the file is open, so it has methods, and the system's tables are constants.
    let system: &'static Methods = unsafe { &*(*file).pMethods };
    let ours = *lock(&METHODS)
        .entry(std::ptr::from_ref(system).addr())
        .or_insert_with(|| {
            Box::leak(Box::new(Methods {
                xClose: Some(close),
                xRead: Some(read),
                xWrite: Some(write),
                xTruncate: Some(truncate),
                xSync: Some(sync),
                xShmMap: Some(map),
                ..*system
            }))
        });
    lock(&FILES).insert(file.addr(), OpenFile { path, system });
    // SAFETY: SQLite's object for the file that is now open; our table is never freed.
    unsafe { (*file).pMethods = ours };
    code
}

unsafe extern "C" fn close(file: *mut ffi::sqlite3_file) -> c_int {
    let open = lock(&FILES).remove(&file.addr()).expect("an open file");
    let close = open.system.xClose.expect("files can be closed");
    // SAFETY: what SQLite gave for this very function.
    unsafe { close(file) }
}

unsafe extern "C" fn read(
    file: *mut ffi::sqlite3_file,
    to: *mut c_void,
    amount: c_int,
    at: ffi::sqlite3_int64,
) -> c_int {
    let (system, fault) = call(file, Operation::Read);
    if fault.is_some() {
        return ffi::SQLITE_IOERR_READ;
    }
    let read = system.xRead.expect("files can be read");
    // SAFETY: what SQLite gave for this very function.
    unsafe { read(file, to, amount, at) }
}

unsafe extern "C" fn write(
    file: *mut ffi::sqlite3_file,
    from: *const c_void,
    amount: c_int,
    at: ffi::sqlite3_int64,
) -> c_int {
    let (system, fault) = call(file, Operation::Write);
    let write = system.xWrite.expect("files can be written");
    let amount = match fault {
        None => amount,
        Some(Fault::Broken) => return ffi::SQLITE_IOERR_WRITE,
        Some(Fault::Full | Fault::Half) => amount / 2,
    };
    // SAFETY: what SQLite gave for this very function, or the first half of it.
    let code = unsafe { write(file, from, amount, at) };
    match fault {
        Some(Fault::Full) => ffi::SQLITE_FULL,
        Some(_) => ffi::SQLITE_IOERR_WRITE,
        None => code,
    }
}

unsafe extern "C" fn truncate(file: *mut ffi::sqlite3_file, size: ffi::sqlite3_int64) -> c_int {
    let (system, fault) = call(file, Operation::Truncate);
    if fault.is_some() {
        return ffi::SQLITE_IOERR_TRUNCATE;
    }
    let truncate = system.xTruncate.expect("files can be cut");
    // SAFETY: what SQLite gave for this very function.
    unsafe { truncate(file, size) }
}

unsafe extern "C" fn sync(file: *mut ffi::sqlite3_file, flags: c_int) -> c_int {
    let (system, fault) = call(file, Operation::Sync);
    if fault.is_some() {
        return ffi::SQLITE_IOERR_FSYNC;
    }
    let sync = system.xSync.expect("files can be synced");
    // SAFETY: what SQLite gave for this very function.
    unsafe { sync(file, flags) }
}

unsafe extern "C" fn map(
    file: *mut ffi::sqlite3_file,
    part: c_int,
    size: c_int,
    extend: c_int,
    at: *mut *mut c_void,
) -> c_int {
    let (system, fault) = call(file, Operation::Map);
    if fault.is_some() {
        return ffi::SQLITE_IOERR_SHMMAP;
    }
    let map = system.xShmMap.expect("memory can be shared");
    // SAFETY: what SQLite gave for this very function.
    unsafe { map(file, part, size, extend, at) }
}
