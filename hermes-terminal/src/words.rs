//! The commands in a text and their words, as far as advice and notes need them. Whether a command
//! is dangerous is not decided with this.

/// One command of a text, without its redirections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SimpleCommand {
    /// Its words without their quotes. Expansions stand as they are written.
    pub(crate) words: Vec<String>,
    /// What follows it.
    pub(crate) ending: Ending,
}

/// What follows a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// `;`, a new line, a parenthesis, or the end.
    Done,
    /// `&`.
    Background,
    /// `|` or `|&`.
    Pipe,
    /// `&&` or `||`.
    Condition,
}

/// The commands of a text, in its order. Those inside of substitutions are not looked at. It takes
/// time in proportion to the text, whatever the text is.
pub(crate) fn commands(text: &str) -> Vec<SimpleCommand> {
    let mut scan = Scan {
        chars: text.chars().collect(),
        at: 0,
        word: None,
        words: Vec::new(),
        skips_word: false,
        heredocs: Vec::new(),
        wants_delimiter: None,
        found: Vec::new(),
    };
    scan.run();
    scan.found
}

struct Scan {
    chars: Vec<char>,
    at: usize,
    /// The word that is being read.
    word: Option<String>,
    words: Vec<String>,
    /// Whether the next word belongs to a redirection.
    skips_word: bool,
    /// Delimiters of here-documents whose text begins at the next line, and whether their lines
    /// may be indented.
    heredocs: Vec<(String, bool)>,
    wants_delimiter: Option<bool>,
    found: Vec<SimpleCommand>,
}

/// What has been opened and not yet closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    Parenthesis,
    Brace,
    Double,
    Backtick,
}

impl Scan {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn take_if(&mut self, wanted: char) -> bool {
        let is = self.peek() == Some(wanted);
        self.at += usize::from(is);
        is
    }

    fn run(&mut self) {
        while let Some(c) = self.peek() {
            self.at += 1;
            match c {
                '\n' => {
                    self.end_command(Ending::Done);
                    self.skip_heredocs();
                }
                c if c.is_whitespace() => self.end_word(),
                ';' | '(' | ')' => self.end_command(Ending::Done),
                '&' if self.take_if('&') => self.end_command(Ending::Condition),
                '&' if self.peek() == Some('>') => self.end_word(),
                '&' => self.end_command(Ending::Background),
                '|' if self.take_if('|') => self.end_command(Ending::Condition),
                '|' => {
                    self.take_if('&');
                    self.end_command(Ending::Pipe);
                }
                '<' | '>' => self.redirection(c),
                '#' if self.word.is_none() => self.skip_line(),
                // A line that goes on.
                '\\' if self.take_if('\n') => {}
                c => self.part_of_word(c),
            }
        }
        self.end_command(Ending::Done);
    }

    fn part_of_word(&mut self, c: char) {
        let mut word = self.word.take().unwrap_or_default();
        match c {
            '\\' => {
                word.extend(self.peek());
                self.at += 1;
            }
            '\'' => self.until_quote(&mut word),
            '"' => self.until_closed(Open::Double, &mut word),
            '`' => {
                word.push(c);
                self.until_closed(Open::Backtick, &mut word);
            }
            '$' if self.take_if('(') => {
                word.push_str("$(");
                self.until_closed(Open::Parenthesis, &mut word);
            }
            '$' if self.take_if('{') => {
                word.push_str("${");
                self.until_closed(Open::Brace, &mut word);
            }
            c => word.push(c),
        }
        self.word = Some(word);
    }

    fn until_quote(&mut self, word: &mut String) {
        while let Some(c) = self.peek() {
            self.at += 1;
            if c == '\'' {
                return;
            }
            word.push(c);
        }
    }

    /// Takes all up to what closes the first thing that was opened. Quotes are left out only where
    /// they stand outermost.
    fn until_closed(&mut self, first: Open, word: &mut String) {
        let mut open = vec![first];
        while let (Some(innermost), Some(c)) = (open.last().copied(), self.peek()) {
            self.at += 1;
            let outermost = open.len() == 1 && first == Open::Double;
            match (innermost, c) {
                (_, '\\') => {
                    if !outermost {
                        word.push(c);
                    }
                    if let Some(next) = self.peek() {
                        self.at += 1;
                        word.push(next);
                    }
                    continue;
                }
                (Open::Double, '"')
                | (Open::Backtick, '`')
                | (Open::Parenthesis, ')')
                | (Open::Brace, '}') => {
                    open.pop();
                    if open.is_empty() && first == Open::Double {
                        return;
                    }
                }
                (Open::Double | Open::Parenthesis | Open::Brace, '`') => open.push(Open::Backtick),
                (Open::Double | Open::Parenthesis | Open::Brace, '$') if self.take_if('(') => {
                    word.push_str("$(");
                    open.push(Open::Parenthesis);
                    continue;
                }
                (Open::Parenthesis | Open::Brace, '"') => open.push(Open::Double),
                (Open::Parenthesis | Open::Brace, '\'') => {
                    word.push(c);
                    self.until_quote(word);
                }
                (Open::Parenthesis, '(') => open.push(Open::Parenthesis),
                _ => {}
            }
            word.push(c);
        }
    }

    fn redirection(&mut self, c: char) {
        // A number before it is a descriptor.
        if let Some(word) = self.word.take()
            && !word.chars().all(|c| c.is_ascii_digit())
        {
            self.word = Some(word);
            self.end_word();
        }
        if c == '<' && self.take_if('<') {
            if self.take_if('<') {
                self.skips_word = true;
            } else {
                self.wants_delimiter = Some(self.take_if('-'));
            }
            return;
        }
        if self.take_if('(') {
            // A process substitution is a word.
            let mut word = format!("{c}(");
            self.until_closed(Open::Parenthesis, &mut word);
            self.word = Some(word);
            return;
        }
        while matches!(self.peek(), Some('>' | '&' | '|')) {
            self.at += 1;
        }
        self.skips_word = true;
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else {
            return;
        };
        if let Some(indented) = self.wants_delimiter.take() {
            self.heredocs.push((word, indented));
        } else if !std::mem::take(&mut self.skips_word) {
            self.words.push(word);
        }
    }

    fn end_command(&mut self, ending: Ending) {
        self.end_word();
        self.skips_word = false;
        self.wants_delimiter = None;
        let words = std::mem::take(&mut self.words);
        if !words.is_empty() {
            self.found.push(SimpleCommand { words, ending });
        } else if ending != Ending::Done
            && let Some(last) = self.found.last_mut()
        {
            // What follows a parenthesis follows what is in it.
            last.ending = ending;
        }
    }

    fn skip_line(&mut self) {
        while self.peek().is_some_and(|c| c != '\n') {
            self.at += 1;
        }
    }

    fn skip_heredocs(&mut self) {
        for (delimiter, indented) in std::mem::take(&mut self.heredocs) {
            while self.at < self.chars.len() {
                let start = self.at;
                self.skip_line();
                let line = self.chars.get(start..self.at).unwrap_or_default();
                self.at += 1;
                let mut line = line;
                while let (true, ['\t', rest @ ..]) = (indented, line) {
                    line = rest;
                }
                if line.iter().copied().eq(delimiter.chars()) {
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
