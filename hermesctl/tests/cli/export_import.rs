//! Export and import.

use std::fs;

use serde_json::Value;
use testdata::fixture;

use crate::program::{run_in, run_on};

/// Export lines without the ids that an import gives anew.
fn comparable(export: &str) -> Vec<Value> {
    export
        .lines()
        .map(|line| {
            let mut session: Value = serde_json::from_str(line).unwrap();
            for message in session["messages"].as_array_mut().unwrap() {
                message.as_object_mut().unwrap().remove("id");
            }
            session
        })
        .collect()
}

#[test]
fn an_export_imports_into_an_equal_store() {
    let store = fixture("v11.db");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("out.jsonl");
    let export = run_on(
        store.path(),
        &["sessions", "export", "-o", file.to_str().unwrap()],
    )
    .ok();
    assert!(
        export
            .stderr
            .contains("26 sessions, 64 messages written to"),
        "{}",
        export.stderr
    );
    let first = fs::read_to_string(&file).unwrap();
    assert_eq!(first.lines().count(), 26);

    let db = folder.path().join("state.db");
    let report = run_on(
        &db,
        &["--json", "sessions", "import", file.to_str().unwrap()],
    )
    .ok()
    .json();
    assert_eq!(
        (&report["sessions"], &report["messages"]),
        (&26.into(), &64.into()),
        "{report}"
    );
    let second = run_on(&db, &["sessions", "export"]).ok().stdout;
    assert_eq!(comparable(&first), comparable(&second));

    let again = run_on(
        &db,
        &["--json", "sessions", "import", file.to_str().unwrap()],
    )
    .ok()
    .json();
    assert_eq!(again["sessions"], 0);
    assert_eq!(again["skipped"].as_array().unwrap().len(), 26);
}

#[test]
fn single_sessions_and_sources_can_be_exported() {
    let store = fixture("v11.db");
    let one = run_on(
        store.path(),
        &["sessions", "export", "reopened", "20251101_09"],
    )
    .ok()
    .stdout;
    let ids: Vec<Value> = comparable(&one).iter().map(|s| s["id"].clone()).collect();
    assert_eq!(ids, ["reopened", "20251101_090000_root01"]);
    let cron = run_on(store.path(), &["sessions", "export", "--source", "cron"])
        .ok()
        .stdout;
    assert_eq!(cron.lines().count(), 3);
}

#[test]
fn an_existing_file_is_only_replaced_when_that_is_said() {
    let store = fixture("v11.db");
    let file = store.dir().join("keep.jsonl");
    fs::write(&file, "precious").unwrap();
    let path = file.to_str().unwrap();
    let refused = run_on(store.path(), &["--json", "sessions", "export", "-o", path]);
    assert_eq!(refused.code, 1);
    assert_eq!(refused.json()["error"]["code"], "output_exists");
    assert_eq!(fs::read(&file).unwrap(), b"precious");
    run_on(store.path(), &["sessions", "export", "-o", path, "--force"]).ok();
    assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 26);
}

#[test]
fn an_export_never_replaces_the_store_or_what_is_no_file() {
    let store = fixture("wal_left.db");
    run_on(store.path(), &["sessions", "list"]).ok();
    let link = store.dir().join("link.db");
    fs::hard_link(store.path(), &link).unwrap();
    let name = |suffix: &str| format!("{}{suffix}", store.path().display());
    let folder = store.dir().to_str().unwrap().to_owned();
    let targets = [
        name(""),
        name("-wal"),
        link.to_str().unwrap().to_owned(),
        folder,
    ];
    for target in &targets {
        let run = run_on(
            store.path(),
            &["--json", "sessions", "export", "-o", target, "--force"],
        );
        assert_eq!(run.code, 1, "{target}");
        assert_eq!(run.json()["error"]["code"], "output_exists", "{target}");
    }
    assert!(
        fs::read(store.path()).unwrap() == store.bytes(),
        "the store was changed"
    );
}

#[cfg(unix)]
#[test]
fn an_export_through_a_link_keeps_the_link() {
    let store = fixture("v11.db");
    let file = store.dir().join("real.jsonl");
    let link = store.dir().join("link.jsonl");
    fs::write(&file, "old").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let path = link.to_str().unwrap();
    let done = run_on(
        store.path(),
        &["--json", "sessions", "export", "-o", path, "--force"],
    )
    .ok()
    .json();
    assert_eq!(done["sessions"], 26);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 26);
}

#[test]
fn lines_that_cannot_be_imported_are_named_and_the_others_are_imported() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mixed.jsonl");
    fs::write(
        &file,
        "\u{feff}{\"id\": \"a\", \"messages\": [{\"role\": \"user\", \"content\": \"one zebra\"}]}\r\n\
         not json\n\n{\"source\": \"cli\"}\n[1]\n{\"id\": \"b\", \"messages\": 5}\n\
         {\"id\": \"c\", \"wings\": 2, \"title\": \"T\"}\n{\"id\": \"d\", \"title\": \"T\"}\n{\"id\": \"e\", ",
    )
    .unwrap();
    let db = folder.path().join("state.db");
    let run = run_on(
        &db,
        &["--json", "sessions", "import", file.to_str().unwrap()],
    );
    assert_eq!(run.code, 1);
    let report = run.json();
    assert_eq!(report["sessions"], 3, "{report}");
    let lines: Vec<&Value> = report["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| &e["line"])
        .collect();
    assert_eq!(lines, [2, 4, 5, 6, 9]);
    assert_eq!(report["dropped_columns"]["wings"], 1);
    assert_eq!(report["retitled"][0]["to"], "T #2");
    let found = run_on(&db, &["--json", "search", "zebra"]).ok().json();
    assert_eq!(found["matches"][0]["session_id"], "a");
}

#[test]
fn an_input_that_is_not_there_brings_no_store_into_being() {
    let user = tempfile::tempdir().unwrap();
    for input in ["nosuch.jsonl", "."] {
        let run = run_in(user.path(), ["--json", "sessions", "import", input]);
        assert_eq!(run.code, 1);
        assert_eq!(run.json()["error"]["code"], "input");
    }
    assert!(!user.path().join(".hermes").exists());
}

#[test]
fn standard_input_is_imported_into_the_home_that_is_made_for_it() {
    let user = tempfile::tempdir().unwrap();
    let sample = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data/sample.jsonl");
    let output = crate::program::hermesctl(user.path())
        .args(["sessions", "import", "-"])
        .stdin(fs::File::open(sample).unwrap())
        .output()
        .unwrap();
    assert!(output.status.success());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &str| {
            fs::metadata(user.path().join(path))
                .unwrap()
                .permissions()
                .mode()
                & 0o777
        };
        assert_eq!((mode(".hermes"), mode(".hermes/state.db")), (0o700, 0o600));
    }
    let list = run_in(user.path(), ["--json", "sessions", "list"])
        .ok()
        .json();
    assert_eq!(list["sessions"].as_array().unwrap().len(), 6);
}
