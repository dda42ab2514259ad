//! The other clouds: their command lines are paths of words that end in a verb.

use super::super::subcommands::Call;
use crate::look::Look;
use crate::rule::{Help, Hit, Key, Rule, Severity, Test};

#[rustfmt::skip]
const TOOLS: &[&str] = &[
    "aliyun", "az", "civo", "doctl", "exo", "gcloud", "hcloud", "ibmcloud", "linode-cli", "neonctl",
    "nova", "oci", "openstack", "pscale", "scw", "tccli", "upctl", "vultr-cli", "yc", "atlas", "cf",
    "bq", "gcloud-beta", "govc", "algolia", "astro", "auth0", "ccloud", "confluent", "contentful", "databricks",
    "mongocli", "ovhcloud", "sanity", "sentry-cli", "shopify", "stripe",
];

/// Verbs that only look.
#[rustfmt::skip]
const LOOKS: &[&str] = &[
    "describe", "diff", "get", "help", "info", "list", "logs", "ls", "search", "show", "status", "tail",
    "validate", "view",
];

/// Verbs that take something away or make it stand still.
#[rustfmt::skip]
const TAKES: &[&str] = &[
    "abandon", "cancel", "deallocate", "decommission", "delete", "destroy", "disable", "drop", "failover",
    "object-delete", "power-off", "poweroff", "purge", "reboot", "rebuild", "reset", "reset-windows-password",
    "restart", "rm", "rmi", "remove", "restore", "rollback", "server-delete", "shutdown", "snapshot-delete",
    "stop", "suspend", "terminate", "undeploy", "unset-iam-policy", "delete-app", "delete-space", "delete-org",
    "vm.destroy", "vm.power", "datastore.rm", "delete-cluster", "delete-instances", "bulk-delete", "del",
    "permanent-delete", "permanent-delete-cluster",
];

/// How operations begin that are named like those of the interface.
const CAMEL: &[&str] = &[
    "Delete",
    "Destroy",
    "Reboot",
    "Release",
    "Remove",
    "Stop",
    "Terminate",
];

/// So many words of the path are looked at; a verb stands among the first, a name behind it.
const MAX_PATH: usize = 6;

pub(super) const DELETE: Rule = Rule {
    id: "clouds.delete",
    class: "cloud",
    severity: Severity::High,
    keys: &[Key::ours("delete or stop a cloud resource")],
    reason: "This deletes or stops something in a cloud account.",
    alternative: Some("Look at it first: `gcloud compute instances list`, `az vm list`."),
    help: Help::Anywhere,
    test: Test::Program(TOOLS, deletes),
    matches: &[
        "gcloud projects delete p",
        "gcloud --project p compute instances delete vm-1 -q",
        "gcloud sql instances delete i",
        "gcloud container clusters delete c",
        "gcloud storage rm -r gs://b",
        "az vm delete -n v -g g -y",
        "az group delete --name g --yes --no-wait",
        "az vm deallocate -n v -g g",
        "doctl compute droplet delete 1 -f",
        "linode-cli linodes delete 1",
        "hcloud server delete web",
        "oci compute instance terminate --instance-id o",
        "scw instance server terminate i",
        "openstack server delete x",
        "bq rm -r -f -d p:d",
        "cf delete app -f",
        "aliyun ecs DeleteInstance --InstanceId i",
        "confluent kafka topic delete t",
        "databricks clusters permanent-delete c",
        "az deployment group create --mode Complete -g g -f main.bicep",
        "gcloud container clusters resize c --num-nodes 0",
    ],
    near_misses: &[
        "gcloud compute instances describe delete",
        "az group show -n delete",
    ],
    safe: &[
        "gcloud compute instances list",
        "gcloud auth login",
        "gcloud config set project p",
        "az account show",
        "az login",
        "az vm list -o table",
        "doctl compute droplet list",
        "gcloud run deploy api --image x",
        "gcloud builds submit --tag x",
        "hcloud server list",
        "bq query 'select 1'",
        "gcloud projects delete --help",
        "az deployment group create -g g -f main.bicep",
        "stripe listen",
        "shopify theme dev",
    ],
    ..Rule::ASK
};

fn deletes(look: &Look<'_>) -> Option<Hit> {
    let call = Call::of(look);
    if call.is_rehearsal() {
        return None;
    }
    let path = call.operands.iter().take(MAX_PATH).map_while(|w| w.known());
    for word in path {
        if LOOKS.contains(&word) {
            return None;
        }
        if TAKES.contains(&word)
            || word.starts_with("delete-")
            || word.starts_with("remove-")
            || word.ends_with("-delete")
            // `aliyun ecs DeleteInstance`
            || CAMEL.iter().any(|verb| word.starts_with(verb))
        {
            return Some(look.hit());
        }
        // `gcloud config …`, `az configure`: settings of the tool itself.
        if matches!(
            word,
            "config" | "configure" | "completion" | "auth" | "login"
        ) {
            return None;
        }
    }
    let gs = look.name == "gcloud"
        && call.verbs("storage rsync")
        && call.has('\0', "delete-unmatched-destination-objects");
    let empties = look.name == "gcloud"
        && (call.verbs("container clusters resize")
            && (call.is('\0', "num-nodes", &["0"]) || look.has_word("0"))
            || call.verbs("pubsub subscriptions seek"));
    // What isn't in the template goes.
    let complete = look.name == "az"
        && call.verbs("deployment group|sub create")
        && look
            .words()
            .iter()
            .any(|w| w.text().eq_ignore_ascii_case("complete"));
    (gs || empties || complete).then(|| look.hit())
}

pub(super) const ACCESS: Rule = Rule {
    id: "clouds.access",
    class: "cloud",
    severity: Severity::High,
    keys: &[Key::ours("change access rights in a cloud")],
    reason: "This changes who gets into a cloud account or what is public in it.",
    alternative: Some("See what is allowed now: `gcloud projects get-iam-policy p`."),
    help: Help::Anywhere,
    test: Test::Program(&["gcloud", "az", "doctl", "gsutil"], |look| {
        let call = Call::of(look);
        let found = match look.name {
            "gcloud" => {
                call.operands.iter().any(|w| {
                    matches!(
                        w.known(),
                        Some(
                            "add-iam-policy-binding"
                                | "remove-iam-policy-binding"
                                | "set-iam-policy"
                        )
                    )
                }) || call.verbs("iam service-accounts keys create")
                    || call.verbs("compute firewall-rules create|update")
                        && (look.words().iter().any(|w| w.text().contains("0.0.0.0/0"))
                            // Without a range, everybody.
                            || !look
                                .words()
                                .iter()
                                .any(|w| w.known_prefix().starts_with("--source-")))
            }
            "az" => call.any(&[
                "role assignment create",
                "ad sp create-for-rbac|credential",
                "ad sp credential reset",
                "ad app credential reset",
                "keyvault set-policy",
                "storage account keys renew",
                "network nsg rule create",
                "vm run-command invoke|create",
                "storage container set-permission",
            ]),
            "gsutil" => call.verbs("iam ch|set") || call.verbs("acl|defacl ch|set"),
            _ => call.verbs("auth token"),
        };
        found.then(|| look.hit())
    }),
    matches: &[
        "gcloud projects add-iam-policy-binding p --member=user:e@x --role=roles/owner",
        "gcloud iam service-accounts keys create k.json --iam-account a",
        "gcloud compute firewall-rules create x --allow tcp:22 --source-ranges 0.0.0.0/0",
        "az role assignment create --assignee e --role Owner",
        "az ad sp create-for-rbac -n x",
        "gsutil iam ch allUsers:objectViewer gs://b",
    ],
    near_misses: &["gcloud projects get-iam-policy p"],
    safe: &[
        "gcloud iam service-accounts list",
        "az role assignment list",
        "gsutil iam get gs://b",
    ],
    ..Rule::ASK
};
