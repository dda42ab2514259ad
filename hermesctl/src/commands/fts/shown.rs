//! A query as JSON.

use hermes_kit::fts::{Expr, Plan, SanitizedQuery, TermKind};
use serde_json::{Map, Value, json};

/// The expression for the index of three characters, if that is where the query goes.
pub(super) fn trigram(query: &SanitizedQuery) -> Option<&str> {
    match query.plan() {
        Plan::Trigram(expression) => Some(expression),
        _ => None,
    }
}

/// What a query is turned into, and where it goes.
pub(super) fn plan(input: &str, query: &SanitizedQuery) -> Map<String, Value> {
    [
        ("input", json!(input)),
        ("query", json!(query.as_str())),
        ("plan", json!(query.plan().name())),
    ]
    .map(|(key, value)| (key.to_owned(), value))
    .into_iter()
    .collect()
}

/// The same, and all else that is known of it.
pub(super) fn object(input: &str, query: &SanitizedQuery, explain: bool) -> Map<String, Value> {
    let mut object = plan(input, query);
    let mut set = |key: &str, value: Value| object.insert(key.to_owned(), value);
    if let Some(expression) = trigram(query) {
        set("trigram", json!(expression));
    }
    set("truncated", json!(query.truncated()));
    if explain {
        let explanation = query.explain();
        set(
            "looks_for",
            explanation.tree.as_ref().map_or(Value::Null, tree),
        );
        let left_out = explanation.left_out.iter().map(|piece| {
            json!({
                "text": piece.text,
                "at": piece.at,
                "reason": piece.reason.name(),
                "because": piece.reason.to_string(),
            })
        });
        set("left_out", left_out.collect());
    }
    object
}

/// The tree; the library bounds its depth.
fn tree(part: &Expr) -> Value {
    let list = |parts: &[Expr]| parts.iter().map(tree).collect::<Value>();
    match part {
        Expr::Term(term) => {
            let kind = match term.kind() {
                TermKind::Word => "word",
                TermKind::Phrase => "phrase",
            };
            json!({kind: term.text(), "prefix": term.is_prefix()})
        }
        Expr::And(parts) => json!({"all": list(parts)}),
        Expr::Or(parts) => json!({"any": list(parts)}),
        Expr::Not(wanted, unwanted) => json!({"this": tree(wanted), "but_not": tree(unwanted)}),
        // A kind of part that is newer than this program.
        other => json!(format!("{other:?}")),
    }
}
