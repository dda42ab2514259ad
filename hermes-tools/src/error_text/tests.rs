//! What is framing and what is not.

use proptest::prelude::*;

use super::*;

/// Text as it comes, and text after cleaning.
const TABLE: [(&str, &str); 41] = [
    ("", ""),
    ("bad thing", "bad thing"),
    ("<system>x</system>", "x"),
    ("</assistant>", ""),
    ("<SYSTEM>A</System >", "A"),
    ("<system role=\"x\">a", "a"),
    ("<system/>a", "a"),
    ("< / user >a", "a"),
    ("<assistant\n>x", "x"),
    ("<|im_start|>system\nhi<|im_end|>", "system\nhi"),
    ("<|endoftext|><｜User｜>", ""),
    ("[INST] a [/INST]", " a "),
    ("<<SYS>>a<</SYS>>", "a"),
    ("<tool_result>a</tool_result>", "a"),
    ("<tool-result>a</ToolResult>", "a"),
    (
        "<function_calls><invoke name='a'><parameter name=\"b\">c",
        "c",
    ),
    ("<ns:invoke name='a'>x</ns:invoke>", "x"),
    ("<result>a</result><output>b<input>c", "abc"),
    ("<sys<system>tem>", ""),
    ("<sys<s<system>ystem>tem>x", "x"),
    ("<system><system><system>x", "x"),
    ("<<system>system>x", "x"),
    ("<![CDATA[a]]>b", "ab"),
    ("<![cdata[a]]> ]]>", "a ]]>"),
    ("<![CD<![CDATA[ATA[a]]>b", "ab"),
    ("a[b[0]]>c", "a[b[0]]>c"),
    ("```python\nx\n```", "x\n"),
    ("Error: ```json\n{}\n```\nend", "Error: \n{}\nend"),
    ("a```b``c`", "ab``c`"),
    ("`````x`````", "x"),
    ("``<user>`x", "x"),
    ("<Vec<u8>> Option<String>", "<Vec<u8>> Option<String>"),
    (
        "<html><b>x</b><input type=\"text\">",
        "<html><b>x</b><input type=\"text\">",
    ),
    ("Vec<System>", "Vec"),
    ("a < b > c << d >> e", "a < b > c << d >> e"),
    (
        "<systemd> <users> <username>",
        "<systemd> <users> <username>",
    ),
    ("arr[INSTANCE] [x] []", "arr[INSTANCE] [x] []"),
    ("f <| g |> h <||>", "f <| g |> h <||>"),
    ("<system", "<system"),
    ("naïve 大 \u{0}\u{1b}[31mred", "naïve 大 \u{0}\u{1b}[31mred"),
    ("<error>x <message>", "<error>x <message>"),
];

#[test]
fn only_framing_is_taken_out() {
    for (text, cleaned) in TABLE {
        assert_eq!(clean(text), cleaned, "{text:?}");
    }
}

#[test]
fn two_thousand_characters_stay_and_one_more_is_cut_with_a_sign() {
    let fits = "é".repeat(2000);
    assert_eq!(clean(&fits), fits);
    let cut = clean(&"é".repeat(2001));
    assert_eq!(cut.chars().count(), 2000);
    assert!(cut.ends_with("é…"));
}

#[test]
fn a_tag_as_long_as_the_limit_of_what_is_looked_at_is_cut_and_not_waited_for() {
    let text = format!("{}end", "<user>".repeat(100_000));
    assert_eq!(clean(&text), "<use…");
}

#[test]
fn a_megabyte_of_openers_is_cut_like_any_other_text() {
    for hostile in ["<", "<sys", ">", "`", "[", "<|", "<![CDATA["] {
        let text = hostile.repeat(1_000_000 / hostile.len());
        assert!(clean(&text).chars().count() <= 2000);
    }
}

proptest! {
    #[test]
    fn cleaning_is_total_bounded_and_idempotent(
        text in "(<|>|/|\\[|\\]|`|!|sys|tem|user|tool_|result|CDATA|\\||INST|SYS|im_start| |\n|x|é){0,60}"
    ) {
        let once = clean(&text);
        prop_assert!(once.chars().count() <= 2000);
        prop_assert!(!once.contains("```"));
        prop_assert!(!once.to_lowercase().contains("<system>"));
        prop_assert!(!once.contains("<![CDATA["));
        prop_assert_eq!(clean(&once), once);
    }

    #[test]
    fn any_text_without_brackets_and_backticks_stays(text in "[^<>\\[\\]`]{0,300}") {
        prop_assert_eq!(clean(&text), text);
    }
}
