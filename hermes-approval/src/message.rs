//! What the model is told about a command that is not simply run.

use std::fmt::Write as _;

use crate::rule::RuleEffect;
use crate::verdict::{Decision, Finding};

/// Most findings that are named one by one.
const MAX_NAMED: usize = 4;

/// What was found, why it matters, what to do instead, and whether trying again can help.
pub(crate) fn for_model(decision: Decision, worst: &Finding, findings: &[Finding]) -> String {
    let mut text = String::with_capacity(256);
    text.push_str(match decision {
        Decision::Block => "BLOCKED: ",
        Decision::Ask | Decision::Allow => "Needs approval: ",
    });
    text.push_str(&worst.reason);
    let _ = write!(text, " Rule {}, at `{}`", worst.rule, worst.resolved);
    if let Some(outer) = worst.wrappers.first() {
        let _ = write!(text, " inside `{}`", outer.program);
    }
    text.push('.');
    let mut named = vec![worst.rule];
    let others = findings.iter().filter(|f| {
        let new = !named.contains(&f.rule);
        if new {
            named.push(f.rule);
        }
        new
    });
    let others: Vec<&Finding> = others.take(MAX_NAMED).collect();
    for (i, finding) in others.iter().enumerate() {
        text.push_str(if i == 0 { " Also: " } else { "; " });
        let _ = write!(text, "{} (`{}`)", finding.rule, finding.resolved);
    }
    if !others.is_empty() {
        text.push('.');
    }
    if let Some(alternative) = worst.alternative {
        text.push_str(" Instead: ");
        text.push_str(alternative);
    }
    text.push_str(match worst.effect {
        RuleEffect::Hardline => {
            " Nobody can approve this here; do not try it again in another spelling."
        }
        RuleEffect::SudoGuard => " Do not put a password into a command.",
        RuleEffect::Ask => {
            " Trying again without approval does not help; a safer command may not need any."
        }
    });
    text
}
