//! Which parts of a text are in the quotes of a POSIX shell.
//!
//! A value must not be taken to reach over a quote that in truth ends what came before it:
//! `echo "TOKEN="; rm -rf /; echo "x"` sets nothing, and hiding what is between would hide the
//! command that matters.

/// The quotes of a text.
#[derive(Debug, Default)]
pub(super) struct Quoting {
    /// Where each quoted part begins and ends, without its quotes, in order.
    parts: Vec<(usize, usize, u8)>,
    /// From where on quotes cannot be told, as in here-documents and in substitutions within quotes.
    unsure_from: Option<usize>,
}

/// What is around a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Around {
    /// Where the quotes end that the place is in.
    pub(super) end: Option<usize>,
    /// Whether that is known.
    pub(super) certain: bool,
}

impl Quoting {
    /// Goes through the text once. Quotes that are never closed are none: no shell runs such a text.
    pub(super) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut found = Self::default();
        let mut open: Option<(usize, u8, bool)> = None;
        let mut at = 0;
        let mut word_start = true;
        while let Some(&byte) = bytes.get(at) {
            let next = bytes.get(at + 1).copied();
            match open {
                Some((start, quote, escapes)) => {
                    if byte == quote {
                        found.parts.push((start, at, quote));
                        open = None;
                    } else if byte == b'\\' && escapes {
                        at += 1;
                    } else if quote == b'"'
                        && (byte == b'`' || (byte == b'$' && matches!(next, Some(b'(' | b'{'))))
                    {
                        found.doubt(at);
                    }
                    word_start = false;
                }
                None => {
                    if byte == b'#' && word_start {
                        while bytes.get(at + 1).is_some_and(|byte| *byte != b'\n') {
                            at += 1;
                        }
                    }
                    word_start = b" \t\n;&|(".contains(&byte);
                    match byte {
                        b'\'' => {
                            let before = at.checked_sub(1).and_then(|before| bytes.get(before));
                            open = Some((at + 1, b'\'', before == Some(&b'$')));
                        }
                        b'"' => open = Some((at + 1, b'"', true)),
                        b'\\' => at += 1,
                        b'<' if next == Some(b'<') => found.doubt(at),
                        _ => {}
                    }
                }
            }
            at += 1;
        }
        found
    }

    fn doubt(&mut self, at: usize) {
        self.unsure_from.get_or_insert(at);
    }

    pub(super) fn around(&self, at: usize) -> Around {
        let next = self.parts.partition_point(|(_, end, _)| *end < at);
        let end = self
            .parts
            .get(next)
            .filter(|(start, _, _)| *start <= at)
            .map(|(_, end, _)| *end);
        Around {
            end,
            certain: self.unsure_from.is_none_or(|from| at < from),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(text: &str, part: &str) -> Around {
        Quoting::of(text).around(text.find(part).unwrap())
    }

    #[test]
    fn a_place_is_known_to_be_in_quotes_or_not() {
        for (text, end, certain) in [
            ("X", None, true),
            ("'a X' b", Some(4), true),
            ("'a' X 'b'", None, true),
            ("\"a \\\" X\" b", Some(7), true),
            ("'a \\' X", None, true),
            ("$'a \\' X' b", Some(8), true),
            ("# it's\nX 'b'", None, true),
            ("a#' X'", Some(5), true),
            ("it's X", None, true),
            ("cat <<E\nX", None, false),
            ("\"$(a \"X\")\"", None, false),
        ] {
            assert_eq!(around(text, "X"), Around { end, certain }, "{text}");
        }
    }
}
