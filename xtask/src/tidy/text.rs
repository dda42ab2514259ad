//! Rules on the name and the text of one file.

use super::Finding;

/// No Rust file is longer.
pub(crate) const MOST_LINES: usize = 800;
/// A longer one is mentioned.
pub(crate) const WISHED_LINES: usize = 400;

/// Names that say a kind instead of a concept.
const REFUSED_NAMES: &[&str] = &[
    "common", "helper", "helpers", "misc", "types", "util", "utils",
];

/// Macros that mark unfinished work, without their exclamation mark.
const UNFINISHED: &[&str] = &["todo", "unimplemented", "dbg"];

/// The variable that only `hermes-home` reads.
const HOME_VARIABLE: &str = concat!("HERMES", "_HOME");

/// Where the variable's name may stand in code besides `hermes-home/`, and why.
const HOME_VARIABLE_IN: &[(&str, &str)] = &[
    (
        "hermes-approval/src/environment.rs",
        "expands the variable in the commands it judges, from a value it is given",
    ),
    (
        "hermes-approval/src/rules/file_systems/moved.rs",
        "judges commands that name it",
    ),
    (
        "hermes-approval/src/rules/file_systems/write.rs",
        "judges commands that name it",
    ),
    (
        "hermes-approval/src/rules/writes/personal.rs",
        "judges commands that name it",
    ),
];

pub(crate) fn findings_of_name(path: &str) -> Option<Finding> {
    let (dir, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.strip_suffix(".rs")?;
    let concept = if stem == "mod" {
        dir.rsplit('/').next().unwrap_or(dir)
    } else {
        stem
    };
    REFUSED_NAMES.contains(&concept).then(|| {
        Finding::new(
            path,
            format!("{concept:?} says no concept; name the file after what is in it"),
        )
    })
}

/// `machine` are folders of the machine that this runs on: this clone, cargo's home.
pub(crate) fn findings(path: &str, text: &str, machine: &[String]) -> Vec<Finding> {
    let mut found = Vec::new();
    if path.ends_with(".rs") {
        rust(path, text, &mut found);
    }
    if path.ends_with(".sql") && text.contains('\r') {
        found.push(Finding::new(path, "SQL files end their lines with LF only"));
    }
    for (number, line) in numbered(text) {
        let what = machine_path(line, machine);
        found.extend(what.map(|what| Finding::new(format!("{path}:{number}"), what)));
        if ["<<<<<<< ", ">>>>>>> "]
            .iter()
            .any(|mark| line.starts_with(mark))
        {
            found.push(Finding::new(
                format!("{path}:{number}"),
                "a conflict of a merge stands here",
            ));
        }
    }
    found
}

fn rust(path: &str, text: &str, found: &mut Vec<Finding>) {
    let lines = text.lines().count();
    if lines > MOST_LINES {
        found.push(Finding::new(
            path,
            format!("{lines} lines; the most is {MOST_LINES}: split it by concept"),
        ));
    }
    // A `tests.rs` is about what the file beside it is about.
    if in_source(path) && !is_test_file(path) && !has_header(text) {
        found.push(Finding::new(
            path,
            "begins without a doc header (//! what this file is about)",
        ));
    }
    for (number, line) in code(text) {
        let place = || format!("{path}:{number}");
        for name in UNFINISHED.iter().filter(|name| calls_macro(line, name)) {
            found.push(Finding::new(place(), format!("{name}! is unfinished work")));
        }
        if reads_home_variable(path, line) && exception(path).is_none() {
            found.push(Finding::new(
                place(),
                format!("only hermes-home reads {HOME_VARIABLE}"),
            ));
        }
    }
}

/// The entries of the list of exceptions that this file makes use of.
pub(crate) fn exceptions_used(path: &str, text: &str) -> Option<&'static str> {
    let entry = exception(path)?;
    let used = code(text).any(|(_, line)| reads_home_variable(path, line));
    used.then_some(entry)
}

pub(crate) fn exceptions_unused(used: &[&str]) -> Vec<Finding> {
    HOME_VARIABLE_IN
        .iter()
        .filter(|(file, _)| !used.contains(file))
        .map(|(file, _)| {
            Finding::new(
                *file,
                format!("no longer names {HOME_VARIABLE}; take it off the list in xtask's tidy"),
            )
        })
        .collect()
}

fn exception(path: &str) -> Option<&'static str> {
    HOME_VARIABLE_IN
        .iter()
        .map(|(file, _)| *file)
        .find(|file| *file == path)
}

/// Only the sources of crates count: tests may hand the variable to a child process.
fn reads_home_variable(path: &str, line: &str) -> bool {
    in_source(path)
        && !is_test_file(path)
        && !path.starts_with("hermes-home/")
        && line.contains(HOME_VARIABLE)
}

pub(super) fn in_source(path: &str) -> bool {
    path.split('/').any(|part| part == "src")
}

pub(super) fn is_test_file(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.split('/').any(|part| part == "tests")
}

fn has_header(text: &str) -> bool {
    text.lines()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with("#!["))
        .is_some_and(|line| line.starts_with("//!"))
}

fn calls_macro(line: &str, name: &str) -> bool {
    let call = format!("{name}!");
    line.match_indices(&call).any(|(at, _)| {
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
    })
}

fn machine_path(line: &str, machine: &[String]) -> Option<String> {
    let found = machine.iter().find(|path| {
        line.match_indices(path.as_str()).any(|(at, _)| {
            // `https://host/dir/`, `~/dir/` and `./dir/` are not absolute paths.
            let before = line.get(..at).and_then(|before| before.chars().next_back());
            !before.is_some_and(|c| c.is_alphanumeric() || "~./_-}>$".contains(c))
        })
    });
    found.map(|path| format!("{path} is a path of this machine"))
}

fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().zip(1..).map(|(line, number)| (number, line))
}

/// The lines that are not comments from their first character on.
pub(super) fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    numbered(text).filter(|(_, line)| !line.trim_start().starts_with("//"))
}

#[cfg(test)]
mod tests;
