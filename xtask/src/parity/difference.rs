//! Where two JSON values differ.

use serde_json::{Map, Value};

/// One place where two values differ.
#[derive(Debug, Clone)]
pub(crate) struct Difference {
    /// Such as `[0].context[1].role`.
    pub(crate) path: String,
    pub(crate) theirs: Value,
    pub(crate) ours: Value,
    /// What is said of it behind the path, if not the two values.
    said: Option<String>,
}

impl Difference {
    /// The same, below a path.
    pub(crate) fn below(mut self, path: &str) -> Difference {
        self.path.insert_str(0, path);
        self
    }
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: ", self.path)?;
        match &self.said {
            Some(said) => f.write_str(said),
            None => write!(f, "{}, ours {}", shown(&self.theirs), shown(&self.ours)),
        }
    }
}

/// The differences between what a release says and what we say, each a path and the two sides.
/// Keys must come in the same order; numbers are compared by value. Lists of unequal length and
/// objects with other keys are one difference.
pub(crate) fn all(theirs: &Value, ours: &Value) -> Vec<String> {
    each(theirs, ours).iter().map(ToString::to_string).collect()
}

/// The same with the values.
pub(crate) fn each(theirs: &Value, ours: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    collect("", theirs, ours, &mut found);
    found
}

/// A difference found by other means.
pub(crate) fn one(path: impl Into<String>, theirs: &Value, ours: &Value) -> Difference {
    Difference {
        path: path.into(),
        theirs: theirs.clone(),
        ours: ours.clone(),
        said: None,
    }
}

fn collect(path: &str, theirs: &Value, ours: &Value, found: &mut Vec<Difference>) {
    match (theirs, ours) {
        (Value::Object(t), Value::Object(o)) => objects(path, t, o, found),
        (Value::Array(t), Value::Array(o)) if t.len() == o.len() => {
            for (i, (t, o)) in t.iter().zip(o).enumerate() {
                collect(&format!("{path}[{i}]"), t, o, found);
            }
        }
        (Value::Array(t), Value::Array(o)) => found.push(Difference {
            said: Some(format!("{} items, ours {}", t.len(), o.len())),
            ..one(path, theirs, ours)
        }),
        (Value::Number(t), Value::Number(o)) if t == o || t.as_f64() == o.as_f64() => {}
        _ if theirs == ours => {}
        _ => found.push(one(path, theirs, ours)),
    }
}

/// A value, or the beginning of a long one.
fn shown(value: &Value) -> String {
    const ENOUGH: usize = 200;
    let text = value.to_string();
    match text.char_indices().nth(ENOUGH) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}

fn objects(
    path: &str,
    theirs: &Map<String, Value>,
    ours: &Map<String, Value>,
    found: &mut Vec<Difference>,
) {
    let keys = |map: &Map<String, Value>| map.keys().cloned().collect::<Vec<_>>();
    if keys(theirs) != keys(ours) {
        let (t, o) = (keys(theirs).join(" "), keys(ours).join(" "));
        found.push(Difference {
            said: Some(format!("keys {t}, ours {o}")),
            ..one(
                path,
                &Value::Object(theirs.clone()),
                &Value::Object(ours.clone()),
            )
        });
        return;
    }
    for ((key, t), (_, o)) in theirs.iter().zip(ours) {
        collect(&format!("{path}.{key}"), t, o, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn equal_values_have_no_difference_however_the_number_is_written() {
        let theirs: Value = serde_json::from_str(r#"{"a": [1.0, null, "x"]}"#).unwrap();
        let ours: Value = serde_json::from_str(r#"{"a": [1, null, "x"]}"#).unwrap();
        assert_eq!(all(&theirs, &ours), Vec::<String>::new());
    }

    #[test]
    fn each_difference_is_named_by_its_path() {
        let table = [
            (
                json!({"a": [1, 2], "b": 3}),
                json!({"a": [1, 3], "b": 4}),
                &[".a[1]: 2, ours 3", ".b: 3, ours 4"][..],
            ),
            (json!([{"a": 1}]), json!([]), &[": 1 items, ours 0"]),
            (
                json!({"a": 1, "b": 2}),
                json!({"b": 2, "a": 1}),
                &[": keys a b, ours b a"],
            ),
            (json!({"a": null}), json!({"a": 0}), &[".a: null, ours 0"]),
        ];
        for (theirs, ours, said) in table {
            assert_eq!(all(&theirs, &ours), said);
        }
    }
}
