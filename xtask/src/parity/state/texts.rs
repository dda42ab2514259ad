//! What people, models and tools write, and what breaks programs.

use serde_json::Value;

use crate::random::Random;

/// What is said; every one is found by one of [`QUERIES`] or is hostile.
const SAID: &[&str] = &[
    "hello world",
    "the quick brown fox jumps over the lazy dog",
    "Deploy failed: exit code 137 in container web-1",
    "please run cargo test --workspace and tell me what fails",
    "I don't know what's wrong with a/b/c.rs:42",
    "naïve café, Zürich straße ÅNGSTRÖM",
    "大别山项目的部署失败了",
    "桂林 漓江 山水",
    "漓江在桂林",
    "東京タワーに行きました",
    "한국어 문장입니다",
    "emoji 🎉🚀 and 👩‍👩‍👧‍👦 family",
    "mixed 中文 and English words",
    "quotes \"inside\" and 'outside'",
    "100% sure_thing \\ backslash",
    "line one\nline two\r\nline three\ttab",
    "  leading and trailing blanks  ",
    "x",
    "the deploy of v1.2.3 took 42 s, see config.yaml and my_file_name.txt",
    "SELECT * FROM users WHERE name = 'Robert'); DROP TABLE students;--",
    "a very long sentence that goes on and on so that its preview must be cut somewhere in the middle of it",
    "<memory-context>old facts</memory-context>what next?",
    "before <memory-context>\n- a\n</memory-context> after",
    "{\"json\": \"as text\"}",
    "null",
    "TODO: fix the parser",
];

/// What the store must live with.
const HOSTILE: &[&str] = &[
    "",
    " ",
    "\u{0}",
    "nul \u{0} in the middle",
    "\u{0}json:{\"x\": 1}",
    "\u{0}json:not json",
    "\u{feff}bom",
    "\u{202e}right to left",
    "a\u{300}\u{301}\u{302} combining",
    "\u{1b}[31mred\u{1b}[0m",
    "\u{10ffff}\u{fffd}",
];

/// Asked of both sides, and answered alike.
pub(super) const QUERIES: &[&str] = &[
    "hello",
    "quick fox",
    "\"brown fox\"",
    "deploy",
    "depl*",
    "hello OR deploy",
    "deploy NOT container",
    "cargo AND workspace",
    "café",
    "cafe",
    "STRASSE",
    "大别山",
    "部署失败",
    "漓江",
    "桂",
    "東京タワー",
    "한국어",
    "中文",
    "config.yaml",
    "my_file_name",
    "web-1",
    "v1.2.3",
    "nothingsuch",
    "middle",
    "lookup",
    "",
    "   ",
];

/// Asked of both sides; ours finds at least what theirs does, which often is nothing.
pub(super) const ODD_QUERIES: &[&str] = &[
    "don't",
    "what's wrong",
    "a/b/c",
    "TODO: fix",
    "100%",
    "\\",
    "(deploy",
    "deploy)",
    "\"unfinished",
    "AND",
    "NOT deploy",
    "deploy AND",
    "a OR OR b",
    "*",
    "hello*world",
    "🎉",
    "漓江 桂林",
    "大别山 NOT 桂林",
    "name = 'Robert'",
    "{json}",
    "-",
    "^hello",
    "content:hello",
    "NEAR(hello world)",
];

/// A text as a message has it.
pub(super) fn said(random: &mut Random) -> String {
    match random.below(20) {
        0..14 => pick(random, SAID),
        14..17 => pick(random, HOSTILE),
        17 => format!("{} {}", pick(random, SAID), pick(random, SAID)),
        18 => format!("{} {}", pick(random, SAID), pick(random, HOSTILE)),
        _ => {
            let repeated = random.below(800) + 1;
            let words = pick(random, SAID);
            format!("{words} ").repeat(repeated)
        }
    }
}

pub(super) fn pick(random: &mut Random, texts: &[&str]) -> String {
    random.pick(texts).copied().unwrap_or_default().to_owned()
}

/// The JSON text of what a message says.
pub(super) fn content(random: &mut Random) -> String {
    const SHAPES: &[&str] = &[
        "[]",
        "{}",
        "[{\"type\": \"image_url\", \"image_url\": {\"url\": \"data:image/png;base64,iVBORw0KGgo=\"}}]",
        "{\"deep\": {\"er\": [1, 2.5, null, true, \"漓江\"]}}",
        "[\"\\ud83d\", {\"half\": \"\\udc00 of it\"}]",
        "{\"big\": 12345678901234567890123, \"small\": 1e-07}",
    ];
    match random.below(12) {
        0 => "null".to_owned(),
        1 => pick(random, SHAPES),
        2 => {
            let text = Value::String(said(random)).to_string();
            format!("[{{\"type\": \"text\", \"text\": {text}}}]")
        }
        3 if random.one_in(3) => pick(
            random,
            &[
                "5",
                "true",
                "1.5",
                "{\"$bytes\": \"aGVsbG8=\"}",
                "{\"$bytes\": \"AP/+\"}",
            ],
        ),
        _ => Value::String(said(random)).to_string(),
    }
}

/// The JSON text of tool calls.
pub(super) fn tool_calls(random: &mut Random) -> String {
    const CALLS: &[&str] = &[
        "[]",
        "{}",
        "[{\"id\": \"c1\", \"type\": \"function\", \"function\": {\"name\": \"lookup\", \"arguments\": \"{\\\"q\\\": \\\"hello\\\"}\"}}]",
        "[{\"id\": \"c1\"}, {\"id\": \"c2\"}, {\"id\": \"c3\"}]",
        "{\"name\": \"one\"}",
        "[{\"id\": \"half \\ud83d\"}]",
        "[{\"id\": \"c9\", \"function\": {\"name\": \"terminal\", \"arguments\": \"{\\\"command\\\": \\\"echo 桂林\\\"}\"}}]",
    ];
    pick(random, CALLS)
}

/// The JSON text of a column that holds JSON.
pub(super) fn details(random: &mut Random) -> String {
    const DETAILS: &[&str] = &[
        "null",
        "[]",
        "{}",
        "[{\"type\": \"reasoning.text\", \"text\": \"思考\"}]",
        "{\"$float\": \"nan\"}",
        "[{\"$float\": \"inf\"}, 0.1, 1e22]",
        "\"text\"",
        "0",
    ];
    pick(random, DETAILS)
}

/// A title as a person or a model gives it.
pub(super) fn title(random: &mut Random) -> String {
    const TITLES: &[&str] = &[
        "Deploy",
        "deploy",
        "Deploy #2",
        "Deploy #3",
        "Deploy #x",
        "100% done_now",
        "100%",
        "漓江",
        "漓江 #٣",
        "  spaced \t out \n title  ",
        "with\u{200b}zero\u{feff}width",
        "ctrl\u{1}\u{7f}chars",
        "Émoji 🎉",
        "a#b",
        "back\\slash_",
        "x #9",
    ];
    match random.below(12) {
        0 => "t".repeat(95 + random.below(10)),
        1 => String::new(),
        2 => " \u{200b}\u{3000} ".to_owned(),
        _ => pick(random, TITLES),
    }
}
