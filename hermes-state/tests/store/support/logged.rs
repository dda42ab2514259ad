//! What the log says.

use std::cell::RefCell;
use std::fmt;
use std::sync::Once;

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

thread_local! {
    static LINES: RefCell<Vec<Line>> = const { RefCell::new(Vec::new()) };
}

/// The warnings and errors that this thread logs meanwhile, one a line, with what they say it of.
pub(crate) fn logged<T>(work: impl FnOnce() -> T) -> (T, Vec<String>) {
    let (value, lines) = lines(work);
    let lines = lines.into_iter().map(|line| line.message + &line.fields);
    (value, lines.collect())
}

/// The same without what they say it of, but with their number where they have come again.
pub(crate) fn warnings(work: impl FnOnce()) -> Vec<String> {
    let ((), lines) = lines(work);
    lines.into_iter().map(|line| line.message).collect()
}

fn lines<T>(work: impl FnOnce() -> T) -> (T, Vec<Line>) {
    // One for all threads: what is asked of a thread without one is remembered for all others.
    static JOURNAL: Once = Once::new();
    JOURNAL.call_once(|| tracing::subscriber::set_global_default(Journal).unwrap());
    LINES.take();
    let value = work();
    (value, LINES.take())
}

struct Journal;

#[derive(Default)]
struct Line {
    message: String,
    fields: String,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        match field.name() {
            "message" => self.message.insert_str(0, &format!("{value:?}")),
            "times" => self.message.push_str(&format!(" ({value:?})")),
            name => self.fields.push_str(&format!(" {name}={value:?}")),
        }
    }
}

impl Subscriber for Journal {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && *metadata.level() <= Level::WARN
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        LINES.with_borrow_mut(|lines| lines.push(line));
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
