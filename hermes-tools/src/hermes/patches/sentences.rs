//! Leaving sentences out of a text.

/// The text without the sentences that are unwanted. Lines that had nothing else go with them.
pub(super) fn without(text: &str, unwanted: impl Fn(&str) -> bool) -> String {
    let mut kept = Vec::new();
    for line in text.split('\n') {
        let sentences = sentences(line);
        if !sentences.iter().any(|sentence| unwanted(sentence)) {
            kept.push(line.to_owned());
            continue;
        }
        let rest: String = sentences.into_iter().filter(|one| !unwanted(one)).collect();
        let rest = rest.trim_end();
        if !rest.is_empty() {
            kept.push(rest.to_owned());
        }
    }
    kept.join("\n")
}

/// The sentences of a line, each with the space after it. A dot ends one only if what follows
/// starts with a capital: `.md, .txt` and `e.g. this` do not end any.
fn sentences(line: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut rest = line;
    while let Some(end) = first_end(rest) {
        let (sentence, after) = rest.split_at(end);
        sentences.push(sentence);
        rest = after;
    }
    if !rest.is_empty() {
        sentences.push(rest);
    }
    sentences
}

/// Where the second sentence starts.
fn first_end(text: &str) -> Option<usize> {
    let mut ended = false;
    let mut spaced = false;
    for (at, c) in text.char_indices() {
        match c {
            '.' | '!' | '?' => (ended, spaced) = (true, false),
            ')' | '"' | '\'' | '`' if ended && !spaced => {}
            c if c.is_whitespace() => spaced = ended,
            c => {
                if spaced && !c.is_lowercase() {
                    return Some(at);
                }
                (ended, spaced) = (false, false);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_unwanted_sentence_goes() {
        let text =
            "Opens a page. For facts, prefer web_search (e.g. for dates). Ends in .md, .txt.";
        let expected = "Opens a page. Ends in .md, .txt.";
        assert_eq!(without(text, |s| s.contains("web_search")), expected);
    }

    #[test]
    fn the_last_sentence_leaves_no_space_behind() {
        assert_eq!(without("One. Two!", |s| s.contains("Two")), "One.");
    }

    #[test]
    fn a_line_of_its_own_goes_whole_and_other_lines_stay_as_they_are() {
        let text = "One.  \n- Use web_search.\n\nThree. ";
        let expected = "One.  \n\nThree. ";
        assert_eq!(without(text, |s| s.contains("web_search")), expected);
    }

    #[test]
    fn every_sentence_ends_where_the_next_one_starts() {
        let line = "Really? (Yes.) \"No.\" 3 of them… ü.";
        assert_eq!(sentences(line).concat(), line);
        assert_eq!(sentences("A b. C d! Ü."), ["A b. ", "C d! ", "Ü."]);
        assert_eq!(sentences("日本語。Web"), ["日本語。Web"]);
    }
}
