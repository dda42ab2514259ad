//! The backend `ssh` as the config and the `.env` of a home have it.

use hermes_terminal::{Ssh, Variables};

use super::in_user_home;
use super::local::reads_bashrc;
use crate::config::TerminalConfig;
use crate::dotenv::DotEnv;
use crate::error::{Error, Result};
use crate::hermes::Hermes;

pub(super) fn of(hermes: &Hermes, config: &TerminalConfig, own: &DotEnv) -> Result<Ssh> {
    let host = config.ssh.host.clone().ok_or_else(|| Error::Config {
        path: hermes.home().config_file(),
        problem: "says the backend ssh, but no terminal.ssh_host".to_owned(),
    })?;
    let files = config.shell_init_files.iter();
    let mut ssh = Ssh::new(host)
        .with_variables(Variables::of_process().with(own.iter()))
        .with_bashrc(reads_bashrc(config))
        .with_init_files(files.map(|file| file.to_string_lossy()));
    // The usual port is not said, so that an entry of ssh's own configuration can say another.
    if config.ssh.port != 22 {
        ssh = ssh.with_port(config.ssh.port);
    }
    if let Some(user) = &config.ssh.user {
        ssh = ssh.with_user(user);
    }
    if let Some(key) = &config.ssh.key {
        let person = hermes.wishes().user_home.as_deref();
        ssh = ssh.with_key(in_user_home(key, person));
    }
    if let Some(directory) = &config.cwd {
        ssh = ssh.in_directory(directory);
    }
    Ok(ssh)
}
