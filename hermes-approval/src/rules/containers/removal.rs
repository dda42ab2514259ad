//! Containers, images, volumes and clusters that are removed.

use super::super::subcommands::Call;
use super::ENGINES;
use crate::look::Look;
use crate::rule::{Help, Hit, Key, Rule, Severity, Test};
use crate::word::Unknown;

pub(super) const CONTAINERS: Rule = Rule {
    id: "containers.remove",
    class: "docker",
    keys: &[Key::ours("remove containers by force")],
    reason: "This removes containers with all that was written in them.",
    alternative: Some("Stop it, look at it with `docker inspect db`, then remove it without `-f`."),
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "buildah", "crictl", "ctr", "docker", "incus", "lxc", "nerdctl", "podman",
        ],
        |look| {
            let call = Call::of(look);
            let verbs: &[&str] = match look.name {
                "crictl" => &["rm|rmp"],
                "ctr" => &["container|containers|c rm|delete|del|remove"],
                "lxc" | "incus" => &["delete|rm"],
                _ => &["rm|remove", "container rm|remove", "pod rm", "machine rm"],
            };
            let replaces = look.name == "podman"
                && call.any(&[
                    "run|create",
                    "container run|create",
                    "pod create",
                    "kube|play play|kube",
                ])
                && (call.has('\0', "replace") || call.has('\0', "down"));
            if replaces || look.name == "podman" && call.verbs("kube down") {
                return Some(look.hit());
            }
            if !call.any(verbs) {
                return None;
            }
            // A container that runs, or that has data of its own, isn't removed without these.
            let forced = call.has('f', "force")
                || call.has('v', "volumes")
                || call.has('a', "all")
                || call.verbs("machine rm")
                || call.verbs("pod rm")
                || !ENGINES.contains(&look.name) && !matches!(look.name, "crictl" | "buildah");
            (forced || is_computed(call)).then(|| look.hit())
        },
    ),
    matches: &[
        "docker rm -f db",
        "docker container rm --force db",
        "podman rm -af",
        "docker rm -fv db",
        "docker rm $(docker ps -aq)",
        "nerdctl rm -f x",
        "docker ps -aq | xargs docker rm",
        "podman machine rm",
        "incus delete c1",
        "buildah rm --all",
        "ctr -n k8s.io containers delete c1",
        "podman run --replace --name x alpine",
    ],
    near_misses: &["docker rm web", "buildah rm c1", "docker rmi -f x"],
    safe: &[
        "docker rm web",
        "docker run --rm alpine echo hi",
        "docker rm --help",
        "docker build --rm -t x .",
    ],
    ..Rule::ASK
};

/// Names that a command makes, or that are read from a list.
fn is_computed(call: &Call<'_>) -> bool {
    call.operands.iter().any(|word| {
        word.unknowns()
            .any(|u| matches!(u, Unknown::Command(_) | Unknown::Input))
    })
}

pub(super) const IMAGES: Rule = Rule {
    id: "containers.remove-images",
    class: "docker",
    severity: Severity::Low,
    keys: &[Key::ours("remove images by force")],
    reason: "This removes images even if they are in use or can't be fetched again.",
    alternative: Some("Remove the one image by its name: `docker rmi app:old`."),
    help: Help::Anywhere,
    test: Test::Program(
        &["docker", "podman", "nerdctl", "crictl", "ctr", "buildah"],
        |look| {
            let call = Call::of(look);
            if look.name == "ctr" {
                let found = call.any(&[
                    "images|image|i rm|remove|delete|del|prune",
                    "content|c rm|remove|delete|del|prune",
                    "snapshots|snapshot rm|remove|delete|del",
                    "namespaces|namespace|ns rm|remove|delete|del",
                    "leases|lease rm|remove|delete|del",
                ]);
                return found.then(|| look.hit());
            }
            let found = call.any(&["rmi", "image rm|remove", "manifest rm"]);
            let wide = call.has('f', "force")
                || call.has('a', "all")
                || call.has('\0', "prune")
                || is_computed(call);
            (found && wide).then(|| look.hit())
        },
    ),
    matches: &[
        "docker rmi -f $(docker images -q)",
        "docker image rm --force x",
        "podman rmi -a",
        "crictl rmi --prune",
        "docker images -q | xargs docker rmi",
        "ctr -n k8s.io images rm $(ctr images ls -q)",
    ],
    near_misses: &["docker rmi app:old", "ctr images ls"],
    safe: &[
        "docker rmi app:old",
        "docker image rm x",
        "docker images -a",
        "docker rmi --help",
    ],
    ..Rule::ASK
};

pub(super) const PRUNE: Rule = Rule {
    id: "containers.prune",
    class: "docker",
    keys: &[Key::ours("remove all unused containers, volumes or images")],
    reason: "This removes what no running container uses, of every project on the host.",
    alternative: Some("See first what takes the space: `docker system df`."),
    help: Help::Anywhere,
    test: Test::Program(&["docker", "podman", "nerdctl", "buildah", "balena"], prune),
    matches: &[
        "docker volume prune -f",
        "docker system prune --volumes --force",
        "docker system prune -af",
        "docker container prune -f",
        "docker image prune -a",
        "docker network prune",
        "podman system prune",
        "podman pod prune",
        "docker builder prune -af",
        "docker buildx prune --all -f",
        "buildah prune -af",
    ],
    near_misses: &["docker builder prune", "docker image prune"],
    safe: &[
        "docker system df",
        "docker system prune --help",
        "docker image prune -f",
        "docker builder prune -f",
        "docker system info",
    ],
    ..Rule::ASK
};

fn prune(look: &Look<'_>) -> Option<Hit> {
    let call = Call::of(look);
    // A build cache is made again, but all of it only in hours; images without a name are left
    // over from builds.
    if call.any(&["builder|buildx prune"]) && !call.has('a', "all") {
        return None;
    }
    if look.name == "buildah" {
        return call.verbs("prune").then(|| look.hit());
    }
    if call.verbs("image prune") && !call.has('a', "all") {
        return None;
    }
    if !call.any(&["* prune"]) {
        return None;
    }
    let hit = look.hit();
    let data = call.verbs("volume prune") || call.has('\0', "volumes");
    Some(if data {
        hit.severity(Severity::High)
            .reason("This removes the data of every volume that no running container uses.")
    } else {
        hit
    })
}

/// Tool, subcommand, and what is lost.
#[rustfmt::skip]
const STATES: &[(&[&str], &[&str], &str)] = &[
    (ENGINES, &["volume rm|remove"], "This deletes a volume with the data in it."),
    (ENGINES, &["system reset"], "This removes all containers, images, volumes and networks."),
    (ENGINES, &["stack|service rm|remove|down", "swarm leave", "node rm|remove|demote", "secret|config rm|remove"],
        "This takes a part of a swarm out of service."),
    (ENGINES, &["context rm|remove", "network rm|remove|disconnect", "plugin rm|disable", "machine reset"],
        "This removes what containers are reached or run with."),
    (ENGINES, &["trust revoke", "trust signer remove", "checkpoint rm", "namespace|ns rm|remove", "secret|config rm", "service rollback"],
        "This takes back or replaces what others rely on."),
    (&["skopeo", "crane", "gcrane", "oras", "regctl", "reg"],
        &["delete|rm|gc", "manifest|blob|image|tag|repo|repository|artifact delete|rm"],
        "This deletes an image at the registry, for everybody who uses it."),
    (&["runc", "crun", "youki", "kata-runtime", "runsc"], &["delete|kill"], "This ends or deletes a container past its manager."),
    (&["lxc", "incus"], &["restore|rebuild", "snapshot restore|delete", "admin shutdown"], "This replaces a container with an older state."),
    (&["lxd"], &["shutdown"], "This stops all containers."),
    (&["machinectl"], &["remove|clean"], "This deletes a container or a virtual machine."),
    (&["toolbox", "distrobox"], &["rm"], "This deletes a container with all that was installed in it."),
    (&["apptainer", "singularity"], &["instance stop"], "This stops containers."),
    (&["orb", "orbctl"], &["delete|reset|stop"], "This stops or deletes virtual machines with all containers in them."),
    (&["rdctl"], &["factory-reset|reset|shutdown"], "This deletes a virtual machine with all containers in it."),
    (&["limactl"], &["factory-reset|prune"], "This deletes a virtual machine with all containers in it."),
    (&["docker-machine"], &["kill|stop|restart"], "This stops a virtual machine with all containers in it."),
    (&["xl", "xm"], &["destroy|shutdown|reboot"], "This stops a virtual machine."),
    (&["vmrun"], &["deleteVM|stop|reset|revertToSnapshot|deleteSnapshot", "* deleteVM|stop|reset|revertToSnapshot|deleteSnapshot"],
        "This stops or deletes a virtual machine."),
    (&["bastille", "iocage", "ezjail-admin", "pot"], &["destroy|delete|stop|restart"], "This stops or deletes a jail."),
    (&["crictl"], &["rmp"], "This removes pods with their containers."),
    (&["kamal", "mrsk"], &["remove", "app remove|stop", "accessory remove|stop", "proxy remove|stop", "prune *", "rollback *"],
        "This stops or removes services and their data."),
    (&["docker-machine", "colima", "limactl", "multipass"], &["rm|delete|purge", "stop --all"],
        "This deletes a virtual machine with all containers in it."),
    (&["lxc", "incus"], &["storage|network|image|profile|project delete", "storage volume delete"],
        "This deletes what containers are made of."),
    (&["pct", "qm"], &["destroy|stop|rollback|reset"], "This stops or deletes a container or a virtual machine."),
    (&["virsh"], &["destroy|undefine|shutdown|reset", "vol-delete|pool-delete|pool-destroy|net-destroy|snapshot-delete|snapshot-revert"],
        "This stops or deletes a virtual machine or its disks."),
    (&["VBoxManage", "vboxmanage"], &["unregistervm|closemedium", "controlvm * poweroff|reset", "snapshot * delete|restore"],
        "This stops or deletes a virtual machine or its disks."),
];

#[rustfmt::skip]
const STATE_TOOLS: &[&str] = &[
    "VBoxManage", "apptainer", "bastille", "colima", "crane", "crictl", "crun", "distrobox", "distrobox-rm",
    "docker", "docker-compose", "docker-machine", "ezjail-admin", "gcrane", "incus", "iocage", "kamal",
    "kata-runtime", "limactl", "lxc", "lxc-destroy", "lxc-stop", "lxd", "machinectl", "mrsk", "multipass",
    "nerdctl", "oras", "orb", "orbctl", "pct", "podman", "podman-compose", "pot", "qm", "rdctl", "reg",
    "regctl", "runc", "runsc", "singularity", "skopeo", "toolbox", "vboxmanage", "virsh", "vmrun", "wsl",
    "xl", "xm", "youki",
];

pub(super) const STATE: Rule = Rule {
    id: "containers.remove-state",
    class: "docker",
    severity: Severity::High,
    keys: &[Key::ours("remove volumes, services or hosts of containers")],
    reason: "This removes what containers can't do without.",
    alternative: Some("List what there is first: `docker volume ls`."),
    help: Help::Anywhere,
    test: Test::Program(STATE_TOOLS, |look| {
        let call = Call::of(look);
        // Tools whose verb is an option, or a value.
        let special = match look.name {
            "wsl" => look.has_word("--unregister") || look.has_word("--shutdown"),
            "lxc-destroy" | "lxc-stop" | "distrobox-rm" => !look.words().is_empty(),
            _ => {
                let (up, scale) = if look.name.ends_with("-compose") {
                    ("up|create", "scale")
                } else {
                    ("compose up|create", "compose|service scale")
                };
                call.verbs(scale) && call.operands.iter().any(|w| w.text().ends_with("=0"))
                    || call.verbs(up)
                        && (call.has('V', "renew-anon-volumes")
                            || call.values('\0', "scale").any(|v| v.ends_with("=0")))
                    || call.verbs("buildx rm") && call.has_any(&["-f", "--force", "--all-inactive"])
                    || call.verbs("node update")
                        && call.is('\0', "availability", &["drain", "pause"])
                    || look.has_word("drain") && call.verbs("node update")
            }
        };
        if special {
            return Some(look.hit());
        }
        let rows = STATES
            .iter()
            .filter(|(tools, ..)| tools.contains(&look.name));
        let (.., reason) = rows.into_iter().find(|(_, verbs, _)| call.any(verbs))?;
        Some(look.hit().reason(*reason))
    }),
    matches: &[
        "docker volume rm data",
        "docker stack rm app",
        "docker context rm prod -f",
        "podman system reset -f",
        "docker swarm leave --force",
        "docker service rm api",
        "kamal accessory remove all -y",
        "colima delete",
        "virsh destroy vm1",
        "qm destroy 100",
        "docker service scale web=0",
        "docker node update --availability drain n1",
        "wsl --unregister Ubuntu",
        "skopeo delete docker://registry.example.net/a:1",
        "crane delete registry.example.net/a:1",
        "regctl tag rm registry.example.net/a:1",
        "runc delete -f x",
        "lxc-destroy -n c1",
        "orbctl delete x",
        "toolbox rm --all",
        "rdctl factory-reset",
        "docker compose up -d --renew-anon-volumes",
        "docker compose up -d --scale web=0",
        "docker buildx rm --all-inactive --force",
    ],
    near_misses: &["docker volume prune", "docker service ls"],
    safe: &[
        "docker volume ls",
        "docker volume create data",
        "docker network create n",
        "docker context use prod",
        "skopeo inspect docker://alpine",
        "skopeo copy docker://a dir:b",
        "crane ls alpine",
        "docker compose up -d --scale worker=3",
        "docker buildx rm b",
        "docker stack deploy -c x.yml app",
        "colima start",
        "virsh list --all",
    ],
    ..Rule::ASK
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_looked_at() {
        for tool in STATES.iter().flat_map(|(tools, ..)| *tools) {
            assert!(STATE_TOOLS.contains(tool), "{tool}");
        }
    }
}
