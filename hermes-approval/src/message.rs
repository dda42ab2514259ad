//! What the model is told about a command that is not simply run.

use crate::rule::RuleEffect;
use crate::verdict::{Decision, Finding};

/// Most findings that are named one by one.
const MAX_NAMED: usize = 4;

/// What was found, why it matters, what to do instead, and whether trying again can help.
pub(crate) fn for_model(decision: Decision, worst: &Finding, findings: &[Finding]) -> String {
    let mut text = String::with_capacity(512);
    text.push_str(match decision {
        Decision::Block => "BLOCKED: ",
        Decision::Ask | Decision::Allow => "Needs approval: ",
    });
    text.push_str(&worst.reason);
    push(
        &mut text,
        &[" Rule ", worst.rule, ", at `", &worst.resolved, "`"],
    );
    if let Some(outer) = worst.wrappers.first() {
        push(&mut text, &[" inside `", &outer.program, "`"]);
    }
    text.push('.');
    let first_of_its_rule = |(at, finding): &(usize, &Finding)| {
        finding.rule != worst.rule && !findings.iter().take(*at).any(|f| f.rule == finding.rule)
    };
    let others = findings.iter().enumerate().filter(first_of_its_rule);
    let mut before = " Also: ";
    for (_, finding) in others.take(MAX_NAMED) {
        push(
            &mut text,
            &[before, finding.rule, " (`", &finding.resolved, "`)"],
        );
        before = "; ";
    }
    if before == "; " {
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

fn push(text: &mut String, parts: &[&str]) {
    text.extend(parts.iter().copied());
}
