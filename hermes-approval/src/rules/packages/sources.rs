//! Where packages come from.

use super::{PKG, is_dry};
use crate::look::Look;
use crate::rule::{Hit, Key, Rule, Severity, Test};
use crate::word::Word;

/// The module that `python -m` runs.
pub(super) fn module<'a>(look: &Look<'a>) -> Option<&'a str> {
    let at = look.words().iter().position(|w| w.known() == Some("-m"))?;
    look.word(at + 1)
}

/// The words behind `python -m pip` (or another module that handles packages).
pub(super) fn module_words<'a>(look: &Look<'a>) -> Option<&'a [Word]> {
    let at = look.words().iter().position(|w| w.known() == Some("-m"))?;
    matches!(look.word(at + 1)?, "pip" | "twine" | "pipx")
        .then(|| look.words().get(at + 2..))
        .flatten()
}

/// Programs, and subcommands of others, that run a package with the words behind it.
const RUNNERS: &[&str] = &["bunx", "npx", "pnpx", "uvx"];
const RUNS: &[&str] = &["create", "dlx", "exec", "init", "run", "x"];

/// Options of these with a value.
#[rustfmt::skip]
const RUNNER_VALUES: &[&str] = &[
    "--call", "--from", "--package", "--python", "--spec", "--with", "-c", "-p",
];

/// True for a program that runs a package, or does so with the subcommand that it was called with.
pub(in super::super) fn runs_package(look: &Look<'_>) -> bool {
    RUNNERS.contains(&look.name) || verb(look).is_some_and(|(_, verb)| RUNS.contains(&verb))
}

/// The subcommand, and where it stands.
fn verb<'a>(look: &Look<'a>) -> Option<(usize, &'a str)> {
    let mut words = look.words().iter().enumerate();
    words.find_map(|(at, w)| Some((at, w.known().filter(|text| !text.starts_with('-'))?)))
}

/// The words that may name a package. Behind a package that is run stand its own arguments, and
/// an address there (`npx lighthouse http://localhost:3000`) is nothing that is run.
pub(in super::super) fn package_words<'a>(look: &Look<'a>) -> &'a [Word] {
    let words = look.words();
    let from = match verb(look) {
        _ if RUNNERS.contains(&look.name) => 0,
        Some((at, verb)) if RUNS.contains(&verb) => at + 1,
        _ => return words,
    };
    let mut value = false;
    for (at, word) in words.iter().enumerate().skip(from) {
        let text = word.known_prefix();
        if text.starts_with('-') {
            value = RUNNER_VALUES.contains(&text);
        } else if !std::mem::take(&mut value) {
            return words.get(..=at).unwrap_or(words);
        }
    }
    words
}

#[rustfmt::skip]
const INSTALLERS: &[&str] = &[
    "apt", "apt-get", "bun", "cargo", "dnf", "gem", "go", "npm", "npx", "pip*", "pipx", "pnpm",
    "pnpx", "python*", "rpm", "uv", "uvx", "yarn", "yum", "zypper",
];

/// Verbs that install.
const INSTALLS: &[&str] = &["add", "ci", "i", "in", "install", "localinstall", "isntall"];

pub(super) const UNTRUSTED: Rule = Rule {
    id: "pkg.install-url",
    severity: Severity::High,
    keys: &[Key::ours("install a package from a URL")],
    reason: "This installs from an address instead of a registry, and runs what comes from there.",
    alternative: Some("Install a released version from the registry: `pip install x==1.0`."),
    test: Test::Program(INSTALLERS, from_url),
    matches: &[
        "pip install https://files.example.net/x.tgz",
        "pip install git+https://x.example.net/r.git",
        "pip install 'x @ git+https://x.example.net/r.git'",
        "python3 -m pip install -U https://files.example.net/x.whl",
        "npm install https://files.example.net/x.tgz",
        "npm i git+ssh://git@x.example.net/r.git",
        "npm install -g --unsafe-perm http://files.example.net/p.tgz",
        "npx https://files.example.net/x.tgz",
        "yarn add https://files.example.net/x.tgz",
        "rpm -ivh https://files.example.net/x.rpm",
        "yum install -y https://files.example.net/x.rpm",
        "cargo install --git https://x.example.net/r.git",
        "uv pip install git+https://x.example.net/r.git",
        "pip install -r https://files.example.net/requirements.txt",
        "npm install github:me/x",
    ],
    near_misses: &[
        "pip install requests",
        "pip install --index-url https://download.pytorch.org/whl/cpu torch",
        "pip download https://files.example.net/x.tgz",
    ],
    safe: &[
        "pip install -r requirements.txt",
        "pip install -e .",
        "npm install",
        "npm install --registry https://registry.npmjs.org lodash",
        "npx lighthouse http://localhost:3000 --output json",
        "npx wait-on http://localhost:3000",
        "uvx httpie https://x.example.net",
        "pnpm dlx autocannon http://localhost:3000",
        "npm i @types/node",
        "npm ci",
        "yarn install",
        "cargo add serde",
        "go install golang.org/x/tools/gopls@latest",
        "go build ./...",
        "pip install 'requests[socks]>=2'",
        "pip install --extra-index-url https://x.example.net/simple x",
    ],
    ..PKG
};

fn from_url(look: &Look<'_>) -> Option<Hit> {
    let installs = match look.name {
        "npx" | "pnpx" | "uvx" => true,
        "rpm" => look.has('i', "install") || look.has('U', "upgrade") || look.has('F', "freshen"),
        "python" => module_words(look)
            .is_some_and(|words| words.first().and_then(|w| w.known()) == Some("install")),
        "uv" => {
            look.verbs(&["pip", "install"])
                || look.verbs(&["tool", "install"])
                || look.verbs(&["add"])
        }
        _ => look
            .operands()
            .first()
            .is_some_and(|w| w.candidates().any(|c| INSTALLS.contains(&c))),
    };
    if !installs {
        return None;
    }
    let mut after_index = false;
    let found = package_words(look).iter().find(|word| {
        let text = word.known_prefix();
        // The address of an index or a proxy isn't a package.
        let skipped = std::mem::replace(&mut after_index, is_index(look, text));
        !skipped && !text.starts_with('-') && is_url(look, text)
    })?;
    Some(look.hit_word(found))
}

/// Options whose value is the address of something else than a package.
fn is_index(look: &Look<'_>, text: &str) -> bool {
    matches!(
        text,
        "--index-url"
            | "--extra-index-url"
            | "-i"
            | "--index"
            | "--default-index"
            | "--find-links"
            | "-f"
            | "--proxy"
            | "--registry"
            | "--source"
            | "-s"
            | "--clear-sources"
            | "--httpproxy"
            | "--http-proxy"
            | "--from-index"
            | "--repository"
            | "-X"
    ) && !(look.name == "rpm" && text == "-i")
}

fn is_url(look: &Look<'_>, text: &str) -> bool {
    // `name @ git+https://…`
    let text = text.split_once(" @ ").map_or(text, |(_, url)| url);
    let scheme = text.split_once("://").map(|(scheme, _)| scheme);
    let known = scheme.is_some_and(|s| {
        matches!(s, "http" | "https" | "ftp" | "git" | "ssh")
            || s.starts_with("git+")
            || s.starts_with("hg+")
            || s.starts_with("svn+")
    });
    let short = matches!(look.name, "npm" | "npx" | "pnpm" | "yarn" | "bun")
        && ["github:", "gitlab:", "bitbucket:", "gist:"]
            .iter()
            .any(|p| text.starts_with(p));
    known || short
}

pub(super) const KEYS: Rule = Rule {
    id: "pkg.add-source",
    severity: Severity::High,
    keys: &[Key::ours("add a source or a key of packages")],
    reason: "From now on the system installs what this source offers.",
    alternative: Some("See which sources there are with `apt-cache policy`."),
    test: Test::Program(SOURCES, |look| {
        let adds = match look.name {
            "apt-key" => ["add", "adv", "del"].iter().any(|v| look.verbs(&[v])),
            "add-apt-repository" | "apt-add-repository" => {
                !look.words().is_empty() && !look.has('L', "list")
            }
            "yum-config-manager" => look.has('\0', "add-repo"),
            "dnf" | "dnf5" if look.verbs(&["copr", "enable"]) => true,
            "dnf" | "dnf5" => {
                look.verbs(&["config-manager"])
                    && look.words().iter().any(|w| {
                        let text = w.known_prefix();
                        text.starts_with("--add-repo") || text.starts_with("addrepo")
                    })
            }
            "zypper" => look.verbs(&["addrepo"]) || look.verbs(&["ar"]),
            "rpm" => look.has('\0', "import"),
            "gem" => look.verbs(&["sources"]) && look.has('a', "add"),
            "pacman-key" => look.has('a', "add") || look.has('r', "recv-keys"),
            "flatpak" => look.verbs(&["remote-add"]) && look.has_word("--no-gpg-verify"),
            _ => false,
        };
        adds.then(|| look.hit())
    }),
    matches: &[
        "curl -s https://files.example.net/r.gpg | sudo apt-key add -",
        "add-apt-repository ppa:me/x",
        "sudo add-apt-repository -y 'deb http://x.example.net stable main'",
        "yum-config-manager --add-repo https://x.example.net/x.repo",
        "dnf config-manager --add-repo https://x.example.net/x.repo",
        "zypper addrepo https://x.example.net x",
        "rpm --import https://x.example.net/key",
        "gem sources --add http://x.example.net",
        "apt-add-repository ppa:me/x",
        "dnf copr enable x/y",
    ],
    near_misses: &["apt-key list", "add-apt-repository --list", "zypper repos"],
    safe: &["gem sources", "dnf repolist", "flatpak remotes"],
    ..PKG
};

#[rustfmt::skip]
const SOURCES: &[&str] = &[
    "add-apt-repository", "apt-add-repository", "apt-key", "dnf", "dnf5", "flatpak", "gem", "pacman-key",
    "rpm", "yum-config-manager", "zypper",
];

pub(super) const UNCHECKED: Rule = Rule {
    id: "pkg.unchecked",
    severity: Severity::High,
    keys: &[Key::ours("install packages without checks")],
    reason: "This installs without checking whose the packages are, or over what must stay.",
    alternative: Some("Leave the check on: `apt-get install x`."),
    test: Test::Program(UNCHECKERS, unchecked),
    matches: &[
        "apt-get install -y --allow-unauthenticated x",
        "apt-get --force-yes install x",
        "apt-get install --allow-remove-essential x",
        "yum install --nogpgcheck x",
        "dnf install --nogpgcheck x",
        "rpm -i --nosignature x.rpm",
        "npm install --registry http://x.example.net y",
        "npm config set registry http://x.example.net",
        "npm config set strict-ssl false",
        "pip install --index-url http://x.example.net/simple y",
        "pip install --trusted-host x.example.net y",
        "apk add --allow-untrusted x.apk",
        "snap install --dangerous x.snap",
        "zypper --no-gpg-checks install x",
        "dpkg -i --force-all x.deb",
        "pip install --break-system-packages x",
        "rpm -Uvh --nodeps x.rpm",
        "pacman -S --overwrite '*' x",
        "pip config set global.index-url http://x.example.net/simple",
        "apk add --repository http://x.example.net x",
        "gem install --source http://x.example.net x",
        "go env -w GOPROXY=http://x.example.net",
        "GOINSECURE='*' go get x.example.net/r",
        "composer config -g secure-http false",
        "conda config --set ssl_verify false",
        "helm repo add x http://x.example.net",
        "yarn config set npmRegistryServer http://x.example.net",
        "pip config set global.trusted-host x.example.net",
    ],
    near_misses: &[
        "apt-get install x",
        "npm config get registry",
        "pip install --index-url http://localhost:3141 y",
    ],
    safe: &[
        "npm config set registry https://registry.npmjs.org",
        "pip install -i https://pypi.org/simple x",
        "npm config set save-exact true",
        "go env -w GOPROXY=https://proxy.golang.org,direct",
        "go env GOINSECURE",
        "conda config --add channels conda-forge",
        "helm repo add x https://charts.example.net",
        "composer config --list",
        "composer config secure-http",
    ],
    ..PKG
};

#[rustfmt::skip]
const UNCHECKERS: &[&str] = &[
    "apk", "apt", "apt-get", "bundle", "choco", "composer", "conda", "dnf", "dpkg", "gem", "go", "helm",
    "mamba", "nix-channel", "nix-env", "npm", "pacman", "paru", "pip*", "pnpm", "python*", "rpm", "snap",
    "uv", "yarn", "yay", "yum", "zypper",
];

/// Options that turn a check off, whole.
#[rustfmt::skip]
const NO_CHECKS: &[&str] = &[
    "--allow-insecure-repositories", "--allow-remove-essential", "--allow-unauthenticated",
    "--allow-untrusted", "--dangerous", "--force-all", "--force-yes", "--no-gpg-checks",
    "--break-system-packages", "--no-gpgcheck", "--nodeps", "--nodigest", "--nogpgcheck", "--nosignature", "--overwrite",
    "--trusted-host",
];

fn unchecked(look: &Look<'_>) -> Option<Hit> {
    if look.name == "python" && module(look) != Some("pip") {
        return None;
    }
    if let Some(hit) = loosens(look) {
        return Some(hit);
    }
    let words = look.words();
    let mut sets = false;
    let mut before = "";
    for word in words {
        let text = word.known_prefix();
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        if NO_CHECKS.contains(&name) && !is_dry(look) {
            return Some(look.hit_word(word));
        }
        let value = if is_index(look, name) && !value.is_empty() {
            value
        } else {
            text
        };
        let named = is_index(look, before)
            || is_index(look, name)
            || (sets
                && matches!(
                    before,
                    "registry" | "global.index-url" | "global.extra-index-url"
                ));
        if named && is_plain_http(value) {
            return Some(look.hit_word(word));
        }
        if sets && before == "strict-ssl" && text == "false" {
            return Some(look.hit_word(word));
        }
        sets |= text == "set";
        before = text;
    }
    None
}

/// Settings, by tool, that turn a check off, or let packages come without encryption.
#[rustfmt::skip]
const LOOSE: &[(&str, &str)] = &[
    ("bundle", "BUNDLE_SSL_VERIFY_MODE"), ("composer", "secure-http"), ("composer", "disable-tls"),
    ("conda", "ssl_verify"), ("mamba", "ssl_verify"), ("go", "GOINSECURE"), ("go", "GONOSUMDB"),
    ("go", "GONOSUMCHECK"), ("go", "GOFLAGS=-insecure"), ("helm", "--insecure-skip-tls-verify"),
    ("nix-env", "require-sigs"), ("pip", "global.trusted-host"), ("pip3", "global.trusted-host"),
];

fn loosens(look: &Look<'_>) -> Option<Hit> {
    let of_tool = || LOOSE.iter().filter(|(tool, _)| *tool == look.name);
    let by_variable = look.invocation.assignments.iter().find(|a| {
        of_tool().any(|(_, name)| {
            a.name == *name
                || name.starts_with("GOFLAGS")
                    && a.name == "GOFLAGS"
                    && a.values.iter().any(|v| v.text().contains("-insecure"))
        })
    });
    if let Some(assignment) = by_variable {
        return Some(look.hit_at(assignment.span));
    }
    let words = look.words();
    let writes = |verb: &str| words.iter().any(|w| w.known() == Some(verb));
    let sets = writes("set")
        || writes("config")
        || writes("-w")
        || writes("--add")
        || writes("--option")
        || writes("repo");
    if !sets || writes("get") || writes("--get") {
        return None;
    }
    // `composer config secure-http` only asks, and `true` turns it on.
    let off = words
        .iter()
        .any(|w| w.known().is_some_and(|t| t.eq_ignore_ascii_case("false")));
    let needs_off = |name: &str| matches!(name, "secure-http" | "ssl_verify" | "require-sigs");
    let found = words.iter().find(|word| {
        let text = word.known_prefix();
        let value = text.split_once('=').map_or(text, |(_, value)| value);
        of_tool().any(|(_, name)| text.starts_with(name) && (off || !needs_off(name)))
            || is_plain_http(value)
                && matches!(
                    look.name,
                    "bundle" | "conda" | "go" | "helm" | "mamba" | "nix-channel" | "yarn"
                )
    })?;
    Some(look.hit_word(found))
}

/// An address without encryption that isn't this machine.
fn is_plain_http(url: &str) -> bool {
    url.strip_prefix("http://").is_some_and(|rest| {
        !["localhost", "127.", "[::1]", "0.0.0.0"]
            .iter()
            .any(|own| rest.starts_with(own))
    })
}
