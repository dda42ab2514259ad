//! What is said of a command: the decision, and all that led to it.

use std::borrow::Cow;

use serde::{Serialize, Serializer};

use crate::coverage::Coverage;
use crate::invocation::{Host, WrapperKind};
use crate::rule::{Key, Rule, RuleEffect, Severity};
use crate::span::Span;

/// What is to be done with a command, before grants, modes and the user's own rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// Nothing was found.
    Allow,
    /// Somebody is asked.
    Ask,
    /// It isn't run.
    Block,
}

impl Decision {
    /// Its word in options and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Block => "block",
        }
    }
}

/// The answer for one command.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Verdict {
    /// What is to be done.
    pub decision: Decision,
    /// The rule of the worst finding.
    pub rule: Option<&'static str>,
    /// All approval keys that have to do with the command: those of all findings, and those that
    /// the Python Hermes gives to what they stand in (`bash -c`, `python -c`, here-documents).
    /// What an approval must cover is said by [`Verdict::is_covered`].
    pub keys: Vec<&'static str>,
    /// How bad the worst finding is.
    pub severity: Option<Severity>,
    /// Where it stands.
    #[serde(serialize_with = "span_or_null")]
    pub span: Option<Span>,
    /// What the command comes down to there.
    pub resolved: Option<String>,
    /// What it is wrapped in, outermost first.
    pub wrappers: Vec<Layer>,
    /// How much of the text was understood.
    #[serde(serialize_with = "coverage")]
    pub coverage: Coverage,
    /// Why.
    pub reason: Option<Cow<'static, str>>,
    /// What to do instead.
    pub alternative: Option<&'static str>,
    /// Everything that was found, the worst first.
    pub findings: Vec<Finding>,
    /// What the model is told; none if the command is allowed.
    pub message: Option<String>,
}

/// One thing that was found.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The rule's id.
    pub rule: &'static str,
    /// Its class.
    pub class: &'static str,
    /// What it leads to.
    pub effect: RuleEffect,
    /// How bad it is.
    pub severity: Severity,
    /// What an approval is stored under.
    pub keys: Vec<Key>,
    /// Other keys whose approval covers it.
    pub accepts: Vec<Key>,
    /// Where it stands.
    #[serde(serialize_with = "span")]
    pub span: Span,
    /// What the command comes down to.
    pub resolved: String,
    /// What it is wrapped in, outermost first.
    pub wrappers: Vec<Layer>,
    /// Where it would run.
    #[serde(serialize_with = "host")]
    pub host: Host,
    /// Why.
    pub reason: Cow<'static, str>,
    /// What to do instead.
    pub alternative: Option<&'static str>,
}

/// A program around a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Layer {
    /// Its name.
    pub program: String,
    /// How it runs what it wraps.
    #[serde(serialize_with = "kind")]
    pub kind: WrapperKind,
}

impl Verdict {
    /// True if a set of approvals covers every finding. A block is covered by nothing.
    pub fn is_covered(&self, approved: impl Fn(&str) -> bool) -> bool {
        self.decision != Decision::Block && self.findings.iter().all(|f| f.is_covered(&approved))
    }

    /// The keys to store when the command as a whole is approved, without doubles.
    pub fn keys_to_store(&self) -> Vec<&'static str> {
        let mut keys = Vec::new();
        for key in self.findings.iter().flat_map(|f| &f.keys) {
            if !keys.contains(&key.text) {
                keys.push(key.text);
            }
        }
        keys
    }

    /// True if the text hands `sudo` a password, which is blocked where none is configured.
    pub fn guesses_sudo_password(&self) -> bool {
        let mut findings = self.findings.iter();
        findings.any(|f| f.effect == RuleEffect::SudoGuard)
    }
}

impl Finding {
    /// True if one of its keys is approved.
    pub fn is_covered(&self, approved: impl Fn(&str) -> bool) -> bool {
        self.effect != RuleEffect::Hardline
            && self
                .keys
                .iter()
                .chain(&self.accepts)
                .any(|k| approved(k.text))
    }

    /// The rule that made it.
    pub fn rule(&self) -> Option<&'static Rule> {
        crate::rules::find(self.rule)
    }
}

/// The word for a coverage.
pub(crate) fn coverage_name(coverage: &Coverage) -> &'static str {
    match coverage {
        Coverage::Full => "full",
        Coverage::Partial(_) => "partial",
        Coverage::NotUnderstood { .. } => "not_understood",
    }
}

fn coverage<S: Serializer>(coverage: &Coverage, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(coverage_name(coverage))
}

#[derive(Serialize)]
struct Ends {
    start: usize,
    end: usize,
}

fn span<S: Serializer>(span: &Span, serializer: S) -> Result<S::Ok, S::Error> {
    let ends = Ends {
        start: span.start,
        end: span.end,
    };
    ends.serialize(serializer)
}

fn span_or_null<S: Serializer>(value: &Option<Span>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => span(value, serializer),
        None => serializer.serialize_none(),
    }
}

fn host<S: Serializer>(host: &Host, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match host {
        Host::Local => "local",
        Host::Remote => "remote",
        Host::Container => "container",
    })
}

fn kind<S: Serializer>(kind: &WrapperKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind_name(*kind))
}

/// The word for a way of wrapping.
pub(crate) fn kind_name(kind: WrapperKind) -> &'static str {
    match kind {
        WrapperKind::Plain => "plain",
        WrapperKind::ShellScript => "shell_script",
        WrapperKind::ShellInput => "shell_input",
        WrapperKind::ShellFile => "shell_file",
        WrapperKind::Evaluated => "evaluated",
        WrapperKind::Repeated => "repeated",
        WrapperKind::Remote => "remote",
        WrapperKind::Container => "container",
        WrapperKind::Code => "code",
        WrapperKind::Unknown => "unknown",
    }
}
