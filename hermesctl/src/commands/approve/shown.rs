//! Verdicts as JSON and as lines for a person.

use hermes_kit::approval::redact::redact;
use hermes_kit::approval::{Decision, Verdict};
use serde_json::{Map, Value};

use crate::failure::Failure;
use crate::output::{Output, Tone};
use crate::text::harmless;

/// The verdict as an object: `verdict` is the decision's word.
pub(super) fn object(verdict: &Verdict) -> Result<Map<String, Value>, Failure> {
    let mut object = Map::new();
    object.insert("verdict".to_owned(), verdict.decision.name().into());
    if let Value::Object(all) = serde_json::to_value(verdict)? {
        object.extend(all.into_iter().filter(|(name, _)| name != "decision"));
    }
    Ok(object)
}

/// The decision's word in its colour.
pub(super) fn word(decision: Decision, output: &Output) -> String {
    let tone = match decision {
        Decision::Allow => Tone::Good,
        Decision::Ask => Tone::Match,
        Decision::Block => Tone::Bad,
    };
    output.paint(tone, decision.name())
}

/// Text of a command, fit to be shown: no secrets, no control characters.
pub(super) fn text(text: &str) -> String {
    harmless(redact(text).as_str())
}

/// The facts of a verdict that is not to allow, a line each.
pub(super) fn facts(verdict: &Verdict, output: &mut Output) -> Result<(), Failure> {
    if let Some(reason) = &verdict.reason {
        output.fact("why", text(reason))?;
    }
    if let Some(alternative) = verdict.alternative {
        output.fact("instead", alternative)?;
    }
    if let (Some(rule), Some(severity)) = (verdict.rule, verdict.severity) {
        output.fact("rule", format_args!("{rule} ({})", severity.name()))?;
    }
    if !verdict.keys.is_empty() {
        output.fact("keys", verdict.keys.join(", "))?;
    }
    Ok(())
}
