//! Words in a query as it was typed.

/// The runs of letters and digits in a text, as far as they are what the index takes for words.
pub(super) fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

/// The query with another text wherever the word stands by itself.
pub(super) fn replaced(query: &str, word: &str, instead: &str) -> String {
    let mut text = String::with_capacity(query.len() + instead.len());
    let mut rest = query;
    while let Some(start) = rest.find(char::is_alphanumeric) {
        let (before, behind) = rest.split_at(start);
        let end = behind
            .find(|c: char| !c.is_alphanumeric())
            .unwrap_or(behind.len());
        let (run, after) = behind.split_at(end);
        text.push_str(before);
        text.push_str(if run == word { instead } else { run });
        rest = after;
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_words_are_replaced() {
        for (query, replaced_query) in [
            ("dokcer", "docker"),
            ("dokcer dokcers my-dokcer", "docker dokcers my-docker"),
            ("\"dokcer é\" OR 数dokcer", "\"docker é\" OR 数dokcer"),
            ("nothing", "nothing"),
            ("", ""),
        ] {
            assert_eq!(replaced(query, "dokcer", "docker"), replaced_query);
        }
    }

    #[test]
    fn words_are_runs_of_letters_and_digits() {
        let words = |text| words_of(text).collect::<Vec<_>>();
        assert_eq!(words("don't my_app.v2"), ["don", "t", "my", "app", "v2"]);
        assert!(words("-- ,").is_empty());
    }
}
