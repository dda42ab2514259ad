//! The backend `local` as the config and the `.env` of a home have it.

use std::path::{Path, PathBuf};

use hermes_terminal::{Local, Variables};

use super::in_user_home;
use crate::config::{HomeMode, TerminalConfig};
use crate::dotenv::DotEnv;
use crate::error::Result;
use crate::hermes::Hermes;

/// What tells a child where the person's own home is, when `HOME` is another.
const REAL_HOME: &str = "HERMES_REAL_HOME";
/// What is at the root of a container of docker, and of podman.
const CONTAINER_MARKS: [&str; 2] = ["/.dockerenv", "/run/.containerenv"];

pub(crate) fn of(hermes: &Hermes, config: &TerminalConfig, own: &DotEnv) -> Result<Local> {
    let person = hermes.wishes().user_home.as_deref();
    let variables = Variables::of_process()
        .with(own.iter())
        .with(homes(hermes, config.home_mode))
        .passing(config.env_passthrough.iter().cloned());
    let mut local = Local::new(hermes.home().clone())?
        .with_variables(variables)
        .with_init_files(hermes.shell_init_files(config, own));
    if let Some(person) = person.filter(|_| reads_bashrc(config)) {
        local = local.with_bashrc(person.join(".bashrc"));
    }
    if let Some(directory) = hermes.start_directory(config) {
        local = local.in_directory(directory);
    }
    Ok(local)
}

/// Whoever lists files has said all.
pub(crate) fn reads_bashrc(config: &TerminalConfig) -> bool {
    config.auto_source_bashrc && config.shell_init_files.is_empty()
}

impl Hermes {
    /// `terminal.cwd`, with what `~` in it means here: where commands on this machine start.
    pub fn start_directory(&self, config: &TerminalConfig) -> Option<PathBuf> {
        let person = self.wishes().user_home.as_deref();
        let named = config.cwd.as_ref();
        named.map(|directory| in_user_home(directory, person))
    }

    /// `terminal.shell_init_files`, with what `~` and variables in them mean here: those of `.env`,
    /// then those of the environment. Whether they are there is not looked at.
    pub fn shell_init_files(&self, config: &TerminalConfig, own: &DotEnv) -> Vec<PathBuf> {
        let person = self.wishes().user_home.as_deref();
        let known = |name: &str| own.or(name, &|name| self.wishes().variable(name));
        let files = config.shell_init_files.iter();
        files
            .map(|file| match file.to_str() {
                Some(text) => PathBuf::from(expanded(text, &known)),
                None => file.clone(),
            })
            .map(|file| in_user_home(&file, person))
            .collect()
    }
}

/// The homes that children are told: the person's own, or the one that the home has for them.
fn homes(hermes: &Hermes, mode: HomeMode) -> Vec<(&'static str, PathBuf)> {
    let person = hermes.wishes().user_home.clone();
    let for_children = hermes.home().path().join("home");
    let apart = match mode {
        HomeMode::Auto => CONTAINER_MARKS.iter().any(|mark| Path::new(mark).exists()),
        HomeMode::Real => false,
        HomeMode::Profile => true,
    };
    if !(apart && for_children.is_dir()) {
        return person.map(|person| ("HOME", person)).into_iter().collect();
    }
    let real = person.map(|person| (REAL_HOME, person));
    [("HOME", for_children)].into_iter().chain(real).collect()
}

/// `$NAME` and `${NAME}`; a variable that nobody knows stays as it is written.
fn expanded(text: &str, known: &dyn Fn(&str) -> Option<String>) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        result.push_str(before);
        let (name, behind) = match after.strip_prefix('{').and_then(|in_| in_.split_once('}')) {
            Some(braced) => braced,
            None => {
                let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let end = after.find(|c| !is_of_name(c)).unwrap_or(after.len());
                after.split_at_checked(end).unwrap_or((after, ""))
            }
        };
        match known(name).filter(|_| !name.is_empty()) {
            Some(meaning) => {
                result.push_str(&meaning);
                rest = behind;
            }
            None => {
                result.push('$');
                rest = after;
            }
        }
    }
    result.push_str(rest);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_in_a_path_mean_what_they_mean_to_a_shell() {
        let known = |name: &str| match name {
            "HOME" => Some("/home/ann".to_owned()),
            "A_1" => Some("$HOME".to_owned()),
            _ => None,
        };
        for (text, expected) in [
            ("$HOME/.nvm/nvm.sh", "/home/ann/.nvm/nvm.sh"),
            ("${HOME}x$HOME", "/home/annx/home/ann"),
            ("$A_1", "$HOME"),
            ("$none/${none}/$", "$none/${none}/$"),
            ("${HOME", "${HOME"),
            ("$$HOME é$", "$/home/ann é$"),
            ("", ""),
        ] {
            assert_eq!(expanded(text, &known), expected, "{text}");
        }
    }
}
