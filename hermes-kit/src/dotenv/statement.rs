//! The statements of a `.env`, one after the other.

/// One of them.
pub(super) enum Statement {
    /// A variable with its value, not yet expanded.
    Set { name: String, value: String },
    /// A comment, or a name without a value.
    Nothing,
    /// What is no statement; the rest of its line is passed over.
    Wrong { line: usize },
}

pub(super) struct Statements<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Statements<'a> {
    pub(super) fn new(text: &'a str) -> Statements<'a> {
        Statements {
            rest: text,
            line: 1,
        }
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        let returns = taken.matches('\r').count() - taken.matches("\r\n").count();
        self.line += taken.matches('\n').count() + returns;
        self.rest = rest;
        taken
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !wanted(c)).unwrap_or(self.rest.len());
        self.take(end)
    }

    fn blanks(&mut self) -> &'a str {
        self.take_while(|c| is_space(c) && !is_line_end(c))
    }

    fn rest_of_line(&mut self) -> &'a str {
        self.take_while(|c| !is_line_end(c))
    }

    /// A statement that has begun; `None` where it goes wrong.
    fn statement(&mut self) -> Option<Statement> {
        self.export();
        let name = match self.rest.chars().next() {
            Some('#') => None,
            Some('\'') => {
                let end = self.rest.get(1..)?.find('\'').filter(|end| *end > 0)?;
                // No variable can have a name with `=`.
                let name = self.take(end + 2).get(1..=end);
                Some(name.filter(|name| !name.contains('='))?)
            }
            _ => {
                let name = self.take_while(|c| !is_space(c) && c != '=' && c != '#');
                Some(name).filter(|name| !name.is_empty()).map(Some)?
            }
        };
        self.blanks();
        let mut value = None;
        if self.rest.starts_with('=') {
            self.take(1);
            let is_behind_space = !self.blanks().is_empty();
            value = Some(self.value(is_behind_space)?);
        }
        self.blanks();
        if self.rest.starts_with('#') {
            self.rest_of_line();
        }
        if !self.rest.is_empty() && !self.rest.starts_with(is_line_end) {
            return None;
        }
        match (name, value) {
            (Some(name), Some(value)) => Some(Statement::Set {
                name: name.to_owned(),
                value,
            }),
            _ => Some(Statement::Nothing),
        }
    }

    fn export(&mut self) {
        let Some(behind) = self.rest.strip_prefix("export") else {
            return;
        };
        if behind.starts_with(|c| is_space(c) && !is_line_end(c)) {
            self.take("export".len());
            self.blanks();
        }
    }

    fn value(&mut self, is_behind_space: bool) -> Option<String> {
        match self.rest.chars().next() {
            Some('\'') => Some(unescaped(self.quoted('\'')?, r"\'")),
            Some('"') => Some(unescaped(self.quoted('"')?, "\\'\"abfnrtv")),
            _ => Some(without_comment(self.rest_of_line(), is_behind_space).to_owned()),
        }
    }

    /// What stands between this quote and the next one; a backslash takes the next character along.
    fn quoted(&mut self, quote: char) -> Option<&'a str> {
        let inside = self.rest.get(1..)?;
        let mut is_escaped = false;
        let (end, _) = inside.char_indices().find(|(_, c)| {
            let is_end = *c == quote && !is_escaped;
            is_escaped = *c == '\\' && !is_escaped;
            is_end
        })?;
        self.take(end + 2).get(1..=end)
    }
}

impl Iterator for Statements<'_> {
    type Item = Statement;

    fn next(&mut self) -> Option<Statement> {
        self.take_while(is_space);
        if self.rest.is_empty() {
            return None;
        }
        let line = self.line;
        Some(self.statement().unwrap_or_else(|| {
            self.rest_of_line();
            Statement::Wrong { line }
        }))
    }
}

fn is_line_end(c: char) -> bool {
    c == '\n' || c == '\r'
}

/// White space, to Python: also four separators that Unicode does not count.
fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// A value without quotes ends where white space and a `#` follow.
fn without_comment(line: &str, mut behind_space: bool) -> &str {
    let comment = line.char_indices().find(|(_, c)| {
        let found = behind_space && *c == '#';
        behind_space = is_space(*c);
        found
    });
    let value = comment.map_or(line, |(at, _)| line.get(..at).unwrap_or_default());
    value.trim_end_matches(is_space)
}

fn unescaped(text: &str, escapes: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let mut ahead = chars.clone();
        let escaped = match (c, ahead.next()) {
            ('\\', Some(next)) if escapes.contains(next) => Some(match next {
                'a' => '\u{7}',
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'v' => '\u{b}',
                other => other,
            }),
            _ => None,
        };
        if escaped.is_some() {
            chars = ahead;
        }
        result.push(escaped.unwrap_or(c));
    }
    result
}
