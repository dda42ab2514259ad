//! The value of `$x` and `${x…}`.

use super::variables::Variable;
use super::{Unknown, glob};
use crate::scan::syntax::{Operator, Parameter, Subscript};
use crate::walk::{Scene, Text, Walker, subscripts};

/// What an expansion stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Expanded {
    Text(String),
    OneOf(Vec<String>),
    /// `"$@"`, `"${a[@]}"`
    Fields(Vec<String>),
    Unknown(Unknown),
}

impl Walker<'_> {
    pub(crate) fn parameter(
        &mut self,
        parameter: &Parameter,
        t: &Text<'_>,
        scene: &Scene,
    ) -> Expanded {
        let name = parameter.name.of(t.text);
        let subscript = self.subscript(parameter.subscript.as_ref(), t, scene);
        let zsh = || scene.wrappers.last().is_some_and(|w| &*w.program == "zsh");
        let mut base = match (subscript.as_deref(), self.variables.get(name)) {
            // In zsh an array is all of its values.
            (None, Some(Variable::Array(list))) if zsh() => Some(Expanded::Fields(list.clone())),
            (subscript, _) => self.lookup(name, subscript),
        };
        // `rm$IFS$9-rf`: what isn't set only parts the blank from the next word.
        if base == Some(Expanded::Unknown(Unknown::Positional)) && self.positionals.is_none() {
            let before = t.text.get(..parameter.name.start).unwrap_or("");
            let before = before.trim_end_matches('{').trim_end_matches('$');
            if before.ends_with("$IFS") || before.ends_with("${IFS}") {
                base = Some(Expanded::Text(String::new()));
            }
        }
        if parameter.indirect {
            base = match base {
                Some(Expanded::Text(target)) => {
                    let span = t.map.original(parameter.name);
                    self.run_subscripts(subscripts(&target), span, scene);
                    match target.strip_suffix(']').and_then(|t| t.split_once('[')) {
                        Some((array, key)) => self.lookup(array, Some(key)),
                        None => self.lookup(&target, None),
                    }
                }
                _ => Some(Expanded::Unknown(Unknown::Variable(name.to_owned()))),
            };
        }
        if parameter.length {
            return match base {
                Some(Expanded::Text(text)) => Expanded::Text(text.chars().count().to_string()),
                Some(Expanded::Fields(list)) => Expanded::Text(list.len().to_string()),
                _ => Expanded::Unknown(Unknown::Arithmetic),
            };
        }
        let unknown = || Expanded::Unknown(Unknown::Variable(name.to_owned()));
        if parameter.operator == Operator::None {
            return base.unwrap_or_else(unknown);
        }
        let argument = self.expand_pieces(&parameter.argument, t, scene);
        let argument = argument.known().map(str::to_owned);
        match parameter.operator {
            Operator::Default | Operator::Assign => {
                let missing = match &base {
                    None => true,
                    Some(Expanded::Text(text)) => text.is_empty(),
                    Some(_) => false,
                };
                match (base, argument) {
                    (Some(Expanded::Unknown(_)), Some(text)) => Expanded::OneOf(vec![text]),
                    (Some(base), _) if !missing => base,
                    (_, Some(text)) => {
                        if parameter.operator == Operator::Assign {
                            self.variables.set(name, Variable::Scalar(text.clone()));
                        }
                        Expanded::Text(text)
                    }
                    _ => unknown(),
                }
            }
            Operator::Alternate => match (base, argument) {
                (Some(Expanded::Text(text)), _) if text.is_empty() => Expanded::Text(text),
                (Some(_), Some(text)) => Expanded::Text(text),
                // It may well be set outside.
                (None, Some(text)) => Expanded::OneOf(vec![text]),
                _ => unknown(),
            },
            Operator::Error => base.unwrap_or_else(unknown),
            Operator::Substring => {
                let Some(argument) = argument else {
                    return unknown();
                };
                // Whatever is in it, a path starts with a slash.
                if base.is_none() && matches!(name, "PATH" | "OLDPWD" | "PWD") && argument == "0:1"
                {
                    return Expanded::Text("/".to_owned());
                }
                let span = t.map.original(parameter.name);
                self.run_subscripts(&argument, span, scene);
                let argument = self.calculated_range(argument);
                each(base, name, |text| substring(text, &argument))
            }
            Operator::Replace => {
                let Some(argument) = argument else {
                    return unknown();
                };
                if !self.spend(work(&base, &argument)) {
                    return unknown();
                }
                each(base, name, |text| replace(text, &argument))
            }
            Operator::RemovePrefix { longest } | Operator::RemoveSuffix { longest } => {
                let Some(argument) = argument else {
                    return unknown();
                };
                if !self.spend(work(&base, &argument)) {
                    return unknown();
                }
                let front = matches!(parameter.operator, Operator::RemovePrefix { .. });
                each(base, name, |text| {
                    Some(trim(text, &argument, front, longest))
                })
            }
            Operator::Upper { all } => each(base, name, |text| Some(change_case(text, all, true))),
            Operator::Lower { all } => each(base, name, |text| Some(change_case(text, all, false))),
            Operator::Other | Operator::None => unknown(),
        }
    }

    /// The key that a subscript stands for, as far as it is known; what it runs is run.
    pub(crate) fn subscript(
        &mut self,
        subscript: Option<&Subscript>,
        t: &Text<'_>,
        scene: &Scene,
    ) -> Option<String> {
        let Subscript { at, pieces } = subscript?;
        if pieces.is_empty() {
            let text = at.of(t.text);
            if !matches!(text, "@" | "*") {
                self.run_subscripts(text, t.map.original(*at), scene);
            }
            return Some(text.to_owned());
        }
        let built = self.expand_pieces(pieces, t, scene);
        self.run_subscripts(&built.text, t.map.original(*at), scene);
        // A key that nothing has.
        Some(built.known().map_or_else(|| "\0".to_owned(), str::to_owned))
    }

    /// `offset:length` with both worked out, where that is possible.
    fn calculated_range(&self, argument: String) -> String {
        let plain = |c: char| c.is_ascii_digit() || matches!(c, ':' | ' ' | '-');
        if argument.chars().all(plain) {
            return argument;
        }
        let parts = argument.split(':').map(|part| {
            self.calculated(part)
                .map_or_else(|| part.to_owned(), |n| n.to_string())
        });
        parts.collect::<Vec<_>>().join(":")
    }

    /// The place in an array that a key stands for.
    fn index(&self, key: Option<&str>) -> Option<i64> {
        let Some(key) = key.map(str::trim) else {
            return Some(0);
        };
        key.parse().ok().or_else(|| self.calculated(key))
    }

    /// The value of a variable; `None` if nothing is known of it.
    fn lookup(&mut self, name: &str, subscript: Option<&str>) -> Option<Expanded> {
        match name {
            "@" | "*" => {
                return Some(match &self.positionals {
                    Some(list) => list
                        .iter()
                        .cloned()
                        .collect::<Option<Vec<_>>>()
                        .map_or(Expanded::Unknown(Unknown::Positional), Expanded::Fields),
                    None => Expanded::Unknown(Unknown::Positional),
                });
            }
            "#" | "?" | "$" | "-" | "!" => {
                let sign = name.chars().next().unwrap_or('?');
                return Some(Expanded::Unknown(Unknown::Special(sign)));
            }
            _ => {}
        }
        if let Ok(number) = name.parse::<usize>() {
            let value = number
                .checked_sub(1)
                .and_then(|i| self.positionals.as_ref()?.get(i).cloned())
                .flatten();
            return Some(value.map_or(Expanded::Unknown(Unknown::Positional), Expanded::Text));
        }
        let all = matches!(subscript, Some("@" | "*"));
        match self.variables.get(name) {
            Some(Variable::Scalar(text)) => Some(Expanded::Text(text.clone())),
            Some(Variable::OneOf(values)) => Some(Expanded::OneOf(values.clone())),
            Some(Variable::Array(list)) if all => Some(Expanded::Fields(list.clone())),
            Some(Variable::Array(list)) => {
                let element = self.index(subscript).and_then(|i| {
                    let i = if i < 0 {
                        i64::try_from(list.len()).ok()?.checked_add(i)?
                    } else {
                        i
                    };
                    list.get(usize::try_from(i).ok()?)
                });
                Some(element.map_or_else(
                    || Expanded::Unknown(Unknown::Variable(name.to_owned())),
                    |text| Expanded::Text(text.clone()),
                ))
            }
            Some(Variable::Keyed(list)) if all => {
                let values = list.iter().map(|(_, value)| value.clone());
                Some(Expanded::Fields(values.collect()))
            }
            Some(Variable::Keyed(list)) => {
                let index = self.index(subscript).map(|i| i.to_string());
                let literal = subscript.map(unquoted);
                let found = list
                    .iter()
                    .find(|(key, _)| index.as_ref() == Some(key) || Some(key.as_str()) == literal);
                Some(found.map_or_else(
                    || Expanded::Unknown(Unknown::Variable(name.to_owned())),
                    |(_, value)| Expanded::Text(value.clone()),
                ))
            }
            Some(Variable::Unknown | Variable::Reference(_)) => {
                Some(Expanded::Unknown(Unknown::Variable(name.to_owned())))
            }
            None => self
                .env
                .variable(name)
                .map(|text| Expanded::Text(text.to_owned())),
        }
    }
}

/// A key without the quotes around it.
pub(crate) fn unquoted(key: &str) -> &str {
    key.trim().trim_matches(['"', '\''])
}

fn work(base: &Option<Expanded>, argument: &str) -> usize {
    match base {
        Some(Expanded::Text(text)) => text.len().saturating_mul(argument.len().max(1)),
        _ => argument.len(),
    }
}

fn each(base: Option<Expanded>, name: &str, change: impl Fn(&str) -> Option<String>) -> Expanded {
    let unknown = || Expanded::Unknown(Unknown::Variable(name.to_owned()));
    match base {
        Some(Expanded::Text(text)) => change(&text).map_or_else(unknown, Expanded::Text),
        Some(Expanded::OneOf(all)) => all
            .iter()
            .map(|text| change(text))
            .collect::<Option<Vec<_>>>()
            .map_or_else(unknown, Expanded::OneOf),
        Some(Expanded::Fields(all)) => all
            .iter()
            .map(|text| change(text))
            .collect::<Option<Vec<_>>>()
            .map_or_else(unknown, Expanded::Fields),
        Some(Expanded::Unknown(reason)) => Expanded::Unknown(reason),
        None => unknown(),
    }
}

/// `offset[:length]`; negative ones count from the end.
fn substring(text: &str, argument: &str) -> Option<String> {
    let mut numbers = argument
        .splitn(2, ':')
        .map(|n| n.trim().trim_matches(['(', ')']).trim());
    let count = i64::try_from(text.chars().count()).ok()?;
    let offset = numbers
        .next()
        .filter(|n| !n.is_empty())
        .map_or(Ok(0), str::parse::<i64>)
        .ok()?;
    let start = if offset < 0 {
        count.saturating_add(offset).max(0)
    } else {
        offset.min(count)
    };
    let end = match numbers.next() {
        None => count,
        Some(length) => {
            let length = length.parse::<i64>().ok()?;
            if length < 0 {
                count.saturating_add(length)
            } else {
                start.saturating_add(length)
            }
        }
    };
    let take = usize::try_from(end.saturating_sub(start).max(0)).ok()?;
    Some(
        text.chars()
            .skip(usize::try_from(start).ok()?)
            .take(take)
            .collect(),
    )
}

/// `pattern/replacement`; a first `/`, `#` or `%` says where.
fn replace(text: &str, argument: &str) -> Option<String> {
    let (place, rest) = match argument.chars().next() {
        Some(sign @ ('/' | '#' | '%')) => (Some(sign), argument.get(1..)?),
        _ => (None, argument),
    };
    let (pattern, with) = rest.split_once('/').unwrap_or((rest, ""));
    if pattern.is_empty() {
        return Some(text.to_owned());
    }
    if !pattern.contains(['*', '?', '[', '\\']) {
        return Some(match place {
            Some('/') => text.replace(pattern, with),
            Some('#') => match text.strip_prefix(pattern) {
                Some(tail) => format!("{with}{tail}"),
                None => text.to_owned(),
            },
            Some('%') => match text.strip_suffix(pattern) {
                Some(head) => format!("{head}{with}"),
                None => text.to_owned(),
            },
            _ => text.replacen(pattern, with, 1),
        });
    }
    if text.len() > MAX_PATTERN_TEXT {
        return None;
    }
    let (chars, pattern): (Vec<char>, Vec<char>) =
        (text.chars().collect(), pattern.chars().collect());
    let mut out = String::new();
    let mut at = 0;
    let mut replaced = false;
    while at < chars.len() {
        let length = if replaced && place != Some('/') {
            None
        } else {
            (at + 1..=chars.len())
                .rev()
                .find(|&end| glob::matches_chars(&pattern, chars.get(at..end).unwrap_or(&[])))
        };
        match length {
            Some(end) => {
                out.push_str(with);
                replaced = true;
                at = end;
            }
            None => {
                out.extend(chars.get(at));
                at += 1;
            }
        }
    }
    Some(out)
}

/// `#`, `##`, `%`, `%%`
fn trim(text: &str, pattern: &str, front: bool, longest: bool) -> String {
    if !pattern.contains(['*', '?', '[', '\\']) {
        let trimmed = if front {
            text.strip_prefix(pattern)
        } else {
            text.strip_suffix(pattern)
        };
        return trimmed.unwrap_or(text).to_owned();
    }
    if text.len() > MAX_PATTERN_TEXT {
        return text.to_owned();
    }
    let pattern: Vec<char> = pattern.chars().collect();
    let chars: Vec<char> = text.chars().collect();
    let cut_at = |cut: usize| {
        let removed = if front {
            chars.get(..cut)
        } else {
            chars.get(chars.len() - cut..)
        };
        glob::matches_chars(&pattern, removed.unwrap_or(&[]))
    };
    let cut = if longest {
        (0..=chars.len()).rev().find(|&cut| cut_at(cut))
    } else {
        (0..=chars.len()).find(|&cut| cut_at(cut))
    };
    let cut = cut.unwrap_or(0);
    if front {
        chars.iter().skip(cut).collect()
    } else {
        chars.iter().take(chars.len() - cut).collect()
    }
}

fn change_case(text: &str, all: bool, upper: bool) -> String {
    let change = |c: char| -> String {
        if upper {
            c.to_uppercase().collect()
        } else {
            c.to_lowercase().collect()
        }
    };
    if all {
        return text.chars().map(change).collect();
    }
    let mut chars = text.chars();
    chars
        .next()
        .map_or_else(String::new, |first| change(first) + chars.as_str())
}

/// Patterns are tried on texts up to this length.
const MAX_PATTERN_TEXT: usize = 128;
