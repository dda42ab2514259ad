//! `approve`: verdicts by exit code and as JSON, and the allowlist.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::program::{Run, fed, hermesctl, run, run_in};

fn check(command: &[&str]) -> Run {
    run(["approve", "check", "--"].iter().chain(command))
}

#[test]
fn the_exit_code_is_the_verdict() {
    for (command, code, word) in [
        (&["ls -la"][..], 0, "allow"),
        (&["rm -rf src"], 2, "ask"),
        (&["rm -rf /"], 3, "block"),
        (&["rm", "-rf", "/"], 3, "block"),
        (&["ls", "--help"], 0, "allow"),
        // Words stay words: nothing in them is run.
        (&["echo", "; rm -rf /"], 0, "allow"),
        (&["echo", "$(rm -rf /)"], 0, "allow"),
        (&["echo $(rm -rf /)"], 3, "block"),
    ] {
        let done = check(command);
        assert_eq!(
            done.code, code,
            "{command:?}: {}{}",
            done.stdout, done.stderr
        );
        assert_eq!(done.stdout.lines().next(), Some(word), "{command:?}");
        assert_eq!(done.stderr, "", "{command:?}");
    }
}

#[test]
fn what_is_no_answer_has_an_exit_code_that_is_none() {
    for usage in [
        &["approve", "check"][..],
        &["approve", "check", "--batch", "--", "ls"],
        &["approve", "check", "--platform", "dos", "--", "ls"],
        &["approve", "chek", "--", "ls"],
        // An unknown option is no command, unless `--` says so.
        &["approve", "check", "--bad", "x"],
        &["approve", "check", "-rf", "x"],
        &["approve", "check", "--bad", "--", "ls"],
        &["approve", "check", "--bad", "--batch"],
        &["approve", "explain", "--bad", "x"],
        &["approve", "test", "--bad", "x"],
        &["approve", "rules", "show", "--bad"],
        &["approve", "allowlist", "list", "--bad"],
        &["approve", "allowlist", "add", "--bad"],
        &["approve", "allowlist", "add", "x", "--bad"],
        &["approve", "allowlist", "remove", "--bad"],
        &["approve", "hook", "--bad"],
        &["exec", "--bad"],
        &["tools", "call", "--bad"],
        &["tools", "call", "session_search", "--bad"],
    ] {
        let failed = run(usage);
        assert_eq!((failed.code, failed.stdout.as_str()), (64, ""), "{usage:?}");
    }
}

#[test]
fn a_command_may_begin_with_a_dash_after_the_mark_and_have_options_of_its_own() {
    for (words, code) in [
        (&["check", "--", "--bad", "x"][..], 0),
        (&["check", "ls", "--json"], 0),
        (&["check", "rm", "-rf", "src"], 2),
        (&["explain", "--", "--bad", "x"], 0),
        (&["explain", "ls", "--bad"], 0),
    ] {
        let done = run(["approve"].iter().chain(words));
        assert_eq!(done.code, code, "{words:?}: {}", done.stderr);
        assert!(!done.stdout.starts_with('{'), "{words:?}: {}", done.stdout);
    }
}

#[test]
fn a_verdict_as_json_names_rule_keys_and_place() {
    let done = run([
        "approve",
        "check",
        "--json",
        "--",
        "cd x && sudo rm -rf src",
    ]);
    assert_eq!(done.code, 2);
    let verdict = done.json();
    assert_eq!(verdict["verdict"], "ask");
    assert_eq!(verdict["rule"], "fs.recursive-delete");
    assert_eq!(verdict["keys"][0], "recursive delete");
    assert_eq!(verdict["coverage"], "full");
    assert_eq!(verdict["wrappers"][0]["program"], "sudo");
    let span = &verdict["span"];
    let (start, end) = (
        span["start"].as_u64().unwrap(),
        span["end"].as_u64().unwrap(),
    );
    assert!(start < end && end <= 23, "{span}");
    assert!(verdict["findings"][0]["reason"].is_string());
}

#[test]
fn homes_and_language_are_what_the_options_say() {
    let judged = |options: &[&str], command: &str| {
        let words = ["approve", "check"].iter().chain(options);
        run(words.chain(&["--", command])).code
    };
    let at = &["--user-home", "/home/ann"][..];
    assert_eq!(judged(at, "rm -rf /home/ann"), 3);
    assert_eq!(judged(at, "rm -rf $HOME"), 3);
    assert_eq!(judged(&["--platform", "cmd"], "dir c:\\work"), 0);
    let hermes = ["--user-home", "/home/ann", "--hermes-home", "/srv/hermes"];
    let verdict = run(["approve", "check", "--json"]
        .iter()
        .chain(&hermes)
        .chain(&["--", "rm -rf /srv/hermes"]))
    .json();
    assert_eq!(verdict["severity"], "critical");
}

#[test]
fn a_batch_is_answered_in_order_and_a_bad_line_ends_nothing() {
    let home = tempfile::tempdir().unwrap();
    let lines = b"\"ls\"\n{\"id\": 7, \"command\": \"rm -rf /\"}\n\n{oops\n{\"id\": \"x\"}\n3\n\
        {\"id\": \"p\", \"command\": \"ls\", \"platform\": \"vms\"}\n\xff\xfe\n\"rm -rf src\"";
    let done = fed(home.path(), &["approve", "check", "--batch"], lines);
    assert_eq!((done.code, done.stderr.as_str()), (0, ""));
    let answers: Vec<Value> = done
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let told: Vec<(&Value, &Value, &Value)> = answers
        .iter()
        .map(|a| (&a["id"], &a["verdict"], &a["error"]["line"]))
        .collect();
    let none = Value::Null;
    assert_eq!(
        told,
        [
            (&none, &json!("allow"), &none),
            (&json!(7), &json!("block"), &none),
            (&none, &none, &json!(4)),
            (&json!("x"), &none, &json!(5)),
            (&none, &none, &json!(6)),
            (&json!("p"), &none, &json!(7)),
            (&none, &none, &json!(8)),
            (&none, &json!("ask"), &none),
        ]
    );
    for name in ["keys", "rule", "severity", "coverage", "span", "resolved"] {
        assert!(answers[1].get(name).is_some(), "{name}");
    }
}

#[test]
fn each_line_of_a_batch_is_answered_before_the_next_is_sent() {
    let home = tempfile::tempdir().unwrap();
    let mut child = hermesctl(home.path())
        .args(["approve", "check", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for number in 0..3 {
        writeln!(stdin, "{}", json!({"id": number, "command": "ls"})).unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["id"], number);
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn the_place_is_marked_for_a_person_and_secrets_are_not_shown() {
    let command = "echo hi;\nTOKEN=abcdefgh rm -rf src";
    let shown = run(["approve", "explain", "--", command]).ok().stdout;
    let lines: Vec<&str> = shown.lines().collect();
    let at = lines.iter().position(|line| line.contains('^')).unwrap();
    let marks = lines[at];
    let from = marks.find('^').unwrap();
    assert!(
        lines[at - 1].get(from..).unwrap().contains("rm -rf src"),
        "{shown}"
    );
    assert!(!shown.contains("abcdefgh"), "{shown}");
    for part in ["fs.recursive-delete", "recursive delete", "all of it"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let half = run(["approve", "explain", "--", "echo \"abc"]).ok().stdout;
    assert!(half.contains("a quote is not closed"), "{half}");
}

// APPR-09
#[test]
fn what_is_explained_is_what_is_checked() {
    for command in ["ls", "rm -rf src", "rm -rf /", "echo \"x", "find . -delete"] {
        let explained = run(["approve", "explain", "--json", "--", command])
            .ok()
            .json();
        let checked = run(["approve", "check", "--json", "--", command]).json();
        for name in ["verdict", "rule", "keys", "span", "findings"] {
            assert_eq!(explained[name], checked[name], "{command}: {name}");
        }
    }
}

#[test]
fn rules_are_listed_and_shown() {
    let rules = run(["--json", "approve", "rules"]).ok().json();
    let rules = rules["rules"].as_array().unwrap();
    let first = &rules[0];
    assert_eq!(first["effect"], "hardline");
    let id = first["id"].as_str().unwrap();
    let shown = run(["approve", "rules", "show", id]).ok().stdout;
    assert!(shown.contains(first["reason"].as_str().unwrap()), "{shown}");
    let list = run(["approve", "rules", "list"]).ok().stdout;
    assert_eq!(list.lines().count(), rules.len() + 1);
    let unknown = run(["approve", "rules", "show", "nope"]);
    assert_eq!(unknown.code, 1);
    assert!(
        unknown.stderr.contains("approve rules"),
        "{}",
        unknown.stderr
    );
}

pub(crate) fn hermes_home(home: &Path) -> std::path::PathBuf {
    let hermes = home.join(".hermes");
    std::fs::create_dir_all(&hermes).unwrap();
    hermes
}

#[test]
fn entries_of_the_allowlist_are_added_listed_and_removed() {
    let home = tempfile::tempdir().unwrap();
    let config = hermes_home(home.path()).join("config.yaml");
    std::fs::write(&config, "model: x # mine\n").unwrap();
    let list = |words: &[&str]| run_in(home.path(), ["approve", "allowlist"].iter().chain(words));

    let added = list(&["add", "recursive delete", "git *"]).ok().stdout;
    assert!(
        added.contains("every command that is asked about as"),
        "{added}"
    );
    assert!(added.contains("fits this pattern"), "{added}");
    let again = list(&["add", "git *"]).ok().stdout;
    assert!(again.contains("nothing to change"), "{again}");
    let text = std::fs::read_to_string(&config).unwrap();
    assert!(text.starts_with("model: x # mine\n"), "{text}");

    let shown = list(&["list", "--json"]).ok().json();
    let entries: Vec<&Value> = shown["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["text"])
        .collect();
    assert_eq!(entries, ["recursive delete", "git *"]);

    list(&["remove", "git *"]).ok();
    let missing = list(&["remove", "git *"]);
    assert_eq!(missing.code, 1);
    assert!(
        missing.stderr.contains("no entry \"git *\""),
        "{}",
        missing.stderr
    );
    let shown = list(&["list"]).ok().stdout;
    assert!(
        shown.contains("recursive delete") && !shown.contains("git"),
        "{shown}"
    );

    std::fs::write(&config, "a: [\n").unwrap();
    let broken = list(&["add", "x"]);
    assert_eq!(broken.code, 1);
    assert_eq!(std::fs::read_to_string(&config).unwrap(), "a: [\n");
}

#[test]
fn a_corpus_is_run_and_counted_by_class() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("corpus.jsonl");
    let rows = [
        json!({"id": "a", "class": "one", "command": "rm -rf src", "verdict": "dangerous"}),
        json!({"id": "b", "class": "one", "command": "rm -rf /", "verdict": "hardline"}),
        json!({"id": "c", "class": "two", "command": "ls", "verdict": "safe"}),
        json!({"id": "d", "class": "two", "command": "rm -rf lib", "verdict": "safe"}),
    ];
    std::fs::write(&file, rows.map(|row| row.to_string()).join("\n")).unwrap();
    let file = file.to_str().unwrap();
    let report = run(["--json", "approve", "test", "--wrong", file])
        .ok()
        .json();
    assert_eq!(report["rows"], 4);
    assert_eq!(report["total"]["recall"], 1.0);
    assert_eq!(report["classes"]["two"]["safe_flagged"], 1);
    assert_eq!(report["total"]["hardline_blocked"], 1);
    assert_eq!(report["wrong"][0]["id"], "d");
    let table = run(["approve", "test", "--wrong", file]).ok().stdout;
    assert!(table.starts_with("d Safe but ask: rm -rf lib"), "{table}");
    assert!(
        table.contains("one") && table.contains("precision"),
        "{table}"
    );
    let missing = run(["approve", "test", "nowhere.jsonl"]);
    assert_eq!(missing.code, 1);
    // No figures of nothing.
    std::fs::write(file, "\n").unwrap();
    let empty = run(["approve", "test", file]);
    assert_eq!(empty.code, 1);
    assert!(empty.stderr.contains("no rows"), "{}", empty.stderr);
}

#[test]
fn what_entries_cover_is_told_when_they_are_on_the_list() {
    let home = tempfile::tempdir().unwrap();
    let config = hermes_home(home.path()).join("config.yaml");
    let add = |words: &[&str]| {
        run_in(
            home.path(),
            ["approve", "allowlist", "add"].iter().chain(words),
        )
    };
    for (text, entries) in [("a: [\n", &["git *"][..]), ("a: 1\n", &["git *", ""])] {
        std::fs::write(&config, text).unwrap();
        let failed = add(entries);
        assert_eq!((failed.code, failed.stdout.as_str()), (1, ""), "{text}");
        assert_eq!(std::fs::read_to_string(&config).unwrap(), text);
    }
    assert!(add(&["git *"]).ok().stdout.contains("fits this pattern"));
}

#[test]
fn a_missing_home_is_named_with_what_to_do() {
    let home = tempfile::tempdir().unwrap();
    let hermes = home.path().join(".hermes");
    let failed = run_in(home.path(), ["approve", "allowlist", "add", "ls"]);
    assert_eq!((failed.code, failed.stdout.as_str()), (1, ""));
    let named = format!("there is no Hermes home at {}", hermes.display());
    assert!(failed.stderr.contains(&named), "{}", failed.stderr);
    assert!(failed.stderr.contains("--home"), "{}", failed.stderr);
    assert!(!hermes.exists());
    let list = run_in(home.path(), ["approve", "allowlist", "list"]).ok();
    assert!(
        list.stdout.contains("nothing is allowed"),
        "{}",
        list.stdout
    );
}

/// Things that are no files: opening some of them never ends.
#[cfg(unix)]
fn put_no_file(at: &Path, kind: &str) {
    match kind {
        "a folder" => std::fs::create_dir(at).unwrap(),
        "a socket" => drop(std::os::unix::net::UnixListener::bind(at).unwrap()),
        "a device" => std::os::unix::fs::symlink("/dev/zero", at).unwrap(),
        _ => assert!(
            std::process::Command::new("mkfifo")
                .arg(at)
                .status()
                .unwrap()
                .success()
        ),
    }
}

#[cfg(unix)]
fn clear(at: &Path) {
    std::fs::remove_file(at)
        .or_else(|_| std::fs::remove_dir(at))
        .unwrap();
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_refused_and_never_waited_for() {
    let home = tempfile::tempdir().unwrap();
    let hermes = hermes_home(home.path());
    let event = json!({
        "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": "rm -rf src"},
    });
    let event = event.to_string();
    let asks = || {
        let answer = fed(home.path(), &["approve", "hook"], event.as_bytes()).ok();
        answer.json()["hookSpecificOutput"]["permissionDecision"] == "ask"
    };
    for kind in ["a pipe", "a folder", "a socket", "a device"] {
        let config = hermes.join("config.yaml");
        put_no_file(&config, kind);
        for words in [&["list"][..], &["add", "ls"], &["remove", "ls"]] {
            let words = ["approve", "allowlist"].iter().chain(words);
            let failed = run_in(home.path(), words);
            assert_eq!((failed.code, failed.stdout.as_str()), (1, ""), "{kind}");
            let told = format!("config.yaml is {kind}, and has to be a file");
            assert!(failed.stderr.contains(&told), "{}", failed.stderr);
        }
        assert!(asks(), "{kind}");
        clear(&config);

        let lock = hermes.join("config.yaml.lock");
        put_no_file(&lock, kind);
        let failed = run_in(home.path(), ["approve", "allowlist", "add", "ls"]);
        assert_eq!(failed.code, 1, "{kind}");
        assert!(failed.stderr.contains(kind), "{}", failed.stderr);
        assert!(!config.exists(), "{kind}");
        clear(&lock);

        let grants = hermes.join("approval-grants.json");
        put_no_file(&grants, kind);
        assert!(asks(), "{kind}");
        clear(&grants);

        let profile = hermes.join("active_profile");
        put_no_file(&profile, kind);
        run_in(home.path(), ["home"]);
        clear(&profile);
    }
    std::fs::create_dir(hermes.join("profiles")).unwrap();
    put_no_file(&hermes.join("profiles/.hermes-lock"), "a pipe");
    let failed = run_in(home.path(), ["profile", "create", "work"]);
    assert_eq!(failed.code, 1);
    assert!(failed.stderr.contains("is not a file"), "{}", failed.stderr);
}

// A pipe that is named on purpose is read: `approve test <(…)`.
#[cfg(unix)]
#[test]
fn a_corpus_may_come_through_a_pipe() {
    let home = tempfile::tempdir().unwrap();
    let pipe = home.path().join("corpus");
    put_no_file(&pipe, "a pipe");
    let writer = std::thread::spawn({
        let pipe = pipe.clone();
        move || {
            std::fs::write(
                pipe,
                "{\"command\": \"ls\", \"verdict\": \"safe\", \"class\": \"a\", \"id\": \"1\"}\n",
            )
            .unwrap()
        }
    });
    run(["approve", "test", pipe.to_str().unwrap()]).ok();
    writer.join().unwrap();
}
