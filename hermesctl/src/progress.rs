//! Progress on stderr, shown only on a terminal and only once something takes longer than a second.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

const PATIENCE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(120);

/// A bar (or, without a known length, a spinner) that goes away when dropped.
pub(crate) struct Progress {
    bar: ProgressBar,
    done: Option<Sender<()>>,
    shower: Option<JoinHandle<()>>,
}

impl Progress {
    /// Something of unknown length.
    pub(crate) fn spinner(what: &'static str) -> Progress {
        Progress::start(None, "{spinner} {msg} {elapsed}", what)
    }

    /// Something that reads this many bytes.
    pub(crate) fn bytes(what: &'static str, length: u64) -> Progress {
        Progress::start(
            Some(length),
            "{msg} [{bar:30}] {bytes}/{total_bytes} {eta} left",
            what,
        )
    }

    /// Something that has this many parts.
    pub(crate) fn items(what: &'static str, length: u64) -> Progress {
        Progress::start(
            Some(length),
            "{msg} [{bar:30}] {pos}/{len} {eta} left",
            what,
        )
    }

    fn start(length: Option<u64>, template: &str, what: &'static str) -> Progress {
        let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::hidden());
        // The templates are ours; one that did not parse would only lose its looks.
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_message(what);
        let (done, ended) = channel();
        let shown = bar.clone();
        let shower = std::thread::spawn(move || {
            if ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                // Draws nothing where stderr is no terminal.
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(TICK);
            }
        });
        Progress {
            bar,
            done: Some(done),
            shower: Some(shower),
        }
    }

    pub(crate) fn set(&self, position: u64) {
        self.bar.set_position(position);
    }

    pub(crate) fn say(&self, message: String) {
        self.bar.set_message(message);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(shower) = self.shower.take() {
            // The thread only waits and shows; it has nothing to report.
            let _ = shower.join();
        }
        self.bar.finish_and_clear();
    }
}
