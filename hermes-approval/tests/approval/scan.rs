//! The grammar of the shell: what is a command and what is data.

use hermes_approval::{Coverage, Gap, RedirectOperator, Stdin};

use crate::support::{check, commands, posix};

#[test]
fn every_place_where_a_command_can_stand_is_found() {
    check(&[
        (
            "a; b & c && d || e | f |& g\nh",
            &["a", "b", "c", "d", "e", "f", "g", "h"],
        ),
        ("(a; b) && { c; d; }", &["a", "b", "c", "d"]),
        (
            "if a; then b; elif c; then d; else e; fi; f",
            &["a", "b", "c", "d", "e", "f"],
        ),
        (
            "while a; do b; done; until c; do d; done",
            &["a", "b", "c", "d"],
        ),
        (
            "for i in 1 2; do a; done; for ((i=0;i<3;i++)); do b; done",
            &["a", "b"],
        ),
        ("for i in 1\ndo\na\ndone", &["a"]),
        ("select x in a; do b; done", &["b"]),
        (
            "case x in a|b) c;; (d) e;& *) f;; esac; g",
            &["c", "e", "f", "g"],
        ),
        ("case $(a) in x) b; esac", &["a", "b"]),
        (
            "f() { a; }; function g { b; }; function h() (c)",
            &["a", "b", "c"],
        ),
        (
            "! a; time b; time -p { c; }; coproc d; coproc N { e; }",
            &["a", "time b", "b", "c", "d", "e"],
        ),
        ("[[ -f x && $(a) =~ (b|c) ]] && d", &["a", "d"]),
        ("(( x = $(a) + 1 )); b", &["a", "b"]),
        (
            "echo $(a `b` $(c)) \"$(d)\" $((`e`))",
            &["b", "c", "a ? ?", "d", "e", "echo ? ? ?"],
        ),
        ("a <(b) > >(c)", &["b", "c", "a ?"]),
        ("echo `a \\`b\\``", &["b", "a ?", "echo ?"]),
        ("((a); (b))", &["a", "b"]),
        ("x=$(a) y=1 b", &["a", "b"]),
        ("a=(1 $(b) 3); c", &["b", "c"]),
        ("echo ${x:-$(a)} ${y/$(b)/c}", &["a", "b", "echo ? ?"]),
        (">f a; <f b; 2>&1 c", &["a", "b", "c"]),
        ("a;# b\nc", &["a", "c"]),
        ("!(a)", &["a"]),
    ]);
}

#[test]
fn data_stays_data() {
    check(&[
        (
            "echo 'a; rm x' \"b | rm y\" c\\;d # rm z",
            &["echo a; rm x b | rm y c;d"],
        ),
        ("cat <<E\nrm x\n$(a)\nE\nb", &["a", "cat", "b"]),
        ("cat <<'E'\nrm x\n$(a)\nE\nb", &["cat", "b"]),
        ("cat <<\\E\n$(a)\nE\nb", &["cat", "b"]),
        ("echo a#b; echo '#' c", &["echo a#b", "echo # c"]),
        ("echo if then fi; echo }", &["echo if then fi", "echo }"]),
        ("ls !(a|b) @(c) +(d)", &["ls !(a|b) @(c) +(d)"]),
        ("[ \"$x\" = \"reboot\" ]", &["[ ? = reboot ]"]),
        ("a=rm", &[]),
    ]);
}

#[test]
fn a_comment_is_not_continued_by_a_backslash() {
    check(&[("echo a # b \\\nrm c", &["echo a", "rm c"])]);
}

#[test]
fn lines_are_continued_inside_words_and_between_them() {
    check(&[
        ("r\\\nm \\\n -rf \\\n/", &["rm -rf /"]),
        ("echo 'a\\\nb'", &["echo a\\\nb"]),
        ("echo \"a\\\nb\"", &["echo ab"]),
    ]);
}

#[test]
fn several_here_documents_wait_for_one_newline() {
    let text = "cat <<A - <<-'B'; c\na\nA\n\tb $(x)\n\tB\nd";
    assert_eq!(commands(text), ["cat -", "c", "d"]);
    let analysis = posix(text);
    let Stdin::HereDocument { body, expands } = &analysis.invocations()[0].stdin else {
        panic!("no here-document")
    };
    assert_eq!((body.text(), *expands), ("b $(x)\n", false));
    assert!(analysis.coverage.is_full());
}

#[test]
fn a_here_document_may_end_with_its_substitution() {
    check(&[
        ("x=$(cat <<E\na\nE\n); b", &["cat", "b"]),
        ("x=$(cat <<E\na\nE); b", &["cat", "b"]),
    ]);
}

#[test]
fn redirections_have_their_operator_descriptor_and_target() {
    use RedirectOperator as Op;
    let table: &[(&str, Op, u32, Option<&str>, bool)] = &[
        ("a >f", Op::Output, 1, Some("f"), true),
        ("a 2>>f", Op::Append, 2, Some("f"), true),
        ("a >|f", Op::Clobber, 1, Some("f"), true),
        ("a <>f", Op::ReadWrite, 0, Some("f"), true),
        ("a &>f", Op::Both, 1, Some("f"), true),
        ("a &>>f", Op::BothAppend, 1, Some("f"), true),
        ("a >&f", Op::DuplicateOutput, 1, Some("f"), true),
        ("a 2>&1", Op::DuplicateOutput, 2, Some("1"), false),
        ("a >&-", Op::DuplicateOutput, 1, Some("-"), false),
        ("a <f", Op::Input, 0, Some("f"), false),
        ("a <<< f", Op::HereString, 0, Some("f"), false),
        ("a {fd}>f", Op::Output, 10, Some("f"), true),
        (
            "a > \"$HOME\"/f",
            Op::Output,
            1,
            Some("/home/agent/f"),
            true,
        ),
        ("> f", Op::Output, 1, Some("f"), true),
    ];
    for (text, operator, descriptor, target, writes) in table {
        let analysis = posix(text);
        let redirect = &analysis.invocations()[0].redirects[0];
        let found = redirect.target.as_ref().map(|word| word.text());
        assert_eq!(
            (redirect.operator, redirect.descriptor, found),
            (*operator, *descriptor, *target),
            "{text}"
        );
        assert_eq!(redirect.writes(), *writes, "{text}");
    }
    assert_eq!(
        commands("echo 2 >f"),
        ["echo 2"],
        "a blank keeps the digit an argument"
    );
}

#[test]
fn pipelines_know_their_stages() {
    let analysis = posix("a | sudo b | (c; d) & e");
    let stages: Vec<(usize, usize, bool)> = analysis
        .invocations()
        .iter()
        .map(|i| (i.pipeline.0, i.stage, i.background))
        .collect();
    let names: Vec<_> = analysis
        .invocations()
        .iter()
        .map(|i| i.name().unwrap())
        .collect();
    assert_eq!(names, ["a", "sudo", "b", "c", "d", "e"]);
    assert_eq!(&stages[..3], &[(0, 0, true), (0, 1, true), (0, 1, true)]);
    assert_eq!(stages[5], (3, 0, false));
    let Stdin::Pipe(from) = &analysis.invocations()[2].stdin else {
        panic!("not piped")
    };
    assert_eq!(from.len(), 1);
    assert_eq!(
        analysis
            .stage(analysis.invocations()[0].pipeline, 1)
            .count(),
        2
    );
}

#[test]
fn malformed_texts_are_partly_understood_and_hide_nothing() {
    let table: &[(&str, Gap)] = &[
        ("echo don't; rm x", Gap::UnclosedQuote),
        ("echo \"a; rm x", Gap::UnclosedQuote),
        ("echo `a; rm x", Gap::UnclosedBacktick),
        ("echo $(a; rm x", Gap::Unclosed),
        ("echo ${a; rm x", Gap::Unclosed),
        ("(a; rm x", Gap::Unclosed),
        ("if a; then rm x", Gap::Unclosed),
        ("[[ a; rm x", Gap::Unclosed),
        ("a ); rm x", Gap::Unexpected),
        ("fi; rm x", Gap::Unexpected),
        ("a ;; rm x", Gap::Unexpected),
        ("cat <<E\na\n", Gap::UnclosedHereDocument),
    ];
    for (text, gap) in table {
        let analysis = posix(text);
        let Coverage::Partial(holes) = &analysis.coverage else {
            panic!("{text}: {:?}", analysis.coverage)
        };
        assert!(
            holes.iter().any(|hole| hole.gap == *gap),
            "{text}: {holes:?}"
        );
        if text.contains("rm") {
            assert!(analysis.invocations().iter().any(|i| i.is("rm")), "{text}");
        }
    }
}

#[test]
fn functions_know_their_bodies() {
    let analysis = posix(":(){ :|:& };:");
    let function = &analysis.functions()[0];
    assert_eq!((function.name.as_ref(), function.recursive), (":", true));
    assert!(analysis.invocations()[0].background);
    assert_eq!(
        analysis.invocations()[0].context.function.as_deref(),
        Some(":")
    );
}
