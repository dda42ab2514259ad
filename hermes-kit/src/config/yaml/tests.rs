#![allow(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected must fail"
)]

use super::*;
use serde_json::json;

fn value(text: &str) -> Value {
    parse(text).unwrap().to_value()
}

#[test]
fn words_are_read_as_python_reads_them() {
    let text = "a: off\nb: 'off'\nc: yes\nd: 1.5\ne:\nf: [x, 3, ~]\ng: &g {h: on}\ni: *g\n\
                j: !!str 5\nk:\n  <<: *g\n  l: rm *\nm: |\n  off\n";
    assert_eq!(
        value(text),
        json!({
            "a": false, "b": "off", "c": true, "d": 1.5, "e": null, "f": ["x", 3, null],
            "g": {"h": true}, "i": {"h": true}, "j": "5", "k": {"h": true, "l": "rm *"},
            "m": "off\n",
        })
    );
    assert_eq!(value(""), Value::Null);
    assert_eq!(value("# only this\n"), Value::Null);
    assert_eq!(value("\u{feff}a: 1\n"), json!({"a": 1}));
}

#[test]
fn of_two_fields_with_one_name_the_last_holds() {
    let twice = parse("a: 1\na: 2\n'a': 3\n").unwrap();
    assert_eq!(twice.to_value(), json!({"a": 3}));
    assert_eq!(twice.get("a").unwrap().to_value(), json!(3));
}

#[test]
fn each_value_knows_where_it_begins() {
    let tree = parse("# c\na:\n  b: [1,\n    'two']\n").unwrap();
    let list = tree.get("a").unwrap().get("b").unwrap();
    assert_eq!(list.place, Place::File { line: 3, column: 6 });
    let Data::List(items) = &list.data else {
        panic!("{list:?}")
    };
    let places: Vec<String> = items.iter().map(|item| item.place.to_string()).collect();
    assert_eq!(places, ["line 3, column 7", "line 4, column 5"]);
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_an_error_and_never_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.yaml");
    assert_eq!(read_config(&path).unwrap(), Value::Null);
    for maker in [&["mkfifo"][..], &["mkdir"], &["ln", "-s", "/dev/zero"]] {
        let (program, arguments) = maker.split_first().unwrap();
        let made = std::process::Command::new(program)
            .args(arguments)
            .arg(&path)
            .status();
        assert!(made.unwrap().success());
        let error = read_config(&path).unwrap_err().to_string();
        assert!(error.contains("it is not a file"), "{error}");
        fs::remove_file(&path)
            .or_else(|_| fs::remove_dir(&path))
            .unwrap();
    }
    fs::write(&path, b"a: \xff\n").unwrap();
    let error = read_config(&path).unwrap_err().to_string();
    assert!(error.contains("not UTF-8"), "{error}");
}

#[test]
fn what_is_no_yaml_is_an_error_that_names_the_line() {
    let problem = parse("a: 1\nb: [\n").unwrap_err();
    assert!(problem.contains("line"), "{problem}");
}

#[test]
fn values_deep_in_each_other_end_the_reading_and_not_the_process() {
    for text in [
        "[".repeat(100_000),
        "{a: ".repeat(100_000),
        "- ".repeat(100_000),
    ] {
        let problem = parse(&text).unwrap_err();
        assert!(
            problem.contains("deep") || problem.contains("YAML"),
            "{problem}"
        );
    }
    let deep = format!("{}1{}", "[".repeat(150), "]".repeat(150));
    parse(&deep).unwrap();
}
