//! Containers and stacks that are stopped.

use super::super::subcommands::Call;
use crate::rule::{Help, Key, Rule, Severity, Test};

const COMPOSE_KEY: Key = Key::from19("docker compose restart/stop/kill/down (container lifecycle)");
const CONTAINER_KEY: Key = Key::from19("docker restart/stop/kill (container lifecycle)");

pub(super) const COMPOSE: Rule = Rule {
    id: "containers.compose-lifecycle",
    class: "docker",
    keys: &[COMPOSE_KEY],
    reason: "This stops the services of a compose project.",
    alternative: Some("See what runs first with `docker compose ps`."),
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "docker",
            "podman",
            "nerdctl",
            "docker-compose",
            "podman-compose",
        ],
        |look| {
            let call = Call::of(look);
            let verbs = if look.name.ends_with("-compose") {
                "restart|stop|kill|down|rm|pause"
            } else {
                "compose restart|stop|kill|down|rm|pause"
            };
            if !call.verbs(verbs) || call.is_rehearsal() {
                return None;
            }
            let hit = look.hit();
            let down = call.verbs("compose down") || call.verbs("down");
            if down && (call.has('v', "volumes") || call.has('\0', "rmi")) {
                return Some(hit.severity(Severity::High).reason(
                    "This removes the services of a compose project together with their data.",
                ));
            }
            Some(hit)
        },
    ),
    matches: &[
        "docker compose down",
        "docker compose -f prod.yml -p app down -v",
        "docker-compose down --volumes",
        "docker --context prod compose kill",
        "docker compose rm -sf",
        "podman compose stop web",
        "docker compose --profile x restart",
        "sudo docker-compose -f a.yml stop",
    ],
    near_misses: &[
        "docker compose run --rm web stop",
        "docker compose logs down",
    ],
    safe: &[
        "docker compose up -d",
        "docker compose ps",
        "docker compose -f x.yml logs -f web",
        "docker compose down --help",
        "docker compose --dry-run down",
        "docker compose exec web ls",
        "docker-compose build",
    ],
    ..Rule::ASK
};

pub(super) const CONTAINER: Rule = Rule {
    id: "containers.lifecycle",
    class: "docker",
    keys: &[CONTAINER_KEY],
    reason: "This stops running containers.",
    alternative: Some("See what runs first with `docker ps`."),
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "docker",
            "podman",
            "nerdctl",
            "crictl",
            "ctr",
            "lxc",
            "incus",
            "limactl",
            "machinectl",
            "multipass",
        ],
        |look| {
            let call = Call::of(look);
            let found = match look.name {
                "crictl" => call.verbs("stop|stopp"),
                "ctr" => call.any(&["task|tasks|t kill|rm", "tasks pause"]),
                "lxc" | "incus" => call.verbs("stop|restart"),
                "multipass" | "limactl" => call.verbs("stop|restart"),
                "machinectl" => call.verbs("poweroff|reboot|terminate|kill|stop"),
                _ => call.any(&[
                    "stop|restart|kill|pause",
                    "container stop|restart|kill|pause",
                    "pod stop|restart|kill",
                    "machine stop",
                    "desktop stop|restart|disable",
                    "buildx stop",
                    "pod pause",
                ]),
            };
            found.then(|| look.hit())
        },
    ),
    matches: &[
        "docker stop web",
        "docker -H tcp://h:2375 kill -s HUP web",
        "docker container restart web",
        "docker stop $(docker ps -q)",
        "podman kill -a",
        "podman pod stop p",
        "nerdctl stop x",
        "crictl stop abc",
    ],
    near_misses: &["docker rm -f a", "docker compose down"],
    safe: &[
        "docker start web",
        "docker ps --filter name=stop",
        "docker logs stop",
        "docker stop --help",
        "docker run --restart always -d nginx",
        "docker inspect restart",
    ],
    ..Rule::ASK
};
