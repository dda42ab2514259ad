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
            "docker", "podman", "nerdctl", "crictl", "ctr", "lxc", "incus",
        ],
        |look| {
            let call = Call::of(look);
            let verbs: &[&str] = match look.name {
                "crictl" => &["rm|rmp"],
                "ctr" => &["container|containers|c rm|delete|del|remove"],
                "lxc" | "incus" => &["delete|rm"],
                _ => &["rm|remove", "container rm|remove", "pod rm", "machine rm"],
            };
            if !call.any(verbs) {
                return None;
            }
            // A container that runs, or that has data of its own, isn't removed without these.
            let forced = call.has('f', "force")
                || call.has('v', "volumes")
                || call.has('a', "all")
                || call.verbs("machine rm")
                || call.verbs("pod rm")
                || !ENGINES.contains(&look.name) && look.name != "crictl";
            (forced || is_computed(&call)).then(|| look.hit())
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
    ],
    near_misses: &["docker rm web", "docker rmi -f x"],
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
        &["docker", "podman", "nerdctl", "crictl", "buildah"],
        |look| {
            let call = Call::of(look);
            let found = call.any(&["rmi", "image rm|remove", "manifest rm"]);
            let wide = call.has('f', "force")
                || call.has('a', "all")
                || call.has('\0', "prune")
                || is_computed(&call);
            (found && wide).then(|| look.hit())
        },
    ),
    matches: &[
        "docker rmi -f $(docker images -q)",
        "docker image rm --force x",
        "podman rmi -a",
        "crictl rmi --prune",
        "docker images -q | xargs docker rmi",
    ],
    near_misses: &["docker rmi app:old"],
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
    test: Test::Program(ENGINES, prune),
    matches: &[
        "docker volume prune -f",
        "docker system prune --volumes --force",
        "docker system prune -af",
        "docker container prune -f",
        "docker image prune -a",
        "docker network prune",
        "podman system prune",
        "podman pod prune",
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
    // A build cache is made again; images without a name are left over from builds.
    if call.any(&["builder|buildx prune"]) {
        return None;
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
    (ENGINES, &["context rm|remove", "network rm|remove", "plugin rm|disable", "machine reset"],
        "This removes what containers are reached or run with."),
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
    (&["VBoxManage"], &["unregistervm|closemedium", "controlvm * poweroff|reset", "snapshot * delete|restore"],
        "This stops or deletes a virtual machine or its disks."),
];

pub(super) const STATE: Rule = Rule {
    id: "containers.remove-state",
    class: "docker",
    severity: Severity::High,
    keys: &[Key::ours("remove volumes, services or hosts of containers")],
    reason: "This removes what containers can't do without.",
    alternative: Some("List what there is first: `docker volume ls`."),
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "docker",
            "podman",
            "nerdctl",
            "crictl",
            "kamal",
            "mrsk",
            "docker-machine",
            "colima",
            "limactl",
            "multipass",
            "lxc",
            "incus",
            "pct",
            "qm",
            "virsh",
            "VBoxManage",
            "wsl",
        ],
        |look| {
            let call = Call::of(look);
            // Tools whose verb is an option, or a value.
            let special = match look.name {
                "wsl" => look.has_word("--unregister"),
                _ => {
                    call.verbs("service scale")
                        && call.operands.iter().any(|w| w.text().ends_with("=0"))
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
        },
    ),
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
    ],
    near_misses: &["docker volume prune", "docker service ls"],
    safe: &[
        "docker volume ls",
        "docker volume create data",
        "docker network create n",
        "docker context use prod",
        "docker stack deploy -c x.yml app",
        "colima start",
        "virsh list --all",
    ],
    ..Rule::ASK
};
