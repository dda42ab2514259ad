//! Files that hold secrets, by their names.

use super::named_paths;
use crate::look::Look;
use crate::paths::Place;
use crate::word::glob::matches_path;
use crate::word::{PartKind, Word};

/// What of a home holds secrets, besides what is known as a credential; a slash at the end stands
/// for all below.
#[rustfmt::skip]
const HOME: &[&str] = &[
    ".ansible/vault_pass", ".arcrc", ".boto", ".config/containers/auth.json", ".config/doctl/config.yaml",
    ".config/google-chrome/", ".config/chromium/", ".config/heroku/", ".config/hub", ".config/op/",
    ".config/rclone/rclone.conf", ".config/stripe/config.toml", ".databrickscfg", ".fly/config.yml", ".gnupg",
    ".kaggle/kaggle.json", ".mozilla/", ".netlify/config.json", ".oci/", ".password-store", ".s3cfg",
    ".local/share/keyrings", ".config/gh/hosts.yml", ".terraform.d/credentials.tfrc.json", ".vercel/auth.json",
    ".wgetrc", ".mylogin.cnf", ".electrum/", ".bitcoin/", ".ethereum/", ".thunderbird/",
    "Library/Application Support/Google/Chrome/", "Library/Keychains", "AppData/Local/Google/Chrome/",
];

/// Files of the system that hold secrets.
#[rustfmt::skip]
const SYSTEM: &[&str] = &[
    "/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/master.passwd", "/etc/krb5.keytab",
    "/etc/kubernetes/admin.conf", "/etc/rancher/k3s/k3s.yaml", "/etc/sssd/sssd.conf", "/etc/openvpn/auth.txt",
    "/etc/ssl/private", "/run/secrets", "/var/run/secrets", "/etc/security/opasswd", "/proc/kcore", "/dev/mem",
    "/etc/wireguard", "/etc/NetworkManager/system-connections",
];

/// Names of files that hold secrets wherever they are.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "key4.db", "logins.json",
    "Login Data", "cookies.sqlite", "Cookies", "ntds.dit", "NTDS.dit", ".vault-token", ".vault_pass", ".pgpass",
    ".netrc", "_netrc", ".git-credentials", "wallet.dat", ".htpasswd",
];

/// What names of files with keys end in.
const ENDINGS: &[&str] = &[
    ".kdbx",
    ".keytab",
    ".p12",
    ".pfx",
    ".ppk",
    ".jks",
    ".keystore",
    "_rsa",
    ".key",
];

/// Files that lie among secrets and are none.
const PUBLIC: &[&str] = &[
    ".pub",
    "/known_hosts",
    "/.ssh/config",
    "/.aws/config",
    "/authorized_keys",
    ".pub.key",
    "pubring.kbx",
    "/known_hosts.old",
    "/gpg.conf",
    "/gpg-agent.conf",
    "public.key",
    "/.gcloudignore",
    "/configurations/config_default",
];

/// True if what the path names holds secrets.
pub(super) fn is_secret(look: &Look<'_>, path: &str) -> bool {
    let path = named_paths::absolute(look, path);
    let path = path.as_str();
    if PUBLIC.iter().any(|end| path.ends_with(end)) {
        return false;
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    // A pattern for public keys only.
    if name.ends_with("*.pub") {
        return false;
    }
    if NAMES.contains(&name)
        || ENDINGS
            .iter()
            .any(|e| name.len() > e.len() && name.ends_with(e))
    {
        return true;
    }
    match named_paths::place(look, path) {
        Some(Place::Credential | Place::Ssh | Place::ProjectEnv) => return true,
        Some(Place::HermesConfig) => {
            return name == ".env" || name == "auth.json";
        }
        Some(Place::Hook) => return false,
        _ => {}
    }
    let below = |folder: &str| {
        path == folder
            || path
                .strip_prefix(folder)
                .is_some_and(|r| r.starts_with('/'))
    };
    if SYSTEM.iter().any(|f| below(f)) || is_process_environment(path) || is_host_key(path) {
        return true;
    }
    let homes = [look.scope.env.user_home.as_str(), "/root"];
    let mut home = homes
        .iter()
        .filter_map(|h| path.strip_prefix(h)?.strip_prefix('/'));
    home.any(in_home) || other_home(path).is_some_and(in_home)
}

fn in_home(below: &str) -> bool {
    HOME.iter().any(|entry| {
        let folder = entry.trim_end_matches('/');
        below == folder
            || below
                .strip_prefix(folder)
                .is_some_and(|r| r.starts_with('/'))
    })
}

/// True for a folder of a home that secrets lie in, among other things: `~/.config`.
pub(super) fn holds_secrets(look: &Look<'_>, path: &str) -> bool {
    let path = named_paths::absolute(look, path);
    let home = look.scope.env.user_home.trim_end_matches('/');
    let own = path.strip_prefix(home).and_then(|r| r.strip_prefix('/'));
    let Some(folder) = own.or_else(|| other_home(&path)) else {
        return false;
    };
    let folder = folder.trim_end_matches(['/', '*']).trim_end_matches('/');
    !folder.is_empty()
        && HOME.iter().any(|entry| {
            entry
                .strip_prefix(folder)
                .is_some_and(|rest| rest.starts_with('/') && rest.len() > 1)
        })
}

fn other_home(path: &str) -> Option<&str> {
    let rest = path
        .strip_prefix("/home/")
        .or_else(|| path.strip_prefix("/Users/"))?;
    rest.split_once('/').map(|(_, below)| below)
}

/// `/proc/1/environ`, `/proc/self/environ`
fn is_process_environment(path: &str) -> bool {
    path.starts_with("/proc/") && (path.ends_with("/environ") || path.ends_with("/mem"))
}

/// `/etc/ssh/ssh_host_rsa_key`
fn is_host_key(path: &str) -> bool {
    path.starts_with("/etc/ssh/ssh_host_") && path.ends_with("_key")
}

/// True if one of the values of a word names a secret.
pub(super) fn names_secret(look: &Look<'_>, word: &Word) -> bool {
    if word.known().is_some_and(|t| t.starts_with('-')) {
        return false;
    }
    word.candidates().any(|value| is_secret(look, value))
        || word.known().is_none() && word.alternatives().is_empty() && ends_in_secret(look, word)
        || word.has_glob() && fits_secret(look, word)
}

/// Secrets of a home that a pattern may be meant for.
const MEANT: &[&str] = &[
    ".aws/credentials",
    ".bash_history",
    ".git-credentials",
    ".kube/config",
    ".netrc",
    ".pgpass",
    ".ssh/id_ed25519",
    ".ssh/id_rsa",
];

/// `~/.s?h/id_*`
fn fits_secret(look: &Look<'_>, word: &Word) -> bool {
    let path = named_paths::absolute(look, word.text());
    let home = look.scope.env.user_home.trim_end_matches('/');
    path.strip_prefix(home)
        .and_then(|rest| rest.strip_prefix('/'))
        .is_some_and(|below| {
            // `~/.*` and its like are everything.
            let names = below.bytes().any(|b| b.is_ascii_alphanumeric());
            names && MEANT.iter().any(|file| matches_path(below, file))
        })
}

/// `/proc/$PPID/environ`, `"$APP/.env"`: a secret whatever the folder is.
fn ends_in_secret(look: &Look<'_>, word: &Word) -> bool {
    let last = word.parts().last();
    let Some(end) = last.filter(|p| matches!(p.kind, PartKind::Literal)) else {
        return false;
    };
    let end = word.part_text(end);
    if word.starts_with_known("/proc/") {
        return is_process_environment(word.text());
    }
    end.starts_with('/') && is_secret(look, end)
}

/// Parts of names of variables that hold a secret.
const SECRET_PARTS: &[&str] = &[
    "ACCESS_KEY",
    "APIKEY",
    "API_KEY",
    "CREDENTIAL",
    "PASSPHRASE",
    "PASSWD",
    "PASSWORD",
    "PRIVATE_KEY",
    "SECRET",
    "TOKEN",
];

/// True for a variable that holds a secret, by its name.
pub(super) fn is_secret_variable(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    SECRET_PARTS.iter().any(|part| name.contains(part))
        && !name.ends_with("_ID")
        && !name.ends_with("_FILE")
        && !name.ends_with("_PATH")
        && !name.ends_with("_URL")
        && !name.starts_with("MAX_")
}

/// True for a pattern that looks for secrets.
pub(super) fn looks_for_secret(pattern: &str) -> bool {
    const WORDS: &[&str] = &[
        "apikey",
        "api_key",
        "api-key",
        "api.key",
        "auth",
        "cred",
        "passw",
        "passphrase",
        "pwd",
        "private_key",
        "private.key",
        "secret",
        "token",
        "_key",
        "akia",
        "bearer",
    ];
    let pattern = pattern.to_ascii_lowercase();
    let bare = pattern.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    if matches!(bare, "key" | "keys" | "pass") {
        return true;
    }
    WORDS.iter().any(|word| pattern.contains(word))
        && !pattern.contains("author")
        && !pattern.contains("tokeniz")
}
