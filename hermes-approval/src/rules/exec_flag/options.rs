//! Options that name a program.

use super::is_ordinary;
use crate::grammar::{Opt, OptValue};
use crate::look::Look;
use crate::paths::Place;
use crate::rule::{Help, Hit, Key, Rule, Severity, Test};

/// An option that runs a program.
struct Runs {
    tools: &'static [&'static str],
    letters: &'static str,
    long: &'static [&'static str],
}

impl Runs {
    fn has(&self, option: &Opt<'_>) -> bool {
        if option.long {
            option.name.len() > 2 && self.long.iter().any(|l| option.is_long(l))
        } else {
            option.name.chars().all(|c| self.letters.contains(c))
        }
    }
}

const fn o(
    tools: &'static [&'static str],
    letters: &'static str,
    long: &'static [&'static str],
) -> Runs {
    Runs {
        tools,
        letters,
        long,
    }
}

/// Those that the Python Hermes knows, with its keys.
#[rustfmt::skip]
const KEYED: &[(&str, char, &str, &[Key])] = &[
    ("sort", '\0', "compress-program", &[Key::from19("arbitrary program execution via sort --compress-program")]),
    ("rg", '\0', "pre", &[Key::from19("arbitrary program execution via rg --pre")]),
    ("rg", '\0', "hostname-bin", &[Key::from19("arbitrary program execution via rg --hostname-bin")]),
    ("ag", '\0', "pager", &[Key::from19("arbitrary program execution via ag --pager")]),
    ("man", '\0', "pager", &[Key::from19("arbitrary program execution via man --pager")]),
    ("man", '\0', "html", &[Key::from19("arbitrary program execution via man --html")]),
    ("man", 'P', "", &[Key::from19("arbitrary program execution via man -P")]),
    ("man", 'H', "", &[Key::from19("arbitrary program execution via man -H")]),
];

const KEYED_TOOLS: &[&str] = &["sort", "rg", "ag", "man"];

/// The others.
#[rustfmt::skip]
const OPTIONS: &[Runs] = &[
    o(&["tar", "bsdtar", "gtar"], "IF", &["to-command", "use-compress-program", "info-script", "new-volume-script", "rsh-command", "rmt-command"]),
    o(&["rsync"], "e", &["rsh", "rsync-path"]),
    o(&["scp"], "S", &[]),
    o(&["sftp"], "SD", &[]),
    o(&["split", "gsplit"], "", &["filter"]),
    o(&["wget"], "", &["use-askpass"]),
    o(&["borg"], "", &["rsh"]),
    o(&["nmap"], "", &["script"]),
    o(&["tcpdump"], "z", &[]),
    o(&["cpio"], "", &["rsh-command"]),
    o(&["ctags"], "", &["options"]),
    o(&["gcc", "g++", "cc", "c++", "clang", "clang++"], "", &["wrapper", "fplugin"]),
    o(&["latexmk", "pdflatex", "xelatex", "lualatex"], "", &["shell-escape"]),
    o(&["less"], "", &["lesskey-src"]),
    o(&["pandoc"], "F", &["filter"]),
    o(&["gpg"], "", &["agent-program", "photo-viewer", "pinentry-program"]),
    o(&["restic"], "", &["password-command"]),
    o(&["openssl"], "", &["engine", "provider-path"]),
    o(&["mutt", "neomutt"], "e", &[]),
    o(&["bat", "ack"], "", &["pager"]),
    o(&["nano"], "s", &["speller"]),
    o(&["delta", "moar", "diff-so-fancy"], "", &["pager"]),
    o(&["npm", "pnpm", "yarn"], "", &["script-shell"]),
    o(&["helm"], "", &["post-renderer"]),
    o(&["rclone"], "", &["password-command", "metadata-mapper"]),
    o(&["iptables", "ip6tables"], "", &["modprobe"]),
    o(&["openconnect", "vpnc"], "s", &["script", "csd-wrapper"]),
    o(&["msmtp"], "", &["passwordeval"]),
    o(&["fetchmail"], "m", &["mda", "plugin", "preconnect", "postconnect"]),
    o(&["feh"], "A", &["action"]),
    o(&["mpv"], "", &["script", "scripts", "ytdl-path"]),
    o(&["aria2c"], "", &["on-download-complete", "on-bt-download-complete", "on-download-start", "on-download-stop"]),
    o(&["yt-dlp", "youtube-dl", "gallery-dl"], "", &["exec"]),
    o(&["unison"], "", &["sshcmd"]),
    o(&["ssh-keygen"], "Dw", &[]),
    o(&["ssh-add"], "s", &[]),
    o(&["logrotate"], "m", &["mail"]),
    o(&["pacman"], "", &["hookdir"]),
    o(&["gradle", "gradlew"], "I", &["init-script"]),
];

/// The option's value; where the table doesn't know that it takes one, the word behind it.
fn given<'a>(look: &Look<'a>, option: &Opt<'a>) -> Option<&'a str> {
    match option.value {
        Some(value) => value.known(),
        None => look.word(option.word + 1),
    }
}

fn value<'a>(look: &Look<'a>, letter: char, long: &str) -> Option<(usize, Option<&'a str>)> {
    let mut options = look.options().options.iter();
    let found =
        options.find(|o| o.is_short(letter) || !long.is_empty() && o.long && o.is_long(long))?;
    Some((found.word, given(look, found)))
}

pub(super) const KNOWN: Rule = Rule {
    id: "exec-flag.program-option",
    class: "exec-flag",
    severity: Severity::High,
    keys: &[Key::ours("arbitrary program execution via option")],
    reason: "This option makes the tool run another program.",
    alternative: Some("Leave the option out: `sort names.txt`, `man ls`."),
    test: Test::Program(KEYED_TOOLS, |look| {
        KEYED
            .iter()
            .filter(|(tool, ..)| *tool == look.name)
            .find_map(|(_, letter, long, keys)| {
                let (word, value) = value(look, *letter, long)?;
                // `rg --pre-glob` isn't `--pre`.
                let written = look.words().get(word)?;
                if *long == "pre" && written.known_prefix().starts_with("--pre-") {
                    return None;
                }
                let harmless = value.is_some_and(is_ordinary) || value == Some("");
                (!harmless).then(|| look.hit_word(written).keys(keys))
            })
    }),
    matches: &[
        "sort --compress-program=sh names.txt",
        "sort --compress-program ./x f",
        "rg --pre ./x TODO",
        "rg --hostname-bin=./x TODO",
        "ag --pager \"sh -c id\" foo",
        "man -P ./x ls",
        "man --pager=./x ls",
        "man -H./x ls",
    ],
    near_misses: &[
        "sort names.txt",
        "rg --pre-glob '*.pdf' TODO",
        "man -P cat ls",
    ],
    safe: &[
        "sort -u names.txt",
        "sort --compress-program=gzip big.txt",
        "man ls",
        "man -P cat ls",
        "ag foo",
        "rg -n TODO",
    ],
    ..Rule::ASK
};

/// What an option of the tool runs, where a hardline rule must look at it.
pub(crate) fn option_script<'a>(look: &Look<'a>) -> Option<&'a str> {
    let keyed = KEYED
        .iter()
        .filter(|(tool, ..)| *tool == look.name)
        .find_map(|(_, letter, long, _)| value(look, *letter, long)?.1);
    let options = || look.options().options.iter();
    let other = || {
        let row = OPTIONS.iter().find(|row| row.tools.contains(&look.name))?;
        options().find(|o| row.has(o)).and_then(|o| given(look, o))
    };
    // `tar --checkpoint-action=exec=CMD`
    let action = || options().find_map(|o| o.value?.known()?.strip_prefix("exec="));
    keyed.or_else(action).or_else(other)
}

pub(super) const OPTION: Rule = Rule {
    id: "exec-flag.option",
    class: "exec-flag",
    severity: Severity::High,
    keys: &[Key::ours("arbitrary program execution via option")],
    reason: "This option makes the tool run another program.",
    alternative: Some("Leave the option out: `tar -xf a.tar`, `rsync -a src/ host:src/`."),
    help: Help::Leading,
    test: Test::Program(
        &[
            "tar",
            "bsdtar",
            "gtar",
            "rsync",
            "scp",
            "sftp",
            "ssh",
            "autossh",
            "split",
            "gsplit",
            "wget",
            "borg",
            "nmap",
            "tcpdump",
            "cpio",
            "ctags",
            "gcc",
            "g++",
            "cc",
            "c++",
            "clang",
            "clang++",
            "latexmk",
            "pdflatex",
            "xelatex",
            "lualatex",
            "pandoc",
            "gpg",
            "restic",
            "openssl",
            "mutt",
            "neomutt",
            "bat",
            "nano",
            "zip",
            "pip*",
            "make",
            "gmake",
            "strace",
            "delta",
            "moar",
            "diff-so-fancy",
            "npm",
            "pnpm",
            "yarn",
            "helm",
            "rclone",
            "iptables",
            "ip6tables",
            "openvpn",
            "openconnect",
            "vpnc",
            "msmtp",
            "fetchmail",
            "feh",
            "mpv",
            "ssh-keygen",
            "ssh-add",
            "logrotate",
            "pacman",
            "aria2c",
            "yt-dlp",
            "youtube-dl",
            "gallery-dl",
            "ack",
            "rustc",
            "ld",
            "mvn",
            "terraform",
            "tofu",
            "duplicity",
            "apt",
            "apt-get",
            "aptitude",
            "dpkg",
            "dnf",
            "yum",
            "bash",
            "gradle",
            "gradlew",
            "go",
            "cargo",
            "gs",
            "ps2pdf",
            "awk",
            "gawk",
            "hg",
            "svn",
            "java",
            "tshark",
            "wireshark",
            "cmake",
        ],
        option,
    ),
    matches: &[
        "tar --to-command=./x -xf a.tar",
        "tar -I ./x -xf a.tar",
        "tar cf a.tar --checkpoint=1 --checkpoint-action=exec=sh .",
        "rsync -e ./x a host:",
        "rsync --rsync-path='sh -c id' a host:",
        "wget -e use_askpass=./x u",
        "ssh -F ./evil.cfg host",
        "ssh -o ProxyCommand='sh -c id' host",
        "ssh -oPermitLocalCommand=yes -oLocalCommand=./x host",
        "scp -S ./x a host:",
        "wget --use-askpass=./x u",
        "zip a.zip f -T -TT ./x",
        "split --filter=./x f",
        "nmap --script ./x.nse h",
        "gcc -wrapper ./x a.c",
        "pdflatex --shell-escape a.tex",
        "pip install --no-binary :all: ./evil",
        "strace -o '|./x' ls",
        "delta --pager ./x",
        "go test -exec ./x ./...",
        "go build -toolexec=./x .",
        "go vet -vettool=./x ./...",
        "cargo --config 'build.rustc-wrapper=\"./x\"' build",
        "npm --script-shell=./x run build",
        "npm config set script-shell ./x",
        "npm install --ignore-scripts=false",
        "gs -dNOSAFER a.ps",
        "gawk -l ./x.so 'BEGIN{}'",
        "gawk '@load \"./x\"; BEGIN{}'",
        "openssl engine -t -pre SO_PATH:./x.so dynamic",
        "helm template . --post-renderer ./x",
        "openvpn --config a --up ./x",
        "ssh-keygen -D ./x.so",
        "hg --config 'alias.x=!id' x",
        "java -javaagent:./x.jar -jar a.jar",
        "java -XX:OnError='rm x' A",
        "apt-get -o DPkg::Pre-Invoke::=./x install y",
        "yt-dlp --exec ./x u",
        "aria2c --on-download-complete=./x u",
        "bash --rcfile ./x -i",
        "rustc -C linker=./x a.rs",
        "clang -Xclang -load -Xclang ./x.so a.c",
        "mvn exec:exec -Dexec.executable=./x",
    ],
    near_misses: &[
        "tar -I zstd -xf a.tar",
        "rsync -e 'ssh -p 22' a host:",
        "nmap --script vuln h",
    ],
    safe: &[
        "tar -xf a.tar",
        "tar --use-compress-program=pigz -cf a.tar.gz a",
        "rsync -a a b",
        "rsync -avz -e ssh a host:",
        "rsync --rsync-path='sudo rsync' -a a host:",
        "wget -e robots=off -r u",
        "ssh -F ~/.ssh/config host",
        "ssh -o StrictHostKeyChecking=no host",
        "ssh -o ProxyCommand='ssh -W %h:%p bastion' host",
        "ssh -J bastion host",
        "split -l 100 f",
        "zip -r a.zip a",
        "nmap -sV h",
        "pip install ./pkg",
        "strace -f -o out.txt ls",
        "pdflatex a.tex",
        "go test ./...",
        "go test -exec sudo ./...",
        "cargo --config net.git-fetch-with-cli=true build",
        "npm ci --ignore-scripts",
        "gs -dSAFER -sDEVICE=pdfwrite -o b.pdf a.ps",
        "gawk -f x.awk a.txt",
        "ssh-keygen -t ed25519 -f key",
        "helm template . -f values.yaml",
        "delta a b",
        "java -XX:OnOutOfMemoryError='kill -9 %p' A",
        "yt-dlp -f best u",
        "apt-get -o Debug::pkgProblemResolver=yes check",
        "bash --rcfile ~/.bashrc -i",
        "java -javaagent:/opt/otel/agent.jar -jar a.jar",
        "cmake -DCMAKE_CXX_COMPILER_LAUNCHER=ccache ..",
    ],
    ..Rule::ASK
};

fn option(look: &Look<'_>) -> Option<Hit> {
    let words = look.words();
    let special = match look.name {
        "ssh" | "autossh" | "scp" | "sftp" => ssh(look),
        "zip" => words.iter().position(|w| {
            w.known_prefix().starts_with("-TT") || w.known_prefix().starts_with("--unzip-command")
        }),
        "wget" => words
            .iter()
            .position(|w| w.text().to_ascii_lowercase().contains("use_askpass")),
        "pip" => words
            .iter()
            .position(|w| w.known() == Some("--no-binary"))
            .filter(|_| {
                look.operands()
                    .iter()
                    .any(|w| w.known_prefix().starts_with(['.', '/']))
            }),
        "make" | "gmake" => words.iter().position(|w| {
            w.known_prefix().starts_with("SHELL=") || w.known_prefix().starts_with("--eval")
        }),
        "strace" => words
            .iter()
            .position(|w| w.text().trim_start_matches("-o").starts_with(['|', '!'])),
        "tar" | "bsdtar" | "gtar" => words.iter().position(|w| {
            let text = w.text();
            text.starts_with("--checkpoint-action=exec") || text.starts_with("exec=")
        }),
        "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++" => words.iter().position(|w| {
            let text = w.known_prefix();
            matches!(text, "-wrapper" | "-load")
                || text.starts_with("-fplugin=")
                || text.starts_with("-fpass-plugin=")
        }),
        "latexmk" | "pdflatex" | "xelatex" | "lualatex" => words.iter().position(|w| {
            matches!(
                w.known_prefix().trim_start_matches('-'),
                "shell-escape" | "enable-write18"
            )
        }),
        "openssl" => words
            .iter()
            .position(|w| matches!(w.known(), Some("-engine" | "-provider" | "-pre" | "-post")))
            .filter(|at| words.get(at + 1).is_some_and(|v| v.text().contains('/'))),
        "go" => look.options().options.iter().find_map(|o| {
            let program = o.value.and_then(OptValue::known).unwrap_or("");
            let names = matches!(o.name, "exec" | "toolexec" | "vettool");
            (names && program.contains('/')).then_some(o.word)
        }),
        "cargo" => cargo_setting(words),
        "gs" | "ps2pdf" => words.iter().position(|w| {
            matches!(w.known(), Some("-dNOSAFER" | "-dDELAYSAFER")) || w.text().contains("%pipe%")
        }),
        "awk" | "gawk" => awk_library(look),
        "hg" => words.iter().position(|w| {
            let (name, value) = w.text().split_once('=').unwrap_or(("", ""));
            let name = name.trim_start_matches("--config").trim();
            name.starts_with("alias.") && value.starts_with('!')
                || [
                    "ui.ssh",
                    "ui.editor",
                    "extensions.",
                    "hooks.",
                    "merge-tools.",
                ]
                .iter()
                .any(|n| name.starts_with(n))
                    && !is_ordinary(value)
                    && !value.is_empty()
        }),
        "openvpn" => words.iter().position(|w| {
            let name = w.known_prefix().trim_start_matches('-');
            matches!(
                name,
                "up" | "down"
                    | "tls-verify"
                    | "auth-user-pass-verify"
                    | "client-connect"
                    | "ipchange"
                    | "route-up"
                    | "plugin"
            )
        }),
        "rustc" => words.iter().position(|w| {
            let text = w.text();
            text.contains("linker=") && is_local(text.split_once("linker=").map_or("", |(_, v)| v))
        }),
        "ld" => words
            .iter()
            .position(|w| w.known() == Some("-plugin") || w.text().starts_with("--plugin")),
        "mvn" => words.iter().position(|w| {
            w.text()
                .strip_prefix("-Dexec.executable=")
                .is_some_and(|v| v.contains('/'))
        }),
        "terraform" | "tofu" => words.iter().position(|w| {
            w.text()
                .trim_start_matches('-')
                .strip_prefix("plugin-dir=")
                .is_some_and(is_local)
        }),
        "duplicity" => words
            .iter()
            .position(|w| w.text().contains("ProxyCommand=")),
        "apt" | "apt-get" | "aptitude" | "dpkg" => words.iter().position(|w| {
            let name = w.text().split_once('=').map_or("", |(name, _)| name);
            name.contains("-Invoke") || matches!(name, "--pre-invoke" | "--post-invoke")
        }),
        "dnf" | "yum" => words.iter().position(|w| w.text().contains("pluginpath=")),
        "bash" => words.iter().position(|w| {
            let (name, value) = w.text().split_once('=').unwrap_or((w.text(), ""));
            let next = words.iter().skip_while(|o| !std::ptr::eq(*o, w)).nth(1);
            let value = if value.is_empty() {
                next.map_or("", |n| n.text())
            } else {
                value
            };
            matches!(name, "--rcfile" | "--init-file") && is_local(value)
        }),
        "svn" => words.iter().position(|w| w.text().contains(":tunnels:")),
        "java" => words.iter().position(|w| {
            let text = w.known_prefix();
            let on_error = ["-XX:OnError=", "-XX:OnOutOfMemoryError="]
                .iter()
                .find_map(|p| text.strip_prefix(p));
            text.starts_with("-agentpath:")
                || text.starts_with("-javaagent:./")
                || on_error.is_some_and(|command| !command.starts_with("kill "))
        }),
        "tshark" | "wireshark" => words.iter().position(|w| w.text().contains("lua_script:")),
        "cmake" => words.iter().position(|w| {
            let (name, value) = w.text().split_once('=').unwrap_or(("", ""));
            name.ends_with("_LAUNCHER") && value.contains('/') && !value.starts_with("/usr/")
        }),
        "npm" | "pnpm" | "yarn" => words
            .iter()
            .position(|w| {
                matches!(
                    w.known(),
                    Some("--ignore-scripts=false" | "--no-ignore-scripts")
                )
            })
            .or_else(|| {
                let set = look.verbs(&["config", "set"]) || look.verbs(&["set"]);
                let script = |w: &crate::word::Word| {
                    let text = w.text();
                    text.starts_with("script-shell") || text == "ignore-scripts=false"
                };
                words.iter().position(script).filter(|_| set)
            }),
        _ => None,
    };
    if let Some(at) = special {
        return Some(look.hit_word(words.get(at)?));
    }
    let row = OPTIONS.iter().find(|row| row.tools.contains(&look.name))?;
    let options = &look.options().options;
    let found = options.iter().find(|o| {
        let value = given(look, o).unwrap_or("");
        row.has(o) && runs_program(look.name, value)
    })?;
    Some(look.hit_word(words.get(found.word)?))
}

/// A value that is neither one of the programs the option is made for nor a name that the tool
/// itself looks up.
fn runs_program(tool: &str, value: &str) -> bool {
    match tool {
        // Scripts that come with it have no folder.
        "nmap" => value.contains('/') || value.ends_with(".nse"),
        "pandoc" => value.contains('/'),
        // `--rsync-path='sudo rsync'`
        "rsync" => !is_ordinary(value) && !value.ends_with("rsync"),
        "wget" => true,
        // Names of its own, and what comes with it.
        "helm" | "ssh-keygen" | "ssh-add" | "mpv" | "gradle" | "gradlew" | "logrotate" => {
            value.contains('/') && !value.starts_with("/usr/")
        }
        "aria2c" | "yt-dlp" | "youtube-dl" | "gallery-dl" => {
            let command = value.split_once(':').map_or(value, |(_, command)| command);
            is_local(value) || is_local(command)
        }
        "feh" => !value.is_empty(),
        _ => !is_ordinary(value),
    }
}

/// A program of the project, or one that anybody may have put there.
fn is_local(command: &str) -> bool {
    ["./", "../", "/tmp/", "/var/tmp/", "/dev/shm/"]
        .iter()
        .any(|folder| command.starts_with(folder))
}

/// Settings of cargo whose value is a program.
const CARGO: &[&str] = &[
    "rustc",
    "rustc-wrapper",
    "rustc-workspace-wrapper",
    "rustdoc",
    "runner",
    "linker",
    "credential-process",
    "credential-provider",
    "global-credential-providers",
];

/// `cargo --config 'build.rustc-wrapper="./x"'`, `--config target.x.runner=./x`
fn cargo_setting(words: &[crate::word::Word]) -> Option<usize> {
    words.iter().position(|w| {
        let text = w.text().trim_start_matches("--config=");
        let Some((name, value)) = text.split_once('=') else {
            return false;
        };
        let last = name.trim().rsplit('.').next().unwrap_or("");
        name.contains('.') && CARGO.contains(&last) && value.contains('/')
    })
}

/// `gawk -l ./x.so`, `gawk '@load "./x"'`
fn awk_library(look: &Look<'_>) -> Option<usize> {
    let loads = look.options().options.iter().find(|o| {
        let value = o.value.and_then(OptValue::known).unwrap_or("");
        o.is('l', "load") && value.contains('/')
    });
    let by_code = || {
        look.words()
            .iter()
            .position(|w| w.text().contains("@load \"") && w.text().contains('/'))
    };
    loads.map(|o| o.word).or_else(by_code)
}

/// Settings of ssh that run a program here.
const SSH: &[&str] = &[
    "proxycommand",
    "localcommand",
    "knownhostscommand",
    "securitykeyprovider",
    "pkcs11provider",
];
/// What a proxy command is usually made of.
const PROXIES: &[&str] = &[
    "ssh",
    "nc",
    "ncat",
    "connect",
    "connect-proxy",
    "corkscrew",
    "cloudflared",
    "aws",
    "gcloud",
    "none",
];

fn ssh(look: &Look<'_>) -> Option<usize> {
    let env = look.scope.env;
    let found = look.options().options.iter().find(|o| {
        let value = o.value.and_then(OptValue::known).unwrap_or("");
        if o.is_short('F') && matches!(look.name, "ssh" | "autossh" | "scp" | "sftp") {
            let own =
                Place::of(value, env).is_some_and(|p| p == Place::Ssh || p == Place::SystemConfig);
            return !own && value != "none" && value != "/dev/null" && !value.is_empty();
        }
        if o.is_short('S') && matches!(look.name, "scp" | "sftp")
            || o.is_short('D') && look.name == "sftp"
        {
            return !is_ordinary(value);
        }
        if !o.is_short('o') {
            return false;
        }
        let (name, command) = value.split_once(['=', ' ']).unwrap_or((value, ""));
        let first = command.split_whitespace().next().unwrap_or("");
        let first = first.rsplit('/').next().unwrap_or(first);
        SSH.contains(&name.to_ascii_lowercase().as_str()) && !PROXIES.contains(&first)
    })?;
    Some(found.word)
}
