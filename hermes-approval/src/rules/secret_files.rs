//! Files that hold secrets, by their names.

use super::named_paths;
use crate::look::Look;
use crate::paths::Place;
use crate::word::Word;

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
