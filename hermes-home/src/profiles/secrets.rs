//! Which files hold secrets, so that an export leaves them out unless it is asked for them.

use std::ffi::OsStr;

/// Names of files and folders, wherever they are in a profile, in lower case.
const SECRETS: [&str; 11] = [
    ".git-credentials",
    ".gnupg",
    ".netrc",
    ".ssh",
    "credentials.json",
    "id_ecdsa",
    "id_ed25519",
    "id_rsa",
    "mcp-tokens",
    "pairing",
    "token.json",
];
/// Those that also have variants and copies, such as `.env.local` and `auth.json~`.
const WITH_VARIANTS: [&str; 3] = [".env", ".envrc", "auth.json"];
/// Names of keys end like this.
const KEYS: [&str; 2] = [".pem", ".key"];
/// Patterns to fill in, which hold none.
const EXAMPLES: [&str; 2] = [".env.example", ".env.template"];

pub(super) fn is_secret(name: &OsStr) -> bool {
    // Where case makes no difference, `.ENV` is read as `.env`.
    let name = name.to_string_lossy().to_lowercase();
    let is_variant = |of: &str| {
        let rest = name.strip_prefix(of);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '~']))
    };
    !EXAMPLES.contains(&name.as_str())
        && (SECRETS.contains(&name.as_str())
            || WITH_VARIANTS.iter().any(|of| is_variant(of))
            || KEYS.iter().any(|end| name.ends_with(end)))
}
