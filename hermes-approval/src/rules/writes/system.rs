//! Files of the system.

use super::written::{How, WRITERS, redirected, written};
use super::{REDIRECTION, TEE};
use crate::look::Look;
use crate::paths::Place;
use crate::rule::{Hit, Key, Rule, Severity, Test};

const REDIRECT_KEY: Key = Key::both("overwrite system config");
const OTHER_KEY: Key = Key::ours("write to system path");
const COPY: &[Key] = &[
    Key::from19("copy/move file into system config path"),
    Key::only13("copy/move file into /etc/"),
];
const EDIT_KEY: Key = Key::both("in-place edit of system config");
const EDIT_LONG_KEY: Key = Key::both("in-place edit of system config (long flag)");

pub(super) const REDIRECT: Rule = Rule {
    id: "write.redirect-system",
    class: "sysconf-write",
    severity: Severity::High,
    keys: &[REDIRECT_KEY],
    accepts: &[REDIRECTION],
    reason: "This writes a file of the system.",
    alternative: Some(
        "Write it beside first and show the difference: `diff -u /etc/hosts hosts.new`.",
    ),
    test: Test::Redirect(|look| {
        let (redirect, place) = redirected(look, Place::is_system)?;
        let hit = look.hit_at(redirect.span).reason(reason(place));
        Some(if place == Place::SystemConfig {
            hit
        } else {
            hit.keys(&[OTHER_KEY]).accepts(&[])
        })
    }),
    matches: &[
        "echo x > /etc/passwd",
        "echo '1.2.3.4 a' >> /etc/hosts",
        "echo x >/etc/ld.so.preload",
        "echo evil > /private/etc/hosts",
        "printf x >| /etc/motd",
        "echo x &> /etc/issue",
        "echo x > \"/etc/ho\"\"sts\"",
        "sudo sh -c 'echo x > /etc/hosts'",
        "cat <<EOF > /etc/profile.d/x.sh\nexport A=1\nEOF",
        "echo x > /usr/lib/systemd/system/a.service",
        "echo 1 > /proc/sys/net/ipv4/ip_forward",
        "cd /etc && echo x > hosts",
        "echo x > /etc/$name",
        "echo x > /etc/../etc/hosts",
    ],
    near_misses: &[
        "echo x > etc/hosts",
        "echo '> /etc/passwd'",
        "cat < /etc/hosts",
    ],
    safe: &[
        "echo x > /dev/null",
        "ls /etc 2>/dev/null",
        "cat /etc/hosts > hosts.copy",
        "echo 'see /etc/hosts' > note.txt",
        "echo x > \"$DESTDIR/etc/foo\"",
        "make > /tmp/log 2>&1",
    ],
    ..Rule::ASK
};

fn reason(place: Place) -> &'static str {
    match place {
        Place::Kernel => "This changes a setting of the running kernel.",
        Place::SystemConfig => "This writes system configuration.",
        _ => "This writes a program, a library or data of the system.",
    }
}

pub(super) const FILE: Rule = Rule {
    id: "write.system",
    class: "sysconf-write",
    severity: Severity::High,
    keys: &[OTHER_KEY],
    reason: "This writes a file of the system.",
    alternative: Some(
        "Write it beside first and show the difference: `diff -u /etc/hosts hosts.new`.",
    ),
    test: Test::Program(WRITERS, file),
    matches: &[
        "cat a | tee /etc/resolv.conf",
        "cp sshd_config /etc/ssh/sshd_config",
        "mv x.conf /etc/nginx/",
        "cp -t /etc/nginx x.conf",
        "sudo install -m 644 x /etc/x.conf",
        "sed -i s/no/yes/ /etc/ssh/sshd_config",
        "sed --in-place s/a/b/ /etc/fstab",
        "sed -i '' s/a/b/ /etc/hosts",
        "sed -n -i.bak s/a/b/p /etc/hosts",
        "perl -pi -e s/a/b/ /etc/hosts",
        "ln -sf /tmp/x /etc/localtime",
        "rsync x.conf /etc/",
        "scp x.conf root@web:/etc/nginx/",
        "curl -o /etc/cron.d/x https://files.example.net/x",
        "wget -O /usr/local/bin/tool https://files.example.net/t",
        "cp evil /usr/bin/ls",
        "ed /etc/passwd < script.ed",
        "patch /etc/fstab < a.patch",
        "vim -es +wq /etc/hosts",
        "dd if=x of=/etc/hosts",
        "truncate -s 0 /etc/passwd",
        "touch /etc/nologin",
        "mv /etc/hosts /tmp/",
        "sudo tar -C /etc -xf x.tar",
        "tar -C / -xzf x.tgz",
        "ls | xargs -I{} cp {} /etc/x",
    ],
    near_misses: &[
        "cp a etc/b",
        "cp /etc/hosts ./hosts.copy",
        "sed -n p /etc/x",
    ],
    safe: &[
        "cat /etc/os-release | tee os.txt",
        "cp /etc/hosts .",
        "sed -n 1,5p /etc/fstab",
        "sed s/a/b/ /etc/hosts",
        "sed -i s,/etc/a,/etc/b, conf.txt",
        "mkdir -p build/etc && cp a build/etc/",
        "vim /etc/hosts",
        "diff /etc/hosts hosts.new",
        "ln -s /usr/share/zoneinfo/UTC tz",
        "tar czf etc.tgz /etc",
        "curl -o out.html https://example.net",
        "touch -c /etc/hosts",
    ],
    ..Rule::ASK
};

fn file(look: &Look<'_>) -> Option<Hit> {
    let found = written(look, Place::is_system)?;
    let hit = look.hit_word(found.word).reason(reason(found.place));
    Some(match (found.how, found.place) {
        (How::Tee, _) => hit.keys(&[TEE]),
        (How::Copy | How::Away, Place::SystemConfig) => hit.keys(COPY),
        (How::Sed | How::Perl, Place::SystemConfig) => {
            hit.keys(&[EDIT_KEY]).accepts(&[EDIT_LONG_KEY])
        }
        _ => hit,
    })
}

pub(super) const EDITOR: Rule = Rule {
    id: "write.system-tool",
    class: "sysconf-write",
    severity: Severity::High,
    keys: &[Key::ours("change system settings")],
    reason: "This changes a setting of the whole system.",
    alternative: Some("Look at what is set first: `sysctl -a`, `hostnamectl status`."),
    test: Test::Program(SETTERS, sets),
    matches: &[
        "sysctl -w kernel.panic=1",
        "sysctl kernel.panic=1",
        "sysctl -p",
        "sysctl --system",
        "visudo -f /etc/sudoers.d/x",
        "hostnamectl set-hostname x",
        "hostnamectl hostname x",
        "timedatectl set-ntp false",
        "localectl set-locale LANG=C",
        "hostname evil",
        "date -s 2020-01-01",
        "setenforce 0",
        "update-alternatives --set editor /usr/bin/vim",
        "swapoff -a",
        "insmod evil.ko",
        "rmmod e1000",
        "modprobe -r e1000",
        "hwclock -w",
        "aa-teardown",
        "auditctl -D",
        "defaults write com.apple.dock autohide -bool true",
        "grub-install /dev/sda",
        "csrutil disable",
        "alternatives --install /usr/bin/ls ls /tmp/ls 100",
        "augtool -s set /files/etc/hosts/1/canonical evil",
        "augtool -s <<< 'rm /files/etc/hosts/1'",
        "authselect select minimal",
        "bootctl install",
        "efibootmgr -b 0001 -B",
        "grub-set-default 2",
        "grubby --update-kernel=ALL --args=x",
        "networksetup -setdnsservers Wi-Fi 198.51.100.7",
        "scutil --set HostName evil",
        "trust anchor evil.pem",
        "update-ca-certificates",
        "update-locale LANG=C",
        "pmset -a sleep 0",
        "mkinitcpio -P",
    ],
    near_misses: &["sysctl -a", "hostnamectl", "date -Iseconds"],
    safe: &[
        "sysctl kernel.panic",
        "sysctl -n kernel.panic",
        "visudo -c",
        "hostname",
        "hostname -I",
        "date -d yesterday",
        "date +%s",
        "timedatectl status",
        "timedatectl",
        "localectl",
        "getenforce",
        "lsmod",
        "modprobe -n x",
        "modinfo x",
        "update-alternatives --list editor",
        "defaults read com.apple.dock",
        "hwclock",
        "auditctl -l",
        "hostname --help",
        "alternatives --list",
        "augtool print /files/etc/hosts",
        "authselect current",
        "bootctl status",
        "efibootmgr -v",
        "grubby --info=ALL",
        "networksetup -listallhardwareports",
        "pmset -g",
        "scutil --dns",
        "semodule -l",
        "trust list",
    ],
    ..Rule::ASK
};

/// Programs that change settings of the system.
const SETTERS: &[&str] = &[
    "aa-complain",
    "aa-disable",
    "alternatives",
    "apparmor_parser",
    "augtool",
    "authconfig",
    "authselect",
    "bless",
    "bootctl",
    "debconf-set-selections",
    "dpkg-reconfigure",
    "dracut",
    "efibootmgr",
    "grub-editenv",
    "grub-reboot",
    "grub-set-default",
    "grub2-install",
    "grub2-set-default",
    "grubby",
    "kextload",
    "kextunload",
    "kldload",
    "kldunload",
    "locale-gen",
    "mkinitcpio",
    "networksetup",
    "pam-auth-update",
    "pmset",
    "scutil",
    "semodule",
    "sysrc",
    "systemd-firstboot",
    "trust",
    "update-ca-certificates",
    "update-ca-trust",
    "update-crypto-policies",
    "update-locale",
    "aa-teardown",
    "auditctl",
    "csrutil",
    "date",
    "defaults",
    "grub-install",
    "hostname",
    "hostnamectl",
    "hwclock",
    "insmod",
    "localectl",
    "modprobe",
    "nvram",
    "rmmod",
    "setenforce",
    "setsebool",
    "spctl",
    "swapoff",
    "sysctl",
    "systemsetup",
    "timedatectl",
    "update-alternatives",
    "update-grub",
    "update-initramfs",
    "visudo",
    "vigr",
    "vipw",
];

fn sets(look: &Look<'_>) -> Option<Hit> {
    let operands = look.operands();
    let any = !operands.is_empty();
    let verb = |verbs: &[&str]| look.operand(0).is_some_and(|verb| verbs.contains(&verb));
    let sets = match look.name {
        "sysctl" => {
            look.has('w', "write")
                || look.has('p', "load")
                || look.has('\0', "system")
                || operands.iter().any(|w| w.known_prefix().contains('='))
        }
        "visudo" => !look.has('c', "check") && !look.has('V', "version"),
        "hostnamectl" | "timedatectl" | "localectl" => {
            operands.len() > 1 && look.operand(0).is_some_and(changes)
        }
        "hostname" => {
            any && !look
                .words()
                .iter()
                .any(|w| w.known_prefix().starts_with('-'))
        }
        "date" => look.has('s', "set"),
        "hwclock" => look.has('w', "systohc") || look.has('s', "hctosys") || look.has('\0', "set"),
        "modprobe" => any && !look.has('n', "dry-run") && !look.has('c', "showconfig"),
        "alternatives" | "update-alternatives" => {
            ["set", "remove", "remove-all", "install", "config"]
                .iter()
                .any(|o| look.options().options.iter().any(|given| given.name == *o))
        }
        "defaults" => ["write", "delete", "import"]
            .iter()
            .any(|v| look.verbs(&[v])),
        "csrutil" => look.verbs(&["disable"]),
        "spctl" => look.has_word("--master-disable") || look.has_word("--global-disable"),
        "nvram" => operands.iter().any(|w| w.known_prefix().contains('=')) || look.has('c', ""),
        "systemsetup" => look
            .words()
            .iter()
            .any(|w| w.known_prefix().starts_with("-set")),
        "auditctl" => look.has('D', "") || look.word(0) == Some("-e"),
        "swapoff" => any || look.has('a', "all"),
        "apparmor_parser" => look.has('R', "remove") || look.has('r', "replace"),
        "augtool" => changes_tree(look),
        "authconfig" => look.has('\0', "update") || look.has('\0', "updateall"),
        "authselect" => verb(&[
            "apply-changes",
            "disable-feature",
            "enable-feature",
            "select",
        ]),
        "bless" => look.words().iter().any(|w| w.text().contains("set")),
        "bootctl" => verb(&[
            "install",
            "random-seed",
            "remove",
            "set-default",
            "set-oneshot",
            "update",
        ]),
        "efibootmgr" => ['A', 'B', 'D', 'N', 'O', 'a', 'b', 'c', 'n', 'o', 't']
            .iter()
            .any(|letter| look.has(*letter, "")),
        "grub-editenv" => operands
            .iter()
            .any(|w| matches!(w.text(), "set" | "unset" | "create")),
        "grubby" => look.options().options.iter().any(|o| {
            o.name.starts_with("set-")
                || matches!(
                    o.name,
                    "add-kernel" | "args" | "remove-args" | "remove-kernel" | "update-kernel"
                )
        }),
        "mkinitcpio" => {
            look.has('P', "allpresets") || look.has('p', "preset") || look.has('g', "generate")
        }
        "networksetup" => look.word(0).is_some_and(|w| {
            ["-add", "-create", "-delete", "-remove", "-set"]
                .iter()
                .any(|verb| w.starts_with(verb))
        }),
        "pmset" => any && look.word(0) != Some("-g"),
        "scutil" => look.words().iter().any(|w| w.known() == Some("--set")),
        "semodule" => !look.has('l', "list") && !look.words().is_empty(),
        "sysrc" => look.has('x', "") || operands.iter().any(|w| w.text().contains('=')),
        "trust" => verb(&["anchor"]),
        "update-ca-trust" => !verb(&["check"]),
        "update-crypto-policies" => look.has('\0', "set"),
        "dracut" => !look.has('\0', "list-modules"),
        "update-locale" => any,
        "setenforce" | "setsebool" | "insmod" | "rmmod" | "grub-install" | "aa-disable"
        | "aa-complain" => any,
        _ => true,
    };
    sets.then(|| look.hit())
}

/// Orders of `augtool` that change the tree, on the command line or from its input.
fn changes_tree(look: &Look<'_>) -> bool {
    const ORDERS: &[&str] = &[
        "clear", "ins", "insert", "mv", "rename", "rm", "set", "setm", "touch",
    ];
    let first = |text: &str| {
        let order = text.split_whitespace().next();
        order.is_some_and(|word| ORDERS.contains(&word))
    };
    look.operands().iter().any(|w| ORDERS.contains(&w.text()))
        || look.input().flat_map(str::lines).any(first)
}

fn changes(verb: &str) -> bool {
    verb.starts_with("set-") || matches!(verb, "hostname" | "icon-name" | "chassis" | "location")
}
