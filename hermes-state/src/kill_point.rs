//! Places where the tests kill the process, to see what is left: every statement of SQLite.

use std::cell::Cell;

use rusqlite::Connection;
use rusqlite::trace::{TraceEvent, TraceEventCodes};

thread_local! {
    static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
    static SEEN: Cell<usize> = const { Cell::new(0) };
}

/// Counts the statements that this connection begins, those of triggers included.
pub(crate) fn watch(conn: &mut Connection) -> rusqlite::Result<()> {
    conn.trace_v2(
        TraceEventCodes::SQLITE_TRACE_STMT,
        Some(|event: TraceEvent<'_>| {
            if let TraceEvent::Stmt(_, sql) = event {
                reached(sql);
            }
        }),
    )
}

/// Stops this thread for good before the statement number `count`, from 0, after saying so.
pub(crate) fn arm(count: usize) {
    LEFT.set(Some(count));
}

/// How many statements this thread has begun.
pub(crate) fn seen() -> usize {
    SEEN.get()
}

fn reached(sql: &str) {
    SEEN.set(SEEN.get() + 1);
    match LEFT.get() {
        None => {}
        Some(0) => {
            println!("\nREACHED {}", sql.replace('\n', " "));
            loop {
                std::thread::park();
            }
        }
        Some(left) => LEFT.set(Some(left - 1)),
    }
}
