//! Children: always told which home is theirs.

use std::ffi::{OsStr, OsString};

use crate::HermesHome;
use crate::expand::trimmed;

/// A command of some library, as far as its environment goes.
pub trait ChildCommand {
    /// Sets a variable for the child.
    fn set_variable(&mut self, name: &str, value: &OsStr);
}

impl ChildCommand for std::process::Command {
    fn set_variable(&mut self, name: &str, value: &OsStr) {
        self.env(name, value);
    }
}

#[cfg(feature = "tokio")]
impl ChildCommand for tokio::process::Command {
    fn set_variable(&mut self, name: &str, value: &OsStr) {
        self.env(name, value);
    }
}

const VARIABLE: &str = "HERMES_HOME";

impl HermesHome {
    /// Gives this home to a child, through `HERMES_HOME`: always, even when it is the default. A
    /// child that is not told falls back to the default root, whatever profile its parent is in.
    ///
    /// Call it last: a later `env_clear` or `env_remove` would take it away again. (One that came
    /// before does not.)
    ///
    /// ```
    /// use hermes_home::{Environment, Platform, resolve};
    /// use std::process::Command;
    ///
    /// # #[cfg(unix)] {
    /// let env = Environment::new(Platform::Unix).with_user_home("/home/ann");
    /// let home = resolve(&env)?.home;
    /// let mut command = Command::new("hermes");
    /// command.env_clear();
    /// home.prepare_child(&mut command);
    /// let set: Vec<_> = command.get_envs().collect();
    /// assert_eq!(set, [("HERMES_HOME".as_ref(), Some("/home/ann/.hermes".as_ref()))]);
    /// # }
    /// # Ok::<(), hermes_home::Error>(())
    /// ```
    pub fn prepare_child<'a, C: ChildCommand>(&self, command: &'a mut C) -> &'a mut C {
        command.set_variable(VARIABLE, &self.env_value());
        command
    }

    /// The value of `HERMES_HOME` that is read as this very home. A name that ends in white space
    /// gets a separator behind it, because the white space would be trimmed.
    pub fn env_value(&self) -> OsString {
        let mut value = self.path().as_os_str().to_owned();
        if trimmed(&value) != value {
            value.push(self.platform().separator());
        }
        value
    }

    /// The name and value for a child that is started in some other way.
    pub fn env_pair(&self) -> (&'static str, OsString) {
        (VARIABLE, self.env_value())
    }
}
