//! Variables that the text itself sets.

use std::collections::HashMap;

use super::build::MAX_ALTERNATIVES;

/// The value of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Variable {
    Scalar(String),
    Array(Vec<String>),
    /// An array by key, or one with gaps: keys and values, numbers in order.
    Keyed(Vec<(String, String)>),
    /// Set in a branch or a loop: one of these.
    OneOf(Vec<String>),
    /// Set, to something that the text doesn't tell.
    Unknown,
    /// `declare -n`
    Reference(String),
}

/// Variables with a log, so that a subshell's changes can be taken back.
#[derive(Debug, Default)]
pub(crate) struct Variables {
    values: HashMap<String, Variable>,
    log: Vec<(String, Option<Variable>)>,
    /// How many scopes are open; without one nothing needs to be logged.
    scopes: usize,
    /// Counts every change.
    changes: usize,
}

/// Where a scope began.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark(usize);

impl Variables {
    pub(crate) fn get(&self, name: &str) -> Option<&Variable> {
        if self.values.is_empty() {
            return None;
        }
        let mut name = name;
        // A chain of references may be a circle.
        for _ in 0..4 {
            match self.values.get(name) {
                Some(Variable::Reference(to)) => name = to,
                found => return found,
            }
        }
        None
    }

    /// True if the text sets any.
    pub(crate) fn any(&self) -> bool {
        !self.values.is_empty()
    }

    /// A number that grows with every change.
    pub(crate) fn changes(&self) -> usize {
        self.changes
    }

    pub(crate) fn set(&mut self, name: &str, value: Variable) {
        self.changes += 1;
        let old = self.values.insert(name.to_owned(), value);
        if self.scopes > 0 {
            self.log.push((name.to_owned(), old));
        }
    }

    /// Sets it in a branch that may not run: the old value stays possible.
    pub(crate) fn set_maybe(&mut self, name: &str, value: Variable) {
        let merged = match (self.get(name).cloned(), value) {
            (None, value) => value,
            (Some(old), value) if old == value => value,
            (Some(old), value) => match (choices(&old), choices(&value)) {
                (Some(mut all), Some(more)) => {
                    all.extend(more);
                    all.dedup();
                    all.truncate(MAX_ALTERNATIVES);
                    Variable::OneOf(all)
                }
                _ => Variable::Unknown,
            },
        };
        self.set(name, merged);
    }

    pub(crate) fn open_scope(&mut self) -> Mark {
        self.scopes += 1;
        Mark(self.log.len())
    }

    /// Takes back what was set since.
    pub(crate) fn close_scope(&mut self, mark: Mark) {
        self.scopes = self.scopes.saturating_sub(1);
        while self.log.len() > mark.0 {
            match self.log.pop() {
                Some((name, Some(old))) => drop(self.values.insert(name, old)),
                Some((name, None)) => drop(self.values.remove(&name)),
                None => break,
            }
        }
    }
}

fn choices(variable: &Variable) -> Option<Vec<String>> {
    match variable {
        Variable::Scalar(text) => Some(vec![text.clone()]),
        Variable::OneOf(all) => Some(all.clone()),
        _ => None,
    }
}
