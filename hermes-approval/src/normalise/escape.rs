//! Where a terminal control sequence (ECMA-48) ends.

/// Finds the ends of sequences; remembers that there is no terminator ahead, so that a text of
/// openers is read once.
#[derive(Default)]
pub(super) struct Ends {
    no_terminator: bool,
}

impl Ends {
    /// The end of the sequence that starts at `at` with ESC or a C1 control.
    pub(super) fn sequence_end(&mut self, text: &str, at: usize) -> usize {
        let rest = text.get(at..).unwrap_or("");
        let mut chars = rest.chars();
        let Some(first) = chars.next() else { return at };
        let (introducer, head) = if first == '\u{1b}' {
            match chars.next() {
                Some(second @ ' '..='~') => (second, first.len_utf8() + second.len_utf8()),
                _ => return at + first.len_utf8(),
            }
        } else {
            // The 8-bit form of ESC and a letter.
            let second = char::from_u32(u32::from(first) - 0x40).unwrap_or('@');
            (second, first.len_utf8())
        };
        let body = rest.get(head..).unwrap_or("");
        at + head
            + match introducer {
                '[' => parameters(body),
                ']' | 'P' | 'X' | '^' | '_' => self.string(body),
                // ESC, intermediate bytes, a final byte.
                ' '..='/' if first == '\u{1b}' => intermediates(body),
                _ => 0,
            }
    }

    /// The body of a string up to its terminator; nothing if it has none, so that an opener alone
    /// can't swallow the rest of a command.
    fn string(&mut self, body: &str) -> usize {
        if self.no_terminator {
            return 0;
        }
        for (i, c) in body.char_indices() {
            match c {
                '\u{7}' | '\u{9c}' => return i + c.len_utf8(),
                '\u{1b}' if body.as_bytes().get(i + 1) == Some(&b'\\') => return i + 2,
                _ => {}
            }
        }
        self.no_terminator = true;
        0
    }
}

/// Parameters, intermediates and the final byte of a CSI; what is there of it if it is cut off.
fn parameters(body: &str) -> usize {
    let bytes = body.as_bytes();
    let parameters = bytes
        .iter()
        .take_while(|b| matches!(b, b'0'..=b'?'))
        .count();
    let between = bytes
        .iter()
        .skip(parameters)
        .take_while(|b| matches!(b, b' '..=b'/'))
        .count();
    match bytes.get(parameters + between) {
        Some(b'@'..=b'~') => parameters + between + 1,
        _ => 0,
    }
}

fn intermediates(body: &str) -> usize {
    let bytes = body.as_bytes();
    let between = bytes
        .iter()
        .take_while(|b| matches!(b, b' '..=b'/'))
        .count();
    match bytes.get(between) {
        Some(b'0'..=b'~') => between + 1,
        _ => 0,
    }
}
