//! The command line of AWS: `aws SERVICE OPERATION`.

use super::super::subcommands::Call;
use crate::look::Look;
use crate::rule::{Help, Key, Rule, Severity, Test};

/// Service and operation, unless it is a rehearsal or only prints a form.
fn operation<'a>(look: &Look<'a>, call: &Call<'a>) -> Option<(&'a str, &'a str)> {
    if call.is_rehearsal() || call.has('\0', "generate-cli-skeleton") || look.has_word("help") {
        return None;
    }
    Some((call.operand(0)?, call.operand(1)?))
}

/// How operations begin that take something away.
#[rustfmt::skip]
const TAKES: &[&str] = &[
    "abort-", "admin-delete-", "admin-disable-", "batch-delete-", "bulk-delete-", "cancel-", "delete-", "deprovision-", "destroy-",
    "purge-", "reject-", "remove-", "schedule-key-deletion", "terminate-",
];

/// Operations that begin so and take nothing away that matters.
const HARMLESS: &[&str] = &[
    "remove-tags",
    "delete-message",
    "delete-tags",
    "cancel-query",
    "delete-message-batch",
];

pub(super) const DELETE: Rule = Rule {
    id: "clouds.aws-delete",
    class: "cloud",
    severity: Severity::High,
    keys: &[Key::ours("aws delete or terminate")],
    reason: "This deletes something in the AWS account.",
    alternative: Some("Look at it first: `aws ec2 describe-instances`."),
    help: Help::Anywhere,
    test: Test::Program(&["aws"], |look| {
        let call = Call::of(look);
        let (service, operation) = operation(look, call)?;
        let found = TAKES.iter().any(|start| operation.starts_with(start))
            && !HARMLESS.contains(&operation)
            || service == "organizations"
                && matches!(operation, "leave-organization" | "close-account")
            || service == "route53" && operation == "change-resource-record-sets"
            || service == "ecr" && operation == "batch-delete-image"
            || service == "account" && operation == "close-account";
        (found && service != "s3" && service != "iam").then(|| look.hit())
    }),
    matches: &[
        "aws dynamodb delete-table --table-name t",
        "aws ec2 terminate-instances --instance-ids i-1",
        "aws --profile prod rds delete-db-instance --db-instance-identifier x",
        "aws cloudformation delete-stack --stack-name s",
        "aws kms schedule-key-deletion --key-id k",
        "aws route53 change-resource-record-sets --hosted-zone-id Z --change-batch file://d.json",
        "aws ecr batch-delete-image --repository-name r --image-ids imageTag=x",
        "aws sqs purge-queue --queue-url u",
    ],
    near_misses: &[
        "aws ec2 terminate-instances --dry-run --instance-ids i-1",
        "aws s3api get-object --bucket delete-me --key x y",
    ],
    safe: &[
        "aws ec2 describe-instances",
        "aws sts get-caller-identity",
        "aws dynamodb delete-table help",
        "aws logs tail /aws/lambda/x --follow",
        "aws cloudformation describe-stacks --stack-name delete-stack",
        "aws ec2 delete-vpc --generate-cli-skeleton",
    ],
    ..Rule::ASK
};

pub(super) const OBJECTS: Rule = Rule {
    id: "clouds.aws-s3-delete",
    class: "cloud",
    severity: Severity::High,
    keys: &[Key::ours("aws s3 delete")],
    reason: "This deletes objects or a bucket.",
    alternative: Some("Rehearse it: `aws s3 rm s3://b/x --recursive --dryrun`."),
    help: Help::Anywhere,
    test: Test::Program(&["aws", "s5cmd"], |look| {
        let call = Call::of(look);
        if look.name == "s5cmd" {
            let found = call.verbs("rm|rb|mv") || call.verbs("sync") && call.has('\0', "delete");
            return (found && !call.is_rehearsal()).then(|| look.hit());
        }
        let (service, operation) = operation(look, call)?;
        let found = service == "s3"
            && match operation {
                "rm" | "rb" => true,
                "sync" => call.has('\0', "delete"),
                "mv" => {
                    call.has('\0', "recursive")
                        && call.operand(2).is_some_and(|s| s.starts_with("s3://"))
                }
                _ => false,
            };
        found.then(|| look.hit())
    }),
    matches: &[
        "aws s3 rm s3://b --recursive",
        "aws s3 rm s3://b/key",
        "aws s3 rb s3://b --force",
        "aws s3 sync . s3://b --delete",
        "aws --profile p s3 rm s3://b/x",
    ],
    near_misses: &[
        "aws s3 sync . s3://b",
        "aws s3 rm s3://b --recursive --dryrun",
    ],
    safe: &[
        "aws s3 ls",
        "aws s3 cp a.txt s3://b/",
        "aws s3 sync . s3://b --dryrun --delete",
        "aws s3 mb s3://b",
    ],
    ..Rule::ASK
};

/// Operations that let somebody in.
#[rustfmt::skip]
const GRANTS: &[&str] = &[
    "add-permission", "add-role-to-instance-profile", "add-user-to-group", "assume-role",
    "attach-group-policy", "attach-role-policy", "attach-user-policy", "authorize-security-group-egress",
    "authorize-security-group-ingress", "create-access-key", "create-grant", "create-login-profile",
    "create-policy-version", "create-role", "create-user", "modify-image-attribute",
    "modify-snapshot-attribute", "put-bucket-acl", "put-bucket-policy", "put-group-policy",
    "put-object-acl", "put-public-access-block", "put-resource-policy", "put-role-policy",
    "put-user-policy", "revoke-security-group-egress", "revoke-security-group-ingress", "set-default-policy-version", "update-access-key", "update-assume-role-policy",
    "update-login-profile",
];

pub(super) const ACCESS: Rule = Rule {
    id: "clouds.aws-access",
    class: "cloud",
    severity: Severity::High,
    keys: &[Key::ours("aws change of access rights")],
    reason: "This changes who gets into the AWS account or what is public in it.",
    alternative: Some("See what is allowed now: `aws iam list-users`."),
    help: Help::Anywhere,
    test: Test::Program(&["aws"], |look| {
        let call = Call::of(look);
        let (service, operation) = operation(look, call)?;
        let found = match (service, operation) {
            ("sts", _) => false,
            ("iam", op) => {
                GRANTS.contains(&op)
                    || [
                        "delete-",
                        "detach-",
                        "deactivate-",
                        "remove-",
                        "update-",
                        "upload-",
                    ]
                    .iter()
                    .any(|start| op.starts_with(start))
            }
            ("s3", _) => {
                call.values('\0', "acl")
                    .any(|acl| acl.starts_with("public-"))
                    || look
                        .words()
                        .iter()
                        .any(|w| w.known().is_some_and(|t| t.starts_with("public-read")))
                        && call.has('\0', "acl")
            }
            (_, op) => GRANTS.contains(&op),
        };
        found.then(|| look.hit())
    }),
    matches: &[
        "aws iam delete-user --user-name u",
        "aws iam create-access-key --user-name u",
        "aws iam attach-user-policy --user-name u --policy-arn arn:aws:iam::aws:policy/AdministratorAccess",
        "aws s3api put-bucket-acl --bucket b --acl public-read",
        "aws ec2 authorize-security-group-ingress --group-id g --protocol tcp --port 22 --cidr 0.0.0.0/0",
        "aws s3 cp x s3://b/ --acl public-read",
        "aws lambda add-permission --function-name f --principal '*'",
    ],
    near_misses: &["aws iam get-user", "aws s3 cp x s3://b/ --acl private"],
    safe: &[
        "aws iam list-users",
        "aws iam get-role --role-name r",
        "aws ec2 describe-security-groups",
        "aws iam simulate-principal-policy --policy-source-arn a",
    ],
    ..Rule::ASK
};

/// Operations that make something stand still or unwatched.
#[rustfmt::skip]
const STOPS: &[&str] = &[
    "deregister-image", "deregister-task-definition", "deregister-targets", "detach-volume",
    "disable-key", "disable-rule", "disassociate-address", "failover-db-cluster", "reboot-cache-cluster",
    "reboot-db-instance", "reboot-instances", "release-address", "reset-instance-attribute",
    "restore-table-to-point-in-time", "send-command", "stop-db-cluster", "stop-db-instance", "stop-instances",
    "put-bucket-lifecycle", "put-bucket-lifecycle-configuration", "put-retention-policy", "reset-db-cluster-parameter-group",
    "reset-db-parameter-group", "stop-configuration-recorder", "stop-logging", "stop-task", "suspend-processes", "deactivate-mfa-device", "disable-alarm-actions",
];

pub(super) const SWITCH: Rule = Rule {
    id: "clouds.aws-stop",
    class: "cloud",
    keys: &[Key::ours("aws stop or disable")],
    reason: "This stops something in the AWS account, turns off what guards it, or runs a command on its hosts.",
    alternative: Some("Look at it first: `aws ec2 describe-instances`."),
    help: Help::Anywhere,
    test: Test::Program(&["aws"], |look| {
        let call = Call::of(look);
        let (_, operation) = operation(look, call)?;
        let zero = matches!(
            operation,
            "update-service" | "set-desired-capacity" | "update-auto-scaling-group"
        ) && look.words().windows(2).any(|pair| {
            let option = pair.first().and_then(|w| w.known()).unwrap_or("");
            let value = pair.get(1).and_then(|w| w.known());
            matches!(
                option,
                "--desired-count" | "--desired-capacity" | "--max-size"
            ) && value == Some("0")
        });
        let zero = zero
            || operation == "put-function-concurrency"
                && call.is('\0', "reserved-concurrent-executions", &["0"])
            || operation == "put-function-concurrency" && look.has_word("0")
            || operation == "put-bucket-versioning"
                && look.words().iter().any(|w| w.text().contains("Suspended"))
            || operation == "update-detector" && look.has_word("--no-enable");
        let open = [
            "--no-disable-api-termination",
            "--no-deletion-protection",
            "--skip-final-snapshot",
        ]
        .iter()
        .any(|option| look.has_word(option));
        (zero || open || STOPS.contains(&operation)).then(|| look.hit())
    }),
    matches: &[
        "aws ec2 stop-instances --instance-ids i-1",
        "aws cloudtrail stop-logging --name t",
        "aws ecs update-service --service s --desired-count 0",
        "aws ec2 reboot-instances --instance-ids i-1",
        "aws rds modify-db-instance --db-instance-identifier d --no-deletion-protection",
        "aws ssm send-command --document-name AWS-RunShellScript --parameters commands=id",
        "aws lambda put-function-concurrency --function-name f --reserved-concurrent-executions 0",
        "aws s3api put-bucket-versioning --bucket b --versioning-configuration Status=Suspended",
        "aws guardduty update-detector --detector-id d --no-enable",
    ],
    near_misses: &[
        "aws ecs update-service --service s --desired-count 2",
        "aws ec2 stop-instances --dry-run --instance-ids i",
    ],
    safe: &[
        "aws ec2 start-instances --instance-ids i-1",
        "aws ecs describe-services --services s",
    ],
    ..Rule::ASK
};
