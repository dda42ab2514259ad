//! Every operation that writes, in any order, on a store of version 11 and on a recorded one of
//! version 22 with the rows that an older SQLite has indexed, against a model in memory.
//!
//! The seeds are fixed. `HERMES_STATE_MODEL_STEPS` sets how many steps a run has (250, a multiple of ten), and
//! `HERMES_STATE_MODEL_SEEDS` how many runs there are of each kind of store (2).

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;

use hermes_state::{
    Age, Content, DeleteOptions, JsonText, MessageId, MessagePage, NewMessage, NewSession,
    PruneFilter, SessionId, Store, StoreOptions, Synchronous, TokenUsage,
};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::code;
use crate::support::{Home, ask, assert_index_whole, found, import, list_all, raw};

/// Sessions that the operations make and unmake; the recorded ones are beside them.
const IDS: [&str; 6] = ["m0", "m1", "m2", "m3", "m_4", "m%5"];
const TITLES: [&str; 3] = ["First title", "Second", "Third #2"];
const REASONS: [&str; 3] = ["user_exit", "timeout", "branched"];
const WORDS: [&str; 3] = ["quokka", "numbat", "大別山"];

#[derive(Debug, Clone, PartialEq)]
struct ModelMessage {
    id: i64,
    role: &'static str,
    word: Option<usize>,
    tool_calls: i64,
    active: bool,
    compacted: bool,
}

impl ModelMessage {
    fn is_found(&self) -> bool {
        self.active || self.compacted
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
struct ModelSession {
    parent: Option<String>,
    title: Option<&'static str>,
    end: Option<(f64, &'static str)>,
    input_tokens: i64,
    archived: bool,
    handoff: Option<&'static str>,
    /// What the file says where it is not what the messages are (recorded sessions).
    messages: Vec<ModelMessage>,
    recorded: bool,
}

struct Run {
    store: Store,
    random: StdRng,
    newer: bool,
    sessions: BTreeMap<String, ModelSession>,
    meta: BTreeMap<&'static str, String>,
    last_id: i64,
    now: f64,
    path: std::path::PathBuf,
}

fn open(path: &Path) -> Store {
    StoreOptions::new()
        .synchronous(Synchronous::Normal)
        .clock(|| 1000.0)
        .open(path)
        .unwrap()
}

impl Run {
    fn new(path: &Path, seed: u64) -> Run {
        let store = open(path);
        let newer = store.schema_version() > 11;
        let mut run = Run {
            store,
            random: StdRng::seed_from_u64(seed),
            newer,
            sessions: BTreeMap::new(),
            meta: BTreeMap::new(),
            last_id: 0,
            now: 1000.0,
            path: path.to_path_buf(),
        };
        run.take_recorded();
        run
    }

    fn take_recorded(&mut self) {
        let conn = raw(&self.path);
        let mut sessions = conn
            .prepare("SELECT id, parent_session_id FROM sessions")
            .unwrap();
        let rows = sessions
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        for row in rows {
            let (id, parent): (String, Option<String>) = row.unwrap();
            let session = ModelSession {
                parent,
                recorded: true,
                ..ModelSession::default()
            };
            self.sessions.insert(id, session);
        }
        if self.newer {
            let mut messages = conn
                .prepare("SELECT id, session_id, role, COALESCE(active, 1), COALESCE(compacted, 0) FROM messages ORDER BY id")
                .unwrap();
            let rows = messages
                .query_map([], |row| {
                    let role: String = row.get(2)?;
                    let message = ModelMessage {
                        id: row.get(0)?,
                        role: if role == "user" { "user" } else { "other" },
                        word: None,
                        tool_calls: 0,
                        active: row.get(3)?,
                        compacted: row.get(4)?,
                    };
                    Ok((row.get::<_, String>(1)?, message))
                })
                .unwrap();
            for row in rows {
                let (session, message) = row.unwrap();
                self.last_id = self.last_id.max(message.id);
                if let Some(session) = self.sessions.get_mut(&session) {
                    session.messages.push(message);
                }
            }
        }
        self.last_id = self.last_id.max(ask(
            &self.path,
            "SELECT COALESCE(MAX(seq), 0) FROM sqlite_sequence WHERE name = 'messages'",
        ));
    }

    /// Mostly one of ours, now and then a recorded one.
    fn id(&mut self) -> String {
        let recorded: Vec<&String> = self
            .sessions
            .iter()
            .filter(|(_, s)| s.recorded)
            .map(|(id, _)| id)
            .collect();
        if !recorded.is_empty() && self.random.random_bool(0.3) {
            return recorded[self.random.random_range(0..recorded.len())].clone();
        }
        IDS[self.random.random_range(0..IDS.len())].to_owned()
    }

    fn own_id(&mut self) -> &'static str {
        IDS[self.random.random_range(0..IDS.len())]
    }

    /// Messages of every shape that something depends on.
    fn batch(&mut self, id: &str, least: usize) -> (Vec<NewMessage>, Vec<ModelMessage>) {
        let count = self.random.random_range(least..4);
        let mut new = Vec::new();
        let mut model = Vec::new();
        for _ in 0..count {
            let word = self.random.random_range(0..WORDS.len());
            let text = WORDS[word];
            let shape = self.random.random_range(0..7);
            let role = if shape == 5 { "assistant" } else { "user" };
            let message = NewMessage::new(id, role);
            let message = match shape {
                0 => message.content(format!("{text}\0 and behind")),
                1 => message.content(format!("a NUL before \0 {text} ")),
                2 => {
                    let parts =
                        serde_json::json!([{"type": "text", "text": format!("parts {text}")}]);
                    message.content(Content::from_value(&parts).unwrap().unwrap())
                }
                3 => message.content(Content::Bytes(vec![0, 255, b'x', 0])),
                4 => message.tool_name(format!("tool\0{text} ")),
                5 => {
                    let calls = format!(
                        "[{{\"name\": \"one\", \"arguments\": \"{text}\"}}, {{\"name\": \"two\"}}]"
                    );
                    message.tool_calls(JsonText::parse(calls).unwrap())
                }
                _ => message.content(format!("says {text} plainly")),
            };
            new.push(message);
            model.push(ModelMessage {
                id: 0,
                role,
                word: (shape != 3).then_some(word),
                tool_calls: if shape == 5 { 2 } else { 0 },
                active: true,
                compacted: false,
            });
        }
        (new, model)
    }

    fn numbered(&mut self, mut messages: Vec<ModelMessage>) -> Vec<ModelMessage> {
        for message in &mut messages {
            self.last_id += 1;
            message.id = self.last_id;
        }
        messages
    }

    fn forget(&mut self, gone: &BTreeSet<String>) {
        self.sessions.retain(|id, _| !gone.contains(id));
        for session in self.sessions.values_mut() {
            if session.parent.as_ref().is_some_and(|p| gone.contains(p)) {
                session.parent = None;
            }
        }
    }

    fn create(&mut self, id: &str, parent: Option<String>) {
        let mut new = NewSession::new(id, "model").started_at(self.now);
        if let Some(parent) = &parent {
            new = new.parent(parent.as_str());
        }
        let outcome = code(self.store.create_session(&new));
        let known = parent
            .as_ref()
            .is_none_or(|p| p != id && self.sessions.contains_key(p));
        let expected = match self.sessions.get_mut(id) {
            None if !known => Err("unknown_parent"),
            None => {
                let session = ModelSession {
                    parent,
                    ..ModelSession::default()
                };
                self.sessions.insert(id.to_owned(), session);
                Ok(true)
            }
            Some(session) if self.newer && session.parent.is_none() && parent.is_some() => {
                if known {
                    session.parent = parent;
                    Ok(false)
                } else {
                    Err("unknown_parent")
                }
            }
            Some(_) => Ok(false),
        };
        assert_eq!(outcome, expected);
    }

    fn title(&mut self, id: &'static str, title: Option<&'static str>, auto: bool) {
        let outcome = if auto {
            code(self.store.set_auto_title_if_empty(id, title.unwrap_or("")))
        } else {
            code(self.store.set_session_title(id, title))
        };
        let taken = self
            .sessions
            .iter()
            .any(|(other, s)| other != id && title.is_some() && s.title == title);
        let expected = match self.sessions.get_mut(id) {
            None if auto => Ok(false),
            Some(session) if auto && session.title.is_some() => Ok(false),
            _ if taken => Err("title_in_use"),
            None => Ok(false),
            Some(session) => {
                session.title = title;
                Ok(true)
            }
        };
        assert_eq!(outcome, expected);
    }

    fn store_messages(&mut self, how: usize) {
        let id = self.id();
        let (new, model) = self.batch(&id, usize::from(how == 0));
        let known = self.sessions.contains_key(&id);
        let outcome = code(match how {
            0 => self.store.append_messages(&new),
            1 => self.store.replace_messages(&id, &new),
            2 => self.store.replace_active_messages(&id, &new),
            3 => self.store.archive_and_compact(&id, &new),
            _ => self.store.clear_messages(&id).map(|()| Vec::new()),
        });
        let expected = if how == 3 && !self.newer {
            Err("unsupported")
        } else if how > 3 {
            Ok(Vec::new())
        } else if !known && !new.is_empty() {
            Err("unknown_session")
        } else {
            Ok(self.numbered(model))
        };
        let ids = outcome.map(|ids| ids.into_iter().map(|id| id.0).collect::<Vec<_>>());
        let expected_ids = expected
            .clone()
            .map(|new| new.iter().map(|m| m.id).collect());
        assert_eq!(ids, expected_ids);
        let (Ok(new), Some(session)) = (expected, self.sessions.get_mut(&id)) else {
            return;
        };
        match how {
            0 => {}
            2 => session.messages.retain(|m| !m.active),
            3 => {
                for message in session.messages.iter_mut().filter(|m| m.active) {
                    message.active = false;
                    message.compacted = true;
                }
            }
            _ => session.messages.clear(),
        }
        session.messages.extend(new);
    }

    fn rewind(&mut self) {
        let id = self.id();
        let targets: Vec<i64> = self
            .sessions
            .get(&id)
            .map(|s| s.messages.iter().map(|m| m.id).collect())
            .unwrap_or_default();
        let target = if targets.is_empty() {
            self.last_id + 5
        } else {
            targets[self.random.random_range(0..targets.len())]
        };
        if self.random.random_bool(0.4) {
            let outcome = code(self.store.restore_rewound(&id, MessageId(target)));
            if !self.newer {
                assert_eq!(outcome, Err("unsupported"));
                return;
            }
            let mut count = 0;
            for message in self
                .sessions
                .get_mut(&id)
                .into_iter()
                .flat_map(|s| &mut s.messages)
            {
                if message.id >= target && !message.active && !message.compacted {
                    message.active = true;
                    count += 1;
                }
            }
            assert_eq!(outcome, Ok(count));
            return;
        }
        let outcome = code(self.store.rewind_to_message(&id, MessageId(target)));
        if !self.newer {
            assert_eq!(outcome.map(|_| ()), Err("unsupported"));
            return;
        }
        let session = self.sessions.get_mut(&id);
        let Some(session) = session.filter(|s| {
            s.messages
                .iter()
                .any(|m| m.id == target && m.role == "user")
        }) else {
            assert_eq!(outcome.map(|_| ()), Err("invalid"));
            return;
        };
        let mut count = 0;
        for message in session
            .messages
            .iter_mut()
            .filter(|m| m.id >= target && m.active)
        {
            message.active = false;
            message.compacted = false;
            count += 1;
        }
        let head = session
            .messages
            .iter()
            .filter(|m| m.active)
            .map(|m| m.id)
            .max();
        let rewound = outcome.unwrap();
        assert_eq!(rewound.rewound_count, count);
        assert_eq!(rewound.new_head_id.map(|id| id.0), head);
    }

    fn delete(&mut self) {
        let options = DeleteOptions::new();
        let go = &mut |_: &hermes_state::Deleted| ControlFlow::Continue(());
        let deleted = match self.random.random_range(0..5) {
            0 | 1 => {
                let id = self.id();
                let deleted = self.store.delete_session(id.as_str(), &options).unwrap();
                let gone = deleted.ids.iter().any(|d| d.as_str() == id);
                assert_eq!(gone, self.sessions.contains_key(&id));
                deleted
            }
            2 => {
                let id = self.own_id();
                let empty = self
                    .sessions
                    .get(id)
                    .is_some_and(|s| s.messages.is_empty() && s.title.is_none());
                let alone = !self
                    .sessions
                    .values()
                    .any(|s| s.parent.as_deref() == Some(id));
                let gone = self.store.delete_session_if_empty(id, &options).unwrap();
                assert_eq!(gone, empty && alone);
                if gone {
                    self.forget(&BTreeSet::from([id.to_owned()]));
                }
                return;
            }
            3 => {
                let filter = PruneFilter::new()
                    .source("model")
                    .age_by(Age::Start)
                    .started_before(self.now - 20.0);
                let expected: BTreeSet<String> = self
                    .store
                    .prune_candidates(&filter)
                    .unwrap()
                    .sessions
                    .into_iter()
                    .map(|c| c.id.to_string())
                    .collect();
                let deleted = self.store.prune(&filter, &options, go).unwrap();
                let gone: BTreeSet<String> = deleted.ids.iter().map(ToString::to_string).collect();
                assert_eq!(gone, expected);
                assert!(gone.iter().all(|id| self.sessions[id].end.is_some()));
                deleted
            }
            _ => {
                let deleted = self.store.delete_empty_sessions(&options, go).unwrap();
                for id in &deleted.ids {
                    assert!(self.sessions[id.as_str()].messages.is_empty());
                }
                deleted
            }
        };
        let gone: BTreeSet<String> = deleted.ids.iter().map(ToString::to_string).collect();
        let messages: usize = gone.iter().map(|id| self.sessions[id].messages.len()).sum();
        assert_eq!(deleted.messages, messages as u64);
        self.forget(&gone);
    }

    /// Out and in again: another row with the same values, and messages of new ids.
    fn export_and_import(&mut self) {
        let id = self.own_id();
        let mut out = Vec::new();
        let there = self.store.export_session(id, &mut out).unwrap();
        assert_eq!(there, self.sessions.contains_key(id));
        if !there {
            return;
        }
        let report = import(&self.store, &out);
        assert_eq!(report.skipped.len(), 1, "{report:?}");
        let before = self.sessions[id].clone();
        self.store
            .delete_session(id, &DeleteOptions::new())
            .unwrap();
        self.forget(&BTreeSet::from([id.to_owned()]));
        let report = import(&self.store, &out);
        assert_eq!(
            (report.imported.len(), report.errors.len()),
            (1, 0),
            "{report:?}"
        );
        let mut session = before;
        // Ids are given anew.
        let ids: Vec<i64> = {
            let conn = raw(&self.path);
            let mut ids = conn
                .prepare("SELECT id FROM messages WHERE session_id = ?1 ORDER BY id")
                .unwrap();
            let ids = ids.query_map([id], |row| row.get(0)).unwrap();
            ids.collect::<Result<_, _>>().unwrap()
        };
        assert_eq!(ids.len(), session.messages.len());
        for (message, id) in session.messages.iter_mut().zip(ids) {
            message.id = id;
            self.last_id = self.last_id.max(id);
        }
        let stored = self.store.session(id).unwrap().unwrap();
        session.parent = stored.parent_session_id.clone();
        session.archived = stored.extra.get("archived").and_then(|v| v.as_i64()) == Some(1);
        session.handoff = session
            .handoff
            .filter(|h| stored.handoff_state.as_deref() == Some(h));
        self.sessions.insert(id.to_owned(), session);
    }

    fn handoff(&mut self) {
        let id = self.own_id();
        let kind = self.random.random_range(0..4);
        let outcome = match kind {
            0 => self.store.request_handoff(id, "telegram"),
            1 => self.store.claim_handoff(id),
            2 => self.store.complete_handoff(id),
            _ => self.store.fail_handoff(id, "no reason"),
        };
        let expected = match (self.sessions.get_mut(id), kind) {
            (None, _) => false,
            (Some(s), 0) if !matches!(s.handoff, Some("pending" | "running")) => {
                s.handoff = Some("pending");
                true
            }
            (Some(s), 1) if s.handoff == Some("pending") => {
                s.handoff = Some("running");
                true
            }
            (Some(_), 0 | 1) => false,
            (Some(s), kind) => {
                s.handoff = Some(if kind == 2 { "completed" } else { "failed" });
                true
            }
        };
        assert_eq!(outcome.unwrap(), expected);
    }

    fn step(&mut self) {
        let id = self.own_id();
        match self.random.random_range(0..32) {
            0..4 => {
                let parent = self.random.random_bool(0.5).then(|| self.id());
                self.create(id, parent);
            }
            4 => {
                let expected = !self.sessions.contains_key(id);
                self.sessions.entry(id.to_owned()).or_default();
                assert_eq!(self.store.ensure_session(id).unwrap(), expected);
            }
            5 | 6 => {
                let reason = REASONS[self.random.random_range(0..REASONS.len())];
                let outcome = code(self.store.end_session(id, reason));
                let expected = match self.sessions.get_mut(id) {
                    None => Err("unknown_session"),
                    Some(session) => {
                        let open = session.end.is_none();
                        session.end = session.end.or(Some((1000.0, reason)));
                        Ok(open)
                    }
                };
                assert_eq!(outcome, expected);
            }
            7 => {
                let outcome = code(self.store.reopen_session(id));
                let expected = match self.sessions.get_mut(id) {
                    None => Err("unknown_session"),
                    Some(session) => {
                        session.end = None;
                        Ok(())
                    }
                };
                assert_eq!(outcome, expected);
            }
            8 | 9 => {
                let n = self.random.random_range(0..=TITLES.len());
                self.title(id, TITLES.get(n).copied(), false);
            }
            10 => self.title(id, Some(TITLES[0]), true),
            11 => {
                let absolute = self.random.random_bool(0.3);
                let tokens = self.random.random_range(0..100);
                let usage = TokenUsage::new(id).input_tokens(tokens);
                let usage = if absolute { usage.absolute() } else { usage };
                self.store.update_token_counts(&usage).unwrap();
                let session = self.sessions.entry(id.to_owned()).or_default();
                session.input_tokens = if absolute {
                    tokens
                } else {
                    session.input_tokens + tokens
                };
            }
            12..18 => self.store_messages(0),
            18 => self.store_messages(1),
            19 => self.store_messages(2),
            20 => self.store_messages(3),
            21 => self.store_messages(4),
            22..25 => self.rewind(),
            25 => self.delete(),
            26 => self.export_and_import(),
            27 => self.handoff(),
            28 => {
                let archived = self.random.random_bool(0.6);
                let outcome = code(self.store.set_session_archived(id, archived));
                if !self.newer {
                    let unsupported = Err("unsupported");
                    assert!(outcome == unsupported || outcome == Ok(Vec::new()));
                    return;
                }
                // Recorded sessions that were compressed go along.
                let family = outcome.unwrap();
                let there = family.iter().any(|member| member.as_str() == id);
                assert_eq!(there, self.sessions.contains_key(id));
                for member in family {
                    self.sessions.get_mut(member.as_str()).unwrap().archived = archived;
                }
            }
            29 => {
                let value = format!("{}", self.random.random_range(0..1000));
                self.store.set_meta("model key", &value).unwrap();
                self.meta.insert("model key", value);
            }
            30 => self.now += 10.0,
            _ => {
                let other = Home::new();
                self.store = open(&other.path());
                self.store = open(&self.path);
            }
        }
    }

    fn compare(&self, step: usize) {
        for (id, expected) in &self.sessions {
            // The others change seldom.
            if expected.recorded && !step.is_multiple_of(10) {
                continue;
            }
            let session = self.store.session(id).unwrap();
            let session = session.unwrap_or_else(|| panic!("step {step}: {id} is gone"));
            assert_eq!(
                session.parent_session_id, expected.parent,
                "step {step} {id}"
            );
            let page = MessagePage {
                limit: usize::MAX,
                ..MessagePage::default()
            };
            let ids = |page| -> Vec<i64> {
                self.store
                    .messages(id, page)
                    .unwrap()
                    .iter()
                    .map(|m| m.id.0)
                    .collect()
            };
            let active: Vec<i64> = expected
                .messages
                .iter()
                .filter(|m| m.active)
                .map(|m| m.id)
                .collect();
            assert_eq!(ids(page), active, "step {step} {id}");
            let all: Vec<i64> = expected.messages.iter().map(|m| m.id).collect();
            let page = MessagePage {
                include_inactive: true,
                ..page
            };
            assert_eq!(ids(page), all, "step {step} {id}");
            if expected.recorded {
                continue;
            }
            let calls: i64 = expected
                .messages
                .iter()
                .filter(|m| m.active)
                .map(|m| m.tool_calls)
                .sum();
            assert_eq!(
                session.message_count,
                Some(active.len() as i64),
                "step {step} {id}"
            );
            assert_eq!(session.tool_call_count, Some(calls), "step {step} {id}");
            assert_eq!(session.title.as_deref(), expected.title, "step {step} {id}");
            assert_eq!(
                session.ended_at,
                expected.end.map(|e| e.0),
                "step {step} {id}"
            );
            assert_eq!(session.end_reason.as_deref(), expected.end.map(|e| e.1));
            assert_eq!(
                session.input_tokens,
                Some(expected.input_tokens),
                "step {step} {id}"
            );
            assert_eq!(
                session.handoff_state.as_deref(),
                expected.handoff,
                "step {step} {id}"
            );
        }
        let listed: BTreeSet<String> = list_all(&self.store)
            .into_iter()
            .map(|s| s.session.id.to_string())
            .filter(|id| IDS.contains(&id.as_str()))
            .collect();
        let expected = |id: &&str| self.sessions.get(*id).is_some_and(|s| !s.archived);
        let expected: BTreeSet<String> = IDS
            .iter()
            .filter(|id| expected(id))
            .map(|id| (*id).to_owned())
            .collect();
        assert_eq!(listed, expected, "step {step}");
        for (n, word) in WORDS.iter().enumerate() {
            let mut hits = found(&self.store, word);
            hits.sort_unstable();
            let messages = self.sessions.values().flat_map(|s| &s.messages);
            let mut expected: Vec<i64> = messages
                .filter(|m| m.word == Some(n) && m.is_found())
                .map(|m| m.id)
                .collect();
            expected.sort_unstable();
            assert_eq!(hits, expected, "step {step} {word}");
        }
        for (key, value) in &self.meta {
            assert_eq!(self.store.meta(key).unwrap().as_ref(), Some(value));
        }
        assert_eq!(self.store.index_trouble(), None, "step {step}");
    }
}

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

fn run(path: &Path, seed: u64) {
    const COOKIE: &str = "PRAGMA schema_version";
    let mut run = Run::new(path, seed);
    run.compare(0);
    let before: i64 = ask(path, COOKIE);
    for step in 1..=number("HERMES_STATE_MODEL_STEPS", 250) {
        run.step();
        run.compare(step);
    }
    drop(run);
    // The schema has not changed: nothing was taken away and made anew.
    assert_eq!(ask::<i64>(path, COOKIE), before);
    let of_ours =
        "SELECT (SELECT COUNT(*) FROM sqlite_master WHERE name LIKE 'hermes\\_re%' ESCAPE '\\')
        + (SELECT COUNT(*) FROM state_meta WHERE key LIKE 'hermes\\_re%' ESCAPE '\\')";
    assert_eq!(ask::<i64>(path, of_ours), 0);
    for table in ["messages_fts", "messages_fts_trigram"] {
        let odd: i64 = ask(
            path,
            &format!(
                "SELECT (SELECT COUNT(*) FROM messages WHERE id NOT IN (SELECT id FROM {table}_docsize))
                      + (SELECT COUNT(*) FROM {table}_docsize WHERE id NOT IN (SELECT id FROM messages))"
            ),
        );
        assert_eq!(odd, 0, "{table}");
    }
}

fn seeds() -> impl Iterator<Item = u64> {
    1..=u64::try_from(number("HERMES_STATE_MODEL_SEEDS", 2)).unwrap()
}

#[test]
fn all_writes_in_any_order_give_what_a_model_gives_on_version_11() {
    for seed in seeds() {
        let home = Home::new();
        drop(home.store());
        run(&home.path(), seed);
        assert_index_whole(&home.path());
    }
}

#[test]
fn all_writes_in_any_order_give_what_a_model_gives_on_a_recorded_version_22() {
    for seed in seeds() {
        let fixture = testdata::fixture("v22.db");
        run(fixture.path(), seed);
        // SQLite's own check calls what an older one has indexed damaged, as long as it is there.
        let store = open(fixture.path());
        let ids: Vec<SessionId> = {
            let conn = raw(fixture.path());
            let mut ids = conn.prepare("SELECT id FROM sessions").unwrap();
            let ids = ids.query_map([], |row| row.get::<_, String>(0)).unwrap();
            ids.map(|id| SessionId::new(id.unwrap())).collect()
        };
        let (ours, recorded): (Vec<_>, Vec<_>) =
            ids.into_iter().partition(|id| IDS.contains(&id.as_str()));
        let go = &mut |_: &hermes_state::Deleted| ControlFlow::Continue(());
        store
            .delete_sessions(&recorded, &DeleteOptions::new(), go)
            .unwrap();
        let left = list_all(&store).len();
        assert!(left <= ours.len() && store.index_trouble().is_none());
        drop(store);
        assert_index_whole(fixture.path());
    }
}
