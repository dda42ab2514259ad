//! Other tools that build and destroy from code.

use super::super::subcommands::Call;
use crate::rule::{Help, Key, Rule, Severity, Test};

/// Tools, and how each takes down what it has built.
#[rustfmt::skip]
const DESTROYS: &[(&str, &[&str])] = &[
    ("amplify", &["delete", "env remove"]),
    ("azd", &["down"]),
    ("cdk", &["destroy"]),
    ("cdktf", &["destroy"]),
    ("chalice", &["delete"]),
    ("copilot", &["app|env|svc|job delete"]),
    ("eb", &["terminate"]),
    ("kitchen", &["destroy"]),
    ("pulumi", &["destroy|down|dn|cancel", "stack rm", "state delete|unprotect|rename|repair", "stack import"]),
    ("sam", &["delete"]),
    ("serverless", &["remove", "rollback"]),
    ("sls", &["remove", "rollback"]),
    ("sst", &["remove"]),
    ("vagrant", &["destroy", "snapshot delete|restore", "box remove|prune"]),
    ("zappa", &["undeploy", "rollback"]),
];

pub(super) const DESTROY: Rule = Rule {
    id: "terraform.destroy-stack",
    class: "cloud",
    severity: Severity::High,
    keys: &[Key::ours("destroy a stack or a virtual machine")],
    reason: "This destroys what the tool has built, with the data in it.",
    alternative: Some("See what there is first: `pulumi preview`."),
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "amplify",
            "azd",
            "cdk",
            "cdktf",
            "chalice",
            "copilot",
            "eb",
            "kitchen",
            "pulumi",
            "sam",
            "serverless",
            "sls",
            "sst",
            "vagrant",
            "zappa",
        ],
        |look| {
            let call = Call::of(look);
            let (_, verbs) = DESTROYS.iter().find(|(tool, _)| *tool == look.name)?;
            let shows = call.has('\0', "preview-only") || call.is_rehearsal();
            (call.any(verbs) && !shows).then(|| look.hit())
        },
    ),
    matches: &[
        "pulumi destroy -y",
        "pulumi --stack prod destroy",
        "pulumi stack rm prod --force",
        "cdk destroy --force",
        "npx cdk destroy",
        "sam delete --no-prompts",
        "serverless remove --stage prod",
        "vagrant destroy -f",
        "eb terminate env",
    ],
    near_misses: &[
        "pulumi preview",
        "vagrant halt",
        "pulumi destroy --preview-only",
    ],
    safe: &[
        "pulumi preview",
        "cdk diff",
        "cdk synth",
        "sam build",
        "vagrant up",
        "serverless deploy",
    ],
    ..Rule::ASK
};

pub(super) const DEPLOY: Rule = Rule {
    id: "terraform.deploy-unseen",
    class: "cloud",
    keys: &[Key::ours("deploy a stack without asking")],
    reason: "The changes are made to real infrastructure without being shown first.",
    alternative: Some("Read the changes first: `pulumi preview`, `cdk diff`."),
    help: Help::Anywhere,
    test: Test::Program(&["pulumi", "cdk", "cdktf"], |look| {
        let call = Call::of(look);
        let found = match look.name {
            "pulumi" => {
                call.verbs("up|update|refresh|import")
                    && (call.has('y', "yes") || call.has('f', "skip-preview"))
            }
            "cdk" => {
                call.verbs("deploy")
                    && (call.is('\0', "require-approval", &["never"])
                        || look.has_word("never") && call.has('\0', "require-approval"))
            }
            _ => call.verbs("deploy|apply") && call.has('\0', "auto-approve"),
        };
        found.then(|| look.hit())
    }),
    matches: &[
        "pulumi up --yes",
        "pulumi update -y",
        "cdk deploy --require-approval=never",
        "cdk deploy --require-approval never",
        "cdktf deploy --auto-approve",
    ],
    near_misses: &["pulumi up", "cdk deploy"],
    safe: &["pulumi preview --diff", "cdk diff", "pulumi stack ls"],
    ..Rule::ASK
};

/// Modules of Ansible that run a text or take something away.
const MODULES: &[&str] = &[
    "command",
    "file",
    "raw",
    "reboot",
    "script",
    "service",
    "shell",
    "systemd",
    "user",
    "win_shell",
];

pub(super) const AD_HOC: Rule = Rule {
    id: "terraform.ansible-ad-hoc",
    class: "cloud",
    keys: &[Key::ours("ansible ad-hoc change on hosts")],
    reason: "This changes every host that the pattern names, at once.",
    alternative: Some(
        "Try it without changes: `ansible web -m file -a 'path=/x state=absent' --check`.",
    ),
    help: Help::Anywhere,
    test: Test::Program(&["ansible"], |look| {
        if look.has('C', "check") || look.has('\0', "list-hosts") {
            return None;
        }
        let value = |letter: &str, name: &str| {
            let words = look.words();
            words.iter().enumerate().find_map(|(i, w)| {
                let text = w.known_prefix();
                if text == letter || text == name {
                    return words.get(i + 1).map(|w| w.text());
                }
                text.strip_prefix(name)?.strip_prefix('=')
            })
        };
        let module = value("-m", "--module-name").unwrap_or("command");
        let module = module.rsplit('.').next().unwrap_or(module);
        if !MODULES.contains(&module) {
            return None;
        }
        let arguments = value("-a", "--args").unwrap_or("");
        let takes = match module {
            "reboot" => true,
            "file" | "user" => arguments.contains("state=absent"),
            "service" | "systemd" => ["stopped", "restarted", "masked=yes"]
                .iter()
                .any(|s| arguments.contains(s)),
            // What a text runs on the hosts is judged by itself.
            _ => false,
        };
        takes.then(|| look.hit())
    }),
    matches: &[
        "ansible all -m reboot -b",
        "ansible web -m file -a 'path=/srv state=absent'",
        "ansible all -b -m service -a 'name=nginx state=stopped'",
    ],
    near_misses: &["ansible web -m file -a 'path=/x state=absent' --check"],
    safe: &[
        "ansible all -m ping",
        "ansible web -a uptime",
        "ansible-playbook site.yml --check",
        "ansible all -m setup",
    ],
    ..Rule::ASK
};
