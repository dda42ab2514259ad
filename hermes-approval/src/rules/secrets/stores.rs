//! Tools that hand out secrets.

use super::super::secret_files::{is_secret_variable, looks_for_secret};
use super::super::subcommands::Call;
use crate::look::Look;
use crate::rule::{Help, Key, Rule, Severity, Test};

/// Tools, and the subcommands that print a secret.
#[rustfmt::skip]
const PRINTS: &[(&str, &[&str])] = &[
    ("akeyless", &["get-secret-value", "get-dynamic-secret-value"]),
    ("ansible-vault", &["view|decrypt"]),
    ("aws", &["configure export-credentials", "secretsmanager get-secret-value|batch-get-secret-value", "sts get-session-token|assume-role|get-federation-token|assume-role-with-web-identity", "iam create-access-key|create-service-specific-credential", "codeartifact get-authorization-token", "ec2 get-password-data", "rds generate-db-auth-token", "kms decrypt", "ecr get-login-password|get-authorization-token", "sso get-role-credentials", "cognito-identity get-credentials-for-identity", "redshift get-cluster-credentials", "lightsail get-relational-database-master-user-password", "eks get-token"]),
    ("az", &["account get-access-token", "keyvault secret show|download", "keyvault key download", "storage account keys list", "storage account show-connection-string", "ad sp credential list", "acr credential show", "cosmosdb keys list", "cosmosdb list-keys", "redis list-keys", "functionapp keys list", "iot hub connection-string show", "cognitiveservices account keys list", "search admin-key show", "webapp deployment list-publishing-profiles|list-publishing-credentials"]),
    ("berglas", &["access"]),
    ("bw", &["get password|item|notes|totp", "export", "list items"]),
    ("bws", &["secret get|list"]),
    ("cf", &["env", "oauth-token", "service-key"]),
    ("chamber", &["read|export|env"]),
    ("conjur", &["variable get|value"]),
    ("dcli", &["password|note|secret|otp", "read"]),
    ("doctl", &["auth token", "databases connection", "kubernetes cluster kubeconfig show"]),
    ("doppler", &["secrets", "secrets get|download", "configs tokens"]),
    ("eb", &["printenv"]),
    ("gcloud", &["auth print-access-token|print-identity-token|print-refresh-token", "auth application-default print-access-token", "secrets versions access", "iam service-accounts keys create", "sql generate-login-token"]),
    ("gh", &["auth token"]),
    ("glab", &["auth token"]),
    ("git", &["credential fill", "credential-store get"]),
    ("gopass", &["show|cat|otp|grep"]),
    ("heroku", &["config|config:get|auth:token|pg:credentials|pg:credentials:url"]),
    ("infisical", &["secrets", "export"]),
    ("kamal", &["secrets print|fetch"]),
    ("keepassxc-cli", &["show|export|attachment-export"]),
    ("keyring", &["get"]),
    ("knife", &["vault show"]),
    ("kubectl", &["config view --raw"]),
    ("lpass", &["show|export"]),
    ("netlify", &["env:get|env:list"]),
    ("nomad", &["var get"]),
    ("npm", &["token create"]),
    ("oci", &["secrets secret-bundle get"]),
    ("op", &["read", "item get", "document get", "inject"]),
    ("pass", &["show", "otp", "grep"]),
    ("rails", &["credentials:show"]),
    ("railway", &["variables"]),
    ("rbw", &["get|code"]),
    ("secret-tool", &["lookup|search"]),
    ("security", &["find-generic-password|find-internet-password|dump-keychain|export|dump-trust-settings"]),
    ("sops", &["-d", "decrypt", "exec-env|exec-file"]),
    ("teller", &["show|env|export"]),
    ("vault", &["kv get", "read", "token create|lookup", "print token", "unwrap"]),
    ("bao", &["kv get", "read", "token create|lookup", "unwrap"]),
    ("wg", &["showconf"]),
    ("wpa_passphrase", &[]),
];

/// Programs that print secrets, if they are told to.
#[rustfmt::skip]
const STORES: &[&str] = &[
    "akeyless", "ansible-vault", "aws", "az", "bao", "berglas", "bw", "bws", "cf", "chamber",
    "cmdkey", "conjur", "dbus-send", "dcli", "docker", "docker-credential-desktop",
    "docker-credential-osxkeychain", "docker-credential-pass", "docker-credential-secretservice",
    "docker-credential-wincred", "doctl", "doppler", "eb", "gcloud", "getent", "gh", "git",
    "git-credential-libsecret", "git-credential-manager", "git-credential-osxkeychain",
    "git-credential-store", "glab", "gopass", "gpg", "gpg2", "hashdump", "heroku", "infisical",
    "kamal", "keepassxc-cli", "keyring", "knife", "kubectl", "kwallet-query", "laZagne", "lazagne",
    "linpeas.sh", "lpass", "mimikatz", "nerdctl", "netlify", "nmcli", "nomad", "npm", "oc", "oci",
    "op", "pass", "podman", "pulumi", "rails", "railway", "rbw", "secret-tool", "secretsdump.py",
    "security", "sops", "teller", "terraform", "terragrunt", "tofu", "trufflehog3", "vault", "wg",
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
    test: Test::Program(STORES, |look| {
        // Handed to the next command, it isn't shown.
        let handed = look.is_taken()
            || look.downstream().any(|i| {
                let mut words = i.arguments().iter().filter_map(|w| w.known());
                words.any(|t| t.ends_with("-stdin") || t == "login")
            });
        (!handed && prints_secret(look)).then(|| look.hit())
    }),
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
        "docker inspect -f '{{.Config.Env}}' db",
        "podman inspect --format '{{json .Config.Env}}' db",
        "terraform output -raw db_password",
        "tofu output admin_token",
        "pulumi stack output --show-secrets",
        "pulumi config get dbPassword",
        "nmcli -s connection show home",
        "nmcli device wifi show-password",
        "gh auth status --show-token",
        "oc whoami -t",
        "echo registry.example.net | docker-credential-desktop get",
        "gopass show work/x",
        "keepassxc-cli show -s p.kdbx mail",
        "az storage account show-connection-string -n x",
        "aws ecr get-login-password",
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
        "docker inspect -f '{{.State.Status}}' db",
        "terraform output -raw vpc_id",
        "terraform output",
        "pulumi stack output",
        "nmcli connection show",
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
                || call.verbs("whoami") && call.has('t', "show-token")
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
                || in_table(look.name, call)
        }
        "docker" | "podman" | "nerdctl" => {
            call.any(&["inspect", "container|image inspect"])
                && look
                    .words()
                    .iter()
                    .any(|w| w.text().contains("{{") && w.text().contains(".Env"))
        }
        "terraform" | "tofu" | "terragrunt" => {
            call.verbs("output") && call.operand(1).is_some_and(looks_for_secret)
        }
        "pulumi" => {
            has("--show-secrets")
                || call.verbs("config get") && call.operand(2).is_some_and(looks_for_secret)
        }
        "nmcli" => {
            call.has('s', "show-secrets") && call.operands.iter().any(|w| w.text() == "show")
                || has("show-password")
        }
        "gh" => {
            in_table(look.name, call) || call.verbs("auth status") && call.has('t', "show-token")
        }
        "kwallet-query" => has("-r") || has("--read-password"),
        "getent" => matches!(look.operand(0), Some("shadow" | "gshadow")),
        "npm" => {
            in_table(look.name, call)
                || call.verbs("config get") && call.operand(2).is_some_and(|k| k.contains("_auth"))
        }
        "git" => look.sub().is_some_and(|s| {
            s.name == "credential" && s.words.first().and_then(|w| w.known()) == Some("fill")
                || s.name == "credential-store" && has("get")
        }),
        "pass" => {
            in_table(look.name, call)
                || call.operand(0).is_some_and(|o| o.contains('/')) && call.operands.len() == 1
        }
        "sops" => has("-d") || has("--decrypt") || in_table(look.name, call),
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
        "vault" | "bao" => in_table(look.name, call),
        "security" => {
            in_table(look.name, call)
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
        name if name.starts_with("docker-credential-") || name.starts_with("git-credential-") => {
            call.verbs("get")
        }
        name => in_table(name, call),
    }
}

fn in_table(tool: &str, call: &Call<'_>) -> bool {
    PRINTS
        .iter()
        .any(|(name, verbs)| *name == tool && call.any(verbs))
}
