//! What the normaliser takes out, and that spans lead back.

use hermes_approval::{HiddenKind, normalise};

use crate::support::{commands, posix};

#[test]
fn a_plain_text_is_not_copied() {
    let normalised = normalise("rm -rf src\n\tls");
    assert!(normalised.is_unchanged());
    assert!(normalised.hidden().is_empty());
}

#[test]
fn what_cannot_be_seen_is_taken_out_and_named() {
    use HiddenKind as Kind;
    let table: &[(&str, &str, &[Kind])] = &[
        ("rm\0 -rf", "rm -rf", &[Kind::Nul]),
        ("r\u{200b}m", "rm", &[Kind::Invisible]),
        ("\u{202e}rm", "rm", &[Kind::Bidi]),
        (
            "r\u{1b}[1;31mm\u{1b}[0m",
            "rm",
            &[Kind::Escape, Kind::Escape],
        ),
        ("\u{9b}31mrm", "rm", &[Kind::Escape]),
        ("a\u{1b}]0;title\u{7}b", "ab", &[Kind::Escape]),
        ("a\u{1b}Pdata\u{1b}\\b", "ab", &[Kind::Escape]),
        ("a\u{1b}]0;no end", "a0;no end", &[Kind::Escape]),
        ("a\u{1b}(Bb", "ab", &[Kind::Escape]),
        ("r\u{7f}m", "rm", &[Kind::Control]),
        ("rm\u{a0}x", "rm x", &[Kind::Space]),
        ("rm\u{3000}x", "rm x", &[Kind::Space]),
        ("ｒｍ", "rm", &[Kind::Lookalike]),
        ("–f", "-f", &[Kind::Lookalike]),
        ("a\r\nb", "a\nb", &[Kind::CarriageReturn]),
        ("rm\u{e0041}", "rm", &[Kind::Invisible]),
        ("e\u{301}", "e\u{301}", &[]),
        ("ж\u{301}é", "ж\u{301}é", &[]),
    ];
    for (text, expected, kinds) in table {
        let normalised = normalise(text);
        let found: Vec<Kind> = normalised
            .hidden()
            .iter()
            .map(|hidden| hidden.kind)
            .collect();
        assert_eq!(
            (normalised.text(), found.as_slice()),
            (*expected, *kinds),
            "{text:?}"
        );
    }
}

#[test]
fn a_fold_never_makes_shell_syntax() {
    for text in [
        "echo 好；rm x",
        "echo ＄（rm x）",
        "echo ＂",
        "echo a＆b｜c",
        "echo ＃ a",
    ] {
        assert_eq!(commands(text).len(), 1, "{text}");
        assert!(posix(text).coverage.is_full(), "{text}");
    }
}

#[test]
fn spans_lead_back_to_the_original() {
    let text = "ls; r\u{200b}m\0 -rf \u{1b}[31m/srv\u{1b}[0m";
    let analysis = posix(text);
    let rm = analysis.invocations().iter().find(|i| i.is("rm")).unwrap();
    assert_eq!(rm.argv[0].span.of(text), "r\u{200b}m");
    assert_eq!(rm.argv[2].span.of(text), "/srv");
    assert_eq!(rm.argv[2].text(), "/srv");
}

#[test]
fn what_a_shell_reads_differently_is_read_both_ways() {
    // The invisible character keeps `#` from being a comment.
    assert!(commands("echo \u{200b}# ; rm -rf /").contains(&"rm -rf /".to_owned()));
    // The escape sequence would swallow the start of the command.
    assert!(commands("echo \u{1b}[;rm -rf /").contains(&"rm -rf /".to_owned()));
    // The backslash escapes the carriage return, so the newline ends the command.
    assert!(commands("echo \\\r\nrm -rf /").contains(&"rm -rf /".to_owned()));
    assert_eq!(commands("cat 'caf\u{e9}\u{200b}' "), ["cat café"]);
}
