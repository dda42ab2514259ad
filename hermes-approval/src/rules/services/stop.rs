//! Stopping, restarting and disabling services.

use super::SERVICE;
use crate::look::Look;
use crate::platform::Platform;
use crate::rule::{Hit, Key, Rule, Severity, Test};

pub(super) const STOP_KEY: Key = Key::both("stop/restart system service");
const MANAGER_KEY: Key = Key::ours("stop/restart service by its manager");

/// What stops a unit or keeps it from starting.
const STOPS: &[&str] = &[
    "condrestart",
    "disable",
    "force-reload",
    "mask",
    "reload-or-restart",
    "restart",
    "stop",
    "try-reload-or-restart",
    "try-restart",
];

pub(super) const SYSTEMCTL: Rule = Rule {
    id: "service.stop",
    severity: Severity::Medium,
    keys: &[STOP_KEY],
    reason: "This stops a service, if only for a moment, or keeps it from starting.",
    alternative: Some("Look at it first: `systemctl status nginx`."),
    test: Test::Program(&["systemctl"], |look| {
        if look.has('\0', "dry-run") {
            return None;
        }
        let verb = look.operands().first()?;
        verb.candidates()
            .any(|c| STOPS.contains(&c))
            .then(|| look.hit())
    }),
    matches: &[
        "systemctl stop nginx",
        "systemctl --user stop a",
        "systemctl restart nginx",
        "systemctl disable --now sshd",
        "systemctl mask firewalld",
        "systemctl try-restart nginx",
        "systemctl -H web stop nginx",
        "ssh host 'sudo systemctl restart app'",
    ],
    near_misses: &[
        "systemctl status a",
        "systemctl kill sshd",
        "systemctl start a",
    ],
    safe: &[
        "systemctl list-units --state=failed",
        "systemctl cat sshd",
        "systemctl --help | grep stop",
        "sudo systemctl status nginx",
        "systemctl is-active stop",
        "systemctl daemon-reload",
        "systemctl start nginx",
        "systemctl enable nginx",
        "systemctl show -p MainPID restart.service",
        "systemctl reload nginx",
        "journalctl -u nginx -n 50",
    ],
    ..SERVICE
};

/// Other verbs that change units or the system.
const CHANGES: &[&str] = &[
    "add-requires",
    "add-wants",
    "cancel",
    "clean",
    "edit",
    "emergency",
    "freeze",
    "isolate",
    "kill",
    "link",
    "preset",
    "preset-all",
    "rescue",
    "revert",
    "set-default",
    "set-environment",
    "set-property",
    "switch-root",
];

pub(super) const SYSTEMCTL_CHANGE: Rule = Rule {
    id: "service.change",
    severity: Severity::Medium,
    keys: &[Key::ours("kill or change system service")],
    reason: "This kills the processes of a service or changes how the system starts.",
    alternative: Some("Look at it first: `systemctl status nginx`."),
    test: Test::Program(&["systemctl", "loginctl"], |look| {
        let verb = look.operands().first()?;
        let changes = match look.name {
            "systemctl" => verb.candidates().any(|c| CHANGES.contains(&c)),
            _ => verb
                .candidates()
                .any(|c| c.starts_with("terminate-") || c.starts_with("kill-")),
        };
        changes.then(|| look.hit())
    }),
    matches: &[
        "systemctl kill sshd",
        "systemctl isolate rescue.target",
        "systemctl set-default multi-user.target",
        "systemctl set-property nginx CPUQuota=1%",
        "loginctl terminate-user bob",
    ],
    near_misses: &[
        "systemctl show-environment",
        "systemctl get-default",
        "systemctl stop a",
    ],
    safe: &["loginctl list-sessions", "systemctl list-dependencies"],
    ..SERVICE
};

/// Managers of services and what stops something there: all words must follow each other as
/// operands; `*` is any name.
#[rustfmt::skip]
static MANAGERS: &[(&str, &[&[&str]])] = &[
    ("catalina.sh", &[&["stop"]]),
    ("circusctl", &[&["quit"], &["stop"], &["restart"], &["rm"]]),
    ("dinitctl", &[&["stop"], &["restart"], &["shutdown"], &["disable"], &["unpin"]]),
    ("elasticsearch-service", &[&["stop"], &["remove"]]),
    ("eye", &[&["stop"], &["quit"], &["restart"], &["delete"]]),
    ("god", &[&["stop"], &["quit"], &["terminate"], &["restart"], &["remove"]]),
    ("herd", &[&["stop"], &["restart"], &["disable"]]),
    ("portablectl", &[&["detach"], &["remove"]]),
    ("postfix", &[&["stop"], &["abort"], &["reload"]]),
    ("rcctl", &[&["stop"], &["restart"], &["disable"]]),
    ("svcadm", &[&["disable"], &["restart"], &["mark"]]),
    ("zkServer.sh", &[&["stop"], &["restart"]]),
    ("apachectl", &[&["stop"], &["restart"], &["graceful-stop"]]),
    ("apache2ctl", &[&["stop"], &["restart"], &["graceful-stop"]]),
    ("asadmin", &[&["stop-domain"], &["undeploy"]]),
    (
        "brew",
        &[
            &["services", "stop"],
            &["services", "restart"],
            &["services", "kill"],
        ],
    ),
    ("chkconfig", &[&["*", "off"]]),
    (
        "forever",
        &[&["stop"], &["stopall"], &["restart"], &["restartall"]],
    ),
    ("initctl", &[&["stop"], &["restart"]]),
    (
        "invoke-rc.d",
        &[&["*", "stop"], &["*", "restart"], &["*", "force-reload"]],
    ),
    (
        "launchctl",
        &[
            &["bootout"],
            &["disable"],
            &["kill"],
            &["kickstart"],
            &["reboot"],
            &["remove"],
            &["stop"],
            &["unload"],
        ],
    ),
    (
        "monit",
        &[&["stop"], &["restart"], &["unmonitor"], &["quit"]],
    ),
    ("passenger-config", &[&["restart-app"]]),
    (
        "pg_ctlcluster",
        &[&["*", "*", "stop"], &["*", "*", "restart"]],
    ),
    (
        "pm2",
        &[
            &["stop"],
            &["delete"],
            &["del"],
            &["kill"],
            &["restart"],
            &["unstartup"],
        ],
    ),
    (
        "rc-service",
        &[&["*", "stop"], &["*", "restart"], &["*", "zap"]],
    ),
    ("rc-update", &[&["del"], &["delete"]]),
    (
        "service",
        &[
            &["*", "stop"],
            &["*", "restart"],
            &["*", "force-reload"],
            &["*", "force-stop"],
        ],
    ),
    ("snap", &[&["stop"], &["restart"], &["disable"]]),
    (
        "supervisorctl",
        &[
            &["stop"],
            &["restart"],
            &["shutdown"],
            &["remove"],
            &["reload"],
            &["signal"],
        ],
    ),
    (
        "sv",
        &[
            &["stop"],
            &["down"],
            &["d"],
            &["exit"],
            &["kill"],
            &["restart"],
            &["force-stop"],
            &["force-restart"],
            &["force-shutdown"],
            &["shutdown"],
            &["term"],
        ],
    ),
    (
        "update-rc.d",
        &[
            &["*", "remove"],
            &["*", "disable"],
            &["*", "defaults-disabled"],
        ],
    ),
];

/// Managers that are told by an option.
static SIGNALS: &[(&str, &str)] = &[
    ("nginx", "s"),
    ("s6-svc", "dkKtrx"),
    ("svc", "dktx"),
    ("httpd", "k"),
    ("caddy", ""),
    ("exim", ""),
    ("exim4", ""),
    ("insserv", "r"),
    ("postsuper", "dH"),
];

#[rustfmt::skip]
const PROGRAMS: &[&str] = &[
    "apache2ctl", "apachectl", "asadmin", "brew", "caddy", "cancel", "catalina.sh", "chkconfig",
    "circusctl", "cupsdisable", "dinitctl", "elasticsearch-service", "exim", "exim4", "eye", "forever",
    "god", "herd", "httpd", "initctl", "insserv", "invoke-rc.d", "journalctl", "kafka-server-stop",
    "kafka-server-stop.sh", "launchctl", "lprm", "mongod", "monit", "nginx", "passenger-config",
    "pg_ctlcluster", "pm2", "portablectl", "postfix", "postsuper", "rc-service", "rc-update", "rcctl",
    "s6-rc", "s6-svc", "service", "snap", "supervisorctl", "sv", "svc", "svcadm", "systemd-tmpfiles",
    "update-rc.d", "zkServer.sh", "zookeeper-server-stop",
];

pub(super) const MANAGER: Rule = Rule {
    id: "service.manager",
    severity: Severity::Medium,
    keys: &[MANAGER_KEY],
    accepts: &[STOP_KEY],
    reason: "This stops a service, if only for a moment, or keeps it from starting.",
    alternative: Some("Look at it first: `service nginx status`."),
    test: Test::Program(PROGRAMS, manages),
    matches: &[
        "service mysql stop",
        "sudo service nginx restart",
        "launchctl bootout system/com.x",
        "launchctl unload -w x.plist",
        "launchctl kickstart -k gui/501/x",
        "rc-service sshd stop",
        "update-rc.d ssh remove",
        "chkconfig sshd off",
        "supervisorctl stop all",
        "supervisorctl -c x.conf stop all",
        "pm2 delete all",
        "sv down nginx",
        "svc -d /service/x",
        "s6-svc -d /run/service/gateway",
        "s6-rc -d change x",
        "brew services stop postgresql",
        "nginx -s stop",
        "pg_ctlcluster 15 main stop",
        "snap stop lxd",
        "rcctl stop httpd",
        "svcadm disable ssh",
        "postsuper -d ALL",
        "exim -Mrm 1abc-000000-Ab",
        "kafka-server-stop.sh",
        "mongod --shutdown",
        "journalctl --vacuum-time=1s",
        "systemd-tmpfiles --remove",
    ],
    near_misses: &[
        "service nginx status",
        "launchctl list",
        "nginx -t",
        "nginx -s reload",
    ],
    safe: &[
        "service --status-all",
        "pm2 list",
        "pm2 logs stop",
        "supervisorctl status",
        "brew services list",
        "launchctl print system/com.x",
        "sv status nginx",
        "pm2 start app.js",
        "brew install stop",
        "journalctl -u nginx --since today",
        "journalctl --disk-usage",
        "mongod --dbpath data",
        "systemd-tmpfiles --create",
    ],
    ..SERVICE
};

fn manages(look: &Look<'_>) -> Option<Hit> {
    let rows = MANAGERS.iter().filter(|(name, _)| *name == look.name);
    let by_verb = rows
        .flat_map(|(_, orders)| *orders)
        .any(|order| follows(look, order));
    let by_option = match look.name {
        "kafka-server-stop"
        | "kafka-server-stop.sh"
        | "zookeeper-server-stop"
        | "cupsdisable"
        | "lprm" => true,
        "cancel" => look.has('a', ""),
        "mongod" => look.has_word("--shutdown"),
        "exim" | "exim4" => look
            .words()
            .iter()
            .any(|w| matches!(w.known(), Some("-Mrm" | "-Mf"))),
        "journalctl" => look
            .words()
            .iter()
            .any(|w| w.known_prefix().starts_with("--vacuum-")),
        "systemd-tmpfiles" => {
            (look.has_word("--remove") || look.has_word("--purge")) && !look.has_word("--dry-run")
        }
        "nginx" => look
            .words()
            .iter()
            .any(|w| matches!(w.known(), Some("stop" | "quit" | "-sstop" | "-squit"))),
        "httpd" => look.has_word("stop") || look.has_word("restart"),
        "caddy" => look.verbs(&["stop"]),
        "s6-rc" => look.has('d', "") && look.has_word("change"),
        name => SIGNALS
            .iter()
            .filter(|(known, _)| *known == name)
            .any(|(_, letters)| letters.chars().any(|letter| look.has(letter, ""))),
    };
    let deletes = look.name == "chkconfig" && look.has('\0', "del");
    (by_verb || by_option || deletes).then(|| look.hit())
}

fn follows(look: &Look<'_>, order: &[&str]) -> bool {
    let operands = look.operands();
    order.len() <= operands.len()
        && operands
            .iter()
            .zip(order)
            .all(|(word, part)| *part == "*" || word.candidates().any(|c| c == *part))
}

pub(super) const SCRIPT: Rule = Rule {
    id: "service.script",
    severity: Severity::Medium,
    keys: &[Key::ours("stop/restart service by its script")],
    accepts: &[STOP_KEY],
    reason: "This stops a service, if only for a moment.",
    alternative: Some("Look at it first: `/etc/init.d/nginx status`."),
    platforms: &[Platform::Posix],
    test: Test::Any(|look| {
        let program = look.invocation.program()?.known()?;
        if !program.starts_with("/etc/") {
            return None;
        }
        let script = program.starts_with("/etc/init.d/") || program.starts_with("/etc/rc.d/");
        let verb = look.word(0)?;
        (script && (STOPS.contains(&verb) || verb == "force-stop")).then(|| look.hit())
    }),
    matches: &[
        "/etc/init.d/nginx stop",
        "sudo /etc/rc.d/init.d/httpd restart",
    ],
    near_misses: &["/etc/init.d/nginx status", "cat /etc/init.d/nginx stop"],
    safe: &["ls /etc/init.d"],
    ..SERVICE
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_manager_is_looked_at() {
        let names = MANAGERS.iter().map(|(name, _)| name);
        for name in names.chain(SIGNALS.iter().map(|(name, _)| name)) {
            assert!(PROGRAMS.contains(name), "{name}");
        }
    }
}
