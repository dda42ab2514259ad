//! Good stores with pages and bytes changed: whatever is read was there, or an error is reported; a
//! verdict of "clean" is true; a repair saves nothing that was not there.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use hermes_state::health::{self, Depth, Repair};
use hermes_state::{Error, ListOptions, MessagePage, NewMessage, NewSession, SearchOptions, Store};

use crate::support::Home;

const PAGE: usize = 4096;

const MESSAGES: usize = 6 * 25;

/// Numbers that are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

/// A store in one file, with long and short rows and structured content.
fn good() -> Vec<u8> {
    let home = Home::new();
    let store = home.store();
    for s in 0..6 {
        let id = format!("session-{s}");
        let session = NewSession::new(id.as_str(), "test");
        store
            .create_session(&session.started_at(f64::from(s)))
            .unwrap();
        let messages: Vec<NewMessage> = (0..25)
            .map(|n| {
                let length = [20, 3, 40, 400][n % 4] * if n % 12 == 0 { 300 } else { 1 };
                let text = format!("planted {s} {n} {}", "山水 lorem ".repeat(length / 10));
                NewMessage::new(id.as_str(), "user")
                    .content(text)
                    .timestamp(n as f64)
            })
            .collect();
        store.append_messages(&messages).unwrap();
    }
    drop(store);
    let conn = crate::support::raw(&home.path());
    conn.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))
        .unwrap();
    drop(conn);
    fs::read(home.path()).unwrap()
}

/// All messages, each as one line: id and session. What is on a page that only goes on with a text
/// has nothing to be checked against.
fn rows(store: &Store) -> Result<BTreeSet<String>, Error> {
    let mut rows = BTreeSet::new();
    let mut options = ListOptions::default();
    options.limit = usize::MAX;
    options.include_children = true;
    for listed in store.list_sessions(&options)? {
        let page = MessagePage {
            limit: usize::MAX,
            ..MessagePage::default()
        };
        for message in store.messages(&listed.session.id, page)? {
            rows.insert(format!("{} {} ", message.id, message.session_id));
        }
    }
    Ok(rows)
}

/// `whole`: what search finds is among the rows.
fn read(path: &Path, whole: bool) -> Result<BTreeSet<String>, Error> {
    let store = Store::open_read_only(path)?;
    let all = rows(&store)?;
    let hits = store.search(&SearchOptions::new("planted"))?;
    for hit in hits.matches {
        let text = format!("{} {} ", hit.id, hit.session_id);
        let there = all.iter().any(|row| row.starts_with(&text));
        assert!(there || !whole, "{text}");
    }
    Ok(all)
}

/// Changes whole pages.
fn change_pages(bytes: &mut Vec<u8>, numbers: &mut Numbers) -> String {
    let pages = bytes.len() / PAGE;
    // The first page is the header and the definitions.
    let one = 1 + numbers.below(pages - 1);
    let a = one * PAGE;
    match numbers.below(4) {
        0 => bytes[a..a + PAGE].fill(0),
        1 => bytes[a..a + PAGE].fill(0xff),
        2 => {
            for byte in &mut bytes[a..a + PAGE] {
                *byte = numbers.below(256) as u8;
            }
        }
        _ => bytes.truncate(a),
    }
    format!("page {one} of {pages}")
}

/// Changes some bytes anywhere.
fn change_bytes(bytes: &mut [u8], numbers: &mut Numbers) -> String {
    let pages = bytes.len() / PAGE;
    if numbers.below(8) == 0 {
        // A page in the place of another makes sense, and is not what should be there.
        let (from, to) = (numbers.below(pages), 1 + numbers.below(pages - 1));
        bytes.copy_within(from * PAGE..(from + 1) * PAGE, to * PAGE);
        return format!("page {from} in the place of {to}");
    }
    let mut places = Vec::new();
    for _ in 0..=numbers.below(8) {
        // Half of them where a page says what is on it.
        let page = numbers.below(pages) * PAGE;
        let span = [64, PAGE][numbers.below(2)];
        let place = page + numbers.below(span);
        bytes[place] = numbers.below(256) as u8;
        places.push(place);
    }
    format!("bytes {places:?}")
}

fn mutants(count: usize, change: fn(&mut Vec<u8>, &mut Numbers) -> String, whole_rows: bool) {
    let good = good();
    let home = Home::new();
    fs::write(home.path(), &good).unwrap();
    let there = read(&home.path(), true).unwrap();
    assert_eq!(there.len(), MESSAGES);
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let mut repaired = 0;
    for n in 0..count {
        let home = Home::new();
        let path = home.path();
        let mut bytes = good.clone();
        let how = format!("mutant {n}: {}", change(&mut bytes, &mut numbers));
        fs::write(&path, &bytes).unwrap();
        let outcome = read(&path, whole_rows);
        let depth = if n % 3 == 0 { Depth::Fast } else { Depth::Deep };
        let report = health::check(&path, depth, &|_| {});
        assert!(
            fs::read(&path).unwrap() == bytes,
            "{how}: reading has changed it"
        );
        if let (Ok(rows), true) = (&outcome, whole_rows) {
            assert!(rows.is_subset(&there), "{how}: rows that were not there");
        }
        if let Ok(report) = &report
            && report.is_clean()
        {
            let rows = outcome.unwrap_or_else(|e| panic!("{how}: clean, and {e}"));
            assert_eq!(
                rows.len(),
                there.len(),
                "{how}: clean, and rows are missing"
            );
        }
        if n % 2 == 0 {
            repaired += usize::from(repair(&path, &bytes, &there, whole_rows, &how));
        }
    }
    assert!(repaired > count / 4, "{repaired} of {count}");
}

/// Whether it could be repaired.
fn repair(path: &Path, before: &[u8], there: &BTreeSet<String>, whole: bool, how: &str) -> bool {
    let done = match health::repair(path, &|_| {}) {
        Ok(done) => done,
        Err(error) => {
            assert!(!error.code().is_empty());
            return false;
        }
    };
    if done.steps.is_empty() {
        return done.after.is_clean();
    }
    if done.steps == [Repair::Recover] {
        let kept = done.backup.as_ref().unwrap();
        assert!(
            fs::read(kept).unwrap() == before,
            "{how}: the damaged file was not kept"
        );
    }
    assert!(
        !done.after.loses_rows(),
        "{how}: {:#?}",
        done.after.findings
    );
    let rows = read(path, whole).unwrap_or_else(|e| panic!("{how}: repaired, and {e}"));
    if whole {
        let fresh: Vec<&String> = rows.difference(there).collect();
        assert!(
            fresh.is_empty(),
            "{how}: rows that were not there: {fresh:.200?}"
        );
        let counted = done.recovered.map_or(0, |r| r.rows("messages").lost);
        assert!(rows.len() as u64 + counted <= MESSAGES as u64, "{how}");
    }
    true
}

#[test]
fn stores_with_changed_pages_give_what_was_there_or_an_error() {
    mutants(150, change_pages, true);
}

#[test]
fn stores_with_changed_bytes_are_read_checked_and_repaired_without_surprise() {
    mutants(150, |bytes, numbers| change_bytes(bytes, numbers), false);
}
