//! Searching: beside a bare statement on a connection with the same settings, with and without the
//! messages around each match; beside a writer; and as the store grows.

use std::io::Read;
use std::path::Path;
use std::time::Instant;

use hermes_state::{SearchOptions, Store};
use rusqlite::{Connection, OpenFlags, params};

use crate::append::texts;
use crate::report::{Report, median, ms, percentile};
use crate::workload::{self, Generator};
use crate::writers;

/// Runs of each query.
const RUNS: usize = 41;
const SLOW_RUNS: usize = 7;

/// How a query is looked up by the bare statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lookup {
    Words,
    Trigram,
    Rows,
}

struct Query {
    name: &'static str,
    query: String,
    lookup: Lookup,
    limit: Limit,
}

/// What p50 of ours, context included, may be.
#[derive(Clone, Copy)]
enum Limit {
    /// 1.3 times the bare statement without context, and 0.2 ms.
    NearBare,
    /// Not more than the bare statement without context.
    Bare,
    Ms(f64),
}

const BARE: &str = "SELECT m.id, m.session_id, m.role, snippet(TABLE, 0, '>>>', '<<<', '...', 40),
        m.timestamp, m.tool_name, s.source, s.model, s.started_at
    FROM TABLE JOIN messages m ON m.id = TABLE.rowid JOIN sessions s ON s.id = m.session_id
    WHERE TABLE MATCH ?1 ORDER BY rank LIMIT 20";

const BARE_ROWS: &str = "SELECT m.id, m.session_id, m.role,
        substr(m.content, max(1, instr(m.content, ?1) - 40), 120),
        m.timestamp, m.tool_name, s.source, s.model, s.started_at
    FROM messages m JOIN sessions s ON s.id = m.session_id
    WHERE m.content LIKE '%' || ?1 || '%' OR m.tool_name LIKE '%' || ?1 || '%'
        OR m.tool_calls LIKE '%' || ?1 || '%'
    ORDER BY m.timestamp DESC LIMIT 20";

const BARE_CONTEXT: [&str; 3] = [
    "SELECT role, content FROM messages WHERE session_id = ?1
        AND (timestamp < ?2 OR (timestamp = ?2 AND id < ?3)) ORDER BY timestamp DESC, id DESC LIMIT 1",
    "SELECT role, content FROM messages WHERE session_id = ?1 AND timestamp = ?2 AND id = ?3",
    "SELECT role, content FROM messages WHERE session_id = ?1
        AND (timestamp > ?2 OR (timestamp = ?2 AND id > ?3)) ORDER BY timestamp, id LIMIT 1",
];

pub(crate) fn run(report: &mut Report) {
    let path = workload::big();
    let store = Store::open_read_only(&path).unwrap();
    let bare = bare(&path);
    let queries = queries(&bare);
    tell(&queries);
    for query in &queries {
        measure(report, &store, &bare, query);
    }
}

/// Leaves the queries where a real release finds them.
fn tell(queries: &[Query]) {
    let texts: serde_json::Map<String, serde_json::Value> = queries
        .iter()
        .map(|query| (query.name.to_owned(), query.query.as_str().into()))
        .collect();
    let text = serde_json::to_string(&texts).unwrap();
    std::fs::write(workload::folder().join("queries.json"), text).unwrap();
}

/// A connection as a reader of the store has it.
fn bare(path: &Path) -> Connection {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags).unwrap();
    conn.set_db_config(
        rusqlite::config::DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG,
        true,
    )
    .unwrap();
    conn.pragma_update(None, "cache_size", -(16 << 10)).unwrap();
    conn.pragma_update(None, "temp_store", "MEMORY").unwrap();
    conn
}

/// Queries of every kind, from the words of the store.
fn queries(conn: &Connection) -> Vec<Query> {
    let generator = Generator::new(1);
    let count = |table: &str, expression: &str| -> i64 {
        let sql = format!("SELECT COUNT(*) FROM {table} WHERE {table} MATCH ?1");
        let quoted = format!("\"{expression}\"");
        conn.query_row(&sql, [quoted], |row| row.get(0)).unwrap()
    };
    conn.execute_batch(
        "DROP TABLE IF EXISTS temp.terms;
         CREATE VIRTUAL TABLE temp.terms USING fts5vocab('main', 'messages_fts', 'row');",
    )
    .unwrap();
    // The word with the most matches of not more than so many.
    let word = |most: i64| -> String {
        let sql = "SELECT term FROM temp.terms WHERE doc <= ?1 AND term NOT GLOB '*[^a-z]*'
            AND length(term) > 3 ORDER BY doc DESC, term LIMIT 1";
        conn.query_row(sql, [most], |row| row.get(0)).unwrap()
    };
    let (common, middle, other, rare) = (word(50_000), word(3_000), word(2_500), word(30));
    let prose = |n: i64| -> String {
        let sql = "SELECT content FROM messages WHERE id >= ?1 AND role = 'assistant'
            AND length(content) > 200 LIMIT 1";
        conn.query_row(sql, [n], |row| row.get(0)).unwrap()
    };
    let text = prose(100_001);
    let pairs: Vec<String> = text
        .split_whitespace()
        .zip(text.split_whitespace().skip(1))
        .map(|(a, b)| format!("{a} {b}"))
        .collect();
    let phrase = pairs
        .iter()
        .find(|pair| (2..40).contains(&count("messages_fts", pair)))
        .unwrap();
    let dotted = generator
        .latin_words()
        .iter()
        .skip(1_000)
        .map(|word| format!("{word}.rs"))
        .find(|file| count("messages_fts", &file.replace('.', " ")) < 400)
        .unwrap();
    let han = |chars: usize| {
        generator
            .han_words()
            .iter()
            .skip(if chars == 1 { 0 } else { 40 })
            .find(|word| word.chars().count() == chars)
            .unwrap()
            .clone()
    };
    let prefix = format!("{}*", common.get(..3).unwrap());
    let query = |name, query, lookup, limit| Query {
        name,
        query,
        lookup,
        limit,
    };
    vec![
        query("rare word", rare.clone(), Lookup::Words, Limit::NearBare),
        query(
            "two words",
            format!("{middle} {other}"),
            Lookup::Words,
            Limit::NearBare,
        ),
        query(
            "phrase",
            format!("\"{phrase}\""),
            Lookup::Words,
            Limit::NearBare,
        ),
        query("dotted", dotted, Lookup::Words, Limit::NearBare),
        query("prefix", prefix, Lookup::Words, Limit::Bare),
        query("common word", common.clone(), Lookup::Words, Limit::Bare),
        query("CJK 3", han(3), Lookup::Trigram, Limit::NearBare),
        query("CJK 2", han(2), Lookup::Rows, Limit::Ms(2.0)),
        query("CJK 1", han(1), Lookup::Rows, Limit::Ms(20.0)),
    ]
}

fn measure(report: &mut Report, store: &Store, conn: &Connection, query: &Query) {
    let name = query.name;
    let options = SearchOptions::new(query.query.as_str());
    let count = store.search_count(&options).unwrap().count;
    println!("   {name}: {:?}, {count} matches", query.query);
    let runs = if query.lookup == Lookup::Rows {
        SLOW_RUNS
    } else {
        RUNS
    };
    let mut times = [const { Vec::new() }; 4];
    for _ in 0..runs {
        let mut take = |which: usize, body: &mut dyn FnMut() -> usize| {
            let began = Instant::now();
            let found = body();
            times[which].push(ms(began.elapsed()));
            assert!(found > 0, "{name}: nothing found");
        };
        take(0, &mut || store.search(&options).unwrap().matches.len());
        let without = options.clone().context(0);
        take(1, &mut || store.search(&without).unwrap().matches.len());
        take(2, &mut || bare_search(conn, query, true));
        take(3, &mut || bare_search(conn, query, false));
    }
    let [ours, without, bare_context, bare] = times.map(median);
    report.note(&format!("{name}: ours without context"), without, "ms");
    report.note(&format!("{name}: bare with context"), bare_context, "ms");
    report.note(&format!("{name}: bare without context"), bare, "ms");
    let limit = match query.limit {
        Limit::NearBare => 1.3 * bare + 0.2,
        Limit::Bare => bare,
        Limit::Ms(limit) => limit,
    };
    report.at_most(&format!("{name}: ours"), ours, "ms", limit);
}

fn bare_search(conn: &Connection, query: &Query, context: bool) -> usize {
    let (sql, value) = match query.lookup {
        Lookup::Words => (
            BARE.replace("TABLE", "messages_fts"),
            expression(&query.query),
        ),
        Lookup::Trigram => (
            BARE.replace("TABLE", "messages_fts_trigram"),
            format!("\"{}\"", query.query),
        ),
        Lookup::Rows => (BARE_ROWS.to_owned(), query.query.clone()),
    };
    let mut statement = conn.prepare_cached(&sql).unwrap();
    let width = statement.column_count();
    let mut rows = statement.query([value]).unwrap();
    let mut found = Vec::new();
    while let Some(row) = rows.next().unwrap() {
        let row: Vec<rusqlite::types::Value> = (0..width).map(|n| row.get(n).unwrap()).collect();
        found.push(row);
    }
    if context {
        for row in &found {
            for sql in BARE_CONTEXT {
                let mut statement = conn.prepare_cached(sql).unwrap();
                let mut rows = statement.query(params![row[1], row[4], row[0]]).unwrap();
                if let Some(row) = rows.next().unwrap() {
                    let _: (String, Option<String>) = (row.get(0).unwrap(), row.get(1).unwrap());
                }
            }
        }
    }
    found.len()
}

fn expression(query: &str) -> String {
    hermes_fts::sanitize(query).as_str().to_owned()
}

/// The longest waits while another process appends as fast as it can.
pub(crate) fn beside_a_writer(report: &mut Report) {
    const SEARCHES: usize = 400;
    let path = workload::copy(&workload::big(), "search");
    let store = Store::open(&path).unwrap();
    let queries = queries(&bare(&path));
    let fast: Vec<SearchOptions> = queries
        .iter()
        .filter(|query| matches!(query.limit, Limit::NearBare))
        .map(|query| SearchOptions::new(query.query.as_str()))
        .collect();
    let p99 = || {
        let times: Vec<_> = (0..SEARCHES)
            .map(|n| {
                let began = Instant::now();
                store.search(&fast[n % fast.len()]).unwrap();
                began.elapsed()
            })
            .collect();
        ms(percentile(&times, 99))
    };
    p99();
    let idle = p99();
    let child = writers::spawn("child-append-until", &[path.to_str().unwrap()]);
    // The writer opens the store and begins.
    let before = store.info().unwrap().messages;
    while store.info().unwrap().messages == before {
        std::thread::yield_now();
    }
    let busy = p99();
    let written = writers::waits_of(child).len();
    println!("   the writer appended {written} messages");
    report.note("search, p99 idle", idle, "ms");
    report.note("search, p99 beside a writer", busy, "ms");
    report.at_most(
        "search, p99 beside a writer, over idle",
        busy / idle,
        "×",
        3.0,
    );
}

/// The writer: appends through the store, one message a transaction, until its input ends.
pub(crate) fn append_until_told(path: &str) {
    let store = Store::open(path).unwrap();
    store.ensure_session("beside").unwrap();
    let told = std::thread::spawn(|| std::io::stdin().read_to_end(&mut Vec::new()));
    let texts = texts(5, 500);
    let mut times = Vec::new();
    while !told.is_finished() {
        let began = Instant::now();
        let message = workload::new_message("beside", &texts[times.len() % texts.len()]);
        store.append_message(&message).unwrap();
        times.push(began.elapsed());
    }
    writers::say(&times);
}

/// The same queries on stores of different sizes: 20,000, 200,000 and, with
/// `HERMES_BENCH_MILLION`, a million messages.
pub(crate) fn growth(report: &mut Report) {
    let mut sizes = vec![(20_000, None), (202_000, Some(workload::big()))];
    if std::env::var_os("HERMES_BENCH_MILLION").is_some() {
        sizes.push((1_000_000, None));
    }
    let queries = queries(&bare(&workload::big()));
    for (messages, ready) in sizes {
        let path = ready.unwrap_or_else(|| workload::sized(messages));
        let store = Store::open_read_only(&path).unwrap();
        for query in &queries {
            let options = SearchOptions::new(query.query.as_str());
            let times = (0..SLOW_RUNS)
                .map(|_| {
                    let began = Instant::now();
                    store.search(&options).unwrap();
                    ms(began.elapsed())
                })
                .collect();
            let name = format!("{}, {messages} messages", query.name);
            report.note(&name, median(times), "ms");
        }
    }
}
