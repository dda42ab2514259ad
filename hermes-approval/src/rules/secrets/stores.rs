//! Tools that hand out secrets.

use super::super::secret_files::{is_secret_variable, looks_for_secret};
use super::super::subcommands::Call;
use crate::look::Look;
use crate::rule::{Help, Key, Rule, Severity, Test};

/// Tools, and the subcommands that print a secret.
#[rustfmt::skip]
const PRINTS: &[(&str, &[&str])] = &[
    ("ansible-vault", &["view|decrypt"]),
    ("aws", &["configure export-credentials", "secretsmanager get-secret-value|batch-get-secret-value", "sts get-session-token|assume-role|get-federation-token", "iam create-access-key", "codeartifact get-authorization-token", "ec2 get-password-data", "rds generate-db-auth-token", "kms decrypt"]),
    ("az", &["account get-access-token", "keyvault secret show|download", "keyvault key download", "storage account keys list", "ad sp credential list", "acr credential show", "cosmosdb keys list", "redis list-keys"]),
    ("bw", &["get password|item|notes|totp", "export", "list items"]),
    ("chamber", &["read|export|env"]),
    ("doppler", &["secrets", "secrets get|download", "configs tokens"]),
    ("gcloud", &["auth print-access-token|print-identity-token|print-refresh-token", "auth application-default print-access-token", "secrets versions access"]),
    ("gh", &["auth token"]),
    ("glab", &["auth token"]),
    ("git", &["credential fill", "credential-store get"]),
    ("heroku", &["config|config:get|auth:token|pg:credentials|pg:credentials:url"]),
    ("infisical", &["secrets", "export"]),
    ("keyring", &["get"]),
    ("kubectl", &["config view --raw"]),
    ("lpass", &["show|export"]),
    ("npm", &["token create"]),
    ("op", &["read", "item get", "document get", "inject"]),
    ("pass", &["show", "otp", "grep"]),
    ("secret-tool", &["lookup|search"]),
    ("security", &["find-generic-password|find-internet-password|dump-keychain|export|dump-trust-settings"]),
    ("sops", &["-d", "decrypt", "exec-env|exec-file"]),
    ("vault", &["kv get", "read", "token create|lookup", "print token"]),
    ("bao", &["kv get", "read", "token create|lookup"]),
    ("wpa_passphrase", &[]),
];

pub(super) const PRINT: Rule = Rule {
    id: "secrets.print-from-store",
    class: "secrets-read",
    severity: Severity::High,
    keys: &[Key::ours("print secrets from a store")],
    reason: "This prints a secret in the open.",
    alternative: Some(
        "See which there are, not what they are: `kubectl get secrets`, `gh auth status`.",
    ),
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "ansible-vault",
            "aws",
            "az",
            "bao",
            "bw",
            "chamber",
            "doppler",
            "gcloud",
            "getent",
            "gh",
            "git",
            "glab",
            "gpg",
            "gpg2",
            "heroku",
            "infisical",
            "keyring",
            "kubectl",
            "lpass",
            "npm",
            "oc",
            "op",
            "pass",
            "secret-tool",
            "security",
            "sops",
            "vault",
            "mimikatz",
            "secretsdump.py",
            "lazagne",
            "laZagne",
            "linpeas.sh",
            "trufflehog3",
            "hashdump",
            "cmdkey",
            "dbus-send",
        ],
        |look| {
            // Handed to the next command, it isn't shown.
            let handed = look.is_taken()
                || look.downstream().any(|i| {
                    let mut words = i.arguments().iter().filter_map(|w| w.known());
                    words.any(|t| t.ends_with("-stdin") || t == "login")
                });
            (!handed && prints_secret(look)).then(|| look.hit())
        },
    ),
    matches: &[
        "gpg --export-secret-keys -a",
        "aws configure export-credentials",
        "kubectl get secret db -o yaml",
        "kubectl -n p get secrets -o jsonpath='{.data}'",
        "aws secretsmanager get-secret-value --secret-id x",
        "aws ssm get-parameter --name /x --with-decryption",
        "gcloud secrets versions access latest --secret x",
        "az keyvault secret show --vault-name v -n s",
        "vault kv get secret/x",
        "op read op://v/i/password",
        "pass show work/x",
        "security find-generic-password -wa x",
        "gh auth token",
        "heroku config -a x",
        "heroku config:get API_TOKEN -a x",
        "heroku config:get DATABASE_URL",
        "sops -d secrets.yaml",
        "getent shadow",
        "printf 'host=github.com\\n' | git credential fill",
        "kubectl config view --raw",
    ],
    near_misses: &[
        "kubectl get secrets",
        "kubectl describe secret db",
        "gpg --export -a",
        "curl -H \"Authorization: Bearer $(gh auth token)\" https://api.github.com/user",
        "security find-certificate -a",
    ],
    safe: &[
        "kubectl get secrets",
        "kubectl get pods -o yaml",
        "gh auth status",
        "vault status",
        "gpg --list-secret-keys",
        "aws ecr get-login-password | docker login --username AWS --password-stdin x",
        "aws ssm get-parameter --name /x",
        "pass ls",
        "op item list",
        "heroku config:set A=b",
        "heroku config:get LOG_LEVEL -a x",
        "getent passwd",
    ],
    ..Rule::ASK
};

/// True if the invocation prints a secret.
pub(in super::super) fn prints_secret(look: &Look<'_>) -> bool {
    let call = Call::of(look);
    let has = |text: &str| look.words().iter().any(|w| w.known_prefix() == text);
    match look.name {
        "gpg" | "gpg2" => look
            .words()
            .iter()
            .any(|w| w.known_prefix().starts_with("--export-secret-")),
        "kubectl" | "oc" => {
            let kind = call.operand(1).unwrap_or("");
            let secret = kind
                .split(',')
                .any(|k| matches!(k.split('/').next(), Some("secret" | "secrets")));
            let shown = call
                .values('o', "output")
                .any(|o| !matches!(o, "name" | "wide" | "custom-columns"));
            call.verbs("get") && secret && (shown || call.has('\0', "template"))
                || call.verbs("extract") && call.operand(1).is_some_and(|k| k.starts_with("secret"))
                || call.verbs("config view") && call.has('\0', "raw")
                || call.verbs("create token")
        }
        "aws" => {
            call.any(&["ssm get-parameter|get-parameters|get-parameters-by-path"])
                && call.has('\0', "with-decryption")
                || call.verbs("configure get")
                    && call.operands.iter().any(|w| {
                        w.known().is_some_and(|t| {
                            t.ends_with("secret_access_key") || t.ends_with("session_token")
                        })
                    })
                || in_table(look.name, &call)
        }
        "getent" => matches!(look.operand(0), Some("shadow" | "gshadow")),
        "npm" => {
            in_table(look.name, &call)
                || call.verbs("config get") && call.operand(2).is_some_and(|k| k.contains("_auth"))
        }
        "git" => look.sub().is_some_and(|s| {
            s.name == "credential" && s.words.first().and_then(|w| w.known()) == Some("fill")
                || s.name == "credential-store" && has("get")
        }),
        "pass" => {
            in_table(look.name, &call)
                || call.operand(0).is_some_and(|o| o.contains('/')) && call.operands.len() == 1
        }
        "sops" => has("-d") || has("--decrypt") || in_table(look.name, &call),
        "heroku" => match call.operand(0) {
            Some("config" | "auth:token") => true,
            // One setting by its name, which tells whether it is a secret. Those of services hold a
            // password in their address.
            Some("config:get") => call.operands.get(1..).unwrap_or(&[]).iter().any(|w| {
                w.known().is_none_or(|name| {
                    looks_for_secret(&name.to_ascii_lowercase())
                        || is_secret_variable(name)
                        || ["_URL", "_URI", "_DSN"]
                            .iter()
                            .any(|end| name.ends_with(end))
                })
            }),
            other => other.is_some_and(|o| o.starts_with("pg:credentials")),
        },
        "vault" | "bao" => in_table(look.name, &call),
        "security" => {
            in_table(look.name, &call)
                && (call.verbs("dump-keychain|export")
                    || look.words().iter().any(|w| {
                        w.known_prefix().starts_with('-') && w.text().contains(['w', 'g'])
                    }))
        }
        "dbus-send" => look
            .words()
            .iter()
            .any(|w| w.text().contains("org.freedesktop.secrets") || w.text().contains("Secret.")),
        "cmdkey" => false,
        "mimikatz" | "secretsdump.py" | "lazagne" | "laZagne" | "linpeas.sh" | "hashdump" => true,
        name => in_table(name, &call),
    }
}

fn in_table(tool: &str, call: &Call<'_>) -> bool {
    PRINTS
        .iter()
        .any(|(name, verbs)| *name == tool && call.any(verbs))
}
