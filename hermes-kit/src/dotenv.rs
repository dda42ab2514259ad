//! The home's `.env`: variables for children, never for the process itself.
//!
//! Read as Python's Hermes does, through python-dotenv: quotes, `export`, comments, values over
//! several lines, `${NAME}` and `${NAME:-default}`. No crate reads it so: those there are refuse
//! values with spaces or take `$NAME` for a variable.

mod expand;
mod statement;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fmt;
use std::io::ErrorKind;
use std::path::Path;

use crate::config::yaml::read_plain_bytes;
use crate::error::{Error, Result};
use statement::{Statement, Statements};

/// The variables of a `.env`. Its values are never shown by `Debug`.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct DotEnv {
    variables: Vec<(String, String)>,
    /// Where each name stands in them.
    places: HashMap<String, usize>,
    skipped: Vec<usize>,
}

impl DotEnv {
    /// Reads a file; one that is not there has no variables. `environment` gives what `${NAME}`
    /// means when the file has not said it before.
    ///
    /// What is no UTF-8 is read as Latin-1, or as UTF-16 if it begins so.
    ///
    /// # Errors
    /// [`Error::Config`] if it is there and cannot be read.
    pub fn read(path: &Path, environment: &dyn Fn(&str) -> Option<String>) -> Result<DotEnv> {
        match read_plain_bytes(path) {
            Ok(bytes) => Ok(DotEnv::parse(&decoded(&bytes), environment)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(DotEnv::default()),
            Err(error) => Err(Error::Config {
                path: path.to_owned(),
                problem: format!("cannot be read: {error}"),
            }),
        }
    }

    /// Reads a text. Of two variables with one name the last holds.
    ///
    /// ```
    /// use hermes_kit::DotEnv;
    ///
    /// let env = DotEnv::parse("export A='x y' # why\nB=\"${A}\\n${C:-z}\"\n", &|_| None);
    /// assert_eq!(env.get("B"), Some("x y\nz"));
    /// ```
    pub fn parse(text: &str, environment: &dyn Fn(&str) -> Option<String>) -> DotEnv {
        let mut env = DotEnv::default();
        // No variable can hold it.
        let text = text.replace('\0', "");
        for statement in Statements::new(text.trim_start_matches('\u{feff}')) {
            match statement {
                Statement::Set { name, value } => {
                    let value = expand::expanded(&value, &|name| env.or(name, environment));
                    env.set(name, value);
                }
                Statement::Nothing => {}
                Statement::Wrong { line } => env.skipped.push(line),
            }
        }
        env
    }

    fn set(&mut self, name: String, value: String) {
        let place = self.places.get(&name).copied();
        match place.and_then(|place| self.variables.get_mut(place)) {
            Some((_, old)) => *old = value,
            None => {
                self.places.insert(name.clone(), self.variables.len());
                self.variables.push((name, value));
            }
        }
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.variables.get(*self.places.get(name)?);
        found.map(|(_, value)| value.as_str())
    }

    /// The value of a variable; what the file does not set, `environment` says.
    ///
    /// ```
    /// use hermes_kit::DotEnv;
    ///
    /// let env = DotEnv::parse("A=own\n", &|_| None);
    /// let environment = |_: &str| Some("outside".to_owned());
    /// assert_eq!(env.or("A", &environment).as_deref(), Some("own"));
    /// assert_eq!(env.or("B", &environment).as_deref(), Some("outside"));
    /// ```
    pub fn or(&self, name: &str, environment: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        let own = self.get(name).map(str::to_owned);
        own.or_else(|| environment(name))
    }

    /// All variables, in the order in which they first stand in the file. One that names the home
    /// decides nothing: [`HermesHome::prepare_child`](hermes_home::HermesHome::prepare_child),
    /// called last, sets it.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.variables
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The lines, counted from 1, that begin what could not be understood.
    pub fn skipped_lines(&self) -> &[usize] {
        &self.skipped
    }
}

impl fmt::Debug for DotEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(|(name, _)| name).collect();
        f.debug_struct("DotEnv")
            .field("names", &names)
            .field("skipped", &self.skipped)
            .finish()
    }
}

fn decoded(bytes: &[u8]) -> String {
    let pairs = |swap: bool| {
        let units = bytes.get(2..).unwrap_or_default().chunks_exact(2);
        let units: Vec<u16> = units
            .filter_map(|pair| <[u8; 2]>::try_from(pair).ok())
            .map(|pair| {
                if swap {
                    u16::from_be_bytes(pair)
                } else {
                    u16::from_le_bytes(pair)
                }
            })
            .collect();
        String::from_utf16_lossy(&units)
    };
    match bytes {
        [0xff, 0xfe, ..] => pairs(false),
        [0xfe, 0xff, ..] => pairs(true),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
        },
    }
}
