//! The files of this crate's folder, parsed.

use std::fs;
use std::io::Read;
use std::path::PathBuf;

use flate2::read::GzDecoder;
use serde_json::Value;

/// `fixtures/manifest.json`: what each database is, what the real releases did with a copy, and
/// what is expected of a good store. Its `fixtures` member is a list; `file` names the database.
#[must_use]
pub fn manifest() -> Value {
    let bytes = unpacked("fixtures/manifest.json.gz");
    serde_json::from_slice(&bytes).unwrap_or_else(|e| panic!("fixtures/manifest.json: {e}"))
}

/// `vectors/<name>.json`: input and output pairs recorded from the real releases. `name` is given
/// without `.json`.
#[must_use]
pub fn vectors(name: &str) -> Value {
    let file = format!("vectors/{name}.json");
    serde_json::from_str(&text(&file)).unwrap_or_else(|e| panic!("{file}: {e}"))
}

/// The user cases of one area (`"titles"`, `"fts-syntax"`, …), in the order of the file. An area
/// without any case panics, so that a misspelt name does not make an empty test.
#[must_use]
pub fn cases(area: &str) -> Vec<Value> {
    let found: Vec<Value> = all_cases().filter(|case| case["area"] == area).collect();
    assert!(
        !found.is_empty(),
        "no case of area {area:?} in user-cases.jsonl"
    );
    found
}

/// `working_day.jsonl`: commands that developers type on a normal day, one a line.
#[must_use]
pub fn working_day() -> String {
    String::from_utf8(unpacked("working_day.jsonl.gz"))
        .unwrap_or_else(|e| panic!("working_day.jsonl: {e}"))
}

/// `approval.jsonl`: commands with the verdicts they should get, and what two releases of Hermes say
/// of them.
#[must_use]
pub fn approval() -> String {
    text("approval.jsonl")
}

/// `approval_second.jsonl`: commands with the verdicts they should get, written without a look at the
/// rules; in the form of `approval.jsonl`.
#[must_use]
pub fn approval_second() -> String {
    String::from_utf8(unpacked("approval_second.jsonl.gz"))
        .unwrap_or_else(|e| panic!("approval_second.jsonl: {e}"))
}

/// `queries.jsonl`: what people type into a search box, by class, each with the text of a message that
/// it has to find: `id` (`error-01`), `query`, `text`.
#[must_use]
pub fn queries() -> Vec<Value> {
    const FILE: &str = "queries.jsonl";
    let parse = |line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{FILE}: {e}: {line}"));
    text(FILE).lines().map(parse).collect()
}

fn all_cases() -> impl Iterator<Item = Value> {
    const FILE: &str = "cases/user-cases.jsonl";
    text(FILE)
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{FILE}: {e}: {line}")))
        .collect::<Vec<Value>>()
        .into_iter()
}

/// A path inside this crate's folder.
pub(crate) fn path(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(file)
}

/// The contents of a `.gz` file; its own checksum is verified on the way.
pub(crate) fn unpacked(file: &str) -> Vec<u8> {
    let packed = fs::read(path(file)).unwrap_or_else(|e| panic!("testdata/{file}: {e}"));
    let mut bytes = Vec::new();
    GzDecoder::new(packed.as_slice())
        .read_to_end(&mut bytes)
        .unwrap_or_else(|e| panic!("testdata/{file}: {e}"));
    bytes
}

fn text(file: &str) -> String {
    fs::read_to_string(path(file)).unwrap_or_else(|e| panic!("testdata/{file}: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_vector_file_loads_and_has_something_in_it() {
        let mut seen = 0;
        for entry in fs::read_dir(path("vectors")).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let loaded = vectors(name.strip_suffix(".json").unwrap());
            let filled = match &loaded {
                Value::Array(items) => !items.is_empty(),
                other => other.as_object().is_some_and(|o| !o.is_empty()),
            };
            assert!(filled, "{name}");
            if let Some(cases) = loaded.get("cases") {
                assert!(cases.as_array().is_some_and(|c| !c.is_empty()), "{name}");
            }
            seen += 1;
        }
        assert_eq!(seen, 16);
    }

    #[test]
    fn every_query_has_an_id_of_its_own_and_a_text() {
        let queries = queries();
        assert!(queries.len() >= 600, "only {}", queries.len());
        let mut ids: Vec<&str> = queries.iter().map(|q| q["id"].as_str().unwrap()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), queries.len());
        for query in &queries {
            let filled = |field: &str| query[field].as_str().is_some_and(|text| !text.is_empty());
            assert!(filled("query") && filled("text"), "{query}");
        }
    }

    #[test]
    fn a_surrogate_pair_of_a_vector_is_one_character() {
        let file = vectors("sanitize_title");
        let cases = file["cases"].as_array().unwrap();
        let pair = cases
            .iter()
            .find(|c| c["id"] == "sanitize_title-0066")
            .unwrap();
        assert_eq!(pair["input"], "👍🏽");
    }

    #[test]
    fn every_case_has_what_a_test_needs() {
        for case in all_cases() {
            for key in ["id", "area", "scenario", "expected"] {
                assert!(
                    case[key].as_str().is_some_and(|s| !s.is_empty()),
                    "{key}: {case}"
                );
            }
            assert!(!cases(case["area"].as_str().unwrap()).is_empty());
        }
    }

    #[test]
    #[should_panic(expected = "no case of area")]
    fn a_misspelt_area_panics() {
        let _ = cases("tittles");
    }
}
