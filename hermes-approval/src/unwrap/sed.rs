//! Scripts of sed: of its commands only `e`, which runs a text, is of interest.

use super::strings::MAX_LINES;
use crate::coverage::Gap;
use crate::grammar::{self, Order, UNKNOWN_TOOL};
use crate::invocation::{Args, InvocationId};
use crate::walk::{Scene, Walker};
use crate::word::Word;

/// What a script runs.
#[derive(Debug, Default, PartialEq, Eq)]
struct Runs {
    /// `e cmd`
    commands: Vec<String>,
    /// What `s` puts into the text, as far as it is literal.
    put_in: Vec<String>,
    /// `e` alone, or as a flag of `s`: the text itself is run.
    text: bool,
}

impl Walker<'_> {
    /// `sed 's/…/…/e'`, `sed '1e cmd'`, `sed 's/…/…/;e'`
    pub(super) fn sed(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        let grammar = grammar::grammar("sed").unwrap_or(&UNKNOWN_TOOL);
        let read = grammar::read(super::arguments(argv), grammar, Order::Anywhere);
        let span = self.span_of(id);
        let values = |short, long: &'static str| {
            let options = read.options.iter().filter(move |o| o.is(short, long));
            options.filter_map(|o| o.value)
        };
        let mut scripts: Vec<Word> = values('e', "expression")
            .map(|v| super::value_word(v, span))
            .collect();
        let files: Vec<Word> = values('f', "file")
            .map(|v| super::value_word(v, span))
            .collect();
        if scripts.is_empty() && files.is_empty() {
            scripts.extend(read.operands.first().map(|w| (*w).clone()));
        }
        for file in files.iter().take(MAX_FILES) {
            if let Some((text, span)) = self.given_text(id, file) {
                scripts.push(Word::made(text, span));
            }
        }
        // Most scripts have no `e` where a command could be.
        scripts.retain(|script| script.text.contains('e'));
        for script in scripts {
            if !self.spend(script.text.len()) {
                return;
            }
            let runs = read_script(&script.text);
            for command in runs.commands {
                let command = Word::made(command, script.span);
                self.evaluated(id, name, &command, scene);
            }
            if !runs.text {
                continue;
            }
            self.found.coverage.hole(Gap::DynamicCode, script.span);
            let mut texts = runs.put_in;
            if let Some(input) = self.input_text(id) {
                texts.extend(input.lines().take(MAX_LINES).map(str::to_owned));
            }
            for text in texts {
                let text = Word::made(text, script.span);
                self.evaluated(id, name, &text, scene);
            }
        }
    }
}

const MAX_FILES: usize = 4;

/// Goes through the commands of a script.
fn read_script(script: &str) -> Runs {
    let mut runs = Runs::default();
    let mut rest = script;
    while runs.commands.len() + runs.put_in.len() < MAX_LINES {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ';' | '{' | '}'));
        rest = behind_address(rest);
        let Some(command) = rest.chars().next() else {
            break;
        };
        rest = rest.get(command.len_utf8()..).unwrap_or("");
        match command {
            'e' => {
                let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
                let line = line.trim();
                if line.is_empty() || line.starts_with([';', '}']) {
                    runs.text = true;
                } else {
                    runs.commands.push(line.to_owned());
                    rest = after;
                }
            }
            's' | 'y' => {
                let Some(delimiter) = rest.chars().next() else {
                    break;
                };
                rest = rest.get(delimiter.len_utf8()..).unwrap_or("");
                rest = part(rest, delimiter, command == 's').1;
                let (put_in, after) = part(rest, delimiter, false);
                rest = after;
                if command == 's' {
                    let letter = |c: char| c.is_ascii_alphanumeric();
                    let end = rest.find(|c| !letter(c)).unwrap_or(rest.len());
                    let (flags, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
                    let writes = flags.find('w').unwrap_or(flags.len());
                    runs.text |= flags.get(..writes).is_some_and(|f| f.contains('e'));
                    runs.put_in.push(literal(put_in, delimiter));
                    rest = match writes < flags.len() {
                        true => behind_line(after),
                        false => after,
                    };
                }
            }
            // Texts, files, labels: up to the end of the line.
            'a' | 'i' | 'c' | 'r' | 'R' | 'w' | 'W' | '#' => rest = behind_text(rest),
            'b' | 't' | 'T' | ':' => {
                let end = rest.find(['\n', ';', '}']).unwrap_or(rest.len());
                rest = rest.get(end..).unwrap_or("");
            }
            _ => {}
        }
    }
    runs
}

/// The rest behind `1`, `$`, `/re/I`, `1,+5`, `0~3`, `!`.
fn behind_address(text: &str) -> &str {
    let mut rest = text;
    loop {
        let plain =
            |c: char| c.is_ascii_digit() || matches!(c, ',' | '$' | '!' | '+' | '~' | ' ' | '\t');
        rest = rest.trim_start_matches(plain);
        let delimiter = match rest.strip_prefix('\\') {
            Some(after) => after.chars().next(),
            None => rest.starts_with('/').then_some('/'),
        };
        let Some(delimiter) = delimiter else {
            return rest;
        };
        rest = rest.strip_prefix('\\').unwrap_or(rest);
        rest = rest.get(delimiter.len_utf8()..).unwrap_or("");
        rest = part(rest, delimiter, true).1;
        rest = rest.trim_start_matches(['I', 'M']);
    }
}

/// What stands before an unescaped delimiter, and what behind it. In brackets of a pattern it is a
/// character.
fn part(text: &str, delimiter: char, pattern: bool) -> (&str, &str) {
    let mut escaped = false;
    let mut bracket = None;
    for (at, c) in text.char_indices() {
        match (c, bracket) {
            _ if escaped => escaped = false,
            ('\\', None) => escaped = true,
            ('[', None) if pattern => bracket = Some(at),
            // `[]a]`, `[^]a]`: the first is a character.
            (']', Some(open)) if at > open + 1 && text.get(open + 1..at) != Some("^") => {
                bracket = None
            }
            _ if c == delimiter && bracket.is_none() => {
                let after = text.get(at + c.len_utf8()..).unwrap_or("");
                return (text.get(..at).unwrap_or(""), after);
            }
            _ => {}
        }
    }
    (text, "")
}

fn behind_line(text: &str) -> &str {
    text.split_once('\n').map_or("", |(_, rest)| rest)
}

/// The rest behind a text whose lines may go on.
fn behind_text(text: &str) -> &str {
    let mut rest = text;
    loop {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        rest = after;
        if !line.ends_with('\\') {
            return rest;
        }
    }
}

/// What a replacement puts in; what was matched isn't known.
fn literal(replacement: &str, delimiter: char) -> String {
    let mut out = String::with_capacity(replacement.len());
    let mut chars = replacement.chars();
    while let Some(c) = chars.next() {
        match c {
            '&' => out.push_str("${_}"),
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('0'..='9') => out.push_str("${_}"),
                Some('L' | 'U' | 'E' | 'l' | 'u') => {}
                Some(c) if c == delimiter || c == '&' || c == '\n' => out.push(c),
                Some(c) => out.extend(['\\', c]),
                None => {}
            },
            c => out.push(c),
        }
    }
    out
}

impl Walker<'_> {
    /// The text of a file that an option names, if the text has made it, and where that stands.
    pub(super) fn given_text(
        &mut self,
        id: InvocationId,
        file: &Word,
    ) -> Option<(String, crate::span::Span)> {
        use crate::word::Unknown;
        if let Some(Unknown::Process(made)) = file.unknowns().next() {
            let made = self.found.substitutions.get(made.0)?;
            return Some((made.output.clone()?, made.span));
        }
        let number = match file.known() {
            Some("-") => Some(0),
            _ => crate::walk::descriptor_of(file),
        };
        if let Some(number) = number {
            if number > 0 && !self.read_descriptor(id, number) {
                return None;
            }
            return Some((self.input_text(id)?, self.input_span(id)));
        }
        let &writer = self.written.get(crate::walk::plain_path(file.known()?))?;
        let text = self.literal(&crate::walk::Out::Invocation(writer))?;
        Some((text, self.span_of(writer)))
    }
}

#[cfg(test)]
mod tests {
    use super::read_script;

    #[test]
    fn the_commands_that_a_script_runs_are_found() {
        let table: &[(&str, &[&str], bool)] = &[
            ("e", &[], true),
            ("1e rm -rf /", &["rm -rf /"], false),
            ("1,3!e ls", &["ls"], false),
            ("/a\\/e/,$ e ls", &["ls"], false),
            ("\\,e,e ls", &["ls"], false),
            ("s/a/b/;e", &[], true),
            ("s|a|b|ge", &[], true),
            ("/x/{s/a/b/;e\n}", &[], true),
            ("p;e ls\ne id", &["ls", "id"], false),
            ("s/[e/]/x/", &[], false),
            ("s/[/e]/x/;p", &[], false),
            ("y/e/f/", &[], false),
            ("a e\\\ne", &[], false),
            ("r e", &[], false),
            ("s/a/b/w e", &[], false),
            (":e;b e", &[], false),
            ("/e/d", &[], false),
            ("$!N;s/e\\n/;/", &[], false),
            ("", &[], false),
        ];
        for (script, commands, text) in table {
            let runs = read_script(script);
            assert_eq!(
                (runs.commands, runs.text),
                (commands.iter().map(|c| c.to_string()).collect(), *text),
                "{script}"
            );
        }
    }
}
