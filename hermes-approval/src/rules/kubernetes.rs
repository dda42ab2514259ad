//! Kubernetes: what kubectl, helm and the tools around them take away.

mod cluster;
mod workloads;

use crate::rule::Pack;

pub(super) static PACK: Pack = Pack {
    name: "kubernetes",
    about: "deleting, stopping and replacing what runs in a cluster, and clusters themselves",
    rules: &[
        workloads::DELETE,
        workloads::SCALE_TO_ZERO,
        workloads::REPLACE,
        workloads::ROLLOUT,
        workloads::CHANGE,
        workloads::FINALIZERS,
        workloads::FROM_URL,
        workloads::RELEASE,
        cluster::NODE,
        cluster::CLUSTER,
        cluster::RIGHTS,
        cluster::CONFIG,
    ],
};

const KUBECTL: &[&str] = &["kubectl", "oc", "k", "microk8s.kubectl"];
