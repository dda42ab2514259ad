//! Infrastructure as code: Terraform and its kin, Pulumi, CDK, Ansible, Vagrant.

mod stacks;

use super::subcommands::Call;
use crate::look::Look;
use crate::rule::{Help, Hit, Key, Pack, Rule, Severity, Test};

pub(super) static PACK: Pack = Pack {
    name: "terraform",
    about: "destroying infrastructure that code describes, applying unseen changes, editing state",
    rules: &[
        DESTROY,
        APPLY,
        STATE,
        stacks::DESTROY,
        stacks::DEPLOY,
        stacks::AD_HOC,
    ],
};

const TERRAFORM: &[&str] = &["terraform", "tofu", "terragrunt", "atmos"];

/// The operands without what only leads to the subcommand: `run-all`, `run --all --`, `atmos
/// terraform`.
fn verb<'a>(call: &Call<'a>) -> (Option<&'a str>, Option<&'a str>) {
    let mut words = call
        .operands
        .iter()
        .map(|w| w.known())
        .skip_while(|w| matches!(w, Some("run-all" | "run" | "terraform" | "stack")));
    (words.next().flatten(), words.next().flatten())
}

/// Options have one dash or two.
fn has(call: &Call<'_>, name: &str) -> bool {
    call.has('\0', name)
}

pub(super) const DESTROY: Rule = Rule {
    id: "terraform.destroy",
    class: "cloud",
    severity: Severity::Critical,
    keys: &[Key::ours("terraform destroy")],
    reason: "This destroys the infrastructure that the code describes.",
    alternative: Some("See what would go: `terraform plan -destroy`."),
    help: Help::Anywhere,
    test: Test::Program(TERRAFORM, |look| {
        let call = Call::of(look);
        if has(call, "help") {
            return None;
        }
        let found = match verb(call).0 {
            Some("destroy" | "destroy-all") => true,
            Some("apply" | "apply-all") => has(call, "destroy"),
            _ => false,
        };
        found.then(|| look.hit())
    }),
    matches: &[
        "terraform destroy",
        "terraform -chdir=prod destroy -auto-approve",
        "terraform apply -destroy",
        "tofu destroy",
        "terragrunt run-all destroy",
        "terragrunt destroy-all",
        "AWS_PROFILE=prod terraform apply --destroy --auto-approve",
        "atmos terraform destroy vpc -s prod",
    ],
    near_misses: &["terraform plan -destroy", "terraform apply"],
    safe: &[
        "terraform plan",
        "terraform plan -destroy",
        "terraform validate",
        "terraform show",
        "terraform init -upgrade",
        "terraform fmt -recursive",
        "terraform destroy -help",
        "terraform state list",
        "terraform output -json",
    ],
    ..Rule::ASK
};

pub(super) const APPLY: Rule = Rule {
    id: "terraform.apply-unseen",
    class: "cloud",
    severity: Severity::High,
    keys: &[Key::ours("terraform apply without asking")],
    reason: "The changes are made to real infrastructure without being shown first.",
    alternative: Some("Make a plan and read it: `terraform plan -out=tfplan`."),
    help: Help::Anywhere,
    test: Test::Program(TERRAFORM, |look| {
        let call = Call::of(look);
        let (first, second) = verb(call);
        let applies = matches!(first, Some("apply" | "apply-all" | "deploy" | "refresh"));
        if !applies || has(call, "destroy") {
            return None;
        }
        let unasked = has(call, "auto-approve")
            || has(call, "terragrunt-non-interactive")
            || has(call, "non-interactive")
            || second.is_some() && look.name != "atmos"
            || look.upstream().any(|i| i.is("yes") || i.is("echo"));
        unasked.then(|| look.hit())
    }),
    matches: &[
        "terraform apply -auto-approve",
        "tofu apply --auto-approve -var x=1",
        "terraform apply tfplan",
        "yes yes | terraform apply",
        "terragrunt run-all apply --terragrunt-non-interactive",
    ],
    near_misses: &[
        "terraform apply",
        "terraform apply -auto-approve=false",
        "terraform apply -var-file prod.tfvars",
    ],
    safe: &["terraform plan -out=tfplan", "terraform get"],
    ..Rule::ASK
};

pub(super) const STATE: Rule = Rule {
    id: "terraform.state",
    class: "cloud",
    severity: Severity::High,
    keys: &[Key::ours("edit terraform state")],
    reason: "What is taken out of the state is forgotten, or built once more.",
    alternative: Some("Keep a copy first: `terraform state pull`."),
    help: Help::Anywhere,
    test: Test::Program(TERRAFORM, state),
    matches: &[
        "terraform state rm aws_s3_bucket.x",
        "terraform state push old.tfstate",
        "terraform taint aws_instance.a",
        "terraform force-unlock 1234",
        "terraform workspace delete dev",
        "tofu state replace-provider a b",
        "atmos terraform clean --everything --force",
    ],
    near_misses: &["terraform state show x", "terraform state rm -dry-run x"],
    safe: &[
        "terraform state list",
        "terraform state pull",
        "terraform workspace select dev",
        "terraform workspace list",
    ],
    ..Rule::ASK
};

fn state(look: &Look<'_>) -> Option<Hit> {
    let call = Call::of(look);
    let found = match verb(call) {
        (Some("state"), Some("rm" | "push" | "replace-provider")) => true,
        (Some("taint" | "untaint" | "force-unlock"), _) => true,
        (Some("workspace"), Some("delete")) => true,
        (Some("clean"), _) => look.name == "atmos",
        _ => false,
    };
    (found && !call.is_rehearsal()).then(|| look.hit())
}
