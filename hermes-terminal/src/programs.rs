//! Which program a command comes down to.

use crate::words::SimpleCommand;

/// Words of the language that stand before a command.
const RESERVED: &[&str] = &[
    "!", "{", "}", "if", "then", "elif", "else", "while", "until", "do", "time", "coproc",
];

/// Programs that run another one: their options that have a value, and how many words stand between
/// them and the other.
const WRAPPERS: &[(&str, &[&str], usize)] = &[
    ("builtin", &[], 0),
    ("chrt", &["-T", "-P", "-D"], 1),
    ("command", &[], 0),
    ("doas", &["-u", "-C"], 0),
    ("env", &["-u", "-C", "-S", "--unset", "--chdir"], 0),
    ("exec", &["-a"], 0),
    ("ionice", &["-c", "-n", "-p"], 0),
    ("nice", &["-n"], 0),
    ("nohup", &[], 0),
    ("setsid", &[], 0),
    ("stdbuf", &["-i", "-o", "-e"], 0),
    (
        "sudo",
        &[
            "-C", "-D", "-g", "-h", "-p", "-R", "-r", "-T", "-t", "-U", "-u", "--user", "--group",
        ],
        0,
    ),
    ("taskset", &[], 1),
    ("timeout", &["-k", "-s", "--signal", "--kill-after"], 1),
    (
        "xargs",
        &["-a", "-d", "-E", "-I", "-L", "-n", "-P", "-s"],
        0,
    ),
];

/// A command without what is wrapped around its program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unwrapped<'a> {
    /// The wrappers, outermost first, each with its own words.
    pub(crate) wrappers: Vec<&'a [String]>,
    /// The program and its arguments.
    pub(crate) words: &'a [String],
}

impl<'a> Unwrapped<'a> {
    pub(crate) fn of(command: &'a SimpleCommand) -> Self {
        let mut words = command.words.as_slice();
        while let [first, rest @ ..] = words
            && RESERVED.contains(&first.as_str())
        {
            words = rest;
        }
        let mut wrappers = Vec::new();
        loop {
            words = without_assignments(words);
            let Some(rest) = inside(words) else {
                return Self { wrappers, words };
            };
            wrappers.push(words.get(..words.len() - rest.len()).unwrap_or_default());
            words = rest;
        }
    }

    /// The wrapper of this name, with its words.
    pub(crate) fn wrapper(&self, name: &str) -> Option<&'a [String]> {
        self.wrappers
            .iter()
            .copied()
            .find(|words| words.first().is_some_and(|word| base_name(word) == name))
    }

    /// The name of the program, without its folders.
    pub(crate) fn program(&self) -> &'a str {
        self.words.first().map_or("", |word| base_name(word))
    }
}

/// Whether the words of a program have this option: by its long name, or by its letter, also in a
/// bundle.
pub(crate) fn has_flag(words: &[String], letter: char, long: &str) -> bool {
    words.iter().skip(1).any(|word| {
        let is_bundle = word.starts_with('-') && !word.starts_with("--");
        word == long || (is_bundle && word.contains(letter))
    })
}

pub(crate) fn base_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

fn without_assignments(mut words: &[String]) -> &[String] {
    while let [first, rest @ ..] = words
        && first.split_once('=').is_some_and(|(name, _)| is_name(name))
    {
        words = rest;
    }
    words
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
}

/// What a wrapper runs; nothing if this is none.
fn inside(words: &[String]) -> Option<&[String]> {
    let (first, mut rest) = words.split_first()?;
    let (_, with_value, between) = WRAPPERS
        .iter()
        .find(|(name, ..)| *name == base_name(first))?;
    while let [word, after @ ..] = rest
        && word.starts_with('-')
        && word.len() > 1
    {
        rest = match after {
            [_, later @ ..] if with_value.contains(&word.as_str()) => later,
            _ => after,
        };
        if word == "--" {
            break;
        }
    }
    rest = without_assignments(rest);
    Some(rest.get(*between..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::Unwrapped;
    use crate::words::commands;

    #[test]
    fn wrappers_are_taken_away() {
        for (text, program) in [
            ("ls", "ls"),
            ("/usr/bin/ls -l", "ls"),
            ("A=1 B=2 make", "make"),
            ("sudo -u bob -E A=1 make", "make"),
            ("env -i A=b nice -n 5 nohup ./run", "run"),
            ("timeout -s KILL 5 sleep 9", "sleep"),
            ("if ! grep x f", "grep"),
            ("sudo", ""),
            ("sudo -- -x", "-x"),
            ("timeout", ""),
            ("time command exec x", "x"),
            ("a=b", ""),
        ] {
            let commands = commands(text);
            assert_eq!(Unwrapped::of(&commands[0]).program(), program, "{text}");
        }
    }

    #[test]
    fn a_wrapper_is_found_with_its_own_words() {
        let commands = commands("A=1 /usr/bin/sudo -S -p '' env B=2 ls -S");
        let unwrapped = Unwrapped::of(&commands[0]);
        assert_eq!(
            unwrapped.wrapper("sudo").unwrap(),
            ["/usr/bin/sudo", "-S", "-p", ""]
        );
        assert_eq!(unwrapped.words, ["ls", "-S"]);
        assert_eq!(unwrapped.wrapper("nohup"), None);
    }
}
