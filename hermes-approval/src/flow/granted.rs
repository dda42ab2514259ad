//! Which of the things that were found are covered by what a person has granted.

use std::path::Path;
use std::time::SystemTime;

use super::touched;
use crate::allowlist::Allowlist;
use crate::analysis::analyse;
use crate::grants::{Grant, Question, covering};
use crate::rule::RuleEffect;
use crate::situation::Situation;
use crate::verdict::{Finding, Verdict};

/// All that was granted, as it stands now.
pub(super) struct Granted<'a> {
    pub(super) grants: &'a [Grant],
    pub(super) allowlist: Option<&'a Allowlist>,
    pub(super) now: SystemTime,
}

impl Granted<'_> {
    /// The findings that nothing covers.
    pub(super) fn uncovered(
        &self,
        verdict: &Verdict,
        command: &str,
        situation: &Situation,
    ) -> Vec<Finding> {
        // Paths are only worth the work where a grant could want them.
        let paths = if self.grants.iter().any(Grant::is_for_paths) {
            let analysis = analyse(command, &situation.env, situation.platform);
            touched::paths(&analysis, &situation.env)
        } else {
            Vec::new()
        };
        let paths: Vec<&Path> = paths.iter().map(std::path::PathBuf::as_path).collect();
        let findings = verdict.findings.iter();
        findings
            .filter(|finding| {
                finding.effect == RuleEffect::Hardline
                    || !approving_keys(finding)
                        .any(|key| self.covers(key, command, paths.as_slice()))
            })
            .cloned()
            .collect()
    }

    /// Whether a key is granted, for this command.
    pub(super) fn covers(&self, key: &str, command: &str, paths: &[&Path]) -> bool {
        let on_list = self
            .allowlist
            .is_some_and(|list| list.entry_for_key([key]).is_some());
        on_list || self.covers_in_session(key, command, paths)
    }

    /// The same without the allowlist.
    pub(super) fn covers_in_session(&self, key: &str, command: &str, paths: &[&Path]) -> bool {
        let question = Question {
            command,
            keys: &[key],
            paths,
        };
        covering(self.grants, &question, self.now).is_some()
    }
}

/// The keys an approval of a finding is stored under. A rule without keys has its id.
pub(super) fn own_keys(finding: &Finding) -> impl Iterator<Item = &'static str> {
    let id = finding.keys.is_empty().then_some(finding.rule);
    finding.keys.iter().map(|key| key.text).chain(id)
}

/// The keys of which one is enough.
fn approving_keys(finding: &Finding) -> impl Iterator<Item = &'static str> {
    own_keys(finding).chain(finding.accepts.iter().map(|key| key.text))
}
