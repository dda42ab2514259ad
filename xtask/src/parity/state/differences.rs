//! Differences that are wanted, with the reason; anything else fails.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use serde_json::{Map, Value};

use super::texts;
use crate::client::operation::Operation;
use crate::client::{Answer, readable};
use crate::parity::difference::{self, Difference};

/// One kind of difference that is wanted.
struct Wanted {
    what: &'static str,
    reason: &'static str,
    is_it: fn(&Seen<'_>) -> bool,
}

/// A difference and where it was seen.
struct Seen<'a> {
    method: &'a str,
    params: &'a str,
    difference: &'a Difference,
}

impl Seen<'_> {
    /// The last key of the path.
    fn key(&self) -> &str {
        self.difference.path.rsplit('.').next().unwrap_or_default()
    }

    fn texts(&self) -> Option<(&str, &str)> {
        // A match without content has no snippet in the release.
        let theirs = match &self.difference.theirs {
            Value::Null => "",
            text => text.as_str()?,
        };
        Some((theirs, self.difference.ours.as_str()?))
    }

    fn query(&self) -> Option<String> {
        let asked: Value = serde_json::from_str(self.params).ok()?;
        asked.get("query")?.as_str().map(str::to_owned)
    }

    fn is_search(&self) -> bool {
        self.method == "search_messages"
    }
}

/// Whether a snippet shows the JSON of structured content or of tool calls.
fn is_json(snippet: &str) -> bool {
    let signs = ["\\u", "\": ", "\"}", "\", ", ">>>json<<<:"];
    signs.iter().any(|sign| snippet.contains(sign))
}

/// Whether a snippet leaves out what another one shows: all in front of a NUL, or between one and
/// the match. Only its beginning is looked at.
fn is_part(snippet: &str, whole: &str) -> bool {
    const BEGINNING: usize = 60;
    let visible = |c: &char| !c.is_whitespace() && *c != '.';
    let mut whole = whole.chars().filter(visible);
    let mut beginning = snippet.chars().filter(visible).take(BEGINNING);
    beginning.all(|c| whole.any(|other| other == c))
}

const WANTED: &[Wanted] = &[
    Wanted {
        what: "a preview of structured content, or of a text with NUL",
        reason: "the release's preview ends at the first NUL, and is empty for structured content",
        is_it: |seen| {
            let cut = |(theirs, ours): (&str, &str)| ours.starts_with(theirs.trim_end());
            seen.key() == "preview" && seen.texts().is_some_and(cut)
        },
    },
    Wanted {
        what: "a next title longer than a title may be",
        reason: "the release gives titles that it then refuses; ours are cut to make room for the number",
        is_it: |seen| {
            let too_long = |(theirs, _): (&str, &str)| theirs.chars().count() > 100;
            seen.method == "get_next_title_in_lineage" && seen.texts().is_some_and(too_long)
        },
    },
    Wanted {
        what: "the compression lineage of a branch, or of a session that goes on twice",
        reason: "the release leaves a compressed branch alone but not its continuation, and follows \
                 the first continuation where its own tip follows the latest; ours is the way to the tip",
        is_it: |seen| {
            let found = (
                seen.difference.theirs.as_array(),
                seen.difference.ours.as_array(),
            );
            let (Some(theirs), Some(ours)) = found else {
                return false;
            };
            let lineage = ["get_compression_lineage", "export_session_lineage"];
            lineage.contains(&seen.method)
                && (theirs.len() == 1 || ours.len() == 1 || theirs.first() == ours.first())
        },
    },
    Wanted {
        what: "messages that were taken back, in searches through the rows and around matches",
        reason: "the release finds and shows them there, though not elsewhere",
        is_it: |seen| {
            let short = |query: String| !query.is_ascii() && query.chars().count() < 3;
            let found = seen.difference.path.starts_with("less") && seen.query().is_some_and(short);
            seen.is_search() && (found || seen.key() == "context")
        },
    },
    Wanted {
        what: "the number of empty sessions",
        reason: "the release trusts the counters; a session with archived messages is not empty",
        is_it: |seen| seen.method == "count_empty_sessions",
    },
    Wanted {
        what: "a query with punctuation, or a match in what the release stores as an escape",
        reason: "the release takes its own syntax error for no match, drops the operators of short \
                 CJK queries, and cannot find what it stores as an escape",
        is_it: |seen| {
            let odd = |query: String| texts::ODD_QUERIES.contains(&query.as_str());
            let snippet = seen.difference.ours.get("snippet").and_then(Value::as_str);
            seen.is_search()
                && seen.difference.path.starts_with("more")
                && (seen.query().is_some_and(odd) || !snippet.is_some_and(str::is_ascii))
        },
    },
    Wanted {
        what: "a query that the release takes for a filter, or whose operators it drops",
        reason: "`content:` is a word like any other; NOT and AND mean what they say in every script",
        is_it: |seen| {
            let query = seen.query().unwrap_or_default();
            let dropped = !query.is_ascii() && query.contains(' ');
            seen.is_search()
                && seen.difference.path.starts_with("less")
                && (query.starts_with("content:") || dropped)
        },
    },
    Wanted {
        what: "a match in the JSON around structured content",
        reason: "the release indexes structured content as its JSON, with its marker and its keys",
        is_it: |seen| {
            let snippet = seen
                .difference
                .theirs
                .get("snippet")
                .and_then(Value::as_str);
            seen.is_search()
                && seen.difference.path.starts_with("less")
                && snippet.is_some_and(is_json)
        },
    },
    Wanted {
        what: "a snippet of structured content, or of a text with NUL or escapes",
        reason: "the release indexes structured content as its JSON and with escapes, and its \
                 snippets lose what is before a NUL",
        is_it: |seen| {
            let reworded = |(theirs, ours): (&str, &str)| is_json(theirs) || is_part(theirs, ours);
            seen.is_search() && seen.key() == "snippet" && seen.texts().is_some_and(reworded)
        },
    },
    Wanted {
        what: "a snippet of bytes",
        reason: "the release gives the bytes; a snippet of ours is text",
        is_it: |seen| {
            seen.is_search()
                && seen.key() == "snippet"
                && seen.difference.theirs.is_object()
                && seen.difference.ours.is_string()
        },
    },
    Wanted {
        what: "the order of the keys in compact rows of a migrated store",
        reason: "the release names its columns there, as in a new store; ours are in the order of \
                 the file everywhere",
        is_it: |seen| {
            let keys = |value: &Value| {
                let keys = value.as_object().map(|object| object.keys().cloned());
                keys.map(Iterator::collect::<BTreeSet<String>>)
            };
            let same = keys(&seen.difference.theirs).filter(|keys| !keys.is_empty())
                == keys(&seen.difference.ours);
            seen.params.contains("\"compact_rows\": true") && same
        },
    },
    Wanted {
        what: "a snippet of a long message",
        reason: "the release counts a run without blanks as one word, so that its snippets are long; \
                 ours are short, and the match is in them",
        is_it: |seen| {
            const LONG: usize = 120;
            let shorter = |(theirs, ours): (&str, &str)| {
                theirs.chars().count() > LONG && ours.len() < theirs.len() && ours.contains(">>>")
            };
            seen.is_search() && seen.key() == "snippet" && seen.texts().is_some_and(shorter)
        },
    },
    Wanted {
        what: "a snippet of a match in a tool's name or call, found through the rows",
        reason: "the release shows the beginning of the content, which has no match",
        is_it: |seen| {
            let query = seen.query().unwrap_or_default();
            let shows = |(theirs, ours): (&str, &str)| {
                let mut words = query.split_whitespace();
                words.any(|word| !theirs.contains(word) && ours.contains(word))
            };
            seen.is_search() && seen.key() == "snippet" && seen.texts().is_some_and(shows)
        },
    },
];

/// The list, and how often each was met.
#[derive(Clone)]
pub(super) struct Reviewed {
    met: Vec<usize>,
    /// Sessions with messages that were taken back: the release goes on counting them.
    rewound: HashSet<String>,
}

impl Reviewed {
    pub(super) fn new() -> Reviewed {
        Reviewed {
            met: vec![0; WANTED.len()],
            rewound: HashSet::new(),
        }
    }

    /// Says which were met.
    pub(super) fn tell(&self) {
        for (wanted, met) in WANTED.iter().zip(&self.met).filter(|(_, met)| **met > 0) {
            println!("   wanted, {met} times: {}: {}", wanted.what, wanted.reason);
        }
    }

    /// What differs in two answers and is not wanted.
    pub(super) fn between(
        &mut self,
        operation: &Operation,
        theirs: &Answer,
        ours: &Answer,
    ) -> Vec<Difference> {
        let found = match (theirs, ours) {
            (Answer::Result(Value::Array(t)), Answer::Result(Value::Array(o)))
                if operation.method == "search_messages" =>
            {
                matches(t, o)
            }
            (Answer::Result(t), Answer::Result(o))
                if operation.method == "export_session_lineage"
                    && t.get(LINEAGE) != o.get(LINEAGE) =>
            {
                let ids = |answer: &Value| answer.get(LINEAGE).cloned().unwrap_or_default();
                vec![difference::one(".lineage_session_ids", &ids(t), &ids(o))]
            }
            (Answer::Result(t), Answer::Result(o)) => {
                difference::each(&self.comparable("", t), &self.comparable("", o))
            }
            (Answer::Raised { exception: t, .. }, Answer::Raised { exception: o, .. })
                if t == o =>
            {
                Vec::new()
            }
            _ => vec![difference::one("", &shown(theirs), &shown(ours))],
        };
        let params = operation.params();
        if ["rewind_to_message", "restore_rewound"].contains(&operation.method)
            && let Ok(asked) = serde_json::from_str::<Value>(&params)
            && let Some(id) = asked.get("session_id").and_then(Value::as_str)
        {
            self.rewound.insert(id.to_owned());
        }
        self.unwanted(found, operation.method, &params)
    }

    /// What differs in the rows of two files and is not wanted.
    pub(super) fn between_rows(&mut self, theirs: &Value, ours: &Value) -> Vec<Difference> {
        let found = difference::each(&self.comparable("", theirs), &self.comparable("", ours));
        self.unwanted(found, "", "")
    }

    fn unwanted(&mut self, found: Vec<Difference>, method: &str, params: &str) -> Vec<Difference> {
        let wanted = |difference: &Difference| {
            let seen = Seen {
                method,
                params,
                difference,
            };
            WANTED.iter().position(|wanted| (wanted.is_it)(&seen))
        };
        let mut unwanted = Vec::new();
        for difference in found {
            match wanted(&difference).and_then(|at| self.met.get_mut(at)) {
                Some(met) => *met += 1,
                None => unwanted.push(difference),
            }
        }
        unwanted
    }
}

const LINEAGE: &str = "lineage_session_ids";

/// Matches are compared by their ids: their order depends on the lengths of the indexed texts, and
/// those of structured content differ.
fn matches(theirs: &[Value], ours: &[Value]) -> Vec<Difference> {
    let by_id = |rows: &[Value]| -> BTreeMap<i64, Value> {
        let id = |row: &Value| row.get("id").and_then(Value::as_i64).unwrap_or_default();
        rows.iter().map(|row| (id(row), row.clone())).collect()
    };
    let (theirs, ours) = (by_id(theirs), by_id(ours));
    let mut found = Vec::new();
    for (id, row) in &theirs {
        match ours.get(id) {
            Some(other) => {
                let differences = difference::each(row, other).into_iter();
                found.extend(differences.map(|d| d.below(&format!("[{id}]"))));
            }
            None => found.push(difference::one(format!("less [{id}]"), row, &Value::Null)),
        }
    }
    for (id, row) in ours.iter().filter(|(id, _)| !theirs.contains_key(id)) {
        found.push(difference::one(format!("more [{id}]"), &Value::Null, row));
    }
    found
}

/// A difference without its numbers and values: what many of them have in common.
pub(super) fn kind(method: &str, difference: &Difference) -> String {
    let path = difference.path.chars().filter(|c| !c.is_ascii_digit());
    format!("{method}{}", path.collect::<String>())
}

fn shown(answer: &Answer) -> Value {
    match answer {
        Answer::Result(value) => value.clone(),
        Answer::Raised { exception, message } => format!("{exception} ({message})").into(),
    }
}

/// Whether the release lacks a package for it.
pub(super) fn is_not_installed(theirs: &Answer) -> bool {
    matches!(theirs, Answer::Raised { exception, .. } if exception == "ModuleNotFoundError")
}

/// Columns with JSON text: we write raw UTF-8 where the release writes escapes, which its own
/// search cannot find.
const JSON_COLUMNS: [&str; 6] = [
    "content",
    "tool_calls",
    "reasoning_details",
    "codex_reasoning_items",
    "codex_message_items",
    "model_config",
];

/// Counters that ours counts anew when messages are taken back.
const COUNTERS: [&str; 2] = ["message_count", "tool_call_count"];

impl Reviewed {
    /// The value with the texts of its JSON columns parsed, and without the counters of sessions
    /// that were rewound.
    fn comparable(&self, key: &str, value: &Value) -> Value {
        match value {
            Value::String(text) if JSON_COLUMNS.contains(&key) => {
                parsed(text).unwrap_or_else(|| value.clone())
            }
            Value::Array(items) => items
                .iter()
                .map(|item| self.comparable(key, item))
                .collect(),
            Value::Object(members) => {
                let id = members.get("id").and_then(Value::as_str);
                let rewound = id.is_some_and(|id| self.rewound.contains(id));
                let members = members.iter().map(|(key, value)| {
                    let dropped = rewound && COUNTERS.contains(&key.as_str());
                    let value = match dropped {
                        true => Value::Null,
                        false => self.comparable(key, value),
                    };
                    (key.clone(), value)
                });
                Value::Object(members.collect::<Map<_, _>>())
            }
            plain => plain.clone(),
        }
    }
}

fn parsed(text: &str) -> Option<Value> {
    let (marker, json) = match text.strip_prefix("\0json:") {
        Some(json) => ("structured", json),
        None => ("text", text),
    };
    if !json.starts_with(['[', '{', '"']) {
        return None;
    }
    let value: Value = serde_json::from_str(&readable(json)).ok()?;
    Some(Value::Object(Map::from_iter([(marker.to_owned(), value)])))
}
