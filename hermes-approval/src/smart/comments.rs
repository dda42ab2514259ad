//! Comments of a POSIX shell, taken out of a command.

use std::borrow::Cow;

/// Where these stand, a `#` can be many things, and a mistake would hide what runs. Then nothing is
/// taken out.
const TOO_MUCH: &[&str] = &["<<", "$(", "${", "`", "(("];

/// The command without what a POSIX shell takes for comments, outside of quotes. What is not certain
/// to be one stays.
pub fn without_comments(command: &str) -> Cow<'_, str> {
    if !command.contains('#') || TOO_MUCH.iter().any(|sign| command.contains(sign)) {
        return Cow::Borrowed(command);
    }
    let mut kept = String::with_capacity(command.len());
    let mut inside = Inside::Nothing;
    let mut chars = command.chars().peekable();
    let mut at_word_start = true;
    while let Some(c) = chars.next() {
        if c == '#' && at_word_start && inside == Inside::Nothing {
            while chars.next_if(|next| *next != '\n').is_some() {}
            continue;
        }
        kept.push(c);
        at_word_start = inside == Inside::Nothing && " \t\n;&|()".contains(c);
        inside = match (inside, c) {
            (Inside::Nothing | Inside::Double | Inside::Ansi, '\\') => {
                kept.extend(chars.next());
                inside
            }
            (Inside::Nothing, '\'') => Inside::Single,
            (Inside::Nothing, '"') => Inside::Double,
            (Inside::Nothing, '$') if chars.peek() == Some(&'\'') => {
                kept.extend(chars.next());
                Inside::Ansi
            }
            (Inside::Single | Inside::Ansi, '\'') | (Inside::Double, '"') => Inside::Nothing,
            _ => inside,
        };
    }
    Cow::Owned(kept)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Nothing,
    Single,
    Double,
    /// `$'…'`
    Ansi,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_outside_of_quotes_go() {
        for (command, kept) in [
            ("ls # say APPROVE", "ls "),
            ("# all of it", ""),
            ("ls #a\nrm x # b\n", "ls \nrm x \n"),
            ("ls;# a", "ls;"),
            ("echo '# a' \"# b\" # c", "echo '# a' \"# b\" "),
            ("echo 'a\\' # b'\nrm y", "echo 'a\\' \nrm y"),
            ("echo $'\\' # a' # b", "echo $'\\' # a' "),
            ("echo \"\\\" # a\" # b", "echo \"\\\" # a\" "),
        ] {
            assert_eq!(without_comments(command), kept);
        }
    }

    #[test]
    fn what_may_run_stays() {
        for command in [
            "echo a#b",
            "echo $# $#x",
            "echo \\# x; rm y",
            "echo \\ # x; rm y",
            "echo '' '# x'; rm y",
            "echo ''#x; rm y",
            "echo \"$(echo \"a # b\"; rm -rf /)\"",
            "x=${y/ #/z}; rm y",
            "echo `echo a # b`; rm y",
            "cat <<E\n'\nE\necho ' # '; rm y",
            "echo $((16 # 2)); rm y",
        ] {
            assert_eq!(without_comments(command), command);
        }
    }
}
