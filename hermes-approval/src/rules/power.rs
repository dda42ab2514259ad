//! The running system, short of stopping it (that is hardline).

use crate::rule::{Help, Key, Pack, Rule, Severity, Test};

pub(super) static PACK: Pack = Pack {
    name: "power",
    about: "sleep, run levels, and stopping machines that run on this one",
    rules: &[SUSPEND, RUNLEVEL, GUEST, KERNEL],
};

const SUSPEND: Rule = Rule {
    id: "power.suspend",
    class: "power",
    severity: Severity::Medium,
    keys: &[Key::ours("suspend or log out")],
    reason: "This suspends the machine or ends sessions, and with it everything that is running.",
    alternative: Some("Ask the user to do it."),
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "systemctl",
            "loginctl",
            "pm-suspend",
            "pm-hibernate",
            "pmset",
            "rtcwake",
            "zzz",
        ],
        |look| {
            let suspends = match look.name {
                "systemctl" => matches!(
                    look.operand(0),
                    Some(
                        "suspend"
                            | "hibernate"
                            | "hybrid-sleep"
                            | "suspend-then-hibernate"
                            | "exit"
                            | "switch-root"
                    )
                ),
                "loginctl" => matches!(
                    look.operand(0),
                    Some(
                        "suspend"
                            | "hibernate"
                            | "hybrid-sleep"
                            | "terminate-session"
                            | "terminate-user"
                            | "kill-session"
                            | "kill-user"
                            | "terminate-seat"
                    )
                ),
                "pmset" => matches!(
                    look.operand(0),
                    Some("sleepnow" | "displaysleepnow" | "schedule" | "repeat")
                ),
                "rtcwake" => !matches!(
                    look.value('m', "mode"),
                    Some("no" | "show" | "on" | "disable")
                ),
                _ => true,
            };
            suspends.then(|| look.hit())
        },
    ),
    matches: &[
        "systemctl suspend",
        "loginctl terminate-user bob",
        "pmset sleepnow",
    ],
    near_misses: &["systemctl status"],
    safe: &["loginctl list-sessions", "pmset -g", "uptime"],
    ..Rule::ASK
};

const RUNLEVEL: Rule = Rule {
    id: "power.runlevel",
    class: "power",
    severity: Severity::High,
    keys: &[Key::ours("change run level or default target")],
    reason: "This stops most services, or changes what the machine starts into.",
    alternative: Some("Stop the one service that is meant."),
    help: Help::Anywhere,
    test: Test::Program(&["init", "telinit", "systemctl", "runlevel"], |look| {
        let changes = match look.name {
            "systemctl" => matches!(look.operand(0), Some("isolate" | "set-default" | "default")),
            "init" | "telinit" => {
                matches!(
                    look.operand(0),
                    Some("1" | "2" | "3" | "4" | "5" | "s" | "S" | "single" | "q")
                ) && look.operands().len() == 1
            }
            _ => false,
        };
        changes.then(|| look.hit())
    }),
    matches: &[
        "init 1",
        "telinit 3",
        "systemctl isolate multi-user.target",
        "systemctl set-default graphical.target",
    ],
    near_misses: &["systemctl get-default"],
    safe: &["systemctl get-default", "runlevel"],
    ..Rule::ASK
};

const GUEST: Rule = Rule {
    id: "power.guest",
    class: "power",
    severity: Severity::Medium,
    keys: &[Key::ours("stop or destroy a virtual machine")],
    reason: "This stops a virtual machine, or deletes it with its disks.",
    alternative: Some("Show them with `virsh list --all`."),
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "virsh",
            "vboxmanage",
            "VBoxManage",
            "vagrant",
            "multipass",
            "qm",
            "xe",
            "limactl",
            "lxc",
            "incus",
            "prlctl",
        ],
        |look| {
            let first = look.operand(0)?;
            let stops = match look.name {
                "virsh" => matches!(
                    first,
                    "destroy"
                        | "undefine"
                        | "shutdown"
                        | "reboot"
                        | "reset"
                        | "vol-delete"
                        | "pool-destroy"
                        | "pool-delete"
                        | "net-destroy"
                        | "net-undefine"
                        | "snapshot-delete"
                ),
                "vagrant" => matches!(first, "destroy" | "halt") || look.verbs(&["box", "remove"]),
                "vboxmanage" | "VBoxManage" => {
                    first == "unregistervm"
                        || first == "closemedium"
                        || first == "controlvm"
                            && matches!(look.operand(2), Some("poweroff" | "reset"))
                }
                "qm" => matches!(first, "destroy" | "stop" | "shutdown" | "reset"),
                "xe" => matches!(
                    first,
                    "vm-destroy" | "vm-uninstall" | "vm-shutdown" | "vm-reboot"
                ),
                "prlctl" => matches!(first, "delete" | "stop" | "unregister"),
                _ => matches!(first, "delete" | "rm" | "stop" | "purge"),
            };
            stops.then(|| look.hit())
        },
    ),
    matches: &[
        "virsh destroy vm1",
        "vagrant destroy -f",
        "VBoxManage unregistervm x --delete",
        "lxc delete -f web",
    ],
    near_misses: &["virsh list"],
    safe: &["vagrant status", "multipass list", "lxc list"],
    ..Rule::ASK
};

const KERNEL: Rule = Rule {
    id: "power.kernel-setting",
    class: "sysconf-write",
    severity: Severity::Medium,
    keys: &[Key::ours("change the running kernel")],
    reason: "This changes a setting of the running kernel, or what is loaded into it.",
    alternative: Some("Show the setting with `sysctl net.ipv4.ip_forward`."),
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "sysctl",
            "modprobe",
            "insmod",
            "rmmod",
            "kmod",
            "setenforce",
            "kextload",
            "kextunload",
        ],
        |look| {
            let changes = match look.name {
                "sysctl" => {
                    look.has('w', "write")
                        || look.has('p', "load")
                        || look.has('\0', "system")
                        || look.operands().iter().any(|w| w.text().contains('='))
                }
                "modprobe" => {
                    !look.operands().is_empty()
                        && !look.has('n', "dry-run")
                        && !look.has('D', "show-depends")
                }
                "kmod" => matches!(
                    look.operand(0),
                    Some("load" | "insert" | "unload" | "remove")
                ),
                _ => !look.words().is_empty(),
            };
            changes.then(|| look.hit())
        },
    ),
    matches: &[
        "sysctl -w net.ipv4.ip_forward=1",
        "sysctl vm.swappiness=10",
        "modprobe -r nvidia",
        "insmod x.ko",
        "setenforce 0",
    ],
    near_misses: &["sysctl net.ipv4.ip_forward", "modprobe -n x"],
    safe: &["sysctl -a", "lsmod", "getenforce"],
    ..Rule::ASK
};
