//! Random sequences of operations on a store.

mod reads;
mod writes;

use std::collections::{HashMap, HashSet};

use super::texts;
use crate::client::operation::Operation;
use crate::random::Random;

/// What is known of the store that the operations make.
#[derive(Debug)]
pub(super) struct World {
    pub(super) random: Random,
    /// Ids that were used, in order; their sessions may be gone.
    ids: Vec<String>,
    /// Each with the id at the top of its line of parents.
    roots: HashMap<String, String>,
    /// Those at the top of a line with two children of one session, or a branch or delegate.
    forked: HashSet<String>,
    parents: HashSet<String>,
    /// Those that may be ghosts: the release fails to prune a ghost that has a child.
    childless: HashSet<String>,
    /// Those whose messages were archived: the release restores these, too.
    compacted: HashSet<String>,
    /// About as many messages as there were ever.
    messages: usize,
    pub(super) now: f64,
    /// Whether the store keeps the rules of versions after 11.
    newer: bool,
}

type Make = fn(&mut World) -> Operation;

const SOURCES: &[&str] = &["cli", "telegram", "tui", "cron", "tool", "discord"];
const KEYS: &[&str] = &["a", "b", "漓江", ""];
const CHATS: &[&str] = &["1", "2", "-100"];
const TOPICS: &[&str] = &["10", "11", "12"];
const USERS: &[&str] = &["42", "u1"];

impl World {
    pub(super) fn new(seed: u64, newer: bool) -> World {
        World {
            random: Random::new(seed),
            ids: Vec::new(),
            roots: HashMap::new(),
            forked: HashSet::new(),
            parents: HashSet::new(),
            childless: HashSet::new(),
            compacted: HashSet::new(),
            messages: 0,
            now: 1_750_000_000.0,
            newer,
        }
    }

    /// The store has been migrated, or not.
    pub(super) fn set_newer(&mut self, newer: bool) {
        self.newer = newer;
    }

    /// The next operation; the time has moved on before it.
    pub(super) fn operation(&mut self) -> Operation {
        if self.random.one_in(2) || self.ids.is_empty() {
            self.write()
        } else {
            self.read()
        }
    }

    pub(super) fn write(&mut self) -> Operation {
        // Never the same time twice: what comes first of two equal times is not defined.
        let steps = [0.001, 0.5, 1.0, 60.0, 3600.0, 90_000.0];
        self.now += self.random.pick(&steps).copied().unwrap_or(1.0);
        if self.ids.is_empty() {
            return writes::create(self);
        }
        self.one_of(writes::ALL)
    }

    pub(super) fn read(&mut self) -> Operation {
        self.one_of(reads::ALL)
    }

    fn one_of(&mut self, makers: &[(usize, bool, Make)]) -> Operation {
        let newer = self.newer;
        let weights = makers
            .iter()
            .map(|(weight, needs, _)| if *needs && !newer { 0 } else { *weight });
        let at = self.random.weighted(weights);
        let make = makers
            .get(at)
            .map_or(writes::append as Make, |(_, _, make)| *make);
        make(self)
    }

    fn id(&mut self) -> String {
        if self.random.one_in(40) {
            return "no_such_session".to_owned();
        }
        // The latest are used the most.
        let recent = self.ids.len().saturating_sub(12);
        let from = if self.random.one_in(4) { 0 } else { recent };
        let at = from + self.random.below(self.ids.len() - from);
        self.ids.get(at).cloned().unwrap_or_default()
    }

    fn new_id(&mut self) -> String {
        const ODD: &[&str] = &[
            "100%_a",
            "100%_b",
            "back\\slash",
            "UPPER",
            "upper",
            "漓江",
            "a'b",
            "s*",
            "[x]",
        ];
        let odd = texts::pick(&mut self.random, ODD);
        let id = if self.random.one_in(8) && !self.ids.contains(&odd) {
            odd
        } else {
            format!("20260{}_{:04}", self.random.below(9), self.ids.len())
        };
        self.ids.push(id.clone());
        id
    }

    /// Notes that a session may have become a child.
    fn adopt(&mut self, id: &str, parent: &str) {
        let root = self.roots.get(parent).cloned();
        let root = root.unwrap_or_else(|| parent.to_owned());
        if !self.parents.insert(parent.to_owned()) {
            self.forked.insert(root.clone());
        }
        self.roots.entry(id.to_owned()).or_insert(root);
    }

    /// Notes that a session is marked as a branch or a delegate.
    fn mark(&mut self, id: &str) {
        let root = self.roots.get(id).cloned();
        self.forked.insert(root.unwrap_or_else(|| id.to_owned()));
    }

    fn is_forked(&self, id: &str) -> bool {
        let root = self.roots.get(id).map_or(id, String::as_str);
        self.forked.contains(root)
    }

    fn message(&mut self) -> usize {
        1 + self.messages.saturating_sub(self.random.below(30))
    }

    fn text(&mut self, among: &[&str]) -> String {
        texts::pick(&mut self.random, among)
    }

    fn flag(&mut self) -> bool {
        self.random.one_in(2)
    }

    /// An operation on a session that is none of those, if one is found.
    fn on_another(
        &mut self,
        method: &'static str,
        is_one: impl Fn(&World, &str) -> bool,
    ) -> Operation {
        let mut id = self.id();
        for _ in 0..20 {
            if !is_one(self, &id) {
                break;
            }
            id = self.id();
        }
        if is_one(self, &id) {
            id = "no_such_session".to_owned();
        }
        Operation::of(method).with("session_id", id)
    }

    /// An operation on a session.
    fn on(&mut self, method: &'static str) -> Operation {
        let id = self.id();
        Operation::of(method).with("session_id", id)
    }
}
