//! What is inside arrays and objects.

use serde_json::{Map, Value};

use super::keywords::Keywords;
use super::{Search, Wrap};

impl Search<'_> {
    /// The array or object with its inside as the schema wants it; `None` if it stays.
    pub(super) fn inside(
        &self,
        value: &Value,
        keywords: &Keywords<'_>,
        depth: usize,
    ) -> Option<Value> {
        // What is in there may be wrapped whatever happens to the whole.
        let outer = self.wrap.replace(Wrap::Free);
        let changed = match value {
            Value::Array(items) => self.items(items, keywords, depth),
            Value::Object(map) => self.members(map, keywords, depth),
            _ => None,
        };
        self.wrap.set(outer);
        changed
    }

    fn items(&self, items: &[Value], keywords: &Keywords<'_>, depth: usize) -> Option<Value> {
        let item = |(index, value): (usize, &Value)| match keywords.item(index)? {
            Value::Object(schema) => self.coerced(value, schema, depth),
            _ => None,
        };
        let (first, changed) = items
            .iter()
            .enumerate()
            .find_map(|at| item(at).map(|changed| (at.0, changed)))?;
        let mut new = Vec::with_capacity(items.len());
        new.extend(items.iter().take(first).cloned());
        new.push(changed);
        for (index, value) in items.iter().enumerate().skip(first + 1) {
            new.push(item((index, value)).unwrap_or_else(|| value.clone()));
        }
        Some(Value::Array(new))
    }

    fn members(
        &self,
        map: &Map<String, Value>,
        keywords: &Keywords<'_>,
        depth: usize,
    ) -> Option<Value> {
        let member = |name: &str, value: &Value| match schema_of(name, keywords)? {
            Value::Object(schema) => self.coerced(value, schema, depth),
            _ => None,
        };
        if keywords.properties.is_none()
            && keywords.patterns.is_none()
            && keywords.additional.is_none()
        {
            return None;
        }
        let mut new: Option<Map<String, Value>> = None;
        for (index, (name, value)) in map.iter().enumerate() {
            match (member(name, value), &mut new) {
                (None, None) => {}
                (None, Some(new)) => {
                    new.insert(name.clone(), value.clone());
                }
                (Some(changed), Some(new)) => {
                    new.insert(name.clone(), changed);
                }
                (Some(changed), None) => {
                    let mut begun = Map::with_capacity(map.len());
                    begun.extend(map.iter().take(index).map(|(k, v)| (k.clone(), v.clone())));
                    begun.insert(name.clone(), changed);
                    new = Some(begun);
                }
            }
        }
        new.map(Value::Object)
    }
}

/// The schema of the member of this name.
pub(super) fn schema_of<'a>(name: &str, keywords: &Keywords<'a>) -> Option<&'a Value> {
    if let Some(schema) = keywords.properties.and_then(|known| known.get(name)) {
        return Some(schema);
    }
    if let Some(patterns) = keywords.patterns {
        if let Some((_, schema)) = patterns.iter().find(|(pattern, _)| matches(pattern, name)) {
            return Some(schema);
        }
        let others_refused = keywords.additional == Some(&Value::Bool(false));
        let mut schemas = patterns.values();
        if let (true, Some(only), None) = (others_refused, schemas.next(), schemas.next()) {
            // It has to match, or the object could not be there.
            return Some(only);
        }
    }
    keywords.additional
}

/// Whether a name matches a pattern of plain text with anchors and `.*`. No other pattern matches
/// anything here: what it is for stays as it is.
fn matches(pattern: &str, name: &str) -> bool {
    let (start, pattern) = match pattern.strip_prefix('^') {
        Some(rest) => (true, rest),
        None => (false, pattern),
    };
    let (end, pattern) = match pattern.strip_suffix('$') {
        Some(rest) => (true, rest),
        None => (false, pattern),
    };
    if matches!(pattern, ".*" | "") {
        return !(start && end && pattern.is_empty()) || name.is_empty();
    }
    if pattern == ".+" {
        return !name.is_empty();
    }
    let (pattern, end) = match pattern.strip_suffix(".*") {
        Some(rest) => (rest, false),
        None => (pattern, end),
    };
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ' | ':' | '/' | '@');
    if !pattern.chars().all(plain) {
        return false;
    }
    match (start, end) {
        (true, true) => name == pattern,
        (true, false) => name.starts_with(pattern),
        (false, true) => name.ends_with(pattern),
        (false, false) => name.contains(pattern),
    }
}
