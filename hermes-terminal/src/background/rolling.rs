//! The end of an output of any length, in bounded memory.

use crate::bounded::{byte_of_char, start_of_last};

/// Keeps the last characters of a text that comes in parts, and knows where in the whole they are.
#[derive(Debug)]
pub(super) struct RollingOutput {
    text: String,
    chars: usize,
    limit: usize,
    /// On a terminal lines end in two characters.
    of_terminal: bool,
    dropped_chars: u64,
    dropped_lines: u64,
    newlines: u64,
    /// How much of the whole has been given out as new.
    seen: u64,
}

/// Lines of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lines {
    /// The lines, without the end of the last.
    pub text: String,
    /// Where in the whole output the first of them is, counted from 0.
    pub first: u64,
    /// How many there are.
    pub count: u64,
    /// How many the whole output has so far.
    pub total: u64,
    /// How many at its beginning are not kept any more.
    pub dropped: u64,
}

/// What has come since the last look.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewOutput {
    /// The text, or its end.
    pub text: String,
    /// How many characters before it were left out.
    pub left_out: u64,
}

impl RollingOutput {
    pub(super) fn new(limit: usize, of_terminal: bool) -> Self {
        Self {
            text: String::new(),
            chars: 0,
            limit: limit.max(1),
            of_terminal,
            dropped_chars: 0,
            dropped_lines: 0,
            newlines: 0,
            seen: 0,
        }
    }

    pub(super) fn push(&mut self, part: &str) {
        for piece in pieces(part, self.limit) {
            self.push_piece(piece);
            self.trim();
        }
    }

    fn push_piece(&mut self, piece: &str) {
        if !(self.of_terminal && piece.contains('\n')) {
            self.text.push_str(piece);
            self.chars += piece.chars().count();
        } else {
            for c in piece.chars() {
                if c == '\n' && self.text.ends_with('\r') {
                    self.text.pop();
                    self.chars -= 1;
                    self.seen = self.seen.min(self.end());
                }
                self.text.push(c);
                self.chars += 1;
            }
        }
        self.newlines += count_newlines(piece);
    }

    /// Drops a good part at once: dropping moves all that stays.
    fn trim(&mut self) {
        if self.chars <= self.limit + self.limit / 4 {
            return;
        }
        let excess = self.chars - self.limit;
        let end = byte_of_char(&self.text, excess);
        self.dropped_lines += count_newlines(self.text.get(..end).unwrap_or_default());
        self.dropped_chars += long(excess);
        self.text.drain(..end);
        self.chars = self.limit;
    }

    /// Characters of the whole.
    fn end(&self) -> u64 {
        self.dropped_chars + long(self.chars)
    }

    /// The last characters.
    pub(super) fn tail(&self, chars: usize) -> &str {
        let start = start_of_last(&self.text, chars.min(self.limit));
        self.text.get(start..).unwrap_or_default()
    }

    /// Whether something has come since it was last asked for.
    pub(super) fn has_new(&self) -> bool {
        self.end() > self.seen
    }

    /// What has come since this was last asked; at most so many characters.
    pub(super) fn take_new(&mut self, most: usize) -> NewOutput {
        let unseen = self.end().saturating_sub(self.seen);
        self.seen = self.end();
        let wanted = usize::try_from(unseen).unwrap_or(usize::MAX).min(most);
        let text = self.tail(wanted).to_owned();
        let given = long(text.chars().count());
        NewOutput {
            text,
            left_out: unseen.saturating_sub(given),
        }
    }

    /// How many lines the whole output has; the one that has begun counts.
    fn total_lines(&self) -> u64 {
        let begun = !self.text.is_empty() && !self.text.ends_with('\n');
        self.newlines + u64::from(begun)
    }

    /// So many lines from this one on, or the last ones.
    pub(super) fn lines(&self, offset: Option<u64>, limit: u64) -> Lines {
        let total = self.total_lines();
        let first = offset.unwrap_or_else(|| total.saturating_sub(limit));
        let first = first.max(self.dropped_lines);
        let skip = usize::try_from(first - self.dropped_lines).unwrap_or(usize::MAX);
        let most = usize::try_from(limit).unwrap_or(usize::MAX);
        let lines: Vec<&str> = self.text.lines().skip(skip).take(most).collect();
        Lines {
            first,
            count: long(lines.len()),
            text: lines.join("\n"),
            total,
            dropped: self.dropped_lines,
        }
    }
}

/// In pieces of at most so many bytes, so that no more than that is held besides what is kept.
fn pieces(text: &str, bytes: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.ceil_char_boundary(bytes);
        let (piece, behind) = rest.split_at_checked(end)?;
        rest = behind;
        (!piece.is_empty()).then_some(piece)
    })
}

fn count_newlines(text: &str) -> u64 {
    long(text.bytes().filter(|&byte| byte == b'\n').count())
}

fn long(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_are_counted_in_the_whole_output() {
        let mut output = RollingOutput::new(8, false);
        assert_eq!(output.lines(None, 200).total, 0);
        output.push("a\nb\nc");
        let all = output.lines(None, 200);
        assert_eq!((all.text.as_str(), all.first, all.total), ("a\nb\nc", 0, 3));
        assert_eq!(output.lines(Some(1), 1).text, "b");
        assert_eq!(output.lines(None, 2).text, "b\nc");
        assert_eq!(output.lines(Some(9), 5).text, "");
        assert_eq!(output.lines(Some(0), 0).count, 0);
        output.push("\nd\ne\nf\ng\n");
        let kept = output.lines(Some(0), 200);
        // Of the third only its end is there.
        assert_eq!((kept.text.as_str(), kept.first), ("\nd\ne\nf\ng", 2));
        assert_eq!((kept.total, kept.dropped), (7, 2));
        assert_eq!(output.lines(Some(5), 1).text, "f");
    }

    #[test]
    fn a_line_of_a_terminal_ends_in_one_character() {
        let mut output = RollingOutput::new(100, true);
        output.push("a\r");
        assert_eq!(output.take_new(10).text, "a\r");
        output.push("\nb\r\n");
        output.push("c\rd\r\n");
        assert_eq!(output.tail(100), "a\nb\nc\rd\n");
        assert_eq!(output.lines(None, 9).total, 3);
    }

    #[test]
    fn what_was_not_asked_for_in_time_is_counted() {
        let mut output = RollingOutput::new(10, false);
        output.push("abc");
        assert_eq!(output.take_new(99).text, "abc");
        assert_eq!(output.take_new(99).text, "");
        output.push("0123456789ABCDEF");
        let new = output.take_new(99);
        assert_eq!((new.text.as_str(), new.left_out), ("6789ABCDEF", 6));
        output.push("xyz");
        let new = output.take_new(2);
        assert_eq!((new.text.as_str(), new.left_out), ("yz", 1));
    }

    proptest! {
        #[test]
        fn the_end_of_any_output_is_kept(
            parts in proptest::collection::vec("[a-zé日\n]{0,30}", 0..20), limit in 1usize..40,
        ) {
            let mut output = RollingOutput::new(limit, false);
            let mut whole = String::new();
            let mut given = 0u64;
            for part in &parts {
                output.push(part);
                whole.push_str(part);
                let new = output.take_new(usize::MAX);
                given += new.left_out + new.text.chars().count() as u64;
                prop_assert!(output.chars <= limit + limit / 4 && output.text.chars().count() == output.chars);
            }
            let chars: Vec<char> = whole.chars().collect();
            prop_assert_eq!(given, chars.len() as u64);
            let end: String = chars[chars.len().saturating_sub(limit)..].iter().collect();
            prop_assert_eq!(output.tail(usize::MAX), end.as_str());
            let lines: Vec<&str> = whole.lines().collect();
            let log = output.lines(None, 3);
            prop_assert_eq!(log.total, lines.len() as u64);
            for (line, expected) in log.text.lines().zip(lines.iter().skip(log.first as usize)).skip(1) {
                prop_assert_eq!(&line, expected);
            }
        }
    }
}
