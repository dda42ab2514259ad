//! What is let in and out.

use crate::look::Look;
use crate::rule::{Help, Hit, Key, Rule, Severity, Test};

const FIREWALL: Key = Key::ours("change the firewall");

pub(super) const TABLES: Rule = Rule {
    id: "network.firewall-rules",
    class: "network",
    severity: Severity::High,
    keys: &[FIREWALL],
    reason: "This changes what the firewall lets through; the way in may be lost, or opened.",
    alternative: Some("Look at the rules: `iptables -L -n`, `nft list ruleset`."),
    test: Test::Program(
        &[
            "iptables",
            "ip6tables",
            "iptables-nft",
            "iptables-legacy",
            "iptables-restore",
            "ip6tables-restore",
            "ebtables",
            "arptables",
            "ipset",
            "nft",
            "pfctl",
            "ipfw",
        ],
        tables,
    ),
    matches: &[
        "iptables -F",
        "iptables -t nat --flush",
        "sudo iptables -P INPUT ACCEPT",
        "iptables -A INPUT -p tcp --dport 22 -j DROP",
        "ip6tables -D INPUT 1",
        "iptables-restore < rules.v4",
        "nft flush ruleset",
        "nft delete table inet filter",
        "pfctl -d",
        "ipset destroy",
    ],
    near_misses: &["iptables -L -n", "nft list ruleset"],
    safe: &[
        "iptables -nvL",
        "iptables -t nat -S",
        "iptables -C INPUT -j ACCEPT",
        "iptables --version",
        "iptables-restore --test rules.v4",
        "nft -c -f x.nft",
        "pfctl -s rules",
    ],
    ..Rule::ASK
};

fn tables(look: &Look<'_>) -> Option<Hit> {
    let words = || look.words().iter().filter_map(|w| w.known());
    let found = match look.name {
        "nft" => {
            let checks = words().any(|w| {
                w == "--check" || w.starts_with('-') && !w.starts_with("--") && w.contains('c')
            });
            let changes = words().any(|w| {
                w.split([' ', ';']).any(|w| {
                    matches!(
                        w,
                        "flush"
                            | "delete"
                            | "add"
                            | "insert"
                            | "replace"
                            | "reset"
                            | "destroy"
                            | "create"
                    )
                })
            }) || look.has('f', "file");
            changes && !checks
        }
        "pfctl" => words().any(|w| w.starts_with('-') && w.contains(['d', 'F', 'f', 'e', 'k'])),
        "ipfw" => words().any(|w| matches!(w, "flush" | "delete" | "add" | "-f" | "zero")),
        "ipset" => words().any(|w| {
            matches!(
                w,
                "flush" | "destroy" | "del" | "-F" | "-X" | "-D" | "add" | "swap"
            )
        }),
        name if name.ends_with("-restore") => !words().any(|w| matches!(w, "-t" | "--test" | "-h")),
        _ => words().any(|w| match w.strip_prefix("--") {
            Some(long) => matches!(
                long,
                "flush"
                    | "delete-chain"
                    | "delete"
                    | "append"
                    | "insert"
                    | "replace"
                    | "policy"
                    | "zero"
                    | "rename-chain"
            ),
            None => {
                let mut letters = w.strip_prefix('-').unwrap_or("").chars();
                letters.next().is_some_and(|c| {
                    matches!(c, 'F' | 'X' | 'P' | 'D' | 'A' | 'I' | 'R' | 'E' | 'Z')
                })
            }
        }),
    };
    found.then(|| look.hit())
}

pub(super) const FRONT_ENDS: Rule = Rule {
    id: "network.firewall",
    class: "network",
    severity: Severity::High,
    keys: &[FIREWALL],
    reason: "This changes what the firewall lets through; the way in may be lost, or opened.",
    alternative: Some("Look at it: `ufw status`, `firewall-cmd --list-all`."),
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "ufw",
            "gufw",
            "firewall-cmd",
            "csf",
            "fail2ban-client",
            "setenforce",
            "aa-teardown",
            "aa-disable",
            "socketfilterfw",
            "shorewall",
            "shorewall6",
            "ferm",
            "cscli",
        ],
        |look| {
            let found = match look.name {
                "ufw" => {
                    let verb = look.operand(0).unwrap_or("");
                    !look.has('\0', "dry-run")
                        && matches!(
                            verb,
                            "disable"
                                | "reset"
                                | "delete"
                                | "allow"
                                | "deny"
                                | "reject"
                                | "limit"
                                | "enable"
                                | "default"
                                | "route"
                                | "insert"
                                | "prepend"
                                | "reload"
                                | "logging"
                        )
                }
                "firewall-cmd" => look.words().iter().any(|w| {
                    let text = w.known_prefix();
                    [
                        "--add-",
                        "--remove-",
                        "--panic-on",
                        "--set-",
                        "--delete-",
                        "--direct",
                        "--complete-reload",
                        "--change-",
                        "--new-",
                        "--load-",
                    ]
                    .iter()
                    .any(|p| text.starts_with(p))
                }),
                "csf" => look.words().iter().any(|w| {
                    matches!(
                        w.known(),
                        Some("-x" | "-f" | "-s" | "-a" | "-d" | "--disable")
                    )
                }),
                "fail2ban-client" => {
                    matches!(look.operand(0), Some("stop" | "unban" | "set" | "restart"))
                }
                "setenforce" => matches!(look.operand(0), Some("0" | "Permissive" | "permissive")),
                "shorewall" | "shorewall6" => matches!(
                    look.operand(0),
                    Some(
                        "stop"
                            | "clear"
                            | "reset"
                            | "restart"
                            | "drop"
                            | "reject"
                            | "allow"
                            | "close"
                            | "open"
                    )
                ),
                "ferm" => !look.has('n', "noexec"),
                "cscli" => {
                    look.verbs(&["decisions", "delete"]) || look.verbs(&["bouncers", "delete"])
                }
                "socketfilterfw" => look.has_word("off"),
                _ => true,
            };
            found.then(|| look.hit())
        },
    ),
    matches: &[
        "ufw disable",
        "ufw --force reset",
        "sudo ufw allow 22/tcp",
        "firewall-cmd --permanent --remove-service=ssh",
        "firewall-cmd --panic-on",
        "setenforce 0",
        "shorewall clear",
        "cscli decisions delete --all",
    ],
    near_misses: &["ufw status verbose", "ufw --dry-run disable"],
    safe: &[
        "ufw status numbered",
        "ufw app list",
        "firewall-cmd --list-all",
        "firewall-cmd --state",
        "getenforce",
    ],
    ..Rule::ASK
};
