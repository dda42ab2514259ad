//! What a program is told of its background processes without asking.

use std::fmt;
use std::sync::mpsc::Sender;

use super::entry::{EndReason, ProcessId};

/// Told once when it happens, from the thread that attends to the process.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notification {
    /// A process has ended that was to be told of.
    Ended {
        /// Its id.
        id: ProcessId,
        /// The task it was started for.
        task: String,
        /// The command.
        command: String,
        /// Its exit code; nothing if it can't be known.
        exit_code: Option<i32>,
        /// Why it has ended.
        reason: EndReason,
        /// The last 2,000 characters of its output.
        output: String,
    },
    /// A text was found that was looked for.
    Matched {
        /// The id of the process.
        id: ProcessId,
        /// The task it was started for.
        task: String,
        /// The command.
        command: String,
        /// The text.
        pattern: String,
        /// The line it is in, as far as it has come.
        line: String,
        /// How many matches before it were not told.
        dropped: u64,
    },
    /// The texts were found too often. They are not looked for any more; the end of the process is
    /// told instead.
    WatchEnded {
        /// The id of the process.
        id: ProcessId,
        /// The task it was started for.
        task: String,
        /// The command.
        command: String,
        /// How many matches were not told since the last one.
        dropped: u64,
    },
}

/// Who is told. It should not take long: the process's output waits meanwhile. It may ask for the
/// process and write to it, but not wait for its end or kill it: that would wait for itself. A panic
/// is logged and changes nothing.
pub trait Notify: Send + Sync {
    /// Tells it.
    fn notify(&self, notification: Notification);
}

impl<F: Fn(Notification) + Send + Sync> Notify for F {
    fn notify(&self, notification: Notification) {
        self(notification);
    }
}

/// Through a channel. When nobody receives any more, there is nobody to tell.
#[derive(Debug, Clone)]
pub struct Channel(pub Sender<Notification>);

impl Notify for Channel {
    fn notify(&self, notification: Notification) {
        if self.0.send(notification).is_err() {
            tracing::debug!("nobody receives notifications of background processes any more");
        }
    }
}

impl fmt::Debug for dyn Notify {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Notify")
    }
}
