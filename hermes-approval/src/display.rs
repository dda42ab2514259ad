//! Text of others, made safe to be shown.

/// Whether a character could change what is shown around it: a terminal's control sequences, marks
/// that turn the direction of writing, and marks that nobody sees.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// In one line, with unseen characters written out.
pub(crate) fn one_line(text: &str) -> String {
    escape(text, |_| false)
}

/// With its lines and tabs, and other unseen characters written out.
pub(crate) fn lines(text: &str) -> String {
    escape(text, |c| c == '\n' || c == '\t')
}

fn escape(text: &str, keep: impl Fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unseen(c) && !keep(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_unseen_is_shown_as_it_is() {
        assert_eq!(one_line("a\u{1b}[2Kb\rc\nd"), "a\\u{1b}[2Kb\\rc\\nd");
        assert_eq!(lines("a\tb\nc\u{202e}d\u{9b}"), "a\tb\nc\\u{202e}d\\u{9b}");
        assert_eq!(one_line("né 日本"), "né 日本");
    }
}
