//! The tag of the list, `!!seq`, which the editor knows nothing of: it is covered while the list is
//! changed.

use std::borrow::Cow;
use std::ops::Range;

/// What Python takes for a list of its own kind.
pub(super) const SEQUENCE: &str = "tag:yaml.org,2002:seq";

/// What Python takes for nothing.
pub(super) const NULL: &str = "tag:yaml.org,2002:null";

/// A text whose list has spaces in the place of its tag.
pub(super) struct Covered<'t> {
    text: Cow<'t, str>,
    /// The text as it was, up to the end of the tag.
    head: &'t str,
}

impl<'t> Covered<'t> {
    /// `before` is where the tag is looked for, in bytes: from the key to the first item.
    pub(super) fn new(text: &'t str, before: Option<Range<usize>>) -> Option<Self> {
        let Some(range) = before else {
            return Some(Self {
                text: Cow::Borrowed(text),
                head: "",
            });
        };
        let tag = find(text.get(range.clone())?)?;
        let tag = range.start + tag.start..range.start + tag.end;
        let head = text.get(..tag.end)?;
        let spaces = " ".repeat(tag.len());
        let covered = [text.get(..tag.start)?, &spaces, text.get(tag.end..)?].concat();
        Some(Self {
            text: Cow::Owned(covered),
            head,
        })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Puts the tag back. Where the editor wrote an empty list in its place, that is one without it.
    pub(super) fn uncover(&self, new: String) -> String {
        let length = self.head.len();
        let (Some(kept), Some(rest)) = (new.get(..length), new.get(length..)) else {
            return new;
        };
        if Some(kept) != self.text.get(..length) || length == 0 {
            return new;
        }
        let space = match rest.starts_with([' ', '\t', '\r', '\n']) {
            true => "",
            false => " ",
        };
        [self.head, space, rest].concat()
    }
}

/// The first word that begins with `!` and is in no comment.
fn find(text: &str) -> Option<Range<usize>> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let mut word = at;
        for piece in line.split_inclusive([' ', '\t', '\r', '\n']) {
            if piece.starts_with('#') {
                break;
            }
            if piece.starts_with('!') {
                return Some(word..word + piece.trim_ascii_end().len());
            }
            word += piece.len();
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected must fail"
)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_covered_and_comes_back_where_it_was() {
        for (text, covered) in [
            ("k: !!seq\n- a", "k:      \n- a"),
            ("k: &x !!seq [a]", "k: &x       [a]"),
            ("k: # !no\n  !!seq\n  - a", "k: # !no\n       \n  - a"),
            ("k: !<tag:x>\r\n- a", "k:         \r\n- a"),
        ] {
            let one = Covered::new(text, Some(0..text.len())).unwrap();
            assert_eq!(one.text(), covered);
            let more = format!("{covered} more");
            assert_eq!(one.uncover(more), format!("{text} more"));
            assert_eq!(one.uncover("k: []".to_owned()), "k: []");
        }
        let block = Covered::new("k: !!seq\n- a", Some(0..9)).unwrap();
        assert_eq!(block.uncover("k:      []".to_owned()), "k: !!seq []");
        assert!(Covered::new("k: # !!seq\n- a", Some(0..14)).is_none());
        assert_eq!(
            Covered::new("k: !!seq [a]", None).unwrap().text(),
            "k: !!seq [a]"
        );
    }
}
