//! Which files a command writes.

use crate::invocation::{Directory, Redirect};
use crate::look::Look;
use crate::paths::{Place, Tree};
use crate::word::{Certainty, Word};

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// By `tee` or its like, which copy their input.
    Tee,
    /// By `cp`, `mv`, `install`.
    Copy,
    /// It is moved away.
    Away,
    /// By `sed -i`.
    Sed,
    /// By `perl -i` or `ruby -i`.
    Perl,
    /// By anything else.
    Other,
}

/// A file that is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Written<'a> {
    /// The word that names it.
    pub(super) word: &'a Word,
    /// What it is.
    pub(super) place: Place,
    pub(super) how: How,
}

/// All programs that [`written`] knows.
pub(super) const WRITERS: &[&str] = &[
    "aria2c", "awk", "cp", "crudini", "curl", "dd", "ed", "ex", "gawk", "gcp", "ginstall", "gln",
    "gmv", "gsed", "gtee", "install", "ln", "mv", "nvim", "patch", "perl*", "rsync", "ruby*",
    "scp", "sd", "sed", "sort", "sponge", "tar", "tee", "touch", "truncate", "unzip", "vi", "vim",
    "wget", "yq",
];

/// The most sensitive file that the command writes, of those that are wanted.
pub(super) fn written<'a>(look: &Look<'a>, wanted: fn(Place) -> bool) -> Option<Written<'a>> {
    let all = look.written.get_or_init(|| all_written(look)).iter();
    all.copied()
        .filter(|written| wanted(written.place))
        .max_by_key(|written| written.place)
}

/// All of them; what they are is asked by several rules.
fn all_written<'a>(look: &Look<'a>) -> Vec<Written<'a>> {
    let mut all = Vec::new();
    match look.name {
        "tee" | "gtee" | "sponge" => each(look, How::Tee, &mut all),
        "cp" | "gcp" | "install" | "ginstall" => copied(look, How::Copy, &mut all),
        "mv" | "gmv" => {
            moved_away(look, &mut all);
            copied(look, How::Copy, &mut all);
        }
        "ln" | "gln" | "rsync" | "scp" => copied(look, How::Other, &mut all),
        "sed" | "gsed" => edited(look, look.has('i', "in-place"), How::Sed, &mut all),
        "perl" | "ruby" => edited(look, look.has('i', ""), How::Perl, &mut all),
        "awk" | "gawk" => edited(look, look.has_word("inplace"), How::Other, &mut all),
        "sd" => named(look, 2, &mut all),
        "yq" if look.has('i', "inplace") => named(look, 1, &mut all),
        "crudini" if look.has('\0', "set") || look.has('\0', "del") => named(look, 0, &mut all),
        "ed" | "truncate" => each(look, How::Other, &mut all),
        "touch" if !look.has('c', "no-create") => each(look, How::Other, &mut all),
        "patch" if !look.has('\0', "dry-run") => named(look, 0, &mut all),
        "ex" | "vi" | "vim" | "nvim" if runs_script(look) => each(look, How::Other, &mut all),
        "sort" => option(look, 'o', "output", &mut all),
        "curl" => {
            option(look, 'o', "output", &mut all);
            option(look, '\0', "output-dir", &mut all);
        }
        "wget" => {
            option(look, 'O', "output-document", &mut all);
            option(look, 'P', "directory-prefix", &mut all);
        }
        "aria2c" => option(look, 'd', "dir", &mut all),
        "tar" if extracts(look) => option(look, 'C', "directory", &mut all),
        "unzip" => option(look, 'd', "", &mut all),
        "dd" => outputs(look, &mut all),
        _ => {}
    }
    all
}

/// The most sensitive file that a redirection writes, of those that are wanted.
pub(super) fn redirected<'a>(
    look: &Look<'a>,
    wanted: fn(Place) -> bool,
) -> Option<(&'a Redirect, Place)> {
    let all = look.redirect_places.get_or_init(|| {
        let redirects = look.invocation.redirects.iter().filter(|r| r.writes());
        redirects
            .filter_map(|r| Some((r, place(look, r.target.as_ref()?)?)))
            .collect()
    });
    all.iter()
        .copied()
        .filter(|(_, place)| wanted(*place))
        .max_by_key(|(_, place)| *place)
}

/// What a word is as a path.
pub(super) fn place<'a>(look: &Look<'a>, word: &'a Word) -> Option<Place> {
    let target = look.target(word);
    if !is_far(look) && target.tree() == Some(Tree::Root) {
        // Into the root itself: whatever is unpacked or copied there lands in the system.
        return Some(Place::SystemFile);
    }
    let whole = target
        .values()
        .filter_map(|value| of_text(look, word, value))
        .max();
    if whole.is_some() || word.certainty == Certainty::Known {
        return whole;
    }
    let prefix = word.known_prefix();
    if prefix.starts_with('/') {
        // `/etc/$name`: whatever the name is.
        return folder(prefix).and_then(|folder| of_text(look, word, folder));
    }
    // `$dir/.env`, `$home/.ssh/config`: whatever the folder is, unless it is a copy of a system.
    of_text(look, word, word.text()).filter(|p| *p != Place::Temp && !p.is_system())
}

/// No system knows longer paths; many names in a very long one would take long to join.
const MAX_PATH: usize = 4096;

/// True in a directory that can't be.
fn is_far(look: &Look<'_>) -> bool {
    matches!(&look.invocation.directory, Directory::Known(path) if path.len() > MAX_PATH)
}

/// The part that is a folder for certain.
fn folder(prefix: &str) -> Option<&str> {
    prefix.rsplit_once('/').map(|(folder, _)| folder)
}

fn of_text<'a>(look: &Look<'a>, word: &'a Word, text: &str) -> Option<Place> {
    let env = look.scope.env;
    // `host:path` of scp and rsync: what it is there.
    let text = match text.split_once(':') {
        Some((host, path)) if path.starts_with(['/', '~']) && !host.contains('/') => path,
        _ => text,
    };
    if let Some(rest) = text.strip_prefix("~/") {
        return Place::of(&format!("{}/{rest}", env.user_home), env);
    }
    if is_far(look) {
        return Place::of(text, env);
    }
    let absolute = look.target(word).absolute(text);
    let found = Place::of(&absolute, env)?;
    // A project may lie in a system tree.
    let own = env.cwd.as_deref().is_some_and(|cwd| {
        found.is_system() && !text.starts_with('/') && crate::paths::is_below(&absolute, cwd)
    });
    (!own).then_some(found)
}

fn push<'a>(look: &Look<'a>, word: &'a Word, how: How, all: &mut Vec<Written<'a>>) {
    if let Some(place) = place(look, word) {
        all.push(Written { word, place, how });
    }
}

/// Every operand.
fn each<'a>(look: &Look<'a>, how: How, all: &mut Vec<Written<'a>>) {
    for word in look.operands() {
        push(look, word, how, all);
    }
}

/// Operands from the n-th on.
fn named<'a>(look: &Look<'a>, from: usize, all: &mut Vec<Written<'a>>) {
    for word in look.operands().iter().skip(from) {
        push(look, word, How::Other, all);
    }
}

/// The value of an option, attached or not.
fn option<'a>(look: &Look<'a>, letter: char, name: &str, all: &mut Vec<Written<'a>>) {
    use crate::grammar::OptValue;
    let words = look.words();
    for option in &look.options().options {
        if !option.is(letter, name) {
            continue;
        }
        match option.value {
            Some(OptValue::Word(word)) => push(look, word, How::Other, all),
            Some(OptValue::Attached(text)) => {
                if let Some(word) = words.get(option.word)
                    && let Some(place) = of_text(look, word, text)
                {
                    let how = How::Other;
                    all.push(Written { word, place, how });
                }
            }
            None => {}
        }
    }
}

/// `dd of=FILE`
fn outputs<'a>(look: &Look<'a>, all: &mut Vec<Written<'a>>) {
    for word in look.words() {
        let Some(path) = word.known_prefix().strip_prefix("of=") else {
            continue;
        };
        if let Some(place) = of_text(look, word, path) {
            let how = How::Other;
            all.push(Written { word, place, how });
        }
    }
}

/// Sources and destination of `cp` and its like.
fn sources_and_destination<'a>(look: &Look<'a>) -> Option<(Vec<&'a Word>, &'a Word)> {
    use crate::grammar::OptValue;
    let mut operands = look.operands().to_vec();
    let names_folder = matches!(look.name, "cp" | "mv" | "install" | "ln");
    if names_folder
        && let Some(OptValue::Word(folder)) = look.options().value('t', "target-directory")
    {
        return Some((operands, folder));
    }
    let last = operands.pop()?;
    (!operands.is_empty()).then_some((operands, last))
}

fn copied<'a>(look: &Look<'a>, how: How, all: &mut Vec<Written<'a>>) {
    let makes_folders = look.name.ends_with("install") && look.has('d', "directory");
    let Some((sources, destination)) = sources_and_destination(look) else {
        return;
    };
    if makes_folders || look.has('\0', "dry-run") || (look.name == "rsync" && look.has('n', "")) {
        return;
    }
    push(look, destination, how, all);
    // Into a folder, under the same name: `cp .bashrc ~/`.
    for source in sources {
        let (Some(from), Some(to)) = (source.known(), destination.known()) else {
            continue;
        };
        let name = from.rsplit('/').next().unwrap_or(from);
        if to.len() > MAX_PATH {
            return;
        }
        let inside = format!("{}/{name}", to.trim_end_matches('/'));
        if let Some(place) = of_text(look, destination, &inside)
            && (place.is_personal() || place.is_hermes() || place == Place::Hook)
        {
            let word = destination;
            all.push(Written { word, place, how });
        }
    }
}

/// What `mv` takes away from its place.
fn moved_away<'a>(look: &Look<'a>, all: &mut Vec<Written<'a>>) {
    let Some((sources, _)) = sources_and_destination(look) else {
        return;
    };
    for word in sources {
        let of_hermes = !is_far(look) && look.target(word).tree() == Some(Tree::HermesHome);
        let place = match place(look, word) {
            _ if of_hermes => Place::HermesConfig,
            Some(place) if place.is_system() || place.is_personal() || place.is_hermes() => place,
            _ => continue,
        };
        let how = How::Away;
        all.push(Written { word, place, how });
    }
}

/// Files that are edited in place: operands behind the script.
fn edited<'a>(look: &Look<'a>, in_place: bool, how: How, all: &mut Vec<Written<'a>>) {
    if !in_place {
        return;
    }
    let has_script = look.has('e', "expression") || look.has('f', "file") || look.has('E', "");
    // `sed -i '' …` of BSD: an empty word is the suffix.
    let operands = look.operands().iter().filter(|w| w.known() != Some(""));
    for word in operands.skip(usize::from(!has_script)) {
        push(look, word, how, all);
    }
}

/// Editors that get their orders from the command line.
fn runs_script(look: &Look<'_>) -> bool {
    look.name == "ex"
        || look.has('c', "cmd")
        || look.has('s', "")
        || look.has('e', "")
        || look
            .operands()
            .iter()
            .any(|w| w.known_prefix().starts_with('+'))
}

fn extracts(look: &Look<'_>) -> bool {
    look.has('x', "extract") || look.has('\0', "get")
}
