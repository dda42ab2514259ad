use proptest::prelude::*;
use serde_json::json;

use super::*;

fn structured(value: &serde_json::Value) -> Content {
    Content::Json(JsonText::from_value(value))
}

#[test]
fn stored_texts_are_told_apart_by_the_marker() {
    let stored = "\0json:[{\"type\": \"text\", \"text\": \"\\ud83d\"}]";
    let content = Content::from_stored_text(stored.to_owned());
    assert!(matches!(&content, Content::Json(json) if json.array_len() == Some(1)));
    assert_eq!(content.to_stored_text().as_deref(), Some(stored));
    for text in [
        "plain",
        "",
        "json:[]",
        "\0json:",
        "\0json:[1",
        "\0Json:[]",
        "\0json",
        "x\0json:[]",
    ] {
        assert_eq!(
            Content::from_stored_text(text.to_owned()),
            Content::from(text)
        );
        assert_eq!(Content::from(text).to_stored_text().as_deref(), Some(text));
    }
    assert_eq!(Content::Bytes(vec![1]).to_stored_text(), None);
}

/// Recorded from `search_messages` of 0.13.0 and 0.19.0, which agree.
#[test]
fn the_context_of_a_hit_is_as_hermes_gives_it() {
    for (value, expected) in [
        (
            json!([{"type": "text", "text": "a b"}, {"type": "text", "text": "c"}]),
            "a b c",
        ),
        (
            json!([{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "x"}},
                {"type": "text", "text": "z"}]),
            "a z",
        ),
        (
            json!([{"type": "text", "text": "a"}, "plain", {"type": "text", "text": ""},
                {"type": "text", "text": "q"}]),
            "a q",
        ),
        (
            json!([{"type": "text", "text": "  a  "}, {"type": "text", "text": "   "},
                {"type": "text", "text": "x"}]),
            "  a       x",
        ),
        (
            json!([{"type": "text", "text": null}, {"type": "text", "text": "a"}]),
            "a",
        ),
        (
            json!([{"type": "text", "text": 0}, {"type": "text"}, {"type": "text", "text": "a"}]),
            "a",
        ),
        (json!([{"type": "text", "text": "a"}, 5, null, true]), "a"),
        (
            json!([{"type": "input_text", "text": "a"}]),
            "[multimodal content]",
        ),
        (
            json!([{"type": "image", "text": "a"}]),
            "[multimodal content]",
        ),
        (
            json!([{"type": "Text", "text": "a"}]),
            "[multimodal content]",
        ),
        (json!([{"type": null, "text": "a"}]), "[multimodal content]"),
        (json!([{"text": "a"}]), "[multimodal content]"),
        (
            json!([{"type": "text", "text": ""}]),
            "[multimodal content]",
        ),
        (
            json!([[{"type": "text", "text": "a"}]]),
            "[multimodal content]",
        ),
        (json!(["a", "b"]), "[multimodal content]"),
        (json!([]), "[multimodal content]"),
        (json!({"type": "text", "text": "a"}), ""),
        (json!({"a": "x"}), ""),
        (json!("a"), "a"),
        (json!(5), ""),
    ] {
        assert_eq!(structured(&value).context_text(), expected, "{value}");
    }
    for (parts, shown) in [
        (
            r#"[{"type": "text", "text": "  a "}, {"type": "text", "text": " b "}]"#,
            "a   b",
        ),
        (
            r#"[{"type": "text", "text": " \n "}]"#,
            "[multimodal content]",
        ),
    ] {
        let content = Content::Json(JsonText::parse(parts).unwrap());
        assert_eq!(content.context_text(), shown);
    }
    assert_eq!(Content::from("as it is\0").context_text(), "as it is\0");
    assert_eq!(Content::Bytes(b"text".to_vec()).context_text(), "");
    let repeated = r#"[{"type": "image", "text": "a", "text": "b", "type": "text"}]"#;
    assert_eq!(
        Content::Json(JsonText::parse(repeated).unwrap()).context_text(),
        "b"
    );
}

#[test]
fn only_what_a_person_could_have_written_is_readable() {
    let image = "data:image/png;base64,iVBORw0KGgo=";
    let encoded = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk";
    for (value, expected) in [
        (
            json!([{"type": "text", "text": "Was zeigt"}, {"type": "text", "text": "das Bild?"},
                {"type": "image_url", "image_url": {"url": image, "detail": "low"}}]),
            "Was zeigt das Bild?",
        ),
        (
            json!([{"type": "input_text", "text": "数据库"}, {"type": "input_image", "image_url": image}]),
            "数据库",
        ),
        (json!(["one", "", "two", 3, null, image]), "one two"),
        (
            json!([{"type": "image", "source":
                 {"type": "base64", "media_type": "image/png", "data": encoded}}]),
            "",
        ),
        (
            json!([{"type": "document", "title": "Notes", "source":
                 {"type": "text", "media_type": "text/plain", "data": "the notes themselves"}}]),
            "Notes the notes themselves",
        ),
        (
            json!([{"type": "tool_result", "tool_use_id": "toolu_01", "content":
                 [{"type": "text", "text": "exit 0"}]}]),
            "exit 0",
        ),
        (
            json!({"_multimodal": true, "content": [{"type": "text", "text": "a screenshot"},
                {"type": "image_url", "image_url": {"url": image}}], "text_summary": "of the page"}),
            "a screenshot of the page",
        ),
        (
            json!([{"type": "file", "file": {"filename": "bericht.pdf", "file_data": image,
                 "file_id": "file-1"}}]),
            "bericht.pdf",
        ),
        (
            json!([{"type": "text", "text": "data: see below, or ask"}]),
            "data: see below, or ask",
        ),
        (json!([{"type": "text", "text": encoded}]), encoded),
        (
            json!([{"type": "input_audio", "input_audio": {"data": encoded, "format": "wav"}},
                {"transcript": "hello"}]),
            "hello",
        ),
        (json!("just a string"), "just a string"),
        (json!(5), ""),
    ] {
        assert_eq!(structured(&value).plain_text(), expected, "{value}");
    }
}

#[test]
fn text_and_bytes_read_as_they_are() {
    assert_eq!(Content::from("a\0b").plain_text(), "a\0b");
    assert_eq!(Content::Bytes("é".into()).plain_text(), "é");
    assert_eq!(Content::Bytes(vec![0xff, 0xfe]).plain_text(), "");
}

#[test]
fn deep_content_costs_no_stack_and_little_time() {
    let start = std::time::Instant::now();
    let deep = "[".repeat(300_000) + "\"x\"" + &"]".repeat(300_000);
    let content = Content::Json(JsonText::parse(deep).unwrap());
    assert_eq!(content.plain_text(), "");
    assert_eq!(content.context_text(), "[multimodal content]");
    assert!(start.elapsed() < std::time::Duration::from_secs(10));
}

#[test]
fn serialised_content_keeps_its_kind() {
    let shown = |content: Content| serde_json::to_string(&content).unwrap();
    assert_eq!(shown("a\"b".into()), r#""a\"b""#);
    assert_eq!(
        shown(Content::Json(JsonText::parse("[1.0,  NaN]").unwrap())),
        "[1.0,  null]"
    );
    assert_eq!(shown(vec![0, 255].into()), r#"{"$bytes":"AP8="}"#);
}

proptest! {
    #[test]
    fn any_stored_text_survives(stored in "(\u{0}json:)?[\\[\\]\"a1, ]{0,12}") {
        let content = Content::from_stored_text(stored.clone());
        let written = content.to_stored_text();
        prop_assert_eq!(written.as_deref(), Some(stored.as_str()));
        let _ = (content.plain_text(), content.context_text());
    }
}

#[test]
fn values_become_what_the_column_makes_of_them() {
    let stored = |json: &str| {
        let value = serde_json::from_str(json).unwrap();
        Content::from_value(&value)
            .unwrap()
            .map(|content| content.to_stored_text().unwrap().into_owned())
    };
    // Recorded from SQLite 3.40.1.
    for (json, text) in [
        ("\"a\"", "a"),
        ("5", "5"),
        ("true", "1"),
        ("false", "0"),
        ("1.5", "1.5"),
        ("-2.5", "-2.5"),
        ("100.0", "100.0"),
        ("-0.0", "0.0"),
        ("0.30000000000000004", "0.3"),
        ("0.3333333333333333", "0.333333333333333"),
        ("12345678.9", "12345678.9"),
        ("0.0001", "0.0001"),
        ("1e-05", "1.0e-05"),
        ("1.23e-07", "1.23e-07"),
        ("100000000000000.0", "100000000000000.0"),
        ("123456789012345.0", "123456789012345.0"),
        ("999999999999999.9", "1.0e+15"),
        ("1500000000000000.0", "1.5e+15"),
        ("6.666666666666666e+19", "6.66666666666667e+19"),
        ("1e308", "1.0e+308"),
        ("5e-324", "4.94065645841247e-324"),
        ("[1, \"é\"]", "\0json:[1, \"é\"]"),
        ("{}", "\0json:{}"),
    ] {
        assert_eq!(stored(json).as_deref(), Some(text), "{json}");
    }
    assert_eq!(stored("null"), None);
    let wide = serde_json::from_str("9223372036854775808").unwrap();
    assert!(Content::from_value(&wide).is_err());
}
