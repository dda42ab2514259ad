//! Scripts that come from somewhere the text doesn't show.

use super::made::writer;
use crate::analysis::Analysis;
use crate::decoders;
use crate::invocation::{Invocation, Stdin, Substitution, SubstitutionId};
use crate::look::Look;
use crate::rule::{Hit, Key, Rule, Severity, Test};
use crate::word::{Unknown, Word};

pub(super) const SHELLS: &[&str] = &[
    "bash", "sh", "zsh", "ksh", "dash", "ash", "fish", "csh", "tcsh", "mksh", "rbash",
];
#[rustfmt::skip]
const READERS: &[&str] = &[
    "bash", "sh", "zsh", "ksh", "dash", "ash", "fish", "csh", "tcsh", "mksh", "rbash", "python*",
    "perl*", "ruby*", "node", "nodejs", "php*", "lua*", "deno", "bun", "Rscript", "R", "tclsh", "osascript",
    "pwsh", "source", ".", "at", "batch", "psql", "ssh",
];

/// Keys of what fetches, which other rules ask for.
const REMOTE: &[Key] = &[
    Key::both("pipe remote content to shell"),
    Key::both("execute remote script via process substitution"),
    Key::from19("execute remote content via command substitution"),
];

pub(super) const EVAL: Rule = Rule {
    id: "shell.eval",
    class: "eval",
    severity: Severity::Medium,
    keys: &[Key::ours("eval of unknown text")],
    reason: "What eval runs is only known when the command runs.",
    alternative: Some("Write the command literally."),
    test: Test::Program(&["eval"], |look| {
        let words = look.words();
        let unknown = words.iter().find(|w| is_unknown(w))?;
        // The usual way to take over what getopt sorted.
        if matches!(words, [set, dashes, ..] if set.known() == Some("set") && dashes.known() == Some("--"))
        {
            return None;
        }
        let known = unknown.unknowns().all(|u| match u {
            Unknown::Command(id) => is_setup(look.scope.analysis, *id),
            _ => false,
        });
        let fetched = unknown.unknowns().any(|u| match u {
            Unknown::Command(id) => look.scope.analysis.inside(*id).iter().any(fetches),
            _ => false,
        });
        let hit = look.hit_word(unknown);
        let hit = if fetched { hit.accepts(REMOTE) } else { hit };
        (!known).then_some(hit)
    }),
    matches: &["eval \"$USER_CMD\"", "eval $(cat x)", "eval `base64 -d p`"],
    near_misses: &["eval 'ls -la'", "eval \"$(brew shellenv)\""],
    safe: &[
        "eval 'ls -la'",
        "eval \"$(brew shellenv)\"",
        "eval \"$(ssh-agent -s)\"",
        "eval \"$(direnv hook bash)\"",
        "eval set -- \"$PARSED\"",
        "X='ls -la'; eval \"$X\"",
    ],
    ..Rule::ASK
};

fn is_unknown(word: &Word) -> bool {
    word.known().is_none() && word.alternatives().is_empty()
}

/// Tools that print settings for a shell, and the words that make them do so (none: always).
#[rustfmt::skip]
const SETUPS: &[(&str, &[&str])] = &[
    ("atuin", &["init"]), ("brew", &["shellenv"]), ("conda", &["shell.bash", "shell.zsh", "shell.posix"]),
    ("dircolors", &[]), ("direnv", &["hook", "export"]), ("docker-machine", &["env"]),
    ("fnm", &["env"]), ("fzf", &["--bash", "--zsh", "--fish"]), ("goenv", &["init"]),
    ("jenv", &["init"]), ("keychain", &["--eval"]), ("lesspipe", &[]), ("luarocks", &["path"]),
    ("mamba", &["shell"]), ("mcfly", &["init"]), ("micromamba", &["shell"]),
    ("minikube", &["docker-env", "podman-env"]), ("mise", &["activate", "env", "hook-env"]),
    ("nodenv", &["init"]), ("opam", &["env"]), ("phpenv", &["init"]),
    ("pyenv", &["init", "virtualenv-init"]), ("rbenv", &["init"]),
    ("register-python-argcomplete", &[]), ("resize", &[]), ("ssh-agent", &[]),
    ("starship", &["init"]), ("thefuck", &["--alias"]), ("zoxide", &["init"]),
];

/// True if a substitution only prints settings or completions of a known tool.
fn is_setup(analysis: &Analysis<'_>, id: SubstitutionId) -> bool {
    let inside = analysis.inside(id);
    !inside.is_empty() && inside.iter().all(prints_settings)
}

fn prints_settings(invocation: &Invocation) -> bool {
    let Some(name) = invocation.name() else {
        return false;
    };
    let mut words = invocation.arguments().iter().filter_map(Word::known);
    match SETUPS.binary_search_by(|(tool, _)| (*tool).cmp(name)) {
        Ok(at) => SETUPS
            .get(at)
            .is_some_and(|(_, needs)| needs.is_empty() || words.any(|w| needs.contains(&w))),
        Err(_) => {
            let fetches = FETCHERS.contains(&name) || matches!(name, "cat" | "echo" | "printf");
            !fetches
                && words.any(|w| {
                    matches!(
                        w,
                        "completion" | "completions" | "--completion" | "generate-shell-completion"
                    )
                })
        }
    }
}

/// An approval for what is fetched covers this, too.
fn fetches(invocation: &Invocation) -> bool {
    invocation
        .name()
        .is_some_and(|name| FETCHERS.contains(&name))
}

const FETCHERS: &[&str] = &[
    "curl", "wget", "fetch", "aria2c", "lynx", "http", "nc", "ncat",
];

pub(super) const PIPED: Rule = Rule {
    id: "shell.piped-script",
    class: "obfus-encode",
    severity: Severity::High,
    keys: &[Key::ours("pipe unknown content to shell")],
    reason: "A shell or an interpreter runs what another command prints, unseen.",
    alternative: Some("Write it to a file, read the file, then run it."),
    test: Test::Program(READERS, |look| {
        let feeder = unseen_pipe(look)?;
        if decoder(look).is_some() {
            return None;
        }
        let hit = look.hit_at(feeder.span.cover(look.invocation.span));
        let fetched = look.upstream().any(fetches);
        Some(if fetched { hit.accepts(REMOTE) } else { hit })
    }),
    matches: &[
        "gunzip -c s.gz | sh",
        "sed -n 's/^#//p' f | bash",
        "jq -r .cmd a.json | sh",
        "strings img.png | bash",
        "perl -pe 's/x/y/' p | sh",
        "zcat p.gz | python3",
        "dd if=p bs=1 skip=10 2>/dev/null | sudo sh",
    ],
    near_misses: &["base64 -d p | sh", "cat build.sh | bash"],
    safe: &[
        "echo 'ls -la' | bash",
        "cat build.sh | bash",
        "cat s.sh | shellcheck -",
        "sed s/a/b/ x.sh | bash -n",
        "cat a.json | python3 -m json.tool",
        "cat x | python3 tool.py",
        "ls | ssh host cat",
        "pg_dump a | gzip",
    ],
    ..Rule::ASK
};

/// The command whose output is run, if its output can't be told.
fn unseen_pipe<'a>(look: &Look<'a>) -> Option<&'a Invocation> {
    let analysis = look.scope.analysis;
    let Stdin::Pipe(ids) = &look.invocation.stdin else {
        return None;
    };
    if !reads_script(look) || look.child().is_some() {
        return None;
    }
    let mut feeders = ids.iter().filter_map(|id| analysis.invocation(*id));
    let feeder = feeders.find(|i| !is_literal(i))?;
    // A script file that is there is as good as `bash FILE`.
    let plain = feeder.is("cat") && look.upstream().all(|i| i.is("cat")) && !is_made(look, feeder);
    (!plain).then_some(feeder)
}

/// What it prints stands in the text.
pub(super) fn is_literal(invocation: &Invocation) -> bool {
    match invocation.name() {
        Some("echo" | "printf") => !invocation.arguments().iter().any(is_unknown),
        Some("cat") => matches!(
            invocation.stdin,
            Stdin::HereDocument { .. } | Stdin::HereString(_)
        ),
        _ => false,
    }
}

fn is_made(look: &Look<'_>, cat: &Invocation) -> bool {
    cat.arguments()
        .iter()
        .filter_map(Word::known)
        .any(|path| writer(look.scope, look.invocation, path).is_some())
}

/// True if the program takes its script from standard input.
fn reads_script(look: &Look<'_>) -> bool {
    let first = look
        .words()
        .iter()
        .find(|w| !w.text().starts_with('-') || w.text() == "-");
    match look.name {
        "at" | "batch" => !look.has('l', "") && !look.has('f', ""),
        // Its script is looked at by other rules.
        "psql" | "source" | "." => false,
        "ssh" => look.operands().len() < 2 && !look.words().is_empty(),
        "deno" => look.operand(0) == Some("run") && look.operand(1) == Some("-"),
        _ if SHELLS.contains(&look.name) => {
            let shell = crate::grammar::read(
                look.words(),
                crate::grammar::grammar(look.name).unwrap_or(&crate::grammar::UNKNOWN_TOOL),
                crate::grammar::Order::First,
            );
            // `-n` only checks what it reads.
            let script = shell
                .options
                .iter()
                .any(|o| o.is_short('c') || o.is_short('n'));
            let stdin = shell.options.iter().any(|o| o.is_short('s'));
            !script && (stdin || shell.operands.first().is_none_or(|w| is_stdin(w)))
        }
        _ => {
            let code = look.options().options.iter().any(|o| {
                matches!(
                    o.name,
                    "c" | "e" | "E" | "m" | "r" | "p" | "n" | "eval" | "print"
                )
            });
            !code && first.is_none_or(is_stdin)
        }
    }
}

fn is_stdin(word: &Word) -> bool {
    matches!(
        word.known(),
        Some("-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
    )
}

pub(super) const DECODED: Rule = Rule {
    id: "shell.decoded-script",
    class: "obfus-encode",
    severity: Severity::Critical,
    keys: &[Key::from19(
        "pipe decoded content to shell (possible command obfuscation)",
    )],
    reason: "A shell runs text that was decoded on the way, so that nobody could read it.",
    alternative: Some("Decode it into a file, read the file, then run it."),
    test: Test::Program(READERS, |look| {
        let feeder = unseen_pipe(look)?;
        let keys = decoder(look)?;
        let hit = look.hit_at(feeder.span.cover(look.invocation.span));
        Some(hit.keys(keys))
    }),
    matches: &[
        "base64 -d p.b64 | sh",
        "base64 --decode p | bash",
        "cat p | base64 -di | sh",
        "base64 -d p | tee x | sh",
        "base64 -d p | sudo bash",
        "xxd -r -p h.txt | sh",
        "cat p | openssl enc -d -base64 | bash",
        "cat p | tr a-z n-za-m | sh",
        "base64 -d p | python3",
        "cat x | rev | bash",
    ],
    near_misses: &["gunzip -c s.gz | sh", "echo aGk= | base64 -d"],
    safe: &[
        "base64 -d p.b64 > out.bin",
        "echo aGk= | base64 -d",
        "base64 -d x | jq .",
        "echo hi | tr a-z A-Z",
    ],
    ..Rule::ASK
};

/// The keys of the decoder among what is piped in.
fn decoder(look: &Look<'_>) -> Option<&'static [Key]> {
    look.upstream().find_map(|i| decoders::keys(look.scope, i))
}

pub(super) const SUBSTITUTED: Rule = Rule {
    id: "shell.substituted-script",
    class: "obfus-encode",
    severity: Severity::High,
    keys: &[Key::ours("run the output of a command as a script")],
    reason: "A shell or an interpreter runs what another command prints, unseen.",
    alternative: Some("Write it to a file, read the file, then run it."),
    test: Test::Program(READERS, |look| {
        let analysis = look.scope.analysis;
        let unseen = |id: SubstitutionId| -> Option<&Substitution> {
            let found = analysis.substitution(id)?;
            (found.output.is_none() && !is_setup(analysis, id) && !reads_file(analysis, id))
                .then_some(found)
        };
        if let Stdin::Process(id) = &look.invocation.stdin
            && reads_script(look)
            && let Some(found) = unseen(*id)
        {
            return Some(substituted(look, *id, found));
        }
        let first = look.operands().first()?;
        let id = first.unknowns().find_map(|u| match u {
            Unknown::Process(id) => Some(*id),
            _ => None,
        })?;
        Some(substituted(look, id, unseen(id)?))
    }),
    matches: &[
        "bash <(base64 -d p)",
        "source <(jq -r .x a)",
        "bash < <(gunzip -c s.gz)",
        "python3 <(zcat p.gz)",
    ],
    near_misses: &["bash <(echo ls)", "source <(kubectl completion bash)"],
    safe: &[
        "source <(kubectl completion bash)",
        "bash <(cat f)",
        "diff <(sort a) <(sort b)",
    ],
    ..Rule::ASK
};

fn substituted(look: &Look<'_>, id: SubstitutionId, found: &Substitution) -> Hit {
    let hit = look.hit_at(found.span);
    let fetched = look.scope.analysis.inside(id).iter().any(fetches);
    if fetched { hit.accepts(REMOTE) } else { hit }
}

fn reads_file(analysis: &Analysis<'_>, id: SubstitutionId) -> bool {
    let inside = analysis.inside(id);
    !inside.is_empty() && inside.iter().all(|i| i.is("cat"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order() {
        assert!(SETUPS.is_sorted());
    }
}
