//! What runs in a cluster.

use super::super::subcommands::Call;
use super::KUBECTL;
use crate::rule::{Help, Key, Rule, Severity, Test};

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
        let found = call.verbs("rollout undo|restart|pause|cancel") || call.verbs("rollback");
        (found && !call.is_rehearsal()).then(|| look.hit())
    }),
    matches: &[
        "kubectl rollout undo deploy/api",
        "kubectl -n p rollout restart deploy api",
    ],
    near_misses: &["kubectl rollout status deploy/undo"],
    safe: &[
        "kubectl rollout status deploy/api",
        "kubectl rollout history deploy/api",
        "kubectl rollout undo deploy/api --dry-run=client",
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
    test: Test::Program(KUBECTL, |look| {
        let call = Call::of(look);
        let url = |value: &str| {
            value.starts_with("http://")
                || value.starts_with("https://")
                || value.contains("github.com/")
        };
        let found = call.verbs("apply|create|replace")
            && (call.values('f', "filename").any(url) || call.values('k', "kustomize").any(url));
        (found && !call.is_rehearsal()).then(|| look.hit())
    }),
    matches: &[
        "kubectl apply -f https://example.net/x.yaml",
        "kubectl create --filename=http://example.net/x.yaml",
        "kubectl apply -k github.com/x/y",
    ],
    near_misses: &["kubectl apply -f x.yaml"],
    safe: &[
        "kubectl apply -f deploy/",
        "kubectl apply -f https://example.net/x.yaml --dry-run=client",
    ],
    ..Rule::ASK
};

pub(super) const RELEASE: Rule = Rule {
    id: "kubernetes.helm-release",
    class: "k8s",
    severity: Severity::High,
    keys: &[Key::ours("helm uninstall or rollback")],
    reason: "This removes or replaces an installed release.",
    alternative: Some("See what it consists of: `helm get manifest app`."),
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "helm", "helmfile", "argocd", "flux", "skaffold", "velero", "kapp", "istioctl", "kn",
            "werf", "tilt", "okteto", "devspace",
        ],
        |look| {
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
                "helmfile" => call.any(&["destroy|delete"]),
                "argocd" => {
                    call.any(&[
                        "app delete|rollback|terminate-op|delete-resource",
                        "cluster|proj|project|repo rm|delete",
                    ]) || call.verbs("app sync")
                        && (call.has('\0', "force") || call.has('\0', "prune"))
                }
                "flux" => call.verbs("uninstall|delete|suspend"),
                "velero" => call.any(&[
                    "* delete",
                    "delete *",
                    "uninstall",
                    "restore create",
                    "create restore",
                ]),
                "kapp" => call.any(&["delete", "app-group delete"]),
                "istioctl" => call.any(&["uninstall", "x uninstall"]),
                "kn" => call.verbs("* delete"),
                "werf" => call.verbs("dismiss|cleanup|purge"),
                "okteto" | "devspace" => call.verbs("destroy|purge|down"),
                "tilt" => call.verbs("down"),
                _ => call.verbs("delete"),
            };
            found.then(|| look.hit())
        },
    ),
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
