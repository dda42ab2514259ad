//! Passwords for `sudo`: over its input, never in a command line, a variable of the environment or
//! a log.

use std::fmt;

use crate::request::Request;

/// A password. It is never shown.
#[derive(Clone)]
pub(crate) struct Password(String);

impl Password {
    pub(crate) fn new(password: impl Into<String>) -> Self {
        Self(password.into())
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(…)")
    }
}

/// The password, if the command may want it. On a terminal whoever uses it is asked by `sudo`.
pub(crate) fn password_for<'a>(
    request: &Request,
    password: Option<&'a Password>,
) -> Option<&'a Password> {
    password.filter(|_| request.terminal().is_none() && request.command().contains("sudo"))
}

/// What is written to a command first.
pub(crate) fn first_input(password: Option<&Password>, stdin: Option<&[u8]>) -> Vec<u8> {
    let mut input = Vec::new();
    if let Some(Password(password)) = password {
        input.extend_from_slice(password.as_bytes());
        input.push(b'\n');
    }
    input.extend_from_slice(stdin.unwrap_or_default());
    input
}
