//! Putting an [`Approver`] together.

use std::fmt;
use std::sync::Arc;

use super::adviser::Adviser;
use super::{Approver, Parts};
use crate::allowlist::AllowlistFile;
use crate::audit::{Audit, AuditOptions};
use crate::gateway::Gateway;
use crate::grants::{GrantsFile, SessionGrants};
use crate::policy::Policy;
use crate::prompt::TerminalPrompt;
use crate::scanner::{Scanner, ScannerOptions};
use crate::{Asker, Hook, Hooks};
#[cfg(feature = "tokio")]
use crate::{AsyncAsker, OnThread};

/// What an [`Approver`] is made of. What is not given is not there: without an asker nobody can be
/// asked, without an allowlist nothing can be allowed for good.
pub struct Builder {
    parts: Parts,
}

impl Builder {
    pub(super) fn new(policy: Policy) -> Self {
        let scanner = policy.scanner.enabled.then(|| {
            let mut options = ScannerOptions::new(&policy.scanner.program);
            options.timeout = policy.scanner.timeout;
            options.fail_open = policy.scanner.fail_open;
            Scanner::new(options)
        });
        Self {
            parts: Parts {
                policy,
                terminal: None,
                #[cfg(feature = "tokio")]
                terminal_async: None,
                gateway: None,
                adviser: None,
                scanner,
                hooks: Hooks::new(),
                sessions: Arc::new(SessionGrants::default()),
                allowlist: None,
                grants: None,
                audit: Audit::off(),
            },
        }
    }

    /// The settings, for an asker that goes by them.
    pub fn policy(&self) -> &Policy {
        &self.parts.policy
    }

    /// Asks persons at a terminal through this.
    #[must_use]
    pub fn terminal(mut self, asker: impl Asker + 'static) -> Self {
        let asker: Arc<dyn Asker> = Arc::new(asker);
        #[cfg(feature = "tokio")]
        {
            self.parts.terminal_async = Some(Arc::new(OnThread(Arc::new(Arc::clone(&asker)))));
        }
        self.parts.terminal = Some(asker);
        self
    }

    /// Asks persons at the terminal of this process, for the time of the policy.
    #[must_use]
    pub fn terminal_of_process(self) -> Self {
        let timeout = self.parts.policy.timeout;
        self.terminal(TerminalPrompt::new(timeout))
    }

    /// Asks persons at a terminal through this, when it is awaited.
    #[cfg(feature = "tokio")]
    #[must_use]
    pub fn terminal_async(mut self, asker: impl AsyncAsker + 'static) -> Self {
        self.parts.terminal_async = Some(Arc::new(asker));
        self
    }

    /// Asks persons in messengers through this. Its own hooks are told, not those given here.
    #[must_use]
    pub fn gateway(mut self, gateway: Gateway) -> Self {
        self.parts.gateway = Some(gateway);
        self
    }

    /// Asks this first, in the mode `smart`.
    #[must_use]
    pub fn adviser(mut self, adviser: impl Adviser + 'static) -> Self {
        self.parts.adviser = Some(Arc::new(adviser));
        self
    }

    /// Lets this look at commands, too, in place of the scanner that the policy names.
    #[must_use]
    pub fn scanner(mut self, scanner: Scanner) -> Self {
        self.parts.scanner = Some(scanner);
        self
    }

    /// Tells this what is asked and answered at a terminal and by the model.
    #[must_use]
    pub fn hook(mut self, hook: Arc<dyn Hook>) -> Self {
        self.parts.hooks.add(hook);
        self
    }

    /// Shares the grants of conversations with others.
    #[must_use]
    pub fn sessions(mut self, sessions: Arc<SessionGrants>) -> Self {
        self.parts.sessions = sessions;
        self
    }

    /// Reads this allowlist, and writes "always" into it.
    #[must_use]
    pub fn allowlist(mut self, file: AllowlistFile) -> Self {
        self.parts.allowlist = Some(file);
        self
    }

    /// Reads these grants, too: prefixes, folders and those that end.
    #[must_use]
    pub fn grants(mut self, file: GrantsFile) -> Self {
        self.parts.grants = Some(file);
        self
    }

    /// Records each decision.
    #[must_use]
    pub fn audit(mut self, options: AuditOptions) -> Self {
        self.parts.audit = Audit::new(options);
        self
    }

    /// The approver.
    pub fn build(self) -> Approver {
        Approver {
            parts: Arc::new(self.parts),
        }
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Builder").field(&self.parts).finish()
    }
}
