//! Containers that get hold of the host.

use super::super::named_paths;
use super::super::subcommands::Call;
use super::ENGINES;
use crate::look::Look;
use crate::paths::{Place, Tree, is_below};
use crate::rule::{Help, Hit, Key, Rule, Severity, Test};

const CREATES: &[&str] = &["run|create", "container run|create", "compose run"];
const ENTERS: &[&str] = &["exec", "container exec", "compose exec"];

/// Options that take the walls down.
const WALLS: &[(&str, &[&str])] = &[
    (
        "cap-add",
        &[
            "ALL",
            "all",
            "SYS_ADMIN",
            "CAP_SYS_ADMIN",
            "SYS_PTRACE",
            "SYS_MODULE",
            "SYS_RAWIO",
            "DAC_READ_SEARCH",
        ],
    ),
    ("pid", &["host"]),
    ("ipc", &["host"]),
    ("uts", &["host"]),
    ("userns", &["host"]),
    ("cgroupns", &["host"]),
    (
        "security-opt",
        &[
            "seccomp=unconfined",
            "apparmor=unconfined",
            "seccomp:unconfined",
            "apparmor:unconfined",
            "label=disable",
            "label:disable",
            "systempaths=unconfined",
        ],
    ),
];

pub(super) const PRIVILEGED: Rule = Rule {
    id: "containers.privileged",
    class: "docker",
    severity: Severity::High,
    keys: &[Key::ours("run container with the rights of the host")],
    reason: "A container with these options can do on the host what root can.",
    alternative: Some("Give it only what it needs: `docker run --cap-add NET_ADMIN alpine`."),
    help: Help::Anywhere,
    test: Test::Program(ENGINES, |look| {
        let call = Call::of(look);
        if call.any(ENTERS) {
            return call.has('\0', "privileged").then(|| look.hit());
        }
        if !call.any(CREATES) {
            return None;
        }
        let device = call.values('\0', "device").any(|d| {
            let source = d.split(':').next().unwrap_or(d);
            Place::of(source, look.scope.env) == Some(Place::Device)
        });
        let open = WALLS
            .iter()
            .any(|(name, values)| call.is('\0', name, values));
        (call.has('\0', "privileged") || device || open).then(|| look.hit())
    }),
    matches: &[
        "docker run --privileged alpine sh",
        "docker run --rm -it --pid=host alpine sh",
        "podman run --cap-add SYS_ADMIN x",
        "docker run --security-opt seccomp=unconfined x",
        "docker run --device /dev/sda:/dev/sda x",
        "docker exec --privileged web sh",
    ],
    near_misses: &[
        "docker run alpine --privileged",
        "docker run --privileged=false alpine",
    ],
    safe: &[
        "docker run --rm alpine echo hi",
        "docker run --network host nginx",
        "docker run --cap-add NET_ADMIN x",
        "docker run -it --gpus all --ipc private pytorch",
        "docker run --device /dev/fuse x",
    ],
    ..Rule::ASK
};

pub(super) const HOST_MOUNT: Rule = Rule {
    id: "containers.host-mount",
    class: "docker",
    severity: Severity::High,
    keys: &[Key::ours(
        "mount a system tree of the host into a container",
    )],
    reason: "The container can read and change this part of the host as root.",
    alternative: Some("Mount the one folder it needs: `docker run -v \"$PWD\":/app alpine`."),
    help: Help::Anywhere,
    test: Test::Program(ENGINES, host_mount),
    matches: &[
        "docker run -v /:/host alpine chroot /host",
        "docker run --rm -v $HOME:/host alpine ls /host",
        "docker run -v /var/run/docker.sock:/var/run/docker.sock x",
        "docker run --mount type=bind,source=/etc,target=/e x",
        "podman run -v /etc:/etc:ro x",
        "docker run --volume=/root/.ssh:/k x",
    ],
    near_misses: &["docker run -v data:/var/lib/postgresql/data postgres"],
    safe: &[
        "docker run -v \"$PWD\":/app -w /app node npm test",
        "docker run -v $(pwd):/src alpine ls",
        "docker run -v ./data:/data x",
        "docker run -v ~/.cache/pip:/root/.cache/pip x",
        "docker run --mount type=volume,source=data,target=/d x",
        "docker run -v /etc/localtime:/etc/localtime:ro x",
    ],
    ..Rule::ASK
};

fn host_mount(look: &Look<'_>) -> Option<Hit> {
    let call = Call::of(look);
    if !call.any(CREATES) {
        return None;
    }
    let volumes = call
        .values('v', "volume")
        .filter_map(|v| v.split_once(':').map(|(source, _)| source));
    let mounts = call.values('\0', "mount").filter_map(|m| {
        m.split(',')
            .find_map(|f| f.strip_prefix("source=").or_else(|| f.strip_prefix("src=")))
    });
    let source = volumes.chain(mounts).find(|source| is_host(look, source))?;
    Some(if source.ends_with(".sock") {
        look.hit()
            .reason("Whoever reaches this socket can start containers as root of the host.")
    } else {
        look.hit()
    })
}

fn is_host(look: &Look<'_>, source: &str) -> bool {
    let env = look.scope.env;
    if source.ends_with("docker.sock")
        || source.ends_with("podman.sock")
        || source.ends_with("containerd.sock")
    {
        return true;
    }
    let tree = named_paths::tree(look, source);
    tree.is_some_and(|t| t >= Tree::HermesHome)
        || matches!(
            Place::of(source, env),
            Some(Place::Ssh | Place::HermesConfig)
        )
        || is_below(source, "/var/lib/docker")
}

pub(super) const COPY_INTO: Rule = Rule {
    id: "containers.copy-system-file",
    class: "docker",
    keys: &[Key::ours("copy file into the system of a container")],
    reason: "This replaces a system file inside a container.",
    alternative: Some("Copy to a folder of the application: `docker cp conf.yml web:/app/`."),
    help: Help::Anywhere,
    test: Test::Program(&["docker", "podman", "nerdctl", "kubectl", "oc"], |look| {
        let call = Call::of(look);
        if !call.any(&["cp", "container cp", "compose cp"]) {
            return None;
        }
        let target = call.operands.last()?;
        let (_, path) = target.known()?.split_once(':')?;
        let place = Place::of(path, look.scope.env)?;
        let found = (place.is_system() || place.is_personal()) && !is_application(path);
        found.then(|| look.hit_word(target))
    }),
    matches: &[
        "docker cp evil db:/etc/passwd",
        "podman cp x c:/usr/bin/y",
        "docker cp x c:/etc/cron.d/x",
        "docker cp x c:/etc/app/../passwd",
        "kubectl cp k ns/pod:/root/.ssh/authorized_keys",
    ],
    near_misses: &[
        "docker cp db:/etc/passwd .",
        "docker cp conf.yml web:/etc/app/",
    ],
    safe: &[
        "docker cp conf.yml web:/app/",
        "docker cp nginx.conf web:/etc/nginx/nginx.conf",
        "docker cp web:/var/log/x.log .",
    ],
    ..Rule::ASK
};

/// Folders of `/etc` that decide who may do what and what runs by itself.
#[rustfmt::skip]
const SYSTEM_FOLDERS: &[&str] = &[
    "alternatives", "apt", "ca-certificates", "cron.d", "cron.daily", "cron.hourly", "cron.monthly", "cron.weekly",
    "crypto-policies", "dbus-1", "default", "gss", "init", "init.d", "kernel", "ld.so.conf.d", "modprobe.d",
    "modules-load.d", "network", "NetworkManager", "pam.d", "pki", "polkit-1", "ppp", "profile.d", "rc.d", "security",
    "selinux", "skel", "ssh", "ssl", "sudoers.d", "sysctl.d", "systemd", "udev", "X11", "xdg", "yum.repos.d",
];

/// True for a place in a folder of `/etc` that belongs to an application: in a container that is
/// where its settings go.
fn is_application(path: &str) -> bool {
    let Some((folder, _)) = path.strip_prefix("/etc/").and_then(|p| p.split_once('/')) else {
        return false;
    };
    let system = SYSTEM_FOLDERS.contains(&folder) || folder.starts_with("rc");
    !system
        && !path.split('/').any(|part| part == "..")
        && folder.starts_with(|c: char| c.is_ascii_alphanumeric())
}
