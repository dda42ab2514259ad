//! Emptying a list in brackets. The editor leaves the comma behind its last item, which is no YAML.

use std::ops::Range;

/// A text without these items, and the commas behind them. `inside` is what is between the
/// brackets; all in bytes, the items in order.
pub(super) fn emptied(text: &str, inside: Range<usize>, items: &[Range<usize>]) -> Option<String> {
    let mut rest = String::new();
    let mut from = inside.start;
    for item in items {
        rest.push_str(text.get(from..item.start)?);
        let behind = text.get(item.end..inside.end)?;
        let comma = behind.trim_ascii_start().strip_prefix(',');
        from = match comma {
            Some(after) => inside.end - after.len(),
            None => item.end,
        };
    }
    rest.push_str(text.get(from..inside.end)?);
    let rest = match rest.trim_ascii() {
        "" => "",
        // Comments.
        _ => rest.as_str(),
    };
    Some([text.get(..inside.start)?, rest, text.get(inside.end..)?].concat())
}

#[cfg(test)]
mod tests {
    use super::emptied;

    #[test]
    fn items_go_with_their_commas_and_comments_stay() {
        for (text, items, empty) in [
            ("[a]", &[(1, 2)][..], "[]"),
            ("[a,]", &[(1, 2)], "[]"),
            ("[\n a ,\n b\n]", &[(3, 4), (8, 9)], "[]"),
            ("[a, # c\n]", &[(1, 2)], "[ # c\n]"),
        ] {
            let inside = 1..text.len() - 1;
            let items: Vec<_> = items.iter().map(|(start, end)| *start..*end).collect();
            assert_eq!(emptied(text, inside, &items).as_deref(), Some(empty));
        }
    }
}
