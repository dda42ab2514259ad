//! The rules on strings.

use super::*;

fn what(path: &str, text: &str) -> Vec<String> {
    findings(path, text, &[MACHINE.to_owned()])
        .into_iter()
        .map(|finding| format!("{}: {}", finding.place, finding.what))
        .collect()
}

/// A folder of the machine.
const MACHINE: &str = "/srv/clone/";

#[test]
fn a_tidy_file_has_no_findings() {
    let text = "//! Titles.\n\nfn title() {}\n";
    assert_eq!(what("hermes-state/src/titles.rs", text), [""; 0]);
}

#[test]
fn names_of_kinds_are_refused_and_names_of_concepts_are_not() {
    for path in [
        "a/src/utils.rs",
        "a/tests/common/mod.rs",
        "a/src/types.rs",
        "helpers.rs",
    ] {
        assert!(findings_of_name(path).is_some(), "{path}");
    }
    for path in [
        "a/src/titles.rs",
        "a/src/util.sql",
        "a/src/common/x.rs",
        "README.md",
    ] {
        assert_eq!(findings_of_name(path), None, "{path}");
    }
}

#[test]
fn a_file_may_have_800_lines_and_no_more() {
    let lines = |n: usize| format!("//! Long.\n{}", "\n".repeat(n - 1));
    assert_eq!(what("a/src/long.rs", &lines(800)), [""; 0]);
    assert_eq!(what("a/src/long.rs", &lines(801)).len(), 1);
    assert_eq!(what("a/src/long.txt", &lines(801)), [""; 0]);
}

#[test]
fn sources_begin_with_what_they_are_about() {
    assert_eq!(what("a/src/x.rs", "fn x() {}\n").len(), 1);
    assert_eq!(what("a/src/x.rs", "// licence\n//! X.\n").len(), 1);
    assert_eq!(what("a/src/x.rs", "\n#![no_std]\n//! X.\n"), [""; 0]);
    assert_eq!(what("a/tests/x.rs", "fn x() {}\n"), [""; 0]);
    assert_eq!(what("a/src/x/tests.rs", "fn x() {}\n"), [""; 0]);
}

#[test]
fn unfinished_work_is_found_in_code_only() {
    for name in UNFINISHED {
        let text = format!("//! X.\nfn x() {{ {name}!() }}\n");
        assert_eq!(what("a/src/x.rs", &text).len(), 1, "{name}");
        let comment = format!("//! X: no {name}!() here.\n// {name}!()\n");
        assert_eq!(what("a/src/x.rs", &comment), [""; 0]);
        let other = format!("//! X.\nfn x() {{ my_{name}!() }}\n");
        assert_eq!(what("a/src/x.rs", &other), [""; 0]);
    }
}

#[test]
fn sql_ends_its_lines_with_lf() {
    assert_eq!(what("a/src/v1.sql", "SELECT 1;\r\n").len(), 1);
    assert_eq!(what("a/src/v1.sql", "SELECT 1;\n"), [""; 0]);
}

#[test]
fn no_conflict_of_a_merge_stays() {
    let text = "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> other\n";
    assert_eq!(what("x/Cargo.toml", text).len(), 2);
    assert_eq!(what("x/Cargo.toml", "a << b\n ======= \n"), [""; 0]);
}

#[test]
fn paths_of_a_machine_are_found_where_they_are_absolute() {
    let path = MACHINE;
    for line in [
        format!("see {path}main"),
        format!("\"{path}x\""),
        path.to_owned(),
    ] {
        assert_eq!(what("README.md", &line).len(), 1, "{line}");
    }
    for line in [
        format!("https://host{path}x"),
        format!("~{path}x"),
        format!("$HOME{path}x"),
    ] {
        assert_eq!(what("README.md", &line), [""; 0], "{line}");
    }
}

#[test]
fn one_crate_reads_the_home_variable() {
    let text = format!("//! X.\nfn x() {{ get({HOME_VARIABLE:?}) }}\n");
    assert_eq!(what("hermes-state/src/x.rs", &text).len(), 1);
    for path in [
        "hermes-home/src/resolve.rs",
        "hermesctl/tests/home.rs",
        "hermesctl/src/home/tests.rs",
    ] {
        assert_eq!(what(path, &text), [""; 0], "{path}");
    }
    let documented = format!("//! X: not {HOME_VARIABLE}.\n/// {HOME_VARIABLE}\nfn x() {{}}\n");
    assert_eq!(what("hermesctl/src/x.rs", &documented), [""; 0]);
}

#[test]
fn every_exception_says_why() {
    for (file, reason) in HOME_VARIABLE_IN {
        assert!(reason.len() > 10, "{file}");
    }
}
