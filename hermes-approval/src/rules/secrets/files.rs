//! Files that hold secrets.

use super::super::secret_files::{is_secret, names_secret};
use crate::effect::EffectKind;
use crate::find;
use crate::invocation::RedirectOperator;
use crate::look::Look;
use crate::name_index::NameIndex;
use crate::paths::Place;
use crate::rule::{Help, Hit, Key, Rule, Severity, Test};
use crate::word::Word;

const READ_KEY: Key = Key::ours("read secrets");

static READER_NAMES: NameIndex<256> = NameIndex::of(READERS);

/// Programs that show what is in a file, in order.
#[rustfmt::skip]
const READERS: &[&str] = &[
    "Get-Content", "ack", "ag", "awk", "base32", "base64", "basenc", "bat", "batcat", "bzcat", "cat", "ccat",
    "column", "comm", "csplit", "cut", "dasel", "dd", "diff", "egrep", "envsubst", "expand", "fgrep", "fmt",
    "fold", "gawk", "glow", "grep", "gron", "head", "hexdump", "hexyl", "iconv", "join", "jq", "less", "look",
    "lz4cat", "mapfile", "mawk", "mdcat", "more", "most", "nawk", "nl", "od", "paste", "pbcopy", "perl", "pr",
    "pygmentize", "qrencode", "rev", "rg", "sdiff", "sed", "shuf", "sort", "split", "sqlite3", "strings", "tac",
    "tail", "tee", "tomlq", "tr", "type", "unexpand", "uniq", "view", "wl-copy", "xclip", "xmllint", "xq",
    "xsel", "xxd", "xzcat", "yq", "zcat", "zgrep", "zless", "zmore", "zstdcat", "zstdless",
];

/// Their first operand is no file.
const PATTERN_FIRST: &[&str] = &[
    "ack", "ag", "awk", "dasel", "egrep", "fgrep", "gawk", "grep", "jq", "look", "mawk", "nawk",
    "perl", "rg", "sed", "tomlq", "tr", "xq", "yq", "zgrep",
];

/// The word that names a secret which the invocation shows.
pub(in super::super) fn reads_secret<'a>(look: &Look<'a>) -> Option<&'a Word> {
    let name = look.invocation.name()?;
    if !READER_NAMES.has(READERS, name) || name == "tee" {
        return None;
    }
    if name == "dd" {
        return look.words().iter().find(|w| {
            w.known()
                .and_then(|t| t.strip_prefix("if="))
                .is_some_and(|f| is_secret(look, f))
        });
    }
    // What is changed in place, is judged as a write.
    if matches!(name, "sed" | "perl" | "yq")
        && look
            .words()
            .iter()
            .any(|w| w.known_prefix().starts_with("-i"))
    {
        return None;
    }
    // `grep -q` and `-c` and `-l` tell that something is there, not what.
    if matches!(name, "grep" | "egrep" | "fgrep" | "rg")
        && (look.has('q', "quiet") || look.has('l', "files-with-matches") || look.has('c', "count"))
    {
        return None;
    }
    let skip = usize::from(
        PATTERN_FIRST.contains(&name) && !look.has('e', "regexp") && !look.has('f', "file"),
    );
    let named = look
        .operands()
        .iter()
        .skip(skip)
        .copied()
        .find(|w| names_secret(look, w));
    named.or_else(|| searched_secret(look))
}

/// The name of a secret that a search looks for, if the invocation is run on what it finds:
/// `find / -name id_rsa -exec cat {} \;`, `locate id_rsa | xargs cat`.
fn searched_secret<'a>(look: &Look<'a>) -> Option<&'a Word> {
    let by = look.repeated_by()?;
    let upstream = look.scope.look(by).upstream();
    let mut searches = std::iter::once(by).chain(upstream);
    searches.find_map(|search| {
        let words = search.arguments();
        let name = search.name().unwrap_or("");
        if !find::PROGRAMS.contains(&name) {
            let lists = matches!(
                name,
                "fd" | "fdfind" | "locate" | "ls" | "mdfind" | "plocate"
            );
            return words.iter().find(|w| lists && names_secret(look, w));
        }
        let names = find::primaries(words)
            .take(find::MAX_PRIMARIES)
            .filter(|primary| primary.is(&["-iname", "-ipath", "-name", "-path", "-wholename"]));
        let mut values = names.filter_map(|primary| primary.values.first());
        values.find(|w| names_secret(look, w))
    })
}

pub(super) const READ: Rule = Rule {
    id: "secrets.read-file",
    class: "secrets-read",
    severity: Severity::High,
    keys: &[READ_KEY],
    reason: "This shows passwords, keys or tokens.",
    alternative: Some("See that it is there, not what is in it: `ls -l .env`, `grep -c '=' .env`."),
    help: Help::Leading,
    test: Test::Program(READERS, |look| {
        let word = reads_secret(look)?;
        (!is_taken_over(look, word)).then(|| look.hit_word(word))
    }),
    matches: &[
        "sudo cat ~/.ssh/id_ed25519",
        "cat .env",
        "cat ~/.aws/credentials",
        "head -50 ~/.netrc",
        "grep -r . ~/.gnupg",
        "grep -i password .env.production",
        "base64 ~/.ssh/id_ed25519",
        "less ~/.docker/config.json",
        "cat /proc/1/environ",
        "tr '\\0' '\\n' < /proc/self/environ | sort; strings /proc/1/environ",
        "xxd ~/.ssh/id_rsa",
        "sudo cat /etc/shadow",
        "awk -F: '{print $2}' /etc/shadow",
        "cat ~/.kube/config",
        "tail -n 5 /etc/ssl/private/server.pem",
        "cat ~/.hermes/.env",
        "cat ~/.config/google-chrome/Default/Cookies",
        "dd if=/etc/shadow of=/tmp/x",
        "sqlite3 x; cat server.key",
        "strings /proc/$PPID/environ",
        "cat /proc/*/environ",
        "cat \"$APP/.env\"",
        "diff .env /dev/null",
        "cat ~/.s?h/id_*",
        "zgrep . ~/.netrc",
        "column -t ~/.aws/credentials",
        "find / -name id_rsa -exec cat {} \\;",
        "find ~ -name '*.key' -print0 | xargs -0 cat",
        "locate id_rsa | xargs cat",
    ],
    near_misses: &[
        "cat ~/.ssh/id_ed25519.pub",
        "cat .env.example",
        "grep -c . .env",
        "find . -name '*.rs' -exec cat {} \\;",
        "find . -name .env -exec ls -l {} \\;",
    ],
    safe: &[
        "diff .env.example .env.sample",
        "cat \"$f\"",
        "cat ~/.ssh/id_ed25519.pub",
        "cat ~/.ssh/config",
        "cat .env.example",
        "cat ~/.aws/config",
        "cat /etc/passwd",
        "grep -q TOKEN .env",
        "cat README.md",
        "source .env",
        "ls -la ~/.ssh",
        "chmod 600 ~/.ssh/id_rsa",
        "ssh -i ~/.ssh/id_rsa host",
        "grep -rn '.env' src",
        "openssl x509 -in cert.pem -text",
        "wc -l .env",
        "export $(grep -v '^#' .env | xargs)",
    ],
    ..Rule::ASK
};

/// `export $(grep -v '^#' .env)`: the variables of a project are set, not shown.
fn is_taken_over<'a>(look: &Look<'a>, word: &'a Word) -> bool {
    look.target(word).place() == Some(Place::ProjectEnv)
        && look.scope.taker(look.invocation).is_some_and(|i| {
            matches!(i.name(), Some("export" | "env" | "declare")) || i.argv.is_empty()
        })
}

pub(super) const COPY: Rule = Rule {
    id: "secrets.copy-file",
    class: "secrets-read",
    severity: Severity::High,
    keys: &[Key::ours("copy secrets")],
    accepts: &[READ_KEY],
    reason: "This makes a copy of passwords, keys or tokens, which others may be able to read.",
    alternative: Some("Leave it where it is, and name its path to the tool that needs it."),
    test: Test::Program(
        &[
            "cp", "mv", "install", "ln", "tar", "zip", "7z", "rsync", "gzip", "bzip2", "cpio",
            "pax", "git", "scp", "ditto", "unshadow", "john", "ssh2john", "openssl",
        ],
        copies,
    ),
    matches: &[
        "cp ~/.ssh/id_rsa /tmp/x",
        "tar czf k.tgz ~/.ssh",
        "zip -r a.zip ~/.aws",
        "rsync -a ~/.gnupg /mnt/usb",
        "ln ~/.netrc /tmp/n",
        "cp -r ~/.config/google-chrome /tmp",
        "git add -f .env",
        "openssl rsa -in ~/.ssh/id_rsa -out /tmp/k",
        "find / -name '*.key' -exec cp {} /tmp \\;",
    ],
    near_misses: &[
        "cp .env.example .env",
        "cp id_rsa.pub /tmp/x",
        "cp key ~/.ssh/id_rsa",
    ],
    safe: &["tar czf src.tgz src", "cp ~/.ssh/id_rsa.pub .", "git add ."],
    ..Rule::ASK
};

fn copies(look: &Look<'_>) -> Option<Hit> {
    let operands = look.operands();
    let count = operands.len();
    let found = match look.name {
        "git" => {
            let sub = look.sub().filter(|s| s.name == "add")?;
            sub.options
                .operands
                .iter()
                .copied()
                .find(|w| names_secret(look, w))
        }
        "openssl" => {
            let private = matches!(
                look.word(0),
                Some("rsa" | "pkey" | "ec" | "dsa" | "pkcs8" | "pkcs12" | "enc" | "base64")
            );
            let at = look.words().iter().position(|w| w.known() == Some("-in"))?;
            let public = look.has_word("-pubout") || look.has_word("-check");
            look.words()
                .get(at + 1)
                .filter(|w| private && !public && names_secret(look, w))
        }
        "tar" | "zip" | "7z" | "cpio" | "pax" | "gzip" | "bzip2" | "unshadow" | "john"
        | "ssh2john" => operands.iter().copied().find(|w| names_secret(look, w)),
        // The last is where it goes to; a project's own file may be copied in the project.
        _ => {
            let to = look.options().value('t', "target-directory").is_some();
            let sources = if to { count } else { count.saturating_sub(1) };
            let named = operands.iter().copied().take(sources).find(|w| {
                names_secret(look, w) && look.target(w).place() != Some(Place::ProjectEnv)
            });
            named.or_else(|| searched_secret(look))
        }
    };
    found.map(|w| look.hit_word(w))
}

pub(super) const REDIRECTED: Rule = Rule {
    id: "secrets.read-input",
    class: "secrets-read",
    severity: Severity::High,
    keys: &[READ_KEY],
    reason: "This shows passwords, keys or tokens.",
    alternative: Some("See that it is there, not what is in it: `ls -l .env`."),
    test: Test::Any(|look| {
        let redirect = look.invocation.redirects.iter().find(|r| {
            r.operator == RedirectOperator::Input
                && r.target.as_ref().is_some_and(|t| names_secret(look, t))
        })?;
        let name = look.invocation.name().unwrap_or("");
        let reads = READER_NAMES.has(READERS, name) || matches!(name, "" | "while" | "read");
        reads.then(|| look.hit_at(redirect.span))
    }),
    matches: &[
        "cat < ~/.ssh/id_rsa",
        "base64 < .env",
        "tr '\\0' '\\n' < /proc/self/environ",
    ],
    near_misses: &["cat < .env.example", "wc -l < .env"],
    safe: &[
        "docker login --password-stdin < ~/.docker-token",
        "cat < README.md",
    ],
    ..Rule::ASK
};

pub(super) const CODE: Rule = Rule {
    id: "secrets.read-by-code",
    class: "secrets-read",
    severity: Severity::High,
    keys: &[READ_KEY],
    accepts: &[Key::both("script execution via -e/-c flag")],
    reason: "The script reads passwords, keys or tokens.",
    alternative: Some("See that it is there, not what is in it: `ls -l .env`."),
    test: Test::Code(|look| {
        let effect = look.invocation.effects.iter().find(|e| {
            e.kind == EffectKind::Read && e.target.as_deref().is_some_and(|t| is_secret(look, t))
        })?;
        Some(look.hit_at(effect.span))
    }),
    matches: &[
        "python3 -c \"print(open('/etc/shadow').read())\"",
        "node -e \"console.log(require('fs').readFileSync('.env','utf8'))\"",
    ],
    near_misses: &["python3 -c \"print(open('README.md').read())\""],
    safe: &["python3 -c \"print(open('README.md').read())\""],
    ..Rule::ASK
};
