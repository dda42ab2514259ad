//! The expression of `find`: what it tests and does, told from the values of its tests.

use crate::word::Word;

/// Programs that read their arguments like `find`, in order.
pub(crate) const PROGRAMS: &[&str] = &["bfs", "find", "gfind"];

/// Actions that write a list into the file behind them.
pub(crate) const OUTPUTS: &[&str] = &["-fls", "-fprint", "-fprint0", "-fprintf"];

/// Actions that run a command.
pub(crate) const RUNS: &[&str] = &["-exec", "-execdir", "-ok", "-okdir"];

/// Tests, actions and options with a value, in order. `-newerXY` is beside them.
#[rustfmt::skip]
const WITH_VALUE: &[&str] = &[
    "-Bmin", "-Bnewer", "-Btime", "-amin", "-anewer", "-atime", "-cmin", "-cnewer", "-context", "-ctime", "-exclude",
    "-f", "-files0-from", "-flags", "-fls", "-fprint", "-fprint0", "-fstype", "-gid", "-group", "-ilname", "-iname",
    "-inum", "-ipath", "-iregex", "-iwholename", "-links", "-lname", "-maxdepth", "-mindepth", "-mmin", "-mtime",
    "-name", "-newer", "-path", "-perm", "-printf", "-regex", "-regextype", "-samefile", "-since", "-size", "-type",
    "-uid", "-used", "-user", "-wholename", "-xattrname", "-xtype",
];

/// So many parts are looked at for each command that a search runs, so that the work stays linear.
pub(crate) const MAX_PRIMARIES: usize = 256;

/// A part of an expression with what belongs to it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Primary<'a> {
    /// Its name: `-name`.
    pub(crate) word: &'a Word,
    /// Its values; the command of `-exec`, without what ends it.
    pub(crate) values: &'a [Word],
}

impl Primary<'_> {
    /// True if it is one of these.
    pub(crate) fn is(&self, names: &[&str]) -> bool {
        self.word.known().is_some_and(|name| names.contains(&name))
    }
}

/// The parts of an expression; starts, brackets and the ends of commands are parts without values.
pub(crate) fn primaries(words: &[Word]) -> impl Iterator<Item = Primary<'_>> {
    let mut rest = words;
    std::iter::from_fn(move || {
        let (word, behind) = rest.split_first()?;
        let count = word.known().map_or(0, |name| count(name, behind));
        let (values, after) = behind.split_at_checked(count).unwrap_or((behind, &[]));
        rest = after;
        Some(Primary { word, values })
    })
}

/// The word of an action, if it is among the parts.
pub(crate) fn action<'a>(words: &'a [Word], name: &str) -> Option<&'a Word> {
    let mut found = primaries(words).filter(|primary| primary.is(&[name]));
    found.next().map(|primary| primary.word)
}

/// How many words belong to a part.
fn count(name: &str, behind: &[Word]) -> usize {
    if !name.starts_with('-') {
        0
    } else if RUNS.contains(&name) {
        let mut words = behind.iter().enumerate();
        let end = words.position(|(i, word)| {
            ends(word, i.checked_sub(1).and_then(|before| behind.get(before)))
        });
        end.unwrap_or(behind.len())
    } else if name == "-fprintf" {
        2
    } else {
        usize::from(WITH_VALUE.binary_search(&name).is_ok() || name.starts_with("-newer"))
    }
}

/// `;` and `{} +` end a command.
fn ends(word: &Word, before: Option<&Word>) -> bool {
    match word.known() {
        Some(";") => true,
        Some("+") => before.is_some_and(|w| w.known() == Some("{}")),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order() {
        assert!(WITH_VALUE.is_sorted());
    }

    #[test]
    fn values_are_no_actions() {
        let words: Vec<Word> = ". -name -delete -exec rm {} ; -print"
            .split(' ')
            .map(|text| Word::made(text.to_owned(), crate::span::Span::default()))
            .collect();
        let names: Vec<&str> = primaries(&words).map(|p| p.word.text()).collect();
        assert_eq!(names, [".", "-name", "-exec", ";", "-print"]);
    }
}
