//! Text that is decoded or made by a program and run as a command.

use super::interpreters::{
    input_substitution, is_interpreter, is_shell, reads_script_from_input, substitutions,
};
use super::remote_execution::fetches;
use crate::invocation::{Invocation, Stdin};
use crate::look::Look;
use crate::name_index::NameIndex;
use crate::rule::{Hit, Key, Pack, Rule, Severity, Test};
use crate::word::Word;

pub(super) static PACK: Pack = Pack {
    name: "encoders",
    about: "running what was encoded, packed or put together, so that nobody can read it first",
    rules: &[PIPE, SUBSTITUTION, LONG],
};

const DECODED: Key = Key::from19("pipe decoded content to shell (possible command obfuscation)");
const XXD: Key = Key::from19("pipe xxd-decoded content to shell (possible command obfuscation)");
const TR: Key = Key::from19("pipe tr-transformed output to shell (possible command obfuscation)");
const OPENSSL: Key =
    Key::from19("pipe openssl-decoded content to shell (possible command obfuscation)");
const OTHER: Key = Key::ours("pipe transformed content to shell");

/// Programs that decode or unpack, in order.
#[rustfmt::skip]
const DECODERS: &[&str] = &[
    "7z", "7za", "age", "base16", "base32", "base64", "base64url", "basenc", "brotli", "bunzip2", "bzcat", "bzip2",
    "dd", "funzip", "gbase64", "gpg", "gpg2", "gunzip", "gzcat", "gzip", "iconv", "lz4", "lz4cat", "lzcat", "lzma",
    "od", "openssl", "pigz", "qprint", "recode", "rev", "steghide", "strings", "tac", "uncompress", "unlzma", "unxz",
    "unzip", "unzstd", "uudecode", "xxd", "xz", "xzcat", "zcat", "zstd", "zstdcat",
];

/// Programs that make one text from another, in order.
#[rustfmt::skip]
const TRANSFORMERS: &[&str] = &[
    "awk", "cut", "egrep", "fold", "gawk", "grep", "head", "jq", "m4", "mawk", "paste", "perl", "python", "python2",
    "python3", "ruby", "sed", "sort", "tail", "tr", "yq",
];

static DECODER_NAMES: NameIndex<256> = NameIndex::of(DECODERS);
static TRANSFORMER_NAMES: NameIndex<64> = NameIndex::of(TRANSFORMERS);

/// True for a program that decodes or unpacks.
pub(super) fn is_decoder(name: &str) -> bool {
    DECODER_NAMES.has(DECODERS, name)
}

fn is_transformer(name: &str) -> bool {
    is_decoder(name) || TRANSFORMER_NAMES.has(TRANSFORMERS, name)
}

pub(super) const PIPE: Rule = Rule {
    id: "encoders.pipe-to-shell",
    class: "obfus-encode",
    severity: Severity::High,
    keys: &[OTHER],
    accepts: &[DECODED, XXD, TR, OPENSSL],
    reason: "What is run is not what can be read here: it is decoded or put together on the way.",
    alternative: Some("Look at what comes out first, without the shell behind it."),
    test: Test::Any(|look| {
        let name = look.invocation.name()?;
        let runs = (is_shell(name) || is_interpreter(name))
            && reads_script_from_input(look.invocation)
            || matches!(name, "source" | ".") && matches!(look.word(0), Some("/dev/stdin" | "-"));
        if !runs || look.words().iter().any(|w| w.known() == Some("-n")) {
            return None;
        }
        if let Some(id) = input_substitution(look.invocation) {
            let inside = look.scope.analysis.inside(id);
            return hit(look, inside.iter());
        }
        if !matches!(look.invocation.stdin, Stdin::Pipe(_)) && look.invocation.stage == 0 {
            return None;
        }
        hit(look, look.upstream())
    }),
    matches: &[
        "base64 -d p | sh",
        "cat p | base64 -di | sh",
        "echo p | base64 -d | sudo bash",
        "echo p | base64 -d | env bash",
        "echo p | base64 -d | tee x | sh",
        "base32 -d p | sh",
        "xxd -r -p h | bash",
        "xxd -p -r h | bash",
        "echo a | tr a b | sh",
        "printf a | tr a b | sh",
        "openssl enc -aes256 -d | sh",
        "gunzip -c s.gz | sh",
        "zcat s.gz | bash",
        "awk \"BEGIN{print \\\"rm -rf src\\\"}\" | sh",
        "sed -n \"s/^#//p\" f | bash",
        "jq -r .cmd a.json | sh",
        "uudecode -o - p | sh",
        "tail -c +100 img.png | sh",
        "dd if=p bs=1 skip=10 2>/dev/null | sh",
        "strings img.png | bash",
        "perl -pe \"s/x/y/\" p | sh",
        "cut -c2- p | sh",
        "rev p | python3",
        "echo p | rot13 | sh",
        "./generate | sudo sh",
    ],
    near_misses: &[
        "cat s.sh | sh",
        "sudo cat s.sh | sh",
        "echo ls | sh",
        "base64 -d x | jq .",
    ],
    safe: &[
        "base64 -d p.b64 > out.bin",
        "echo aGk= | base64 -d",
        "cat a | base64",
        "cat s.sh | shellcheck -",
        "gunzip -c d.sql.gz | head",
        "printf 'ls\\n' | sh",
        "jq -r .name a.json | sort",
        "cat s.sh | sed s/a/b/ | bash -n",
    ],
    ..Rule::ASK
};

/// Programs that hand on what they are given, or print what stands in the text.
const PLAIN: &[&str] = &[
    "cat", "echo", "printf", "tee", "pv", "yes", "true", "sleep", "cd", "exit", ":",
];

/// True for a wrapper: what it wraps is looked at.
fn is_wrapper(look: &Look<'_>, invocation: &Invocation) -> bool {
    look.scope
        .near_in_pipeline(invocation)
        .any(|i| i.wrappers.iter().any(|w| w.invocation == invocation.id))
}

/// The stage that is nearest to the shell tells what was done to the text.
fn hit<'a>(look: &Look<'a>, upstream: impl Iterator<Item = &'a Invocation>) -> Option<Hit> {
    let mut found: Option<&Invocation> = None;
    for invocation in upstream {
        // The pack of remote execution says it better.
        if fetches(invocation) {
            return None;
        }
        let name = invocation.name().unwrap_or("");
        let decodes =
            is_decoder(name) && found.and_then(|f| f.name()).is_none_or(|f| !is_decoder(f));
        let makes = is_transformer(name)
            || !name.is_empty()
                && !PLAIN.contains(&name)
                && !invocation.is("ssh")
                && !is_wrapper(look, invocation);
        if decodes || found.is_none() && makes {
            found = Some(invocation);
        }
    }
    let found = found?;
    Some(match found.name() {
        Some("base64" | "base32" | "base16" | "gbase64" | "basenc") => look.hit().keys(&[DECODED]),
        Some("xxd") => look.hit().keys(&[XXD]),
        Some("tr") => look.hit().keys(&[TR]),
        Some("openssl") => look.hit().keys(&[OPENSSL]),
        _ => look.hit(),
    })
}

pub(super) const SUBSTITUTION: Rule = Rule {
    id: "encoders.substitution",
    class: "obfus-encode",
    severity: Severity::High,
    keys: &[Key::ours("run decoded content via substitution")],
    accepts: &[DECODED, XXD, TR, OPENSSL],
    reason: "What is run is not what can be read here: it is decoded on the way.",
    alternative: Some("Look at what comes out first: `base64 -d p`."),
    test: Test::Any(|look| {
        let name = look.invocation.name()?;
        if !is_interpreter(name) && !matches!(name, "eval" | "source" | ".") {
            return None;
        }
        let here = match &look.invocation.stdin {
            Stdin::HereString(word) => Some(word),
            Stdin::HereDocument { body, .. } => Some(body),
            _ => None,
        };
        let mut words = look.words().iter().chain(here);
        words
            .find(|word| is_decoded(look, word))
            .map(|_| look.hit())
    }),
    matches: &[
        "eval `base64 -d p`",
        "bash -c \"$(base64 -d p)\"",
        "eval \"$(openssl enc -d -aes256 -in p)\"",
        "bash <(base64 -d p)",
        "source <(gunzip -c s.gz)",
        "python3 -c \"$(base64 -d p)\"",
        "sh <<< \"$(xxd -r -p h)\"",
    ],
    near_misses: &["eval \"$(brew shellenv)\"", "echo \"$(base64 -d p)\""],
    safe: &[
        "X=$(echo aGk= | base64 -d); echo \"$X\"",
        "source <(kubectl completion bash)",
    ],
    ..Rule::ASK
};

fn is_decoded(look: &Look<'_>, word: &Word) -> bool {
    substitutions(look.scope, word).into_iter().any(|id| {
        look.scope
            .analysis
            .inside(id)
            .iter()
            .any(|i| i.name().is_some_and(is_decoder))
    })
}

/// A pipe with more stages is asked about as a whole.
const MAX_STAGES: usize = 24;

const LONG: Rule = Rule {
    id: "encoders.long-pipe",
    class: "obfus-encode",
    keys: &[Key::ours("pipe with too many stages")],
    reason: "Nobody can tell what comes out at the end of so long a pipe.",
    alternative: Some("Split it into several commands."),
    test: Test::Whole(|scope| {
        let mut all = scope.analysis.pipelines().iter();
        let long = all.find(|p| p.stages > MAX_STAGES)?;
        Some(Hit::default().at(long.span))
    }),
    matches: &[
        "echo a | cat | cat | cat | cat | cat | cat | cat | cat | cat | cat | cat | cat | cat | cat | cat | cat | cat | cat | cat | cat | cat | cat | cat | cat | sh",
    ],
    near_misses: &["echo a | cat | cat | cat | cat | wc"],
    safe: &["ps aux | grep x | awk '{print $2}' | sort | uniq -c | sort -rn | head"],
    ..Rule::ASK
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_in_order() {
        assert!(DECODERS.is_sorted() && TRANSFORMERS.is_sorted());
    }
}
