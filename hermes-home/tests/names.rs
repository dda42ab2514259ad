//! Profile names.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test stops where it fails, also in its helpers"
)]

use hermes_home::{Error, NameProblem, ProfileName};

fn problem(text: &str) -> NameProblem {
    match ProfileName::parse(text) {
        Err(Error::InvalidProfileName { name, problem }) => {
            assert_eq!(name, text, "the error gives back what was typed");
            problem
        }
        other => panic!("{text:?}: {other:?}"),
    }
}

#[test]
fn a_typed_name_is_trimmed_and_lower_cased() {
    for (typed, name) in [
        ("coder", "coder"),
        (" Coder\t", "coder"),
        ("\u{a0}coder\u{2003}", "coder"),
        ("MyConfig", "myconfig"),
        ("0-_", "0-_"),
        ("a", "a"),
    ] {
        assert_eq!(ProfileName::parse(typed).unwrap().as_str(), name);
        assert_eq!(typed.parse::<ProfileName>().unwrap().to_string(), name);
    }
}

#[test]
fn a_bad_name_is_refused_and_the_error_names_the_rule() {
    for (typed, expected) in [
        ("", NameProblem::Empty),
        (" \t", NameProblem::Empty),
        ("coder\n", NameProblem::Character('\n')),
        ("coder\r\n", NameProblem::Character('\r')),
        ("\ncoder", NameProblem::Character('\n')),
        ("-a", NameProblem::Start('-')),
        ("_a", NameProblem::Start('_')),
        ("..", NameProblem::Character('.')),
        ("../x", NameProblem::Character('.')),
        ("a/b", NameProblem::Character('/')),
        ("a\\b", NameProblem::Character('\\')),
        ("a b", NameProblem::Character(' ')),
        ("a\nb", NameProblem::Character('\n')),
        ("a\0", NameProblem::Character('\0')),
        ("no:xdist", NameProblem::Character(':')),
        ("\u{fc}n\u{ef}", NameProblem::Character('\u{fc}')),
    ] {
        assert_eq!(problem(typed), expected, "{typed:?}");
        let message = ProfileName::parse(typed).unwrap_err().to_string();
        assert!(
            message.contains("use 1 to 64 of a-z, 0-9, - and _"),
            "{message}"
        );
        assert!(
            !message.contains('\n') && !message.contains('\0'),
            "{message:?}"
        );
    }
}

#[test]
fn letters_that_only_look_ascii_are_refused() {
    // Kelvin sign, long s, Cyrillic a, full-width a: two of them lower-case or fold to ASCII.
    for typed in ["\u{212a}", "\u{17f}", "\u{430}", "\u{ff41}", "\u{130}x"] {
        assert!(
            matches!(problem(typed), NameProblem::Character(_)),
            "{typed:?}"
        );
    }
}

#[test]
fn sixty_four_characters_are_the_most() {
    let longest = "a".repeat(ProfileName::MAX_LENGTH);
    assert_eq!(ProfileName::parse(&longest).unwrap().as_str(), longest);
    assert_eq!(problem(&format!("{longest}a")), NameProblem::TooLong);
}

#[test]
fn a_huge_name_makes_no_huge_message() {
    let message = ProfileName::parse(&"x".repeat(1 << 20))
        .unwrap_err()
        .to_string();
    assert!(message.len() < 400, "{} bytes", message.len());
}

#[test]
fn the_name_of_a_directory_is_taken_as_it_is() {
    let name = |text: &str| ProfileName::from_dir_name(text.as_ref());
    assert_eq!(name("coder").unwrap().as_str(), "coder");
    for other in ["Coder", " coder", "coder\n", "", ".hermes", "coder.bak"] {
        assert_eq!(name(other), None, "{other:?}");
    }
}

#[test]
fn reserved_names_are_valid_but_marked() {
    for text in [
        "default", "main", "hermes", "Test", "tmp", "root", "sudo", "con", "NUL", "prn", "aux",
        "com1", "lpt9",
    ] {
        assert!(ProfileName::parse(text).unwrap().is_reserved(), "{text}");
    }
    for text in [
        "coder",
        "com",
        "com10",
        "console",
        "lpt",
        "lptx",
        "maintenance",
        "null",
    ] {
        assert!(!ProfileName::parse(text).unwrap().is_reserved(), "{text}");
    }
}
