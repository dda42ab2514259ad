//! Texts cut to a length.

/// At most so many characters of a text; how many are left out is said behind them.
pub(crate) fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        None => text.to_owned(),
        Some((end, _)) => {
            let (shown, rest) = text.split_at_checked(end).unwrap_or((text, ""));
            format!("{shown}… [{} more characters]", rest.chars().count())
        }
    }
}
