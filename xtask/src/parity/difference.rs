//! Where two JSON values differ first.

use serde_json::{Map, Value};

/// The first difference between what a release says and what we say, as a path and the two sides;
/// `None` if they agree. Keys must come in the same order; numbers are compared by value.
pub(crate) fn first(theirs: &Value, ours: &Value) -> Option<String> {
    at("", theirs, ours)
}

fn at(path: &str, theirs: &Value, ours: &Value) -> Option<String> {
    match (theirs, ours) {
        (Value::Object(t), Value::Object(o)) => objects(path, t, o),
        (Value::Array(t), Value::Array(o)) => {
            if t.len() != o.len() {
                return Some(format!("{path}: {} items, ours {}", t.len(), o.len()));
            }
            t.iter()
                .zip(o)
                .enumerate()
                .find_map(|(i, (t, o))| at(&format!("{path}[{i}]"), t, o))
        }
        (Value::Number(t), Value::Number(o)) if t == o || t.as_f64() == o.as_f64() => None,
        _ if theirs == ours => None,
        _ => Some(format!("{path}: {theirs}, ours {ours}")),
    }
}

fn objects(path: &str, theirs: &Map<String, Value>, ours: &Map<String, Value>) -> Option<String> {
    let keys = |map: &Map<String, Value>| map.keys().cloned().collect::<Vec<_>>();
    if keys(theirs) != keys(ours) {
        return Some(format!(
            "{path}: keys {}, ours {}",
            keys(theirs).join(" "),
            keys(ours).join(" ")
        ));
    }
    theirs
        .iter()
        .zip(ours)
        .find_map(|((key, t), (_, o))| at(&format!("{path}.{key}"), t, o))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn equal_values_have_no_difference_however_the_number_is_written() {
        let theirs: Value = serde_json::from_str(r#"{"a": [1.0, null, "x"]}"#).unwrap();
        let ours: Value = serde_json::from_str(r#"{"a": [1, null, "x"]}"#).unwrap();
        assert_eq!(first(&theirs, &ours), None);
    }

    #[test]
    fn the_first_difference_is_named_by_its_path() {
        let table = [
            (
                json!({"a": [1, 2]}),
                json!({"a": [1, 3]}),
                ".a[1]: 2, ours 3",
            ),
            (json!([{"a": 1}]), json!([]), ": 1 items, ours 0"),
            (
                json!({"a": 1, "b": 2}),
                json!({"b": 2, "a": 1}),
                ": keys a b, ours b a",
            ),
            (json!({"a": null}), json!({"a": 0}), ".a: null, ours 0"),
        ];
        for (theirs, ours, said) in table {
            assert_eq!(first(&theirs, &ours).as_deref(), Some(said));
        }
    }
}
