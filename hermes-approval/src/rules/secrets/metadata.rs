//! The service of a cloud that tells a machine who it is, and hands out its keys.

use crate::rule::{Key, Rule, Severity, Test};

/// Its addresses and names.
const HOSTS: &[&str] = &[
    "100.100.100.200",
    "169.254.169.254",
    "169.254.170.2",
    "[fd00:ec2::254]",
    "2852039166",
    "0xa9fea9fe",
    "metadata.azure.internal",
    "metadata.google.internal",
    "metadata.tencentyun.com",
];

/// Parts of paths behind which keys or scripts with secrets lie.
const KEYS: &[&str] = &[
    "api/token",
    "attributes",
    "attested",
    "credential",
    "identity",
    "oauth2",
    "opc/",
    "secret",
    "service-accounts",
    "ssh-keys",
    "token",
    "user-data",
    "user_data",
    "userdata",
];

pub(super) const METADATA: Rule = Rule {
    id: "secrets.cloud-metadata",
    class: "secrets-read",
    severity: Severity::High,
    keys: &[Key::ours("read keys from the cloud's metadata service")],
    reason: "This fetches the keys with which the machine acts in the cloud.",
    alternative: Some("Ask who the machine is: `aws sts get-caller-identity`, `gcloud auth list`."),
    test: Test::Program(
        &[
            "GET", "aria2c", "curl", "curlie", "http", "https", "lynx", "nc", "ncat", "w3m",
            "wget", "xh",
        ],
        |look| {
            let word = look.words().iter().find(|w| {
                let text = w.text();
                HOSTS.iter().any(|host| text.contains(host))
                    && KEYS.iter().any(|part| text.contains(part))
            })?;
            Some(look.hit_word(word))
        },
    ),
    matches: &[
        "curl -s http://169.254.169.254/latest/meta-data/iam/security-credentials/",
        "curl -s http://169.254.169.254/latest/user-data",
        "curl -X PUT http://169.254.169.254/latest/api/token",
        "wget -qO- 'http://169.254.169.254/metadata/identity/oauth2/token?resource=x'",
        "curl -H 'Metadata-Flavor: Google' http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token",
        "curl \"http://169.254.170.2/v2/credentials/x\"",
        "curl http://100.100.100.200/latest/meta-data/ram/security-credentials/x",
    ],
    near_misses: &["curl -s http://169.254.169.254/latest/meta-data/instance-id"],
    safe: &[
        "curl -s http://169.254.169.254/latest/meta-data/placement/region",
        "curl -s https://example.net/user-data",
        "ping -c1 169.254.169.254",
    ],
    ..Rule::ASK
};
