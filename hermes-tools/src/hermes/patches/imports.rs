//! Leaving names out of the lists of a text.

use std::collections::BTreeSet;

use super::SANDBOX_TOOLS;

/// The text without the tools that are not offered, in its lists of sandbox tools: names with
/// commas, `and` or `or` between them, or after `import`.
///
/// A list that ends in `...` gives examples. If it loses all, the first two of the tools that are
/// there, by name, take their place, as in Hermes.
pub(super) fn without(text: &str, offered: &BTreeSet<&str>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, list, after)) = next_list(rest) {
        out.push_str(before);
        let imports = out.trim_end().ends_with("import");
        if list.items.len() > 1 || imports || list.open {
            list.write(&mut out, offered);
        } else {
            out.push_str(list.text);
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Names of sandbox tools, one after the other.
struct List<'a> {
    text: &'a str,
    items: Vec<Item<'a>>,
    /// Whether it ends in `...`.
    open: bool,
}

struct Item<'a> {
    /// What stands between it and the one before.
    joint: &'a str,
    name: &'a str,
    /// The name with its quotes and what is in parentheses after it.
    text: &'a str,
}

const OPEN_END: &str = ", ...";

impl List<'_> {
    fn write(&self, out: &mut String, offered: &BTreeSet<&str>) {
        let kept = self.items.iter().filter(|item| offered.contains(item.name));
        let mut first = true;
        for item in kept {
            if !first {
                out.push_str(item.joint);
            }
            out.push_str(item.text);
            first = false;
        }
        if first {
            let mut examples: Vec<&str> = SANDBOX_TOOLS.to_vec();
            examples.retain(|name| self.open && offered.contains(name));
            examples.sort_unstable();
            examples.truncate(2);
            out.push_str(&examples.join(", "));
            first = examples.is_empty();
        }
        match (first, self.open) {
            (true, _) => out.push_str("..."),
            (false, true) => out.push_str(OPEN_END),
            (false, false) => {}
        }
    }
}

/// The first list, and what is before and after it.
fn next_list(text: &str) -> Option<(&str, List<'_>, &str)> {
    let mut in_word = false;
    for (at, c) in text.char_indices() {
        if !in_word
            && let Some((before, start)) = text.split_at_checked(at)
            && let Some(first) = item(start, "")
        {
            let (list, after) = list(start, first);
            return Some((before, list, after));
        }
        in_word = is_word(c);
    }
    None
}

fn list<'a>(start: &'a str, first: Item<'a>) -> (List<'a>, &'a str) {
    let mut rest = start.get(first.text.len()..).unwrap_or_default();
    let mut items = vec![first];
    while let Some((joint, after)) = joint(rest)
        && let Some(next) = item(after, joint)
    {
        rest = after.get(next.text.len()..).unwrap_or_default();
        items.push(next);
    }
    let closed = rest;
    let open = rest.strip_prefix(OPEN_END).or(rest.strip_prefix(", …"));
    let rest = open.unwrap_or(closed);
    let text = start.get(..start.len() - rest.len()).unwrap_or_default();
    let list = List {
        text,
        items,
        open: open.is_some(),
    };
    (list, rest)
}

/// A sandbox tool at the start of the text.
fn item<'a>(text: &'a str, joint: &'a str) -> Option<Item<'a>> {
    let quote = ["`", "'", "\""]
        .into_iter()
        .find(|quote| text.starts_with(quote))
        .unwrap_or_default();
    let name_on = text.strip_prefix(quote)?;
    let end = name_on.find(|c| !is_word(c)).unwrap_or(name_on.len());
    let (name, mut rest) = name_on.split_at_checked(end)?;
    if !SANDBOX_TOOLS.contains(&name) {
        return None;
    }
    if rest.starts_with('(') {
        rest = after_parentheses(rest)?;
    }
    rest = rest.strip_prefix(quote)?;
    let text = text.get(..text.len() - rest.len())?;
    Some(Item { joint, name, text })
}

/// How long the parentheses of a function may be, in characters.
const MAX_SIGNATURE: usize = 400;

/// What follows the parentheses that the text starts with, if they close soon and on the same line.
fn after_parentheses(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices().take(MAX_SIGNATURE) {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            '\n' => return None,
            _ => {}
        }
        if depth == 0 {
            return text.get(at + c.len_utf8()..);
        }
    }
    None
}

/// What may stand between two items, and the text after it.
fn joint(text: &str) -> Option<(&str, &str)> {
    [", and ", ", or ", ", ", ",", " and ", " or "]
        .into_iter()
        .find_map(|joint| text.strip_prefix(joint).map(|after| (joint, after)))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, offered: &[&str], expected: &str) {
        let offered = offered.iter().copied().collect();
        assert_eq!(without(text, &offered), expected, "{text:?}");
    }

    #[test]
    fn a_list_loses_the_names_that_are_not_offered() {
        let text = "`from tools import web_search, terminal, read_file` first";
        check(text, &["terminal"], "`from tools import terminal` first");
        let text = "Scripts reach `web_search`, `read_file(path)` and `terminal`.";
        check(
            text,
            &["web_search", "terminal"],
            "Scripts reach `web_search` and `terminal`.",
        );
        check(text, &["read_file"], "Scripts reach `read_file(path)`.");
    }

    #[test]
    fn examples_that_are_all_gone_make_room_for_others() {
        let text = "import web_search, terminal, ... and go";
        check(text, &["terminal"], "import terminal, ... and go");
        check(
            text,
            &["write_file", "patch", "read_file"],
            "import patch, read_file, ... and go",
        );
        check(text, &[], "import ... and go");
        check("import web_search", &["patch"], "import ...");
    }

    #[test]
    fn a_name_by_itself_stays() {
        for text in [
            "",
            "use terminal() here",
            "read_files, my_patch",
            "a terminal, a patch",
        ] {
            check(text, &[], text);
        }
    }

    #[test]
    fn a_text_that_breaks_off_is_no_list() {
        for text in ["web_search(", "`terminal", "patch(a\n)", "terminal ("] {
            check(text, &[], text);
        }
    }
}
