//! Quotes, widths and normal forms of every keyboard.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)] // helpers of tests

mod support;

use hermes_fts::{Plan, sanitize};
use support::assert_finds;

#[test]
fn the_quotes_of_every_language_make_a_phrase() {
    for query in [
        "\"docker error\"",
        "“docker error”",
        "„docker error“",
        "”docker error”",
        "«docker error»",
        "« docker error »",
        "»docker error«",
        "‹docker error›",
        "‘docker error’",
        "「docker error」",
        "『docker error』",
        "＂docker error＂",
        "〝docker error〞",
        "“docker \"error\"”",
    ] {
        assert_finds(&["docker error", "error docker"], query, &[0]);
    }
}

#[test]
fn quotes_without_a_partner_and_apostrophes_do_no_harm() {
    for query in [
        "“docker",
        "docker”",
        "‘docker",
        "docker’",
        "«docker",
        "」docker",
        "\"docker",
    ] {
        assert_finds(&["docker error"], query, &[0]);
    }
    for query in ["don’t", "don't", "don‘t", "‘don’t’", "“don’t”"] {
        assert_finds(&["we don't", "we don’t", "we do"], query, &[0, 1]);
    }
    assert_finds(&["the boys' toys aren't here"], "‘boys’ toys aren’t’", &[0]);
}

#[test]
fn a_single_quote_that_opens_nothing_does_not_open_in_the_expression() {
    let query = sanitize("‘x ’#a");
    assert_eq!(query.as_str(), "\"‘x\" \"’#a\"");
    assert_eq!(sanitize(query.as_str()).as_str(), query.as_str());
}

#[test]
fn what_is_in_quotes_is_no_operator() {
    assert_finds(&["a or b", "a b"], "“a OR b”", &[0]);
    assert_eq!(sanitize("“OR”").as_str(), "\"OR\"");
}

#[test]
fn quotes_of_chinese_and_japanese_are_not_looked_for() {
    assert_eq!(
        sanitize("「大别山」").plan(),
        &Plan::Trigram("\"大别山\"".to_owned())
    );
    assert_eq!(sanitize("“大别山”").plan(), sanitize("大别山").plan());
    assert_eq!(sanitize("«\"大别山\" »").plan(), sanitize("大别山").plan());
    // Two characters and a quote are not three characters.
    assert_eq!(sanitize("«大理\"»").plan(), sanitize("大理").plan());
}

#[test]
fn full_width_operators_blanks_and_stars_count() {
    for (wide, narrow) in [
        ("a ＯＲ b", "a OR b"),
        ("a ＮＯＴ b", "a NOT b"),
        ("a ＡＮＤ b", "a AND b"),
        ("ab＊", "ab*"),
    ] {
        assert_eq!(sanitize(wide).as_str(), sanitize(narrow).as_str(), "{wide}");
    }
    assert_finds(&["a b", "a"], "a\u{3000}b", &[0]);
}

#[test]
fn full_width_letters_find_both_widths() {
    let texts = ["docker error", "ｄｏｃｋｅｒ　ｅｒｒｏｒ", "error"];
    assert_finds(&texts, "ｄｏｃｋｅｒ", &[0, 1]);
    assert_finds(&texts, "ＤＯＣＫＥＲ", &[0, 1]);
    assert_finds(&texts, "error NOT ｄｏｃｋｅｒ", &[2]);
    assert_finds(&["mail user@host now"], "ｕｓｅｒ＠ｈｏｓｔ", &[0]);
}

#[test]
fn decomposed_letters_find_composed_ones_and_themselves() {
    // The second form is that of file names on macOS.
    for (composed, decomposed) in [
        ("настройка", "настрои\u{306}ка"),
        ("tiếng", "tie\u{302}\u{301}ng"),
        ("é", "e\u{301}"),
        ("ά", "α\u{301}"),
        ("ё", "е\u{308}"),
    ] {
        let texts = [composed, decomposed, "x"];
        assert_finds(&texts, decomposed, &[0, 1]);
        assert!(sanitize(composed).as_str().is_ascii() || sanitize(composed).as_str() == composed);
    }
}

#[test]
fn marks_of_direction_around_a_word_do_not_hide_it() {
    let texts = ["docker", "\u{2068}docker\u{2069}", "x"];
    assert_finds(&texts, "\u{2068}docker\u{2069}", &[0, 1]);
}

#[test]
fn a_term_in_two_spellings_is_one_term_to_the_operators() {
    for (query, expression) in [
        ("ａ b", "(ａ OR a) AND b"),
        ("b NOT ａ", "b NOT (ａ OR a)"),
        ("ａ OR b", "ａ OR a OR b"),
        ("ａ", "ａ OR a"),
        ("“ａ b”", "\"ａ b\" OR \"a b\""),
        ("ａ*", "ａ* OR a*"),
        ("ａ\"b\"", "(ａ OR a) AND \"b\""),
    ] {
        let once = sanitize(query);
        assert_eq!(once.as_str(), expression, "{query}");
        assert_eq!(sanitize(once.as_str()).as_str(), expression, "{query}");
    }
}
