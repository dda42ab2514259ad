//! What the log says.

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use super::*;

/// Keeps events as `LEVEL message check available flaky`.
#[derive(Clone, Default)]
struct Journal {
    lines: Arc<Mutex<Vec<String>>>,
}

#[derive(Default)]
struct Line {
    message: String,
    fields: String,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
        } else {
            self.fields
                .push_str(&format!(" {}={value:?}", field.name()));
        }
    }
}

impl Subscriber for Journal {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event()
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        let level = *event.metadata().level();
        let text = if level == Level::DEBUG {
            format!("{level}:{}", line.fields)
        } else {
            format!("{level}: {}", line.message)
        };
        self.lines.lock().unwrap().push(text);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

// TOOL-01
#[test]
fn each_decision_is_logged_and_each_change_of_state_once_more() {
    let journal = Journal::default();
    let clock = TestClock::new();
    let availability = clock.availability();
    let switch = Switch::new("web");
    tracing::subscriber::with_default(journal.clone(), || {
        for (seconds, says) in [
            (0.0, true),
            (10.0, false),
            (31.0, false),
            (61.0, false),
            (92.0, false),
            (123.0, false),
            (154.0, true),
        ] {
            clock.set(seconds);
            switch.set(says);
            verdict(&availability, &switch.check);
        }
    });
    let lines = journal.lines.lock().unwrap();
    let off = r#"reason="switched off""#;
    assert_eq!(
        *lines,
        [
            // 10: cached.
            r#"DEBUG: check="web" available=true flaky=false reason="""#.to_owned(),
            format!(r#"DEBUG: check="web" available=true flaky=true {off}"#),
            format!(r#"DEBUG: check="web" available=false flaky=false {off}"#),
            "WARN: a check that said yes says no; its tools are no longer offered".to_owned(),
            format!(r#"DEBUG: check="web" available=false flaky=false {off}"#),
            format!(r#"DEBUG: check="web" available=false flaky=false {off}"#),
            r#"DEBUG: check="web" available=true flaky=false reason="""#.to_owned(),
            "INFO: a check says yes again".to_owned(),
        ]
    );
}

#[test]
fn what_is_missing_from_the_start_is_no_warning() {
    let journal = Journal::default();
    let availability = Availability::default();
    let switch = Switch::new("key");
    switch.set(false);
    tracing::subscriber::with_default(journal.clone(), || {
        for _ in 0..3 {
            availability.invalidate();
            verdict(&availability, &switch.check);
        }
    });
    let lines = journal.lines.lock().unwrap();
    let told: Vec<&String> = lines.iter().filter(|l| !l.starts_with("DEBUG")).collect();
    assert_eq!(told, ["INFO: a check says no"]);
    assert_eq!(lines.len(), 4);
}
