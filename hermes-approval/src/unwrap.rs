//! Programs that run other programs, by their grammar.
//!
//! [`table`] has those that take a command behind their options; the modules have those with rules
//! of their own. A program that is in neither may wrap one all the same: see [`unknown`].

mod builds;
mod find;
mod hooks;
mod interpreters;
mod known;
mod remote;
mod sandboxes;
mod sed;
mod shells;
mod strings;
mod table;
mod unknown;
mod xargs;

use crate::grammar::{self, Grammar, Options, Order, UNKNOWN_TOOL};
use crate::invocation::{Args, InvocationId, Wrapper};
use crate::name_index::{NameIndex, index_of};
use crate::walk::{Scene, Walker};
use crate::word::{PartKind, Quoted, Word};
pub(crate) use hooks::substitutions;
pub(crate) use known::is_program;
use table::{Entry, How};

impl Walker<'_> {
    /// Runs what an invocation wraps.
    pub(crate) fn unwrap(&mut self, id: InvocationId, name: &str, argv: &Args, scene: &Scene) {
        if argv.len() == 1
            && !shells::is_shell(name)
            && !interpreters::is_interpreter(name)
            && !reads_commands(name)
        {
            return;
        }
        if let Some(special) = special(name) {
            special(self, id, name, argv, scene);
            return;
        }
        let entries = table::entries(name);
        if entries.is_empty() {
            if builds::is_loader(name) {
                self.loader(id, name, argv, scene);
                return;
            }
            self.unknown_wrapper(id, name, argv, scene);
            return;
        }
        let grammar = grammar::grammar(name).unwrap_or(&UNKNOWN_TOOL);
        let read = grammar::read(arguments(argv), grammar, Order::First);
        for entry in entries {
            if let Some(skip) = subcommand(&read, entry, grammar) {
                self.enter(id, entry, argv, skip, scene);
                return;
            }
        }
    }

    /// Runs what stands behind a table entry's own words; `skip` is the number of words up to
    /// there, the program not counted.
    fn enter(&mut self, id: InvocationId, entry: &Entry, argv: &Args, skip: usize, scene: &Scene) {
        let grammar = grammar::grammar(entry.program).unwrap_or(&UNKNOWN_TOOL);
        let all = arguments(argv);
        let after = all.get(skip..).unwrap_or(&[]);
        let read = grammar::read(after, grammar, Order::First);
        if entry
            .stops
            .iter()
            .any(|letter| read.options.iter().any(|o| o.is_short(*letter)))
        {
            return;
        }
        let wrapper = Wrapper {
            elevates: entry.elevates,
            detaches: entry.detaches,
            ..self.wrapper(id, entry.program, entry.kind)
        };
        let mut ran = false;
        let scripted = entry.how.iter().all(|how| matches!(how, How::Value(..)));
        for how in entry.how {
            match *how {
                How::Value(letter, long) => {
                    let values = option_values(after, entry, grammar, letter, long);
                    for value in values {
                        ran = true;
                        let word = value_word(value, self.span_of(id));
                        self.run_word(&word, id, wrapper.clone(), scene);
                    }
                }
                How::Argv | How::Shell | How::ArgvOrShell | How::EachShell if ran => {}
                How::Argv | How::Shell | How::ArgvOrShell | How::EachShell => {
                    let mut at = read.rest;
                    if entry.assignments {
                        at += after
                            .iter()
                            .skip(at)
                            .take_while(|w| is_assignment(w))
                            .count();
                    }
                    at += entry.operands;
                    if entry.reopens {
                        at += grammar::read(after.get(at..).unwrap_or(&[]), grammar, Order::First)
                            .rest;
                    }
                    if after.get(at).is_some_and(|w| w.known() == Some("--")) {
                        at += 1;
                    }
                    let words = after.get(at..).unwrap_or(&[]);
                    match (how, words) {
                        // `sudo -s <<E`, `su <<E`: a shell that reads its input.
                        (_, []) => {
                            self.shell_reads(id, id, wrapper.clone(), scene);
                        }
                        (How::Argv, words)
                            if words.first().is_some_and(|w| w.starts_with_known("-")) =>
                        {
                            self.entrypoint(id, &read, words, wrapper.clone(), scene);
                        }
                        (How::Argv, words)
                            if read.options.iter().any(|o| o.is_long("entrypoint")) =>
                        {
                            self.entrypoint(id, &read, words, wrapper.clone(), scene);
                        }
                        (How::Shell, words) => {
                            self.run_joined(words, id, wrapper.clone(), scene);
                        }
                        (How::EachShell, words) => {
                            for word in words {
                                self.run_word(word, id, wrapper.clone(), scene);
                            }
                        }
                        (How::ArgvOrShell, [one]) if has_blank(one) => {
                            self.run_word(one, id, wrapper.clone(), scene);
                        }
                        _ => {
                            self.run(argv.after(1 + skip + at), id, wrapper.clone(), scene);
                        }
                    }
                }
            }
        }
        if scripted && !ran {
            self.shell_reads(id, id, wrapper, scene);
        }
    }
}

impl Walker<'_> {
    /// `docker run --entrypoint sh image -c '…'`: the program stands in an option.
    fn entrypoint(
        &mut self,
        id: InvocationId,
        read: &Options<'_>,
        words: &[Word],
        wrapper: Wrapper,
        scene: &Scene,
    ) {
        let value = read
            .options
            .iter()
            .find(|o| o.is_long("entrypoint"))
            .and_then(|o| o.value);
        let Some(value) = value else { return };
        let mut argv = vec![value_word(value, self.span_of(id))];
        argv.extend_from_slice(words);
        self.run(Args::new(argv), id, wrapper, scene);
    }
}

/// The values of an option that carries a script.
fn option_values<'w>(
    words: &'w [Word],
    entry: &Entry,
    grammar: &Grammar,
    letter: char,
    long: &str,
) -> Vec<grammar::OptValue<'w>> {
    let wanted = |o: &&grammar::Opt<'w>| o.is(letter, long);
    if !entry.how.contains(&How::Argv) {
        // Options may come behind operands as well: `su bob -c '…'`.
        let all = grammar::read(words, grammar, Order::Anywhere);
        return all
            .options
            .iter()
            .filter(wanted)
            .filter_map(|o| o.value)
            .collect();
    }
    // Those of the command that is wrapped are not its own.
    let before = grammar::read(words, grammar, Order::First);
    let rest = words.get(before.rest + entry.operands..).unwrap_or(&[]);
    let behind = if entry.operands > 0 {
        grammar::read(rest, grammar, Order::First).options
    } else {
        Vec::new()
    };
    before
        .options
        .iter()
        .chain(&behind)
        .filter(wanted)
        .filter_map(|o| o.value)
        .collect()
}

type Special = fn(&mut Walker<'_>, InvocationId, &str, &Args, &Scene);

/// Programs with rules of their own.
fn special(name: &str) -> Option<Special> {
    if shells::is_shell(name) {
        return Some(|w, id, name, argv, scene| w.shell(id, name, argv, scene));
    }
    if interpreters::is_interpreter(name) {
        return Some(|w, id, name, argv, scene| w.interpreter(id, name, argv, scene));
    }
    let at = SPECIAL_NAMES.find(name, |at| Some(SPECIAL.get(at)?.0))?;
    SPECIAL.get(at).map(|(_, run)| *run)
}

static SPECIAL_NAMES: NameIndex<512> = index_of!(SPECIAL, 0);

/// By name, in order.
#[rustfmt::skip]
const SPECIAL: &[(&str, Special)] = &[
    (".", |w, id, name, argv, scene| w.source(id, name, argv, scene)),
    ("Invoke-Expression", |w, id, name, argv, scene| w.evaluate_powershell(id, name, argv, scene)),
    ("ansible", |w, id, name, argv, scene| w.ansible(id, name, argv, scene)),
    ("apt", |w, id, name, argv, scene| w.apt(id, name, argv, scene)),
    ("apt-get", |w, id, name, argv, scene| w.apt(id, name, argv, scene)),
    ("aria2c", |w, id, name, argv, scene| w.exec_option(id, name, argv, scene)),
    ("at", |w, id, name, argv, scene| w.at(id, name, argv, scene)),
    ("batch", |w, id, name, argv, scene| w.at(id, name, argv, scene)),
    ("bfs", |w, id, name, argv, scene| w.find(id, name, argv, scene)),
    ("bind", |w, id, name, argv, scene| w.bind(id, name, argv, scene)),
    ("bwrap", |w, id, name, argv, scene| w.bwrap(id, name, argv, scene)),
    ("capsh", |w, id, name, argv, scene| w.capsh(id, name, argv, scene)),
    ("cmake", |w, id, name, argv, scene| w.cmake(id, name, argv, scene)),
    ("cmd", |w, id, name, argv, scene| w.cmd(id, name, argv, scene)),
    ("compgen", |w, id, name, argv, scene| w.complete(id, name, argv, scene)),
    ("complete", |w, id, name, argv, scene| w.complete(id, name, argv, scene)),
    ("crontab", |w, id, name, argv, scene| w.at(id, name, argv, scene)),
    ("dc", |w, id, name, argv, scene| w.editor(id, name, argv, scene)),
    ("ed", |w, id, name, argv, scene| w.editor(id, name, argv, scene)),
    ("env", |w, id, name, argv, scene| w.env(id, name, argv, scene)),
    ("eval", |w, id, name, argv, scene| w.eval(id, name, argv, scene)),
    ("ex", |w, id, name, argv, scene| w.editor(id, name, argv, scene)),
    ("fd", |w, id, name, argv, scene| w.fd(id, name, argv, scene)),
    ("fdfind", |w, id, name, argv, scene| w.fd(id, name, argv, scene)),
    ("find", |w, id, name, argv, scene| w.find(id, name, argv, scene)),
    ("fzf", |w, id, name, argv, scene| w.fzf(id, name, argv, scene)),
    ("gallery-dl", |w, id, name, argv, scene| w.exec_option(id, name, argv, scene)),
    ("gdb", |w, id, name, argv, scene| w.gdb(id, name, argv, scene)),
    ("gfind", |w, id, name, argv, scene| w.find(id, name, argv, scene)),
    ("git", |w, id, name, argv, scene| w.git(id, name, argv, scene)),
    ("gmake", |w, id, name, argv, scene| w.make(id, name, argv, scene)),
    ("gsed", |w, id, name, argv, scene| w.sed(id, name, argv, scene)),
    ("guix", |w, id, name, argv, scene| w.behind_option(id, name, argv, scene)),
    ("gxargs", |w, id, name, argv, scene| w.xargs(id, name, argv, scene)),
    ("iex", |w, id, name, argv, scene| w.evaluate_powershell(id, name, argv, scene)),
    ("just", |w, id, name, argv, scene| w.just(id, name, argv, scene)),
    ("lftp", |w, id, name, argv, scene| w.lftp(id, name, argv, scene)),
    ("lldb", |w, id, name, argv, scene| w.gdb(id, name, argv, scene)),
    ("make", |w, id, name, argv, scene| w.make(id, name, argv, scene)),
    ("mapfile", |w, id, name, argv, scene| w.mapfile(id, name, argv, scene)),
    ("mysql", |w, id, name, argv, scene| w.database(id, name, argv, scene)),
    ("nix", |w, id, name, argv, scene| w.behind_option(id, name, argv, scene)),
    ("nvim", |w, id, name, argv, scene| w.editor(id, name, argv, scene)),
    ("parallel", |w, id, name, argv, scene| w.parallel(id, name, argv, scene)),
    ("powershell", |w, id, name, argv, scene| w.powershell(id, name, argv, scene)),
    ("psql", |w, id, name, argv, scene| w.database(id, name, argv, scene)),
    ("pwsh", |w, id, name, argv, scene| w.powershell(id, name, argv, scene)),
    ("readarray", |w, id, name, argv, scene| w.mapfile(id, name, argv, scene)),
    ("rpm", |w, id, name, argv, scene| w.rpm(id, name, argv, scene)),
    ("rsync", |w, id, name, argv, scene| w.rsync(id, name, argv, scene)),
    ("runas", |w, id, name, argv, scene| w.runas(id, name, argv, scene)),
    ("runuser", |w, id, name, argv, scene| w.runuser(id, name, argv, scene)),
    ("rush", |w, id, name, argv, scene| w.parallel(id, name, argv, scene)),
    ("salt", |w, id, name, argv, scene| w.salt(id, name, argv, scene)),
    ("scp", |w, id, name, argv, scene| w.rsync(id, name, argv, scene)),
    ("screen", |w, id, name, argv, scene| w.screen(id, name, argv, scene)),
    ("sed", |w, id, name, argv, scene| w.sed(id, name, argv, scene)),
    ("sem", |w, id, name, argv, scene| w.parallel(id, name, argv, scene)),
    ("setarch", |w, id, name, argv, scene| w.setarch(id, name, argv, scene)),
    ("sftp", |w, id, name, argv, scene| w.rsync(id, name, argv, scene)),
    ("sk", |w, id, name, argv, scene| w.fzf(id, name, argv, scene)),
    ("socat", |w, id, name, argv, scene| w.socat(id, name, argv, scene)),
    ("source", |w, id, name, argv, scene| w.source(id, name, argv, scene)),
    ("sqlite3", |w, id, name, argv, scene| w.database(id, name, argv, scene)),
    ("ssh", |w, id, name, argv, scene| w.ssh(id, name, argv, scene)),
    ("tar", |w, id, name, argv, scene| w.tar(id, name, argv, scene)),
    ("tmux", |w, id, name, argv, scene| w.tmux(id, name, argv, scene)),
    ("vi", |w, id, name, argv, scene| w.editor(id, name, argv, scene)),
    ("view", |w, id, name, argv, scene| w.editor(id, name, argv, scene)),
    ("vim", |w, id, name, argv, scene| w.editor(id, name, argv, scene)),
    ("watch", |w, id, name, argv, scene| w.watch(id, name, argv, scene)),
    ("xargs", |w, id, name, argv, scene| w.xargs(id, name, argv, scene)),
    ("xe", |w, id, name, argv, scene| w.xargs(id, name, argv, scene)),
    ("youtube-dl", |w, id, name, argv, scene| w.exec_option(id, name, argv, scene)),
    ("yt-dlp", |w, id, name, argv, scene| w.exec_option(id, name, argv, scene)),
];

fn reads_commands(name: &str) -> bool {
    matches!(
        name,
        "xargs"
            | "gxargs"
            | "xe"
            | "parallel"
            | "sem"
            | "batch"
            | "at"
            | "ssh"
            | "su"
            | "runuser"
            | "ed"
            | "."
            | "cmd"
            | "crontab"
            | "ex"
            | "make"
            | "source"
            | "gmake"
    )
}

/// The words after the program.
fn arguments(argv: &Args) -> &[Word] {
    argv.get(1..).unwrap_or(&[])
}

/// The number of words up to and with the subcommand of an entry, if these are its words.
fn subcommand(read: &Options<'_>, entry: &Entry, grammar: &Grammar) -> Option<usize> {
    let mut at = read.rest;
    let mut words = entry.subcommand.iter();
    let Some(first) = words.next() else {
        return Some(0);
    };
    let mut operands = read.operands.iter();
    if operands.next()?.known() != Some(first) {
        return None;
    }
    at += 1;
    let mut rest: Vec<&Word> = operands.copied().collect();
    for expected in words {
        // Options may stand between the words of a subcommand.
        let owned: Vec<Word> = rest.iter().map(|w| (*w).clone()).take(MAX_LOOK).collect();
        let own = match entry.subcommand {
            [first, _] => grammar::grammar(&format!("{} {first}", entry.program)),
            _ => None,
        };
        let inner = grammar::read(&owned, own.unwrap_or(grammar), Order::First);
        if inner.operands.first()?.known() != Some(expected) {
            return None;
        }
        at += inner.rest + 1;
        rest = rest.get(inner.rest + 1..)?.to_vec();
    }
    Some(at)
}

const MAX_LOOK: usize = 16;

fn is_assignment(word: &Word) -> bool {
    let text = word.known_prefix();
    text.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}

/// True if a word holds a blank, so that it can't be the name of a program.
fn has_blank(word: &Word) -> bool {
    word.text
        .contains([' ', '\t', '\n', ';', '&', '|', '<', '>'])
        && word.quoted != Quoted::None
        || word.text.contains(' ')
}

/// The value of an option as a word.
fn value_word(value: grammar::OptValue<'_>, span: crate::span::Span) -> Word {
    match value {
        grammar::OptValue::Attached(text) => Word::made(text.to_owned(), span),
        grammar::OptValue::Word(word) => word.clone(),
    }
}

/// The value of an option that is attached to a word, with the unknown pieces of that word.
fn rest_of(word: &Word, prefix: usize) -> Word {
    let mut rest = word.clone();
    rest.text = word.text.get(prefix..).unwrap_or("").to_owned();
    rest.raw = None;
    rest.verbatim = word.verbatim.map(|at| at + prefix);
    rest.alternatives.clear();
    for part in &mut rest.parts {
        part.start = part.start.saturating_sub(prefix);
        part.end = part.end.saturating_sub(prefix);
    }
    rest.parts
        .retain(|part| part.end > part.start || matches!(part.kind, PartKind::Unknown(_)));
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_in_order() {
        assert!(SPECIAL.is_sorted_by(|a, b| a.0 < b.0));
        assert!(table::TABLE.is_sorted_by(|a, b| a.program <= b.program));
    }

    #[test]
    fn no_program_is_in_two_tables() {
        let twice = |name: &str| table::TABLE.iter().any(|entry| entry.program == name);
        assert!(SPECIAL.iter().all(|(name, _)| !twice(name)));
    }
}
