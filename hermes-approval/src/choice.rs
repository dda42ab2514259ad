//! What a person can answer.

use std::fmt;

/// The four answers.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Choice {
    /// This command, this time.
    Once,
    /// What the request names, until the conversation ends.
    Session,
    /// What the request names, from now on.
    Always,
    /// No.
    Deny,
}

impl Choice {
    /// All, in the order in which they are offered.
    pub const ALL: [Self; 4] = [Self::Once, Self::Session, Self::Always, Self::Deny];

    /// `once`, `session`, `always`, `deny`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Session => "session",
            Self::Always => "always",
            Self::Deny => "deny",
        }
    }

    /// The letter that stands for it.
    pub fn letter(self) -> char {
        match self {
            Self::Once => 'o',
            Self::Session => 's',
            Self::Always => 'a',
            Self::Deny => 'd',
        }
    }

    /// As it is offered: `[o]nce`.
    pub fn offered(self) -> String {
        let rest: String = self.word().chars().skip(1).collect();
        format!("[{}]{rest}", self.letter())
    }

    /// What was typed at a terminal: the word or its letter, in any case. Anything else is a denial.
    pub fn typed(line: &str) -> Self {
        let line = line.trim();
        Self::ALL
            .into_iter()
            .find(|choice| {
                let mut letter = [0; 4];
                line.eq_ignore_ascii_case(choice.word())
                    || line.eq_ignore_ascii_case(choice.letter().encode_utf8(&mut letter))
            })
            .unwrap_or(Self::Deny)
    }

    /// Whether it lets the command run.
    pub fn allows(self) -> bool {
        self != Self::Deny
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_letters_are_understood_and_anything_else_denies() {
        for (line, choice) in [
            ("o", Choice::Once),
            ("Once\n", Choice::Once),
            (" S ", Choice::Session),
            ("session", Choice::Session),
            ("A", Choice::Always),
            ("ALWAYS", Choice::Always),
            ("d", Choice::Deny),
            ("deny", Choice::Deny),
            ("", Choice::Deny),
            ("yes", Choice::Deny),
            ("y", Choice::Deny),
            ("on", Choice::Deny),
            ("o s", Choice::Deny),
            ("ſ", Choice::Deny),
        ] {
            assert_eq!(Choice::typed(line), choice, "{line}");
        }
        assert_eq!(Choice::Session.offered(), "[s]ession");
    }
}
