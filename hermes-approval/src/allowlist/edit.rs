//! The smallest change of a YAML text that puts entries on the list or takes them off it.

use std::ops::Range;
use std::path::Path;
use std::str::FromStr;

use yaml_edit::{ScalarValue, Sequence, YamlFile};

use super::brackets::emptied;
use super::plain::reads_back;
use super::tag::Covered;
use super::tokens::Kind;
use super::yaml::{Place, Reading, read};
use super::{KEY, end_mark};
use crate::{Error, Result};

/// What is to be done to the list.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wish<'a> {
    pub(super) add: &'a [&'a str],
    pub(super) remove: &'a [&'a str],
}

/// A wish, in the light of what is there.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) add: Vec<String>,
    /// The texts that go, and where they are among the items.
    pub(super) remove: Vec<(usize, String)>,
}

impl Plan {
    fn new(reading: &Reading, wish: Wish<'_>) -> Self {
        let remove: Vec<(usize, String)> = reading
            .items
            .iter()
            .enumerate()
            .filter_map(|(at, item)| {
                let text = item.as_deref()?;
                wish.remove.contains(&text).then(|| (at, text.to_owned()))
            })
            .collect();
        let mut add: Vec<String> = Vec::new();
        for text in wish.add {
            let there = reading.list.entries().iter().any(|one| one.text == *text);
            if !there && !add.iter().any(|one| one == text) {
                add.push((*text).to_owned());
            }
        }
        Self { add, remove }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.add.is_empty() && self.remove.is_empty()
    }

    /// The items as they are to be.
    fn outcome(&self, reading: &Reading) -> Vec<Option<String>> {
        reading
            .items
            .iter()
            .enumerate()
            .filter(|(at, _)| !self.remove.iter().any(|(gone, _)| gone == at))
            .map(|(_, item)| item.clone())
            .chain(self.add.iter().cloned().map(Some))
            .collect()
    }
}

/// The new text, `None` if nothing is to be done, and what is done.
pub(super) fn edit(text: &str, wish: Wish<'_>, path: &Path) -> Result<(Option<String>, Plan)> {
    let before = read(text, path)?;
    let plan = Plan::new(&before, wish);
    if plan.is_empty() {
        return Ok((None, plan));
    }
    if let Place::Elsewhere { line, how } = before.place {
        return Err(Error::SharedAllowlist {
            path: path.to_owned(),
            line,
            how,
        });
    }
    let refused = |problem| Error::EditRefused {
        path: path.to_owned(),
        problem,
    };
    let (content, end_mark) = end_mark::split(text);
    let mut new = match before.place {
        Place::NoContent => after_comments(content, &plan.add),
        _ if let Some(new) = without_items(content, &before, &plan) => new,
        _ => {
            let tag = before.around_tag().map(|(start, end)| {
                let end = byte_of(content, end);
                byte_of(content, start)..end
            });
            let covered = Covered::new(content, tag)
                .ok_or_else(|| refused("the tag of the list stands where it is not looked for"))?;
            let new = in_the_document(covered.text(), &plan)
                .ok_or_else(|| refused("the editor does not read it"))?;
            covered.uncover(new)
        }
    };
    if !end_mark.is_empty() && !new.ends_with('\n') {
        new.push('\n');
    }
    new.push_str(end_mark);
    let new = with_line_ends_of(text, new);
    check(text, &before, &new, &plan, path).map_err(|problem| match problem {
        Some(problem) => refused(problem),
        None => refused("the result would not parse"),
    })?;
    Ok((Some(new), plan))
}

/// To a file without content the editor has nothing to hang a list on.
fn after_comments(text: &str, add: &[String]) -> String {
    let mut new = text.to_owned();
    if !new.trim_start_matches('\u{feff}').is_empty() && !new.ends_with('\n') {
        new.push('\n');
    }
    let list = Sequence::new();
    for text in add {
        list.push(scalar(text));
    }
    let mapping = yaml_edit::Document::new_mapping();
    mapping.set(KEY, list);
    new.push_str(mapping.to_string().trim_end());
    new.push('\n');
    new
}

/// The text with an empty list, if that is what is wished, and the list is in brackets.
fn without_items(text: &str, before: &Reading, plan: &Plan) -> Option<String> {
    if before.place != Place::List || !plan.outcome(before).is_empty() {
        return None;
    }
    let (end, items) = before.flow()?;
    let items: Vec<Range<usize>> = items
        .into_iter()
        .map(|(start, end)| byte_of(text, start)..byte_of(text, end))
        .collect();
    let end = byte_of(text, end);
    let start = text.get(..items.first()?.start)?.rfind('[')? + 1;
    emptied(text, start..end, &items)
}

fn in_the_document(text: &str, plan: &Plan) -> Option<String> {
    let file = YamlFile::from_str(text).ok()?;
    let document = file.document()?;
    let there = document.get(KEY);
    match there.as_ref().and_then(|node| node.as_sequence()) {
        Some(list) => {
            for (at, _) in plan.remove.iter().rev() {
                list.remove(*at)?;
            }
            for text in &plan.add {
                list.push(scalar(text));
            }
        }
        None => {
            let list = Sequence::new();
            for text in &plan.add {
                list.push(scalar(text));
            }
            if !document.set(KEY, list) {
                return None;
            }
        }
    }
    Some(file.to_string())
}

fn scalar(text: &str) -> ScalarValue {
    if reads_back(text) {
        ScalarValue::plain(text)
    } else if text.chars().all(|c| !c.is_control() && !is_line_end(c)) {
        ScalarValue::single_quoted(text)
    } else {
        ScalarValue::double_quoted(text)
    }
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}')
}

/// A text whose lines all end in CR LF keeps that in its new lines.
fn with_line_ends_of(old: &str, new: String) -> String {
    let lines = old.matches('\n').count();
    if lines == 0 || lines != old.matches("\r\n").count() {
        return new;
    }
    new.replace("\r\n", "\n").replace('\n', "\r\n")
}

/// Reads the new text, and refuses it unless it is what was meant: the list as planned, everything
/// else as it was, byte for byte around the list. `None` when it does not even parse.
fn check(
    old: &str,
    before: &Reading,
    new: &str,
    plan: &Plan,
    path: &Path,
) -> Result<(), Option<&'static str>> {
    let after = read(new, path).map_err(|_| None)?;
    if after.items != plan.outcome(before) {
        return Err(Some("the list would not be what was meant"));
    }
    if after.list.ignored().len() != before.list.ignored().len() {
        return Err(Some("other items of the list would change"));
    }
    let besides = after.besides();
    let unchanged = match before.place {
        Place::NoContent => matches!(
            besides.as_slice(),
            [
                Kind::Map {
                    tag: None,
                    anchor: 0
                },
                Kind::EndMap
            ]
        ),
        _ => besides == before.besides(),
    };
    if !unchanged {
        return Err(Some("something besides the list would change"));
    }
    let (content, end_mark) = end_mark::split(old);
    let kept = match before.surroundings() {
        Some((start, end)) => {
            let head = beginning(old, start);
            let tail = end.map_or("", |end| rest(old, end));
            new.starts_with(head) && new.ends_with(tail)
        }
        // A list that is new: the old text is all there. In a mapping in braces it is not in one
        // piece, and what it says has been compared.
        None => new.starts_with(content.trim_end()) || old.contains('{'),
    };
    if !kept || !new.ends_with(end_mark) {
        return Err(Some("lines besides the list would be written anew"));
    }
    Ok(())
}

/// The first characters of a text, a byte order mark not counted.
fn beginning(text: &str, chars: usize) -> &str {
    let at = byte_of(text, chars);
    text.get(..at).unwrap_or(text)
}

fn rest(text: &str, chars: usize) -> &str {
    let at = byte_of(text, chars);
    text.get(at..).unwrap_or("")
}

fn byte_of(text: &str, chars: usize) -> usize {
    let mark = usize::from(text.starts_with('\u{feff}'));
    text.char_indices()
        .nth(chars + mark)
        .map_or(text.len(), |(at, _)| at)
}
