//! What users asked of languages: the cases of the area `fts-languages`, each under its id.

use std::collections::BTreeSet;

use hermes_state::{Collapse, NewMessage, NewSession, SearchOptions, SearchOrder, Store};

use crate::support::{Home, found, raw, with_messages};

/// The ids of what is found, in ascending order.
fn sorted(store: &Store, query: &str) -> Vec<i64> {
    let options = SearchOptions::new(query).limit(1_000);
    let results = store.search(&options).unwrap();
    assert!(!results.degraded, "{query}");
    let mut ids: Vec<i64> = results.matches.iter().map(|hit| hit.id.0).collect();
    ids.sort_unstable();
    assert_eq!(
        store.search_count(&options).unwrap().count,
        ids.len() as u64,
        "{query}"
    );
    ids
}

#[test]
fn each_case_of_the_area_has_its_test_here() {
    let cases: BTreeSet<String> = testdata::cases("fts-languages")
        .iter()
        .map(|case| case["id"].as_str().unwrap().to_owned())
        .collect();
    let tested: BTreeSet<String> = include_str!("search_languages.rs")
        .lines()
        .filter_map(|line| line.strip_prefix("fn lang_"))
        .filter_map(|name| name.split('_').next())
        .map(|number| format!("LANG-{number}"))
        .collect();
    assert_eq!(tested, cases);
}

#[test]
fn lang_01_any_of_three_short_words_is_found() {
    let home = Home::new();
    let store = with_messages(&home, &["云南的云", "在大理", "洱海边", "别处"]);
    assert_eq!(sorted(&store, "云南 OR 大理 OR 洱海"), [1, 2, 3]);
}

#[test]
fn lang_03_short_words_are_demanded_and_excluded() {
    let home = Home::new();
    let store = with_messages(&home, &["大理 洱海", "大理", "洱海"]);
    assert_eq!(sorted(&store, "大理 AND 洱海"), [1]);
    assert_eq!(sorted(&store, "大理 洱海"), [1]);
    assert_eq!(sorted(&store, "大理 NOT 洱海"), [2]);
}

#[test]
fn lang_04_a_latin_word_that_touches_chinese_is_found() {
    let home = Home::new();
    let store = with_messages(&home, &["更新zephyr模块的文档", "nothing"]);
    for query in ["zephyr", "zephyr 模块", "zep", "Zephyr", "zephyr AND 文档"] {
        assert_eq!(sorted(&store, query), [1], "{query}");
    }
}

#[test]
fn lang_06_mixed_terms_are_all_demanded_ranked_and_highlighted() {
    let home = Home::new();
    let store = with_messages(&home, &["PPT 林远山 排班表", "林远山 出差"]);
    let matches = store
        .search(&SearchOptions::new("PPT 林远山 排班"))
        .unwrap()
        .matches;
    assert_eq!(matches.len(), 1);
    assert_eq!(matches[0].id.0, 1);
    let snippet = matches[0].snippet.as_deref().unwrap();
    assert!(snippet.contains(">>>林远山<<<"), "{snippet}");
}

#[test]
fn lang_07_a_word_is_found_with_and_without_blanks_around_it() {
    let home = Home::new();
    let mut texts = vec!["我今早到的"; 14];
    texts.extend(["今早 开会", "他 今早 走了"]);
    let store = with_messages(&home, &texts);
    assert_eq!(sorted(&store, "今早").len(), 16);
}

#[test]
fn lang_09_all_of_148_are_found_and_pages_hold_each_once() {
    let home = Home::new();
    let texts: Vec<String> = (0..148)
        .map(|n| format!("{n}我们去太行山第{}次", n % 7))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let store = with_messages(&home, &texts);
    let options = SearchOptions::new("太行山").limit(200);
    assert_eq!(store.search(&options).unwrap().matches.len(), 148);
    let mut all = Vec::new();
    for page in 0..8 {
        let options = SearchOptions::new("太行山").limit(20).offset(page * 20);
        let matches = store.search(&options).unwrap().matches;
        assert_eq!(matches.len(), if page < 7 { 20 } else { 8 });
        all.extend(matches.iter().map(|hit| hit.id.0));
    }
    all.sort_unstable();
    assert_eq!(all, Vec::from_iter(1..=148));
}

#[test]
fn lang_10_every_kind_of_character_is_found() {
    let home = Home::new();
    let characters = [
        "가",
        "힣",
        "ㄱ",
        "あ",
        "ア",
        "ｱ",
        "々",
        "𠀀",
        "〇",
        "ｆｕｌｌ",
    ];
    let store = with_messages(&home, &characters);
    for (id, character) in (1..).zip(characters) {
        assert_eq!(sorted(&store, character), [id], "{character}");
    }
    // Also in the middle of others.
    let store = with_messages(&Home::new(), &["x가ㄱ々𠀀〇ｱy"]);
    for character in ["가", "ㄱ", "々", "𠀀", "〇", "ｱ", "ㄱ々", "𠀀〇"] {
        assert_eq!(sorted(&store, character), [1], "{character}");
    }
}

#[test]
fn lang_12_arabic_words_are_found_behind_particles() {
    let home = Home::new();
    let store = with_messages(&home, &["مرحبا بالعالم", "nothing"]);
    for query in ["مرحبا", "العالم", "عالم*", "عالم", "مرحبا عالم"] {
        assert_eq!(sorted(&store, query), [1], "{query}");
    }
    assert_eq!(sorted(&store, "لعا"), [] as [i64; 0]);
}

/// Hebrew points are letters to the index: a text with them is another word. The crate's README
/// says so.
#[test]
fn lang_13_hebrew_is_found_and_marks_of_direction_do_not_count() {
    let home = Home::new();
    let store = with_messages(&home, &["שלום עולם", "שָׁלוֹם"]);
    assert_eq!(sorted(&store, "שלום"), [1]);
    assert_eq!(sorted(&store, "\u{200f}שלום"), [1]);
    assert_eq!(sorted(&store, "שָׁלוֹם"), [2]);
}

/// `ß` is a letter of its own to the index. The crate's README says so.
#[test]
fn lang_15_accents_and_case_are_folded() {
    let home = Home::new();
    let store = with_messages(&home, &["café naïve résumé İstanbul Straße ΣΊΣΥΦΟΣ"]);
    for query in ["cafe", "NAIVE", "resume", "istanbul", "σίσυφος", "straße"] {
        assert_eq!(sorted(&store, query), [1], "{query}");
    }
    assert_eq!(sorted(&store, "strasse"), [] as [i64; 0]);
}

#[test]
fn lang_16_composed_and_decomposed_letters_are_found_either_way() {
    let home = Home::new();
    let decomposed = "\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}";
    let store = with_messages(
        &home,
        &[
            "e\u{301}tude",
            "étude",
            "한국",
            decomposed,
            "мои\u{306}",
            "мой",
            "カ\u{3099}ス",
            "ガス",
        ],
    );
    for (queries, ids) in [
        (["étude", "e\u{301}tude"], [1, 2]),
        (["한국", decomposed], [3, 4]),
        (["мой", "мои\u{306}"], [5, 6]),
        (["ガス", "カ\u{3099}ス"], [7, 8]),
    ] {
        for query in queries {
            assert_eq!(sorted(&store, query), ids, "{query}");
        }
    }
}

#[test]
fn every_script_without_blanks_is_found_by_any_part_of_a_word() {
    for (text, parts) in [
        ("ระบบฐานข้อมูลล้มเหลว", ["ฐานข้อมูล", "ล้ม", "ฐ"]),
        ("ລະບົບຖານຂໍ້ມູນ", ["ຖານ", "ຂໍ້", "ຖ"]),
        ("ប្រព័ន្ធទិន្នន័យ", ["ទិន្នន័យ", "ទិ", "យ"]),
        ("ဒေတာဘေ့စ်ချိတ်ဆက်မှု", ["ဘေ့စ်", "ချိ", "ဒ"]),
        ("གཞི་གྲངས་མཛོད", ["གྲངས", "མཛ", "ཛ"]),
        ("ﾃﾞｰﾀﾍﾞｰｽｾﾂｿﾞｸ", ["ｾﾂｿﾞｸ", "ｾﾂ", "ｿ"]),
        ("데이터베이스연결을", ["베이스", "연결", "결"]),
        ("𠮷野家𪛖𰀀で", ["𠮷野家", "𪛖𰀀", "𰀀"]),
    ] {
        let home = Home::new();
        let store = with_messages(&home, &["nothing of it", text, &format!("x {text} y")]);
        for part in parts {
            assert_eq!(sorted(&store, part), [2, 3], "{part}");
            assert_eq!(sorted(&store, &format!("{part} NOT x")), [2], "{part}");
        }
    }
}

#[test]
fn emoji_and_signs_are_found() {
    let home = Home::new();
    let store = with_messages(&home, &["ok 😀", "a→b", "👩‍💻 at work", "x -> y", "❤️", "é"]);
    for (query, id) in [
        ("😀", 1),
        ("→", 2),
        ("👩‍💻", 3),
        ("💻", 3),
        ("->", 4),
        ("❤", 5),
        ("❤️", 5),
    ] {
        assert_eq!(sorted(&store, query), [id], "{query}");
    }
    assert_eq!(sorted(&store, "😀 OR →"), [1, 2]);
}

#[test]
fn glued_words_come_last_and_only_where_a_page_is_not_full() {
    let home = Home::new();
    let mut texts = vec!["用zephyr部署", "zephyr模块", "我的zephyr"];
    texts.extend(["a zephyr", "zephyr again", "zephyrs", "zephyr"]);
    let store = with_messages(&home, &texts);
    let search = |limit, offset| {
        let options = SearchOptions::new("zephyr").limit(limit).offset(offset);
        let matches = store.search(&options).unwrap().matches;
        matches.iter().map(|hit| hit.id.0).collect::<Vec<_>>()
    };
    let all = search(20, 0);
    assert_eq!(all.len(), 6);
    assert_eq!(all[3..], [3, 2, 1], "behind the words, the newest first");
    let count = |limit| {
        let options = SearchOptions::new("zephyr").limit(limit);
        store.search_count(&options).unwrap().count
    };
    assert_eq!((count(20), count(4), count(3)), (6, 6, 3));
    // Pages fit together, whichever they are.
    for limit in 4..8 {
        let pages: Vec<i64> = (0..3)
            .flat_map(|page| search(limit, page * limit))
            .collect();
        assert_eq!(pages, all, "{limit}");
    }
    let pages: Vec<i64> = (0..3).flat_map(|page| search(3, page * 3)).collect();
    assert_eq!(pages, all[..3]);
    let snippet = store.search(&SearchOptions::new("zephyr")).unwrap().matches[3]
        .snippet
        .clone()
        .unwrap();
    assert_eq!(snippet, "我的>>>zephyr<<<");
    // By time they take their places.
    let newest = SearchOptions::new("zephyr").order(SearchOrder::Newest);
    let matches = store.search(&newest.limit(4)).unwrap().matches;
    let ids: Vec<i64> = matches.iter().map(|hit| hit.id.0).collect();
    assert_eq!(ids, [7, 5, 4, 3]);
}

#[test]
fn short_words_are_found_where_they_touch_chinese() {
    let home = Home::new();
    let store = with_messages(&home, &["go语言", "学go。", "用c写", "a good go", "gone"]);
    assert_eq!(sorted(&store, "go"), [1, 2, 4]);
    assert_eq!(sorted(&store, "c"), [3]);
    assert_eq!(found(&store, "go 语言"), [1]);
}

#[test]
fn a_character_at_the_end_of_all_that_is_indexed_is_found() {
    let home = Home::new();
    let store = with_messages(&home, &["末尾"]);
    let called = NewMessage::new("s", "tool").content("x").tool_name("搜索");
    store.append_message(&called).unwrap();
    for (query, id) in [("尾", 1), ("末尾", 1), ("索", 2), ("搜", 2), ("搜索", 2)] {
        assert_eq!(sorted(&store, query), [id], "{query}");
    }
}

#[test]
fn words_that_python_wrote_as_escapes_are_found_behind_the_others() {
    let home = Home::new();
    let store = with_messages(&home, &["привет docker", "Привет", "docker"]);
    let calls = r#"[{"function": {"name": "web", "arguments": "{\"q\": \"\\u041f\\u0440\\u0438\\u0432\\u0435\\u0442, docker\"}"}}]"#;
    raw(&home.path())
        .execute(
            "INSERT INTO messages (session_id, role, tool_calls, timestamp) VALUES ('s', 'assistant', ?1, 9.0)",
            [calls],
        )
        .unwrap();
    assert_eq!(found(&store, "привет"), [2, 1, 4]);
    assert_eq!(found(&store, "привет docker"), [1, 4]);
    assert_eq!(sorted(&store, "привет NOT docker"), [2]);
    let matches = store.search(&SearchOptions::new("привет")).unwrap().matches;
    let snippet = matches[2].snippet.as_deref().unwrap();
    assert!(snippet.contains(">>>Привет<<<, docker"), "{snippet}");
}

#[test]
fn glued_words_keep_to_filters_classes_and_groups() {
    let home = Home::new();
    let store = home.store();
    for (id, source) in [("a", "cli"), ("b", "cron"), ("c", "cli")] {
        store.create_session(&NewSession::new(id, source)).unwrap();
        let texts: &[&str] = match id {
            "a" => &["zephyr", "用zephyr部署"],
            "b" => &["zephyr", "zephyr模块"],
            _ => &["我的zephyr"],
        };
        for text in texts {
            store
                .append_message(&NewMessage::new(id, "user").content(*text))
                .unwrap();
        }
    }
    let ids = |options: &SearchOptions| {
        let matches = store.search(options).unwrap().matches;
        let count = store.search_count(options).unwrap().count;
        assert_eq!(count, matches.len() as u64, "{options:?}");
        matches.iter().map(|hit| hit.id.0).collect::<Vec<_>>()
    };
    let zephyr = || SearchOptions::new("zephyr");
    assert_eq!(ids(&zephyr()), [1, 3, 5, 4, 2]);
    assert_eq!(ids(&zephyr().source("cron")), [3, 4]);
    assert_eq!(ids(&zephyr().demote_source("cron")), [1, 5, 2, 3, 4]);
    assert_eq!(ids(&zephyr().collapse(Collapse::Session)), [1, 3, 5]);
    let groups = store.search_groups(&zephyr()).unwrap().groups;
    let groups: Vec<_> = groups
        .iter()
        .map(|group| (group.id.as_str(), group.matches))
        .collect();
    assert_eq!(groups, [("a", 2), ("b", 2), ("c", 1)]);
}

/// A message whose session is gone does not take the place of one that is there.
#[test]
fn orphans_take_up_no_room_on_a_page() {
    let home = Home::new();
    let store = with_messages(&home, &["quokka"; 6]);
    let conn = raw(&home.path());
    conn.execute_batch(
        "PRAGMA foreign_keys = OFF;
         UPDATE messages SET session_id = 'gone' WHERE id IN (1, 3);",
    )
    .unwrap();
    let options = SearchOptions::new("quokka").limit(3);
    let ids = |options: &SearchOptions| {
        let matches = store.search(options).unwrap().matches;
        matches.iter().map(|hit| hit.id.0).collect::<Vec<_>>()
    };
    assert_eq!(ids(&options), [2, 4, 5]);
    assert_eq!(ids(&options.clone().offset(3)), [6]);
    assert_eq!(store.search_count(&options).unwrap().count, 4);
}
