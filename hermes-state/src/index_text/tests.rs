use proptest::prelude::*;

use super::*;
use crate::json_text::JsonText;

fn json(text: &str) -> Content {
    Content::Json(JsonText::parse(text).unwrap())
}

#[test]
fn columns_are_joined_as_the_triggers_join_them() {
    assert_eq!(index_text(None, None, None), "  ");
    assert_eq!(index_text(Some(&"a".into()), None, None), "a  ");
    assert_eq!(index_text(None, Some("b"), Some("[c]")), " b [c]");
    assert_eq!(
        index_text(Some(&" a ".into()), Some("b"), Some("c")),
        " a  b c"
    );
    assert_eq!(
        index_text(Some(&Content::Bytes(b"a".to_vec())), Some("b"), None),
        "a b "
    );
    assert!(!needs_own_index_text(
        Some(&"a".into()),
        Some("b"),
        Some("c")
    ));
    assert!(!needs_own_index_text(None, None, None));
    assert!(!needs_own_index_text(
        Some(&Content::Bytes(b"a".to_vec())),
        None,
        None
    ));
}

#[test]
fn structured_content_is_indexed_as_its_texts() {
    let content = json(
        r#"[{"type": "text", "text": "\u6570\u636e\u5e93"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]"#,
    );
    assert_eq!(
        index_text(Some(&content), Some("vision"), None),
        "数据库 vision "
    );
    assert!(needs_own_index_text(Some(&content), None, None));
}

#[test]
fn the_last_letters_begin_a_trigram() {
    for (name, calls, text) in [
        (None, None, "末  "),
        (Some("搜索"), None, "末 搜索   "),
        (Some("搜索"), Some(""), "末 搜索   "),
        (Some("web"), None, "末 web "),
        (None, Some("部署"), "末  部署  "),
        (None, Some("\"署\""), "末  \"署\"  "),
        (None, Some("[\"署\"]"), "末  [\"署\"]"),
    ] {
        let content = "末".into();
        assert_eq!(index_text(Some(&content), name, calls), text);
        assert_eq!(
            needs_own_index_text(Some(&content), name, calls),
            text != format!("末 {} {}", name.unwrap_or(""), calls.unwrap_or(""))
        );
    }
}

#[test]
fn no_nul_reaches_the_index() {
    assert_eq!(
        index_text(Some(&"a\0b".into()), Some("\0"), Some("c\0")),
        "a b   c "
    );
    assert_eq!(
        index_text(Some(&json(r#"["a\u0000b"]"#)), None, None),
        "a b  "
    );
    assert!(needs_own_index_text(Some(&"a\0".into()), None, None));
    assert!(needs_own_index_text(None, Some("\0"), None));
    assert!(needs_own_index_text(None, None, Some("\0")));
    assert!(needs_own_index_text(
        Some(&Content::Bytes(vec![0])),
        None,
        None
    ));
    assert!(needs_own_index_text(
        Some(&Content::Bytes(vec![0xff])),
        None,
        None
    ));
}

#[test]
fn escapes_in_tool_calls_are_readable_for_a_scan() {
    let scan = |calls: &str| searchable_text(None, None, Some(calls));
    assert_eq!(
        scan(r#"[{"arguments": "{\"q\": \"\\u6570\\u636e\"}"}]"#).trim_start(),
        r#"[{"arguments": "{\"q\": \"数据\"}"}]"#
    );
    assert_eq!(scan(r"\u6570"), "  数");
    assert_eq!(scan(r"\\\\u6570x"), "  数x");
    assert_eq!(scan(r"\ud83d\udc4d \\ud83d\\udc4d"), "  👍 👍");
    assert_eq!(scan(r"\ud83d \udc4d\u0041"), r"  \ud83d \udc4dA");
    assert_eq!(scan(r"\ud83d\u0041"), r"  \ud83dA");
    assert_eq!(
        scan(r"\n \\n \u12 \u12g4 \u00é9 \\"),
        r"  \n \\n \u12 \u12g4 \u00é9 \\"
    );
    assert_eq!(scan(r"a\u0000b"), "  a b");
    // Only there: what the other columns hold is what was written.
    assert_eq!(
        searchable_text(Some(&r"\u6570".into()), Some(r"\u6570"), None),
        r"\u6570 \u6570 "
    );
}

#[test]
fn many_backslashes_cost_linear_time() {
    let start = std::time::Instant::now();
    let _ = searchable_text(None, None, Some(&(r"\".repeat(1_000_000) + "u")));
    let _ = searchable_text(None, None, Some(&r"\ud83d".repeat(200_000)));
    assert!(start.elapsed() < std::time::Duration::from_secs(5));
}

proptest! {
    #[test]
    fn whatever_comes_is_indexed_without_nul(
        text in any::<String>(),
        name in any::<Option<String>>(),
        calls in "[\\\\u0-9a-f\u{0} 数]{0,30}",
    ) {
        let content = Content::from(text.clone());
        let (content, name, calls) = (Some(&content), name.as_deref(), Some(calls.as_str()));
        let indexed = index_text(content, name, calls);
        prop_assert!(!indexed.contains('\0'));
        prop_assert!(!searchable_text(content, name, calls).contains('\0'));
        let by_trigger = format!("{text} {} {}", name.unwrap_or(""), calls.unwrap_or(""));
        prop_assert_eq!(needs_own_index_text(content, name, calls), by_trigger != indexed);
    }
}
