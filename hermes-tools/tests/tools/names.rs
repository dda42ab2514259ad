//! Names: what backends take, and what foreign names become.

use hermes_tools::{Error, MAX_NAME_CHARS, UniqueNames, check_tool_name, safe_tool_name};
use proptest::prelude::*;

#[test]
fn names_that_backends_refuse_are_refused_with_one_that_they_take() {
    let long = "x".repeat(300);
    for name in [
        "",
        "read file",
        "a/b",
        "a\\b",
        "a\nb",
        "a.b",
        "naïve",
        "工具",
        "a\0b",
        "<x>",
        &long,
    ] {
        let Err(Error::InvalidName { suggestion, .. }) = check_tool_name(name) else {
            panic!("{name:?} was accepted");
        };
        assert_eq!(
            check_tool_name(&suggestion),
            Ok(()),
            "{name:?} → {suggestion:?}"
        );
    }
    for name in [
        "a",
        "read_file",
        "mcp_a-b_c",
        "A9",
        &"x".repeat(MAX_NAME_CHARS),
    ] {
        assert_eq!(check_tool_name(name), Ok(()));
    }
}

#[test]
fn an_error_shows_little_of_a_name_that_is_huge() {
    let error = check_tool_name(&"é".repeat(10_000)).unwrap_err();
    assert!(error.to_string().len() < 600, "{error}");
}

/// TOOL-15: two servers whose names become one.
#[test]
fn the_first_of_two_servers_keeps_the_name_and_the_second_gets_its_own() {
    let mut names = UniqueNames::default();
    let first = names.name("mcp", "foo.bar", "search");
    let second = names.name("mcp", "foo bar", "search");
    assert_eq!(first, "mcp_foo_bar_search");
    assert_ne!(second, first);
    assert!(second.starts_with("mcp_foo_bar_search_"), "{second}");
    assert_eq!(names.name("mcp", "foo.bar", "search"), first);
    assert_eq!(names.name("mcp", "foo bar", "search"), second);
}

#[test]
fn long_foreign_names_that_differ_at_the_end_stay_apart() {
    let mut names = UniqueNames::default();
    let one = names.name("mcp", "server", &format!("{}1", "x".repeat(200)));
    let two = names.name("mcp", "server", &format!("{}2", "x".repeat(200)));
    assert_ne!(one, two);
    assert!(one.len() <= MAX_NAME_CHARS && two.len() <= MAX_NAME_CHARS);
}

proptest! {
    #[test]
    fn any_text_becomes_a_name_that_is_accepted(text in "\\PC{0,300}") {
        prop_assert_eq!(check_tool_name(&safe_tool_name(&text)), Ok(()));
    }

    #[test]
    fn a_safe_name_is_its_own(text in "\\PC{0,100}") {
        let name = safe_tool_name(&text);
        prop_assert_eq!(safe_tool_name(&name), name);
    }

    #[test]
    fn foreign_tools_never_share_a_name(
        pairs in proptest::collection::btree_set(("[ab./ _-]{0,4}", "[ab./ _-]{0,70}"), 1..40),
    ) {
        let mut names = UniqueNames::default();
        let given: std::collections::BTreeSet<String> = pairs
            .iter()
            .map(|(server, tool)| names.name("mcp", server, tool))
            .collect();
        prop_assert_eq!(given.len(), pairs.len());
        for name in &given {
            prop_assert_eq!(check_tool_name(name), Ok(()));
        }
    }
}
