//! Removing packages.

use super::{PKG, Verbs, has_verb, is_dry};
use crate::look::Look;
use crate::rule::{Hit, Key, Rule, Severity, Test};

/// Package managers of systems.
static SYSTEM_VERBS: &[Verbs] = &[
    (
        &["apt", "apt-get", "aptitude", "nala"],
        &[
            &["remove"],
            &["purge"],
            &["autoremove"],
            &["autopurge"],
            &["dselect-upgrade"],
        ],
    ),
    (
        &["yum", "dnf", "dnf5", "microdnf", "tdnf"],
        &[
            &["remove"],
            &["erase"],
            &["autoremove"],
            &["history", "undo"],
            &["history", "rollback"],
            &["swap"],
        ],
    ),
    (&["zypper"], &[&["remove"], &["rm"]]),
    (&["apk"], &[&["del"]]),
    (&["opkg"], &[&["remove"]]),
    (&["eopkg"], &[&["remove"], &["rm"]]),
    (&["snap"], &[&["remove"]]),
    (&["flatpak"], &[&["uninstall"], &["remove"]]),
    (&["port"], &[&["uninstall"], &["reclaim"]]),
    (&["pkg"], &[&["delete"], &["remove"], &["autoremove"]]),
    (&["choco", "winget", "scoop"], &[&["uninstall"]]),
    (
        &["rpm-ostree"],
        &[
            &["uninstall"],
            &["reset"],
            &["rollback"],
            &["override", "remove"],
        ],
    ),
    (&["tlmgr"], &[&["remove"]]),
];

#[rustfmt::skip]
const SYSTEM_TOOLS: &[&str] = &[
    "apk", "apt", "apt-get", "aptitude", "choco", "dnf", "dnf5", "do-release-upgrade", "dpkg",
    "emerge", "eopkg", "flatpak", "microdnf", "nala", "opkg", "pacman", "paru", "pkg", "pkg_delete",
    "port", "rpm", "rpm-ostree", "scoop", "snap", "tdnf", "tlmgr", "winget", "xbps-remove", "yay",
    "yum", "zypper",
];

pub(super) const SYSTEM: Rule = Rule {
    id: "pkg.remove-system",
    severity: Severity::High,
    keys: &[Key::ours("remove system packages")],
    reason: "This removes packages of the system, and with them what depends on them.",
    alternative: Some("See what would go with `apt-get remove -s x`."),
    test: Test::Program(SYSTEM_TOOLS, removes),
    matches: &[
        "apt-get remove -y libc6",
        "apt purge -y python3",
        "sudo apt-get -y autoremove",
        "yum erase glibc",
        "dnf -y remove x",
        "rpm -e --nodeps x",
        "dpkg --purge --force-all x",
        "dpkg -r x",
        "pacman -Rns x",
        "pacman --remove x",
        "apk del musl",
        "zypper rm x",
        "snap remove --purge x",
        "flatpak uninstall x",
        "emerge -C x",
        "xbps-remove x",
        "do-release-upgrade",
        "winget uninstall x",
    ],
    near_misses: &[
        "apt-get -s remove x",
        "pacman -Syu",
        "pacman -Rp x",
        "rpm -qa",
        "dpkg -l",
    ],
    safe: &[
        "apt list --installed",
        "apt-cache policy x",
        "sudo apt-get install -y curl",
        "sudo apt-get update && sudo apt-get upgrade -y",
        "apt-get install remove",
        "pacman -Qe",
        "rpm -qi bash",
        "dpkg -i x.deb",
        "dnf install -y gcc",
        "apk add --no-cache git",
        "snap list",
        "apt show purge",
        "apt-get clean",
        "dpkg -L bash",
    ],
    ..PKG
};

fn removes(look: &Look<'_>) -> Option<Hit> {
    if is_dry(look) {
        return None;
    }
    let removes = match look.name {
        "dpkg" => look.has('r', "remove") || look.has('P', "purge") || look.has('\0', "force-all"),
        "rpm" => look.has('e', "erase") && !look.has('q', "query"),
        "pacman" | "paru" | "yay" => look.has('R', "remove"),
        "emerge" => {
            let asks = look.has('p', "pretend");
            (look.has('C', "unmerge") || look.has('c', "depclean")) && !asks
        }
        "xbps-remove" | "pkg_delete" => !look.operands().is_empty() && !look.has('n', ""),
        "do-release-upgrade" => !look.has('c', "check-dist-upgrade-only"),
        _ => has_verb(look, SYSTEM_VERBS),
    };
    removes.then(|| look.hit())
}

/// Package managers of languages and users. What a project names in its own list and gets back
/// from there (`npm uninstall x`, `cargo remove x`, `uv remove x`) isn't in it.
static TOOL_VERBS: &[Verbs] = &[
    (
        &["pip", "pip3", "pipx"],
        &[&["uninstall"], &["uninstall-all"]],
    ),
    (
        &["brew"],
        &[
            &["uninstall"],
            &["remove"],
            &["rm"],
            &["autoremove"],
            &["untap"],
            &["zap"],
        ],
    ),
    (&["gem"], &[&["uninstall"], &["cleanup"]]),
    (&["cargo"], &[&["uninstall"]]),
    (
        &["conda", "mamba", "micromamba"],
        &[&["env", "remove"], &["remove"], &["uninstall"]],
    ),
    (
        &["uv"],
        &[
            &["pip", "uninstall"],
            &["tool", "uninstall"],
            &["python", "uninstall"],
        ],
    ),
    (
        &["rustup"],
        &[
            &["self", "uninstall"],
            &["toolchain", "uninstall"],
            &["toolchain", "remove"],
        ],
    ),
    (
        &[
            "nvm", "fnm", "pyenv", "rbenv", "asdf", "mise", "volta", "sdk",
        ],
        &[&["uninstall"]],
    ),
    (&["dotnet"], &[&["workload", "uninstall"]]),
    (
        &["opam"],
        &[&["remove"], &["uninstall"], &["switch", "remove"]],
    ),
    (&["ghcup"], &[&["rm"], &["nuke"]]),
];

#[rustfmt::skip]
const TOOL_TOOLS: &[&str] = &[
    "asdf", "brew", "bun", "cargo", "conda", "dotnet", "fnm", "gem", "ghcup", "mamba", "micromamba",
    "mise", "nix-collect-garbage", "nix-env", "npm", "nvm", "opam", "pip*", "pipx", "pnpm", "pyenv",
    "python*", "rbenv", "rustup", "sdk", "uv", "volta", "yarn",
];

pub(super) const TOOLS: Rule = Rule {
    id: "pkg.remove-tool",
    severity: Severity::Medium,
    keys: &[Key::ours("uninstall packages or tools")],
    reason: "This removes packages or tools that other work may depend on.",
    alternative: Some("See what is installed first, for instance with `pip list`."),
    test: Test::Program(TOOL_TOOLS, removes_tool),
    matches: &[
        "pip uninstall -y pip",
        "python3 -m pip uninstall x",
        "pip3.11 uninstall x",
        "brew uninstall --force --ignore-dependencies openssl",
        "brew rm x",
        "conda remove --all -n base -y",
        "conda env remove -n x",
        "gem uninstall x",
        "cargo uninstall ripgrep",
        "npm uninstall -g x",
        "npm rm --global x",
        "yarn global remove x",
        "nix-env -e x",
        "nix-collect-garbage -d",
        "rustup self uninstall",
    ],
    near_misses: &[
        "npm uninstall lodash",
        "brew uninstall --dry-run x",
        "cargo remove serde",
    ],
    safe: &[
        "pip uninstall --help",
        "pip install requests",
        "pip list",
        "npm install",
        "npm ci",
        "yarn remove lodash",
        "uv remove requests",
        "brew list",
        "brew install remove",
        "brew cleanup",
        "conda create -n x python=3.12",
        "cargo install ripgrep",
        "rustup update",
        "npm i -g typescript",
        "nix-collect-garbage",
        "poetry remove x",
    ],
    ..PKG
};

fn removes_tool(look: &Look<'_>) -> Option<Hit> {
    if is_dry(look) {
        return None;
    }
    let removes = match look.name {
        "npm" | "pnpm" | "bun" => {
            let globally =
                look.has('g', "global") || look.value('\0', "location") == Some("global");
            globally
                && ["uninstall", "rm", "remove", "un", "r", "unlink"]
                    .iter()
                    .any(|v| look.verbs(&[v]))
        }
        "yarn" => look.verbs(&["global", "remove"]),
        "nix-env" => look.has('e', "uninstall"),
        "nix-collect-garbage" => look.has('d', "delete-old") || look.has('\0', "delete-older-than"),
        "python" => super::sources::module_words(look)
            .is_some_and(|words| words.first().and_then(|w| w.known()) == Some("uninstall")),
        _ => has_verb(look, TOOL_VERBS),
    };
    removes.then(|| look.hit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_manager_is_looked_at() {
        for (table, tools) in [(SYSTEM_VERBS, SYSTEM_TOOLS), (TOOL_VERBS, TOOL_TOOLS)] {
            for name in table.iter().flat_map(|(names, _)| *names) {
                let versioned = name.trim_end_matches('3');
                let there = tools
                    .iter()
                    .any(|tool| tool == name || tool.strip_suffix('*') == Some(versioned));
                assert!(there, "{name}");
            }
        }
    }
}
