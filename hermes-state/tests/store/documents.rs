//! Sessions as documents for people.

use hermes_state::{
    Content, ExportOptions, Format, JsonText, NewMessage, NewSession, SessionId, Store,
};

use crate::support::Home;

const PNG: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// EXP-15: code with fences, HTML, a tool call, images, right-to-left text.
fn store(home: &Home) -> Store {
    let store = home.store();
    store
        .create_session(
            &NewSession::new("first_id", "cli")
                .model("hermes-4")
                .started_at(0.0),
        )
        .unwrap();
    store
        .create_session(
            &NewSession::new("<script>alert('id')</script>", "tele|gram").started_at(1.0),
        )
        .unwrap();
    let parts = format!(
        r#"[{{"type": "text", "text": "Look at this"}}, {{"type": "image_url", "image_url": {{"url": "{PNG}"}}}}, {{"type": "image_url", "image_url": {{"url": "https://example.org/track.png"}}}}, {{"type": "image_url", "image_url": {{"url": "data:image/svg+xml;base64,PHN2Zy8+"}}}}]"#
    );
    let calls = r#"[{"id": "c1", "type": "function", "function": {"name": "terminal", "arguments": "{\"command\": \"cat <<EOF\\n```\\nEOF\"}"}}]"#;
    let said = |role: &str| NewMessage::new("first_id", role).timestamp(86_400.0);
    store
        .append_messages(&[
            said("user").content("# Title\n<script>alert(1)</script> <img src=https://example.org/x.png onerror=alert(1)> ![x](https://example.org/y.png)\n```html\n<b>code</b>\n"),
            said("assistant").content("Do this:\n```\nlet a: Vec<u8>;\n```\nthen שלום עולם").reasoning("Because </pre></details>"),
            said("user").content(Content::Json(JsonText::parse(parts).unwrap())),
            said("assistant").tool_calls(JsonText::parse(calls).unwrap()),
            said("tool").tool_name("terminal").content("out ``` and ```` </details>\n".repeat(30)),
            said("user").content(Content::Bytes(vec![0xff, 0])),
        ])
        .unwrap();
    store
}

fn document(store: &Store, format: Format, ids: Option<&[&str]>) -> String {
    let mut options = ExportOptions::default();
    options.ids = ids.map(|ids| ids.iter().map(|id| SessionId::new(*id)).collect());
    let mut out = Vec::new();
    let done = store
        .export_document(format, &options, &mut out, &mut |_| {})
        .unwrap();
    assert_eq!(done.messages, 6);
    String::from_utf8(out).unwrap()
}

#[test]
fn exp_15_html_is_one_file_with_everything_escaped() {
    let home = Home::new();
    let html = document(&store(&home), Format::Html, None);
    for forbidden in [
        "<script",
        "onerror=alert(1)>",
        "src=\"http",
        "href=\"http",
        "url(",
        "@import",
        "svg+xml;",
    ] {
        assert!(!html.contains(forbidden), "{forbidden}");
    }
    assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(html.contains("<pre class=\"text\" dir=\"auto\">&lt;b&gt;code&lt;/b&gt;</pre>"));
    assert!(html.contains(&format!("<img alt=\"\" src=\"{PNG}\">")));
    assert!(html.contains("[image: https://example.org/track.png]"));
    assert!(html.contains("[image/svg+xml, 6 bytes]"));
    assert!(
        html.contains("<summary>Output <small>30 lines</small></summary>"),
        "long output is folded"
    );
    assert!(html.contains("<details open><summary>Calls terminal"));
    assert!(html.contains("<a href=\"#s2\"><bdi>&lt;script&gt;"));
    for tag in [
        "html", "head", "body", "nav", "ol", "li", "main", "article", "section", "details",
        "summary", "pre", "div", "dl", "h1", "h2", "h3", "figure",
    ] {
        let opened =
            html.matches(&format!("<{tag}>")).count() + html.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, html.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}

#[test]
fn exp_15_markdown_keeps_its_fences_balanced() {
    let home = Home::new();
    let text = document(&store(&home), Format::Markdown, Some(&["first_id"]));
    // As a reader goes through it: in a fence or not.
    let mut fence: Option<usize> = None;
    let mut headings = Vec::new();
    for line in text.lines() {
        let ticks = line.len() - line.trim_start_matches('`').len();
        match fence {
            Some(length) if ticks >= length && line.len() == ticks => fence = None,
            Some(_) => {}
            None if ticks >= 3 => fence = Some(ticks),
            None => {
                assert!(
                    !line.contains("<script") && !line.contains("<img"),
                    "{line}"
                );
                if line.starts_with("# ") || line.starts_with("## ") {
                    headings.push(line.to_owned());
                }
            }
        }
    }
    assert_eq!(fence, None);
    assert_eq!(headings[0], r"# first\_id");
    assert_eq!(headings.len(), 7, "{headings:#?}");
    assert!(text.contains("*[image: image/png, 70 bytes]*"), "{text}");
    assert!(!text.contains("base64"));
    assert!(text.contains(r"\![x](https://example.org/y.png)"));
    assert!(text.contains("<details><summary>Output (30 lines)</summary>\n\n`````\n"));
}

#[test]
fn a_document_of_no_session_is_one_too() {
    let home = Home::new();
    for format in [Format::Html, Format::Markdown] {
        let mut out = Vec::new();
        let done = home
            .store()
            .export_document(format, &ExportOptions::default(), &mut out, &mut |_| {})
            .unwrap();
        assert_eq!((done.sessions, done.messages), (0, 0));
    }
}

#[test]
fn documents_of_all_fixtures_can_be_made() {
    for file in testdata::all_fixtures() {
        let fixture = testdata::fixture(&file);
        let Ok(store) = Store::open_read_only(fixture.path()) else {
            continue;
        };
        for format in [Format::Html, Format::Markdown] {
            let mut out = Vec::new();
            if let Err(e) =
                store.export_document(format, &ExportOptions::default(), &mut out, &mut |_| {})
            {
                assert!(
                    file.contains("zeroed") || file.contains("truncated"),
                    "{file}: {e}"
                );
            }
        }
    }
}
