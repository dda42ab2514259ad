//! Packages and sources that are installed or run straight from a URL.

use crate::invocation::Invocation;
use crate::look::Look;
use crate::rule::{Help, Hit, Key, Rule, Severity, Test};
use crate::word::Word;

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
    ],
    near_misses: &[
        "pip install requests",
        "npm install ./p.tgz",
        "npm view https://x.example.net/p.tgz",
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
    ],
    ..Rule::ASK
};

/// Subcommands that install or run.
#[rustfmt::skip]
const INSTALLS: &[&str] = &[
    "install", "i", "in", "ins", "add", "run", "exec", "x", "dlx", "inject", "tool", "pip", "global", "create",
    "runpip", "remote", "shell", "develop", "profile", "build", "sync", "compile", "-i", "-iA", "-e",
];

fn from_url(look: &Look<'_>) -> Option<Hit> {
    let always = matches!(
        look.name,
        "npx" | "uvx" | "bunx" | "easy_install" | "nix-shell"
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
    let found = look.words().iter().find(|word| {
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
        let adds = matches!(look.name, "npm" | "pnpm" | "yarn")
            && matches!(first, Some("install" | "i" | "add"));
        is_code_url(look.name, value)
            || of_git && value.contains("://")
            || adds && is_repository(value)
    })?;
    Some(look.hit_word(found))
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
        && !matches!(tool, "go")
}

pub(super) const CLONED: Rule = Rule {
    id: "remote.clone-and-install",
    class: "remote-exec",
    keys: &[Key::ours("run fetched source")],
    reason: "What was just cloned is installed or run before anybody has read it.",
    alternative: Some("Clone it now, look at what it does, and build it in a second step."),
    test: Test::Whole(|scope| {
        let mut all = scope.analysis.invocations().iter();
        all.find(|i| clones(i))?;
        let found = all.find(|i| installs(&scope.look(i)))?;
        Some(Hit::default().at(found.span))
    }),
    matches: &[
        "git clone https://x.example.net/r && cd r && make install",
        "git clone https://x.example.net/r; cd r; sudo ./install.sh",
        "git clone --depth 1 https://x.example.net/r /tmp/r && bash /tmp/r/setup.sh",
    ],
    near_misses: &["git clone https://x.example.net/r && cd r && make"],
    safe: &[
        "git clone https://x.example.net/r && cd r && npm install",
        "make install",
        "git clone https://x.example.net/r",
    ],
    ..Rule::ASK
};

/// True if it installs from here, or runs a script of the source.
fn installs(look: &Look<'_>) -> bool {
    let program = look
        .invocation
        .program()
        .and_then(Word::known)
        .unwrap_or("");
    match look.name {
        "make" | "gmake" | "ninja" | "just" => look.has_word("install"),
        "pip" | "pip3" => {
            look.has_word("install")
                && look
                    .words()
                    .iter()
                    .any(|w| matches!(w.known(), Some("." | "-e")))
        }
        "python" | "python3" => look.words().iter().any(|w| {
            w.known()
                .is_some_and(|t| t.ends_with("setup.py") || t.ends_with("install.py"))
        }),
        "bash" | "sh" | "zsh" => look
            .words()
            .iter()
            .any(|w| w.known().is_some_and(|t| t.ends_with(".sh"))),
        _ => {
            program.starts_with("./") || program.contains("/install") || program.contains("/setup")
        }
    }
}

/// `git clone URL`, from another host.
fn clones(invocation: &Invocation) -> bool {
    let words = invocation.arguments();
    let first = words.first().and_then(Word::known);
    (invocation.is("git") && words.iter().any(|w| w.known() == Some("clone"))
        || invocation.is("hg") && first == Some("clone")
        || invocation.is("gh") && first == Some("repo"))
        && words.iter().any(|w| {
            let text = w.known_prefix();
            text.contains("://") || text.starts_with("git@") || invocation.is("gh")
        })
}
