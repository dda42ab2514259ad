//! Reading settings as what they must be; what is something else is told with its place.

use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

use serde_json::Value;

use super::yaml::{Data, Node, Place};

/// A setting that is not what it must be.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConfigProblem {
    /// Its name, as in `terminal.timeout`.
    pub setting: String,
    /// Where it stands.
    pub place: Place,
    /// What stands there, shortened. Never the value of a setting that holds secrets.
    pub found: String,
    /// What must stand there.
    pub expected: String,
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} is {}, but must be {}",
            self.place, self.setting, self.found, self.expected
        )
    }
}

/// The most characters of a value that a problem shows.
const SHOWN: usize = 40;

/// Gives the value of a variable, if it is set.
pub(super) type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A part of the config that is being read.
pub(super) struct Section<'a> {
    name: &'static str,
    node: Option<&'a Node>,
    variables: Lookup<'a>,
    asked: Vec<&'static str>,
    problems: Vec<ConfigProblem>,
}

/// What is said about one setting: here, or in a variable.
#[derive(Clone, Copy)]
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) variable: Option<&'static str>,
}

/// A setting that only the file has.
pub(super) const fn key(name: &'static str) -> Key {
    Key {
        name,
        variable: None,
    }
}

/// A setting that a variable gives when the file does not.
pub(super) const fn or_variable(name: &'static str, variable: &'static str) -> Key {
    Key {
        name,
        variable: Some(variable),
    }
}

impl<'a> Section<'a> {
    /// The part of this name; a dot leads further in.
    pub(super) fn new(root: &'a Node, name: &'static str, variables: Lookup<'a>) -> Section<'a> {
        let mut section = Section {
            name,
            node: Some(root),
            variables,
            asked: Vec::new(),
            problems: Vec::new(),
        };
        let is_mapping = matches!(root.data, Data::Map(_));
        if !is_mapping && !root.is_null() {
            section.problem("the config".to_owned(), root, "a mapping");
            section.node = None;
        }
        let mut so_far = String::new();
        for part in name.split('.').filter(|part| !part.is_empty()) {
            let Some(inner) = section.node.and_then(|node| node.get(part)) else {
                section.node = None;
                break;
            };
            if !so_far.is_empty() {
                so_far.push('.');
            }
            so_far.push_str(part);
            section.node = Some(inner).filter(|inner| !inner.is_null());
            if !inner.is_null() && !matches!(inner.data, Data::Map(_)) {
                section.problem(so_far, inner, "a mapping");
                section.node = None;
                break;
            }
        }
        section
    }

    /// All that was wrong.
    pub(super) fn finish(self) -> Vec<ConfigProblem> {
        self.problems
    }

    /// What stands here under names that nobody has asked for.
    pub(super) fn unasked(&self) -> Vec<(String, Place)> {
        let Some(Data::Map(fields)) = self.node.map(|node| &node.data) else {
            return Vec::new();
        };
        let unasked = fields
            .iter()
            .filter(|(name, _)| !self.asked.contains(&name.as_str()));
        unasked
            .map(|(name, node)| (self.full_name(name), node.place.clone()))
            .collect()
    }

    /// Where a setting that says something stands.
    pub(super) fn place(&self, key: Key) -> Option<Place> {
        let here = self.node.and_then(|node| node.get(key.name));
        match here.filter(|here| !here.is_null()) {
            Some(here) => Some(here.place.clone()),
            None => key
                .variable
                .filter(|name| (self.variables)(name).is_some_and(|text| !text.trim().is_empty()))
                .map(|name| Place::Variable(name.to_owned())),
        }
    }

    pub(super) fn full_name(&self, name: &str) -> String {
        match self.name {
            "" => name.to_owned(),
            section => format!("{section}.{name}"),
        }
    }

    fn problem(&mut self, setting: String, node: &Node, expected: &str) {
        self.problems.push(ConfigProblem {
            setting,
            place: node.place.clone(),
            found: described(node),
            expected: expected.to_owned(),
        });
    }

    /// What the file says, else what the variable says. Null and an empty variable say nothing.
    fn found(&mut self, key: Key, is_scalar: bool) -> Option<Node> {
        self.asked.push(key.name);
        let here = self.node.and_then(|node| node.get(key.name));
        if let Some(here) = here.filter(|here| !here.is_null()) {
            return Some(here.clone());
        }
        let variable = key.variable?;
        let text = (self.variables)(variable).filter(|text| !text.trim().is_empty())?;
        let place = Place::Variable(variable.to_owned());
        if is_scalar {
            return Some(Node::from_value(Value::String(text), &place));
        }
        match serde_json::from_str(&text) {
            Ok(value) => Some(Node::from_value(value, &place)).filter(|node| !node.is_null()),
            // Not shown: it can hold secrets.
            Err(error) => {
                let setting = self.full_name(key.name);
                self.problems.push(ConfigProblem {
                    setting,
                    place,
                    found: format!("no JSON (column {})", error.column()),
                    expected: "a list or mapping in JSON".to_owned(),
                });
                None
            }
        }
    }

    fn scalar<T>(
        &mut self,
        key: Key,
        expected: &str,
        convert: impl Fn(&Value, &str) -> Option<T>,
    ) -> Option<T> {
        let node = self.found(key, true)?;
        let converted = match &node.data {
            Data::Scalar(value, text) => convert(value, text.trim()),
            _ => None,
        };
        if converted.is_none() {
            let setting = self.full_name(key.name);
            self.problem(setting, &node, expected);
        }
        converted
    }

    /// A text. A number is taken as it is written.
    pub(super) fn text(&mut self, key: Key) -> Option<String> {
        self.scalar(key, "text", as_text)
            .filter(|text| !text.is_empty())
    }

    /// One of a few words, in any case.
    pub(super) fn word<T: Copy>(&mut self, key: Key, words: &[(&str, T)]) -> Option<T> {
        let names: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
        let expected = format!("one of {}", names.join(", "));
        let found = self.scalar(key, &expected, |value, text| {
            let text = as_text(value, text)?;
            let meant = words
                .iter()
                .find(|(name, _)| text.eq_ignore_ascii_case(name));
            match text.is_empty() {
                true => Some(None),
                false => meant.map(|(_, meaning)| Some(*meaning)),
            }
        });
        found.flatten()
    }

    /// A text whose value is never shown.
    pub(super) fn secret(&mut self, key: Key) -> Option<String> {
        let before = self.problems.len();
        let text = self.scalar(key, "text", as_text);
        if let Some(problem) = self.problems.get_mut(before) {
            "something else".clone_into(&mut problem.found);
        }
        text.filter(|text| !text.is_empty())
    }

    /// Yes or no; also as the words that a variable holds.
    pub(super) fn flag(&mut self, key: Key) -> Option<bool> {
        self.scalar(key, "true or false", |value, text| match value {
            Value::Bool(flag) => Some(*flag),
            Value::String(_) | Value::Number(_) => match text.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" | "1" => Some(true),
                "false" | "no" | "off" | "0" => Some(false),
                _ => None,
            },
            _ => None,
        })
    }

    /// A whole number of a range.
    pub(super) fn whole(&mut self, key: Key, range: RangeInclusive<u64>) -> Option<u64> {
        let expected = match *range.end() {
            u64::MAX => format!("a whole number, {} or more", range.start()),
            end => format!("a whole number from {} to {end}", range.start()),
        };
        self.scalar(key, &expected, |value, text| {
            let number = match value {
                Value::Number(number) => number.as_u64().or_else(|| exact(number.as_f64()?)),
                Value::String(_) => text.parse().ok(),
                _ => None,
            };
            number.filter(|number| range.contains(number))
        })
    }

    /// A number of a range.
    pub(super) fn number(&mut self, key: Key, range: RangeInclusive<f64>) -> Option<f64> {
        let expected = match *range.end() {
            end if end >= f64::MAX => format!("a number, {} or more", range.start()),
            end => format!("a number from {} to {end}", range.start()),
        };
        self.scalar(key, &expected, |value, text| {
            let number = match value {
                Value::Number(number) => number.as_f64(),
                Value::String(_) => text.parse().ok(),
                _ => None,
            };
            number.filter(|number| range.contains(number))
        })
    }

    /// A time in seconds, of a range; fractions too.
    pub(super) fn seconds(&mut self, key: Key, range: RangeInclusive<f64>) -> Option<Duration> {
        self.number(key, range)
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
    }

    /// A list of texts. An entry that is none is told and left out.
    pub(super) fn texts(&mut self, key: Key) -> Option<Vec<String>> {
        let node = self.found(key, false)?;
        let setting = self.full_name(key.name);
        let Data::List(items) = &node.data else {
            self.problem(setting, &node, "a list of texts");
            return None;
        };
        Some(self.entries(&setting, items))
    }

    fn entries(&mut self, setting: &str, items: &[Node]) -> Vec<String> {
        let mut texts = Vec::new();
        for (n, item) in items.iter().enumerate() {
            let text = match &item.data {
                // `22:22` is a number to YAML, and not the one that was meant.
                Data::Scalar(value, text) => as_text(value, text),
                _ => None,
            };
            match text {
                Some(text) => texts.push(text),
                None => self.problem(format!("{setting}[{n}]"), item, "text"),
            }
        }
        texts
    }

    /// Names with their texts. A truth value is taken as it is written.
    pub(super) fn pairs(&mut self, key: Key) -> Option<Vec<(String, String)>> {
        let node = self.found(key, false)?;
        let setting = self.full_name(key.name);
        let Data::Map(fields) = &node.data else {
            self.problem(setting, &node, "a mapping of names to texts");
            return None;
        };
        let mut pairs: Vec<(String, String)> = Vec::new();
        for (name, value) in fields {
            let text = match &value.data {
                Data::Scalar(Value::Null, _) => Some(String::new()),
                Data::Scalar(_, text) => Some(text.clone()),
                _ => None,
            };
            match text {
                Some(text) => {
                    pairs.retain(|(known, _)| known != name);
                    pairs.push((name.clone(), text));
                }
                None => self.problem(format!("{setting}.{name}"), value, "text"),
            }
        }
        Some(pairs)
    }

    /// Names with lists of texts.
    pub(super) fn lists(&mut self, key: Key) -> Option<Vec<(String, Vec<String>)>> {
        let node = self.found(key, false)?;
        let setting = self.full_name(key.name);
        let Data::Map(fields) = &node.data else {
            self.problem(setting, &node, "a mapping of names to lists");
            return None;
        };
        let mut lists: Vec<(String, Vec<String>)> = Vec::new();
        for (name, value) in fields {
            let texts = match &value.data {
                Data::List(items) => self.entries(&format!("{setting}.{name}"), items),
                _ if value.is_null() => Vec::new(),
                _ => {
                    self.problem(format!("{setting}.{name}"), value, "a list of texts");
                    continue;
                }
            };
            lists.retain(|(known, _)| known != name);
            lists.push((name.clone(), texts));
        }
        Some(lists)
    }
}

fn as_text(value: &Value, text: &str) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) => Some(text.to_owned()),
        _ => None,
    }
}

/// A float that is a whole number.
fn exact(number: f64) -> Option<u64> {
    // Digits in front of the point are all there is of it.
    (number.fract() == 0.0 && number >= 0.0)
        .then(|| format!("{number:.0}").parse().ok())
        .flatten()
}

fn described(node: &Node) -> String {
    match &node.data {
        Data::Map(_) => "a mapping".to_owned(),
        Data::List(_) => "a list".to_owned(),
        Data::Scalar(Value::Null, _) => "empty".to_owned(),
        Data::Scalar(Value::String(text), _) => format!("{:?}", shortened(text)),
        Data::Scalar(_, text) => shortened(text),
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
