//! From a command to its verdict.

use std::borrow::Cow;
use std::cmp::Reverse;

use serde::Serialize;

use crate::analysis::{Analysis, analyse};
use crate::carriers;
use crate::dialect::{self, lower};
use crate::environment::AnalysisEnv;
use crate::invocation::{Invocation, Redirect, WrapperKind};
use crate::look::{Look, Scope};
use crate::message;
use crate::patterns;
use crate::platform::Platform;
use crate::resolved;
use crate::rule::{Hit, Rule, RuleEffect, Test};
use crate::rules::Index;
use crate::span::Span;
use crate::uncertain;
use crate::verdict::{Decision, Finding, Layer, Verdict};
use crate::word::program_name;

/// So many findings are kept; more of them say nothing new.
const MAX_FINDINGS: usize = 64;

/// So many commands of one text are judged by all rules; the rest only by the hardline ones, and the
/// text is asked in any case.
const MAX_JUDGED: usize = 4096;

/// What [`detect_dangerous_command`] finds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Detection {
    /// The approval key.
    pub key: &'static str,
    /// What a person is told. For the keys of the Python Hermes the same as the key.
    pub description: String,
}

/// Says whether a command is dangerous and under which key an approval is stored: of several the
/// one that comes first in the Python Hermes.
///
/// The short form of [`assess`], for a POSIX shell and without knowing whose home it is.
///
/// ```
/// use hermes_approval::detect_dangerous_command;
///
/// let found = detect_dangerous_command("sudo rm -rf ./src").unwrap();
/// assert_eq!(found.key, "recursive delete");
/// assert!(detect_dangerous_command("echo 'rm -rf /'").is_none());
/// ```
pub fn detect_dangerous_command(command: &str) -> Option<Detection> {
    detect_in(command, &AnalysisEnv::new("/home/user"), Platform::Posix)
}

/// [`detect_dangerous_command`] for a known home and command language.
pub fn detect_in(command: &str, env: &AnalysisEnv, platform: Platform) -> Option<Detection> {
    let verdict = assess(command, env, platform);
    if verdict.decision == Decision::Allow {
        return None;
    }
    let key = verdict
        .keys
        .iter()
        .copied()
        .min_by_key(|key| patterns::rank(key))?;
    let description = if patterns::rank(key) < usize::MAX {
        key.to_owned()
    } else {
        let finding = verdict
            .findings
            .iter()
            .find(|f| f.keys.iter().any(|k| k.text == key));
        finding.map_or_else(|| key.to_owned(), |f| f.reason.clone().into_owned())
    };
    Some(Detection { key, description })
}

/// Judges a command. Never fails and never panics; what can't be understood is asked.
///
/// ```
/// use hermes_approval::{AnalysisEnv, Decision, Platform, assess};
///
/// let env = AnalysisEnv::new("/home/sam");
/// let verdict = assess("cd /srv && timeout 5 rm -rf app", &env, Platform::Posix);
/// assert_eq!(verdict.decision, Decision::Ask);
/// assert_eq!(verdict.rule, Some("fs.recursive-delete"));
/// assert_eq!(verdict.wrappers[0].program, "timeout");
/// ```
pub fn assess(command: &str, env: &AnalysisEnv, platform: Platform) -> Verdict {
    let analysis = analyse(command, env, platform);
    let mut verdict = judge(&analysis, env);
    if platform != Platform::Posix {
        return verdict;
    }
    let unclear = is_only_unclear(&verdict, command);
    let marked = if unclear {
        dialect::of_text(command)
    } else {
        None
    };
    if let Some(other) = marked.or_else(|| windows_reading(&analysis)) {
        let analysis = analyse(command, env, other);
        let theirs = judge(&analysis, env);
        // Nothing but that it makes no sense to a POSIX shell spoke against it.
        if unclear && marked.is_some()
            || theirs.decision > verdict.decision
            || (theirs.decision == verdict.decision && theirs.severity > verdict.severity)
        {
            verdict = theirs;
        }
    }
    verdict
}

/// True if all that speaks against a command is that a POSIX shell can't make sense of it. Where it
/// would run what a variable holds, that must look like an expression of PowerShell.
fn is_only_unclear(verdict: &Verdict, command: &str) -> bool {
    // One line with an open quote runs nowhere but where the quote is closed: `"C:\"` in PowerShell.
    let malformed = |f: &crate::verdict::Finding| f.rule == uncertain::MALFORMED.id;
    let refused = verdict.findings.iter().any(malformed)
        && !command.contains('\n')
        && dialect::starts_with_cmdlet(command);
    let mut findings = verdict.findings.iter();
    verdict.decision == Decision::Ask
        && findings.all(|f| {
            refused
                || f.rule == uncertain::MALFORMED.id
                || f.rule == uncertain::PATTERN.id
                || f.rule == uncertain::DYNAMIC_COMMAND.id
                    && dialect::is_expression(f.span.of(command))
        })
}

/// Judges what an analysis found.
pub fn judge(analysis: &Analysis<'_>, env: &AnalysisEnv) -> Verdict {
    judge_scope(Scope {
        analysis,
        env,
        inner: false,
    })
}

/// True if a script that an option holds is hardline.
pub(crate) fn is_hardline(script: &str, outer: Scope<'_>, platform: Platform) -> bool {
    inner_decision(script, outer, platform) == Decision::Block
}

/// What is to be said of another reading of a text, or of a script in it; that is looked into once,
/// not again and again.
pub(crate) fn inner_decision(script: &str, outer: Scope<'_>, platform: Platform) -> Decision {
    if outer.inner {
        return Decision::Allow;
    }
    let verdict = judge_scope(Scope {
        analysis: &analyse(script, outer.env, platform),
        env: outer.env,
        inner: true,
    });
    verdict.decision
}

fn judge_scope(scope: Scope<'_>) -> Verdict {
    let mut judge = Judge {
        scope,
        floor_only: false,
        findings: Vec::new(),
    };
    judge.run();
    judge.verdict()
}

struct Judge<'a> {
    scope: Scope<'a>,
    /// Only the hardline rules are run.
    floor_only: bool,
    findings: Vec<Finding>,
}

impl<'a> Judge<'a> {
    fn run(&mut self) {
        let index = Index::get();
        let all = self.scope.analysis.invocations();
        for invocation in all {
            self.floor_only = invocation.id.0 >= MAX_JUDGED;
            if let Some(program) = invocation.program().filter(|_| !is_argument(invocation)) {
                if program.alternatives().is_empty() {
                    if let Some(value) = program.program_path() {
                        self.program(index, invocation, value);
                    }
                } else {
                    for value in program.alternatives() {
                        self.program(index, invocation, value);
                    }
                }
            }
            if invocation.redirects.iter().any(Redirect::writes) {
                self.each(&index.redirect, invocation);
            }
            if !invocation.effects.is_empty() {
                self.each(&index.code, invocation);
            }
            self.each(&index.any, invocation);
        }
        self.floor_only = false;
        if all.len() > MAX_JUDGED {
            self.note(&uncertain::LIMIT, Hit::default(), None);
        }
        for &rule in &index.whole {
            if let Test::Whole(test) = rule.test
                && let Some(hit) = test(&self.scope)
            {
                self.note(rule, hit, None);
            }
        }
        uncertain::check(self.scope, |rule, hit, invocation| {
            self.note(rule, hit, invocation);
        });
    }

    /// Runs the rules for a program.
    fn program(&mut self, index: &Index, invocation: &'a Invocation, value: &'a str) {
        let name = program_name(value, invocation.platform);
        self.named(index, invocation, name, invocation.platform);
        // `sh -c Stop-Computer`: a word of Windows in a text for another shell.
        if invocation.platform == Platform::Posix
            && let Some(other) = dialect::of_invocation(invocation)
        {
            self.named(index, invocation, name, other);
        }
    }

    fn named(&mut self, index: &Index, invocation: &'a Invocation, name: &str, on: Platform) {
        let name = canonical(name, on);
        for (name, rules) in index.program(&name) {
            let look = Look::new(self.scope, invocation, name);
            for rule in rules {
                if self.applies(rule, on)
                    && let Test::Program(_, test) = rule.test
                    && let Some(hit) = test(&look)
                    && !look.asks_for_help(rule.help)
                {
                    self.note(rule, hit, Some(invocation));
                }
            }
        }
    }

    fn applies(&self, rule: &Rule, on: Platform) -> bool {
        rule.platforms.contains(&on) && (!self.floor_only || rule.effect == RuleEffect::Hardline)
    }

    fn each(&mut self, rules: &[&'static Rule], invocation: &'a Invocation) {
        if rules.is_empty() {
            return;
        }
        let look = self.scope.look(invocation);
        for rule in rules {
            let (Test::Redirect(test) | Test::Code(test) | Test::Any(test)) = rule.test else {
                continue;
            };
            if self.applies(rule, invocation.platform)
                && let Some(hit) = test(&look)
            {
                self.note(rule, hit, Some(invocation));
            }
        }
    }

    fn note(&mut self, rule: &'static Rule, hit: Hit, invocation: Option<&'a Invocation>) {
        let whole = Span::new(0, self.scope.analysis.original.len());
        let span = hit.span.or(invocation.map(|i| i.span)).unwrap_or(whole);
        let doubled = |f: &Finding| f.rule == rule.id && f.span == span;
        // There is always room for what is worse than asked.
        let room = self.findings.len() < MAX_FINDINGS
            || rule.effect == RuleEffect::Hardline && self.findings.len() < 2 * MAX_FINDINGS;
        if !room || self.findings.iter().any(doubled) {
            return;
        }
        let (effect, wrappers) = match invocation {
            Some(i) => (self.effect(rule, i), layers(i)),
            None => (rule.effect, Vec::new()),
        };
        let resolved = hit.resolved.unwrap_or_else(|| match invocation {
            Some(invocation) => resolved::command(invocation),
            None => resolved::cut(span.of(self.scope.analysis.original)),
        });
        self.findings.push(Finding {
            rule: rule.id,
            class: rule.class,
            effect,
            severity: hit.severity.unwrap_or(rule.severity),
            keys: hit.keys.unwrap_or(rule.keys).to_vec(),
            accepts: hit.accepts.unwrap_or(rule.accepts).to_vec(),
            span,
            resolved,
            wrappers,
            host: invocation.map(|i| i.host).unwrap_or_default(),
            reason: hit.reason.unwrap_or(Cow::Borrowed(rule.reason)),
            alternative: rule.alternative,
        });
    }

    /// Behind a program that nobody knows, what looks like a command may be data.
    fn effect(&self, rule: &Rule, invocation: &Invocation) -> RuleEffect {
        let guessed = invocation
            .wrappers
            .iter()
            .any(|w| w.kind == WrapperKind::Unknown);
        if guessed {
            RuleEffect::Ask
        } else {
            rule.effect
        }
    }

    fn verdict(mut self) -> Verdict {
        self.findings
            .sort_by_key(|f| Reverse((f.effect, f.severity)));
        let coverage = self.scope.analysis.coverage.clone();
        let Some(worst) = self.findings.first() else {
            return Verdict {
                decision: Decision::Allow,
                rule: None,
                keys: Vec::new(),
                severity: None,
                span: None,
                resolved: None,
                wrappers: Vec::new(),
                coverage,
                reason: None,
                alternative: None,
                findings: self.findings,
                message: None,
            };
        };
        let decision = match worst.effect {
            RuleEffect::Hardline => Decision::Block,
            RuleEffect::Ask | RuleEffect::SudoGuard => Decision::Ask,
        };
        let all = self
            .findings
            .iter()
            .flat_map(|f| f.keys.iter().chain(&f.accepts));
        let mut keys: Vec<&'static str> = Vec::new();
        for key in all.copied().chain(carriers::keys(self.scope)) {
            if !keys.contains(&key.text) {
                keys.push(key.text);
            }
        }
        Verdict {
            decision,
            rule: Some(worst.rule),
            keys,
            severity: Some(worst.severity),
            span: Some(worst.span),
            resolved: Some(worst.resolved.clone()),
            wrappers: worst.wrappers.clone(),
            coverage,
            reason: Some(worst.reason.clone()),
            alternative: worst.alternative,
            message: Some(message::for_model(decision, worst, &self.findings)),
            findings: self.findings,
        }
    }
}

/// `last reboot`: a lone word behind a program that nobody knows is its argument.
fn is_argument(invocation: &Invocation) -> bool {
    let layer = invocation.wrappers.last();
    layer.is_some_and(|w| w.kind == WrapperKind::Unknown) && invocation.arguments().is_empty()
}

/// The name that rules know a program by.
fn canonical(name: &str, platform: Platform) -> Cow<'_, str> {
    match platform {
        Platform::Posix => Cow::Borrowed(name),
        Platform::PowerShell => match crate::windows::cmdlet(name) {
            Some(cmdlet) => Cow::Owned(cmdlet.to_ascii_lowercase()),
            None => lower(name),
        },
        Platform::Cmd => lower(name),
    }
}

fn layers(invocation: &Invocation) -> Vec<Layer> {
    invocation
        .wrappers
        .iter()
        .map(|w| Layer {
            program: w.program.as_ref().to_owned(),
            kind: w.kind,
        })
        .collect()
}

/// The command language of Windows that a text is better read in, because it calls something that
/// exists there only.
fn windows_reading(analysis: &Analysis<'_>) -> Option<Platform> {
    analysis.invocations().iter().find_map(|invocation| {
        if invocation.platform != Platform::Posix {
            return None;
        }
        dialect::of_invocation(invocation)
    })
}
