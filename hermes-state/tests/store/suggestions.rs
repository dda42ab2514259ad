//! What a search that finds nothing is told to try: each suggestion finds what it says.

use hermes_state::{
    NewMessage, NewSession, SearchFilter, SearchOptions, Store, SuggestionKind, Suggestions,
};
use proptest::prelude::*;
use testdata::fixture;

use crate::support::{Home, newer, raw, with_messages};

const TEXTS: [&str; 7] = [
    "2025-03-14T09:30 started",
    "docker compose is up",
    "docker stopped the web container",
    "the deployment of docker failed: connection refused",
    "数据库连接被拒绝了",
    "мой контейнер упал",
    "run my_func_name --dry-run",
];

fn suggested(store: &Store, options: &SearchOptions) -> Suggestions {
    let matches = store.search(options).unwrap().matches;
    assert!(matches.is_empty(), "{options:?} finds {matches:?}");
    let suggestions = store.search_suggestions(options).unwrap();
    for query in &suggestions.queries {
        assert!(query.count > 0 && query.query.len() < 200, "{query:?}");
    }
    suggestions
}

fn queries(suggestions: &Suggestions, kind: SuggestionKind) -> Vec<&str> {
    let of_kind = suggestions
        .queries
        .iter()
        .filter(|query| query.kind == kind);
    of_kind.map(|query| query.query.as_str()).collect()
}

#[test]
fn a_mistyped_word_is_replaced_by_the_closest_one() {
    let home = Home::new();
    let store = with_messages(&home, &TEXTS);
    for (typed, meant) in [
        ("dokcer", "docker"),
        ("odcker", "docker"),
        ("ocker", "docker"),
        ("ddocker", "docker"),
        ("xocker", "docker"),
        ("dockre", "docker"),
        ("Dokcer Compsoe", "docker compose"),
        ("deplyoment", "deployment"),
        ("dokcer NOT compose", "docker NOT compose"),
        ("\"dokcer compose\"", "\"docker compose\""),
        ("контейнре", "контейнер"),
        ("wbe", "web"),
        ("docker xyzzyx compsoe", "docker compose"),
    ] {
        let suggestions = suggested(&store, &SearchOptions::new(typed));
        let first = &suggestions.queries[0];
        assert_eq!(first.query, meant, "{typed}: {suggestions:?}");
        assert_eq!(first.kind, SuggestionKind::Spelling);
        let found = store.search_count(&SearchOptions::new(meant)).unwrap();
        assert_eq!(first.count, found.count);
    }
}

#[test]
fn the_word_in_most_messages_is_the_first_among_the_close() {
    let home = Home::new();
    let texts = ["boot", "book", "book", "book", "boom", "boom"];
    let store = with_messages(&home, &texts);
    let suggestions = suggested(&store, &SearchOptions::new("boox"));
    let near = queries(&suggestions, SuggestionKind::Spelling);
    assert_eq!(near, ["book", "boom", "boot"]);
}

#[test]
fn each_word_alone_is_counted() {
    let home = Home::new();
    let store = with_messages(&home, &TEXTS);
    let suggestions = suggested(&store, &SearchOptions::new("docker \"dry run\" zzyzx"));
    let words: Vec<_> = suggestions
        .words
        .iter()
        .map(|w| (w.word.as_str(), w.count))
        .collect();
    assert_eq!(words, [("docker", 3), ("\"dry run\"", 1), ("zzyzx", 0)]);
    let any = queries(&suggestions, SuggestionKind::AnyWord);
    assert_eq!(any, ["docker OR \"dry run\""]);
    let alone = suggested(&store, &SearchOptions::new("zzyzx"));
    assert_eq!(alone, Suggestions::default());
}

#[test]
fn words_go_on_phrases_fall_apart_and_texts_without_blanks_are_cut() {
    let home = Home::new();
    let store = with_messages(&home, &TEXTS);
    for (typed, meant, kind) in [
        ("deploy", "deploy*", SuggestionKind::Beginning),
        ("docker deploy", "docker deploy*", SuggestionKind::Beginning),
        (
            "\"compose docker\"",
            "compose docker",
            SuggestionKind::Unquoted,
        ),
        ("name-func", "name func", SuggestionKind::Unquoted),
        ("\"2025-03-14\"", "2025-03-14", SuggestionKind::Unquoted),
        ("数据库连结", "数据库连", SuggestionKind::Part),
        ("旧数据库连接", "数据库连接", SuggestionKind::Part),
    ] {
        let suggestions = suggested(&store, &SearchOptions::new(typed));
        let tried = queries(&suggestions, kind);
        assert!(tried.contains(&meant), "{typed}: {suggestions:?}");
    }
}

#[test]
fn the_filters_that_keep_it_out_are_named() {
    let home = Home::new();
    let store = with_messages(&home, &TEXTS);
    let new = || SearchOptions::new("docker");
    let without = |options: &SearchOptions| -> Vec<(Vec<SearchFilter>, u64)> {
        let suggestions = suggested(&store, options);
        assert!(suggestions.words.is_empty());
        let each = suggestions.queries.into_iter().map(|query| {
            assert_eq!(
                (query.query.as_str(), query.kind),
                ("docker", SuggestionKind::AsTyped)
            );
            (query.without, query.count)
        });
        each.collect()
    };
    use SearchFilter::{
        ExcludeLineage, ExcludeSession, ExcludeSource, Lineage, Model, Role, Session, Since,
        Source, Title, Tool, Until,
    };
    let session = store.search(&new()).unwrap().matches[0]
        .session_id
        .to_string();
    let source = store.search(&new()).unwrap().matches[0].source.clone();
    for (options, filter) in [
        (new().since(1e12), Since),
        (new().until(0.0), Until),
        (new().source("nowhere"), Source),
        (new().exclude_source(&source), ExcludeSource),
        (new().role("tool"), Role),
        (new().tool("terminal"), Tool),
        (new().model("x"), Model),
        (new().title("x"), Title),
        (new().session("nobody"), Session),
        (new().exclude_session(&session), ExcludeSession),
        (new().lineage("nobody"), Lineage),
        (new().exclude_lineage(&session), ExcludeLineage),
    ] {
        assert_eq!(without(&options), [(vec![filter], 3)], "{options:?}");
    }
    let two = new().since(1e12).role("tool");
    assert_eq!(without(&two), [(vec![Since, Role], 3)]);
    let harmless = new().since(0.0).role("tool");
    assert_eq!(without(&harmless), [(vec![Role], 3)]);
}

#[test]
fn a_misspelling_that_the_filters_keep_out_says_so() {
    let home = Home::new();
    let store = with_messages(&home, &TEXTS);
    let suggestions = suggested(&store, &SearchOptions::new("dokcer").role("tool"));
    assert_eq!(suggestions.queries[0].query, "docker");
    assert_eq!(suggestions.queries[0].without, [SearchFilter::Role]);
    let suggestions = suggested(&store, &SearchOptions::new("dokcer").since(0.0));
    assert!(suggestions.queries[0].without.is_empty());
}

#[test]
fn messages_that_were_taken_back_are_a_filter_too() {
    let file = newer::empty_v22();
    let store = Store::open(file.path()).unwrap();
    store.create_session(&NewSession::new("s", "cli")).unwrap();
    store
        .append_message(&NewMessage::new("s", "user").content("quokka"))
        .unwrap();
    raw(file.path())
        .execute_batch("UPDATE messages SET active = 0")
        .unwrap();
    let suggestions = suggested(&store, &SearchOptions::new("quokka"));
    assert_eq!(suggestions.queries[0].without, [SearchFilter::Inactive]);
}

#[test]
fn without_an_index_the_rest_is_still_told() {
    let store = fixture("damaged_missing_fts_table_v11.db");
    let store = Store::open_read_only(store.path()).unwrap();
    let options = SearchOptions::new("docker").since(1e12);
    let suggestions = suggested(&store, &options);
    assert_eq!(suggestions.queries[0].without, [SearchFilter::Since]);
    assert!(
        store
            .search_suggestions(&SearchOptions::new("dokcer"))
            .is_ok()
    );
}

#[test]
fn every_layout_of_the_index_has_words() {
    for name in [
        "v10_external.db",
        "v11.db",
        "v22.db",
        "v30_external.db",
        "v30_inline.db",
    ] {
        let file = fixture(name);
        let store = Store::open_read_only(file.path()).unwrap();
        let suggestions = suggested(&store, &SearchOptions::new("zebar"));
        assert_eq!(
            suggestions.queries[0].query, "zebra",
            "{name}: {suggestions:?}"
        );
    }
}

#[test]
fn a_search_for_nothing_has_no_suggestions() {
    let home = Home::new();
    let store = with_messages(&home, &TEXTS);
    for query in ["", "  ", "AND", "\"", "-"] {
        let suggestions = store
            .search_suggestions(&SearchOptions::new(query))
            .unwrap();
        assert_eq!(suggestions, Suggestions::default(), "{query}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn whatever_is_suggested_is_found(query in "((dok[a-z]er|compse|web|\"[a-z]{3} of\"|部署|OR|NOT|\\PC) ?){1,5}", since in 0..3_u8) {
        let home = Home::new();
        let store = with_messages(&home, &TEXTS);
        let mut options = SearchOptions::new(&query);
        options.since = (since == 0).then_some(1e12);
        for suggestion in store.search_suggestions(&options).unwrap().queries {
            let mut instead = SearchOptions::new(&suggestion.query);
            instead.since = options.since.filter(|_| suggestion.without.is_empty());
            let count = store.search_count(&instead).unwrap().count;
            prop_assert_eq!(count, suggestion.count, "{:?}", suggestion);
            prop_assert!(count > 0);
        }
    }
}
