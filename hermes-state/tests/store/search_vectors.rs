//! Searches over the recorded corpus, once written by us and once as Python would have written it.

use std::collections::BTreeMap;
use std::path::Path;

use hermes_state::{JsonText, NewMessage, NewSession, SearchOptions, SearchOrder, Store};
use rusqlite::named_params;
use serde_json::{Value, json};

use crate::support::{Home, assert_reviewed, messages_of, newer, raw};

/// The corpus' operations, in order.
fn operations() -> Vec<Value> {
    operations_of("ops")
}

fn operations_of(which: &str) -> Vec<Value> {
    let corpus = testdata::vectors("search_corpus");
    corpus[which].as_array().unwrap().clone()
}

fn text(value: &Value) -> Option<&str> {
    value.as_str()
}

fn write_by_us(store: &Store) {
    apply(store, operations());
}

fn apply(store: &Store, operations: Vec<Value>) {
    for op in operations {
        let (args, now) = (&op["args"], op["now"].as_f64().unwrap());
        let id = text(&args["session_id"]).unwrap();
        if op["op"] == "create_session" {
            let mut session = NewSession::new(id, text(&args["source"]).unwrap()).started_at(now);
            if let Some(model) = text(&args["model"]) {
                session = session.model(model);
            }
            assert!(store.create_session(&session).unwrap());
            continue;
        }
        if op["op"] == "$rewind_second" {
            let second = messages_of(store, id)[1].id;
            store.rewind_to_message(id, second).unwrap();
            continue;
        }
        if op["op"] == "archive_and_compact" {
            let summary = text(&args["compacted_messages"][0]["content"]).unwrap();
            let message = NewMessage::new(id, "user").content(summary).timestamp(now);
            store.archive_and_compact(id, &[message]).unwrap();
            continue;
        }
        let mut message = NewMessage::new(id, text(&args["role"]).unwrap()).timestamp(now);
        message = match &args["content"] {
            Value::Null => message,
            Value::String(text) => message.content(text.as_str()),
            // A number is stored as its text.
            Value::Number(n) => message.content(n.to_string()),
            structured => message.content(JsonText::from_value(structured)),
        };
        if let Some(name) = text(&args["tool_name"]) {
            message = message.tool_name(name);
        }
        if let Some(call) = text(&args["tool_call_id"]) {
            message = message.tool_call_id(call);
        }
        if !args["tool_calls"].is_null() {
            message = message.tool_calls(JsonText::from_value(&args["tool_calls"]));
        }
        store.append_message(&message).unwrap();
    }
}

/// `json.dumps` of Python: its separators, everything beyond ASCII as `\u` escapes.
pub(crate) fn dumped(value: &Value) -> String {
    let mut ascii = String::new();
    let mut units = [0; 2];
    for c in JsonText::from_value(value).as_str().chars() {
        if c.is_ascii() {
            ascii.push(c);
        } else {
            for unit in c.encode_utf16(&mut units) {
                ascii.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    ascii
}

/// Only the triggers of the file write the index here.
fn write_as_python(path: &Path) {
    let conn = raw(path);
    for op in operations() {
        let args = &op["args"];
        if op["op"] == "create_session" {
            conn.execute(
                "INSERT INTO sessions (id, source, model, started_at) VALUES (:id, :source, :model, :now)",
                named_params! {
                    ":id": text(&args["session_id"]),
                    ":source": text(&args["source"]),
                    ":model": text(&args["model"]),
                    ":now": op["now"].as_f64(),
                },
            )
            .unwrap();
            continue;
        }
        let content = match &args["content"] {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            Value::Number(n) => Some(n.to_string()),
            structured => Some(format!("\0json:{}", dumped(structured))),
        };
        let tool_calls = (!args["tool_calls"].is_null()).then(|| dumped(&args["tool_calls"]));
        conn.execute(
            "INSERT INTO messages (session_id, role, content, tool_name, tool_call_id, tool_calls, timestamp)
             VALUES (:session_id, :role, :content, :tool_name, :tool_call_id, :tool_calls, :now)",
            named_params! {
                ":session_id": text(&args["session_id"]),
                ":role": text(&args["role"]),
                ":content": content,
                ":tool_name": text(&args["tool_name"]),
                ":tool_call_id": text(&args["tool_call_id"]),
                ":tool_calls": tool_calls,
                ":now": op["now"].as_f64(),
            },
        )
        .unwrap();
    }
}

fn options(args: &Value) -> SearchOptions {
    let names =
        |key: &str| -> Option<Vec<String>> { serde_json::from_value(args[key].clone()).unwrap() };
    let mut options = SearchOptions::new(text(&args["query"]).unwrap());
    options.sources = names("source_filter");
    options.exclude_sources = names("exclude_sources").unwrap_or_default();
    options.roles = names("role_filter").unwrap_or_default();
    let limit = args["limit"].as_i64().unwrap_or(20);
    options.limit = usize::try_from(limit).unwrap_or(usize::MAX);
    options.offset = usize::try_from(args["offset"].as_i64().unwrap_or(0)).unwrap();
    options.order = match text(&args["sort"]).map(|sort| sort.trim().to_lowercase()) {
        Some(sort) if sort == "newest" => SearchOrder::Newest,
        Some(sort) if sort == "oldest" => SearchOrder::Oldest,
        _ => SearchOrder::Rank,
    };
    options.include_inactive = args["include_inactive"].as_bool().unwrap_or_default();
    options
}

/// The cases whose answer differs from the recorded one, and how.
fn differing(store: &Store) -> BTreeMap<String, String> {
    differing_from(store, "search", "0.13.0")
}

fn differing_from(store: &Store, name: &str, release: &str) -> BTreeMap<String, String> {
    let vectors = testdata::vectors(name);
    let keys = &testdata::vectors("search")["match_keys_in_order"][release];
    let mut differing = BTreeMap::new();
    for case in vectors["cases"].as_array().unwrap() {
        let results = store.search(&options(&case["args"])).unwrap();
        assert!(!results.degraded);
        let matches = serde_json::to_value(&results.matches).unwrap();
        for found in matches.as_array().unwrap() {
            let in_order = found.as_object().unwrap().keys();
            let in_order: Vec<&String> = in_order.filter(|key| *key != "compacted").collect();
            assert_eq!(json!(in_order), *keys);
        }
        let shown: Vec<Value> = matches
            .as_array()
            .unwrap()
            .iter()
            .map(|m| json!({"id": m["id"], "snippet": m["snippet"], "context": m["context"]}))
            .collect();
        let recorded = &case[release];
        let ours = json!({"n": results.matches.len(), "matches": shown});
        if ours != *recorded {
            let ids = |answer: &Value| -> Vec<Value> {
                let matches = answer["matches"].as_array().unwrap();
                matches.iter().map(|m| m["id"].clone()).collect()
            };
            let (mine, theirs) = (ids(&ours), ids(recorded));
            let how = if mine == theirs {
                let (a, b) = (
                    ours["matches"].as_array().unwrap(),
                    recorded["matches"].as_array().unwrap(),
                );
                let (a, b) = a.iter().zip(b).find(|(a, b)| a != b).unwrap();
                format!("{a} instead of {b}")
            } else {
                format!("{mine:?} instead of {theirs:?}")
            };
            let id = case["id"].as_str().unwrap().to_owned();
            differing.insert(id, format!("{}: {how}", case["args"]));
        }
    }
    differing
}

/// Why an answer is another one, and for which cases.
type Reviewed = (&'static str, &'static [&'static str]);

/// Whoever wrote the corpus.
const EITHER: &[Reviewed] = &[
    (
        "FTS5 refuses the punctuation, which 0.13.0 takes for no result (quirk Q22); here it is text",
        &[
            "search-0035",
            "search-0036",
            "search-0041",
            "search-0045",
            "search-0046",
            "search-0047",
            "search-0048",
            "search-0148",
            "search-0162",
        ],
    ),
    (
        "`content :` names a column for 0.13.0; here it is a word that no message has beside the other",
        &["search-0195"],
    ),
    (
        "stacked operators are a syntax error of FTS5 and no result in 0.13.0; here the last sensible one holds",
        &["search-0196", "search-0197"],
    ),
    (
        "an invisible blank between two words parts them; for 0.13.0 they are a phrase",
        &["search-0137"],
    ),
    ("a star after CJK is no syntax error", &["search-0093"]),
    ("parentheses group, and are no blanks", &["search-0174"]),
    (
        "AND, NOT and blanks keep their meaning without an index, where 0.13.0 takes any of the words (quirk Q5)",
        &[
            "search-0059",
            "search-0060",
            "search-0061",
            "search-0065",
            "search-0088",
        ],
    ),
    (
        "Thai is looked for anywhere in a text, where words are cut at combining marks (quirk Q6)",
        &["search-0099", "search-0100"],
    ),
    (
        "where several terms are demanded, the snippet shows them with marks (case LANG-06)",
        &["search-0074", "search-0086"],
    ),
    (
        "found in structured content and tool calls too, where Python's escapes hide it (quirk Q7)",
        &[
            "search-0055",
            "search-0071",
            "search-0221",
            "search-0236",
            "search-0251",
            "search-0056",
            "search-0058",
            "search-0062",
            "search-0063",
            "search-0222",
            "search-0226",
            "search-0230",
            "search-0237",
        ],
    ),
];

/// Written by us: what is indexed of a message is what a person reads.
const BY_US: &[Reviewed] = &[
    (
        "tool calls and structured content are raw UTF-8, so that the index finds what is in them (quirk Q7)",
        &["search-0031", "search-0032"],
    ),
    (
        "of structured content only the texts are indexed, not the JSON around them: it ranks and shows otherwise, and its keys, URLs and escapes are not found",
        &[
            "search-0103",
            "search-0106",
            "search-0107",
            "search-0108",
            "search-0109",
            "search-0116",
            "search-0160",
            "search-0223",
            "search-0227",
            "search-0231",
            "search-0272",
        ],
    ),
    (
        "a NUL is indexed as a blank, so that a snippet shows all of the text",
        &["search-0112", "search-0113"],
    ),
];

fn reviewed(lists: &[&[Reviewed]]) -> Vec<(&'static str, &'static str)> {
    let entries = lists.iter().flat_map(|list| list.iter());
    entries
        .flat_map(|(reason, ids)| ids.iter().map(|id| (*id, *reason)))
        .collect()
}

#[test]
fn a_corpus_written_by_us_is_searched_as_recorded() {
    let home = Home::new();
    let store = home.store();
    write_by_us(&store);
    assert_reviewed(&differing(&store), &reviewed(&[EITHER, BY_US]));
}

#[test]
fn a_corpus_written_by_python_is_searched_as_recorded() {
    let home = Home::new();
    let store = home.store();
    write_as_python(&home.path());
    assert_reviewed(&differing(&store), &reviewed(&[EITHER]));
}

/// 0.19.0 on a store of version 22.
const NEWER: &[Reviewed] = &[
    (
        "the oldest come first also where the rows are read, which 0.19.0 does not order (quirk Q3)",
        &["search_new-0005"],
    ),
    (
        "a message that was taken back is not in the context either, unless it is asked for",
        &["search_new-0015"],
    ),
];

#[test]
fn orders_and_messages_taken_back_are_searched_as_recorded() {
    let fixture = newer::empty_v22();
    raw(fixture.path())
        .execute_batch("DELETE FROM sqlite_sequence")
        .unwrap();
    write_as_python(fixture.path());
    let store = Store::open(fixture.path()).unwrap();
    apply(&store, operations_of("new_ops"));
    let differing = differing_from(&store, "search_new", "0.19.0");
    assert_reviewed(&differing, &reviewed(&[NEWER]));
}
