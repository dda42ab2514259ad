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
    o(&["bat"], "", &["pager"]),
    o(&["nano"], "s", &["speller"]),
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
            "tar", "bsdtar", "gtar", "rsync", "scp", "sftp", "ssh", "autossh", "split", "gsplit",
            "wget", "borg", "nmap", "tcpdump", "cpio", "ctags", "gcc", "g++", "cc", "c++", "clang",
            "clang++", "latexmk", "pdflatex", "xelatex", "lualatex", "pandoc", "gpg", "restic",
            "openssl", "mutt", "neomutt", "bat", "nano", "zip", "pip*", "make", "gmake", "strace",
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
            .position(|w| w.text().trim_start_matches("-o").starts_with('|')),
        "tar" | "bsdtar" | "gtar" => words.iter().position(|w| {
            let text = w.text();
            text.starts_with("--checkpoint-action=exec") || text.starts_with("exec=")
        }),
        "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++" => words.iter().position(|w| {
            let text = w.known_prefix();
            text == "-wrapper" || text.starts_with("-fplugin=")
        }),
        "latexmk" | "pdflatex" | "xelatex" | "lualatex" => words.iter().position(|w| {
            matches!(
                w.known_prefix().trim_start_matches('-'),
                "shell-escape" | "enable-write18"
            )
        }),
        "openssl" => words
            .iter()
            .position(|w| w.known() == Some("-engine"))
            .filter(|at| words.get(at + 1).is_some_and(|v| v.text().contains('/'))),
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
        _ => !is_ordinary(value),
    }
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
