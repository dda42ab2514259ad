//! The piece of a long message around a match.
//!
//! FTS5's `snippet()` weighs every place where a word stands against every other: a log that says
//! one word ten thousand times takes it a second, a larger one minutes. Of long messages the whole
//! text is therefore asked for with its matches marked, and cut here. That too takes FTS5 a time
//! that grows with the square of the length, if far slower; in huge ones the words are looked for
//! here, as they were typed.

/// Bytes of text from which on a message counts as long.
pub(super) const LONG: i64 = 8 << 10;
/// Bytes of text from which on it counts as huge.
pub(super) const HUGE: i64 = 128 << 10;

/// What `highlight()` puts around a match. Stored text hardly ever holds these characters; where
/// it does, the cut is in another place, and nothing else is.
pub(super) const BEGIN: char = '\u{1}';
pub(super) const END: char = '\u{2}';

/// Matches that are looked at to find the best place.
const CANDIDATES: usize = 500;
/// Bytes before the match, and in all.
const LEAD: usize = 80;
const LENGTH: usize = 400;

/// What stands before and after a match.
pub(super) type Marks = (String, String);

/// The best piece of a text whose matches are marked, with the marks asked for around them and `...`
/// where text is left out.
pub(super) fn cut(marked: &str, marks: &Marks) -> String {
    piece(marked, marks, false, false)
}

/// The best piece of a text; whether there is more of it before and after is handed in.
fn piece(marked: &str, marks: &Marks, more_before: bool, more_after: bool) -> String {
    let matches = matches(marked);
    let best = best(marked, &matches);
    let from = word_start(marked, best.saturating_sub(LEAD));
    let to = word_end(marked, (from + LENGTH).min(marked.len()));
    // A match is not cut in two.
    let to = matches
        .iter()
        .find(|(start, end)| *start < to && to < *end)
        .map_or(to, |(_, end)| *end);
    let piece = marked.get(from..to).unwrap_or_default();
    let piece = piece.replace(BEGIN, &marks.0).replace(END, &marks.1);
    let before = if more_before || from > 0 { "..." } else { "" };
    let after = if more_after || to < marked.len() {
        "..."
    } else {
        ""
    };
    format!("{before}{piece}{after}")
}

/// The piece around the first place where any of the words (in lower case) stands, with those that
/// stand there marked; the beginning of the text if none does (the index folds accents, this does
/// not).
pub(super) fn around(text: &str, words: &[String], marks: &Marks) -> String {
    let lower = text.to_lowercase();
    let first = words
        .iter()
        .filter_map(|word| lower.find(word.as_str()))
        .min();
    // Counted in characters: the lower-case text may differ in its length in bytes.
    let at = first
        .and_then(|at| lower.get(..at))
        .map_or(0, |before| before.chars().count());
    let from = at.saturating_sub(LEAD);
    let mut rest = text.chars().skip(from);
    let near: String = rest.by_ref().take(LENGTH).collect();
    piece(
        &marked(&near, words),
        marks,
        from > 0,
        rest.next().is_some(),
    )
}

/// A text with the words marked, as far as their places are known.
fn marked(text: &str, words: &[String]) -> String {
    let lower = text.to_lowercase();
    if lower.len() != text.len() {
        return text.to_owned();
    }
    let mut marked = String::with_capacity(text.len());
    let mut done = 0;
    for (start, end) in places(&lower, words) {
        if start < done {
            continue;
        }
        marked.push_str(text.get(done..start).unwrap_or_default());
        marked.push(BEGIN);
        marked.push_str(text.get(start..end).unwrap_or_default());
        marked.push(END);
        done = end;
    }
    marked.push_str(text.get(done..).unwrap_or_default());
    marked
}

/// Where the words stand, in the order of the places.
fn places(lower: &str, words: &[String]) -> Vec<(usize, usize)> {
    let of_word = |word: &String| {
        let length = word.len();
        lower
            .match_indices(word.as_str())
            .map(move |(at, _)| (at, at + length))
            .collect::<Vec<_>>()
    };
    let mut found: Vec<(usize, usize)> = words.iter().flat_map(of_word).collect();
    found.sort_unstable();
    found
}

/// Where the first matches begin and end, their marks included.
fn matches(marked: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while found.len() < CANDIDATES {
        let rest = marked.get(at..).unwrap_or_default();
        let Some(begin) = rest.find(BEGIN) else { break };
        let Some(length) = rest.get(begin..).and_then(|rest| rest.find(END)) else {
            break;
        };
        let end = at + begin + length + END.len_utf8();
        found.push((at + begin, end));
        at = end;
    }
    found
}

/// Where the match begins that has the most different words in the piece that starts with it.
fn best(marked: &str, matches: &[(usize, usize)]) -> usize {
    let mut best = (0, 0);
    for (n, (start, _)) in matches.iter().enumerate() {
        let near = matches
            .iter()
            .skip(n)
            .take_while(|(at, _)| *at < start + LENGTH - LEAD);
        let mut words: Vec<String> = near
            .filter_map(|(at, end)| marked.get(*at..*end))
            .map(str::to_lowercase)
            .collect();
        words.sort_unstable();
        words.dedup();
        if words.len() > best.0 {
            best = (words.len(), *start);
        }
    }
    best.1
}

/// The beginning of a word at or after a place, within reach; else the place itself.
fn word_start(text: &str, at: usize) -> usize {
    let at = text.floor_char_boundary(at);
    if at == 0 {
        return 0;
    }
    let near = text
        .get(at..text.floor_char_boundary(at + LEAD / 2))
        .unwrap_or_default();
    near.find(char::is_whitespace)
        .map_or(at, |blank| at + blank + 1)
}

/// The end of a word at or before a place, within reach; else the place itself.
fn word_end(text: &str, at: usize) -> usize {
    let at = text.floor_char_boundary(at);
    if at == text.len() {
        return at;
    }
    let from = text.floor_char_boundary(at.saturating_sub(LEAD / 2));
    let near = text.get(from..at).unwrap_or_default();
    near.rfind(char::is_whitespace)
        .map_or(at, |blank| from + blank)
}

#[cfg(test)]
mod tests {
    use super::LENGTH;

    fn cut(marked: &str) -> String {
        super::cut(marked, &(">>>".to_owned(), "<<<".to_owned()))
    }

    fn around(text: &str, words: &[String]) -> String {
        super::around(text, words, &(">>>".to_owned(), "<<<".to_owned()))
    }

    fn with_marks(text: &str) -> String {
        text.replace('[', "\u{1}").replace(']', "\u{2}")
    }

    #[test]
    fn the_piece_holds_the_match_and_says_that_it_is_a_piece() {
        let text = with_marks(&format!(
            "{}the [needle] here{}",
            "hay ".repeat(500),
            " hay".repeat(500)
        ));
        let piece = cut(&text);
        assert!(piece.contains("the >>>needle<<< here"), "{piece}");
        assert!(
            piece.starts_with("...hay") && piece.ends_with("hay..."),
            "{piece}"
        );
        assert!(piece.len() <= LENGTH + 20);
    }

    #[test]
    fn the_place_with_the_most_different_words_wins() {
        let common = "[error] ".repeat(50);
        let far = "x ".repeat(400);
        let piece = cut(&with_marks(&format!(
            "{common}{far}[disk] [full] [error]{far}"
        )));
        assert!(
            piece.contains(">>>disk<<< >>>full<<< >>>error<<<"),
            "{piece}"
        );
    }

    #[test]
    fn in_a_huge_text_the_words_are_found_as_they_were_typed() {
        let words = ["数据库".to_owned(), "disk".to_owned()];
        let text = format!(
            "{}İstanbul Disk 数据库 full{}",
            "x ".repeat(90_000),
            " y".repeat(90_000)
        );
        let piece = around(&text, &words);
        assert!(
            piece.starts_with("...") && piece.ends_with("..."),
            "{piece}"
        );
        assert!(piece.contains("Disk"), "{piece}");
        let text = format!(
            "{}Disk 数据库 full{}",
            "x ".repeat(90_000),
            " y".repeat(90_000)
        );
        assert!(around(&text, &words).contains(">>>Disk<<< >>>数据库<<< full"));
        assert!(around("nothing of it", &words) == "nothing of it");
    }

    #[test]
    fn characters_and_matches_stay_whole() {
        for shift in 0..12 {
            let text = with_marks(&format!(
                "{}{}[数据库]{}",
                "a".repeat(shift),
                "数".repeat(300),
                "库".repeat(300)
            ));
            let piece = cut(&text);
            assert!(piece.contains(">>>数据库<<<"), "{shift}: {piece}");
        }
        let long = with_marks(&format!("[{}] end", "w".repeat(2 * LENGTH)));
        assert!(cut(&long).contains("w<<<"));
        assert_eq!(cut("nothing marked"), "nothing marked");
        assert_eq!(cut(""), "");
    }
}
