//! Any sequence of operations gives what a plain model in memory gives, and any text survives.

mod all_writes;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use hermes_state::{
    Content, ListOptions, Message, MessageId, NewMessage, NewSession, Store, StoreOptions,
    Synchronous,
};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::{Home, assert_index_whole, export, found, import, messages_of};

/// Few ids, so that operations meet; one is the beginning of another, and some are special to LIKE.
const IDS: [&str; 8] = ["a", "ab", "ab%c", "ab_c", "Ab", "山", "b1", "b2"];

/// A word that no other text holds.
const PLANTED: &str = "quokka";

#[derive(Debug, Clone)]
enum Op {
    Create { id: usize, parent: Option<usize> },
    Ensure(usize),
    End { id: usize, reason: &'static str },
    Reopen(usize),
    Append(Vec<(usize, bool)>),
    Resolve(String),
    Reload,
}

fn op() -> impl Strategy<Value = Op> {
    let id = || 0..IDS.len();
    prop_oneof![
        3 => (id(), proptest::option::weighted(0.7, id())).prop_map(|(id, parent)| Op::Create { id, parent }),
        1 => id().prop_map(Op::Ensure),
        2 => (id(), prop_oneof![1 => Just("user_exit"), 1 => Just("timeout"), 3 => Just("branched")])
            .prop_map(|(id, reason)| Op::End { id, reason }),
        1 => id().prop_map(Op::Reopen),
        5 => vec((id(), any::<bool>()), 1..4).prop_map(Op::Append),
        1 => "[aAb%_c山]{0,3}".prop_map(Op::Resolve),
        1 => Just(Op::Reload),
    ]
}

#[derive(Debug, Clone, PartialEq)]
struct ModelSession {
    parent: Option<&'static str>,
    started: f64,
    ended: Option<(f64, &'static str)>,
    messages: Vec<(i64, bool, f64)>,
    /// The order of creation.
    row: usize,
}

#[derive(Debug, Default)]
struct Model {
    sessions: BTreeMap<&'static str, ModelSession>,
    last_id: i64,
}

impl Model {
    /// Whether the session is new; an error is the code.
    fn create(
        &mut self,
        id: &'static str,
        parent: Option<&'static str>,
        now: f64,
    ) -> Result<bool, &'static str> {
        if self.sessions.contains_key(id) {
            return Ok(false);
        }
        if parent.is_some_and(|parent| !self.sessions.contains_key(parent)) {
            return Err("unknown_parent");
        }
        let row = self.sessions.len();
        let session = ModelSession {
            parent,
            started: now,
            ended: None,
            messages: Vec::new(),
            row,
        };
        self.sessions.insert(id, session);
        Ok(true)
    }

    fn append(&mut self, batch: &[(usize, bool)], now: f64) -> Result<Vec<i64>, &'static str> {
        if batch
            .iter()
            .any(|(id, _)| !self.sessions.contains_key(IDS[*id]))
        {
            return Err("unknown_session");
        }
        let mut ids = Vec::new();
        for (id, planted) in batch {
            self.last_id += 1;
            let session = self.sessions.get_mut(IDS[*id]).unwrap();
            session.messages.push((self.last_id, *planted, now));
            ids.push(self.last_id);
        }
        Ok(ids)
    }

    fn resolve(&self, text: &str) -> Option<&'static str> {
        if text.is_empty() {
            return None;
        }
        let exact = self.sessions.keys().find(|id| **id == text);
        let begins = |id: &&&&str| {
            id.to_ascii_lowercase()
                .starts_with(&text.to_ascii_lowercase())
        };
        let mut prefixed = self.sessions.keys().filter(|id| begins(&id));
        let only = prefixed.next().filter(|_| prefixed.next().is_none());
        exact.or(only).copied()
    }

    /// Roots and branches, the latest started first.
    fn listed(&self) -> Vec<&'static str> {
        let mut listed: Vec<_> = self
            .sessions
            .iter()
            .filter(|(_, session)| match session.parent {
                None => true,
                Some(parent) => matches!(self.sessions[parent].ended, Some((at, "branched")) if session.started >= at),
            })
            .collect();
        listed.sort_by(|(_, a), (_, b)| b.started.total_cmp(&a.started).then(a.row.cmp(&b.row)));
        listed.into_iter().map(|(id, _)| *id).collect()
    }

    fn planted(&self) -> Vec<i64> {
        let messages = self.sessions.values().flat_map(|session| &session.messages);
        let mut ids: Vec<i64> = messages
            .filter(|(_, planted, _)| *planted)
            .map(|(id, ..)| *id)
            .collect();
        ids.sort_unstable();
        ids
    }
}

fn code<T>(outcome: hermes_state::Result<T>) -> Result<T, &'static str> {
    outcome.map_err(|e| e.code())
}

/// Does one operation on both and compares what they say.
fn apply(store: &mut Store, model: &mut Model, op: &Op, now: f64, reopen: impl Fn() -> Store) {
    match op {
        Op::Create { id, parent } => {
            let (id, parent) = (IDS[*id], parent.map(|parent| IDS[parent]));
            let mut new = NewSession::new(id, "cli").started_at(now);
            if let Some(parent) = parent {
                new = new.parent(parent);
            }
            assert_eq!(
                code(store.create_session(&new)),
                model.create(id, parent, now)
            );
        }
        Op::Ensure(id) => {
            let expected = model.create(IDS[*id], None, now);
            assert_eq!(code(store.ensure_session(IDS[*id])), expected);
        }
        Op::End { id, reason } => {
            let outcome = code(store.end_session(IDS[*id], reason));
            let expected = match model.sessions.get_mut(IDS[*id]) {
                None => Err("unknown_session"),
                Some(session) if session.ended.is_some() => Ok(false),
                Some(session) => {
                    session.ended = Some((now, *reason));
                    Ok(true)
                }
            };
            assert_eq!(outcome, expected);
        }
        Op::Reopen(id) => {
            let outcome = code(store.reopen_session(IDS[*id]));
            let expected = match model.sessions.get_mut(IDS[*id]) {
                None => Err("unknown_session"),
                Some(session) => {
                    session.ended = None;
                    Ok(())
                }
            };
            assert_eq!(outcome, expected);
        }
        Op::Append(batch) => {
            let messages: Vec<NewMessage> = batch
                .iter()
                .map(|(id, planted)| {
                    let text = if *planted { PLANTED } else { "something else" };
                    NewMessage::new(IDS[*id], "user")
                        .content(text)
                        .timestamp(now)
                })
                .collect();
            let ids = code(store.append_messages(&messages));
            let ids = ids.map(|ids| ids.into_iter().map(|id| id.0).collect());
            assert_eq!(ids, model.append(batch, now));
        }
        Op::Resolve(text) => {
            let id = store.resolve_session_id(text).unwrap();
            assert_eq!(
                id.as_ref().map(|id| id.as_str()),
                model.resolve(text),
                "{text:?}"
            );
        }
        Op::Reload => *store = reopen(),
    }
}

fn compare(store: &Store, model: &Model) {
    for id in IDS {
        let session = store.session(id).unwrap();
        let Some(expected) = model.sessions.get(id) else {
            assert_eq!(session, None);
            continue;
        };
        let session = session.unwrap();
        assert_eq!(session.parent_session_id.as_deref(), expected.parent);
        assert_eq!(session.started_at, expected.started);
        assert_eq!(session.ended_at, expected.ended.map(|(at, _)| at));
        assert_eq!(
            session.end_reason.as_deref(),
            expected.ended.map(|(_, reason)| reason)
        );
        assert_eq!(session.message_count, Some(expected.messages.len() as i64));
        let messages: Vec<_> = messages_of(store, id)
            .iter()
            .map(|m| {
                (
                    m.id.0,
                    m.content == Some(Content::from(PLANTED)),
                    m.timestamp,
                )
            })
            .collect();
        assert_eq!(messages, expected.messages);
    }
    let list = store.list_sessions(&ListOptions::default()).unwrap();
    let listed: Vec<&str> = list
        .iter()
        .map(|summary| summary.session.id.as_str())
        .collect();
    assert_eq!(listed, model.listed());
    for summary in &list {
        let expected = &model.sessions[summary.session.id.as_str()];
        let newest = expected
            .messages
            .iter()
            .map(|(_, _, at)| *at)
            .reduce(f64::max);
        assert_eq!(summary.last_active, newest.unwrap_or(expected.started));
    }
    let mut hits = found(store, PLANTED);
    hits.sort_unstable();
    assert_eq!(hits, model.planted());
}

/// Any text but what the format reads as structured content.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => any::<String>(),
        2 => "\\PC{0,40}",
        1 => vec(prop_oneof![Just('\0'), Just('"'), Just('\\'), Just('\n'), any::<char>()], 0..30)
            .prop_map(|chars| chars.into_iter().collect()),
        1 => ("\\PC{1,5}", 1..3000_usize).prop_map(|(piece, times)| piece.repeat(times)),
    ]
    .prop_filter("reads as structured content", |text| {
        !text.starts_with("\0json:")
    })
}

fn same_but_the_id(a: &Message, b: &Message) -> bool {
    let mut b = b.clone();
    b.id = a.id;
    *a == b
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_operations_gives_what_a_model_in_memory_gives(ops in vec(op(), 1..40)) {
        let home = Home::new();
        let clock = Arc::new(Mutex::new(0.0));
        let open = || {
            let clock = clock.clone();
            StoreOptions::new()
                .clock(move || *clock.lock().unwrap())
                .synchronous(Synchronous::Normal)
                .open(home.path())
                .unwrap()
        };
        let mut store = open();
        let mut model = Model::default();
        for (n, op) in ops.iter().enumerate() {
            // Time goes forth and back.
            let now = f64::from(u8::try_from(n * 7 % 11).unwrap());
            *clock.lock().unwrap() = now;
            apply(&mut store, &mut model, op, now, open);
        }
        compare(&store, &model);
        drop(store);
        assert_index_whole(&home.path());
    }

    #[test]
    fn any_text_survives_storing_exporting_and_importing(
        id in text().prop_filter("empty", |id| !id.is_empty()),
        fields in vec((text(), text(), text()), 1..5),
    ) {
        let home = Home::new();
        let store = home.store();
        store.create_session(&NewSession::new(id.as_str(), id.as_str()).system_prompt(id.as_str())).unwrap();
        let messages: Vec<NewMessage> = fields
            .iter()
            .map(|(role, content, name)| {
                NewMessage::new(id.as_str(), role.as_str())
                    .content(content.as_str())
                    .tool_name(name.as_str())
                    .reasoning(content.as_str())
            })
            .collect();
        let ids = store.append_messages(&messages).unwrap();
        let read = messages_of(&store, &id);
        prop_assert_eq!(read.iter().map(|m| m.id).collect::<Vec<MessageId>>(), ids);
        for ((role, content, name), message) in fields.iter().zip(&read) {
            prop_assert_eq!(&message.role, role);
            prop_assert_eq!(&message.content, &Some(Content::from(content.as_str())));
            prop_assert_eq!(message.tool_name.as_ref(), Some(name));
        }
        let session = store.session(&id).unwrap().unwrap();
        let other = Home::new();
        let copy = other.store();
        let report = import(&copy, export(&store));
        prop_assert_eq!(&report.errors, &[]);
        prop_assert_eq!(copy.session(&id).unwrap().unwrap(), session);
        let copied = messages_of(&copy, &id);
        prop_assert_eq!(copied.len(), read.len());
        prop_assert!(read.iter().zip(&copied).all(|(a, b)| same_but_the_id(a, b)));
        drop((store, copy));
        assert_index_whole(&home.path());
        assert_index_whole(&other.path());
    }
}
