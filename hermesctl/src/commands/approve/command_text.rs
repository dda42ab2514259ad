//! The text of a command that was handed in as words.

use hermes_kit::approval::Platform;

/// One word is the text. Several are joined, each quoted where the shell would read it in another
/// way than as itself.
pub(in crate::commands) fn joined(words: &[String], platform: Platform) -> String {
    if let [text] = words {
        return text.clone();
    }
    words
        .iter()
        .map(|word| quoted(word, platform))
        .collect::<Vec<_>>()
        .join(" ")
}

/// A word as the shell reads it as itself.
pub(super) fn quoted(word: &str, platform: Platform) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    // Only the value of an assignment or option may hold a tilde that is not at the beginning.
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    match platform {
        Platform::Cmd => format!("\"{}\"", word.replace('"', "\"\"")),
        Platform::PowerShell => format!("'{}'", word.replace('\'', "''")),
        _ => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn join(words: &[&str], platform: Platform) -> String {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        joined(&words, platform)
    }

    #[test]
    fn one_word_is_the_text_and_several_stay_words() {
        assert_eq!(join(&["rm -rf \"$X\""], Platform::Posix), "rm -rf \"$X\"");
        assert_eq!(
            join(
                &["git", "commit", "-m", "a; b", "it's", ""],
                Platform::Posix
            ),
            "git commit -m 'a; b' 'it'\\''s' ''"
        );
        assert_eq!(
            join(&["rm", "-rf", "$HOME", "~"], Platform::Posix),
            "rm -rf '$HOME' '~'"
        );
        assert_eq!(
            join(&["del", "a b", "it's"], Platform::PowerShell),
            "del 'a b' 'it''s'"
        );
        assert_eq!(join(&["del", "a b"], Platform::Cmd), "del \"a b\"");
    }
}
