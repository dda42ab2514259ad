//! What a person should hear once, although the resolution went through.

use std::fmt;
use std::path::PathBuf;

use crate::ProfileName;
use crate::active_profile::ActiveProfileProblem;
use crate::display::readable;

/// Something odd that did not stop the resolution. `Display` is the sentence for people; print each
/// one once per process, on standard error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// `HERMES_HOME` is not set, so the default home is used, although `active_profile` names
    /// another profile. This is how data ends up in the wrong profile.
    ActiveProfileBypassed {
        /// The profile that is active.
        active: ProfileName,
        /// Its home, which a child process should be given as `HERMES_HOME`.
        active_home: PathBuf,
        /// The home that is used.
        home: PathBuf,
    },
    /// `active_profile` holds nothing that can be followed, so the root is used.
    ActiveProfileIgnored {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        problem: ActiveProfileProblem,
    },
    /// A service with `HERMES_HOME` at the root stays there, although `active_profile` names
    /// another profile: what a person does at a prompt must not move a service.
    ServiceKeepsRoot {
        /// The profile that is active.
        active: ProfileName,
        /// The root, which is used.
        root: PathBuf,
    },
    /// Windows: the default home does not exist, but an old one in the user's home directory does.
    OldHomeFound {
        /// The old home, which is not used.
        old: PathBuf,
        /// The default home, which is used.
        home: PathBuf,
    },
    /// A folder of the home is a link to something that is not there. The rest works.
    LinkLeadsNowhere {
        /// The link.
        link: PathBuf,
        /// What it holds.
        target: PathBuf,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ActiveProfileBypassed {
                active,
                active_home,
                home,
            } => write!(
                f,
                "HERMES_HOME is not set, so {} is used although profile \"{active}\" is active; \
                 give child processes HERMES_HOME={} to keep them in that profile",
                readable(home),
                readable(active_home),
            ),
            Self::ActiveProfileIgnored { file, problem } => write!(
                f,
                "{} is ignored and the default profile is used: {problem}; \
                 write the name of a profile into it, or delete it",
                readable(file),
            ),
            Self::ServiceKeepsRoot { active, root } => write!(
                f,
                "this is a service with HERMES_HOME={}, so it stays in the default profile \
                 although \"{active}\" is active; set HERMES_HOME to that profile's folder, or \
                 give --profile, to change that",
                readable(root),
            ),
            Self::OldHomeFound { old, home } => write!(
                f,
                "{} holds an old Hermes home, which is not used; move it to {}, or set HERMES_HOME",
                readable(old),
                readable(home),
            ),
            Self::LinkLeadsNowhere { link, target } => write!(
                f,
                "{} is a link to {}, which does not exist; make that folder (is a disk not \
                 mounted?), or remove the link",
                readable(link),
                readable(target),
            ),
        }
    }
}
