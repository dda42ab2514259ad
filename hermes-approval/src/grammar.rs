//! How tools read their options: one table, asked by everything that has to tell an option from an
//! operand.

mod table;

use crate::name_index::{NameIndex, index_of};
use crate::word::Word;

/// How a tool reads its options.
#[derive(Debug, Clone, Copy)]
pub struct Grammar {
    /// The tool, or a tool and its subcommand: `git push`.
    pub tool: &'static str,
    /// Letters of short options that take a value (`-n 5`, `-n5`).
    pub short_values: &'static str,
    /// Letters of short options whose value, if any, is attached (`-i.bak`).
    pub short_attached: &'static str,
    /// Long options that take a value (`--user bob`, `--user=bob`), with their dashes cut off.
    pub long_values: &'static [&'static str],
    /// How it does the rest.
    pub style: Style,
}

/// Conventions of option reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Style {
    /// getopt_long: bundles, `--long` and its abbreviations.
    Gnu,
    /// One dash for long options, no bundles: `-name x` (find, java, openssl, terraform).
    Single,
    /// Letters may come without a dash in the first argument (`tar xf`, `ps aux`).
    Old,
    /// No options: all words are operands (`echo`, `dd`).
    None,
}

/// The conventions of a tool that is not in the table: GNU, no option takes a value.
pub const UNKNOWN_TOOL: Grammar = Grammar {
    tool: "",
    short_values: "",
    short_attached: "",
    long_values: &[],
    style: Style::Gnu,
};

/// An option as it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opt<'w> {
    /// Its name without dashes; a letter of a bundle by itself.
    pub name: &'w str,
    /// Written with two dashes (or in [`Style::Single`] with one).
    pub long: bool,
    /// It started with `+`.
    pub plus: bool,
    /// Its value, attached or the next word.
    pub value: Option<OptValue<'w>>,
    /// Number of the word that it stands in.
    pub word: usize,
}

/// The value of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptValue<'w> {
    /// A part of the option's own word.
    Attached(&'w str),
    /// The next word.
    Word(&'w Word),
}

impl<'w> OptValue<'w> {
    /// The value, if it is known.
    pub fn known(self) -> Option<&'w str> {
        match self {
            Self::Attached(text) => Some(text),
            Self::Word(word) => word.known(),
        }
    }
}

impl Opt<'_> {
    /// True for this short option.
    pub fn is_short(&self, letter: char) -> bool {
        !self.long && self.name.chars().eq([letter])
    }

    /// True for this long option or an abbreviation of it of at least two letters.
    pub fn is_long(&self, name: &str) -> bool {
        self.long && (self.name == name || (self.name.len() >= 2 && name.starts_with(self.name)))
    }

    /// [`Opt::is_short`] or [`Opt::is_long`].
    pub fn is(&self, letter: char, name: &str) -> bool {
        self.is_short(letter) || self.is_long(name)
    }
}

/// Arguments, sorted into options and operands.
#[derive(Debug, Clone, Default)]
pub struct Options<'w> {
    /// The options, in order.
    pub options: Vec<Opt<'w>>,
    /// Everything else, in order; with [`Order::First`] the first few hundred of them.
    pub operands: Vec<&'w Word>,
    /// Number of the first word that is no option (and no option's value), or of the word after
    /// `--`, whichever comes first; the number of words if there is none.
    pub rest: usize,
}

impl<'w> Options<'w> {
    /// True if the option was given, as a letter or in full.
    pub fn has(&self, letter: char, name: &str) -> bool {
        self.options.iter().any(|o| o.is(letter, name))
    }

    /// The value of an option.
    pub fn value(&self, letter: char, name: &str) -> Option<OptValue<'w>> {
        self.options
            .iter()
            .find(|o| o.is(letter, name))
            .and_then(|o| o.value)
    }
}

/// Whether options may come after operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// They may (GNU's default).
    Anywhere,
    /// The first operand ends them, as in a wrapper.
    First,
}

/// Operands that are listed with [`Order::First`]: a wrapper in a wrapper in a wrapper must not list
/// the same words over and over.
const MAX_FIRST: usize = 256;

static NAMES: NameIndex<1024> = index_of!(table::TABLE, tool);

/// The grammar of a tool.
pub fn grammar(tool: &str) -> Option<&'static Grammar> {
    let at = NAMES.find(tool, |at| Some(table::TABLE.get(at)?.tool))?;
    table::TABLE.get(at)
}

/// All grammars, by tool.
pub fn grammars() -> &'static [Grammar] {
    table::TABLE
}

/// Sorts the arguments of a tool (without its name) into options and operands.
pub fn read<'w>(arguments: &'w [Word], grammar: &Grammar, order: Order) -> Options<'w> {
    let mut read = Options {
        rest: arguments.len(),
        ..Options::default()
    };
    let mut at = 0;
    let mut found_rest = false;
    while let Some(word) = arguments.get(at) {
        // What is known at its start decides; an unknown word is taken for an operand.
        let text = word.known_prefix();
        let old = grammar.style == Style::Old && at == 0 && !text.is_empty();
        let dashed = text.len() > 1
            && text.starts_with(['-', '+'])
            && (text.starts_with('-') || is_shell(grammar.tool));
        if grammar.style == Style::None || !(dashed || old) {
            if !found_rest {
                read.rest = at;
                found_rest = true;
            }
            if order == Order::First {
                read.operands
                    .extend(arguments.iter().skip(at).take(MAX_FIRST));
                return read;
            }
            read.operands.push(word);
            at += 1;
            continue;
        }
        if text == "--" {
            at += 1;
            if !found_rest {
                read.rest = at;
            }
            read.operands.extend(arguments.iter().skip(at));
            return read;
        }
        at = option(arguments, at, text, grammar, &mut read.options);
    }
    read
}

fn is_shell(tool: &str) -> bool {
    matches!(tool, "bash" | "sh" | "zsh" | "ksh" | "dash" | "set")
}

/// Reads the option word at `at`; gives the number of the word after it and its value.
fn option<'w>(
    arguments: &'w [Word],
    at: usize,
    text: &'w str,
    grammar: &Grammar,
    options: &mut Vec<Opt<'w>>,
) -> usize {
    let plus = text.starts_with('+');
    let next = || arguments.get(at + 1).map(OptValue::Word);
    let long = text.strip_prefix("--").or_else(|| {
        let single = grammar.style == Style::Single;
        text.strip_prefix('-').filter(|_| single)
    });
    if let Some(name) = long {
        let (name, attached) = match name.split_once('=') {
            Some((name, value)) => (name, Some(OptValue::Attached(value))),
            None => (name, None),
        };
        let takes = attached.is_none() && takes_value(grammar, name);
        let value = if takes { next() } else { attached };
        options.push(Opt {
            name,
            long: true,
            plus,
            value,
            word: at,
        });
        return at + 1 + usize::from(takes);
    }
    let letters = text.strip_prefix(['-', '+']).unwrap_or(text);
    for (offset, letter) in letters.char_indices() {
        let after = offset + letter.len_utf8();
        let name = letters.get(offset..after).unwrap_or("");
        let rest = letters.get(after..).unwrap_or("");
        if grammar.short_attached.contains(letter) {
            let value = (!rest.is_empty()).then_some(OptValue::Attached(rest));
            options.push(Opt {
                name,
                long: false,
                plus,
                value,
                word: at,
            });
            return at + 1;
        }
        if grammar.short_values.contains(letter) {
            // An attached value that isn't wholly known: the letter decides all the same.
            let attached =
                !rest.is_empty() || arguments.get(at).is_some_and(|w| w.known().is_none());
            let value = if attached {
                Some(OptValue::Attached(rest))
            } else {
                next()
            };
            options.push(Opt {
                name,
                long: false,
                plus,
                value,
                word: at,
            });
            return at + 1 + usize::from(!attached);
        }
        options.push(Opt {
            name,
            long: false,
            plus,
            value: None,
            word: at,
        });
    }
    at + 1
}

fn takes_value(grammar: &Grammar, name: &str) -> bool {
    grammar.long_values.contains(&name)
        || (name.len() >= 3
            && grammar
                .long_values
                .iter()
                .filter(|full| full.starts_with(name))
                .count()
                == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order() {
        assert!(table::TABLE.is_sorted_by(|a, b| a.tool < b.tool));
    }

    #[test]
    fn options_are_read_by_the_tools_own_grammar() {
        let words: Vec<Word> = ["-nE", "-ubob", "--gro", "x", "-g", "y", "--", "-z"]
            .iter()
            .map(|text| Word::made((*text).to_owned(), crate::span::Span::default()))
            .collect();
        let read = read(&words, grammar("sudo").unwrap(), Order::First);
        let names: Vec<&str> = read.options.iter().map(|o| o.name).collect();
        assert_eq!(names, ["n", "E", "u", "gro", "g"]);
        assert_eq!(
            read.value('u', "user").and_then(OptValue::known),
            Some("bob")
        );
        assert_eq!(
            read.value('\0', "group").and_then(OptValue::known),
            Some("x")
        );
        assert_eq!(read.rest, 7);
        assert_eq!(read.operands.first().and_then(|w| w.known()), Some("-z"));
    }
}
