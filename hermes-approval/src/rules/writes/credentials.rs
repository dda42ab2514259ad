//! Tools that store or delete credentials, and what makes a file run by itself.

use super::super::subcommands::Call;
use crate::look::Look;
use crate::rule::{Help, Key, Rule, Severity, Test};

/// Tools, and the subcommands that store, change or delete a credential.
#[rustfmt::skip]
const CHANGES: &[(&str, &[&str])] = &[
    ("bw", &["create|edit|restore"]),
    ("dotnet", &["user-secrets set|remove|clear"]),
    ("gh", &["ssh-key add", "gpg-key add"]),
    ("git", &["credential approve|reject|store|erase", "credential-store store|erase"]),
    ("glab", &["ssh-key add"]),
    ("gopass", &["insert|create|generate|edit|move|mv|rm|remove|delete"]),
    ("keepassxc-cli", &["add|edit|rm|mv"]),
    ("keyring", &["set|del"]),
    ("kubectl", &["config set-credentials|delete-user"]),
    ("nuget", &["setapikey"]),
    ("op", &["item create|edit", "document create|edit"]),
    ("pass", &["insert|generate|edit|init|mv"]),
    ("rbw", &["add|edit|generate|rm"]),
    ("secret-tool", &["store|clear"]),
    ("security", &[
        "add-generic-password|add-internet-password|add-certificates|add-trusted-cert|import",
        "delete-generic-password|delete-internet-password|delete-certificate|delete-identity|delete-keychain",
        "set-key-partition-list|set-generic-password-partition-list|set-keychain-password|remove-trusted-cert",
    ]),
    ("vault", &["kv put|patch", "write"]),
    ("bao", &["kv put|patch", "write"]),
];

/// Tools whose settings may be credentials, with the words in front of the setting's name.
const SETTINGS: &[(&str, &str)] = &[
    ("aws", "configure set"),
    ("bundle", "config set"),
    ("composer", "config"),
    ("gcloud", "config set"),
    ("npm", "config set"),
    ("npm", "set"),
    ("pnpm", "config set"),
    ("poetry", "config"),
    ("yarn", "config set"),
];

/// Parts of names of settings that hold a credential.
const SECRETS: &[&str] = &[
    "_auth",
    "_password",
    "access_key",
    "access_token",
    "authtoken",
    "github-oauth",
    "gitlab-token",
    "http-basic",
    "pypi-token",
    "secret",
    "session_token",
];

pub(super) const TOOL: Rule = Rule {
    id: "write.credential-tool",
    class: "secrets-write",
    severity: Severity::High,
    keys: &[Key::ours("store or delete a credential")],
    reason: "This stores, replaces or deletes a password, a key or a token of an account.",
    alternative: Some("Leave credentials to the person; see who is logged in: `gh auth status`."),
    help: Help::Anywhere,
    test: Test::Program(TOOLS, |look| changes(look).then(|| look.hit())),
    matches: &[
        "aws configure set aws_secret_access_key x",
        "aws configure set aws_session_token x --profile work",
        "npm config set //registry.npmjs.org/:_authToken x",
        "npm set //registry.npmjs.org/:_authToken=x",
        "yarn config set npmAuthToken x",
        "poetry config pypi-token.pypi x",
        "composer config -g github-oauth.github.com x",
        "security add-generic-password -a a -s s -w p -U",
        "security delete-generic-password -s s",
        "secret-tool store --label=x service y",
        "keyring set system sam",
        "pass insert work/x",
        "printf 'host=x\\n' | git credential approve",
        "kubectl config set-credentials eve --token=x",
        "gh ssh-key add k.pub",
        "vault kv put secret/x a=b",
        "gpg --delete-secret-keys AB12",
        "dotnet user-secrets set Key x",
    ],
    near_misses: &[
        "aws configure list",
        "npm config set fund false",
        "security find-certificate -a",
        "gpg --list-secret-keys",
        "composer config --list",
    ],
    safe: &[
        "aws configure set region eu-west-1",
        "npm config set save-exact true",
        "poetry config virtualenvs.in-project true",
        "gcloud config set project dev-123",
        "echo \"$GITHUB_TOKEN\" | gh auth login --with-token",
        "kubectl config set-context --current --namespace=dev",
        "pass ls",
    ],
    ..Rule::ASK
};

#[rustfmt::skip]
const TOOLS: &[&str] = &[
    "aws", "bao", "bundle", "bw", "composer", "dotnet", "gcloud", "gh", "git", "glab", "gopass", "gpg", "gpg2",
    "keepassxc-cli", "keyring", "kubectl", "npm", "nuget", "oc", "op", "pass", "pnpm", "poetry", "rbw",
    "secret-tool", "security", "vault", "yarn",
];

fn changes(look: &Look<'_>) -> bool {
    if matches!(look.name, "gpg" | "gpg2") {
        let mut options = look.words().iter().map(|w| w.known_prefix());
        return options.any(|o| o.starts_with("--delete-secret") || o == "--import-ownertrust");
    }
    let call = Call::of(look);
    let sets = SETTINGS
        .iter()
        .any(|(tool, verbs)| *tool == look.name && call.verbs(verbs));
    if sets {
        return call.operands.iter().any(|w| {
            let text = w.text().to_ascii_lowercase();
            let name = text.split_once('=').map_or(text.as_str(), |(name, _)| name);
            SECRETS.iter().any(|part| name.contains(part))
        });
    }
    let tool = if look.name == "oc" {
        "kubectl"
    } else {
        look.name
    };
    CHANGES
        .iter()
        .any(|(name, verbs)| *name == tool && call.any(verbs))
}

pub(super) const AGENT: Rule = Rule {
    id: "write.launch-agent",
    class: "secrets-write",
    severity: Severity::High,
    keys: &[Key::ours("make a program run by itself")],
    reason: "From now on this program runs by itself, whenever somebody logs in.",
    alternative: Some("Show what is there first: `launchctl list`."),
    test: Test::Program(&["launchctl", "loginctl", "sfltool"], |look| {
        let verb = look.operand(0).unwrap_or("");
        let starts = match look.name {
            "launchctl" => matches!(verb, "bootstrap" | "enable" | "load" | "submit"),
            "loginctl" => verb == "enable-linger",
            _ => verb.starts_with("add-item"),
        };
        starts.then(|| look.hit())
    }),
    matches: &[
        "launchctl load ~/Library/LaunchAgents/x.plist",
        "launchctl bootstrap gui/501 x.plist",
        "launchctl submit -l x -- /tmp/x",
        "loginctl enable-linger sam",
    ],
    near_misses: &["launchctl list", "launchctl print gui/501"],
    safe: &["launchctl list | grep com.acme", "loginctl list-sessions"],
    ..Rule::ASK
};
