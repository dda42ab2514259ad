//! A day is found however its time is written.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // helpers of tests

mod support;

use hermes_fts::{Plan, sanitize};
use proptest::prelude::*;
use support::{assert_finds, matches, word_index};

const TEXTS: [&str; 6] = [
    "2025-03-14T09:30:00Z INFO started",
    "due 2025-03-14.",
    "2025-03-14 23:59 stopped",
    "2025-03-15T09:30 the next day",
    "backup-2025-03-14T0930.tar",
    "2025-03-141 is no day",
];

#[test]
fn a_day_is_found_with_and_without_a_time() {
    assert_finds(&TEXTS, "2025-03-14", &[0, 1, 2, 4]);
    assert_finds(&TEXTS, "2025-03-14,", &[0, 1, 2, 4]);
    assert_finds(&TEXTS, "started 2025-03-14", &[0]);
    assert_finds(&TEXTS, "2025-03-14 OR 2025-03-15", &[0, 1, 2, 3, 4]);
    assert_finds(&TEXTS, "backup-2025-03-14", &[4]);
    assert_finds(&TEXTS, "stopped NOT 2025-03-14", &[]);
    assert_finds(&TEXTS, "started NOT 2025-03-14", &[]);
    assert_finds(&TEXTS, "day NOT 2025-03-14", &[3, 5]);
    assert_finds(&TEXTS, "2025-03-15", &[3]);
    assert_finds(&TEXTS, "2025-03-14T09", &[0]);
}

#[test]
fn a_phrase_and_a_star_are_meant_as_they_are_typed() {
    assert_finds(&TEXTS, "\"2025-03-14\"", &[1, 2]);
    assert_finds(&TEXTS, "2025-03-14*", &[0, 1, 2, 4, 5]);
}

#[test]
fn the_expression_says_both_and_reads_as_itself() {
    let query = sanitize("due 2025-03-14");
    assert_eq!(
        query.as_str(),
        r#"due AND ("2025-03-14" OR "2025-03-14T"*)"#
    );
    assert_eq!(sanitize(query.as_str()).as_str(), query.as_str());
    let typed = "2025-03-14 OR 2025-03-14T*";
    assert_eq!(
        sanitize(typed).as_str(),
        r#""2025-03-14" OR "2025-03-14T"*"#
    );
    let explained = query.explain().to_string();
    assert!(explained.contains("begin with 2025-03-14T"), "{explained}");
}

const TIMES: [&str; 9] = [
    "2025-03-14T09:30 started",
    "2025-03-14 09:30 started",
    "2025-03-14T09:30Z",
    "at 2025-03-14 09:30:05Z.",
    "[2025-03-14 09:30:05,123] INFO",
    "2025-03-14T09:30:05.123456+00:00",
    "on 2025-03-14, about 09:30",
    "2025-03-14T09:31:30",
    "2025-03-15 09:30",
];

#[test]
fn a_time_of_day_is_found_in_every_form() {
    for query in ["2025-03-14 09:30", "2025-03-14T09:30", "2025-03-14  09:30,"] {
        let mut expected = vec![0, 1, 2, 3, 4, 5];
        // These have all the words of the query as well, in other places.
        expected.push(if query.contains("14 ") { 6 } else { 7 });
        assert_finds(&TIMES, query, &expected);
    }
    assert_finds(&TIMES, "2025-03-14t09:30Z", &[0, 1, 2, 3, 4, 5]);
    for query in ["2025-03-14 09:30:05", "2025-03-14T09:30:05Z"] {
        assert_finds(&TIMES, query, &[3, 4, 5]);
    }
    assert_finds(&TIMES, "2025-03-14 09:30:05.123", &[4, 5]);
    assert_finds(&TIMES, "started 2025-03-14 09:30", &[0, 1]);
    assert_finds(&TIMES, "started NOT 2025-03-14 09:30", &[]);
    assert_finds(&TIMES, "2025-03-15 09:30 OR 2025-03-14 09:31", &[7, 8]);
}

#[test]
fn a_time_of_day_reads_as_itself() {
    let query = sanitize("due 2025-03-14 09:30");
    assert_eq!(
        query.as_str(),
        r#"due AND ("2025-03-14" 09 30 OR "2025-03-14 09:30"* OR "2025-03-14T09:30"*)"#
    );
    assert_eq!(sanitize(query.as_str()).as_str(), query.as_str());
}

#[test]
fn beside_chinese_a_time_of_day_is_found_in_both_forms() {
    let query = sanitize("部署 2025-03-14 09:30");
    let tree = query.tree().unwrap();
    for text in ["部署 2025-03-14T09:30:00Z", "2025-03-14 09:30 部署"] {
        assert!(
            tree.matches(&mut |term| term.stands_in(&hermes_fts::folded(text))),
            "{text}"
        );
    }
    assert!(!tree.matches(&mut |term| term.stands_in("部署 2025-03-14t09:31")));
}

#[test]
fn beside_chinese_a_day_is_a_part_of_the_text() {
    let query = sanitize("2025-03-14 部署文档");
    assert!(matches!(query.plan(), Plan::Trigram(_)));
    let tree = query.tree().unwrap();
    for text in ["部署文档 2025-03-14T09:30", "2025-03-14部署文档"] {
        assert!(
            tree.matches(&mut |term| text.contains(term.text())),
            "{text}"
        );
    }
}

proptest! {
    #[test]
    fn every_moment_is_found_in_every_form(
        (year, month, day) in (1970..2100_u16, 1..=12_u8, 1..=31_u8),
        (hour, minute, second) in (0..24_u8, 0..60_u8, 0..60_u8),
        (typed, written) in (0..2_usize, 0..2_usize),
        (typed_seconds, seconds) in (any::<bool>(), any::<bool>()),
        typed_end in "Z|,|\\.|\\)|",
        end in "Z|z|\\.5|\\.123Z|,123|\\+02:00| |\\]|",
        before in "|\\(|=|on |\\[|x-",
    ) {
        let moment = |gap: usize, seconds: bool| {
            let gap = [" ", "T"][gap];
            let date = format!("{year:04}-{month:02}-{day:02}{gap}{hour:02}:{minute:02}");
            if seconds { format!("{date}:{second:02}") } else { date }
        };
        // Who asks for the second wants a text that has it.
        let seconds = seconds || typed_seconds;
        let text = format!("{before}{}{end} there", moment(written, seconds));
        let query = format!("{}{typed_end}", moment(typed, typed_seconds));
        let db = word_index(&[text.clone(), "1969-12-31T00:00:00".to_owned()]);
        let found = matches(&db, "words", sanitize(&query).as_str()).unwrap();
        prop_assert_eq!(found, &[0], "{} in {}", query, text);
    }

    #[test]
    fn every_day_is_found_before_every_time(
        (year, month, day) in (1970..2100_u16, 1..=12_u8, 1..=31_u8),
        (hour, minute) in (0..24_u8, 0..60_u8),
        gap in "T|t| |, |_|Z",
        before in "|\\(|=|on |x-",
    ) {
        let date = format!("{year:04}-{month:02}-{day:02}");
        let text = format!("{before}{date}{gap}{hour:02}:{minute:02}");
        let db = word_index(&[text.clone(), "1969-12-31T00:00".to_owned()]);
        let found = matches(&db, "words", sanitize(&date).as_str()).unwrap();
        // `Z` would make another word of the day.
        let wanted: &[i64] = if gap == "Z" { &[] } else { &[0] };
        prop_assert_eq!(found, wanted, "{}", text);
    }
}
