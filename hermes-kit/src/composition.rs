//! What the config of a home and the wishes of a program make together.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use hermes_approval::allowlist::AllowlistFile;
use hermes_approval::grants::GrantsFile;
use hermes_approval::{Approver, Situation};
use hermes_tools::AgentLoop;

use crate::config::Config;
use crate::error::Result;
use crate::hermes::Hermes;

type ChangeApprovals = dyn Fn(hermes_approval::Builder) -> hermes_approval::Builder + Send + Sync;
type ChangeSituation = dyn Fn(Situation) -> Situation + Send + Sync;
#[cfg(unix)]
type ChangeLimits = dyn Fn(hermes_terminal::Limits) -> hermes_terminal::Limits + Send + Sync;
type Lookup = dyn Fn(&str) -> Option<String> + Send + Sync;

/// What a program has said to the builder.
#[derive(Default)]
pub(crate) struct Wishes {
    pub(crate) approvals: Option<Arc<ChangeApprovals>>,
    pub(crate) situation: Option<Arc<ChangeSituation>>,
    pub(crate) variables: Option<Arc<Lookup>>,
    pub(crate) agent_loop: Option<Arc<dyn AgentLoop>>,
    pub(crate) user_home: Option<PathBuf>,
    #[cfg(unix)]
    pub(crate) terminal: Option<Arc<dyn hermes_terminal::Environment>>,
    #[cfg(unix)]
    pub(crate) backends: Vec<Arc<dyn hermes_terminal::Environment>>,
    /// The name of the one to use, whatever the config says.
    #[cfg(unix)]
    pub(crate) backend_name: Option<String>,
    #[cfg(unix)]
    pub(crate) limits: Option<Arc<ChangeLimits>>,
    #[cfg(unix)]
    pub(crate) notify: Option<Arc<dyn hermes_terminal::Notify>>,
}

impl fmt::Debug for Wishes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wishes")
            .field("approvals", &self.approvals.is_some())
            .field("situation", &self.situation.is_some())
            .field("variables", &self.variables.is_some())
            .field("user_home", &self.user_home)
            .finish_non_exhaustive()
    }
}

#[cfg(unix)]
impl Wishes {
    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        match &self.variables {
            Some(lookup) => lookup(name),
            None => std::env::var(name).ok(),
        }
    }
}

/// What tools work with.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) approver: Approver,
    #[cfg(unix)]
    pub(crate) processes: hermes_terminal::Processes,
}

impl Parts {
    pub(crate) fn of(hermes: &Hermes) -> Result<Parts> {
        let config = hermes.config()?;
        let approver = approver(hermes, &config)?;
        Ok(Parts {
            #[cfg(unix)]
            processes: processes(hermes, &config, &approver)?,
            approver,
        })
    }
}

fn approver(hermes: &Hermes, config: &Config) -> Result<Approver> {
    let (policy, warnings) = config.approval_policy()?;
    for warning in warnings {
        tracing::warn!(%warning, "a setting of approvals is not understood");
    }
    let home = hermes.home();
    let builder = Approver::builder(policy)
        .allowlist(AllowlistFile::new(home.config_file()))
        .grants(GrantsFile::in_folder(home.path()));
    let builder = match &hermes.wishes().approvals {
        Some(change) => change(builder),
        None => builder,
    };
    Ok(builder.build())
}

#[cfg(unix)]
fn processes(
    hermes: &Hermes,
    config: &Config,
    approver: &Approver,
) -> Result<hermes_terminal::Processes> {
    use hermes_approval::AnalysisEnv;
    use hermes_terminal::{Limits, Processes, Terminal};

    use crate::gate::ApprovalGate;

    let wishes = hermes.wishes();
    let outside = |name: &str| wishes.variable(name);
    let own = hermes.dot_env(&outside)?;
    let variable = |name: &str| own.or(name, &outside);
    let config = wished(config.terminal(&variable)?, wishes);

    let mut env = AnalysisEnv::new(match &wishes.user_home {
        Some(home) => home.to_string_lossy(),
        None => std::borrow::Cow::Borrowed(""),
    });
    env.hermes_home = hermes.home().path().to_string_lossy().into_owned();
    let situation = Situation::from_variables(env, variable);
    let situation = match &wishes.situation {
        Some(change) => change(situation),
        None => situation,
    };

    let environment = crate::backends::chosen(hermes, &config, &own)?;
    for unused in hermes.unused_settings(&outside)? {
        tracing::warn!(%unused, "a setting is not used");
    }
    let mut limits = Limits::default();
    limits.default_timeout = config.timeout;
    limits.max_timeout = limits.max_timeout.max(config.timeout);
    limits.grace = config.term_grace;
    if let Some(change) = &wishes.limits {
        limits = change(limits);
    }
    let mut terminal = Terminal::builder()
        .environment(environment)
        .gate(Arc::new(ApprovalGate::new(approver.clone(), situation)))
        .limits(limits);
    if let Some(password) = &config.sudo_password {
        terminal = terminal.sudo_password(password.reveal());
    }
    let mut processes = Processes::builder(terminal.build()?).home(hermes.home());
    if let Some(notify) = &wishes.notify {
        processes = processes.notify(Arc::clone(notify));
    }
    Ok(processes.build())
}

/// The settings of the terminal with what a program has said in their place.
#[cfg(unix)]
pub(crate) fn wished(
    mut config: crate::config::TerminalConfig,
    wishes: &Wishes,
) -> crate::config::TerminalConfig {
    if let Some(name) = &wishes.backend_name {
        config.backend.clone_from(name);
    }
    config
}
