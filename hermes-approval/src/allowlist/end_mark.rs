//! The mark that ends a YAML document, `...`: what is new belongs before it.

/// A text up to the mark, and the rest from the mark on. The rest is empty without one.
pub(super) fn split(text: &str) -> (&str, &str) {
    let mut end = text.len();
    let mut mark = end;
    for line in text.split_inclusive('\n').rev() {
        end -= line.len();
        if is_mark(line) {
            mark = end;
        } else if !is_empty(line) {
            break;
        }
    }
    text.split_at_checked(mark).unwrap_or((text, ""))
}

fn is_mark(line: &str) -> bool {
    line.strip_prefix("...")
        .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']))
}

fn is_empty(line: &str) -> bool {
    let line = line.trim_ascii();
    line.is_empty() || line.starts_with('#')
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn the_mark_is_the_first_after_the_content() {
        for (head, rest) in [
            ("", ""),
            ("a: 1\n", ""),
            ("a: ...\n", ""),
            ("a: |\n  ...\n", ""),
            ("a: 1\n....\n", ""),
            ("a: 1\n", "..."),
            ("a: 1\n# c\n", "...\n"),
            ("a: 1\r\n", "...\r\n"),
            ("a: 1\n", "... # c\n\n# d\n...\n"),
            ("---\n", "...\n"),
            ("", "...\n# c"),
            ("...\na: 1\n", ""),
            ("...\na: 1\n", "...\n"),
        ] {
            assert_eq!(split(&format!("{head}{rest}")), (head, rest));
        }
    }
}
