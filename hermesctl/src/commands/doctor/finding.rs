//! What an examination brings to light.

use hermes_kit::state::health::Severity;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::failure::Failure;

/// Something that is wrong, and what to do about it.
#[derive(Debug, Serialize)]
pub(super) struct Finding {
    /// A stable word.
    pub(super) id: &'static str,
    pub(super) severity: Severity,
    /// The part that was looked at.
    pub(super) area: &'static str,
    pub(super) message: String,
    pub(super) remedy: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) column: Option<usize>,
}

impl Finding {
    pub(super) fn new(
        severity: Severity,
        id: &'static str,
        area: &'static str,
        message: impl Into<String>,
    ) -> Finding {
        Finding {
            id,
            severity,
            area,
            message: message.into(),
            remedy: String::new(),
            line: None,
            column: None,
        }
    }

    pub(super) fn error(
        id: &'static str,
        area: &'static str,
        message: impl Into<String>,
    ) -> Finding {
        Finding::new(Severity::Error, id, area, message)
    }

    pub(super) fn warning(
        id: &'static str,
        area: &'static str,
        message: impl Into<String>,
    ) -> Finding {
        Finding::new(Severity::Warning, id, area, message)
    }

    pub(super) fn remedy(mut self, remedy: impl Into<String>) -> Finding {
        self.remedy = remedy.into();
        self
    }

    pub(super) fn at(mut self, line: usize, column: Option<usize>) -> Finding {
        self.line = Some(line);
        self.column = column;
        self
    }
}

/// What is known so far: facts for people and for programs, and findings.
#[derive(Debug, Default)]
pub(super) struct Exam {
    pub(super) lines: Vec<(&'static str, String)>,
    pub(super) facts: Map<String, Value>,
    pub(super) findings: Vec<Finding>,
}

impl Exam {
    pub(super) fn line(&mut self, name: &'static str, text: impl Into<String>) {
        self.lines.push((name, text.into()));
    }

    pub(super) fn fact(&mut self, name: &str, value: Value) {
        self.facts.insert(name.to_owned(), value);
    }

    pub(super) fn find(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// A part that could not be looked at.
    pub(super) fn failed(&mut self, area: &'static str, failure: impl Into<Failure>) {
        let failure = failure.into();
        let finding = Finding::error(failure.code(), area, failure.problem());
        self.find(finding.remedy(failure.hint()));
    }
}
