//! Lines of PowerShell: pipes, `;`, blocks, backtick escapes, strings, `-Param:value`.

mod statement;

use super::{Line, RawWord};
use crate::invocation::{Redirect, RedirectOperator};
use crate::span::{At, SpanMap};
use crate::walk::{Out, Scene, Walker};
use crate::word::Word;

impl Walker<'_> {
    pub(crate) fn powershell_text(&mut self, text: &str, map: &SpanMap, scene: &Scene) -> Out {
        let mut scanner = Scanner {
            text,
            at: 0,
            words: Vec::new(),
            word: None,
            target: None,
            redirects: Vec::new(),
            called: false,
            inner: Vec::new(),
            map,
        };
        let mut start = 0;
        let mut piped = false;
        loop {
            let separator = scanner.next_separator(self.env);
            let mut words = std::mem::take(&mut scanner.words);
            // `iex ('a' + 'b')`: what is run is calculated.
            if separator == Some('(')
                && let [only] = words.as_slice()
                && !only.quoted
                && cmdlet(&only.text) == Some("Invoke-Expression")
            {
                words.push(RawWord {
                    start: scanner.at,
                    end: scanner.at,
                    holes: vec![(0, "()".to_owned())],
                    ..RawWord::default()
                });
            }
            let words = statement::command_of(
                words,
                text,
                std::mem::take(&mut scanner.called),
                separator.map(|separator| (separator, scanner.at)),
            );
            let redirects = std::mem::take(&mut scanner.redirects);
            if !words.is_empty() {
                let end = scanner.at.min(text.len());
                let (place, piped_from) =
                    self.windows_stage(piped, map.original(At::new(start, end)));
                let line = Line {
                    map,
                    text,
                    place,
                    piped_from,
                    redirects,
                };
                let at = words.first().map_or(start, |w| w.start);
                self.windows_command(words, At::new(at, end), &line, scene);
                self.windows_stage_ends();
            }
            for at in std::mem::take(&mut scanner.inner) {
                self.deeper(map.original(at), |walker| {
                    walker.script_text(at.of(text), &map.part(at), scene)
                });
            }
            match separator {
                None => break,
                Some(separator) => {
                    piped = separator == '|';
                    scanner.at += separator.len_utf8();
                    if piped && text.get(scanner.at..).unwrap_or("").starts_with('|') {
                        scanner.at += 1;
                        piped = false;
                    }
                    start = scanner.at;
                }
            }
            if self.stopped() {
                break;
            }
        }
        Out::Unknown
    }
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
    words: Vec<RawWord>,
    word: Option<RawWord>,
    target: Option<(RedirectOperator, usize)>,
    redirects: Vec<Redirect>,
    /// `&` stands in front.
    called: bool,
    /// Sub-expressions in strings.
    inner: Vec<At>,
    map: &'t SpanMap,
}

impl Scanner<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn current(&mut self) -> &mut RawWord {
        let at = self.at;
        self.word.get_or_insert_with(|| RawWord {
            start: at,
            end: at,
            ..RawWord::default()
        })
    }

    fn add(&mut self, c: char, length: usize, quoted: bool) {
        let end = self.at + length;
        let word = self.current();
        word.text.push(c);
        word.end = end;
        if quoted {
            word.quoted = true;
        } else {
            word.unquoted = true;
        }
        self.at = end;
    }

    fn finish(&mut self) {
        let Some(word) = self.word.take() else { return };
        match self.target.take() {
            Some((operator, start)) => {
                let span = self.map.original(At::new(start, word.end));
                let target =
                    Word::made(word.text, self.map.original(At::new(word.start, word.end)));
                self.redirects.push(Redirect {
                    operator,
                    descriptor: 1,
                    target: Some(target),
                    span,
                });
            }
            None => self.words.push(word),
        }
    }

    /// Reads words up to what separates commands, which is not consumed.
    fn next_separator(&mut self, env: &crate::environment::AnalysisEnv) -> Option<char> {
        while let Some(c) = self.rest().chars().next() {
            match c {
                ' ' | '\t' | ',' => {
                    self.finish();
                    self.at += 1;
                }
                ';' | '\n' | '|' | '{' | '}' | '(' | ')' => {
                    self.finish();
                    return Some(c);
                }
                '&' => {
                    self.finish();
                    // The call operator in front of a command; else a separator.
                    if self.words.is_empty() && !self.rest().starts_with("&&") {
                        self.at += 1;
                        self.called = true;
                    } else {
                        return Some(c);
                    }
                }
                '#' if self.word.is_none() => {
                    self.at += self.rest().find('\n').unwrap_or(self.rest().len());
                }
                '`' => {
                    let escaped = self.rest().chars().nth(1);
                    match escaped {
                        Some('\n') => {
                            self.at += 2;
                        }
                        Some(e) => {
                            let length = 1 + e.len_utf8();
                            self.add(e, length, false);
                        }
                        None => self.at += 1,
                    }
                }
                '\'' => self.single(),
                '"' => self.double(env),
                '$' => self.variable(env, false),
                '>' => {
                    self.finish();
                    let append = self.rest().starts_with(">>");
                    let operator = if append {
                        RedirectOperator::Append
                    } else {
                        RedirectOperator::Output
                    };
                    self.target = Some((operator, self.at));
                    self.at += if append { 2 } else { 1 };
                }
                // `-Param:value` is two words for the rules.
                ':' if self
                    .word
                    .as_ref()
                    .is_some_and(|w| w.text.starts_with('-') && !w.quoted) =>
                {
                    self.at += 1;
                    self.finish();
                }
                _ => self.add(c, c.len_utf8(), false),
            }
        }
        self.finish();
        None
    }

    fn single(&mut self) {
        self.current().quoted = true;
        self.at += 1;
        while let Some(c) = self.rest().chars().next() {
            if c == '\'' {
                if self.rest().starts_with("''") {
                    self.add('\'', 2, true);
                    continue;
                }
                self.at += 1;
                break;
            }
            self.add(c, c.len_utf8(), true);
        }
        let end = self.at;
        self.current().end = end;
    }

    fn double(&mut self, env: &crate::environment::AnalysisEnv) {
        self.current().quoted = true;
        self.at += 1;
        while let Some(c) = self.rest().chars().next() {
            match c {
                '"' if self.rest().starts_with("\"\"") => self.add('"', 2, true),
                '"' => {
                    self.at += 1;
                    break;
                }
                '`' => match self.rest().chars().nth(1) {
                    Some(e) => self.add(e, 1 + e.len_utf8(), true),
                    None => self.at += 1,
                },
                '$' if self.rest().starts_with("$(") => self.sub_expression(),
                '$' => self.variable(env, true),
                _ => self.add(c, c.len_utf8(), true),
            }
        }
        let end = self.at;
        self.current().end = end;
    }

    /// `$( … )` in a string: a script of its own.
    fn sub_expression(&mut self) {
        let start = self.at + 2;
        let length = statement::closing(self.text.get(start..).unwrap_or(""));
        self.inner.push(At::new(start, start + length));
        self.at = (start + length + 1).min(self.text.len());
        let end = self.at;
        let word = self.current();
        let at = word.text.len();
        word.holes.push((at, "()".to_owned()));
        word.end = end;
    }

    fn variable(&mut self, env: &crate::environment::AnalysisEnv, quoted: bool) {
        let rest = self.rest().get(1..).unwrap_or("");
        let length = rest
            .bytes()
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b':'))
            .count();
        // `${env:ProgramFiles(x86)}`
        let braced = rest.strip_prefix('{').and_then(|r| r.find('}'));
        let (name, length) = match braced {
            Some(end) => (rest.get(1..=end).unwrap_or(""), end + 2),
            None => (rest.get(..length).unwrap_or(""), length),
        };
        let name = name.to_owned();
        if length == 0 {
            self.add('$', 1, quoted);
            return;
        }
        let plain = name.rsplit(':').next().unwrap_or(&name);
        let value = match plain {
            "HOME" | "USERPROFILE" | "home" => Some(env.user_home.clone()),
            _ => env.variable(plain).map(str::to_owned),
        };
        let end = self.at + 1 + length;
        let word = self.current();
        match value {
            Some(value) => word.text.push_str(&value),
            None => {
                let at = word.text.len();
                word.holes.push((at, name));
            }
        }
        word.end = end;
        word.unquoted |= !quoted;
        self.at = end;
    }
}

/// The cmdlet that an alias stands for, or the name itself in the spelling it has in the table.
pub fn cmdlet(name: &str) -> Option<&'static str> {
    ALIASES
        .iter()
        .find(|(alias, cmdlet)| {
            alias.eq_ignore_ascii_case(name) || cmdlet.eq_ignore_ascii_case(name)
        })
        .map(|&(_, cmdlet)| cmdlet)
}

/// Alias and cmdlet.
const ALIASES: &[(&str, &str)] = &[
    ("ri", "Remove-Item"),
    ("rm", "Remove-Item"),
    ("del", "Remove-Item"),
    ("erase", "Remove-Item"),
    ("rd", "Remove-Item"),
    ("rmdir", "Remove-Item"),
    ("iex", "Invoke-Expression"),
    ("iwr", "Invoke-WebRequest"),
    ("curl", "Invoke-WebRequest"),
    ("wget", "Invoke-WebRequest"),
    ("irm", "Invoke-RestMethod"),
    ("icm", "Invoke-Command"),
    ("saps", "Start-Process"),
    ("start", "Start-Process"),
    ("spps", "Stop-Process"),
    ("kill", "Stop-Process"),
    ("spsv", "Stop-Service"),
    ("sasv", "Start-Service"),
    ("sc", "Set-Content"),
    ("ac", "Add-Content"),
    ("clc", "Clear-Content"),
    ("gc", "Get-Content"),
    ("cat", "Get-Content"),
    ("type", "Get-Content"),
    ("gci", "Get-ChildItem"),
    ("ls", "Get-ChildItem"),
    ("dir", "Get-ChildItem"),
    ("cp", "Copy-Item"),
    ("copy", "Copy-Item"),
    ("cpi", "Copy-Item"),
    ("mv", "Move-Item"),
    ("move", "Move-Item"),
    ("mi", "Move-Item"),
    ("ren", "Rename-Item"),
    ("rni", "Rename-Item"),
    ("ni", "New-Item"),
    ("md", "mkdir"),
    ("rp", "Remove-ItemProperty"),
    ("sp", "Set-ItemProperty"),
    ("cli", "Clear-Item"),
    ("echo", "Write-Output"),
    ("write", "Write-Output"),
    ("ps", "Get-Process"),
    ("gps", "Get-Process"),
    ("gsv", "Get-Service"),
    ("gi", "Get-Item"),
    ("si", "Set-Item"),
    ("sv", "Set-Variable"),
    ("sal", "Set-Alias"),
    ("cd", "Set-Location"),
    ("sl", "Set-Location"),
    ("pwd", "Get-Location"),
    ("cls", "Clear-Host"),
    ("sleep", "Start-Sleep"),
    ("tee", "Tee-Object"),
    ("select", "Select-Object"),
    ("where", "Where-Object"),
    ("?", "Where-Object"),
    ("%", "ForEach-Object"),
    ("foreach", "ForEach-Object"),
    ("sort", "Sort-Object"),
    ("measure", "Measure-Object"),
    ("ft", "Format-Table"),
    ("fl", "Format-List"),
    ("ipmo", "Import-Module"),
];
