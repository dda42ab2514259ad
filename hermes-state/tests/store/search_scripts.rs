//! Texts in scripts without blanks between words are found wherever they stand: what the indexes find
//! is what a naive scan of the texts finds, for every layout and whoever wrote the rows.

use std::path::Path;

use hermes_fts::folded;
use hermes_state::{
    JsonText, NewMessage, NewSession, SearchOptions, SearchOrder, Store, StoreOptions,
};
use proptest::prelude::*;
use rusqlite::params;
use serde_json::json;

use crate::search_vectors::dumped;
use crate::support::{Home, newer, raw};

/// What is asked, apart from how it is written.
#[derive(Debug, Clone)]
enum Asked {
    Text(&'static str),
    Both(Box<Asked>, Box<Asked>),
    Either(Box<Asked>, Box<Asked>),
    Without(Box<Asked>, Box<Asked>),
}

impl Asked {
    fn query(&self) -> String {
        let of = |a: &Asked, word: &str, b: &Asked| format!("({} {word} {})", a.query(), b.query());
        match self {
            Asked::Text(text) if text.contains(' ') => format!("\"{text}\""),
            Asked::Text(text) => (*text).to_owned(),
            Asked::Both(a, b) => of(a, "AND", b),
            Asked::Either(a, b) => of(a, "OR", b),
            Asked::Without(a, b) => of(a, "NOT", b),
        }
    }

    fn holds(&self, text: &str) -> bool {
        match self {
            Asked::Text(part) => text.contains(&folded(part)),
            Asked::Both(a, b) => a.holds(text) && b.holds(text),
            Asked::Either(a, b) => a.holds(text) || b.holds(text),
            Asked::Without(a, b) => a.holds(text) && !b.holds(text),
        }
    }

    /// Whether it is looked for anywhere in a text.
    fn is_by_substring(&self) -> bool {
        match self {
            Asked::Text(text) => text.chars().any(hermes_fts::script::is_unspaced),
            Asked::Both(a, b) | Asked::Either(a, b) | Asked::Without(a, b) => {
                a.is_by_substring() || b.is_by_substring()
            }
        }
    }
}

fn asked() -> impl Strategy<Value = Asked> {
    let text = prop::sample::select(
        &[
            "大",
            "理",
            "大理",
            "理大",
            "洱海",
            "大理洱",
            "大理洱海",
            "理 海",
            "ア",
            "ｱア",
            "ไท",
            "ไทย",
            "한ㄱ",
            "ㄱ",
            "𠀀",
            "𠀀大",
            "大a",
            "x理",
            "docker",
            "ock",
            "ΣΑΣ",
            "docker大",
            "\u{d7ff}",
            "龥",
        ][..],
    )
    .prop_map(Asked::Text);
    text.prop_recursive(3, 12, 2, |part| {
        (part.clone(), part, 0..3).prop_map(|(a, b, which)| match which {
            0 => Asked::Both(a.into(), b.into()),
            1 => Asked::Either(a.into(), b.into()),
            _ => Asked::Without(a.into(), b.into()),
        })
    })
    .prop_filter("by words", Asked::is_by_substring)
}

fn text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(
        &[
            "大",
            "理",
            "大理",
            "洱",
            "海",
            "ア",
            "ｱ",
            "ไ",
            "ท",
            "ย",
            "한",
            "ㄱ",
            "𠀀",
            "a",
            "x",
            "Docker",
            "doc\u{212a}er",
            "σας",
            " ",
            " ",
            "，",
            "\n",
            "\"",
            "\u{d7ff}",
            "\u{e000}",
            "龥",
            "\u{9fa6}",
            "\u{10ffff}",
            "\\n",
            "u5927",
        ][..],
    );
    prop::collection::vec(piece, 0..9).prop_map(|pieces| pieces.concat())
}

/// A message as its columns.
#[derive(Debug, Clone)]
struct Row {
    content: Option<String>,
    structured: bool,
    tool_name: Option<String>,
    /// What a tool was called with.
    called: Option<String>,
}

impl Row {
    fn any() -> impl Strategy<Value = Row> {
        let name = prop::sample::select(&["web_search", "terminal"][..]).prop_map(String::from);
        (
            prop::option::weighted(0.9, text()),
            prop::bool::weighted(0.2),
            prop::option::weighted(0.2, name),
            prop::option::weighted(0.3, text()),
        )
            .prop_map(|(content, structured, tool_name, called)| {
                // As an escape, a sign that is a letter of ASCII but for its case is not found.
                let plain = |text: String| text.replace('\u{212a}', "K");
                Row {
                    content: match structured {
                        true => content.map(plain),
                        false => content,
                    },
                    structured,
                    tool_name,
                    called: called.map(plain),
                }
            })
    }

    fn parts(&self) -> serde_json::Value {
        json!([{"type": "text", "text": self.content.as_deref().unwrap_or_default()}])
    }

    fn calls(&self) -> Option<serde_json::Value> {
        let arguments = json!({"q": self.called.as_deref()?});
        Some(json!([{"function": {"name": "f", "arguments": arguments.to_string()}}]))
    }

    fn written_by_us(&self) -> NewMessage {
        let mut message = NewMessage::new("s", "user");
        message = match &self.content {
            Some(_) if self.structured => message.content(JsonText::from_value(&self.parts())),
            Some(text) => message.content(text.as_str()),
            None => message,
        };
        if let Some(name) = &self.tool_name {
            message = message.tool_name(name);
        }
        if let Some(calls) = self.calls() {
            message = message.tool_calls(JsonText::from_value(&calls));
        }
        message
    }

    /// What a person would find in it: JSON as it is stored, but for the escapes of letters.
    fn readable(&self) -> String {
        let calls = self.calls().map(|calls| {
            let calls = JsonText::from_value(&calls);
            calls.as_str().to_owned()
        });
        let columns = [self.content.clone(), self.tool_name.clone(), calls];
        folded(&columns.map(Option::unwrap_or_default).join(" "))
    }
}

/// Through the triggers of the file alone, with Python's escapes.
fn write_as_python(path: &Path, rows: &[Row]) {
    let conn = raw(path);
    conn.execute(
        "INSERT INTO sessions (id, source, started_at) VALUES ('s', 'cli', 1.0)",
        [],
    )
    .unwrap();
    for (n, row) in (0..).zip(rows) {
        let content = row.content.clone().map(|text| match row.structured {
            true => format!("\0json:{}", dumped(&row.parts())),
            false => text,
        });
        conn.execute(
            "INSERT INTO messages (session_id, role, content, tool_name, tool_calls, timestamp)
             VALUES ('s', 'user', ?1, ?2, ?3, ?4)",
            params![
                content,
                row.tool_name,
                row.calls().map(|calls| dumped(&calls)),
                f64::from(n)
            ],
        )
        .unwrap();
    }
}

/// Every query finds in the session `s`, whose messages have ids from `first` on, what a naive scan
/// finds.
fn finds_as_a_scan(
    store: &Store,
    first: i64,
    rows: &[Row],
    questions: &[Asked],
    degraded: bool,
) -> Result<(), TestCaseError> {
    for question in questions {
        let options = SearchOptions::new(question.query())
            .session("s")
            .limit(1_000);
        let results = store.search(&options).unwrap();
        prop_assert_eq!(results.degraded, degraded);
        let mut found: Vec<i64> = results.matches.iter().map(|hit| hit.id.0).collect();
        found.sort_unstable();
        let expected: Vec<i64> = (first..)
            .zip(rows)
            .filter(|(_, row)| question.holds(&row.readable()))
            .map(|(id, _)| id)
            .collect();
        prop_assert_eq!(&found, &expected, "{}", question.query());
        let count = store.search_count(&options).unwrap().count;
        prop_assert_eq!(count, expected.len() as u64);
        let newest = options.order(SearchOrder::Newest);
        prop_assert_eq!(store.search(&newest).unwrap().matches.len(), expected.len());
    }
    Ok(())
}

fn next_id(path: &Path) -> i64 {
    let sql = "SELECT COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'messages'), 0) + 1";
    raw(path).query_row(sql, [], |row| row.get(0)).unwrap()
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    prop::collection::vec(Row::any(), 1..12)
}

fn questions() -> impl Strategy<Value = Vec<Asked>> {
    prop::collection::vec(asked(), 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn what_we_wrote_is_found_as_by_a_scan(rows in rows(), questions in questions()) {
        let home = Home::new();
        let store = home.store();
        store.create_session(&NewSession::new("s", "cli")).unwrap();
        let messages: Vec<_> = rows.iter().map(Row::written_by_us).collect();
        store.append_messages(&messages).unwrap();
        finds_as_a_scan(&store, 1, &rows, &questions, false)?;
    }

    #[test]
    fn what_python_wrote_is_found_as_by_a_scan(rows in rows(), questions in questions()) {
        let home = Home::new();
        let store = home.store();
        write_as_python(&home.path(), &rows);
        finds_as_a_scan(&store, 1, &rows, &questions, false)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    #[test]
    fn an_index_of_another_layout_is_made_up_for(rows in rows(), questions in questions()) {
        for name in ["v10_external.db", "v10_inline.db", "v30_external.db", "v30_inline.db"] {
            let fixture = testdata::fixture(name);
            let first = next_id(fixture.path());
            write_as_python(fixture.path(), &rows);
            let store = StoreOptions::new().read_only().open(fixture.path()).unwrap();
            finds_as_a_scan(&store, first, &rows, &questions, true)?;
        }
    }

    #[test]
    fn newer_stores_are_searched_by_their_index(rows in rows(), questions in questions()) {
        let fixture = newer::empty_v22();
        let first = next_id(fixture.path());
        write_as_python(fixture.path(), &rows);
        let store = StoreOptions::new().read_only().open(fixture.path()).unwrap();
        finds_as_a_scan(&store, first, &rows, &questions, false)?;
    }
}

/// The first search reads the messages, or the sessions; later ones know the bounds of their times.
#[test]
fn many_matches_come_in_the_order_of_their_times_whatever_their_ids() {
    let home = Home::new();
    let store = home.store();
    store.create_session(&NewSession::new("s", "cli")).unwrap();
    store.create_session(&NewSession::new("t", "cron")).unwrap();
    let mut times: Vec<(f64, i64)> = Vec::new();
    for batch in 0..3_u32 {
        let of = |n: u32| match n % 97 {
            // Mostly in order, some far off, some equal.
            0 => f64::from(n * 31 % 5_000),
            1 => 700.0,
            _ => f64::from(batch * 1_500 + n),
        };
        let messages: Vec<_> = (0..1_500_u32)
            .map(|n| {
                let session = if n % 5 == 0 { "t" } else { "s" };
                let message = NewMessage::new(session, "user").content("在大理");
                message.timestamp(of(n))
            })
            .collect();
        let ids = store.append_messages(&messages).unwrap();
        times.extend((0..).map(of).zip(ids.iter().map(|id| id.0)));
        times.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
        for _ in 0..3 {
            for (order, source) in [
                (SearchOrder::Newest, None),
                (SearchOrder::Oldest, None),
                (SearchOrder::Newest, Some("cron")),
            ] {
                let mut options = SearchOptions::new("大理").order(order).limit(30).offset(10);
                if let Some(source) = source {
                    options = options.source(source);
                }
                let matches = store.search(&options).unwrap().matches;
                let found: Vec<i64> = matches.iter().map(|hit| hit.id.0).collect();
                let mut expected: Vec<i64> = times
                    .iter()
                    .map(|(_, id)| *id)
                    .filter(|id| source.is_none() || (id - 1) % 1_500 % 5 == 0)
                    .collect();
                if order == SearchOrder::Oldest {
                    expected.reverse();
                }
                assert_eq!(found, expected[10..40], "{batch} {order:?} {source:?}");
            }
        }
    }
}
