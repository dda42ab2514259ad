//! What a command deletes: operands of `rm` and its kin, and what a search hands to them.

use crate::find;
use crate::invocation::Invocation;
use crate::look::Look;
use crate::paths::{Target, Tree};
use crate::word::{Unknown, Word};

/// What a command deletes.
#[derive(Debug)]
pub(crate) struct Removal<'a> {
    /// Trees, not only files.
    pub(crate) recursive: bool,
    /// What is named.
    pub(crate) targets: Vec<Named<'a>>,
    /// The search whose results are deleted, too.
    pub(crate) sweep: Option<Sweep<'a>>,
}

/// Something that is named, with what it is.
#[derive(Debug)]
pub(crate) struct Named<'a> {
    pub(crate) target: Target<'a>,
    pub(crate) tree: Option<Tree>,
}

impl Removal<'_> {
    /// The worst whole tree that is deleted; a search for everything counts as its start.
    pub(crate) fn tree(&self) -> Option<Tree> {
        let named = self.targets.iter().filter_map(|t| t.tree).max();
        named.max(self.sweep.as_ref().and_then(Sweep::tree))
    }
}

/// A search: `find`, `fd`.
#[derive(Debug)]
pub(crate) struct Sweep<'a> {
    /// Where it starts; empty for the working directory.
    pub(crate) starts: Vec<Target<'a>>,
    /// It looks for some things only: by name, age, size, …
    pub(crate) narrowed: bool,
}

impl Sweep<'_> {
    /// The worst whole tree that it goes through without leaving anything out.
    pub(crate) fn tree(&self) -> Option<Tree> {
        if self.narrowed {
            return None;
        }
        if self.starts.is_empty() {
            return Some(Tree::Here);
        }
        self.starts.iter().filter_map(Target::tree).max()
    }
}

/// What `rm`, `srm`, `unlink`, `shred`, `rimraf` or `trash` deletes.
pub(crate) fn read<'a>(look: &Look<'a>) -> Removal<'a> {
    let recursive = match look.name {
        "rm" | "srm" | "grm" => look.has('r', "recursive") || look.has('R', ""),
        "rimraf" | "del-cli" | "del" | "trash" => true,
        _ => false,
    };
    let operands = look.operands();
    let mut targets: Vec<Named<'a>> = Vec::with_capacity(operands.len());
    let mut fed = false;
    for word in operands {
        if is_input(word) {
            fed = true;
        } else {
            let target = look.target(word);
            let tree = target.tree();
            targets.push(Named { target, tree });
        }
    }
    let sweep = match look.repeated_by() {
        // `xargs rm` appends what it reads.
        Some(by) if fed || by.is("xargs") || by.is("xe") => feeding(look, by),
        _ => None,
    };
    Removal {
        recursive,
        targets,
        sweep,
    }
}

/// `{}`, or `"$1"` in a script that a search runs.
fn is_input(word: &Word) -> bool {
    word.unknowns()
        .any(|u| matches!(u, Unknown::Input | Unknown::Positional))
}

/// The search behind `find -exec` or `… | xargs`.
fn feeding<'a>(look: &Look<'a>, by: &'a Invocation) -> Option<Sweep<'a>> {
    if let Some(sweep) = sweep(look, by) {
        return Some(sweep);
    }
    let by = look.scope.look(by);
    if let Some(listed) = by.upstream().next().and_then(|i| listing(look, i)) {
        return Some(listed);
    }
    let mut upstream = by.upstream().filter_map(|i| sweep(look, i));
    upstream.next()
}

/// `ls -d /*`, `printf '%s\n' ~/*`: what a pattern selects, by its full name.
fn listing<'a>(look: &Look<'a>, list: &'a Invocation) -> Option<Sweep<'a>> {
    let names = match list.name()? {
        // Without `-d` it prints what is in a folder without the folder's path.
        "ls" => list.arguments().iter().any(is_listed_itself),
        "echo" | "print" | "printf" => true,
        _ => false,
    };
    let patterns = list.arguments().iter().filter(|w| w.has_glob());
    let starts: Vec<Target<'a>> = patterns
        .map(|word| Target::of(word, list, look.scope.env))
        .collect();
    (names && !starts.is_empty()).then_some(Sweep {
        starts,
        narrowed: false,
    })
}

/// What a search goes through; none if it is no search.
pub(crate) fn sweep<'a>(look: &Look<'a>, search: &'a Invocation) -> Option<Sweep<'a>> {
    let words = search.arguments();
    let target = |word: &'a Word| Target::of(word, search, look.scope.env);
    if is_find(search) {
        let first = words
            .iter()
            .position(|w| !is_find_option(w))
            .unwrap_or(words.len());
        let rest = words.get(first..).unwrap_or(&[]);
        let end = rest.iter().position(starts_expression);
        let (starts, expression) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
        return Some(Sweep {
            starts: starts.iter().map(target).collect(),
            narrowed: narrows(expression),
        });
    }
    if search.is("fd") || search.is("fdfind") {
        let look = look.scope.look(search);
        let operands = look.operands();
        let pattern = operands.first().and_then(|w| w.known()).unwrap_or(".");
        return Some(Sweep {
            starts: operands.iter().skip(1).map(|w| target(w)).collect(),
            narrowed: !matches!(pattern, "." | "") || look.has('e', "extension"),
        });
    }
    None
}

/// True if it runs `find` or a program that is used like it.
pub(crate) fn is_find(search: &Invocation) -> bool {
    find::PROGRAMS.iter().any(|program| search.is(program))
}

/// `ls -d`, `ls -1d`
fn is_listed_itself(word: &Word) -> bool {
    let text = word.known().unwrap_or("");
    text == "--directory" || text.starts_with('-') && !text.starts_with("--") && text.contains('d')
}

fn is_find_option(word: &Word) -> bool {
    matches!(word.known(), Some("-H" | "-L" | "-P"))
        || word
            .known()
            .is_some_and(|t| t.starts_with("-O") || t.starts_with("-D"))
}

fn starts_expression(word: &Word) -> bool {
    word.known()
        .is_some_and(|t| t.starts_with('-') || matches!(t, "(" | "!" | ")"))
}

/// Tests that leave the greater part in, and actions. All other tests narrow a search.
const WIDE: &[&str] = &[
    "-a",
    "-and",
    "-d",
    "-daystart",
    "-delete",
    "-depth",
    "-exec",
    "-execdir",
    "-follow",
    "-ls",
    "-maxdepth",
    "-mindepth",
    "-mount",
    "-o",
    "-ok",
    "-okdir",
    "-or",
    "-print",
    "-print0",
    "-readable",
    "-true",
    "-type",
    "-writable",
    "-xdev",
];

fn narrows(expression: &[Word]) -> bool {
    let mut negated = false;
    for primary in find::primaries(expression).take(find::MAX_PRIMARIES) {
        let every = primary.is(&["-name", "-iname", "-path", "-wholename"])
            && primary.values.first().and_then(Word::known) == Some("*");
        match primary.word.known() {
            Some("!" | "-not") => {
                negated = true;
                continue;
            }
            Some(test)
                if test.starts_with('-')
                    && !negated
                    && !every
                    && !primary.is(find::OUTPUTS)
                    && WIDE.binary_search(&test).is_err() =>
            {
                return true;
            }
            _ => {}
        }
        negated = false;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order() {
        assert!(WIDE.is_sorted());
    }
}
