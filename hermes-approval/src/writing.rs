//! Which files a program writes, by the grammar of its arguments.

use crate::find;
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
    /// The last operand, if one of these is among them: `aws s3 cp s3://x/y FILE`.
    LastOf(&'static [&'static str]),
    /// Behind an action of `find`: `-fprint FILE`.
    Searched,
    /// In a script of awk: `print > "FILE"`.
    Printed,
    /// In a script of sed: `w FILE`.
    Script,
}

/// In order of the programs.
#[rustfmt::skip]
const WRITERS: &[(&str, How, Place)] = &[
    ("7z", How::Unpack, Place::Value('o', "")),
    ("7za", How::Unpack, Place::Value('o', "")),
    ("7zr", How::Unpack, Place::Value('o', "")),
    ("7zz", How::Unpack, Place::Value('o', "")),
    ("age", How::Output, Place::Value('o', "output")),
    ("aria2c", How::Output, Place::Value('d', "dir")),
    ("aria2c", How::Output, Place::Value('o', "out")),
    ("awk", How::Edit, Place::AfterWord("inplace")),
    ("awk", How::Output, Place::Printed),
    ("aws", How::Copy, Place::LastOf(&["cp", "get-object", "mv", "sync"])),
    ("axel", How::Output, Place::Value('o', "output")),
    ("bfs", How::Output, Place::Searched),
    ("bsdtar", How::Unpack, Place::Value('C', "directory")),
    ("c++", How::Output, Place::Value('o', "output")),
    ("cc", How::Output, Place::Value('o', "output")),
    ("clang", How::Output, Place::Value('o', "output")),
    ("clang++", How::Output, Place::Value('o', "output")),
    ("cp", How::Copy, Place::Last),
    ("cpio", How::Unpack, Place::Value('D', "directory")),
    ("cpio", How::Unpack, Place::With('p', "pass-through")),
    ("curl", How::Output, Place::Value('D', "dump-header")),
    ("curl", How::Output, Place::Value('\0', "output-dir")),
    ("curl", How::Output, Place::Value('c', "cookie-jar")),
    ("curl", How::Output, Place::Value('o', "output")),
    ("dc3dd", How::Output, Place::Prefix("of=")),
    ("dcfldd", How::Output, Place::Prefix("of=")),
    ("dd", How::Output, Place::Prefix("of=")),
    ("ddrescue", How::Copy, Place::Last),
    ("ditto", How::Copy, Place::Last),
    ("docker", How::Copy, Place::LastOf(&["cp"])),
    ("dos2unix", How::Edit, Place::Operands),
    ("dpkg-deb", How::Unpack, Place::Last),
    ("ed", How::Edit, Place::Operands),
    ("fallocate", How::Output, Place::Operands),
    ("find", How::Output, Place::Searched),
    ("g++", How::Output, Place::Value('o', "output")),
    ("gawk", How::Edit, Place::AfterWord("inplace")),
    ("gawk", How::Output, Place::Printed),
    ("gcc", How::Output, Place::Value('o', "output")),
    ("gcloud", How::Copy, Place::LastOf(&["cp", "rsync", "scp"])),
    ("gcp", How::Copy, Place::Last),
    ("gfind", How::Output, Place::Searched),
    ("ginstall", How::Copy, Place::Last),
    ("gmv", How::Copy, Place::Last),
    ("go", How::Output, Place::Value('o', "")),
    ("gpg", How::Output, Place::Value('o', "output")),
    ("grub-mkconfig", How::Output, Place::Value('o', "output")),
    ("grub2-mkconfig", How::Output, Place::Value('o', "output")),
    ("gsed", How::Edit, Place::AfterScript('i', "in-place")),
    ("gsed", How::Output, Place::Script),
    ("gsutil", How::Copy, Place::LastOf(&["cp", "mv", "rsync"])),
    ("gtee", How::Tee, Place::Operands),
    ("http", How::Output, Place::Value('o', "output")),
    ("https", How::Output, Place::Value('o', "output")),
    ("iconv", How::Output, Place::Value('o', "output")),
    ("install", How::Copy, Place::Last),
    ("kubectl", How::Copy, Place::LastOf(&["cp"])),
    ("ld", How::Output, Place::Value('o', "output")),
    ("link", How::Link, Place::Last),
    ("ln", How::Link, Place::Last),
    ("mawk", How::Output, Place::Printed),
    ("mc", How::Copy, Place::LastOf(&["cp", "get", "mirror", "mv"])),
    ("mv", How::Copy, Place::Last),
    ("mysqldump", How::Output, Place::Value('r', "result-file")),
    ("nawk", How::Output, Place::Printed),
    ("nerdctl", How::Copy, Place::LastOf(&["cp"])),
    ("oc", How::Copy, Place::LastOf(&["cp"])),
    ("openssl", How::Output, Place::Value('\0', "keyout")),
    ("openssl", How::Output, Place::Value('\0', "out")),
    ("pandoc", How::Output, Place::Value('o', "output")),
    ("patch", How::Edit, Place::Operands),
    ("perl", How::EditScript, Place::AfterScript('i', "")),
    ("pg_dump", How::Output, Place::Value('f', "file")),
    ("pg_dumpall", How::Output, Place::Value('f', "file")),
    ("podman", How::Copy, Place::LastOf(&["cp"])),
    ("rclone", How::Copy, Place::LastOf(&["copy", "copyto", "copyurl", "move", "moveto", "sync"])),
    ("rsync", How::Copy, Place::Last),
    ("ruby", How::EditScript, Place::AfterScript('i', "")),
    ("rustc", How::Output, Place::Value('o', "")),
    ("s3cmd", How::Copy, Place::LastOf(&["get", "sync"])),
    ("scp", How::Copy, Place::Last),
    ("script", How::Output, Place::Operands),
    ("sed", How::Edit, Place::AfterScript('i', "in-place")),
    ("sed", How::Output, Place::Script),
    ("shred", How::Output, Place::Operands),
    ("shuf", How::Output, Place::Value('o', "output")),
    ("sort", How::Output, Place::Value('o', "output")),
    ("sponge", How::Tee, Place::Operands),
    ("tar", How::Unpack, Place::Value('C', "directory")),
    ("tcpdump", How::Output, Place::Value('w', "")),
    ("tee", How::Tee, Place::Operands),
    ("truncate", How::Output, Place::Operands),
    ("tshark", How::Output, Place::Value('w', "")),
    ("unar", How::Unpack, Place::Value('o', "output-directory")),
    ("uniq", How::Output, Place::Last),
    ("unix2dos", How::Edit, Place::Operands),
    ("unrar", How::Unpack, Place::LastOf(&["e", "x"])),
    ("unsquashfs", How::Unpack, Place::Value('d', "dest")),
    ("unzip", How::Unpack, Place::Value('d', "")),
    ("wget", How::Output, Place::Value('O', "output-document")),
    ("wget", How::Output, Place::Value('P', "directory-prefix")),
    ("wget", How::Output, Place::Value('a', "append-output")),
    ("wget", How::Output, Place::Value('o', "output-file")),
    ("xh", How::Output, Place::Value('o', "output")),
    ("xmllint", How::Output, Place::Value('o', "output")),
    ("xmlstarlet", How::Edit, Place::With('L', "inplace")),
    ("xsltproc", How::Output, Place::Value('o', "output")),
    ("xxd", How::Output, Place::Last),
    ("yq", How::Edit, Place::AfterScript('i', "inplace")),
];

/// All programs of the table, for rules about what is written.
#[rustfmt::skip]
pub(crate) const PROGRAMS: &[&str] = &[
    "7z", "7za", "7zr", "7zz", "age", "aria2c", "awk", "aws", "axel", "bfs", "bsdtar", "c++", "cc", "clang",
    "clang++", "cp", "cpio", "curl", "dc3dd", "dcfldd", "dd", "ddrescue", "ditto", "docker", "dos2unix",
    "dpkg-deb", "ed", "fallocate", "find", "g++", "gawk", "gcc", "gcloud", "gcp", "gfind", "ginstall", "gmv",
    "go", "gpg", "grub-mkconfig", "grub2-mkconfig", "gsed", "gsutil", "gtee", "http", "https", "iconv",
    "install", "kubectl", "ld", "link", "ln", "mawk", "mc", "mv", "mysqldump", "nawk", "nerdctl", "oc",
    "openssl", "pandoc", "patch", "perl*", "pg_dump", "pg_dumpall", "podman", "rclone", "rsync", "ruby*",
    "rustc", "s3cmd", "scp", "script", "sed", "shred", "shuf", "sort", "sponge", "tar", "tcpdump", "tee",
    "truncate", "tshark", "unar", "uniq", "unix2dos", "unrar", "unsquashfs", "unzip", "wget", "xh", "xmllint",
    "xmlstarlet", "xsltproc", "xxd", "yq",
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
            Some(OptValue::Attached(folder)) => attached(look, folder).into_iter().collect(),
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
                .filter(|o| o.name.chars().eq([*letter]) || (!long.is_empty() && o.is_long(long)))
                .filter_map(|o| {
                    let word = look.words().get(o.word)?;
                    Some(match o.value {
                        Some(OptValue::Word(word)) => look.target(word),
                        Some(OptValue::Attached(text)) => look.target(word).of_text(text),
                        // The tool's grammar isn't in the table.
                        None => look.target(look.words().get(o.word + 1)?),
                    })
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
        Place::LastOf(verbs) => {
            let told = operands
                .iter()
                .any(|w| w.known().is_some_and(|t| verbs.contains(&t)));
            let last = operands.last().filter(|_| told);
            last.map(|w| look.target(w)).into_iter().collect()
        }
        Place::Searched => find::primaries(look.words())
            .filter(|primary| primary.is(find::OUTPUTS))
            .filter_map(|primary| primary.values.first())
            .map(|word| look.target(word))
            .collect(),
        Place::Printed => in_script(look, &['f'], printed),
        Place::Script => in_script(look, &['e', 'f'], written_by_sed),
        Place::With(..) | Place::AfterScript(..) | Place::AfterWord(..) => Vec::new(),
    }
}

/// The value that is attached to an option: `--target-directory=x`.
fn attached<'a>(look: &Look<'a>, text: &'a str) -> Option<Target<'a>> {
    let word = look.words().iter().find(|w| w.text().ends_with(text))?;
    Some(look.target(word).of_text(text))
}

/// The paths in the scripts of sed and awk: values of `-e`, or the first operand.
fn in_script<'a>(
    look: &Look<'a>,
    elsewhere: &[char],
    paths: fn(&'a str) -> Vec<&'a str>,
) -> Vec<Target<'a>> {
    let options = look.options().options.iter();
    let given = options.filter(|o| o.is('e', "expression"));
    let mut scripts: Vec<(&'a Word, &'a str)> = given
        .filter_map(|o| match o.value? {
            OptValue::Word(word) => Some((word, word.text())),
            OptValue::Attached(text) => Some((look.words().get(o.word)?, text)),
        })
        .collect();
    if !elsewhere.iter().any(|letter| look.has(*letter, "")) && scripts.is_empty() {
        scripts.extend(look.operands().first().map(|w| (*w, w.text())));
    }
    let found = scripts.into_iter().flat_map(|(word, script)| {
        let paths = paths(script).into_iter();
        paths.map(move |path| look.target(word).of_text(path))
    });
    found.collect()
}

/// `print > "FILE"`, `print >> "FILE"`
fn printed(script: &str) -> Vec<&str> {
    let behind = script.split('>').skip(1);
    behind
        .filter_map(|text| text.trim_start().strip_prefix('"')?.split('"').next())
        .filter(|path| !path.is_empty())
        .collect()
}

/// `w FILE`, `s/a/b/w FILE`: to the end of the line.
fn written_by_sed(script: &str) -> Vec<&str> {
    let lines = script.split('\n').filter_map(|line| {
        let (before, path) = line.split_once("w ")?;
        // The letter is a command or a flag, not the end of a word.
        let flag = before.trim_end_matches(|c: char| c.is_ascii_digit() || "gpiIeM".contains(c));
        (!flag.ends_with(char::is_alphabetic)).then(|| path.trim())
    });
    lines.filter(|path| !path.is_empty()).collect()
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
