//! What a scanner prints, as far as it can be read.

use serde_json::Value;

use super::Scan;
use crate::redact::redact;

/// How many findings are looked at.
const FINDINGS: usize = 50;
/// How much of the text is kept, in characters.
const TEXT: usize = 500;

/// The finding, whatever was printed: the exit code has said that there is one.
pub(super) fn finding(stdout: &[u8], block: bool) -> Scan {
    let report: Value = serde_json::from_slice(stdout).unwrap_or(Value::Null);
    let findings: Vec<&Value> = report
        .get("findings")
        .and_then(Value::as_array)
        .map(|all| all.iter().take(FINDINGS).collect())
        .unwrap_or_default();
    let rule = findings
        .first()
        .and_then(|first| text(first, "rule_id"))
        .filter(|rule| !rule.is_empty())
        .unwrap_or("unknown");
    let mut described: Vec<String> = findings.iter().filter_map(|one| described(one)).collect();
    if described.is_empty()
        && let Some(summary) = text(&report, "summary")
    {
        described.push(summary.to_owned());
    }
    let what = if described.is_empty() {
        "the scanner found something and does not say what".to_owned()
    } else {
        described.join("; ")
    };
    let what: String = redact(&what).as_str().chars().take(TEXT).collect();
    Scan::Finding {
        key: format!("tirith:{rule}"),
        text: format!("Security scan — {what}"),
        block,
    }
}

fn described(finding: &Value) -> Option<String> {
    let title = text(finding, "title").or_else(|| text(finding, "rule_id"))?;
    let severity = text(finding, "severity")
        .map(|severity| format!("[{severity}] "))
        .unwrap_or_default();
    let more = text(finding, "description")
        .map(|more| format!(": {more}"))
        .unwrap_or_default();
    Some(format!("{severity}{title}{more}"))
}

fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name).and_then(Value::as_str)
}
