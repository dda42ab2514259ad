//! Whether arguments are so large that reading, coercing or copying them would hold up an executor.

use serde_json::Value;

/// What is larger goes to a thread for such work, which costs a few ten µs. Reading and coercing this
/// much costs about as many.
const LIMIT: usize = 16 * 1024;

/// Whether these values together have more than 16 KiB of text, where each value and key counts one
/// byte on top. Ends as soon as it is known.
pub(crate) fn are_large<'a>(values: impl IntoIterator<Item = &'a Value>) -> bool {
    let mut room = Room(LIMIT);
    values.into_iter().any(|value| !room.takes_all_of(value))
}

struct Room(usize);

impl Room {
    fn takes_all_of(&mut self, value: &Value) -> bool {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            let takes = match value {
                Value::Null | Value::Bool(_) => self.takes(1),
                Value::Number(number) => self.takes(1 + number.as_str().len()),
                Value::String(text) => self.takes(1 + text.len()),
                // Counted before they are looked at: there may be millions.
                Value::Array(items) => {
                    let takes = self.takes(1 + items.len());
                    if takes {
                        open.extend(items);
                    }
                    takes
                }
                Value::Object(members) => {
                    let takes = self.takes(1 + members.len())
                        && members.keys().all(|key| self.takes(1 + key.len()));
                    if takes {
                        open.extend(members.values());
                    }
                    takes
                }
            };
            if !takes {
                return false;
            }
        }
        true
    }

    fn takes(&mut self, bytes: usize) -> bool {
        match self.0.checked_sub(bytes) {
            Some(left) => {
                self.0 = left;
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn text_keys_numbers_and_counts_all_make_arguments_large() {
        let long = "x".repeat(LIMIT);
        let half = "x".repeat(LIMIT / 2);
        let digits: Value = serde_json::from_str(&"7".repeat(LIMIT)).unwrap();
        for large in [
            json!(long),
            json!({"a": long}),
            json!({long.as_str(): 1}),
            json!({"a": [{"b": long}]}),
            json!({"a": [half, half]}),
            json!(vec![0; LIMIT]),
            json!([[vec![Value::Null; LIMIT]]]),
            digits,
        ] {
            assert!(are_large([&large]));
        }
        let some = json!({"a": half, "b": [1, 2.5, null, true], "c": {"d": ""}});
        assert!(!are_large([&some]));
        assert!(are_large([&some, &some]));
        assert!(!are_large([]));
    }

    #[test]
    fn values_in_values_in_values_are_counted_without_recursion() {
        let mut deep = json!(1);
        for _ in 0..LIMIT / 4 {
            deep = Value::Array(vec![deep]);
        }
        assert!(!are_large([&deep]));
    }
}
