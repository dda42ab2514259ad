//! Texts made to be slow or deep: total, and linear.

use std::time::{Duration, Instant};

use hermes_approval::{AnalysisEnv, Platform, analyse};

/// Families of text that have made scanners slow: what is repeated, and what stands before it.
const FAMILIES: &[(&str, &str)] = &[
    ("", "tee "),
    ("", "$("),
    ("", "(("),
    ("", "("),
    ("", "\""),
    ("", "'"),
    ("", "\\"),
    ("", "<<E\n"),
    ("", "{a,b}"),
    ("", "{"),
    ("", "{a,"),
    ("", "`"),
    ("", "${"),
    ("x=aaaaaaaaaaaaaaaa;", "x=$x$x;"),
    ("x=ab;", "$x"),
    ("x=ab;", "$x "),
    ("", "\0"),
    ("a", "\u{301}"),
    ("", "\u{200b}"),
    ("", "\u{1b}]"),
    ("", "\u{1b}["),
    ("", "sudo "),
    ("", "eval "),
    ("", "a;"),
    ("", "a|"),
    ("", "a&&"),
    ("", "if "),
    ("", "case x in "),
    ("", "[[ "),
    ("", "$(("),
    ("", "x=1;"),
    ("", "f(){ "),
    ("", "f(){ f; };"),
    ("", "f(){ :; };f;"),
    ("", "\"$("),
    ("", "\"`"),
    ("", "<(a)"),
    ("", ">a "),
    ("", "/b?n/r? "),
    ("", "/e*c/p?s*d "),
    ("", "echo a|sh;"),
    ("", "echo a|cat|"),
    ("", "a(b)"),
    ("", "!(a|"),
    ("", "é"),
    ("", "\u{fb01}"),
    ("", "#"),
    ("", " "),
    ("", "\n"),
    ("", "xargs -I{} "),
    ("", "find -exec "),
    ("", "python -c 'system(\"ls\")';"),
    ("", "sh -c 'a';"),
    ("", "for x in a b; do "),
    ("", "${x:-"),
    ("", "${x/a/b}"),
    ("", "alias a=b;a;"),
    ("", "cat <<A\n"),
    ("", "$'\\x41'"),
    ("", "~"),
    ("", "a=~/b "),
    ("", ")"),
    ("", "}"),
    ("", "done "),
    ("{ ", "a;"),
    ("", "\r"),
    ("", "\r\n"),
    ("", "&"),
    ("", "|"),
    ("", "<"),
    ("", "git -c alias.x=!y x;"),
    ("", "docker run a "),
    ("", "time "),
    ("", "coproc "),
    ("", "function "),
    ("", "select x "),
    ("", "a=( "),
    ("", "declare -n a=b;$a;"),
    ("", "mycmd rm a "),
    ("", "set -- a;$1;"),
    ("", "ln -s a b;b;"),
    ("", "echo a>b;sh b;"),
    ("", "unlink(\"a\")"),
    ("perl -e '", "system(\"a\");"),
    ("python3 -c '", "a("),
    ("ruby -e '", "`a`"),
    ("node -e '", "\"a\"+"),
    ("awk '", "\"a\"|"),
];

fn family(prefix: &str, unit: &str, length: usize) -> String {
    let mut text = String::with_capacity(length + unit.len());
    text.push_str(prefix);
    while text.len() < length {
        text.push_str(unit);
    }
    text
}

#[test]
fn hostile_texts_end_and_keep_their_spans() {
    let env = AnalysisEnv::new("/home/sam");
    for (prefix, unit) in FAMILIES {
        let text = family(prefix, unit, 40_000);
        for platform in [Platform::Posix, Platform::Cmd, Platform::PowerShell] {
            let analysis = analyse(&text, &env, platform);
            for invocation in analysis.invocations() {
                assert!(
                    text.get(invocation.span.start..invocation.span.end)
                        .is_some(),
                    "{unit:?} {:?}",
                    invocation.span
                );
            }
        }
    }
}

/// The bound is wide; a quadratic step takes minutes on a megabyte.
#[test]
fn a_megabyte_of_anything_is_read_in_seconds() {
    let env = AnalysisEnv::new("/home/sam");
    for (prefix, unit) in FAMILIES {
        let text = family(prefix, unit, 1 << 20);
        let start = Instant::now();
        analyse(&text, &env, Platform::Posix);
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "{unit:?} took {:?}",
            start.elapsed()
        );
    }
}
