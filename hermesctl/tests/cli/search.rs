//! `search`: what it finds, how it looks, and what it says when it finds nothing.

use std::path::Path;

use serde_json::{Value, json};
use testdata::{Fixture, fixture};

use crate::program::{Run, fed, left_alone, run_on};

fn search(store: &Path, args: &[&str]) -> Run {
    run_on(store, &[&["search"], args].concat()).ok()
}

fn found(store: &Path, args: &[&str]) -> Value {
    run_on(store, &[&["--json", "search"], args].concat())
        .ok()
        .json()
}

fn ids(found: &Value) -> Vec<i64> {
    let matches = found["matches"].as_array().unwrap();
    matches
        .iter()
        .map(|one| one["id"].as_i64().unwrap())
        .collect()
}

/// The output without how long ago something was.
fn without_ages(text: &str) -> String {
    let lines = text.lines().map(|line| match line.split_once(" ago #") {
        Some((before, id)) => {
            let words: Vec<&str> = before.split(' ').collect();
            format!("{} [age] #{id}", words[..words.len() - 2].join(" "))
        }
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A store with one session of these messages.
fn store_of(folder: &Path, messages: &[Value]) -> std::path::PathBuf {
    let line = json!({"id": "s1", "source": "cli", "title": "One", "messages": messages});
    let file = folder.join("import.jsonl");
    std::fs::write(&file, line.to_string()).unwrap();
    let db = folder.join("state.db");
    run_on(&db, &["sessions", "import", file.to_str().unwrap()]).ok();
    db
}

#[test]
fn every_filter_narrows() {
    let store = fixture("v11.db");
    let all = ids(&found(store.path(), &["zebra"]));
    assert_eq!(all.len(), 9);
    let narrowed = |args: &[&str]| {
        let mut some = ids(&found(store.path(), &[&["zebra"], args].concat()));
        assert!(some.iter().all(|id| all.contains(id)), "{args:?}: {some:?}");
        some.sort_unstable();
        some
    };
    assert_eq!(
        narrowed(&["--session", "dc_odd"]),
        narrowed(&["--source", "discord"])
    );
    assert_eq!(narrowed(&["--session", "Docker setup #2"]), [5]);
    assert_eq!(narrowed(&["--tool", "web_search"]), [12]);
    assert_eq!(narrowed(&["--title", "setup #3"]), [7, 8]);
    assert_eq!(narrowed(&["--role", "tool"]), [12]);
    let lineage = narrowed(&["--lineage", "Docker setup #2"]);
    assert!(lineage.len() > 2 && lineage.contains(&7), "{lineage:?}");
    let rest = narrowed(&["--exclude-lineage", "Docker setup #2"]);
    assert_eq!(lineage.len() + rest.len(), all.len());
    assert_eq!(
        narrowed(&["--exclude-session", "dc_odd", "--source", "discord"]),
        [0; 0]
    );
    assert_eq!(narrowed(&["--model", "nobody"]), [0; 0]);
    let early = narrowed(&["--until", "2025-11-01"]);
    let late = narrowed(&["--since", "2025-11-02"]);
    assert_eq!(early.len() + late.len(), all.len());
    assert!(!early.is_empty() && !late.is_empty());
    assert_eq!(
        narrowed(&["--since", "2025-11", "--until", "2025"]),
        narrowed(&[])
    );
    assert_eq!(narrowed(&["--since", "2h"]), [0; 0]);
    assert_eq!(narrowed(&["--until", "2h"]), narrowed(&[]));
}

#[test]
fn a_session_that_is_not_there_and_a_time_that_is_none_are_errors() {
    let store = fixture("v11.db");
    for (args, code, says) in [
        (&["zebra", "--session", "nobody"][..], 1, "no session"),
        (&["zebra", "--lineage", "2025"], 1, "several sessions"),
        (&["zebra", "--since", "7"], 64, "7d"),
        (&["zebra", "--since", "soon"], 64, "yesterday"),
        (
            &["zebra", "--since", "now", "--until", "1d"],
            1,
            "later than until",
        ),
        (&["zebra", "-C", "1001"], 64, "1000"),
        (&["zebra", "--count", "--open"], 64, "cannot be used"),
        (
            &["zebra", "--by-session", "--by-lineage"],
            64,
            "cannot be used",
        ),
    ] {
        let run = run_on(store.path(), &[&["search"], args].concat());
        assert_eq!(run.code, code, "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains(says), "{args:?}: {}", run.stderr);
    }
}

#[test]
fn the_order_is_by_rank_or_by_time() {
    let store = fixture("v11.db");
    let times = |sort: &str| -> Vec<f64> {
        let found = found(store.path(), &["zebra", "--sort", sort]);
        let matches = found["matches"].as_array().unwrap();
        matches
            .iter()
            .map(|one| one["timestamp"].as_f64().unwrap())
            .collect()
    };
    let (newest, oldest) = (times("newest"), times("oldest"));
    assert!(newest.is_sorted_by(|a, b| a >= b) && oldest.is_sorted());
    assert_ne!(times("rank"), newest);
}

#[test]
fn matches_stand_under_their_session_which_says_how_many_it_has() {
    let store = fixture("v11.db");
    let text = search(store.path(), &["zebra", "-n", "4"]).stdout;
    insta::assert_snapshot!(without_ages(&text));
    let one = search(store.path(), &["zebra", "-n", "9"]).stdout;
    assert!(!one.contains(" of "), "{one}");
    let sessions = one.lines().filter(|line| line.contains(" · ")).count();
    assert_eq!(sessions, 6, "each session once: {one}");
}

#[test]
fn a_session_or_a_lineage_is_shown_by_its_first_match() {
    let store = fixture("v11.db");
    let collapsed = found(store.path(), &["zebra", "--by-session"]);
    let matches = collapsed["matches"].as_array().unwrap();
    assert_eq!(matches.len(), 6);
    let further: i64 = matches
        .iter()
        .map(|one| one["further"].as_i64().unwrap())
        .sum();
    assert_eq!(further, 3);
    let lineages = found(store.path(), &["zebra", "--by-lineage"]);
    let lineages = lineages["matches"].as_array().unwrap();
    assert_eq!(lineages.len(), 4);
    assert!(
        lineages
            .iter()
            .any(|one| one["lineage"] == "20251101_090000_root01")
    );
    let text = search(store.path(), &["zebra", "--by-lineage"]).stdout;
    assert!(text.contains(" · 1 more"), "{text}");
    let paged = search(store.path(), &["zebra", "--by-lineage", "-n", "2"]).stdout;
    assert!(
        paged.ends_with("more: --offset 2, or --limit N (9 matches in 4 lineages)\n"),
        "{paged}"
    );
}

#[test]
fn they_are_counted_without_being_shown() {
    let store = fixture("v11.db");
    let count =
        |args: &[&str]| search(store.path(), &[&["--count", "zebra"], args].concat()).stdout;
    assert_eq!(count(&[]), "9\n");
    assert_eq!(count(&["-n", "1", "--offset", "3"]), "9\n");
    assert_eq!(count(&["--by-session"]), "6\n");
    assert_eq!(count(&["--since", "now"]), "0\n");
    assert_eq!(
        found(store.path(), &["--count", "zebra"]),
        json!({"query": "zebra", "count": 9, "degraded": false, "truncated_query": false})
    );
}

#[test]
fn messages_are_shown_whole_when_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let long = format!(
        "{}\nthe needle\n{}",
        "hay ".repeat(300),
        "straw ".repeat(300)
    );
    let db = store_of(
        folder.path(),
        &[
            json!({"role": "user", "content": "before"}),
            json!({"role": "assistant", "content": long}),
            json!({"role": "user", "content": "a needle, too"}),
        ],
    );
    let open = search(&db, &["needle", "--open"]).stdout;
    assert_eq!(open.matches("hay").count(), 300);
    assert!(
        open.contains("\n    the needle\n") && open.contains("← found"),
        "{open}"
    );
    assert!(!open.contains("before"));
    let around = search(&db, &["needle", "--open", "-C", "1"]).stdout;
    assert_eq!(around.matches("\n    before\n").count(), 1, "{around}");
    assert_eq!(around.matches("the needle").count(), 1, "{around}");
    assert_eq!(around.matches("a needle, too").count(), 1, "{around}");
    let rows = found(&db, &["needle", "--open"]);
    let texts: Vec<&Value> = rows["matches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["message"]["content"])
        .collect();
    assert!(texts.contains(&&json!(long)), "{rows}");
}

#[test]
fn the_context_is_as_wide_as_asked_and_nothing_is_shown_twice() {
    let folder = tempfile::tempdir().unwrap();
    let messages: Vec<Value> = (0..10)
        .map(|n| json!({"role": "user", "content": format!("line{n} {}", if n == 4 || n == 6 { "needle" } else { "hay" })}))
        .collect();
    let db = store_of(folder.path(), &messages);
    let lines = |args: &[&str]| {
        let text = search(&db, &[&["needle", "--sort", "oldest"], args].concat()).stdout;
        let lines = text.lines().filter_map(|line| line.split("line").nth(1));
        lines
            .map(|line| line.split(' ').next().unwrap().parse().unwrap())
            .collect::<Vec<u8>>()
    };
    assert_eq!(lines(&[]), [4, 6]);
    assert_eq!(lines(&["-C", "1"]), [3, 4, 5, 6, 7]);
    assert_eq!(lines(&["-C", "3"]), [1, 2, 3, 4, 5, 7, 6, 8, 9]);
    assert_eq!(lines(&["-C", "1000"]), [0, 1, 2, 3, 4, 5, 7, 8, 9, 6]);
    let wide = found(&db, &["needle", "-C", "3", "-n", "1", "--sort", "oldest"]);
    assert_eq!(wide["matches"][0]["context"].as_array().unwrap().len(), 7);
    let narrow = found(&db, &["needle", "-n", "1", "--sort", "oldest"]);
    assert_eq!(narrow["matches"][0]["context"].as_array().unwrap().len(), 3);
}

#[test]
fn what_to_try_is_told_on_stderr_when_nothing_is_found() {
    let store = fixture("v11.db");
    let hints = |args: &[&str]| {
        let run = search(store.path(), args);
        assert_eq!(run.stdout, "no matches\n", "{args:?}");
        run.stderr
    };
    assert_eq!(
        hints(&["zebar"]),
        "hint: did you mean `zebra`? (9 matches)\n"
    );
    insta::assert_snapshot!(hints(&["zebra dokcer xyzzyx"]));
    assert_eq!(
        hints(&["zebra", "--since", "2h"]),
        "hint: 9 matches without --since\n"
    );
    assert_eq!(
        hints(&["docker", "--since", "2h", "--role", "tool"]),
        "hint: 3 matches without --since and --role\n"
    );
    assert_eq!(hints(&[""]), "hint: the query looks for nothing\n");
    assert!(hints(&["AND -"]).starts_with("hint: the query looks for nothing\n"));
    assert_eq!(
        hints(&["zebra", "--offset", "100"]),
        "hint: there are fewer matches than --offset skips\n"
    );
    let newer = fixture("v22.db");
    let inactive = search(newer.path(), &["take this back"]);
    assert_eq!(inactive.stderr, "hint: 1 match with --inactive\n");
}

#[test]
fn programs_get_what_to_try_as_a_field() {
    let store = fixture("v11.db");
    let nothing = found(store.path(), &["zebar"]);
    assert_eq!(
        nothing["suggestions"]["queries"],
        json!([{"query": "zebra", "kind": "spelling", "without": [], "count": 9}])
    );
    let filtered = found(store.path(), &["zebra", "--since", "2h"]);
    assert_eq!(
        filtered["suggestions"]["queries"][0]["without"],
        json!(["since"])
    );
    for args in [
        &["zebra"][..],
        &["zebar", "-n", "0"],
        &["zebar", "--offset", "1"],
    ] {
        assert!(
            found(store.path(), args).get("suggestions").is_none(),
            "{args:?}"
        );
    }
}

#[test]
fn a_query_is_explained_before_its_matches() {
    let store = fixture("v11.db");
    let text = search(store.path(), &["--explain", "docker", "OR", "x*", "AND"]).stdout;
    assert!(
        text.starts_with("looks for one of:\n  the word docker\n"),
        "{text}"
    );
    assert!(
        text.contains("left out:\n  AND: ") && text.contains(">>>docker<<<"),
        "{text}"
    );
    let rows = found(store.path(), &["--explain", "docker"]);
    assert_eq!(rows["explanation"]["plan"], "words");
    assert_eq!(rows["matches"].as_array().unwrap().len(), 3);
}

#[test]
fn messages_that_were_taken_back_are_found_when_asked_for() {
    let store = fixture("v22.db");
    let query = ["rewound", "OR", "take this back", "OR", "long reply"];
    let live = ids(&found(store.path(), &query));
    assert!(live.contains(&73) && !live.contains(&70), "{live:?}");
    let mut all = ids(&found(
        store.path(),
        &[&query[..], &["--inactive"]].concat(),
    ));
    all.sort_unstable();
    assert!([70, 71, 73].iter().all(|id| all.contains(id)), "{all:?}");
}

#[test]
fn a_damaged_index_is_told_with_what_mends_it() {
    let store = fixture("damaged_missing_fts_table_v11.db");
    let run = search(store.path(), &["zebra"]);
    assert!(
        run.stderr.contains("warning: searched message by message"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("hermesctl db migrate"),
        "{}",
        run.stderr
    );
    assert!(
        run.stdout.contains(">>>zebra<<<"),
        "marked all the same: {}",
        run.stdout
    );
    assert_eq!(found(store.path(), &["zebra"])["degraded"], true);
    let long = format!("zebra {}", "a".repeat(3_000));
    let cut = run_on(fixture("v11.db").path(), &["search", &long]).ok();
    assert!(cut.stderr.contains("2,048 characters"), "{}", cut.stderr);
}

#[test]
fn nothing_that_is_stored_steers_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let evil = "\u{1b}[2J\u{1b}]0;x\u{7}\u{9b}31m \u{202e} \u{fdd0}not a mark\u{fdd1} needle \u{0}";
    let db = store_of(
        folder.path(),
        &[
            json!({"role": evil, "content": evil, "tool_name": evil}),
            json!({"role": "user", "content": format!("{evil}{}", "x ".repeat(5_000))}),
            json!({"role": "user", "content": "needles\u{1b}[31m"}),
        ],
    );
    let harmless = |text: &str| {
        text.chars()
            .all(|c| c == '\n' || (!c.is_control() && c != '\u{202e}'))
    };
    for args in [
        &["needle"][..],
        &["needle", "-C", "5"],
        &["needle", "--open", "-C", "2"],
        &["needle", "--by-session"],
        &["needle", "--explain"],
        &["needels\u{1b}[31m"],
        &["\u{1b}[31m needel", "--explain"],
    ] {
        let run = search(&db, args);
        assert!(harmless(&run.stdout), "{args:?}: {:?}", run.stdout);
        assert!(harmless(&run.stderr), "{args:?}: {:?}", run.stderr);
    }
    // In colour, only the colours of this program are there.
    let run = run_on(&db, &["--color", "always", "search", "needle"]).ok();
    let ours = [
        "\u{1b}[0m",
        "\u{1b}[1m",
        "\u{1b}[2m",
        "\u{1b}[33m",
        "\u{1b}[36m",
    ];
    let left = ours
        .iter()
        .fold(run.stdout, |text, code| text.replace(code, ""));
    assert!(harmless(&left), "{left:?}");
}

#[test]
fn any_limit_and_any_offset_will_do() {
    let store = fixture("v11.db");
    let most = usize::MAX.to_string();
    assert_eq!(ids(&found(store.path(), &["zebra", "-n", &most])).len(), 9);
    assert_eq!(
        ids(&found(
            store.path(),
            &["zebra", "-n", &most, "--offset", "7"]
        ))
        .len(),
        2
    );
    assert!(ids(&found(store.path(), &["zebra", "--offset", &most])).is_empty());
    assert!(
        search(store.path(), &["zebra", "-n", &most])
            .stdout
            .contains("#40")
    );
    let none = search(store.path(), &["zebra", "-n", "0"]);
    assert!(none.stdout.contains("more: --offset 0"), "{}", none.stdout);
}

#[test]
fn standard_input_may_hold_the_query() {
    let store: Fixture = fixture("v11.db");
    let db = store.path().to_str().unwrap();
    let run = fed(
        store.dir(),
        &["--db", db, "search", "--count", "-"],
        b"zebra\n",
    )
    .ok();
    assert_eq!(run.stdout, "9\n");
    let bad = fed(store.dir(), &["--db", db, "search", "-"], b"\xff\xfe");
    assert_eq!(bad.code, 1);
    assert!(bad.stderr.contains("UTF-8"), "{}", bad.stderr);
}

#[test]
fn a_reader_that_leaves_ends_it_quietly() {
    let store = fixture("v11.db");
    for args in [
        &["search", "zebra", "-C", "1"][..],
        &["--json", "search", "zebra"],
        &["search", "zebar"],
    ] {
        let (code, complaint) = left_alone(&store, args);
        assert_eq!(code, Some(0), "{args:?}");
        assert!(!complaint.contains("error"), "{args:?}: {complaint}");
    }
}

#[test]
fn without_a_store_nothing_is_found_and_nothing_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let db = folder.path().join("state.db");
    assert_eq!(found(&db, &["zebra"])["matches"], json!([]));
    assert_eq!(found(&db, &["zebra", "--count"])["count"], 0);
    assert!(search(&db, &["zebra"]).stdout.contains("no sessions yet"));
    assert!(!db.exists());
}

#[test]
fn sessions_are_listed_by_title_id_and_activity_with_how_they_begin() {
    let store = fixture("v11.db");
    let list = |args: &[&str]| -> Vec<String> {
        let run = run_on(
            store.path(),
            &[&["--json", "sessions", "list"], args].concat(),
        )
        .ok();
        let sessions = run.json()["sessions"].as_array().unwrap().clone();
        let titles = sessions
            .iter()
            .map(|session| session["title"].as_str().unwrap_or("").to_owned());
        titles.collect()
    };
    let titled = list(&["--title", "docker setup", "--by", "match"]);
    assert!(
        !titled.is_empty()
            && titled
                .iter()
                .all(|title| title.to_lowercase().contains("docker setup")),
        "{titled:?}"
    );
    assert!(list(&["--title", "2025"]).is_empty());
    let begins = run_on(
        store.path(),
        &[
            "sessions",
            "list",
            "--id-prefix",
            "20251101_09",
            "--preview",
        ],
    )
    .ok()
    .stdout;
    assert!(
        begins.contains("Docker setup #3 · Please set up docker"),
        "{begins}"
    );
    assert!(list(&["--id-prefix", "0251101"]).is_empty());
}

// RANK-16
#[test]
fn ages_narrow_a_search_in_every_script() {
    let folder = tempfile::tempdir().unwrap();
    let now = std::time::SystemTime::now();
    let now = now
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_secs_f64();
    let messages: Vec<Value> = [10.0, 5.0, 1.0]
        .iter()
        .map(|days| {
            let time = now - days * 86_400.0;
            json!({"role": "user", "content": format!("zebra 洱海 {days}"), "timestamp": time})
        })
        .collect();
    let db = store_of(folder.path(), &messages);
    for query in ["zebra", "洱海"] {
        let within = |args: &[&str]| ids(&found(&db, &[&[query], args].concat()));
        assert_eq!(within(&["--since", "7d", "--until", "2d"]), [2], "{query}");
        assert_eq!(within(&["--since", "yesterday", "--until", "today"]), [3]);
        assert_eq!(within(&["--until", "1w"]), [1]);
        assert_eq!(within(&["--since", "1mo"]).len(), 3);
    }
}
