//! The login environment, read once.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::time::Instant;

use super::folder::CallFolder;
use crate::Result;
use crate::attend::{Attendance, Cause};
use crate::input::Input;
use crate::process::Process;
use crate::script;
use crate::variables::Variables;

/// Waits for a login shell to leave its state. Says what went wrong, if it did not.
pub(super) fn wait(
    process: &mut dyn Process,
    timeout: std::time::Duration,
) -> Result<Option<String>> {
    let input = Input::given(Vec::new());
    let attended = Attendance::with(&input)
        .until(Instant::now() + timeout)
        .run(process, |_| {})?;
    Ok(match attended.cause {
        Cause::Ended => None,
        Cause::TimedOut | Cause::Interrupted => Some(format!(
            "the login shell was not ready after {} s; commands run without its environment",
            timeout.as_secs_f64()
        )),
    })
}

/// The variables of a login environment that commands must not have.
pub(super) fn secrets_in(folder: &CallFolder, variables: &Variables) -> Vec<OsString> {
    let names = folder.exported().unwrap_or_else(|| listed(folder));
    names
        .into_iter()
        .filter(|name| !variables.passes(name))
        .collect()
}

/// Names out of `export -p`. A line inside of a value may pass for one, which is no matter: only
/// secrets are looked for.
fn listed(folder: &CallFolder) -> BTreeSet<OsString> {
    let text = fs::read(folder.path().join(script::DEFINITIONS)).unwrap_or_default();
    text.split(|&byte| byte == b'\n')
        .filter_map(|line| line.strip_prefix(b"export "))
        .filter_map(|line| line.split(|&byte| byte == b'=').next())
        .map(|name| OsStr::from_bytes(name).to_owned())
        .collect()
}
