//! From a command that somebody wants to run to whether it may.

mod adviser;
mod asking;
mod build;
mod draft;
mod granted;
mod outcome;
mod own_lists;
mod result;
#[cfg(test)]
mod tests;
mod touched;
mod wording;

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

pub use adviser::{Advice, Adviser};
pub use build::Builder;
pub use outcome::{Headless, Outcome, Stage};
pub use result::GuardResult;

use asking::Asking;
use draft::Draft;
use granted::Granted;
use own_lists::{Match, Spellings};

#[cfg(feature = "tokio")]
use crate::AsyncAsker;
use crate::allowlist::{Allowlist, AllowlistFile};
use crate::audit::Audit;
use crate::detect::assess;
use crate::gateway::Gateway;
use crate::grants::{Grant, GrantsFile, SessionGrants};
use crate::policy::{AskWithoutHuman, CronMode, Mode, Policy};
use crate::scanner::{Scan, Scanner};
use crate::situation::{CommandRequest, Person};
use crate::verdict::{Decision, Finding, Verdict};
use crate::{Asker, Hooks};

/// Decides whether commands may run, and asks where it has to. Clones are one.
///
/// ```
/// use hermes_approval::{
///     AnalysisEnv, Approver, Callback, Choice, CommandRequest, Policy, Situation, Stage,
/// };
///
/// let approver = Approver::builder(Policy::default())
///     .terminal(Callback::new(|request| {
///         assert_eq!(request.keys, ["recursive delete"]);
///         Choice::Session
///     }))
///     .build();
/// let situation = Situation::new(AnalysisEnv::new("/home/sam")).at_terminal();
///
/// let asked = approver.check(&CommandRequest::new("rm -rf src", situation.clone()));
/// assert!(asked.is_approved_by_person());
/// let again = approver.check(&CommandRequest::new("rm -rf lib", situation.clone()));
/// assert_eq!((again.approved, again.stage), (true, Stage::Granted));
/// let never = approver.check(&CommandRequest::new("rm -rf ~", situation));
/// assert_eq!((never.approved, never.stage), (false, Stage::Hardline));
/// ```
#[derive(Clone)]
pub struct Approver {
    parts: Arc<Parts>,
}

struct Parts {
    policy: Policy,
    terminal: Option<Arc<dyn Asker>>,
    #[cfg(feature = "tokio")]
    terminal_async: Option<Arc<dyn AsyncAsker>>,
    gateway: Option<Gateway>,
    adviser: Option<Arc<dyn Adviser>>,
    scanner: Option<Scanner>,
    hooks: Hooks,
    sessions: Arc<SessionGrants>,
    allowlist: Option<AllowlistFile>,
    grants: Option<GrantsFile>,
    audit: Audit,
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts")
            .field("policy", &self.policy)
            .field("terminal", &self.terminal.is_some())
            .field("gateway", &self.gateway.is_some())
            .field("adviser", &self.adviser.is_some())
            .field("scanner", &self.scanner)
            .field("allowlist", &self.allowlist)
            .field("grants", &self.grants)
            .field("audit", &self.audit)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Approver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Approver").field(&self.parts).finish()
    }
}

/// Which of the reference's two entry points is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    /// All stages.
    All,
    /// The older one: no scanner, and the mode counts as manual.
    DetectorOnly,
}

/// Runs what may block where it may.
#[cfg(feature = "tokio")]
async fn on_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::task::spawn_blocking(work).await.ok()
}

/// Whether it is decided, or somebody has to be asked.
enum Next {
    Decided(Box<Outcome>),
    Ask(Box<Asking>),
}

impl Approver {
    /// Says how things are decided; the builder says by whom.
    pub fn builder(policy: Policy) -> Builder {
        Builder::new(policy)
    }

    /// The settings.
    pub fn policy(&self) -> &Policy {
        &self.parts.policy
    }

    /// What was granted for conversations, to look at it, add to it and clear it.
    pub fn sessions(&self) -> &SessionGrants {
        &self.parts.sessions
    }

    /// Forgets a conversation: its grants, its yolo, and the requests that wait in the gateway,
    /// which are denied.
    pub fn clear_session(&self, session: &str) {
        self.parts.sessions.clear(session);
        if let Some(gateway) = &self.parts.gateway {
            gateway.clear(session);
        }
    }

    /// Decides, and asks where it has to; waits for the answer on this thread.
    pub fn check(&self, request: &CommandRequest) -> Outcome {
        self.check_by(request, Entry::All)
    }

    pub(crate) fn check_by(&self, request: &CommandRequest, entry: Entry) -> Outcome {
        let mut outcome = match self.begin(request, entry) {
            Next::Decided(outcome) => *outcome,
            Next::Ask(asking) => {
                let heard = self.ask(&asking);
                let note = self.keep(&asking.request, heard.choice());
                self.settle(*asking, heard, note)
            }
        };
        outcome.notes.extend(self.record(request, &outcome));
        outcome
    }

    /// The same for those who await. What may block runs on a thread that may; dropping the future
    /// takes a request back.
    #[cfg(feature = "tokio")]
    pub async fn check_async(&self, request: CommandRequest) -> Outcome {
        let request = Arc::new(request);
        let (this, own) = (self.clone(), Arc::clone(&request));
        let begun = on_thread(move || this.begin(&own, Entry::All)).await;
        // It does not panic, so that only the end of the runtime can be in the way.
        let next = begun.unwrap_or_else(|| self.begin(&request, Entry::All));
        let mut outcome = match next {
            Next::Decided(outcome) => *outcome,
            Next::Ask(asking) => {
                let heard = self.ask_async(&asking).await;
                let (this, question) = (self.clone(), asking.request.clone());
                let choice = heard.choice();
                let note = on_thread(move || this.keep(&question, choice)).await;
                self.settle(*asking, heard, note.flatten())
            }
        };
        if self.parts.audit.is_on() {
            let (this, decided) = (self.clone(), outcome.clone());
            let note = on_thread(move || this.record(&request, &decided)).await;
            outcome.notes.extend(note.flatten());
        }
        outcome
    }

    fn begin(&self, request: &CommandRequest, entry: Entry) -> Next {
        let situation = &request.situation;
        let command = request.command.as_str();
        let verdict = assess(command, &situation.env, situation.platform);
        self.decide(request, verdict, entry)
    }

    /// The stages, in their order.
    fn decide(&self, request: &CommandRequest, verdict: Verdict, entry: Entry) -> Next {
        let policy = &self.parts.policy;
        let mut draft = Draft::new(verdict, policy);
        let spellings = (!policy.deny.is_empty() || !policy.ask.is_empty())
            .then(|| Spellings::of(request.command.as_str(), &request.situation));
        let find = |globs| spellings.as_ref().map_or(Match::None, |s| s.find(globs));
        let (denied, asked) = (find(&policy.deny), find(&policy.ask));
        if let Match::Glob(glob) = denied {
            return draft.blocked(Stage::UserDeny, Some(glob));
        }
        if request.situation.backend.is_isolated() {
            return draft.approved(Stage::Isolated, Some(request.situation.backend.kind()));
        }
        let rule = draft.verdict.rule;
        if draft.verdict.decision == Decision::Block {
            return draft.blocked(Stage::Hardline, rule);
        }
        if draft.verdict.guesses_sudo_password() && !request.situation.sudo_password {
            return draft.blocked(Stage::SudoGuard, rule);
        }
        let own_key = own_key(denied, asked);
        let loose = self.loose(request, entry);
        let allowlist = self.allowlist(&mut draft);
        if own_key.is_none() {
            if let Some(stage) = loose {
                return draft.approved(stage, None);
            }
            if let Some(by) = self.allowed(request, allowlist.as_deref()) {
                return draft.approved(Stage::Allowlist, Some(&by));
            }
        }
        let headless = self.headless(request);
        let stages = Open {
            own_key: own_key.as_deref(),
            findings: loose.is_none(),
            // Where all is let through, there is no use in looking for more.
            scan: entry == Entry::All && loose.is_none() && !headless.is_some_and(Headless::allows),
        };
        self.collect(request, &mut draft, &stages, allowlist.as_deref());
        if draft.keys.is_empty() {
            let clean = draft.verdict.findings.is_empty()
                && own_key.is_none()
                && draft.scan.as_ref().and_then(Scan::key).is_none();
            let stage = if clean { Stage::Clean } else { Stage::Granted };
            return draft.approved(loose.unwrap_or(stage), None);
        }
        if let Some(headless) = headless {
            draft.headless = Some(headless);
            let setting = Some(headless.setting());
            return match headless.allows() {
                true => draft.approved(Stage::Headless, setting),
                false => draft.blocked(Stage::Headless, setting),
            };
        }
        let smart = policy.mode == Mode::Smart && entry == Entry::All && own_key.is_none();
        self.advised(request, draft, smart)
    }

    /// Why nothing is asked, unless the person's own list wants it.
    fn loose(&self, request: &CommandRequest, entry: Entry) -> Option<Stage> {
        let situation = &request.situation;
        if situation.yolo || self.parts.sessions.is_yolo(&situation.session_key) {
            Some(Stage::Yolo)
        } else if self.parts.policy.mode == Mode::Off && entry == Entry::All {
            Some(Stage::Off)
        } else {
            None
        }
    }

    /// What allows the command by its text: a glob of the config, an entry of the allowlist.
    fn allowed(&self, request: &CommandRequest, allowlist: Option<&Allowlist>) -> Option<String> {
        let command = request.command.as_str();
        if let Some(glob) = own_lists::allows(&self.parts.policy.allow, command) {
            return Some(glob.to_owned());
        }
        let entry = allowlist?.entry_for_command(command)?;
        Some(entry.text.clone())
    }

    /// Collects what is left to ask about.
    fn collect(
        &self,
        request: &CommandRequest,
        draft: &mut Draft,
        stages: &Open<'_>,
        allowlist: Option<&Allowlist>,
    ) {
        let command = request.command.as_str();
        let grants = self.grants(request, draft);
        let granted = Granted {
            grants: &grants,
            allowlist,
            now: SystemTime::now(),
        };
        let in_session = |key: &&str| granted.covers_in_session(key, command, &[]);
        let own_key = stages.own_key.filter(|key| !in_session(key));
        let findings: Vec<Finding> = if stages.findings {
            granted.uncovered(&draft.verdict, command, &request.situation)
        } else {
            Vec::new()
        };
        if stages.scan {
            draft.scan = self.parts.scanner.as_ref().map(|s| s.scan(command));
        }
        let scan = draft.scan.take();
        let scan_key = scan.as_ref().and_then(Scan::key);
        draft.open(
            own_key,
            &findings,
            scan.as_ref(),
            scan_key.filter(|key| !in_session(key)),
        );
        draft.scan = scan;
    }

    /// What applies because nobody is there; none if somebody is.
    fn headless(&self, request: &CommandRequest) -> Option<Headless> {
        let policy = &self.parts.policy;
        if request.situation.person() != Person::Nobody {
            return None;
        }
        Some(
            match (
                request.situation.cron,
                policy.cron_mode,
                policy.ask_without_human,
            ) {
                (true, CronMode::Deny, _) => Headless::CronDenied,
                (true, CronMode::Approve, _) => Headless::CronApproved,
                (false, _, AskWithoutHuman::Deny) => Headless::Denied,
                (false, _, AskWithoutHuman::Allow) => Headless::Allowed,
                (false, _, AskWithoutHuman::AsPython) => Headless::AllowedAsPython,
            },
        )
    }

    /// The allowlist as it is now. One that cannot be read approves nothing.
    fn allowlist(&self, draft: &mut Draft) -> Option<Arc<Allowlist>> {
        match self.parts.allowlist.as_ref()?.current() {
            Ok(list) => Some(list),
            Err(error) => {
                tracing::warn!(%error, "the allowlist cannot be read, and approves nothing");
                draft
                    .notes
                    .push(format!("the allowlist approves nothing: {error}"));
                None
            }
        }
    }

    /// The grants of the conversation, and those of the file.
    fn grants(&self, request: &CommandRequest, draft: &mut Draft) -> Vec<Grant> {
        let mut grants = self.parts.sessions.list(&request.situation.session_key);
        // Where nothing was found, nothing has to be granted.
        if draft.verdict.findings.is_empty() {
            return grants;
        }
        if let Some(file) = &self.parts.grants {
            match file.list(SystemTime::now()) {
                Ok(more) => grants.extend(more),
                Err(error) => {
                    tracing::warn!(%error, "stored grants cannot be read, and cover nothing");
                    draft
                        .notes
                        .push(format!("stored grants cover nothing: {error}"));
                }
            }
        }
        grants
    }
}

/// What may be asked about.
struct Open<'a> {
    own_key: Option<&'a str>,
    findings: bool,
    scan: bool,
}

/// The key of the question that the person's own lists want asked.
fn own_key(denied: Match<'_>, asked: Match<'_>) -> Option<String> {
    match (asked, denied) {
        (Match::Glob(glob), _) => Some(format!("approvals.ask: {glob}")),
        // A list that could not be held against all of the command may forbid it.
        (Match::Unsure, _) => Some("approvals.ask: (too large to be compared)".to_owned()),
        (_, Match::Unsure) => Some("approvals.deny: (too large to be compared)".to_owned()),
        _ => None,
    }
}
