//! Lists, pipelines and simple commands.

use super::syntax::{
    Command, Descriptor, Item, RawAssignment, RawRedirect, RawTarget, RawValue, Script, Simple,
    SourceWord, Stage, Subscript,
};
use super::words::Mode;
use super::{MAX_WORDS, Scanner, Until, is_meta, is_name, is_name_start};
use crate::coverage::Gap;
use crate::invocation::RedirectOperator;
use crate::span::At;

impl<'s> Scanner<'s> {
    /// Commands up to what closes them, which is not consumed.
    pub(super) fn list(&mut self, until: Until) -> Script {
        let outer = self.open;
        self.open = self.open.and(until);
        let mut script = Script::default();
        let mut conditional = false;
        // First item of the current `a && b || c`, for a `&` behind it.
        let mut chain = 0;
        loop {
            self.gap();
            let Some(byte) = self.peek() else { break };
            match byte {
                b')' if self.open.has(Until::PAREN) => break,
                b';' if matches!(self.look(1), Some(b';' | b'&')) && self.open.has(Until::ESAC) => {
                    break;
                }
                b')' | b';' | b'&' | b'|' if !self.starts_with("&>") => {
                    self.fault(Gap::Unexpected, self.at);
                    self.at += 1;
                    continue;
                }
                _ => {}
            }
            if let Some(closer) = self.reserved().and_then(closes) {
                if self.open.has(closer) {
                    break;
                }
                self.fault(Gap::Unexpected, self.at);
                self.at += self.reserved().map_or(1, str::len);
                continue;
            }
            let before = self.at;
            let item = self.pipeline(conditional);
            if !item.stages.is_empty() {
                script.items.push(item);
            }
            self.blanks();
            conditional = false;
            if self.starts_with("&&") || self.starts_with("||") {
                self.at += 2;
                conditional = true;
                continue;
            }
            match self.peek() {
                Some(b';') if !matches!(self.look(1), Some(b';' | b'&')) => self.at += 1,
                Some(b'&') if self.look(1) != Some(b'>') => {
                    self.at += 1;
                    script
                        .items
                        .iter_mut()
                        .skip(chain)
                        .for_each(|item| item.background = true);
                }
                _ => {}
            }
            chain = script.items.len();
            if self.at == before {
                self.fault(Gap::Unexpected, self.at);
                self.step();
            }
        }
        self.open = outer;
        script
    }

    fn pipeline(&mut self, conditional: bool) -> Item {
        let mut item = Item {
            stages: Vec::new(),
            negated: false,
            background: false,
            conditional,
        };
        loop {
            self.gap();
            match self.reserved() {
                Some("!") => {
                    item.negated = !item.negated;
                    self.at += 1;
                    continue;
                }
                Some("time") if self.keyword_time() => continue,
                Some(word) if closes(word).is_some() => break,
                _ => {}
            }
            let Some(stage) = self.stage() else { break };
            item.stages.push(stage);
            self.blanks();
            if self.starts_with("|&") {
                self.at += 2;
            } else if self.peek() == Some(b'|') && self.look(1) != Some(b'|') {
                self.at += 1;
            } else {
                break;
            }
        }
        item
    }

    /// `time` in front of a compound command is a keyword; in front of a program it is left to the
    /// table of wrappers.
    fn keyword_time(&mut self) -> bool {
        let start = self.at;
        self.at += "time".len();
        self.blanks();
        if self.starts_with("-p") && self.look(2).is_none_or(is_meta) {
            self.at += 2;
            self.blanks();
        }
        let compound = self.peek() == Some(b'(') || self.reserved().is_some_and(|w| w != "time");
        if !compound {
            self.at = start;
        }
        compound
    }

    /// One command with its redirections.
    pub(super) fn stage(&mut self) -> Option<Stage> {
        let start = self.at;
        let compound = match self.peek()? {
            b'(' => self.paren(),
            _ => match self.reserved() {
                Some(word) => self.compound(word),
                None => None,
            },
        };
        let Some(command) = compound else {
            return self.simple(start);
        };
        let mut redirects = Vec::new();
        loop {
            self.blanks();
            match self.redirect() {
                Some(redirect) => redirects.push(redirect),
                None => break,
            }
        }
        Some(Stage {
            at: At::new(start, self.at),
            command,
            redirects,
        })
    }

    fn simple(&mut self, start: usize) -> Option<Stage> {
        let mut simple = Simple::default();
        let mut redirects = Vec::new();
        let mut end = start;
        loop {
            self.blanks();
            if simple.words.len() + simple.assignments.len() + redirects.len() > MAX_WORDS {
                self.give_up();
                break;
            }
            if let Some(redirect) = self.redirect() {
                redirects.push(redirect);
                end = self.at;
                continue;
            }
            match self.peek() {
                None | Some(b'\n') => break,
                Some(b'#') => {
                    self.comment();
                    break;
                }
                Some(b'(') => {
                    if let Some(function) = self.function_after(&simple, start) {
                        return Some(function);
                    }
                    break;
                }
                Some(b'<' | b'>') if self.look(1) == Some(b'(') => {}
                Some(byte) if is_meta(byte) => break,
                _ => {}
            }
            // Assignments may follow `export` and the like as well.
            if (simple.words.is_empty() || self.after_declaration(&simple))
                && let Some(assignment) = self.assignment()
            {
                simple.assignments.push(assignment);
            } else if let Some(word) = self.word(Mode::Normal) {
                simple.words.push(word);
            } else {
                break;
            }
            end = self.at;
        }
        if simple.words.is_empty() && simple.assignments.is_empty() && redirects.is_empty() {
            return None;
        }
        self.count_command();
        Some(Stage {
            at: At::new(start, end),
            command: Command::Simple(simple),
            redirects,
        })
    }

    fn after_declaration(&self, simple: &Simple) -> bool {
        simple.words.first().is_some_and(|first| {
            matches!(
                self.slice(first.at),
                "export" | "declare" | "typeset" | "local" | "readonly"
            )
        })
    }

    /// `name () …`
    fn function_after(&mut self, simple: &Simple, start: usize) -> Option<Stage> {
        let [name] = simple.words.as_slice() else {
            return None;
        };
        if !simple.assignments.is_empty() {
            return None;
        }
        let paren = self.at;
        self.at += 1;
        self.blanks();
        if self.peek() != Some(b')') {
            self.at = paren;
            return None;
        }
        self.at += 1;
        self.function_body(start, name.at)
    }

    pub(super) fn function_body(&mut self, start: usize, name: At) -> Option<Stage> {
        self.gap();
        let body_start = self.at;
        let body = if self.peek() == Some(b'{') && self.reserved().is_none() {
            // `f(){echo;}`: zsh takes it, bash doesn't.
            self.nested(Self::tight_group)
        } else {
            self.nested(Self::stage).flatten()
        };
        let Some(body) = body else {
            self.fault(Gap::Unexpected, body_start);
            return None;
        };
        let body_at = body.at;
        Some(Stage {
            at: At::new(start, self.at),
            command: Command::Function {
                name,
                body: Box::new(body),
                body_at,
            },
            redirects: Vec::new(),
        })
    }

    /// `name=value`, `name+=value`, `name[i]=value`, `name=( … )`.
    fn assignment(&mut self) -> Option<RawAssignment> {
        let start = self.at;
        let bytes = self.bytes.get(start..self.end).unwrap_or(&[]);
        if !bytes.first().copied().is_some_and(is_name_start) {
            return None;
        }
        let name_len = bytes.iter().take_while(|&&b| is_name(b)).count();
        let mut after = start + name_len;
        let mut subscript = None;
        if self.bytes.get(after) == Some(&b'[') {
            let close = self.subscript_end(after + 1)?;
            subscript = Some(At::new(after + 1, close));
            after = close + 1;
        }
        let append =
            self.bytes.get(after) == Some(&b'+') && self.bytes.get(after + 1) == Some(&b'=');
        let equals = after + usize::from(append);
        if equals >= self.end || self.bytes.get(equals) != Some(&b'=') {
            return None;
        }
        let subscript = subscript.map(|at| self.subscript(at));
        self.at = equals + 1;
        let value = if self.peek() == Some(b'(') {
            RawValue::Array(self.array())
        } else {
            let at = At::new(self.at, self.at);
            let word = self.word(Mode::Normal);
            RawValue::Scalar(word.unwrap_or(SourceWord {
                at,
                pieces: Vec::new(),
            }))
        };
        Some(RawAssignment {
            at: At::new(start, self.at),
            name: At::new(start, start + name_len),
            subscript,
            append,
            value,
        })
    }

    /// Where the bracket is closed that was opened in front of a place; none if that is far away.
    pub(super) fn subscript_end(&self, from: usize) -> Option<usize> {
        let rest = self.bytes.get(from..self.end).unwrap_or(&[]);
        let mut open = 0_usize;
        let mut escaped = false;
        for (i, &byte) in rest.iter().take(MAX_SUBSCRIPT).enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'[' | b'(' | b'{' => open += 1,
                b']' | b')' | b'}' if open > 0 => open -= 1,
                b']' => return Some(from + i),
                b'\n' if open == 0 => return None,
                _ => {}
            }
        }
        None
    }

    /// A subscript that stands here; the scanner stays where it is.
    pub(super) fn subscript(&mut self, at: At) -> Subscript {
        let pieces = if self.slice(at).contains(['$', '`']) {
            self.nested(|s| s.expanding(at)).unwrap_or_default()
        } else {
            Vec::new()
        };
        Subscript { at, pieces }
    }

    fn array(&mut self) -> Vec<SourceWord> {
        let open = self.at;
        self.at += 1;
        let mut words = Vec::new();
        loop {
            self.gap();
            match self.peek() {
                None => {
                    self.unclosed(Gap::Unclosed, open, open + 1);
                    break;
                }
                Some(b')') => {
                    self.at += 1;
                    break;
                }
                Some(b'<' | b'>') if self.look(1) == Some(b'(') => {
                    words.extend(self.word(Mode::Normal))
                }
                Some(byte) if is_meta(byte) => {
                    self.fault(Gap::Unexpected, self.at);
                    self.at += 1;
                }
                _ => words.extend(self.word(Mode::Normal)),
            }
        }
        words
    }

    /// A redirection, if one starts here.
    pub(super) fn redirect(&mut self) -> Option<RawRedirect> {
        let start = self.at;
        let mut descriptor = Descriptor::Implied;
        let bytes = self.bytes.get(start..self.end).unwrap_or(&[]);
        let mut head = 0;
        match bytes.first()? {
            b'0'..=b'9' => {
                head = bytes
                    .iter()
                    .take(MAX_DIGITS)
                    .take_while(|b| b.is_ascii_digit())
                    .count();
                let number = self.slice(At::new(start, start + head)).parse();
                descriptor = Descriptor::Number(number.unwrap_or(u32::MAX));
            }
            b'{' => {
                let name = bytes
                    .iter()
                    .skip(1)
                    .take(MAX_SUBSCRIPT)
                    .take_while(|&&b| is_name(b))
                    .count();
                if name == 0 || bytes.get(name + 1) != Some(&b'}') {
                    return None;
                }
                head = name + 2;
                descriptor = Descriptor::Named;
            }
            b'<' | b'>' | b'&' => {}
            _ => return None,
        }
        let rest = bytes.get(head..).unwrap_or(&[]);
        if matches!(rest, [b'<' | b'>', b'(', ..]) {
            return None;
        }
        let (operator, length) = operator(rest)?;
        if head > 0
            && matches!(
                operator,
                RedirectOperator::Both | RedirectOperator::BothAppend
            )
        {
            return None;
        }
        self.count_piece();
        self.at = (start + head + length).min(self.end);
        self.blanks();
        let substitution = matches!(self.peek(), Some(b'<' | b'>')) && self.look(1) == Some(b'(');
        let target = if !substitution && self.peek().is_none_or(is_meta) {
            self.fault(Gap::Unexpected, start);
            RawTarget::Missing
        } else {
            match self.word(Mode::Normal) {
                Some(word)
                    if matches!(
                        operator,
                        RedirectOperator::Here | RedirectOperator::HereStripped
                    ) =>
                {
                    let stripped = operator == RedirectOperator::HereStripped;
                    RawTarget::Here(self.here_document(&word, stripped))
                }
                Some(word) => RawTarget::Word(word),
                None => RawTarget::Missing,
            }
        };
        Some(RawRedirect {
            at: At::new(start, self.at),
            descriptor,
            operator,
            target,
        })
    }

    /// A reserved word that stands here.
    pub(super) fn reserved(&self) -> Option<&'s str> {
        let first = self.peek()?;
        if !matches!(first, b'!' | b'[' | b'{' | b'}' | b'a'..=b'z') {
            return None;
        }
        let bytes = self.bytes.get(self.at..self.end).unwrap_or(&[]);
        let length = bytes
            .iter()
            .take(LONGEST_RESERVED + 1)
            .take_while(|&&b| !is_meta(b))
            .count();
        let word = self.slice(At::new(self.at, self.at + length));
        RESERVED.contains(&word).then_some(word)
    }
}

/// What a closing reserved word closes.
pub(super) fn closes(word: &str) -> Option<Until> {
    Some(match word {
        "then" => Until::THEN,
        "elif" | "else" | "fi" => Until::FI,
        "do" => Until::DO,
        "done" => Until::DONE,
        "esac" => Until::ESAC,
        "}" => Until::BRACE,
        _ => return None,
    })
}

fn operator(bytes: &[u8]) -> Option<(RedirectOperator, usize)> {
    OPERATORS
        .iter()
        .find(|(text, _)| bytes.starts_with(text.as_bytes()))
        .map(|&(text, op)| (op, text.len()))
}

/// Longest first.
const OPERATORS: &[(&str, RedirectOperator)] = &[
    ("<<<", RedirectOperator::HereString),
    ("<<-", RedirectOperator::HereStripped),
    ("&>>", RedirectOperator::BothAppend),
    ("<<", RedirectOperator::Here),
    ("<&", RedirectOperator::DuplicateInput),
    ("<>", RedirectOperator::ReadWrite),
    (">>", RedirectOperator::Append),
    (">&", RedirectOperator::DuplicateOutput),
    (">|", RedirectOperator::Clobber),
    ("&>", RedirectOperator::Both),
    ("<", RedirectOperator::Input),
    (">", RedirectOperator::Output),
];

const RESERVED: &[&str] = &[
    "!", "[[", "{", "}", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for",
    "function", "if", "select", "then", "time", "until", "while",
];

const LONGEST_RESERVED: usize = 8;
/// Longest name or subscript that is looked for ahead.
const MAX_SUBSCRIPT: usize = 256;
const MAX_DIGITS: usize = 10;
