//! Leaving the documentation of functions out of a text.

/// The text without the lines that document an unwanted function: one that starts with `name(`,
/// perhaps after a bullet, and those below it that are indented deeper.
///
/// Where nothing is left between two empty lines, an empty line takes the place of the whole, as in
/// Hermes.
pub(super) fn without(text: &str, unwanted: impl Fn(&str) -> bool) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut lines = text.split('\n').peekable();
    while let Some(line) = lines.next() {
        if !documented(line).is_some_and(&unwanted) {
            kept.push(line);
            continue;
        }
        let depth = indent(line);
        while lines
            .next_if(|next| !next.trim().is_empty() && indent(next) > depth)
            .is_some()
        {}
        let after_gap = kept.last().is_some_and(|last| last.trim().is_empty());
        let before_gap = lines.peek().is_some_and(|next| next.trim().is_empty());
        if after_gap && before_gap {
            kept.push("");
        }
    }
    kept.join("\n")
}

/// The function that a line documents.
fn documented(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = ["- ", "* ", "• "]
        .iter()
        .find_map(|bullet| line.strip_prefix(bullet))
        .unwrap_or(line);
    let line = line.trim_start_matches(['`', '*']);
    let (name, _) = line.split_once('(')?;
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    (!name.is_empty() && name.chars().all(is_name)).then_some(name)
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_goes_with_the_lines_below_it() {
        let text = "Call:\n\n  a(x)\n    about a\n    more\n  b(y)\n    about b\n\nEnd of a(x).";
        let expected = "Call:\n\n  b(y)\n    about b\n\nEnd of a(x).";
        assert_eq!(without(text, |name| name == "a"), expected);
    }

    #[test]
    fn bullets_and_code_marks_do_not_hide_a_function() {
        let text = "- `a(x)`: one\n- **a(y)** two\n- a thing (rare)\n* b()";
        assert_eq!(without(text, |name| name == "a"), "- a thing (rare)\n* b()");
    }

    #[test]
    fn a_section_that_loses_all_leaves_an_empty_line() {
        let text = "Call:\n\n  a(x)\n    about a\n  b(y)\n\nEnd";
        assert_eq!(without(text, |_| true), "Call:\n\n\n\nEnd");
    }

    #[test]
    fn a_text_without_functions_is_unchanged() {
        for text in ["", "\n", "a b (c)\n\n(d)", "a: b(c)"] {
            assert_eq!(without(text, |_| true), text);
        }
    }
}
