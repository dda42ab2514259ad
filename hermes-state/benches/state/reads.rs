//! Reading: a long session, and lists of sessions.

use std::time::Instant;

use hermes_state::{ListOptions, MessagePage, Store};

use crate::report::{Report, median, ms};
use crate::workload::{self, LONG_MESSAGES, LONG_SESSION};

const RUNS: usize = 41;

pub(crate) fn run(report: &mut Report) {
    let path = workload::big();
    let store = Store::open_read_only(&path).unwrap();
    let conn =
        rusqlite::Connection::open_with_flags(&path, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY)
            .unwrap();
    conn.pragma_update(None, "cache_size", -(16 << 10)).unwrap();
    let mut compare = |what: &str, ours: &mut dyn FnMut() -> usize, sql: &str, rows: usize| {
        let bare = || {
            let mut statement = conn.prepare_cached(sql).unwrap();
            let width = statement.column_count();
            let mut found = statement.query([]).unwrap();
            let mut kept = Vec::new();
            while let Some(row) = found.next().unwrap() {
                let row: Vec<rusqlite::types::Value> =
                    (0..width).map(|n| row.get(n).unwrap()).collect();
                kept.push(row);
            }
            kept.len()
        };
        let mut ratios = Vec::new();
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..RUNS {
            let began = Instant::now();
            assert_eq!(ours(), rows, "{what}");
            let a = ms(began.elapsed());
            let began = Instant::now();
            assert_eq!(bare(), rows, "{what}");
            let b = ms(began.elapsed());
            ratios.push(a / b);
            times[0].push(a);
            times[1].push(b);
        }
        let [ours, bare] = times.map(median);
        report.note(&format!("{what}: ours"), ours, "ms");
        report.note(&format!("{what}: bare"), bare, "ms");
        report.at_most(&format!("{what}: ratio"), median(ratios), "×", 1.3);
    };

    compare(
        "get_messages of 2,000",
        &mut || {
            let page = MessagePage {
                limit: usize::MAX,
                ..MessagePage::default()
            };
            let mut page = page;
            let mut n = 0;
            loop {
                let messages = store.messages(LONG_SESSION, page).unwrap();
                let Some(last) = messages.last() else { break n };
                page.after = Some(last.id);
                n += messages.len();
            }
        },
        "SELECT * FROM messages WHERE session_id = 'bench_long' ORDER BY id",
        LONG_MESSAGES,
    );
    compare(
        "list_sessions, 20",
        &mut || store.list_sessions(&ListOptions::default()).unwrap().len(),
        "SELECT s.*, COALESCE((SELECT MAX(timestamp) FROM messages m WHERE m.session_id = s.id), s.started_at),
            COALESCE((SELECT SUBSTR(content, 1, 63) FROM messages m WHERE m.session_id = s.id
                AND m.role = 'user' AND m.content IS NOT NULL ORDER BY m.timestamp, m.id LIMIT 1), '')
         FROM sessions s WHERE s.parent_session_id IS NULL OR EXISTS (
            SELECT 1 FROM sessions p WHERE p.id = s.parent_session_id
            AND p.end_reason = 'branched' AND s.started_at >= p.ended_at)
         ORDER BY s.started_at DESC LIMIT 20",
        20,
    );

    let newest =
        "COALESCE((SELECT MAX(timestamp) FROM messages m WHERE m.session_id = s.id), s.started_at)";
    let page = format!(
        "SELECT rowid, {newest} AS active FROM sessions s
         ORDER BY active DESC, started_at DESC, id DESC LIMIT 20"
    );
    compare(
        "list_sessions by activity, 20",
        &mut || {
            let mut options = ListOptions::default();
            options.order_by_last_active = true;
            store.list_sessions(&options).unwrap().len()
        },
        &format!(
            "WITH page AS ({page}) SELECT s.*, page.active,
                COALESCE((SELECT SUBSTR(content, 1, 63) FROM messages m WHERE m.session_id = s.id
                    AND m.role = 'user' AND m.content IS NOT NULL ORDER BY m.timestamp, m.id LIMIT 1), '')
             FROM page JOIN sessions s ON s.rowid = page.rowid ORDER BY active DESC"
        ),
        20,
    );
    compare(
        "search_sessions, 20",
        &mut || store.search_sessions(None, 20, 0).unwrap().len(),
        &format!(
            "WITH page AS ({page}) SELECT s.*, page.active
             FROM page JOIN sessions s ON s.rowid = page.rowid ORDER BY active DESC"
        ),
        20,
    );
}
