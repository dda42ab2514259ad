//! Where commands can run here, and where not.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hermes_terminal::{BACKENDS, Environment, Unusable, select};

use crate::config::TerminalConfig;
use crate::dotenv::DotEnv;
use crate::error::Result;
use crate::hermes::Hermes;

mod containers;
pub(crate) mod local;
mod ssh;

pub(crate) use containers::is_of_host;

/// A terminal backend, as it is here and now.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Backend {
    /// Its name, as `terminal.backend` has it.
    pub name: String,
    /// Whether commands run there.
    pub chosen: bool,
    /// Why it cannot be used, and what to do about it.
    pub unusable: Option<Unusable>,
}

impl Hermes {
    /// The terminal backends: those that are offered, then those that are known and not here.
    /// Nothing is started or changed, and no host of `ssh` is asked; docker is, whether it works, for
    /// ten seconds at most.
    ///
    /// ```
    /// use hermes_kit::Hermes;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let hermes = Hermes::builder().home(folder.path()).variables(|_| None).open()?;
    /// let backends = hermes.backends()?;
    /// let chosen = backends.iter().find(|backend| backend.chosen);
    /// assert_eq!(chosen.map(|backend| backend.name.as_str()), Some("local"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Config`](crate::Error::Config) and [`Error::Settings`](crate::Error::Settings) of
    /// the home's files, [`Error::Terminal`](crate::Error::Terminal) if the config names a backend
    /// that is not to be had.
    pub fn backends(&self) -> Result<Vec<Backend>> {
        let (config, own) = self.settings(&|name| self.wishes().variable(name))?;
        let offered = offered(self, &config, &own)?;
        let chosen = match &self.wishes().terminal {
            Some(environment) => environment.name().to_owned(),
            None => select(&config.backend, &offered)?.name().to_owned(),
        };
        let mut backends: Vec<Backend> = offered
            .iter()
            .map(|environment| Backend {
                name: environment.name().to_owned(),
                chosen: environment.name() == chosen,
                unusable: environment.usable().err(),
            })
            .collect();
        for name in BACKENDS {
            if !backends.iter().any(|backend| backend.name == *name) {
                backends.push(Backend {
                    name: (*name).to_owned(),
                    chosen: false,
                    unusable: Some(missing(name)),
                });
            }
        }
        Ok(backends)
    }
}

/// Where commands run.
pub(crate) fn chosen(
    hermes: &Hermes,
    config: &TerminalConfig,
    own: &DotEnv,
) -> Result<Arc<dyn Environment>> {
    if let Some(environment) = &hermes.wishes().terminal {
        return Ok(Arc::clone(environment));
    }
    let offered = offered(hermes, config, own)?;
    Ok(select(&config.backend, &offered)?)
}

/// Where commands could run. What a program offers takes the place of what is made here.
fn offered(
    hermes: &Hermes,
    config: &TerminalConfig,
    own: &DotEnv,
) -> Result<Vec<Arc<dyn Environment>>> {
    let wishes = hermes.wishes();
    if let Some(environment) = &wishes.terminal {
        return Ok(vec![Arc::clone(environment)]);
    }
    let mut offered = wishes.backends.clone();
    let mut made: Vec<Arc<dyn Environment>> = vec![
        Arc::new(local::of(hermes, config, own)?),
        Arc::new(containers::docker(hermes, config, own)),
        Arc::new(containers::singularity(hermes, config, own)),
    ];
    if config.ssh.host.is_some() || config.backend.trim().eq_ignore_ascii_case("ssh") {
        made.push(Arc::new(ssh::of(hermes, config, own)?));
    }
    made.retain(|made| offered.iter().all(|offered| offered.name() != made.name()));
    offered.extend(made);
    Ok(offered)
}

/// `~` and what begins with `~/`.
fn in_user_home(path: &Path, user_home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~"), user_home) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path.to_owned(),
    }
}

fn missing(name: &str) -> Unusable {
    match name {
        "ssh" => Unusable {
            reason: "no host is named".to_owned(),
            remedy: "set terminal.ssh_host in config.yaml, or TERMINAL_SSH_HOST".to_owned(),
        },
        _ => Unusable {
            reason: "this program does not have it".to_owned(),
            remedy: "offer one with `Builder::backend`, or choose another".to_owned(),
        },
    }
}
