//! How the definitions of two tools of Hermes follow what else is offered.
//!
//! They read descriptions as people write them, so that they work on any that say the same.

use std::collections::BTreeSet;

use serde_json::Value;

use super::SANDBOX_TOOLS;

mod imports;
mod sections;
mod sentences;

/// Leaves out what a script cannot call. The tool stays when it can call none: Python alone is of
/// use too.
pub(super) fn execute_code(definition: &Value, offered: &BTreeSet<&str>) -> Option<Value> {
    let gone = |name: &str| SANDBOX_TOOLS.contains(&name) && !offered.contains(name);
    let fit = |text: &str| imports::without(&sections::without(text, gone), offered);
    let mut definition = definition.clone();
    for place in [
        "/function/description",
        "/function/parameters/properties/code/description",
    ] {
        if let Some(Value::String(text)) = definition.pointer_mut(place) {
            *text = fit(text);
        }
    }
    Some(definition)
}

/// Leaves out the advice to use the web tools instead, when neither is offered.
pub(super) fn browser_navigate(definition: &Value, offered: &BTreeSet<&str>) -> Option<Value> {
    let mut definition = definition.clone();
    let has_web = ["web_search", "web_extract"]
        .iter()
        .any(|name| offered.contains(name));
    if let Some(Value::String(text)) = definition.pointer_mut("/function/description")
        && !has_web
    {
        *text = sentences::without(text, is_web_advice);
    }
    Some(definition)
}

/// Whether the sentence sends the model to the web tools and nowhere else. One that also names the
/// terminal is still good advice.
fn is_web_advice(sentence: &str) -> bool {
    let mut words = sentence.split(|c: char| !c.is_alphanumeric() && c != '_');
    let (mut web, mut other) = (false, false);
    for word in words.by_ref() {
        web |= matches!(word, "web_search" | "web_extract");
        other |= matches!(word, "terminal" | "curl");
    }
    web && !other
}
