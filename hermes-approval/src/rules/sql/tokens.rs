//! The words of SQL, without comments and texts.

/// A piece of SQL that matters to the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'s> {
    /// A word without quotes, or a number.
    Word(&'s str),
    /// A text in single quotes or dollars.
    Text(&'s str),
    /// A name in double quotes, back-ticks or brackets.
    Name(&'s str),
    /// Any other sign.
    Sign(char),
    /// The end of a statement.
    End,
}

impl Token<'_> {
    /// True for this word, in any case of the letters.
    pub(super) fn is(self, word: &str) -> bool {
        matches!(self, Self::Word(text) if text.eq_ignore_ascii_case(word))
    }

    /// True for one of these words.
    pub(super) fn is_any(self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }
}

/// Reads SQL in one pass. What is not closed ends with the text.
#[derive(Debug, Clone)]
pub(super) struct Tokens<'s> {
    rest: &'s str,
    line_start: bool,
}

impl<'s> Tokens<'s> {
    pub(super) fn of(sql: &'s str) -> Self {
        Self {
            rest: sql,
            line_start: true,
        }
    }

    fn cut(&mut self, bytes: usize) -> &'s str {
        let (head, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.rest = rest;
        head
    }

    fn skip_line(&mut self) {
        let end = self.rest.find('\n').unwrap_or(self.rest.len());
        self.cut(end);
    }

    /// What stands between the sign at the front and the next of `close`.
    fn quoted(&mut self, close: char) -> &'s str {
        self.cut(1);
        let mut escaped = false;
        let end = self.rest.find(|c: char| {
            let ends = c == close && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        let inside = self.cut(end.unwrap_or(self.rest.len()));
        self.cut(close.len_utf8());
        inside
    }

    /// `$tag$ … $tag$`
    fn dollars(&mut self) -> Option<&'s str> {
        let name = self.rest.strip_prefix('$')?;
        let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
        if !name.get(end..)?.starts_with('$') || name.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let mark = self.cut(end + 2);
        let inside = self.cut(self.rest.find(mark).unwrap_or(self.rest.len()));
        self.cut(mark.len());
        Some(inside)
    }

    /// True if a comment or a line for the client itself was skipped.
    fn skipped(&mut self) -> bool {
        let rest = self.rest;
        if rest.starts_with("--") || (self.line_start && rest.starts_with(['\\', '.', '#'])) {
            self.skip_line();
        } else if rest.starts_with("/*!") {
            // MySQL runs what stands in these.
            self.cut(3);
            let digits = self.rest.find(|c: char| !c.is_ascii_digit());
            self.cut(digits.unwrap_or(self.rest.len()));
        } else if rest.starts_with("/*") {
            self.cut(rest.find("*/").map_or(rest.len(), |at| at + 2));
        } else if rest.starts_with("*/") {
            self.cut(2);
        } else {
            return false;
        }
        true
    }
}

impl<'s> Iterator for Tokens<'s> {
    type Item = Token<'s>;

    fn next(&mut self) -> Option<Token<'s>> {
        loop {
            let first = self.rest.chars().next()?;
            if first.is_whitespace() {
                self.line_start |= first == '\n';
                self.cut(first.len_utf8());
                continue;
            }
            if self.skipped() {
                continue;
            }
            self.line_start = false;
            if first.is_alphanumeric() || first == '_' {
                let end = self
                    .rest
                    .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$')));
                return Some(Token::Word(self.cut(end.unwrap_or(self.rest.len()))));
            }
            if let Some(text) = self.dollars() {
                return Some(Token::Text(text));
            }
            return Some(match first {
                '\'' => Token::Text(self.quoted('\'')),
                '"' => Token::Name(self.quoted('"')),
                '`' => Token::Name(self.quoted('`')),
                '[' => Token::Name(self.quoted(']')),
                ';' => {
                    self.cut(1);
                    self.line_start = true;
                    Token::End
                }
                sign => {
                    self.cut(sign.len_utf8());
                    Token::Sign(sign)
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(sql: &str) -> Vec<Token<'_>> {
        Tokens::of(sql).collect()
    }

    #[test]
    fn comments_and_lines_for_the_client_are_no_sql() {
        use Token::*;
        assert_eq!(words("a -- b\nc"), [Word("a"), Word("c")]);
        assert_eq!(words("a/* b */c"), [Word("a"), Word("c")]);
        assert_eq!(words("/*!50000 a */"), [Word("a")]);
        assert_eq!(words("\\dt x\na"), [Word("a")]);
        assert_eq!(words(".tables"), []);
        assert_eq!(words("/* open"), []);
    }

    #[test]
    fn texts_and_names_are_taken_whole() {
        use Token::*;
        assert_eq!(
            words("'a;b' \"c\" `d`"),
            [Text("a;b"), Name("c"), Name("d")]
        );
        assert_eq!(
            words("$$a;$$ $x$b$x$ $1"),
            [Text("a;"), Text("b"), Sign('$'), Word("1")]
        );
        assert_eq!(words("'open"), [Text("open")]);
        assert_eq!(words("a;b"), [Word("a"), End, Word("b")]);
    }
}
