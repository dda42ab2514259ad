//! Which files hold secrets, so that an export leaves them out unless it is asked for them.

use std::ffi::OsStr;

/// Names of files and folders, wherever they are in a profile.
const SECRETS: [&str; 10] = [
    ".env",
    ".git-credentials",
    ".gnupg",
    ".netrc",
    ".ssh",
    "auth.json",
    "credentials.json",
    "mcp-tokens",
    "pairing",
    "token.json",
];
/// Patterns to fill in, which hold none.
const EXAMPLES: [&str; 2] = [".env.example", ".env.template"];

pub(super) fn is_secret(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    SECRETS.contains(&name.as_ref())
        || (name.starts_with(".env.") && !EXAMPLES.contains(&name.as_ref()))
}
