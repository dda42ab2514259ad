//! Which files a program writes, by the grammar of its arguments.

use crate::grammar::OptValue;
use crate::look::Look;
use crate::paths::{self, Target};
use crate::word::Word;

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum How {
    /// What comes in is put there: `tee`.
    Tee,
    /// A file is put there: `cp`, `mv`, `install`, `rsync`.
    Copy,
    /// A link is put there.
    Link,
    /// It is edited in place.
    Edit,
    /// It is edited in place by perl or ruby.
    EditScript,
    /// The output of a program that isn't for copying: `curl -o`, `dd of=`.
    Output,
    /// An archive is unpacked there.
    Unpack,
}

/// A file that is written.
#[derive(Debug)]
pub(crate) struct Write<'a> {
    pub(crate) target: Target<'a>,
    pub(crate) how: How,
    pub(crate) place: Option<paths::Place>,
}

/// Where a program names what it writes.
enum Place {
    /// All operands.
    Operands,
    /// The last operand, or the value of `-t`.
    Last,
    /// The value of this option.
    Value(char, &'static str),
    /// All operands, if this option is there.
    With(char, &'static str),
    /// What stands behind this in an operand.
    Prefix(&'static str),
    /// All operands but the first, if this option is there: `sed -i SCRIPT FILE`.
    AfterScript(char, &'static str),
    /// All operands but the first, if this word is there: `awk -i inplace SCRIPT FILE`.
    AfterWord(&'static str),
}

/// In order of the programs.
#[rustfmt::skip]
const WRITERS: &[(&str, How, Place)] = &[
    ("7z", How::Unpack, Place::Value('o', "")),
    ("awk", How::Edit, Place::AfterWord("inplace")),
    ("axel", How::Output, Place::Value('o', "output")),
    ("bsdtar", How::Unpack, Place::Value('C', "directory")),
    ("cp", How::Copy, Place::Last),
    ("cpio", How::Unpack, Place::With('p', "pass-through")),
    ("curl", How::Output, Place::Value('o', "output")),
    ("dc3dd", How::Output, Place::Prefix("of=")),
    ("dcfldd", How::Output, Place::Prefix("of=")),
    ("dd", How::Output, Place::Prefix("of=")),
    ("ddrescue", How::Copy, Place::Last),
    ("ditto", How::Copy, Place::Last),
    ("ed", How::Edit, Place::Operands),
    ("gawk", How::Edit, Place::AfterWord("inplace")),
    ("gpg", How::Output, Place::Value('o', "output")),
    ("gsed", How::Edit, Place::AfterScript('i', "in-place")),
    ("install", How::Copy, Place::Last),
    ("ln", How::Link, Place::Last),
    ("mv", How::Copy, Place::Last),
    ("openssl", How::Output, Place::Value('\0', "out")),
    ("patch", How::Edit, Place::Operands),
    ("perl", How::EditScript, Place::AfterScript('i', "")),
    ("rsync", How::Copy, Place::Last),
    ("ruby", How::EditScript, Place::AfterScript('i', "")),
    ("scp", How::Copy, Place::Last),
    ("sed", How::Edit, Place::AfterScript('i', "in-place")),
    ("shred", How::Output, Place::Operands),
    ("sort", How::Output, Place::Value('o', "output")),
    ("sponge", How::Tee, Place::Operands),
    ("tar", How::Unpack, Place::Value('C', "directory")),
    ("tee", How::Tee, Place::Operands),
    ("truncate", How::Output, Place::Operands),
    ("unzip", How::Unpack, Place::Value('d', "")),
    ("wget", How::Output, Place::Value('O', "output-document")),
    ("wget", How::Output, Place::Value('P', "directory-prefix")),
    ("yq", How::Edit, Place::AfterScript('i', "inplace")),
];

/// All programs of the table, for rules about what is written.
#[rustfmt::skip]
pub(crate) const PROGRAMS: &[&str] = &[
    "7z", "awk", "axel", "bsdtar", "cp", "cpio", "curl", "dc3dd", "dcfldd", "dd", "ddrescue", "ditto", "ed",
    "gawk", "gpg", "gsed", "install", "ln", "mv", "openssl", "patch", "perl*", "rsync", "ruby*", "scp", "sed",
    "shred", "sort", "sponge", "tar", "tee", "truncate", "unzip", "wget", "yq",
];

/// The files that an invocation writes.
pub(crate) fn read<'a>(look: &Look<'a>) -> Vec<Write<'a>> {
    let start = WRITERS.partition_point(|(program, ..)| *program < look.name);
    let entries = WRITERS.get(start..).unwrap_or(&[]);
    let mut found = Vec::new();
    for (_, how, place) in entries.iter().take_while(|(p, ..)| *p == look.name) {
        for target in written(look, place) {
            found.push(Write {
                target,
                how: *how,
                place: target.place(),
            });
        }
    }
    found
}

fn written<'a>(look: &Look<'a>, place: &Place) -> Vec<Target<'a>> {
    let all = |words: &[&'a Word]| words.iter().map(|w| look.target(w)).collect();
    let operands = look.operands();
    match place {
        Place::Operands => all(operands),
        Place::With(letter, long) if look.has(*letter, long) => all(operands),
        Place::Last => match look.options().value('t', "target-directory") {
            Some(OptValue::Word(word)) => vec![look.target(word)],
            _ if operands.len() >= 2 => operands
                .last()
                .map(|w| remote(look, w))
                .into_iter()
                .collect(),
            // `ln TARGET` makes a link here.
            _ => Vec::new(),
        },
        Place::Value(letter, long) => {
            let options = look.options().options.iter();
            options
                .filter(|o| o.is_short(*letter) || (!long.is_empty() && o.is_long(long)))
                .filter_map(|o| Some((o.value?, look.words().get(o.word)?)))
                .map(|(value, word)| match value {
                    OptValue::Word(word) => look.target(word),
                    OptValue::Attached(text) => look.target(word).of_text(text),
                })
                .collect()
        }
        Place::Prefix(prefix) => operands
            .iter()
            .filter_map(|w| {
                Some(
                    look.target(w)
                        .of_text(w.known_prefix().strip_prefix(prefix)?),
                )
            })
            .collect(),
        Place::AfterScript(letter, long) if look.has(*letter, long) => {
            // The script is an operand, unless it is given as an option.
            let scripted = ['e', 'f', 'E'].iter().any(|l| look.has(*l, ""))
                || look.has('\0', "expression")
                || look.has('\0', "file");
            all(operands.get(usize::from(!scripted)..).unwrap_or(&[]))
        }
        Place::AfterWord(word) if look.has_word(word) => {
            // The word itself may be read as an operand, and the script is one.
            let files = operands.iter().filter(|w| w.known() != Some(word));
            files.skip(1).map(|w| look.target(w)).collect()
        }
        Place::With(..) | Place::AfterScript(..) | Place::AfterWord(..) => Vec::new(),
    }
}

/// `host:/etc/hosts` is that file there.
fn remote<'a>(look: &Look<'a>, word: &'a Word) -> Target<'a> {
    let target = look.target(word);
    match word.known().and_then(|text| text.split_once(':')) {
        Some((_, path)) if matches!(look.name, "scp" | "rsync") && path.starts_with('/') => {
            target.of_text(path)
        }
        _ => target,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_tables_are_in_order_and_name_the_same_programs() {
        assert!(WRITERS.is_sorted_by_key(|(program, ..)| *program));
        assert!(PROGRAMS.is_sorted());
        for (program, ..) in WRITERS {
            let named = |p: &&&str| p.trim_end_matches('*') == *program;
            assert!(PROGRAMS.iter().any(|p| named(&p)), "{program}");
        }
    }
}
