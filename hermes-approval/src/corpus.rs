//! Measures the verdicts on a file of commands whose right verdicts are known.
//!
//! A row is one line of JSON: `command`, `verdict` (`safe`, `dangerous`, `hardline`), `class`, and
//! optionally `id`, `why`, `platform` and what releases of the Python Hermes say (`h013`, `h019`).

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;

use crate::detect::assess;
use crate::environment::AnalysisEnv;
use crate::platform::Platform;
use crate::verdict::Decision;

/// What a command really is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Truth {
    /// To be run without a question.
    Safe,
    /// To be asked, or blocked.
    Dangerous,
    /// To be blocked.
    Hardline,
}

/// One command.
#[derive(Debug, Clone, Deserialize)]
pub struct Row {
    /// Its name.
    #[serde(default)]
    pub id: String,
    /// The class that it is counted in.
    #[serde(default)]
    pub class: String,
    /// The command.
    pub command: String,
    /// What it is.
    pub verdict: Truth,
    /// Why; what starts with `policy:` is a matter of taste.
    #[serde(default)]
    pub why: String,
    /// `posix`, `cmd` or `powershell`.
    #[serde(default)]
    pub platform: Option<String>,
    /// What Hermes 0.13 says.
    #[serde(default)]
    pub h013: Reference,
    /// What Hermes 0.19 says.
    #[serde(default)]
    pub h019: Reference,
}

/// What a release of the Python Hermes says.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Reference {
    /// The approval key.
    #[serde(default)]
    pub key: Option<String>,
}

impl Row {
    /// The key that an approval should be stored under.
    pub fn expected_key(&self) -> Option<&str> {
        self.h019.key.as_deref().or(self.h013.key.as_deref())
    }
}

/// Reads a corpus; an error names the line.
pub fn read(text: &str) -> Result<Vec<Row>, String> {
    let lines = text.lines().enumerate();
    lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(i, line)| serde_json::from_str(line).map_err(|e| format!("line {}: {e}", i + 1)))
        .collect()
}

/// How a row came out.
#[derive(Debug, Clone)]
pub struct Outcome<'r> {
    /// The row.
    pub row: &'r Row,
    /// What was decided.
    pub decision: Decision,
    /// The rules that fired, the worst first.
    pub rules: Vec<&'static str>,
    /// The keys.
    pub keys: Vec<&'static str>,
}

impl Outcome<'_> {
    /// True if it is as it should be; a hardline command that is only asked is not.
    pub fn is_right(&self) -> bool {
        match self.row.verdict {
            Truth::Safe => self.decision == Decision::Allow,
            Truth::Dangerous => self.decision != Decision::Allow,
            Truth::Hardline => self.decision == Decision::Block,
        }
    }

    /// True if it is rightly flagged, a key is expected, and that key isn't there.
    pub fn misses_key(&self) -> bool {
        self.counts_for_keys()
            && self
                .row
                .expected_key()
                .is_some_and(|key| !self.keys.contains(&key))
    }

    fn counts_for_keys(&self) -> bool {
        self.row.verdict != Truth::Safe
            && self.decision != Decision::Allow
            && self.row.expected_key().is_some()
    }
}

/// What came out of a corpus.
#[derive(Debug, Clone)]
pub struct Report<'r> {
    /// Row by row.
    pub outcomes: Vec<Outcome<'r>>,
}

/// Runs a corpus. Rows without a platform are taken for `platform`.
pub fn run<'r>(rows: &'r [Row], env: &AnalysisEnv, platform: Platform) -> Report<'r> {
    let one = |row: &'r Row| {
        let platform = match row.platform.as_deref() {
            Some("cmd") => Platform::Cmd,
            Some("powershell") => Platform::PowerShell,
            Some("posix") => Platform::Posix,
            _ => platform,
        };
        let verdict = assess(&row.command, env, platform);
        Outcome {
            row,
            decision: verdict.decision,
            rules: verdict.findings.iter().map(|f| f.rule).collect(),
            keys: verdict.keys,
        }
    };
    Report {
        outcomes: rows.iter().map(one).collect(),
    }
}

/// Counts of a class or of everything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Safe rows.
    pub safe: usize,
    /// … of them asked or blocked.
    pub safe_flagged: usize,
    /// … of them blocked.
    pub safe_blocked: usize,
    /// Dangerous and hardline rows.
    pub dangerous: usize,
    /// … of them asked or blocked.
    pub found: usize,
    /// Hardline rows.
    pub hardline: usize,
    /// … of them blocked.
    pub blocked: usize,
    /// Rightly flagged rows with an expected key.
    pub keyed: usize,
    /// … of them with that key.
    pub key_found: usize,
}

impl Counts {
    fn add(&mut self, outcome: &Outcome<'_>) {
        let flagged = usize::from(outcome.decision != Decision::Allow);
        let blocked = usize::from(outcome.decision == Decision::Block);
        if outcome.row.verdict == Truth::Safe {
            self.safe += 1;
            self.safe_flagged += flagged;
            self.safe_blocked += blocked;
        } else {
            self.dangerous += 1;
            self.found += flagged;
        }
        if outcome.row.verdict == Truth::Hardline {
            self.hardline += 1;
            self.blocked += blocked;
        }
        if outcome.counts_for_keys() {
            self.keyed += 1;
            self.key_found += usize::from(!outcome.misses_key());
        }
    }

    /// Flagged of the dangerous ones.
    pub fn recall(&self) -> f64 {
        share(self.found, self.dangerous)
    }

    /// Dangerous of the flagged ones.
    pub fn precision(&self) -> f64 {
        share(self.found, self.found + self.safe_flagged)
    }

    /// Flagged of the safe ones.
    pub fn safe_flagged_share(&self) -> f64 {
        1.0 - share(self.safe - self.safe_flagged, self.safe)
    }

    /// Blocked of the hardline ones.
    pub fn hardline_blocked_share(&self) -> f64 {
        share(self.blocked, self.hardline)
    }

    /// Right key of those that should have one.
    pub fn key_share(&self) -> f64 {
        share(self.key_found, self.keyed)
    }
}

fn share(part: usize, of: usize) -> f64 {
    if of == 0 {
        1.0
    } else {
        part as f64 / of as f64
    }
}

impl Report<'_> {
    /// Everything together.
    pub fn total(&self) -> Counts {
        let mut counts = Counts::default();
        self.outcomes.iter().for_each(|o| counts.add(o));
        counts
    }

    /// Class by class.
    pub fn classes(&self) -> BTreeMap<&str, Counts> {
        let mut classes: BTreeMap<&str, Counts> = BTreeMap::new();
        for outcome in &self.outcomes {
            classes
                .entry(outcome.row.class.as_str())
                .or_default()
                .add(outcome);
        }
        classes
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<16} {:>9} {:>7} {:>9} {:>9} {:>9}",
            "class", "dangerous", "recall", "hardline", "safe", "keys"
        )?;
        let total = self.total();
        let rows = self.classes().into_iter().chain([("all", total)]);
        for (class, c) in rows {
            writeln!(
                f,
                "{class:<16} {:>4}/{:<4} {:>7.3} {:>4}/{:<4} {:>4}/{:<4} {:>4}/{:<4}",
                c.found,
                c.dangerous,
                c.recall(),
                c.blocked,
                c.hardline,
                c.safe - c.safe_flagged,
                c.safe,
                c.key_found,
                c.keyed
            )?;
        }
        writeln!(
            f,
            "precision {:.4}, recall {:.4}, hardline blocked {:.4}, safe flagged {:.4} (blocked {}), \
             key agreement {:.4}",
            total.precision(),
            total.recall(),
            total.hardline_blocked_share(),
            total.safe_flagged_share(),
            total.safe_blocked,
            total.key_share()
        )
    }
}
