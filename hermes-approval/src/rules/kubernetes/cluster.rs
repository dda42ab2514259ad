//! Nodes, clusters, and who may do what in them.

use super::super::subcommands::Call;
use super::KUBECTL;
use crate::rule::{Help, Key, Rule, Severity, Test};

pub(super) const NODE: Rule = Rule {
    id: "kubernetes.node",
    class: "k8s",
    severity: Severity::High,
    keys: &[Key::ours("take a Kubernetes node out of service")],
    reason: "What runs on the node is moved away or finds no place any more.",
    alternative: Some("See what runs on it: `kubectl describe node n1`."),
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "kubectl",
            "oc",
            "k",
            "microk8s.kubectl",
            "k3s",
            "kubeadm",
            "rke2",
            "talosctl",
            "etcdctl",
        ],
        |look| {
            let call = Call::of(look);
            if call.is_rehearsal() {
                return None;
            }
            let found = match look.name {
                "kubeadm" => call.verbs("reset"),
                "talosctl" => call.any(&[
                    "reset|reboot|shutdown|wipe|upgrade|rollback",
                    "cluster destroy",
                    "etcd leave|remove-member|forfeit-leadership",
                ]),
                "k3s" | "rke2" => {
                    call.verbs("etcd-snapshot delete|prune")
                        || call.verbs("server") && call.has_any(&["--cluster-reset"])
                }
                "etcdctl" => call.any(&["del|rm|rmdir", "member remove", "snapshot restore"]),
                _ => {
                    call.any(&[
                        "drain|cordon|taint",
                        "adm drain|cordon|taint",
                        "adm manage-node",
                    ]) || call.verbs("run")
                        && (call.has('\0', "privileged")
                            || call.values('\0', "overrides").any(owns_node))
                        || call.verbs("debug")
                            && call
                                .operand(1)
                                .is_some_and(|target| target.starts_with("node/"))
                }
            };
            found.then(|| look.hit())
        },
    ),
    matches: &[
        "kubectl drain n1 --ignore-daemonsets",
        "kubectl cordon n1",
        "kubectl taint nodes n1 key=value:NoExecute",
        "oc adm drain n1",
        "kubectl debug node/n1 -it --image=alpine",
        "kubeadm reset -f",
        "kubectl run x --image=alpine --privileged --restart=Never -- sh",
        "etcdctl del / --prefix",
    ],
    near_misses: &["kubectl uncordon n1", "kubectl drain n1 --dry-run=client"],
    safe: &[
        "kubectl uncordon n1",
        "kubectl top nodes",
        "kubectl get nodes",
        "etcdctl get x",
    ],
    ..Rule::ASK
};

/// A pod made so has the rights of its node.
fn owns_node(overrides: &str) -> bool {
    ["privileged", "hostPID", "hostPath", "hostNetwork"]
        .iter()
        .any(|part| overrides.contains(part))
}

/// Tools that make clusters, and how they delete them.
#[rustfmt::skip]
const CLUSTERS: &[(&str, &[&str])] = &[
    ("eksctl", &["delete", "delete *"]),
    ("k0s", &["reset"]),
    ("k0sctl", &["reset"]),
    ("k3d", &["cluster|node delete"]),
    ("kind", &["delete"]),
    ("kops", &["delete", "rolling-update"]),
    ("microk8s", &["reset"]),
    ("minikube", &["delete"]),
    ("rke", &["remove"]),
    ("rosa", &["delete"]),
    ("vcluster", &["delete"]),
];

pub(super) const CLUSTER: Rule = Rule {
    id: "kubernetes.delete-cluster",
    class: "k8s",
    severity: Severity::High,
    keys: &[Key::ours("delete a Kubernetes cluster")],
    reason: "This deletes a cluster or a part of it, with everything that runs there.",
    alternative: Some("See which there are: `kind get clusters`."),
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "eksctl",
            "k0s",
            "k0sctl",
            "k3d",
            "kind",
            "kops",
            "microk8s",
            "minikube",
            "rke",
            "rosa",
            "vcluster",
            "k3s-uninstall.sh",
            "k3s-agent-uninstall.sh",
            "k3s-killall.sh",
        ],
        |look| {
            if look.name.starts_with("k3s-") {
                return Some(look.hit());
            }
            let call = Call::of(look);
            let (_, verbs) = CLUSTERS.iter().find(|(tool, _)| *tool == look.name)?;
            // kops only shows what it would do without `--yes`.
            let shows = look.name == "kops" && !call.has('y', "yes");
            (call.any(verbs) && !shows && !call.is_rehearsal()).then(|| look.hit())
        },
    ),
    matches: &[
        "eksctl delete cluster x",
        "minikube delete --all",
        "kind delete cluster",
        "k3d cluster delete dev",
        "kops delete cluster x --yes",
        "/usr/local/bin/k3s-uninstall.sh",
    ],
    near_misses: &["kops delete cluster x", "kind get clusters"],
    safe: &[
        "minikube start",
        "kind create cluster",
        "eksctl get cluster",
        "k3d cluster list",
    ],
    ..Rule::ASK
};

pub(super) const RIGHTS: Rule = Rule {
    id: "kubernetes.grant-rights",
    class: "k8s",
    severity: Severity::High,
    keys: &[Key::ours("grant rights in a Kubernetes cluster")],
    reason: "This gives somebody all rights in the cluster.",
    alternative: Some("See who may do what: `kubectl auth can-i --list`."),
    help: Help::Anywhere,
    test: Test::Program(KUBECTL, |look| {
        let call = Call::of(look);
        let admin = |call: &Call<'_>| call.is('\0', "clusterrole", &["cluster-admin", "admin"]);
        let found = call.verbs("create clusterrolebinding|rolebinding") && admin(call)
            || call.verbs("adm policy add-cluster-role-to-user|add-cluster-role-to-group|add-scc-to-user|add-scc-to-group|add-role-to-user")
            || call.verbs("certificate approve|deny")
            || call.verbs("set subject")
            || call.verbs("auth reconcile")
            || call.verbs("adm policy remove-user|remove-group|remove-role-from-user|remove-cluster-role-from-user|remove-scc-from-user")
            || call.verbs("label namespace|namespaces|ns")
                && look.words().iter().any(|w| w.text().ends_with("enforce=privileged"));
        (found && !call.is_rehearsal()).then(|| look.hit())
    }),
    matches: &[
        "kubectl create clusterrolebinding x --clusterrole=cluster-admin --serviceaccount=a:b",
        "oc adm policy add-cluster-role-to-user cluster-admin eve",
        "kubectl certificate approve csr-1",
        "kubectl set subject clusterrolebinding admin --user=eve",
        "kubectl auth reconcile -f rights.yaml",
        "kubectl label ns x pod-security.kubernetes.io/enforce=privileged",
    ],
    near_misses: &["kubectl create rolebinding x --clusterrole=view --user=eve"],
    safe: &[
        "kubectl get clusterrolebindings",
        "kubectl auth can-i list pods",
    ],
    ..Rule::ASK
};

pub(super) const CONFIG: Rule = Rule {
    id: "kubernetes.config-delete",
    class: "k8s",
    severity: Severity::Low,
    keys: &[Key::ours("kubectl config delete")],
    reason: "This removes the access to a cluster from the configuration.",
    alternative: Some("Switch to another one: `kubectl config use-context dev`."),
    help: Help::Anywhere,
    test: Test::Program(KUBECTL, |look| {
        let call = Call::of(look);
        call.verbs("config delete-context|delete-cluster|delete-user|unset")
            .then(|| look.hit())
    }),
    matches: &[
        "kubectl config delete-context prod",
        "kubectl config unset users.x",
    ],
    near_misses: &["kubectl config get-contexts"],
    safe: &["kubectl config use-context dev", "kubectl config view"],
    ..Rule::ASK
};
