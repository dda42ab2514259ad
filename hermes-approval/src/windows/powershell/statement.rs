//! Statements of PowerShell: which of them run a command, and which are expressions only.

use super::RawWord;

/// The command in the words of a statement. An expression (`$x`, `[Math]::Pow(2, 10)`, `'text'`) is
/// kept as it is written, as a name that no program has: it runs nothing, but rules may want to see
/// it. Only behind `&` or `.` is a variable the name of a program.
pub(super) fn command_of(
    mut words: Vec<RawWord>,
    text: &str,
    mut called: bool,
    separator: Option<(char, usize)>,
) -> Vec<RawWord> {
    let opens = separator.and_then(|(c, at)| (c == '(').then_some(at));
    while !called {
        let Some(first) = words.first() else { break };
        if is_keyword(first) || first.text == "." && first.unquoted && words.len() > 1 {
            called = first.text == ".";
            words.remove(0);
        } else if is_assigned(&words) {
            words.drain(..2);
        } else if let Some(at) = entry(first, text) {
            behind_sign(&mut words, at);
        } else {
            break;
        }
    }
    // `& (…) x`: what is called is what comes out.
    if let Some(at) = opens.filter(|_| called && words.is_empty()) {
        words.push(RawWord {
            start: at,
            end: at + 1,
            unquoted: true,
            holes: vec![(0, "()".to_owned())],
            ..RawWord::default()
        });
        return words;
    }
    let first_is_expression = !called && words.first().is_some_and(|w| is_expression(w, text));
    if first_is_expression && let Some(first) = words.first_mut() {
        first.text = source(first, text).to_owned();
        first.holes.clear();
    }
    // `$x.Kill(`: the rules see that a method is called.
    if let Some(last) = words.last_mut()
        && opens == Some(last.end)
        && (first_is_expression || source(last, text).starts_with(['$', '[', '.']))
    {
        last.text.push('(');
    }
    words
}

fn source<'t>(word: &RawWord, text: &'t str) -> &'t str {
    text.get(word.start..word.end).unwrap_or("")
}

/// Words in front of a command.
fn is_keyword(word: &RawWord) -> bool {
    const KEYWORDS: &[&str] = &["return", "throw", "else", "do", "try", "finally"];
    word.unquoted && !word.quoted && KEYWORDS.iter().any(|k| word.text.eq_ignore_ascii_case(k))
}

/// `$x = command`, `foreach ($x in command)`
fn is_assigned(words: &[RawWord]) -> bool {
    const SIGNS: &[&str] = &["=", "+=", "-=", "*=", "/=", "%=", "??=", "in"];
    words.get(1).is_some_and(|w| {
        w.unquoted && !w.quoted && SIGNS.iter().any(|s| w.text.eq_ignore_ascii_case(s))
    })
}

/// `$x=command` and `@{name=command}`: where the command starts.
fn entry(word: &RawWord, text: &str) -> Option<usize> {
    let written = source(word, text);
    let (name, _) = written.split_once('=')?;
    let plain = name.strip_prefix('$').unwrap_or(name);
    let fits = !plain.is_empty()
        && plain
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b':' | b'.'));
    fits.then_some(word.start + name.len() + 1)
}

/// Cuts the first word off up to the byte `at` of the text.
fn behind_sign(words: &mut Vec<RawWord>, at: usize) {
    let Some(first) = words.first_mut() else {
        return;
    };
    // The name may have stood for a value; a sign is there in any case.
    let cut = first.text.find('=').map_or(first.text.len(), |i| i + 1);
    first.text = first.text.split_off(cut);
    first.holes.retain(|&(hole, _)| hole >= cut);
    for (hole, _) in &mut first.holes {
        *hole -= cut;
    }
    first.start = at.min(first.end);
    if first.start == first.end {
        words.remove(0);
    }
}

/// A word that starts no command: a variable, a type, a string, an operator, a property.
fn is_expression(word: &RawWord, text: &str) -> bool {
    let written = source(word, text);
    let mut chars = written.chars();
    match chars.next() {
        Some('.') => {
            let member = chars.next().is_some_and(char::is_alphabetic);
            let before = text.get(..word.start).unwrap_or("");
            member && before.ends_with([')', '}', ']'])
        }
        Some('_' | '\\' | '/' | '~' | '%' | '?' | '`') | None => false,
        Some(c) => c.is_ascii() && !c.is_ascii_alphanumeric(),
    }
}

/// How long it is up to the parenthesis that closes what was opened before the text; all of it if
/// there is none.
pub(super) fn closing(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (None, '`') | (Some('"'), '`') => {
                chars.next();
            }
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') if depth == 0 => return at,
            (None, ')') => depth -= 1,
            (None, _) => {}
        }
    }
    text.len()
}
