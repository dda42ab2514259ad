//! What runs in a cluster.

use super::super::remote_execution::fetches;
use super::super::subcommands::Call;
use super::KUBECTL;
use crate::rule::{Help, Key, Rule, Severity, Test};
use crate::word::Word;

/// Kinds that take other things with them, or data.
#[rustfmt::skip]
const WIDE: &[&str] = &[
    "all", "crd", "crds", "customresourcedefinition", "customresourcedefinitions", "namespace",
    "namespaces", "no", "node", "nodes", "ns", "persistentvolume", "persistentvolumeclaim",
    "persistentvolumeclaims", "persistentvolumes", "project", "pv", "pvc", "statefulset", "sts",
];

pub(super) const DELETE: Rule = Rule {
    id: "kubernetes.delete",
    class: "k8s",
    keys: &[Key::ours("kubectl delete")],
    reason: "This deletes resources of a cluster.",
    alternative: Some("Rehearse it: `kubectl delete pod a --dry-run=server`."),
    help: Help::Anywhere,
    test: Test::Program(KUBECTL, |look| {
        let call = Call::of(look);
        if !call.verbs("delete") || call.is_rehearsal() {
            return None;
        }
        let kind = call.operand(1).unwrap_or("");
        let wide = call.has('\0', "all")
            || call.has('A', "all-namespaces")
            || kind
                .split(',')
                .any(|k| WIDE.contains(&k.split(['/', '.']).next().unwrap_or(k)));
        let hit = look.hit();
        Some(if wide {
            hit.severity(Severity::High)
                .reason("This deletes resources of a cluster with everything that belongs to them.")
        } else {
            hit
        })
    }),
    matches: &[
        "kubectl delete ns prod",
        "kubectl delete deployment api --dry-run=none",
        "kubectl delete pod a --force --grace-period=0",
        "kubectl delete all --all -n x",
        "kubectl -n prod delete deploy api",
        "kubectl --context=prod delete -f x.yaml",
        "oc delete project x",
        "kustomize build . | kubectl delete -f -",
    ],
    near_misses: &[
        "kubectl get pods -n delete",
        "kubectl config delete-context prod",
    ],
    safe: &[
        "kubectl delete pod a --dry-run=server",
        "kubectl delete deployment api --dry-run=client",
        "kubectl delete -f x.yaml --dry-run",
        "kubectl delete --help",
        "kubectl get pods",
        "kubectl -n delete get pods",
        "kubectl explain deployment",
    ],
    ..Rule::ASK
};

pub(super) const SCALE_TO_ZERO: Rule = Rule {
    id: "kubernetes.scale-to-zero",
    class: "k8s",
    severity: Severity::High,
    keys: &[Key::ours("kubectl scale to zero")],
    reason: "With no replicas left, the service stands still.",
    alternative: Some("Keep one: `kubectl scale deploy api --replicas=1`."),
    help: Help::Anywhere,
    test: Test::Program(KUBECTL, |look| {
        let call = Call::of(look);
        let zero = call.verbs("scale") && call.is('\0', "replicas", &["0"])
            || call.verbs("patch") && call.values('p', "patch").any(has_zero_replicas);
        (zero && !call.is_rehearsal()).then(|| look.hit())
    }),
    matches: &[
        "kubectl scale deploy api --replicas=0",
        "kubectl scale --replicas 0 -f x.yaml",
        "kubectl -n p scale sts/db --replicas=0",
        "kubectl patch deploy api -p '{\"spec\": {\"replicas\": 0}}'",
    ],
    near_misses: &["kubectl scale deploy api --replicas=10"],
    safe: &[
        "kubectl scale deploy api --replicas=3",
        "kubectl scale deploy api --replicas=0 --dry-run=client",
    ],
    ..Rule::ASK
};

fn has_zero_replicas(patch: &str) -> bool {
    let plain: String = patch
        .chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '"' | '\'' | '\\'))
        .collect();
    plain
        .split("replicas:0")
        .skip(1)
        .any(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
}

pub(super) const REPLACE: Rule = Rule {
    id: "kubernetes.force-replace",
    class: "k8s",
    severity: Severity::High,
    keys: &[Key::ours("kubectl replace or apply by force")],
    reason: "By force, resources are deleted and made anew, and what is not in the file is lost.",
    alternative: Some("See what would change: `kubectl diff -f x.yaml`."),
    help: Help::Anywhere,
    test: Test::Program(KUBECTL, |look| {
        let call = Call::of(look);
        let found = call.verbs("replace") && call.has('\0', "force")
            || call.verbs("apply") && (call.has('\0', "force") || call.has('\0', "prune"));
        (found && !call.is_rehearsal()).then(|| look.hit())
    }),
    matches: &[
        "kubectl replace --force -f x.yaml",
        "kubectl apply --force -f x.yaml",
        "kubectl apply --prune --all -f dir/",
    ],
    near_misses: &[
        "kubectl apply -f x.yaml",
        "kubectl apply --server-side --force-conflicts -f x.yaml",
    ],
    safe: &[
        "kubectl apply -f x.yaml",
        "kubectl replace -f x.yaml",
        "kubectl apply --force --dry-run=client -f x.yaml",
        "kubectl diff -f x.yaml",
    ],
    ..Rule::ASK
};

pub(super) const ROLLOUT: Rule = Rule {
    id: "kubernetes.rollout",
    class: "k8s",
    keys: &[Key::ours("kubectl rollout undo or restart")],
    reason: "This replaces the release that runs.",
    alternative: Some("See the releases first: `kubectl rollout history deploy/api`."),
    help: Help::Anywhere,
    test: Test::Program(KUBECTL, |look| {
        let call = Call::of(look);
        let scripted = look.invocation.assignments.iter().any(|a| {
            matches!(
                a.name.as_str(),
                "KUBE_EDITOR" | "OC_EDITOR" | "EDITOR" | "VISUAL"
            ) && a.values.iter().any(|v| v.text().contains("sed "))
        });
        let found = call.any(&[
            "rollout undo|restart|pause|cancel",
            "rollback",
            "argo rollouts abort|undo|terminate|restart|promote",
        ]) || call.verbs("edit") && scripted;
        (found && !call.is_rehearsal()).then(|| look.hit())
    }),
    matches: &[
        "kubectl rollout undo deploy/api",
        "kubectl -n p rollout restart deploy api",
        "kubectl argo rollouts abort api",
        "KUBE_EDITOR='sed -i s/a/b/' kubectl edit deploy api",
    ],
    near_misses: &["kubectl rollout status deploy/undo"],
    safe: &[
        "kubectl rollout status deploy/api",
        "kubectl rollout history deploy/api",
        "kubectl rollout undo deploy/api --dry-run=client",
    ],
    ..Rule::ASK
};

/// What `set` changes; all but `last-applied`, which only notes what is there.
const SETS: &str = "set image|env|resources|selector|serviceaccount|sa|volume|volumes|triggers|deployment-hook|data";

pub(super) const CHANGE: Rule = Rule {
    id: "kubernetes.change",
    class: "k8s",
    keys: &[Key::ours("kubectl patch or set")],
    reason: "This changes what runs in the cluster at once, past the files that describe it.",
    alternative: Some("Rehearse it: `kubectl set image deploy/api api=x:2 --dry-run=server`."),
    help: Help::Anywhere,
    test: Test::Program(KUBECTL, |look| {
        let call = Call::of(look);
        let found = call.verbs("patch")
            || call.verbs(SETS) && !call.has('\0', "list")
            || call.verbs("adm prune") && call.has('\0', "confirm")
            || call.verbs("adm upgrade") && call.has_any(&["--to", "--to-latest", "--to-image"])
            || call.verbs("tag") && look.name == "oc" && call.has('d', "delete");
        (found && !call.is_rehearsal()).then(|| look.hit())
    }),
    matches: &[
        "kubectl patch pv p -p '{\"spec\":{\"persistentVolumeReclaimPolicy\":\"Delete\"}}'",
        "kubectl set image deploy/api api=x:2",
        "kubectl -n prod set env deploy/api A=b",
        "oc set volume dc/x --remove",
        "oc adm prune images --confirm",
        "oc tag -d app:latest",
    ],
    near_misses: &[
        "kubectl set image deploy/api api=x:2 --dry-run=server",
        "kubectl patch deploy x -p '{}' --dry-run=client",
        "kubectl set env deploy/api --list",
        "oc adm prune images",
    ],
    safe: &[
        "kubectl set --help",
        "kubectl config set-context --current --namespace=x",
        "kubectl annotate pod web note=x",
        "kubectl label pod web tier=front",
    ],
    ..Rule::ASK
};

pub(super) const FINALIZERS: Rule = Rule {
    id: "kubernetes.strip-finalizers",
    class: "k8s",
    severity: Severity::High,
    keys: &[Key::ours("kubectl patch away finalizers")],
    reason: "Without its finalizers a resource vanishes and leaves behind what it owned.",
    alternative: Some("See what it waits for: `kubectl describe ns x`."),
    help: Help::Anywhere,
    test: Test::Program(KUBECTL, |look| {
        let call = Call::of(look);
        let found = call.verbs("patch")
            && call.values('p', "patch").any(|p| p.contains("finalizers"))
            || call.verbs("replace") && call.values('\0', "raw").any(|r| r.ends_with("/finalize"));
        (found && !call.is_rehearsal()).then(|| look.hit())
    }),
    matches: &[
        "kubectl patch ns x -p '{\"metadata\":{\"finalizers\":null}}' --type=merge",
        "kubectl replace --raw /api/v1/namespaces/x/finalize -f x.json",
    ],
    near_misses: &["kubectl patch deploy x -p '{\"spec\":{\"replicas\":2}}'"],
    safe: &["kubectl get ns x -o jsonpath='{.metadata.finalizers}'"],
    ..Rule::ASK
};

pub(super) const FROM_URL: Rule = Rule {
    id: "kubernetes.apply-from-url",
    class: "k8s",
    keys: &[Key::ours("kubectl apply from a URL")],
    reason: "What a server hands out is installed in the cluster unseen.",
    alternative: Some("Fetch and read it first: `curl -fsSLO https://example.net/x.yaml`."),
    help: Help::Anywhere,
    test: Test::Program(URL_TOOLS, |look| {
        let call = Call::of(look);
        let url = |value: &str| {
            value.starts_with("http://")
                || value.starts_with("https://")
                || value.contains("github.com/")
        };
        let named = |word: &&Word| url(word.known_prefix());
        let found = if look.name == "helm" {
            call.any(&["install|upgrade", "plugin install|add"]) && call.operands.iter().any(named)
        } else {
            let verb = call.verbs("apply|create|replace");
            let fed = || {
                let input = call.is('f', "filename", &["-"]);
                input
                    && look.upstream().any(|i| {
                        fetches(i) || i.is("kustomize") && i.arguments().iter().any(|w| named(&w))
                    })
            };
            verb && (call.values('f', "filename").any(url)
                || call.values('k', "kustomize").any(url)
                || fed())
        };
        (found && !call.is_rehearsal()).then(|| look.hit())
    }),
    matches: &[
        "kubectl apply -f https://example.net/x.yaml",
        "kubectl create --filename=http://example.net/x.yaml",
        "kubectl apply -k github.com/x/y",
        "curl -s https://x.example.net/a.yaml | kubectl apply -f -",
        "kustomize build https://x.example.net/r | kubectl apply -f -",
        "helm install x https://x.example.net/c.tgz",
        "helm plugin install https://x.example.net/p",
    ],
    near_misses: &["kubectl apply -f x.yaml"],
    safe: &[
        "kubectl apply -f deploy/",
        "kubectl apply -f https://example.net/x.yaml --dry-run=client",
    ],
    ..Rule::ASK
};

/// Tools, and what takes something away there.
#[rustfmt::skip]
const RELEASES: &[(&str, &[&str])] = &[
    ("argo", &["delete|stop|terminate|archive|suspend", "cron delete|suspend", "template|cluster-template delete", "archive delete"]),
    ("calicoctl", &["delete|replace"]),
    ("cilium", &["uninstall", "clustermesh disable", "hubble disable"]),
    ("clusterctl", &["delete|move"]),
    ("devspace", &["purge"]),
    ("faas-cli", &["remove|rm|delete", "secret remove|rm"]),
    ("garden", &["delete|cleanup"]),
    ("helmfile", &["destroy|delete"]),
    ("istioctl", &["uninstall", "x uninstall"]),
    ("juju", &["destroy-controller|destroy-model|destroy-storage|kill-controller|remove-application|remove-unit|remove-machine|remove-user|remove-relation|remove-storage|remove-cloud|remove-offer"]),
    ("kapp", &["delete", "app-group delete"]),
    ("kn", &["* delete"]),
    ("kubeless", &["* delete"]),
    ("odo", &["delete", "* delete"]),
    ("okteto", &["destroy|down", "namespace|preview delete|destroy"]),
    ("porter", &["uninstall", "installation delete"]),
    ("rancher", &["clusters|cluster|projects|project|namespaces|namespace|nodes|node|app|apps|multiclusterapp|catalog|server|settings delete|rm|rollback|remove"]),
    ("skaffold", &["delete"]),
    ("telepresence", &["uninstall", "helm uninstall"]),
    ("tilt", &["down"]),
    ("tk", &["delete|prune"]),
    ("tkn", &["* delete", "pipelinerun|pr cancel"]),
    ("werf", &["dismiss|cleanup|purge"]),
];

#[rustfmt::skip]
const RELEASE_TOOLS: &[&str] = &[
    "argo", "argocd", "calicoctl", "cilium", "clusterctl", "devspace", "faas-cli", "flux", "garden", "helm",
    "helmfile", "istioctl", "juju", "kapp", "kn", "kubeless", "odo", "okteto", "porter", "rancher", "skaffold",
    "telepresence", "tilt", "tk", "tkn", "velero", "werf",
];

const URL_TOOLS: &[&str] = &["kubectl", "oc", "k", "microk8s.kubectl", "helm"];

pub(super) const RELEASE: Rule = Rule {
    id: "kubernetes.helm-release",
    class: "k8s",
    severity: Severity::High,
    keys: &[Key::ours("helm uninstall or rollback")],
    reason: "This removes or replaces an installed release.",
    alternative: Some("See what it consists of: `helm get manifest app`."),
    help: Help::Anywhere,
    test: Test::Program(RELEASE_TOOLS, |look| {
        let call = Call::of(look);
        if call.is_rehearsal() {
            return None;
        }
        let found = match look.name {
            "helm" => {
                call.verbs("uninstall|delete|del|un|rollback")
                    || call.verbs("upgrade|install")
                        && (call.has('\0', "force") || call.has('\0', "reset-values"))
            }
            "argocd" => {
                call.any(&[
                    "app delete|rollback|terminate-op|delete-resource",
                    "cluster|proj|project|repo|appset|cert|repocreds|gpg rm|delete|remove",
                    "account delete-token",
                ]) || call.verbs("app sync") && (call.has('\0', "force") || call.has('\0', "prune"))
            }
            "flux" => {
                call.verbs("uninstall|delete|suspend")
                    || call.verbs("reconcile") && call.has('\0', "force")
            }
            "velero" => call.any(&[
                "* delete",
                "delete *",
                "schedule pause",
                "uninstall",
                "restore create",
                "create restore",
            ]),
            _ => RELEASES
                .iter()
                .any(|(tool, verbs)| *tool == look.name && call.any(verbs)),
        };
        found.then(|| look.hit())
    }),
    matches: &[
        "helm uninstall app",
        "helm -n prod delete app --purge",
        "helm rollback app 1",
        "helm upgrade --install --force app ./chart",
        "helmfile destroy",
        "argocd app delete x -y",
        "velero backup delete b --confirm",
        "flux uninstall",
        "skaffold delete",
        "rancher clusters delete c",
        "argocd appset delete x",
        "cilium uninstall",
        "tkn pipelinerun delete --all -f",
        "argo delete --all",
        "juju destroy-model x -y",
        "helmfile -e prod destroy",
        "tk delete environments/x",
    ],
    near_misses: &[
        "helm upgrade --install app ./chart",
        "helm uninstall app --dry-run",
    ],
    safe: &[
        "helm list",
        "helm template x",
        "helm upgrade app ./chart",
        "helm history app",
        "argocd app list",
        "velero backup get",
    ],
    ..Rule::ASK
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_looked_at() {
        for (tool, _) in RELEASES {
            assert!(RELEASE_TOOLS.contains(tool), "{tool}");
        }
    }
}
