//! A bounded, total scanner for the grammar of bash: text in, [`syntax::Script`] out.
//!
//! One pass; every construct is read once, where it stands. What a shell would refuse is noted as
//! a fault and read as well as can be, so that a slip in the text doesn't hide what comes after.

mod arithmetic;
mod blanks;
mod commands;
mod compound;
mod here;
mod parameter;
pub(crate) mod syntax;
mod words;

use crate::coverage::Gap;
use crate::span::At;
use syntax::{Fault, HereBody, Script};

/// The result of a scan.
pub(crate) struct Scanned {
    pub(crate) script: Script,
    pub(crate) heres: Vec<HereBody>,
    pub(crate) faults: Vec<Fault>,
    /// Where the nesting got too deep; nothing behind it was read.
    pub(crate) too_deep: Option<usize>,
    /// Where there were too many commands or words; nothing behind it was read.
    pub(crate) too_many: Option<usize>,
    /// Places after an opener that is never closed. Read as commands of their own, they show what
    /// would run if the opener were not there.
    pub(crate) salvage: Vec<Salvage>,
}

/// Where to read on after an opener that is never closed, and what to take for plain characters.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Salvage {
    pub(crate) at: usize,
    pub(crate) plain: Plain,
}

/// Quotes that are characters like any other, since they have no partner.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Plain {
    pub(crate) single: bool,
    pub(crate) double: bool,
    pub(crate) backtick: bool,
}

/// Scans `text[from..]`. `depth` is how much nesting is still allowed.
pub(crate) fn scan(text: &str, from: usize, plain: Plain, depth: u32) -> Scanned {
    let mut scanner = Scanner::new(text, from, plain, depth);
    let script = scanner.list(Until::END);
    scanner.here_bodies();
    Scanned {
        script,
        heres: scanner.heres,
        faults: scanner.faults,
        too_deep: scanner.too_deep,
        too_many: scanner.too_many,
        salvage: scanner.salvage,
    }
}

/// What ends a list of commands.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Until(u16);

impl Until {
    const END: Self = Self(0);
    const THEN: Self = Self(1);
    /// `elif`, `else`, `fi`
    const FI: Self = Self(2);
    const DO: Self = Self(4);
    const DONE: Self = Self(8);
    const ESAC: Self = Self(16);
    const BRACE: Self = Self(32);
    const PAREN: Self = Self(64);

    fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

struct Scanner<'s> {
    text: &'s str,
    bytes: &'s [u8],
    at: usize,
    end: usize,
    depth: u32,
    /// What closes the constructs that are open here.
    open: Until,
    heres: Vec<HereBody>,
    /// Here-documents whose body has not been read: index, delimiter.
    pending: Vec<(usize, String)>,
    faults: Vec<Fault>,
    too_deep: Option<usize>,
    too_many: Option<usize>,
    commands: usize,
    pieces: usize,
    salvage: Vec<Salvage>,
    plain: Plain,
    /// There is no `))` ahead.
    no_arithmetic: bool,
}

impl<'s> Scanner<'s> {
    fn new(text: &'s str, from: usize, plain: Plain, depth: u32) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: from,
            end: text.len(),
            depth,
            open: Until::END,
            heres: Vec::new(),
            pending: Vec::new(),
            faults: Vec::new(),
            too_deep: None,
            too_many: None,
            commands: 0,
            pieces: 0,
            salvage: Vec::new(),
            plain,
            no_arithmetic: false,
        }
    }

    fn peek(&self) -> Option<u8> {
        self.look(0)
    }

    fn look(&self, ahead: usize) -> Option<u8> {
        let at = self.at + ahead;
        if at < self.end {
            self.bytes.get(at).copied()
        } else {
            None
        }
    }

    fn starts_with(&self, what: &str) -> bool {
        self.bytes
            .get(self.at..self.end)
            .is_some_and(|rest| rest.starts_with(what.as_bytes()))
    }

    fn slice(&self, at: At) -> &'s str {
        at.of(self.text)
    }

    /// Steps over one character.
    fn step(&mut self) {
        let rest = self.text.get(self.at..self.end).unwrap_or("");
        self.at += rest.chars().next().map_or(1, char::len_utf8);
    }

    fn fault(&mut self, kind: Gap, at: usize) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(Fault { kind, at });
        }
    }

    /// Counts a command; ends the scan if there are too many.
    fn count_command(&mut self) {
        self.commands += 1;
        if self.commands > MAX_COMMANDS {
            self.give_up();
        }
    }

    /// Counts a piece of a word; ends the scan if there are too many.
    fn count_piece(&mut self) {
        self.pieces += 1;
        if self.pieces > MAX_PIECES {
            self.give_up();
        }
    }

    fn give_up(&mut self) {
        self.too_many.get_or_insert(self.at);
        self.end = self.at;
    }

    /// An opener at `at` that is never closed; `inner` is the place behind it.
    fn unclosed(&mut self, kind: Gap, at: usize, inner: usize) {
        self.fault(kind, at);
        if self.too_many.is_some() || self.too_deep.is_some() {
            return;
        }
        let mut plain = self.plain;
        match (kind, self.bytes.get(inner.saturating_sub(1))) {
            (Gap::UnclosedQuote, Some(b'\'')) => plain.single = true,
            (Gap::UnclosedQuote, _) => plain.double = true,
            (Gap::UnclosedBacktick, _) => plain.backtick = true,
            _ => {}
        }
        // The outermost opener is noted last and swallowed the most.
        self.salvage.clear();
        self.salvage.push(Salvage { at: inner, plain });
    }

    /// Runs a nested reader; `None` (and the end of the scan) if that is too deep.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth == 0 {
            self.too_deep.get_or_insert(self.at);
            self.end = self.at;
            return None;
        }
        self.depth -= 1;
        let read = read(self);
        self.depth += 1;
        Some(read)
    }
}

const MAX_FAULTS: usize = 8;
/// More commands than anybody writes on a line: Linux refuses an argument of more than 128 KiB, so
/// no longer text reaches a shell by `-c`. Together with the next two this is what bounds the time that a
/// text takes: each command and each piece of a word costs microseconds.
const MAX_COMMANDS: usize = 8_000;
/// Words of one command, redirections and assignments with them.
const MAX_WORDS: usize = 8 * 1024;
/// Pieces of words, in all commands together.
const MAX_PIECES: usize = 32 * 1024;

/// Bytes that end a word.
fn is_meta(b: u8) -> bool {
    matches!(
        b,
        b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')'
    )
}

fn is_name_start(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_'
}

fn is_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}
