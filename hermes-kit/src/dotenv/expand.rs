//! `${NAME}` and `${NAME:-default}` in a value.

/// The value with what its variables mean; one that nobody knows means nothing. What is found is
/// not looked through again.
pub(super) fn expanded(value: &str, known: &dyn Fn(&str) -> Option<String>) -> String {
    let mut result = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, after)) = rest.split_once("${") {
        result.push_str(before);
        match reference(after) {
            Some((name, default, behind)) => {
                let meaning = known(name);
                result.push_str(meaning.as_deref().or(default).unwrap_or_default());
                rest = behind;
            }
            None => {
                result.push_str("${");
                rest = after;
            }
        }
    }
    result.push_str(rest);
    result
}

/// Name, default, and what is behind the closing brace.
fn reference(text: &str) -> Option<(&str, Option<&str>, &str)> {
    let (inside, behind) = text.split_once('}')?;
    match inside.split_once(':') {
        None => Some((inside, None, behind)),
        Some((name, default)) => Some((name, Some(default.strip_prefix('-')?), behind)),
    }
}
