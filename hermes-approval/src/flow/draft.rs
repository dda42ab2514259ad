//! An outcome in the making.

use super::adviser::Advice;
use super::granted::own_keys;
use super::outcome::{Headless, Outcome, Stage};
use super::{Next, wording};
use crate::patterns;
use crate::policy::{AskWithoutHuman, Policy};
use crate::redact::redact;
use crate::scanner::Scan;
use crate::verdict::{Finding, Verdict};

/// An outcome in the making.
pub(super) struct Draft {
    pub(super) verdict: Verdict,
    pub(super) ask_without_human: AskWithoutHuman,
    pub(super) keys: Vec<String>,
    pub(super) description: Option<String>,
    /// The finding that a person is shown.
    pub(super) shown: Option<Finding>,
    pub(super) headless: Option<Headless>,
    pub(super) scan: Option<Scan>,
    pub(super) advice: Option<Advice>,
    pub(super) notes: Vec<String>,
}

/// Most reasons that are told.
const MAX_REASONS: usize = 4;

impl Draft {
    pub(super) fn new(verdict: Verdict, policy: &Policy) -> Self {
        Self {
            verdict,
            ask_without_human: policy.ask_without_human,
            keys: Vec::new(),
            description: None,
            shown: None,
            headless: None,
            scan: None,
            advice: None,
            notes: Vec::new(),
        }
    }

    /// Notes what is open: the keys, those that the Python Hermes would name first in front, and
    /// the reasons.
    pub(super) fn open(
        &mut self,
        own_key: Option<&str>,
        open: &[Finding],
        scan: Option<&Scan>,
        scan_key: Option<&str>,
    ) {
        let mut keys: Vec<&str> = Vec::new();
        let mut reasons: Vec<&str> = Vec::new();
        for finding in open {
            // A loop, since `extend` would want keys that live for ever.
            for key in own_keys(finding) {
                keys.push(key);
            }
            reasons.push(&finding.reason);
        }
        keys.sort_by_key(|key| patterns::rank(key));
        keys.extend(scan_key);
        if let Some(Scan::Finding { text, .. }) = scan
            && scan_key.is_some()
        {
            reasons.push(text);
        } else if scan_key.is_some() {
            reasons.push("The scanner of commands gave no answer.");
        }
        if let Some(own) = own_key {
            keys.push(own);
            reasons.insert(0, OWN_RULE);
        }
        for key in keys {
            if !self.keys.iter().any(|known| known == key) {
                self.keys.push(key.to_owned());
            }
        }
        let mut told: Vec<&str> = Vec::new();
        for reason in reasons {
            if told.len() < MAX_REASONS && !told.contains(&reason) {
                told.push(reason);
            }
        }
        let description = told.join(" ");
        self.description = (!description.is_empty()).then(|| redact(&description).into_text());
        self.shown = open.first().cloned();
    }

    pub(super) fn approved(self, stage: Stage, by: Option<&str>) -> Next {
        let by = by.map(str::to_owned);
        Next::Decided(Box::new(self.outcome(true, stage, by, None)))
    }

    pub(super) fn blocked(self, stage: Stage, by: Option<&str>) -> Next {
        let by = by.map(str::to_owned);
        let message = wording::blocked(
            stage,
            &self.verdict,
            by.as_deref(),
            self.headless,
            self.description.as_deref(),
        );
        Next::Decided(Box::new(self.outcome(false, stage, by, Some(message))))
    }

    pub(super) fn outcome(
        self,
        approved: bool,
        stage: Stage,
        by: Option<String>,
        message: Option<String>,
    ) -> Outcome {
        Outcome {
            approved,
            stage,
            verdict: self.verdict,
            keys: self.keys,
            description: self.description,
            by,
            ask_without_human: self.ask_without_human,
            headless: self.headless,
            scan: self.scan,
            advice: self.advice,
            answer: None,
            pending: None,
            stop_turn: false,
            notes: self.notes,
            message,
        }
    }
}

/// Why a command is asked about that the person's own list names.
const OWN_RULE: &str = "A rule of the user's own wants this to be asked.";
