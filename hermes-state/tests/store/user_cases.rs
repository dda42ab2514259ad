//! What users ran into: no case about the store is forgotten. Each is tested where its capability
//! is, under a name or a line that has the case's id, or it is on the list here with the reason.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const AREAS: [&str; 8] = [
    "corruption",
    "migration",
    "titles",
    "lineage-resume",
    "export-import-prune-delete",
    "token-cost",
    "contention",
    "size-retention",
];

/// Cases that nothing here is to do, and why.
const REVIEWED: [(&str, &str); 6] = [
    (
        "LOCK-03",
        "the compression locks of newer versions belong to the agent that compresses: the store \
         neither takes nor breaks them",
    ),
    (
        "LOCK-16",
        "no version has a column for the process that holds a session, so the store cannot tell a \
         dead owner's session from a quiet one; sweeps go by kind and age",
    ),
    (
        "MIG-16",
        "the JSON files of sessions from before the database are not read yet; exports are",
    ),
    (
        "EXP-18",
        "only state.db is ever looked at; to mention stray files is what a check of the whole home \
         is for, which there is not yet",
    ),
    (
        "SIZE-03",
        "the index of version 11 holds what it holds; `db info` tells the bytes by object",
    ),
    (
        "SIZE-04",
        "version 11 has a trigram index, which a Python Hermes beside would make again",
    ),
];

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The ids that tests name: `EXP-03` in a comment, or `exp_03_` in a function's name.
fn named() -> BTreeSet<String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["src", "tests", "../hermesctl/tests", "../hermes-kit/tests"] {
        rust_files(&here.join(folder), &mut files);
    }
    files.retain(|path| !path.ends_with("user_cases.rs"));
    let mut ids = BTreeSet::new();
    for file in files {
        let text = fs::read_to_string(file).unwrap();
        let words = text
            .lines()
            .map(str::trim_start)
            .filter(|line| line.starts_with("//") || line.starts_with("fn "))
            .flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '-' && c != '_'));
        for word in words {
            let parts: Vec<&str> = word.split(['-', '_']).collect();
            // Also the second number of `exp_03_and_04`.
            for number in parts.iter().skip(1).filter(|part| is_number(part)) {
                ids.insert(format!("{}-{number}", parts[0].to_uppercase()));
            }
        }
    }
    ids
}

fn is_number(part: &str) -> bool {
    part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit())
}

#[test]
fn every_case_is_tested_or_reviewed_and_no_review_is_out_of_date() {
    let named = named();
    let reviewed: BTreeSet<&str> = REVIEWED.iter().map(|(id, _)| *id).collect();
    let mut known = BTreeSet::new();
    let mut missing = Vec::new();
    for area in AREAS {
        let cases = testdata::cases(area);
        assert!(!cases.is_empty(), "{area}");
        for case in cases {
            let id = case["id"].as_str().unwrap().to_owned();
            if !named.contains(&id) && !reviewed.contains(id.as_str()) {
                missing.push(format!(
                    "{id}: {} => {}",
                    case["scenario"], case["expected"]
                ));
            }
            known.insert(id);
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    for id in reviewed {
        assert!(known.contains(id), "{id} is no case");
        assert!(
            !named.contains(id),
            "{id} is tested: its review is out of date"
        );
    }
}
