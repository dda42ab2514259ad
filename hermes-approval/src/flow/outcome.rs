//! What came of a request: whether the command may run, which stage said so, and all that led to it.

use serde::Serialize;

use super::adviser::Advice;
use crate::gateway::Pending;
use crate::policy::AskWithoutHuman;
use crate::scanner::Scan;
use crate::verdict::Verdict;
use crate::{Answer, Choice};

/// The stages of the flow, in their order. The first that decides ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Stage {
    /// `approvals.deny` has it: never run.
    UserDeny,
    /// It runs where it cannot reach this machine.
    Isolated,
    /// A hardline rule: never run.
    Hardline,
    /// It hands `sudo` a password, and none is configured: not run.
    SudoGuard,
    /// The person has said that nothing be asked.
    Yolo,
    /// `approvals.mode` is off.
    Off,
    /// `approvals.allow`, or an entry of the allowlist that is the text of a command, has it.
    Allowlist,
    /// Nothing was found.
    Clean,
    /// Grants cover all that was found.
    Granted,
    /// Nobody is there to be asked; the setting decides.
    Headless,
    /// The auxiliary model has said yes.
    Smart,
    /// It was asked.
    Asked,
}

impl Stage {
    /// Its word in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::UserDeny => "user_deny",
            Self::Isolated => "isolated",
            Self::Hardline => "hardline",
            Self::SudoGuard => "sudo_guard",
            Self::Yolo => "yolo",
            Self::Off => "off",
            Self::Allowlist => "allowlist",
            Self::Clean => "clean",
            Self::Granted => "granted",
            Self::Headless => "headless",
            Self::Smart => "smart",
            Self::Asked => "asked",
        }
    }
}

/// What was done because nobody was there to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Headless {
    /// `ask_without_human: deny`.
    Denied,
    /// `ask_without_human: allow`.
    Allowed,
    /// `ask_without_human: as_python`.
    AllowedAsPython,
    /// `cron_mode: deny`.
    CronDenied,
    /// `cron_mode: approve`.
    CronApproved,
}

impl Headless {
    /// Whether the command runs.
    pub fn allows(self) -> bool {
        match self {
            Self::Allowed | Self::AllowedAsPython | Self::CronApproved => true,
            Self::Denied | Self::CronDenied => false,
        }
    }

    /// The setting that was applied, as it stands in the config.
    pub fn setting(self) -> &'static str {
        match self {
            Self::Denied => "approvals.ask_without_human: deny",
            Self::Allowed => "approvals.ask_without_human: allow",
            Self::AllowedAsPython => "approvals.ask_without_human: as_python",
            Self::CronDenied => "approvals.cron_mode: deny",
            Self::CronApproved => "approvals.cron_mode: approve",
        }
    }
}

/// What came of a request.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Outcome {
    /// Whether the command may run.
    pub approved: bool,
    /// The stage that decided.
    pub stage: Stage,
    /// What the analysis says.
    pub verdict: Verdict,
    /// The approval keys that were open: what was asked about, or would have been.
    pub keys: Vec<String>,
    /// Why it was asked, without secrets.
    pub description: Option<String>,
    /// What decided: the glob of a list, the entry of the allowlist.
    pub by: Option<String>,
    /// The setting for when nobody is there, whether it was needed or not.
    pub ask_without_human: AskWithoutHuman,
    /// What was done because nobody was there.
    pub headless: Option<Headless>,
    /// What the scanner said, if it was run.
    pub scan: Option<Scan>,
    /// What the auxiliary model said, if it was asked.
    pub advice: Option<Advice>,
    /// What came back, if somebody was asked.
    pub answer: Option<Answer>,
    /// The request that waits for an answer, if nobody was there to see it.
    pub pending: Option<Pending>,
    /// Whether the agent shall end its turn: nobody answered in time, and the policy says so.
    pub stop_turn: bool,
    /// What else a person should know: an allowlist that cannot be read, a grant that could not be
    /// stored.
    pub notes: Vec<String>,
    /// What the model is told if the command may not run.
    pub message: Option<String>,
}

impl Outcome {
    /// Whether a person has said yes.
    pub fn is_approved_by_person(&self) -> bool {
        self.approved && self.stage == Stage::Asked
    }

    /// Whether the auxiliary model has said no, whatever was said after.
    pub fn is_smart_denied(&self) -> bool {
        self.advice == Some(Advice::Deny)
    }

    /// How far the approval reaches, if a person gave one.
    pub fn choice(&self) -> Option<Choice> {
        self.answer.as_ref().map(|answer| answer.choice)
    }
}
