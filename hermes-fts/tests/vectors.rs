//! The recorded answers of the reference, and where we differ on purpose.
//!
//! A recorded answer binds if SQLite accepts it; the answer of 0.19.0 goes before the one of
//! 0.13.0, which lacks the treatment of colons. Answers that SQLite refuses bind nobody: there
//! ours has to be valid. Whatever differs from a binding answer is listed with its reason, and
//! an entry that differs no longer fails.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // helpers of tests

mod support;

use std::collections::BTreeMap;

use hermes_fts::sanitize;
use serde_json::Value;
use support::{all_layouts, check, matches};

const VECTORS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../testdata/vectors/sanitize_fts5.json"
);

/// Where ours differs from an answer that SQLite accepts, and why.
const REVIEWED: &[(&str, &str)] = &[
    ("0014", NO_TOKEN),
    ("0015", NO_TOKEN),
    ("0037", NO_TOKEN),
    ("0091", NO_TOKEN),
    ("0101", GLUED),
    ("0106", NO_TOKEN),
    ("0112", NO_TOKEN),
    (
        "0125",
        "recorded: everywhere but in the column content; meant: the words",
    ),
    ("0191", GROUP),
    ("0192", GROUP),
    ("0195", NUL),
    (
        "0200",
        "recorded: the placeholder of a phrase, forged in another, is filled in",
    ),
    ("0205", BLANK),
    ("0208", BLANK),
    ("0211", BLANK),
    ("0235", MARKS),
    ("0237", NO_TOKEN),
    ("0239", MARKS),
    ("0241", NO_TOKEN),
    ("0275", NO_TOKEN),
    ("0344", NUL),
    ("0361", GLUED),
    ("0362", NUL),
    ("0372", NO_TOKEN),
    ("0448", NUL),
];

const NO_TOKEN: &str = "the index keeps nothing of it: left out, or looked for in the rows";
const GLUED: &str = "recorded: phrases side by side are one long phrase, \"\" being a quote in it";
const NUL: &str = "recorded: SQLite stops reading at NUL; it is a blank";
const BLANK: &str = "recorded: FTS5 takes a non-ASCII blank for a letter and demands a phrase";

const GROUP: &str = "recorded: parentheses are blanks; they group";
const MARKS: &str = "recorded: the marks are part of the word; the word index keeps nothing of them, so it finds the \
     same, and a search by substring finds the text without them too";

struct Case {
    id: String,
    input: String,
    /// The answers, newest first.
    answers: Vec<String>,
}

fn cases() -> Vec<Case> {
    let file = std::fs::read_to_string(VECTORS).unwrap();
    let vectors: Value = serde_json::from_str(&file).unwrap();
    let text = |case: &Value, key: &str| case[key].as_str().unwrap().to_owned();
    let cases = vectors["cases"].as_array().unwrap().iter();
    cases
        .map(|case| {
            let (old, new) = (text(case, "0.13.0"), text(case, "0.19.0"));
            let new = if new == "same" { old.clone() } else { new };
            Case {
                id: text(case, "id").replace("sanitize_fts5-", ""),
                input: text(case, "input"),
                answers: vec![new, old],
            }
        })
        .collect()
}

/// The recorded answer that binds. An empty one asks SQLite nothing and is as good as valid.
fn binding(db: &rusqlite::Connection, case: &Case) -> Option<String> {
    let valid = |answer: &&String| answer.is_empty() || matches(db, "words", answer).is_ok();
    case.answers.iter().find(valid).cloned()
}

#[test]
fn differences_from_valid_answers_are_those_on_the_list() {
    let db = all_layouts();
    let reviewed: BTreeMap<&str, &str> = REVIEWED.iter().copied().collect();
    assert_eq!(reviewed.len(), REVIEWED.len(), "an id is on the list twice");
    let mut same = 0;
    let mut wrong = Vec::new();
    for case in cases() {
        let ours = sanitize(&case.input);
        let Some(theirs) = binding(&db, &case) else {
            continue;
        };
        match (
            ours.as_str() == theirs,
            reviewed.contains_key(case.id.as_str()),
        ) {
            (true, false) => same += 1,
            (false, true) => {}
            (true, true) => wrong.push(format!("{}: listed, but no longer differs", case.id)),
            (false, false) => wrong.push(format!(
                "{}: {:?} gives {:?}, recorded {theirs:?}",
                case.id,
                case.input,
                ours.as_str()
            )),
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(same > 150, "only {same} cases are compared");
}

#[test]
fn the_list_names_only_recorded_cases_with_a_valid_answer() {
    let db = all_layouts();
    let cases = cases();
    for (id, reason) in REVIEWED {
        let case = cases.iter().find(|case| case.id == *id);
        assert!(
            case.is_some_and(|case| binding(&db, case).is_some()),
            "{id}"
        );
        assert!(!reason.is_empty());
    }
}

#[test]
fn every_recorded_input_gives_a_valid_expression() {
    let db = all_layouts();
    for case in cases() {
        check(&db, &sanitize(&case.input)).unwrap_or_else(|error| panic!("{}: {error}", case.id));
    }
}

#[test]
fn inputs_that_the_reference_fails_on_are_searched_for() {
    let db = all_layouts();
    for case in cases() {
        let ours = sanitize(&case.input);
        if binding(&db, &case).is_none() && ours.is_empty() {
            let words = case.input.split(|c: char| !c.is_alphanumeric());
            let mut words = words.filter(|word| !["", "AND", "OR", "NOT", "and"].contains(word));
            assert_eq!(
                words.next(),
                None,
                "{}: {:?} finds nothing",
                case.id,
                case.input
            );
        }
    }
}
