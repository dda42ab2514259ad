//! Compound commands: groups, conditions, loops, `case`, functions, tests, arithmetic.

use super::syntax::{Command, Script, SourceWord, Stage};
use super::words::Mode;
use super::{Scanner, Until, arithmetic, is_meta, is_name};
use crate::coverage::Gap;
use crate::span::At;

impl Scanner<'_> {
    /// The command that a reserved word opens; `None` if it opens none.
    pub(super) fn compound(&mut self, word: &str) -> Option<Command> {
        let start = self.at;
        let read = match word {
            "{" => Self::group,
            "if" => Self::condition,
            "while" | "until" => Self::while_loop,
            "for" | "select" => Self::for_loop,
            "case" => Self::case,
            "function" => Self::function,
            "coproc" => Self::coprocess,
            "[[" => Self::test,
            _ => return None,
        };
        self.at += word.len();
        let command = self.nested(|scanner| read(scanner, start)).flatten();
        // Not what it looked like: a program of that name.
        if command.is_none() && self.too_deep.is_none() {
            self.at = start;
        }
        command
    }

    /// `((…))` or `( … )`.
    pub(super) fn paren(&mut self) -> Option<Command> {
        let start = self.at;
        if self.look(1) == Some(b'(')
            && let Some(close) = self.arithmetic_end(start + 2)
            && !arithmetic::are_commands(self.slice(At::new(start + 2, close)))
        {
            let pieces = self.nested(|s| s.expanding(At::new(start + 2, close)))?;
            self.at = close + 2;
            return Some(Command::Arithmetic(pieces));
        }
        self.at += 1;
        // Many of them one in the other are as good as one.
        let mut more = 0;
        while self.peek() == Some(b'(') && self.run_of_parens() > MAX_PARENS {
            self.at += 1;
            more += 1;
        }
        let script = self.nested(|s| s.in_parens(start))?;
        for _ in 0..more {
            self.blanks();
            if self.peek() == Some(b')') {
                self.at += 1;
            }
        }
        Some(Command::Subshell(script))
    }

    /// How many parentheses are opened here, one behind the other; not counted to the end.
    fn run_of_parens(&self) -> usize {
        let rest = self.bytes.get(self.at..self.end).unwrap_or(&[]);
        let run = rest.iter().take(MAX_PARENS + 1);
        run.take_while(|&&b| b == b'(').count()
    }

    /// Commands up to `)`, the opener being at `start` and consumed.
    pub(super) fn in_parens(&mut self, start: usize) -> Script {
        let inner = self.at;
        // Words that close something outside mean nothing in here.
        let outer = std::mem::replace(&mut self.open, Until::END);
        let pending = std::mem::take(&mut self.pending);
        let script = self.list(Until::PAREN);
        self.open = outer;
        let late = std::mem::replace(&mut self.pending, pending);
        self.pending.extend(late);
        if self.peek() == Some(b')') {
            self.at += 1;
        } else {
            self.unclosed(Gap::Unclosed, start, inner);
        }
        script
    }

    fn group(&mut self, start: usize) -> Option<Command> {
        let script = self.list(Until::BRACE);
        self.expect("}", start);
        Some(Command::Group(script))
    }

    /// A group without the blank behind its brace.
    pub(super) fn tight_group(&mut self) -> Stage {
        let start = self.at;
        self.at += 1;
        let script = self.list(Until::BRACE);
        if self.peek() == Some(b'}') {
            self.at += 1;
        } else {
            self.fault(Gap::Unclosed, start);
        }
        Stage {
            at: At::new(start, self.at),
            command: Command::Group(script),
            redirects: Vec::new(),
        }
    }

    fn condition(&mut self, start: usize) -> Option<Command> {
        let mut branches = Vec::new();
        loop {
            let condition = self.list(Until::THEN);
            self.expect("then", start);
            let body = self.list(Until::FI);
            branches.push((Some(condition), body));
            match self.reserved() {
                Some("elif") => self.at += "elif".len(),
                Some("else") => {
                    self.at += "else".len();
                    branches.push((None, self.list(Until::FI)));
                    self.expect("fi", start);
                    break;
                }
                _ => {
                    self.expect("fi", start);
                    break;
                }
            }
        }
        Some(Command::If(branches))
    }

    fn while_loop(&mut self, start: usize) -> Option<Command> {
        let condition = self.list(Until::DO);
        self.expect("do", start);
        let body = self.list(Until::DONE);
        self.expect("done", start);
        Some(Command::Loop(condition, body))
    }

    fn for_loop(&mut self, start: usize) -> Option<Command> {
        self.blanks();
        if self.starts_with("((") {
            let close = self.arithmetic_end(self.at + 2)?;
            let head = self.expanding(At::new(self.at + 2, close));
            self.at = close + 2;
            self.gap();
            if self.peek() == Some(b';') {
                self.at += 1;
            }
            let body = self.loop_body(start)?;
            return Some(Command::ForArithmetic { head, body });
        }
        let name = self.plain_name();
        if name.start == name.end {
            return None;
        }
        self.gap();
        let mut words = None;
        if self.starts_with("in") && self.look(2).is_none_or(is_meta) {
            self.at += 2;
            words = Some(self.words_to_line_end());
        }
        self.gap();
        if self.peek() == Some(b';') {
            self.at += 1;
        }
        let body = self.loop_body(start)?;
        Some(Command::For { name, words, body })
    }

    fn words_to_line_end(&mut self) -> Vec<SourceWord> {
        let mut words = Vec::new();
        loop {
            self.blanks();
            match self.peek() {
                Some(b'<' | b'>') if self.look(1) == Some(b'(') => {}
                None | Some(b'#') => return words,
                Some(byte) if is_meta(byte) => return words,
                _ => {}
            }
            match self.word(Mode::Normal) {
                Some(word) => words.push(word),
                None => return words,
            }
        }
    }

    fn loop_body(&mut self, start: usize) -> Option<Script> {
        self.gap();
        match self.reserved() {
            Some("do") => {
                self.at += 2;
                let body = self.list(Until::DONE);
                self.expect("done", start);
                Some(body)
            }
            Some("{") => {
                self.at += 1;
                let body = self.list(Until::BRACE);
                self.expect("}", start);
                Some(body)
            }
            _ => {
                self.fault(Gap::Unexpected, self.at);
                Some(Script::default())
            }
        }
    }

    fn case(&mut self, start: usize) -> Option<Command> {
        self.blanks();
        let subject = self.word(Mode::Normal);
        self.gap();
        if self.starts_with("in") && self.look(2).is_none_or(is_meta) {
            self.at += 2;
        } else {
            self.fault(Gap::Unexpected, self.at);
        }
        let mut arms = Vec::new();
        loop {
            self.gap();
            match self.peek() {
                None => break,
                Some(b')') if self.open.has(Until::PAREN) => break,
                _ if self.reserved() == Some("esac") => break,
                _ => {}
            }
            let before = self.at;
            let patterns = self.patterns();
            let body = self.list(Until::ESAC);
            arms.push((patterns, body));
            if self.starts_with(";;&") {
                self.at += 3;
            } else if self.starts_with(";;") || self.starts_with(";&") {
                self.at += 2;
            }
            if self.at == before {
                break;
            }
        }
        self.expect("esac", start);
        Some(Command::Case { subject, arms })
    }

    /// `[(] a | b )`
    fn patterns(&mut self) -> Vec<SourceWord> {
        let mut patterns = Vec::new();
        if self.peek() == Some(b'(') {
            self.at += 1;
        }
        loop {
            self.blanks();
            match self.peek() {
                Some(b')') => {
                    self.at += 1;
                    break;
                }
                Some(b'|') => self.at += 1,
                Some(byte) if !is_meta(byte) => match self.word(Mode::Normal) {
                    Some(word) => patterns.push(word),
                    None => break,
                },
                _ => {
                    self.fault(Gap::Unexpected, self.at);
                    break;
                }
            }
        }
        patterns
    }

    fn function(&mut self, start: usize) -> Option<Command> {
        self.blanks();
        let name = self.word(Mode::Normal)?.at;
        self.blanks();
        if self.peek() == Some(b'(') {
            self.at += 1;
            self.blanks();
            if self.peek() == Some(b')') {
                self.at += 1;
            }
        }
        Some(self.function_body(start, name)?.command)
    }

    fn coprocess(&mut self, _start: usize) -> Option<Command> {
        self.blanks();
        let at = self.at;
        if self.reserved().is_none() {
            // `coproc NAME { … }`
            let name = self.plain_name();
            self.blanks();
            let compound = self.peek() == Some(b'(') || self.reserved().is_some();
            if name.start == name.end || !compound {
                self.at = at;
            }
        }
        Some(Command::Coprocess(Box::new(self.stage()?)))
    }

    fn test(&mut self, start: usize) -> Option<Command> {
        let inner = self.at;
        let mut words = Vec::new();
        loop {
            while matches!(self.peek(), Some(b' ' | b'\t' | b'\n')) || self.starts_with("\\\n") {
                self.at += if self.peek() == Some(b'\\') { 2 } else { 1 };
            }
            if self.peek().is_none() {
                self.unclosed(Gap::Unclosed, start, inner);
                break;
            }
            if self.starts_with("]]") && self.look(2).is_none_or(is_meta) {
                self.at += 2;
                break;
            }
            match self.word(Mode::Test) {
                Some(word) => words.push(word),
                None => break,
            }
        }
        Some(Command::Test(words))
    }

    fn plain_name(&mut self) -> At {
        let rest = self.bytes.get(self.at..self.end).unwrap_or(&[]);
        let length = rest.iter().take_while(|&&b| is_name(b)).count();
        let name = At::new(self.at, self.at + length);
        self.at = name.end;
        name
    }

    /// Consumes the word that has to stand here.
    fn expect(&mut self, word: &str, start: usize) {
        if self.reserved() == Some(word) {
            self.at += word.len();
        } else {
            self.fault(Gap::Unclosed, start);
        }
    }
}

/// Parentheses that are read one in the other.
const MAX_PARENS: usize = 16;
