//! Bytes as a command writes them → text as a model is given it.

use std::fmt;

use vte::{Params, Parser, Perform};

/// Decodes output that comes in pieces. Bytes that are not UTF-8 become U+FFFD; a character or a
/// terminal code that is split over two pieces stays whole. Terminal codes are left out, and so
/// are control characters other than white space.
///
/// ```
/// use hermes_terminal::StreamDecoder;
///
/// let mut decoder = StreamDecoder::new();
/// let mut text = String::new();
/// for piece in [&b"\x1b[3"[..], b"1mgr\xc3", b"\xbcn\x1b[m \xff\0", b"\xe2\x82"] {
///     decoder.push(piece, |part| text.push_str(part));
/// }
/// decoder.finish(|part| text.push_str(part));
/// assert_eq!(text, "gr\u{fc}n \u{fffd}\u{fffd}");
/// ```
#[derive(Default)]
pub struct StreamDecoder {
    codes: Parser,
    /// Whether a terminal code may have been begun.
    in_code: bool,
    /// The start of a character whose rest has not come yet: at most three bytes.
    begun: Vec<u8>,
}

const REPLACEMENT: &str = "\u{fffd}";

impl StreamDecoder {
    /// At the start of an output.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next bytes, and gives the text that is complete with them, in parts.
    pub fn push(&mut self, bytes: &[u8], mut sink: impl FnMut(&str)) {
        if self.begun.is_empty() {
            self.decode(bytes, &mut sink);
        } else {
            let mut joined = std::mem::take(&mut self.begun);
            joined.extend_from_slice(bytes);
            self.decode(&joined, &mut sink);
        }
    }

    /// Gives what was begun and will not be completed.
    pub fn finish(&mut self, mut sink: impl FnMut(&str)) {
        if !std::mem::take(&mut self.begun).is_empty() {
            self.strip(REPLACEMENT, &mut sink);
        }
    }

    fn decode(&mut self, bytes: &[u8], sink: &mut impl FnMut(&str)) {
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.strip(chunk.valid(), sink);
            let invalid = chunk.invalid();
            let may_go_on = std::str::from_utf8(invalid)
                .is_err_and(|error| error.error_len().is_none() && chunks.peek().is_none());
            if may_go_on {
                self.begun.extend_from_slice(invalid);
            } else if !invalid.is_empty() {
                self.strip(REPLACEMENT, sink);
            }
        }
    }

    fn strip(&mut self, mut text: &str, sink: &mut impl FnMut(&str)) {
        while !text.is_empty() {
            if !self.in_code {
                let (plain, rest) = text.split_at(text.find(ESCAPE).unwrap_or(text.len()));
                show(plain, sink);
                self.in_code = !rest.is_empty();
                text = rest;
            }
            text = self.take_code(text, sink);
        }
    }

    /// Goes on in a terminal code until it is over, and gives what comes after it.
    fn take_code<'a>(&mut self, text: &'a str, sink: &mut impl FnMut(&str)) -> &'a str {
        let mut chars = text.chars();
        while self.in_code
            && let Some(c) = chars.next()
        {
            let mut seen = Seen::default();
            let mut bytes = [0; 4];
            self.codes
                .advance(&mut seen, c.encode_utf8(&mut bytes).as_bytes());
            show(&seen.text, sink);
            self.in_code = !seen.is_over;
        }
        chars.as_str()
    }
}

impl fmt::Debug for StreamDecoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamDecoder")
            .field("begun", &self.begun)
            .field("in_code", &self.in_code)
            .finish_non_exhaustive()
    }
}

/// Gives text without the control characters in it.
fn show(text: &str, sink: &mut impl FnMut(&str)) {
    // The controls beyond ASCII begin with this byte.
    let may_control =
        |byte: u8| byte == 0xc2 || (byte.is_ascii_control() && !byte.is_ascii_whitespace());
    if text.bytes().any(may_control) {
        let is_shown = |c: &char| !c.is_control() || c.is_ascii_whitespace();
        sink(&text.chars().filter(is_shown).collect::<String>());
    } else if !text.is_empty() {
        sink(text);
    }
}

/// What a terminal code comes to.
#[derive(Default)]
struct Seen {
    text: String,
    is_over: bool,
}

impl Perform for Seen {
    /// Only outside of codes is anything printed: one that was broken off ends so.
    fn print(&mut self, c: char) {
        self.text.push(c);
        self.is_over = true;
    }

    fn execute(&mut self, byte: u8) {
        self.text.push(char::from(byte));
    }

    fn csi_dispatch(&mut self, _: &Params, _: &[u8], _: bool, _: char) {
        self.is_over = true;
    }

    fn esc_dispatch(&mut self, _: &[u8], _: bool, _: u8) {
        self.is_over = true;
    }

    fn osc_dispatch(&mut self, _: &[&[u8]], ended_by_bell: bool) {
        self.is_over = ended_by_bell;
    }
}

const ESCAPE: char = '\u{1b}';

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::StreamDecoder;

    fn decoded<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
        let mut decoder = StreamDecoder::new();
        let mut text = String::new();
        for piece in pieces {
            decoder.push(piece, |part| text.push_str(part));
        }
        decoder.finish(|part| text.push_str(part));
        text
    }

    #[test]
    fn codes_go_and_text_stays() {
        for (bytes, text) in [
            (&b"plain\r\n\ttext"[..], "plain\r\n\ttext"),
            (b"\x1b[1;31mred\x1b[0m", "red"),
            (b"\x1b]0;title\x07after", "after"),
            (b"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
            (b"a\0b\x07c\x08d\x7fe", "abcde"),
            (b"caf\xe9", "caf\u{fffd}"),
            (b"\xf0\x9f\x98", "\u{fffd}"),
            (b"\xc3\x1b[31mx", "\u{fffd}x"),
            ("日本\u{1b}[1m語".as_bytes(), "日本語"),
            (b"", ""),
        ] {
            assert_eq!(decoded([bytes]), text, "{bytes:?}");
        }
    }

    /// Letters, codes, halves of characters: what real output is made of, in any order.
    fn output() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            any::<char>().prop_map(|c| c.to_string().into_bytes()),
            "[ -~\n]{1,5}".prop_map(String::into_bytes),
            any::<u8>().prop_map(|byte| vec![byte]),
            Just(b"\x1b[0;32m".to_vec()),
            Just(b"\x1b]0;t\x07".to_vec()),
            Just(b"\xe2\x82".to_vec()),
        ];
        proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn where_output_is_cut_does_not_matter(bytes in output(), cuts in proptest::collection::vec(0usize..200, 0..8)) {
            let whole = decoded([bytes.as_slice()]);
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces = cuts.windows(2).map(|ends| &bytes[ends[0]..ends[1]]);
            prop_assert_eq!(&decoded(pieces), &whole);
            prop_assert_eq!(&decoded(bytes.chunks(1)), &whole);
        }

        #[test]
        fn text_without_control_characters_is_unchanged(text in "[^\\p{Cc}]{0,80}") {
            prop_assert_eq!(decoded(text.as_bytes().chunks(3)), text);
        }

        #[test]
        fn nothing_comes_out_that_a_terminal_would_obey(bytes in output()) {
            let text = decoded([bytes.as_slice()]);
            prop_assert!(!text.contains(|c: char| c.is_ascii_control() && !c.is_ascii_whitespace()));
        }
    }
}
