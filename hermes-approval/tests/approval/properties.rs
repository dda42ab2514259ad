//! What holds for any text.

use hermes_approval::{Platform, analyse};
use proptest::prelude::*;

use crate::support::{check_spans, commands, env, posix};
use crate::wrappers::WRAPPERS;

/// Text that is rich in what means something to a shell.
fn shellish() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "'",
            "\"",
            "\\",
            "$",
            "`",
            "$(",
            ")",
            "(",
            "{",
            "}",
            "${",
            "<<E\n",
            "E\n",
            "<<<",
            ">",
            "|",
            "&",
            ";",
            "\n",
            " ",
            "#",
            "if ",
            "then ",
            "fi ",
            "do ",
            "done ",
            "case x in ",
            "esac ",
            "[[ ",
            " ]]",
            "((",
            "))",
            "x=",
            "$x",
            "rm ",
            "sudo ",
            "sh -c ",
            "echo ",
            "eval ",
            "*",
            "?",
            "[",
            "]",
            "~",
            "{a,b}",
            "$'",
            "\\x41",
            "<(",
            "é",
            "\u{200b}",
            "\u{1b}[1m",
            "\0",
            "\r\n",
            "ｒ",
            "for x in ",
            "f() ",
            "python3 -c ",
            "base64 -d ",
            "xargs ",
            "!",
            "=",
            "+=",
            "alias a=",
            "%",
            "^",
        ])
        .prop_map(str::to_owned),
        "\\PC{0,3}",
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn any_bytes_are_analysed_with_valid_spans(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let text = String::from_utf8_lossy(&bytes);
        for platform in [Platform::Posix, Platform::Cmd, Platform::PowerShell] {
            check_spans(&analyse(&text, &env(), platform));
        }
    }

    #[test]
    fn any_shell_like_text_is_analysed_with_valid_spans(text in shellish()) {
        for platform in [Platform::Posix, Platform::Cmd, Platform::PowerShell] {
            check_spans(&analyse(&text, &env(), platform));
        }
    }

    #[test]
    fn a_single_quoted_text_is_data(text in shellish()) {
        let quoted = format!("echo '{}'", text.replace('\'', ""));
        let analysis = posix(&quoted);
        prop_assert_eq!(analysis.invocations().len(), 1, "{:?}", quoted);
        prop_assert!(analysis.coverage.is_full());
    }

    #[test]
    fn a_comment_is_data(text in shellish()) {
        let line = format!("ls # {}", text.replace(['\n', '\r', '\0', '\u{1b}'], ""));
        prop_assert_eq!(commands(&line), ["ls"], "{:?}", line);
    }

    #[test]
    fn a_quoted_here_document_is_data(text in shellish()) {
        let body = text.replace(['\r', '\0', '\u{1b}'], "").replace('E', "e");
        let line = format!("cat <<'E'\n{body}\nE\nls");
        prop_assert_eq!(commands(&line), ["cat", "ls"], "{:?}", line);
    }

    #[test]
    fn wrapping_and_chaining_never_hide_a_command(
        outer in prop::sample::subsequence(WRAPPERS.to_vec(), 0..3),
        quote in any::<bool>(),
        before in prop::sample::select(vec!["", "ls; ", "true && ", "echo 'a' | ", "X=1 ", "( ", "{ ", "if true; then ", "! "]),
    ) {
        let mut line = "rm -rf src".to_owned();
        for wrapper in &outer {
            let end = if wrapper.contains("find") { " \\;" } else { "" };
            line = format!("{wrapper} {line}{end}");
        }
        if quote {
            line = format!("sh -c '{}'", line.replace('\'', "'\\''"));
        }
        let after = match before {
            "( " => " )",
            "{ " => "; }",
            "if true; then " => "; fi",
            _ => "",
        };
        let line = format!("{before}{line}{after}");
        prop_assert!(commands(&line).iter().any(|c| c.starts_with("rm -rf src")), "{}: {:?}", line, commands(&line));
    }
}
