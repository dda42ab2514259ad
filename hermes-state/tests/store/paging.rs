//! Nothing loads a whole session at once, and no page loses or repeats a message.

use std::io::{self, Write};

use hermes_state::{ExportOptions, MessageId, MessagePage, NewMessage, Store};

use crate::support::{Home, import, messages_of};

/// A page ends with the message that reaches this size.
const PAGE_BYTES: usize = 4 << 20;

/// The texts are reasoning, which no index holds: what is tested here is their size.
fn fill(store: &Store, id: &str, texts: impl Iterator<Item = String>) -> Vec<MessageId> {
    store.ensure_session(id).unwrap();
    let messages: Vec<_> = texts
        .map(|text| NewMessage::new(id, "assistant").reasoning(text))
        .collect();
    store.append_messages(&messages).unwrap()
}

fn ids(store: &Store, id: &str, after: Option<MessageId>, limit: usize) -> Vec<MessageId> {
    let page = MessagePage {
        after,
        limit,
        ..MessagePage::default()
    };
    store
        .messages(id, page)
        .unwrap()
        .iter()
        .map(|m| m.id)
        .collect()
}

#[test]
fn pages_follow_each_other_without_a_gap() {
    let home = Home::new();
    let store = home.store();
    // Another session's messages lie between.
    let mut expected = Vec::new();
    for n in 0..401 {
        expected.extend(fill(&store, "s", [format!("a{n}")].into_iter()));
        if n % 100 == 0 {
            fill(&store, "other", [format!("b{n}")].into_iter());
        }
    }
    for limit in [1, 7, 200, 400, 401, 402, usize::MAX] {
        let mut seen = Vec::new();
        loop {
            let page = ids(&store, "s", seen.last().copied(), limit);
            assert!(page.len() <= limit);
            if page.is_empty() {
                break;
            }
            seen.extend(page);
        }
        assert_eq!(seen, expected, "{limit}");
    }
    assert_eq!(ids(&store, "s", None, 0), []);
    assert_eq!(ids(&store, "s", Some(MessageId(i64::MAX)), 5), []);
    assert_eq!(
        ids(&store, "s", Some(MessageId(i64::MIN)), 1),
        [expected[0]]
    );
    assert_eq!(ids(&store, "nobody", None, 5), []);
}

#[test]
fn messages_are_in_the_order_of_their_ids_whatever_their_times() {
    let home = Home::new();
    let store = home.store();
    store.ensure_session("s").unwrap();
    for time in [5.0, 1.0, 3.0] {
        store
            .append_message(&NewMessage::new("s", "user").timestamp(time))
            .unwrap();
    }
    let times: Vec<f64> = messages_of(&store, "s")
        .iter()
        .map(|m| m.timestamp)
        .collect();
    assert_eq!(times, [5.0, 1.0, 3.0]);
}

#[test]
fn a_page_of_large_messages_is_cut_short() {
    let home = Home::new();
    let store = home.store();
    let large = "x".repeat(PAGE_BYTES / 2 + 1);
    let all = fill(&store, "s", std::iter::repeat_n(large, 5));
    assert_eq!(ids(&store, "s", None, 500), all[..2]);
    assert_eq!(ids(&store, "s", Some(all[1]), 500), all[2..4]);
    assert_eq!(ids(&store, "s", Some(all[3]), 500), all[4..]);
    // One message that is larger than a page is a page.
    let huge = fill(&store, "t", ["y".repeat(PAGE_BYTES * 2)].into_iter());
    assert_eq!(ids(&store, "t", None, 500), huge);
    assert_eq!(messages_of(&store, "s").len(), 5);
    assert_eq!(store.conversation("s").unwrap().len(), 5);
}

/// Notes how much is written before the next sign of progress.
#[derive(Default)]
struct Meter {
    bytes: usize,
}

impl Write for Meter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_session_longer_than_a_page_is_exported_page_by_page() {
    let home = Home::new();
    let store = home.store();
    // More than 500 messages, and more than 4 MiB.
    let texts = (0..1203).map(|n| format!("{n:04} {}", "text ".repeat(1500)));
    let all = fill(&store, "s", texts);
    let mut steps = Vec::new();
    let mut out = Meter::default();
    let done = store
        .export(&ExportOptions::default(), &mut out, &mut |done| {
            steps.push(done.messages)
        })
        .unwrap();
    assert_eq!(done.messages, 1203);
    assert!(out.bytes > 2 * PAGE_BYTES, "{}", out.bytes);
    let mut pages: Vec<u64> = steps.windows(2).map(|two| two[1] - two[0]).collect();
    assert_eq!(pages.pop(), Some(0), "the end of the session");
    assert!(
        steps[0] <= 500 && pages.iter().all(|page| *page <= 500),
        "{steps:?}"
    );
    assert!(steps.len() >= 4, "{steps:?}");

    let text = crate::support::export(&store);
    let other = Home::new();
    let copy = other.store();
    assert_eq!(import(&copy, text).messages, 1203);
    let (first, second) = (messages_of(&store, "s"), messages_of(&copy, "s"));
    assert_eq!(first.len(), all.len());
    assert!(
        first
            .iter()
            .zip(&second)
            .all(|(a, b)| a.reasoning == b.reasoning)
    );
}

#[test]
fn an_export_leaves_no_transaction_open_while_its_reader_is_slow() {
    let home = Home::new();
    let store = home.store();
    fill(&store, "a", (0..1200).map(|n| n.to_string()));
    let writer = store.clone();
    let mut appended = 0;
    let done = store
        .export(&ExportOptions::default(), &mut io::sink(), &mut |_| {
            // With a reader's transaction open, a checkpoint could not finish.
            if appended < 3 {
                writer
                    .append_message(&NewMessage::new("a", "user").content("meanwhile"))
                    .unwrap();
                appended += 1;
            }
            let left: (i64, i64) = crate::support::raw(&home.path())
                .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })
                .unwrap();
            assert_eq!(left, (0, 0));
        })
        .unwrap();
    assert_eq!(done.messages, 1203);
}
