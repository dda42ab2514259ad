//! Stored text on a screen: made harmless, cut to a width, indented.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Text for a terminal: no control characters but line breaks and tabs, so that nothing that was
/// once said in a conversation can steer the terminal it is shown on.
pub(crate) fn harmless(text: &str) -> String {
    text.replace("\r\n", "\n")
        .chars()
        .map(|c| match c {
            '\n' | '\t' => c,
            c if is_steering(c) => char::REPLACEMENT_CHARACTER,
            c => c,
        })
        .collect()
}

/// Control characters, and the marks that turn the direction of what follows.
fn is_steering(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The same on one line.
pub(crate) fn one_line(text: &str) -> String {
    harmless(text).replace(['\n', '\t'], " ")
}

/// `1 session`, `2 sessions`.
pub(crate) fn counted(n: u64, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// Columns that a text takes on a terminal.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// The text cut to this many columns, with an ellipsis if something is cut off.
pub(crate) fn fit(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let room = columns.saturating_sub(1);
    let mut used = 0;
    let mut short = String::new();
    for cluster in text.graphemes(true) {
        used += cluster.width();
        if used > room {
            break;
        }
        short.push_str(cluster);
    }
    short.push('…');
    short
}

/// Each line behind a margin, wrapped at blanks (or anywhere, for scripts without) to a width.
pub(crate) fn indented(text: &str, margin: &str, columns: Option<usize>) -> String {
    let room = columns.map(|columns| columns.saturating_sub(margin.width()).max(20));
    let mut lines = Vec::new();
    for line in text.lines() {
        match room {
            Some(room) if line.width() > room => wrap(line, room, &mut lines),
            _ => lines.push(line.to_owned()),
        }
    }
    lines
        .iter()
        .map(|line| format!("{margin}{line}").trim_end().to_owned())
        .collect::<Vec<_>>()
        .join("\n")
}

fn wrap(line: &str, room: usize, lines: &mut Vec<String>) {
    let mut current = String::new();
    for word in line.split_word_bounds() {
        if current.width() + word.width() > room && !current.is_empty() {
            lines.push(std::mem::take(&mut current));
            if word.trim().is_empty() {
                continue;
            }
        }
        if word.width() <= room {
            current.push_str(word);
            continue;
        }
        for cluster in word.graphemes(true) {
            if current.width() + cluster.width() > room {
                lines.push(std::mem::take(&mut current));
            }
            current.push_str(cluster);
        }
    }
    lines.push(current);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_do_not_reach_the_terminal() {
        assert_eq!(
            harmless("a\u{1b}[31mred\u{7}\r\nb\tc\u{9b}2J"),
            "a\u{fffd}[31mred\u{fffd}\nb\tc\u{fffd}2J"
        );
        assert_eq!(one_line("a\nb\u{202e}c"), "a b\u{fffd}c");
    }

    #[test]
    fn a_text_is_cut_between_characters_and_never_wider_than_asked() {
        assert_eq!(fit("short", 10), "short");
        assert_eq!(fit("数据库连接", 7), "数据库…");
        assert_eq!(fit("数据库连接", 6), "数据…");
        assert_eq!(fit("a👩‍👩‍👧b", 3), "a…");
        for columns in 1..12 {
            assert!(
                width(&fit("大别山 zebra 👍🏽 ok", columns)) <= columns,
                "{columns}"
            );
        }
    }

    #[test]
    fn wrapping_loses_nothing_but_the_blanks_at_line_ends() {
        let text = "one two three 数据库连接被拒绝了 four-five-six seven";
        let wrapped = indented(text, "  ", Some(24));
        assert!(wrapped.lines().all(|line| width(line) <= 24), "{wrapped}");
        let bare = |text: &str| text.replace([' ', '\n'], "");
        assert_eq!(bare(&wrapped), bare(text));
    }
}
