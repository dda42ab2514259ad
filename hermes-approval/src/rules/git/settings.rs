//! Settings of git that run programs or take away a check.

use super::{GIT, PROGRAMS, subcommand};
use crate::look::{Look, Sub};
use crate::rule::{Hit, Key, Rule, Severity, Test};

pub(super) const PROGRAM: Rule = Rule {
    id: "git.config-program",
    severity: Severity::High,
    keys: &[Key::ours("git setting that runs a program")],
    reason: "From now on git runs this program by itself.",
    alternative: Some("See what is set with `git config --list --show-origin`."),
    test: Test::Program(PROGRAMS, |look| first(look, runs_program)),
    matches: &[
        "git config --global core.hooksPath /tmp/h",
        "git config core.hooksPath /tmp/h",
        "git config core.sshCommand ./x",
        "git config core.fsmonitor ./x",
        "git config diff.external /tmp/x",
        "git config --global credential.helper store",
        "git config --global credential.helper '!f() { cat; }; f'",
        "git config set --global core.hooksPath /tmp/h",
        "git config filter.x.smudge ./x",
        "git -c core.fsmonitor=./x status",
        "git -c core.sshCommand=/tmp/x fetch",
    ],
    near_misses: &[
        "git config --get core.hooksPath",
        "git config core.hooksPath",
        "git config --unset core.hooksPath",
    ],
    safe: &[
        "git config user.name Sam",
        "git config --global user.email sam@example.net",
        "git config core.hooksPath .githooks",
        "git config --global credential.helper osxkeychain",
        "git config --global credential.helper 'cache --timeout=3600'",
        "git config core.sshCommand 'ssh -i ~/.ssh/id_work'",
        "git config --global core.editor vim",
        "git config --global init.defaultBranch main",
        "git config --list",
        "git config core.fsmonitor true",
        "git -c user.name=x commit -m y",
        "git config --global filter.lfs.smudge 'git-lfs smudge -- %f'",
    ],
    ..GIT
};

pub(super) const SAFETY: Rule = Rule {
    id: "git.config-safety",
    keys: &[Key::ours("git setting that turns a check off")],
    reason: "From now on git no longer checks whom it talks to or whose files it runs.",
    alternative: Some("Name the one folder: `git config --global --add safe.directory /srv/x`."),
    test: Test::Program(PROGRAMS, |look| first(look, drops_check)),
    matches: &[
        "git config --global http.sslVerify false",
        "git -c http.sslVerify=false clone https://x.example.net/r",
        "git config --global --add safe.directory '*'",
        "git config --global protocol.ext.allow always",
        "git config receive.denyNonFastForwards false",
        "git config --global url.https://x.example.net/.insteadOf https://github.com/",
    ],
    near_misses: &["git config --global http.sslVerify true"],
    safe: &[
        "git config --global --add safe.directory /srv/x",
        "git config --global http.postBuffer 524288000",
        "git config --global url.git@github.com:.insteadOf https://github.com/",
        "git config --global url.https://github.com/.insteadOf gh:",
    ],
    ..GIT
};

/// A hit if one of the settings that a command makes is of this kind.
fn first(look: &Look<'_>, is: fn(&str, &str, bool) -> bool) -> Option<Hit> {
    let sub = subcommand(look)?;
    for option in sub.global.options.iter().filter(|o| o.is_short('c')) {
        let Some((name, value)) = option.value.and_then(|v| v.known()?.split_once('=')) else {
            continue;
        };
        if is(&name.to_ascii_lowercase(), value, false) {
            return Some(look.hit());
        }
    }
    let (name, value, wide) = setting(&sub)?;
    is(&name.to_ascii_lowercase(), value, wide).then(|| look.hit())
}

/// Name and value that `git config` sets, and whether it does so for all repositories.
fn setting<'a>(sub: &Sub<'a>) -> Option<(&'a str, &'a str, bool)> {
    if sub.name != "config" {
        return None;
    }
    let options = &sub.options.options;
    let reads = options.iter().any(|o| {
        o.long && (o.name.starts_with("get") || o.name.starts_with("unset")) || o.is('l', "list")
    });
    if reads {
        return None;
    }
    let mut operands = sub.options.operands.iter().filter_map(|w| w.known());
    let mut name = operands.next()?;
    if name == "set" {
        name = operands.next()?;
    }
    let value = operands.next()?;
    let wide = options
        .iter()
        .any(|o| o.long && matches!(o.name, "global" | "system"));
    Some((name, value, wide))
}

/// Names (or their ends, behind a star) of settings whose value is a program.
const PROGRAMS_OF: &[&str] = &[
    "*.clean",
    "*.process",
    "*.smudge",
    "*.textconv",
    "core.fsmonitor",
    "core.gitproxy",
    "core.hookspath",
    "core.sshcommand",
    "credential.helper",
    "diff.external",
    "gpg.program",
    "uploadpack.packobjectshook",
];

fn runs_program(name: &str, value: &str, wide: bool) -> bool {
    let listed = PROGRAMS_OF
        .iter()
        .any(|known| match known.strip_prefix('*') {
            Some(end) => name.ends_with(end),
            None => name == *known,
        })
        || (name.starts_with("credential.") && name.ends_with(".helper"));
    if !listed || value.is_empty() {
        return false;
    }
    match name {
        "core.fsmonitor" => !matches!(value, "true" | "false" | "1" | "0"),
        "core.sshcommand" => value != "ssh" && !value.starts_with("ssh "),
        // Hooks in the project itself can be read with it.
        "core.hookspath" => wide || value.starts_with(['/', '~']) || value.starts_with(".."),
        "gpg.program" => value.contains('/'),
        _ if name.ends_with(".helper") => {
            value.starts_with(['!', '/', '~']) || value.split(' ').next() == Some("store")
        }
        _ => !value.starts_with("git-lfs ") && !value.starts_with("git lfs "),
    }
}

fn drops_check(name: &str, value: &str, _wide: bool) -> bool {
    match name {
        "safe.directory" => value == "*",
        "protocol.ext.allow" => value == "always",
        "receive.denynonfastforwards"
        | "receive.denydeletes"
        | "receive.fsckobjects"
        | "transfer.fsckobjects" => matches!(value, "false" | "0" | "no" | "off" | "ignore"),
        _ if name.starts_with("url.") => goes_elsewhere(name, value),
        _ => {
            name.starts_with("http.")
                && name.ends_with("sslverify")
                && matches!(value, "false" | "0" | "no" | "off")
        }
    }
}

/// `url.A.insteadOf B`, where A and B are at different hosts.
fn goes_elsewhere(name: &str, instead_of: &str) -> bool {
    let address = name.strip_prefix("url.").and_then(|rest| {
        rest.strip_suffix(".insteadof")
            .or_else(|| rest.strip_suffix(".pushinsteadof"))
    });
    match (address.and_then(host), host(instead_of)) {
        (Some(to), Some(from)) => !to.eq_ignore_ascii_case(from),
        _ => false,
    }
}

/// The host of `https://host/…` or `git@host:…`.
fn host(address: &str) -> Option<&str> {
    let rest = match address.split_once("://") {
        Some((_, rest)) => rest,
        None => address.split_once('@')?.1,
    };
    let rest = rest.split_once('@').map_or(rest, |(_, rest)| rest);
    rest.split(['/', ':'])
        .next()
        .filter(|host| !host.is_empty())
}
