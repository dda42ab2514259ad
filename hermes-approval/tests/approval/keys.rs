//! The approval keys of the Python Hermes: their patterns, and that the rules give them.

use std::collections::HashSet;

use hermes_approval::{
    AnalysisEnv, DANGEROUS_PATTERNS, Pattern, Platform, Releases, all_rules, assess,
    detect_dangerous_command,
};

#[test]
fn every_pattern_fits_its_example_and_not_its_near_miss() {
    let mut wrong = Vec::new();
    for pattern in DANGEROUS_PATTERNS {
        if pattern.matches.is_some_and(|m| !pattern.is_match(m)) {
            wrong.push(format!("{} does not fit {:?}", pattern.id, pattern.matches));
        }
        if pattern.near_miss.is_some_and(|n| pattern.is_match(n)) {
            wrong.push(format!("{} fits {:?}", pattern.id, pattern.near_miss));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn patterns_are_named_once_and_say_when_they_came() {
    let ids: HashSet<_> = DANGEROUS_PATTERNS.iter().map(|p| p.id).collect();
    let keys: HashSet<_> = DANGEROUS_PATTERNS.iter().map(|p| p.description).collect();
    assert_eq!(ids.len(), DANGEROUS_PATTERNS.len());
    assert_eq!(keys.len(), DANGEROUS_PATTERNS.len());
    for pattern in DANGEROUS_PATTERNS {
        assert_ne!(pattern.releases, Releases::Ours, "{}", pattern.id);
        // Where no text can tell, or an earlier one always wins, there is no example.
        assert!(
            pattern.matches.is_some() || pattern.regex.is_none() || pattern.id.ends_with("-long"),
            "{}",
            pattern.id
        );
    }
}

/// Where the Python Hermes cries wolf, we don't: what it calls dangerous there is not.
const HARMLESS: &[(&str, &str)] = &[
    ("rm-recursive-long", "never given"),
    (
        "shell-c",
        "what the shell is given to run is looked at instead",
    ),
    ("script-c", "what the script does is looked at instead"),
    (
        "script-heredoc",
        "what the script does is looked at instead",
    ),
    (
        "shell-heredoc",
        "what the shell is given to run is looked at instead",
    ),
    (
        "git-branch-d",
        "-d refuses to delete what is not merged; -D is asked",
    ),
    (
        "sudo-combined",
        "the letters belong to the command, not to sudo",
    ),
    ("sql-delete", "`x` is no client of a database"),
    ("sql-truncate", "`x` is no client of a database"),
];

/// Keys that belong to packs which are not there yet are not looked at.
fn has_rule(pattern: &Pattern) -> bool {
    all_rules()
        .iter()
        .flat_map(|r| r.keys.iter().chain(r.accepts))
        .any(|k| k.text == pattern.description)
}

#[test]
fn the_example_of_each_key_gets_that_key() {
    let env = AnalysisEnv::new("/home/agent");
    let mut wrong = Vec::new();
    for pattern in DANGEROUS_PATTERNS {
        let excused = HARMLESS.iter().any(|(id, _)| *id == pattern.id);
        let (Some(command), true, false) = (pattern.matches, has_rule(pattern), excused) else {
            continue;
        };
        let verdict = assess(command, &env, Platform::Posix);
        if !verdict.keys.contains(&pattern.description) {
            wrong.push(format!(
                "{command:?} lacks {:?}: {:?}",
                pattern.description, verdict.keys
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn harmless_examples_are_allowed() {
    for (id, why) in HARMLESS {
        let pattern = DANGEROUS_PATTERNS.iter().find(|p| p.id == *id).unwrap();
        if let Some(command) = pattern.matches {
            assert_eq!(
                detect_dangerous_command(command),
                None,
                "{command:?}: {why}"
            );
        }
    }
}

#[test]
fn of_several_keys_the_first_of_the_python_hermes_is_named() {
    for (command, key) in [
        ("rm -rf /srv/app", "delete in root path"),
        ("rm -rf app", "recursive delete"),
        ("find . -delete; rm -rf app", "recursive delete"),
        (
            "python3 -c 'import os; os.system(\"rm -rf app\")'",
            "recursive delete",
        ),
        (
            "python3 -c 'exec(input())'",
            "script execution via -e/-c flag",
        ),
    ] {
        let found = detect_dangerous_command(command).unwrap();
        assert_eq!(found.key, key, "{command}");
    }
}
