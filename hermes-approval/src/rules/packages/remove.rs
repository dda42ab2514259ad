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
            &["group", "remove"],
            &["groupremove"],
            &["module", "remove"],
            &["module", "reset"],
            &["system-upgrade", "reboot"],
            &["swap"],
        ],
    ),
    (
        &["zypper"],
        &[&["remove"], &["rm"], &["removerepo"], &["rr"]],
    ),
    (&["pamac", "slackpkg", "fink"], &[&["remove"]]),
    (&["pkgin"], &[&["remove"], &["autoremove"]]),
    (&["swupd"], &[&["bundle-remove"], &["bundle", "remove"]]),
    (&["apk"], &[&["del"]]),
    (&["opkg"], &[&["remove"]]),
    (&["eopkg"], &[&["remove"], &["rm"]]),
    (&["snap"], &[&["remove"], &["revert"]]),
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
    (&["tlmgr"], &[&["remove"], &["uninstall"]]),
];

#[rustfmt::skip]
const SYSTEM_TOOLS: &[&str] = &[
    "apk", "apt", "apt-get", "aptitude", "choco", "dnf", "dnf5", "do-release-upgrade", "dpkg", "emerge",
    "eopkg", "fink", "flatpak", "microdnf", "nala", "opkg", "pacman", "pamac", "paru", "pkg", "pkg_delete",
    "pkgin", "pkgutil", "port", "removepkg", "rpm", "rpm-ostree", "scoop", "slackpkg", "snap", "swupd",
    "tdnf", "tlmgr", "urpme", "winget", "xbps-remove", "yay", "yum", "zypper",
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
        "dnf group remove x",
        "urpme x",
        "pamac remove x",
        "swupd bundle-remove x",
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
        "pkgutil" => look.has_word("--forget"),
        "xbps-remove" | "pkg_delete" | "urpme" | "removepkg" => {
            !look.operands().is_empty() && !look.has('n', "")
        }
        "do-release-upgrade" => !look.has('c', "check-dist-upgrade-only"),
        _ => has_verb(look, SYSTEM_VERBS),
    };
    removes.then(|| look.hit())
}

/// Package managers of languages and users. What a project names in its own list and gets back
/// from there (`npm uninstall x`, `cargo remove x`, `uv remove x`) isn't in it.
#[rustfmt::skip]
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
            "nvm", "fnm", "pyenv", "rbenv", "asdf", "mise", "volta", "sdk", "nodenv", "goenv", "tfenv",
            "phpenv", "plenv", "nodebrew", "gvm", "spack", "n", "rvm", "xcodes", "mas", "home-manager",
        ],
        &[&["uninstall"]],
    ),
    (&["sdk", "n"], &[&["rm"], &["prune"]]),
    (&["asdf", "mise"], &[&["plugin", "remove"], &["plugins", "uninstall"], &["implode"]]),
    (&["rvm", "gvm"], &[&["remove"], &["implode"]]),
    (&["jenv", "juliaup", "luarocks", "vcpkg"], &[&["remove"]]),
    (&["elan"], &[&["toolchain", "uninstall"], &["self", "uninstall"]]),
    (&["home-manager"], &[&["expire-generations"], &["remove-generations"]]),
    (&["guix"], &[&["remove"], &["system", "delete-generations"]]),
    (
        &["nix"],
        &[
            &["profile", "remove"],
            &["profile", "wipe-history"],
            &["profile", "rollback"],
            &["store", "delete"],
        ],
    ),
    (&["poetry"], &[&["env", "remove"]]),
    (&["pixi"], &[&["global", "uninstall"], &["global", "remove"]]),
    (&["rye"], &[&["uninstall"], &["toolchain", "remove"], &["self", "uninstall"]]),
    (&["composer"], &[&["global", "remove"]]),
    (&["dart", "flutter"], &[&["pub", "global", "deactivate"]]),
    (&["helm"], &[&["plugin", "uninstall"], &["plugin", "remove"]]),
    (&["krew"], &[&["uninstall"]]),
    (&["kubectl"], &[&["krew", "uninstall"]]),
    (&["gcloud"], &[&["components", "remove"]]),
    (&["gh"], &[&["extension", "remove"]]),
    (&["dotnet"], &[&["workload", "uninstall"], &["tool", "uninstall"]]),
    (
        &["opam"],
        &[&["remove"], &["uninstall"], &["switch", "remove"]],
    ),
    (&["ghcup"], &[&["rm"], &["nuke"]]),
];

#[rustfmt::skip]
const TOOL_TOOLS: &[&str] = &[
    "R", "asdf", "brew", "bun", "bundle", "cargo", "code", "codium", "composer", "conda", "cpanm", "cursor",
    "dart", "dotnet", "elan", "flutter", "fnm", "gcloud", "gem", "gh", "ghcup", "goenv", "guix", "gvm",
    "helm", "home-manager", "jenv", "juliaup", "krew", "kubectl", "luarocks", "mamba", "mas", "micromamba",
    "mise", "n", "nix", "nix-channel", "nix-collect-garbage", "nix-env", "nix-store", "nodebrew", "nodenv",
    "npm", "nvm", "opam", "phpenv", "pip*", "pipenv", "pipx", "pixi", "plenv", "pnpm", "poetry", "pyenv",
    "python*", "rbenv", "rustup", "rvm", "rye", "sdk", "spack", "tfenv", "uv", "vcpkg", "volta", "xcodes",
    "yarn",
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
        "guix gc -d",
        "guix package -r x",
        "nix profile remove x",
        "nix-env --delete-generations old",
        "nix store delete /nix/store/x",
        "pipenv --rm",
        "rvm implode --force",
        "asdf plugin remove nodejs",
        "dotnet tool uninstall -g x",
        "dart pub global deactivate x",
        "code --uninstall-extension x",
        "brew bundle cleanup --force",
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
        "guix gc",
        "nix store gc",
        "pip uninstall -h",
        "code --install-extension ms-python.python",
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
        "nix-env" => {
            look.has('e', "uninstall")
                || look.has_word("--delete-generations")
                || look.has_word("--rollback")
        }
        "nix-store" => look.has_word("--delete"),
        "nix-channel" => look.has_word("--remove"),
        "guix" => {
            has_verb(look, TOOL_VERBS)
                || look.verbs(&["gc"])
                    && (look.has('d', "delete-generations") || look.has('D', "delete"))
                || look.verbs(&["package"])
                    && (look.has('r', "remove") || look.has('d', "delete-generations"))
                || look.verbs(&["pull"]) && look.has('d', "delete-generations")
        }
        "pipenv" => look.has_word("--rm") || look.verbs(&["uninstall"]) && look.has_word("--all"),
        "bundle" => look.verbs(&["clean"]) && look.has_word("--force"),
        "brew" => {
            has_verb(look, TOOL_VERBS)
                || look.verbs(&["bundle", "cleanup"]) && look.has('f', "force")
        }
        "cpanm" => look.has('U', "uninstall"),
        "R" => look.verbs(&["CMD", "REMOVE"]),
        "code" | "codium" | "cursor" => look.has_word("--uninstall-extension"),
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
