//! Packages that are installed or run straight from a URL.

use super::super::packages::{package_words, runs_package};
use super::super::subcommands::Call;
use crate::look::Look;
use crate::rule::{Help, Hit, Key, Rule, Severity, Test};

pub(super) const URL: Rule = Rule {
    id: "remote.install-from-url",
    class: "remote-exec",
    severity: Severity::High,
    keys: &[Key::ours("install or run from a URL")],
    reason: "Code from this address is run as it is at this moment, outside any registry.",
    alternative: Some("Name the package and its version: `pip install requests==2.32.3`."),
    help: Help::Anywhere,
    test: Test::Program(
        &[
            "python*",
            "pip*",
            "pipx",
            "uv",
            "uvx",
            "npm",
            "npx",
            "pnpm",
            "yarn",
            "bun",
            "bunx",
            "deno",
            "go",
            "cargo",
            "gem",
            "easy_install",
            "nix",
            "nix-env",
            "nix-shell",
            "guix",
            "dotnet",
            "R",
            "snap",
            "brew",
            "composer",
            "luarocks",
            "conda",
            "ansible-galaxy",
            "ansible-pull",
            "asdf",
            "bundle",
            "cabal",
            "cpanm",
            "docker",
            "docker-compose",
            "flatpak",
            "groovy",
            "javaws",
            "jbang",
            "mix",
            "node",
            "opam",
            "pacman",
            "paru",
            "pdm",
            "pipenv",
            "pnpx",
            "podman",
            "poetry",
            "scala",
            "scala-cli",
            "vagrant",
            "yay",
        ],
        from_url,
    ),
    matches: &[
        "pip install git+https://x.example.net/r.git",
        "pip3 install --user https://x.example.net/p.whl",
        "python3 -m pip install git+ssh://x.example.net/r",
        "npx --yes https://x.example.net/p.tgz",
        "npm install https://x.example.net/p.tgz",
        "npm i -g git+https://x.example.net/p.git",
        "npm i evil/pkg",
        "npx github:evil/pkg",
        "deno run https://x.example.net/a.ts",
        "deno run -A https://x.example.net/a.ts",
        "uvx --from git+https://x.example.net/r tool",
        "cargo install --git https://x.example.net/r",
        "pip install --index-url http://198.51.100.7/simple x",
        "bunx x.example.net/p.tgz",
        "npx eve/pkg",
        "yarn dlx eve@https://x.example.net/p.tgz",
        "npm init https://x.example.net/p.tgz",
        "deno https://x.example.net/a.ts",
        "go run x.example.net/cmd/tool@latest",
        "go install github.com/x/tool@main",
        "poetry add git+https://x.example.net/r.git",
        "cpanm https://x.example.net/a.tar.gz",
        "opam pin add x git+https://x.example.net/r",
        "vagrant box add https://x.example.net/b.box",
        "pacman -U https://x.example.net/a.pkg.tar.zst",
        "jbang https://x.example.net/a.java",
        "node --import https://x.example.net/p.mjs",
        "docker build https://x.example.net/r.git",
        "docker compose -f https://x.example.net/c.yml up",
        "ansible-pull -U https://x.example.net/r",
    ],
    near_misses: &[
        "pip install requests",
        "npm install ./p.tgz",
        "npm view https://x.example.net/p.tgz",
        "go run ./cmd/tool https://x.example.net",
        "docker run alpine wget https://x.example.net",
    ],
    safe: &[
        "pip install -r requirements.txt",
        "pip install --index-url https://pypi.org/simple x",
        "pip install --extra-index-url https://download.pytorch.org/whl/cpu torch",
        "npm install lodash",
        "npm ci --registry https://registry.npmjs.org",
        "deno run main.ts",
        "go get github.com/x/y@latest",
        "cargo install ripgrep",
        "brew install jq",
        "npx create-react-app my-app",
        "npx lighthouse http://localhost:3000",
        "npx eslint src/app",
        "npx @angular/cli new x",
        "uvx ruff check src/app",
        "deno run main.ts https://x.example.net",
        "go install golang.org/x/tools/gopls@latest",
        "go run github.com/golangci/golangci-lint/cmd/golangci-lint@v1.59.0 run",
        "docker build -q https://github.com/docker/getting-started.git",
        "docker build -t x --build-arg URL=https://x.example.net .",
        "node fetch.js https://x.example.net",
    ],
    ..Rule::ASK
};

/// Subcommands that install or run.
#[rustfmt::skip]
const INSTALLS: &[&str] = &[
    "install", "i", "in", "ins", "add", "run", "exec", "x", "dlx", "inject", "tool", "pip", "global", "create",
    "runpip", "remote", "shell", "develop", "profile", "build", "sync", "compile", "-i", "-iA", "-e",
    "archive.install", "box", "collection", "escript.install", "init", "pin", "plugin", "plugin-add", "require", "role",
    "tap",
];

fn from_url(look: &Look<'_>) -> Option<Hit> {
    match look.name {
        "docker" | "docker-compose" | "podman" => return builds_from_url(look),
        "node" => {
            let at = look.words().iter().position(|w| {
                matches!(
                    w.known(),
                    Some("--import" | "--loader" | "--experimental-loader" | "-r" | "--require")
                )
            })?;
            let word = look.words().get(at + 1)?;
            return is_code_url(look.name, word.known_prefix()).then(|| look.hit_word(word));
        }
        "pacman" | "paru" | "yay" if !look.has('U', "upgrade") => return None,
        "deno" if look.word(0).is_some_and(|w| w.starts_with("https://")) => {
            return Some(look.hit());
        }
        _ => {}
    }
    let always = matches!(
        look.name,
        "npx"
            | "uvx"
            | "bunx"
            | "pnpx"
            | "easy_install"
            | "nix-shell"
            | "cpanm"
            | "jbang"
            | "scala"
            | "scala-cli"
            | "groovy"
            | "javaws"
            | "ansible-pull"
            | "pacman"
            | "paru"
            | "yay"
    );
    let first = look
        .words()
        .iter()
        .filter_map(|w| w.known())
        .find(|w| !w.starts_with('-'));
    if !always && !first.is_some_and(|f| INSTALLS.contains(&f)) && look.name != "nix-env" {
        return None;
    }
    // A registry of one's own is a setting, not a package; over plain HTTP anybody can answer.
    let mut registry = false;
    let mut git = false;
    if look.name == "go" {
        let found = package_words(look)
            .iter()
            .find(|w| is_loose_module(w.known_prefix()))?;
        return matches!(first, Some("install" | "run")).then(|| look.hit_word(found));
    }
    let runs = runs_package(look);
    let found = package_words(look).iter().find(|word| {
        let text = word.known_prefix();
        let value = text
            .split_once('=')
            .filter(|_| text.starts_with("--"))
            .map_or(text, |(_, v)| v);
        let of_registry = registry || is_registry(text);
        let of_git = git || text.starts_with("--git=");
        registry = is_registry(text) && !text.contains('=');
        git = text == "--git";
        if of_registry {
            return value.starts_with("http://")
                && !super::super::network::is_local(value.trim_start_matches("http://"));
        }
        let adds = matches!(
            look.name,
            "npm" | "pnpm" | "yarn" | "npx" | "pnpx" | "bunx" | "bun"
        ) && (matches!(first, Some("install" | "i" | "add"))
            || runs && !matches!(first, Some("run" | "exec" | "x")));
        is_code_url(look.name, value)
            || of_git && value.contains("://")
            || adds && is_repository(value)
    })?;
    Some(look.hit_word(found))
}

/// `docker build URL`, `docker compose -f URL`.
fn builds_from_url(look: &Look<'_>) -> Option<Hit> {
    let call = Call::of(look);
    let composes = look.name.ends_with("-compose") || call.verbs("compose");
    let word = if call.any(&["build", "image|buildx build"]) {
        call.operands.last().copied()?
    } else if composes {
        let file = call
            .values('f', "file")
            .find(|f| is_code_url(look.name, f))?;
        let mut words = look.words().iter();
        words.find(|w| w.known_prefix().ends_with(file))?
    } else {
        return None;
    };
    let text = word.known_prefix();
    let url = text.trim_start_matches("--file=");
    let known = FORGES.iter().any(|forge| {
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        rest.strip_prefix(forge).is_some_and(|r| r.starts_with('/'))
    });
    (is_code_url(look.name, url) && !known).then(|| look.hit_word(word))
}

/// Where most sources are, and anybody can look at them first.
const FORGES: &[&str] = &["bitbucket.org", "codeberg.org", "github.com", "gitlab.com"];

/// Hosts where modules of Go are released.
#[rustfmt::skip]
const MODULE_HOSTS: &[&str] = &[
    "cloud.google.com", "github.com", "go.uber.org", "golang.org", "google.golang.org", "gopkg.in",
    "gotest.tools", "honnef.co", "k8s.io", "modernc.org", "mvdan.cc", "sigs.k8s.io",
];

/// `host/path@version` from an unknown host, or of a branch.
fn is_loose_module(text: &str) -> bool {
    if text.contains("://") {
        return true;
    }
    let Some((path, version)) = text.split_once('@') else {
        return false;
    };
    let host = path.split('/').next().unwrap_or(path);
    let released = version == "latest"
        || version
            .strip_prefix('v')
            .is_some_and(|v| v.starts_with(|c: char| c.is_ascii_digit()));
    host.contains('.') && !host.starts_with('.') && !(MODULE_HOSTS.contains(&host) && released)
}

/// `user/repo`, which npm takes from GitHub.
fn is_repository(text: &str) -> bool {
    let mut parts = text.split('/');
    let plain = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_.#".contains(&b))
    };
    !text.starts_with(['@', '.', '-', '~', '/'])
        && parts.next().is_some_and(plain)
        && parts.next().is_some_and(plain)
        && parts.next().is_none()
}

fn is_registry(text: &str) -> bool {
    const REGISTRIES: &[&str] = &[
        "--index-url",
        "--extra-index-url",
        "--index",
        "--registry",
        "-i",
        "--find-links",
        "-f",
        "--trusted-host",
        "--default-index",
        "--source",
        "--proxy",
        "--channel",
        "-c",
    ];
    let name = text.split('=').next().unwrap_or(text);
    REGISTRIES.contains(&name)
}

fn is_code_url(tool: &str, text: &str) -> bool {
    let text = text.split_once(" @ ").map_or(text, |(_, url)| url);
    // `name@https://…`
    let text = match text.split_once('@') {
        Some((name, url)) if url.contains("://") && !name.contains(['/', ':']) => url,
        _ => text,
    };
    [
        "git+",
        "http://",
        "https://",
        "git://",
        "ssh://",
        "git@",
        "hg+",
        "svn+",
        "github:",
        "gitlab:",
        "bitbucket:",
        "gist:",
    ]
    .iter()
    .any(|p| text.starts_with(p))
        && !text.starts_with("https://deno.land/std")
        && !matches!((tool, text), ("npx" | "docker" | "podman", t) if is_local_url(t))
}

/// A server on this machine.
fn is_local_url(text: &str) -> bool {
    text.split_once("://")
        .is_some_and(|(_, rest)| super::super::network::is_local(rest))
}
