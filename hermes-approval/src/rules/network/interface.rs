//! Interfaces, addresses and routes.

use crate::look::Look;
use crate::rule::{Help, Hit, Key, Rule, Severity, Test};

const NETWORK: Key = Key::ours("change interfaces or routes");

pub(super) const DOWN: Rule = Rule {
    id: "network.interface-down",
    class: "network",
    severity: Severity::High,
    keys: &[NETWORK],
    reason: "This takes an interface or an address away; the machine may not be reachable any more.",
    alternative: Some("Look at it: `ip -br addr`, `nmcli con show`."),
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "ip",
            "ifconfig",
            "ifdown",
            "nmcli",
            "wg-quick",
            "wg",
            "iw",
            "rfkill",
            "netplan",
            "networksetup",
            "dhclient",
            "brctl",
            "ethtool",
            "hostapd",
            "resolvectl",
            "scutil",
            "iwconfig",
            "arp",
            "networkctl",
            "ovs-vsctl",
            "wpa_cli",
        ],
        down,
    ),
    matches: &[
        "ip link set eth0 down",
        "ip link set dev eth0 down",
        "ip link delete br0",
        "ip addr flush dev eth0",
        "ip -4 a del 10.0.0.1/24 dev eth0",
        "ifconfig eth0 down",
        "ifdown eth0",
        "nmcli con down wifi",
        "nmcli connection delete x",
        "nmcli networking off",
        "wg-quick down wg0",
        "netplan apply",
        "networkctl down eth0",
        "arp -s 10.0.0.1 00:11:22:33:44:55",
        "ovs-vsctl del-br br0",
    ],
    near_misses: &["ip link show", "nmcli con show", "ip link set eth0 up"],
    safe: &[
        "ip addr",
        "ip -br a",
        "ip link",
        "ifconfig",
        "ifconfig eth0",
        "nmcli dev status",
        "wg show",
        "netplan try",
        "resolvectl status",
    ],
    ..Rule::ASK
};

fn words<'a>(look: &Look<'a>) -> impl Iterator<Item = &'a str> {
    look.words()
        .iter()
        .filter_map(|w| w.known())
        .filter(|w| !w.starts_with('-'))
}

/// iproute2 takes any beginning of a word.
fn is(word: Option<&str>, full: &str, shortest: usize) -> bool {
    word.is_some_and(|w| w.len() >= shortest && full.starts_with(w))
}

fn down(look: &Look<'_>) -> Option<Hit> {
    let first = words(look).next();
    let second = words(look).nth(1);
    let has = |text: &str| words(look).any(|w| w == text);
    let found = match look.name {
        "ip" => {
            let deletes = is(second, "delete", 3) || is(second, "flush", 1);
            (is(first, "link", 1)
                || is(first, "address", 1)
                || is(first, "netns", 5)
                || is(first, "tunnel", 2)
                || is(first, "xfrm", 1))
                && (deletes || is(first, "xfrm", 1) && words(look).nth(2) == Some("flush"))
                || is(first, "link", 1) && is(second, "set", 1) && has("down")
        }
        "ifconfig" => has("down") || has("delete") || has("-alias") || look.has_word("destroy"),
        "nmcli" => {
            (is(first, "connection", 1)
                && matches!(second, Some("down" | "delete" | "del" | "modify" | "mod")))
                || is(first, "networking", 1) && second == Some("off")
                || is(first, "radio", 1) && has("off")
                || is(first, "device", 1)
                    && matches!(second, Some("disconnect" | "delete" | "dis" | "down"))
        }
        "wg-quick" => first == Some("down"),
        "arp" => look.has('d', "delete") || look.has('s', "set") || look.has('f', "file"),
        "networkctl" => matches!(first, Some("down" | "delete" | "reconfigure")),
        "ovs-vsctl" => matches!(
            first,
            Some("del-br" | "del-port" | "emer-reset" | "del-controller")
        ),
        "wpa_cli" => has("disconnect") || has("terminate") || has("remove_network"),
        "wg" => matches!(first, Some("set" | "setconf")),
        "iw" => has("del") || has("disconnect"),
        "rfkill" => first == Some("block"),
        "netplan" => first == Some("apply"),
        "networksetup" => look.words().iter().any(|w| {
            let text = w.known_prefix();
            (text.starts_with("-set") && text.ends_with("power") && look.has_word("off"))
                || text.starts_with("-setdns")
                || text.starts_with("-remove")
                || text.starts_with("-setmanual")
                || text.starts_with("-setnetworkserviceenabled") && look.has_word("off")
        }),
        "dhclient" => look.has('r', "") || look.has('x', ""),
        "brctl" => matches!(first, Some("delbr" | "delif")),
        "ethtool" => look.has('s', "change") || look.has('r', "negotiate"),
        "resolvectl" => matches!(first, Some("dns" | "domain" | "revert")) && second.is_some(),
        "ifdown" => !look.words().is_empty(),
        _ => false,
    };
    found.then(|| look.hit())
}

pub(super) const ROUTE: Rule = Rule {
    id: "network.route",
    class: "network",
    severity: Severity::High,
    keys: &[NETWORK],
    reason: "This changes where packets go; the machine may not be reachable any more.",
    alternative: Some("Look at it: `ip route show`, `tc qdisc show`."),
    help: Help::Anywhere,
    test: Test::Program(&["ip", "route", "tc"], |look| {
        let first = words(look).next();
        let second = words(look).nth(1);
        let found = match look.name {
            "ip" => {
                let changes = is(second, "delete", 3)
                    || is(second, "flush", 1)
                    || is(second, "replace", 3)
                    || is(second, "change", 2)
                    || is(second, "add", 1)
                    || is(second, "append", 2);
                (is(first, "route", 1)
                    || is(first, "rule", 2)
                    || is(first, "neighbour", 1) && is(second, "flush", 1))
                    && changes
            }
            "tc" => {
                matches!(first, Some("qdisc" | "class" | "filter"))
                    && matches!(
                        second,
                        Some("add" | "del" | "delete" | "replace" | "change")
                    )
            }
            _ => matches!(
                first,
                Some("add" | "del" | "delete" | "flush" | "change" | "-f")
            ),
        };
        found.then(|| look.hit())
    }),
    matches: &[
        "ip route del default",
        "ip r flush table main",
        "ip route replace default via 10.0.0.1",
        "route del default",
        "route delete 0.0.0.0",
        "tc qdisc add dev eth0 root netem loss 50%",
    ],
    near_misses: &["ip route get 1.1.1.1", "ip r"],
    safe: &[
        "ip route show",
        "ip route",
        "route -n",
        "tc qdisc show",
        "ip rule list",
        "ip neigh",
    ],
    ..Rule::ASK
};
