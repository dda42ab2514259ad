use super::html::escape;
use super::markdown::contained;

#[test]
fn a_message_in_markdown_ends_where_it_ends() {
    for (text, expected) in [
        ("a **b** `<c>` <d> & e", "a **b** `<c>` &lt;d> & e"),
        ("# One\n###### Six\n#no", "### One\n###### Six\n#no"),
        ("text\n===", "text\n\\==="),
        ("text\n---", "text\n\n---"),
        ("text\n\n---", "text\n\n---"),
        ("```html\n<b>\n", "```html\n<b>\n```"),
        ("````\n```\n<b>\n````\n<i>", "````\n```\n<b>\n````\n&lt;i>"),
        ("~~~\n```\n~~~\n<i>", "~~~\n```\n~~~\n&lt;i>"),
        (
            "- x\n  ```\n  <b>\n  ```\n<i>",
            "- x\n```\n  <b>\n```\n&lt;i>",
        ),
        (
            "![alt](https://example.org/x.png)",
            "\\![alt](https://example.org/x.png)",
        ),
        ("`` a ` <b> `` <i> ` <u>", "`` a ` <b> `` &lt;i> ` &lt;u>"),
        ("\\` <b> `", "\\` &lt;b> `"),
        ("`a\n\n<b>`", "`a\n\n&lt;b>`"),
        ("a\0b\r\nc", "a\u{fffd}b\nc"),
        ("", ""),
        ("```", "```\n```"),
        ("`x ``` <b>`", "`x ``` <b>`"),
    ] {
        assert_eq!(contained(text), expected, "{text:?}");
    }
}

#[test]
fn what_html_would_read_is_escaped() {
    assert_eq!(
        escape("<a b='c' d=\"e\">&\0\r\n"),
        "&lt;a b=&#39;c&#39; d=&quot;e&quot;&gt;&amp;\u{fffd}\n"
    );
}
