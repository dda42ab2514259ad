//! Which names say that what they name is a secret.

/// Parts of a name that make it one.
const PARTS: &[&str] = &[
    "token",
    "secret",
    "secrets",
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "passwort",
    "pwd",
    "pass",
    "credential",
    "credentials",
    "apikey",
    "secretkey",
    "accesskey",
    "privatekey",
    "authkey",
    "authtoken",
    "jwt",
    "cookie",
    "pgpassword",
];

/// Ends of a name without a division that make it one: `GITHUBTOKEN`.
const ENDS: &[&str] = &[
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "apikey",
];

/// What stands before "key" in the name of one that is no secret.
const PUBLIC_KEYS: &[&str] = &[
    "primary",
    "foreign",
    "sort",
    "partition",
    "cache",
    "public",
    "group",
    "row",
    "hash",
    "dict",
    "map",
    "hot",
    "session",
    "lookup",
    "unique",
    "json",
    "config",
    "pattern",
    "approval",
    "registry",
    "object",
];

/// Names that hold such a part and are none.
const HARMLESS_LAST: &[&str] = &[
    "file",
    "path",
    "dir",
    "url",
    "uri",
    "name",
    "id",
    "type",
    "count",
    "limit",
    "length",
    "len",
    "size",
    "ttl",
    "expiry",
    "timeout",
    "policy",
    "store",
    "manager",
    "env",
    "parallelism",
    "jar",
];

/// The longest name that is looked at.
pub(super) const LONGEST: usize = 100;

/// Whether a name is that of a secret.
pub(super) fn is_secret(name: &str) -> bool {
    if name.len() > LONGEST {
        return false;
    }
    let parts = parts(name);
    let Some(last) = parts.last() else {
        return false;
    };
    if parts.len() > 1 && HARMLESS_LAST.contains(&last.as_str()) {
        return false;
    }
    if last == "key" {
        let before = parts.len().checked_sub(2).and_then(|at| parts.get(at));
        return before.is_some_and(|before| !PUBLIC_KEYS.contains(&before.as_str()));
    }
    parts.iter().any(|part| PARTS.contains(&part.as_str()))
        || ENDS.iter().any(|end| last.ends_with(end))
        // A key with something behind it, such as API_KEY_2.
        || parts
            .windows(2)
            .any(|pair| matches!(pair, [before, key] if key == "key" && matches!(before.as_str(), "api" | "secret" | "access" | "private")))
}

/// The parts of a name, lower-case: divided by `_`, `-`, `.`, and before a capital after a small
/// letter.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut after_small = false;
    for c in name.chars() {
        let divides = matches!(c, '_' | '-' | '.');
        if divides || (after_small && c.is_ascii_uppercase()) {
            parts.push(String::new());
        }
        after_small = c.is_ascii_lowercase() || c.is_ascii_digit();
        if !divides && let Some(part) = parts.last_mut() {
            part.push(c.to_ascii_lowercase());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_told_from_others() {
        for name in [
            "TOKEN",
            "GITHUB_TOKEN",
            "githubToken",
            "GITHUBTOKEN",
            "PGPASSWORD",
            "MYSQL_PWD",
            "api_key",
            "apiKey",
            "APIKEY",
            "X-Api-Key",
            "aws_secret_access_key",
            "STRIPE_KEY",
            "client.secret",
            "DB_PASS",
            "password",
            "API_KEY_2",
            "session-cookie",
            "--password",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in [
            "",
            "KEY",
            "key",
            "MONKEY",
            "KEYBOARD",
            "AUTHOR",
            "PATH",
            "max_tokens",
            "TOKENIZERS_PARALLELISM",
            "primary_key",
            "public-key",
            "PASSENGER",
            "compass",
            "TOKEN_FILE",
            "SECRET_NAME",
            "bypass",
            "token_count",
        ] {
            assert!(!is_secret(name), "{name}");
        }
    }
}
