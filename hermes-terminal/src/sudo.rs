//! Passwords for `sudo`: over its input, never in a command line, a variable of the environment or
//! a log.

use std::fmt;

use crate::programs::{Unwrapped, has_flag};
use crate::request::Request;
use crate::words::SimpleCommand;

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

/// Why these commands are not run: `sudo -S` waits for a password that nobody has given, or would
/// try one out.
pub(crate) fn refusal(commands: &[SimpleCommand]) -> Option<String> {
    let reads_password = |command: &SimpleCommand| {
        Unwrapped::of(command)
            .wrapper("sudo")
            .is_some_and(|words| has_flag(words, 'S', "--stdin"))
    };
    commands.iter().any(reads_password).then(|| {
        "this was not run: `sudo -S` takes a password from its input, and none is configured; set \
         SUDO_PASSWORD, or run the command without -S"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::commands;

    #[test]
    fn a_password_is_shown_nowhere() {
        let password = Password::new("hunter2");
        assert_eq!(format!("{password:?}"), "Password(…)");
    }

    #[test]
    fn sudo_that_reads_its_input_is_refused() {
        for text in [
            "sudo -S ls",
            "echo x | sudo -kS ls",
            "A=1 /usr/bin/sudo --stdin ls",
            "x; env sudo -u bob -S ls",
        ] {
            assert!(refusal(&commands(text)).is_some(), "{text}");
        }
        for text in [
            "sudo ls -S",
            "sudo -s",
            "echo sudo -S",
            "sudo -- ls -S",
            "man sudo",
        ] {
            assert_eq!(refusal(&commands(text)), None, "{text}");
        }
    }
}
