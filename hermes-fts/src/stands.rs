//! Whether a term stands in a text.

use alloc::string::String;

use unicode_normalization::UnicodeNormalization;

use crate::fold::folded;
use crate::plan::Lookup;
use crate::script::{is_arabic, is_unspaced};
use crate::term::Term;
use crate::token_chars::is_token_char;

impl Term {
    /// Whether the term stands in a text that is [`folded`]: anywhere, if that is how it is looked
    /// for; else as a word, touched by a letter of a script without blanks between words, or, in
    /// Arabic, behind an article, a conjunction or a preposition that is written together with it.
    /// It may be decomposed there.
    ///
    /// ```
    /// let stands = |query: &str, text: &str| {
    ///     let query = hermes_fts::sanitize(query);
    ///     query.tree().unwrap().matches(&mut |term| term.stands_in(&hermes_fts::folded(text)))
    /// };
    /// assert!(stands("zephyr", "更新Zephyr模块"));
    /// assert!(!stands("zephyr", "zephyrs"));
    /// assert!(stands("模块", "更新Zephyr模块"));
    /// assert!(stands("العالم", "مرحبا بالعالم"));
    /// ```
    #[must_use]
    pub fn stands_in(&self, text: &str) -> bool {
        let needle = folded(self.text());
        let stands = |needle: &str| match self.lookup() {
            Lookup::Trigram | Lookup::Short => text.contains(needle),
            Lookup::Words => text.match_indices(needle).any(|(at, found)| {
                let before = text.get(..at).unwrap_or_default();
                let after = text.get(at + found.len()..).unwrap_or_default();
                self.is_set_apart(before, after)
            }),
        };
        stands(&needle) || decomposed(&needle).is_some_and(|needle| stands(&needle))
    }

    fn is_set_apart(&self, before: &str, after: &str) -> bool {
        let touches = |c: Option<char>| c.is_some_and(is_unspaced);
        let ends = |c: Option<char>| c.is_none_or(|c| !is_token_char(c));
        let (last, next) = (before.chars().next_back(), after.chars().next());
        let ends_after = self.is_prefix() || ends(next);
        touches(last) || touches(next) || (ends_after && (ends(last) || is_proclitic(before)))
    }
}

/// Whether a text ends in what Arabic writes together with the word that follows: a conjunction, a
/// preposition, the article.
fn is_proclitic(before: &str) -> bool {
    let start = before
        .char_indices()
        .rev()
        .take_while(|(_, c)| is_arabic(*c))
        .last()
        .map_or(before.len(), |(at, _)| at);
    let written = before.get(start..).unwrap_or_default();
    let behind = written.strip_prefix(['و', 'ف']).unwrap_or(written);
    let particles = ["", "ال", "ب", "ك", "ل", "س", "بال", "كال", "لل"];
    !written.is_empty() && particles.iter().any(|p| *p == behind || *p == written)
}

/// The text with its letters taken apart, as macOS names files, if that is another text.
pub(crate) fn decomposed(text: &str) -> Option<String> {
    if text.is_ascii() {
        return None;
    }
    let apart: String = text.nfd().collect();
    (apart != text).then_some(apart)
}

#[cfg(test)]
mod tests {
    use crate::{folded, sanitize};

    fn stands(query: &str, text: &str) -> bool {
        let query = sanitize(query);
        query
            .tree()
            .unwrap()
            .matches(&mut |term| term.stands_in(&folded(text)))
    }

    #[test]
    fn a_word_is_set_apart_or_touches_a_script_without_blanks() {
        for text in [
            "a Docker.",
            "用docker部署",
            "docker部",
            "我的docker",
            "docker",
        ] {
            assert!(stands("docker", text), "{text}");
        }
        for text in ["dockerfile", "mydocker", "dock", "部署dock er"] {
            assert!(!stands("docker", text), "{text}");
        }
        assert!(stands("dock*", "dockerfile") && !stands("ocker*", "dockerfile"));
    }

    #[test]
    fn arabic_words_stand_behind_particles() {
        for text in ["مدير", "المدير", "والمدير", "للمدير", "ومدير", "فبالمدير"]
        {
            assert!(stands("مدير", text), "{text}");
        }
        for text in ["تدمير", "مديرية", "نمدير"] {
            assert!(!stands("مدير", text), "{text}");
        }
        assert!(stands("عالم*", "مرحبا بالعالم"));
        assert!(stands("و", "و") && !stands("لا", "كلاب"));
    }

    #[test]
    fn a_text_may_be_decomposed() {
        assert!(stands("мой", "мои\u{306} файл"));
        assert!(stands(
            "한국",
            "\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}"
        ));
        assert!(stands("ガス", "カ\u{3099}ス"));
    }
}
