//! Output of any length in bounded memory.

/// Keeps the first 40 % and the last 60 % of a text that comes in parts.
///
/// ```
/// use hermes_terminal::BoundedOutput;
///
/// let mut output = BoundedOutput::new(10);
/// output.push("0123456");
/// output.push("789abcdef");
/// assert!(output.is_truncated());
/// assert_eq!(output.into_text(), "0123\n[… 6 of 16 characters left out …]\nabcdef");
/// ```
#[derive(Debug, Clone)]
pub struct BoundedOutput {
    head: String,
    /// How many characters the head still takes.
    head_room: usize,
    tail: String,
    tail_chars: usize,
    tail_limit: usize,
    total: u64,
}

impl BoundedOutput {
    /// That keeps so many characters.
    pub fn new(limit_chars: usize) -> Self {
        let head_room = limit_chars / 5 * 2 + limit_chars % 5 * 2 / 5;
        Self {
            head: String::new(),
            head_room,
            tail: String::new(),
            tail_chars: 0,
            tail_limit: limit_chars - head_room,
            total: 0,
        }
    }

    /// Takes the next part.
    pub fn push(&mut self, part: &str) {
        let count = part.chars().count();
        self.total = self
            .total
            .saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
        let of_head = count.min(self.head_room);
        let (head, rest) = part.split_at(byte_of_char(part, of_head));
        self.head.push_str(head);
        self.head_room -= of_head;
        self.tail.push_str(rest);
        self.tail_chars += count - of_head;
        // Cut seldom, so that each character is moved a bounded number of times.
        if self.tail_chars > self.tail_limit.saturating_mul(2) {
            self.cut_tail();
        }
    }

    /// Whether there was more than is kept.
    pub fn is_truncated(&self) -> bool {
        self.tail_chars > self.tail_limit || self.left_out() > 0
    }

    /// How many characters there were in all.
    pub fn total_chars(&self) -> u64 {
        self.total
    }

    /// What is kept; where something is missing, a line says how much.
    pub fn into_text(mut self) -> String {
        self.cut_tail();
        let missing = self.left_out();
        let mut text = self.head;
        if missing > 0 {
            text.push_str(&format!(
                "\n[… {missing} of {} characters left out …]\n",
                self.total
            ));
        }
        text.push_str(&self.tail);
        text
    }

    fn cut_tail(&mut self) {
        if self.tail_chars > self.tail_limit {
            let start = start_of_last(&self.tail, self.tail_limit);
            self.tail.drain(..start);
            self.tail_chars = self.tail_limit;
            self.tail.shrink_to(self.tail.len().saturating_mul(2));
        }
    }

    fn left_out(&self) -> u64 {
        let kept = self.head.chars().count() + self.tail_chars;
        self.total
            .saturating_sub(u64::try_from(kept).unwrap_or(u64::MAX))
    }
}

/// Where the character of this number begins.
pub(crate) fn byte_of_char(text: &str, number: usize) -> usize {
    if number == 0 {
        return 0;
    }
    text.char_indices()
        .nth(number)
        .map_or(text.len(), |(at, _)| at)
}

/// Where so many characters at the end begin; 0 if there are no more than that.
pub(crate) fn start_of_last(text: &str, chars: usize) -> usize {
    match chars.checked_sub(1) {
        Some(before) => text
            .char_indices()
            .rev()
            .nth(before)
            .map_or(0, |(at, _)| at),
        None => text.len(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::BoundedOutput;

    #[test]
    fn memory_stays_bounded_however_much_comes() {
        let mut output = BoundedOutput::new(50_000);
        let part = "ü".repeat(30_000);
        for _ in 0..200 {
            output.push(&part);
            assert!(output.head.capacity() + output.tail.capacity() < 1_000_000);
        }
        assert_eq!(output.total_chars(), 6_000_000);
        let text = output.into_text();
        assert!(text.contains("[… 5950000 of 6000000 characters left out …]"));
        assert_eq!(text.chars().filter(|&c| c == 'ü').count(), 50_000);
    }

    #[test]
    fn a_limit_of_nothing_keeps_nothing() {
        let mut output = BoundedOutput::new(0);
        output.push("abc");
        assert!(output.is_truncated());
        assert_eq!(output.into_text(), "\n[… 3 of 3 characters left out …]\n");
    }

    proptest! {
        #[test]
        fn head_and_tail_are_those_of_the_whole(
            parts in proptest::collection::vec("[a-z€😀\n]{0,30}", 0..30),
            limit in 0usize..120,
        ) {
            let mut output = BoundedOutput::new(limit);
            for part in &parts {
                output.push(part);
            }
            let whole: Vec<char> = parts.concat().chars().collect();
            let truncated = output.is_truncated();
            let text = output.into_text();
            prop_assert_eq!(truncated, whole.len() > limit);
            if truncated {
                let head: String = whole[..limit * 2 / 5].iter().collect();
                let tail: String = whole[whole.len() - (limit - limit * 2 / 5)..].iter().collect();
                let missing = whole.len() - limit;
                let wanted = format!("{head}\n[… {missing} of {} characters left out …]\n{tail}", whole.len());
                prop_assert_eq!(text, wanted);
            } else {
                prop_assert_eq!(text, whole.into_iter().collect::<String>());
            }
        }
    }
}
