//! The piece of a long message around a match.
//!
//! FTS5's `snippet()` weighs every place where a word stands against every other: a log that says
//! one word ten thousand times takes it a second, a larger one minutes. Of long messages the whole
//! text is therefore asked for with its matches marked, which is linear, and cut here.

/// Bytes of text from which on a message counts as long.
pub(super) const LONG: i64 = 16 << 10;

/// What `highlight()` puts around a match. Stored text hardly ever holds these characters; where
/// it does, the cut is in another place, and nothing else is.
pub(super) const BEGIN: char = '\u{1}';
pub(super) const END: char = '\u{2}';

/// Matches that are looked at to find the best place.
const CANDIDATES: usize = 500;
/// Bytes before the match, and in all.
const LEAD: usize = 80;
const LENGTH: usize = 400;

/// The best piece of a text whose matches are marked, with `>>>` and `<<<` around them and `...`
/// where text is left out.
pub(super) fn cut(marked: &str) -> String {
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
    let piece = piece.replace(BEGIN, ">>>").replace(END, "<<<");
    let before = if from > 0 { "..." } else { "" };
    let after = if to < marked.len() { "..." } else { "" };
    format!("{before}{piece}{after}")
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
    use super::*;

    fn marked(text: &str) -> String {
        text.replace('[', "\u{1}").replace(']', "\u{2}")
    }

    #[test]
    fn the_piece_holds_the_match_and_says_that_it_is_a_piece() {
        let text = marked(&format!(
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
        let piece = cut(&marked(&format!("{common}{far}[disk] [full] [error]{far}")));
        assert!(
            piece.contains(">>>disk<<< >>>full<<< >>>error<<<"),
            "{piece}"
        );
    }

    #[test]
    fn characters_and_matches_stay_whole() {
        for shift in 0..12 {
            let text = marked(&format!(
                "{}{}[数据库]{}",
                "a".repeat(shift),
                "数".repeat(300),
                "库".repeat(300)
            ));
            let piece = cut(&text);
            assert!(piece.contains(">>>数据库<<<"), "{shift}: {piece}");
        }
        let long = marked(&format!("[{}] end", "w".repeat(2 * LENGTH)));
        assert!(cut(&long).contains("w<<<"));
        assert_eq!(cut("nothing marked"), "nothing marked");
        assert_eq!(cut(""), "");
    }
}
