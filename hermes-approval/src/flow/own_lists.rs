//! The person's own lists of globs, `approvals.deny` and `approvals.ask`.
//!
//! A glob is held against the text as it was typed, against the text as a shell gets it, and against
//! each command in it with its words resolved. So `rm -rf*` finds `cd x && sudo /bin/rm -rf y`, and
//! does not find `echo 'rm -rf y'`. Both sides are compared in small letters.

use crate::allowlist::matches_glob;
use crate::analysis::{Analysis, analyse};
use crate::invocation::{Invocation, Redirect};
use crate::situation::Situation;
use crate::word::Word;

/// What a command is compared by: all the texts that it can be told by.
pub(super) struct Spellings {
    texts: Vec<String>,
    /// There are more than are made: then no list can be said not to match.
    too_many: bool,
    user_home: String,
}

/// How the lists see a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Match<'g> {
    /// This glob of the list fits.
    Glob(&'g str),
    /// None fits, but not everything could be compared.
    Unsure,
    /// None fits.
    None,
}

impl Spellings {
    pub(super) fn of(command: &str, situation: &Situation) -> Self {
        let env = &situation.env;
        let analysis = analyse(command, env, situation.platform);
        let mut spellings = Self {
            texts: Vec::new(),
            too_many: analysis.coverage.is_not_understood(),
            user_home: env.user_home.trim_end_matches('/').to_lowercase(),
        };
        // Wrappers share the words of what they wrap, so that texts can add up.
        let mut room = 8 * command.len() + (64 << 10);
        spellings.put(command, &mut room);
        spellings.put(analysis.normalised(), &mut room);
        for invocation in analysis.invocations() {
            spellings.invocation(invocation, &mut room);
        }
        if !analysis.coverage.is_full() {
            spellings.pieces(&analysis, &mut room);
        }
        spellings
    }

    /// The first glob of a list that fits.
    pub(super) fn find<'g>(&self, globs: &'g [String]) -> Match<'g> {
        let fits = |glob: &&'g String| {
            let glob = glob.trim().to_lowercase();
            let at_home = self.at_home(&glob);
            self.texts.iter().any(|text| {
                matches_glob(&glob, text)
                    || at_home
                        .as_ref()
                        .is_some_and(|glob| matches_glob(glob, text))
            })
        };
        match globs.iter().find(fits) {
            Some(glob) => Match::Glob(glob),
            None if self.too_many && !globs.is_empty() => Match::Unsure,
            None => Match::None,
        }
    }

    /// `cat ~/.ssh/*` as it looks when the tilde is resolved.
    fn at_home(&self, glob: &str) -> Option<String> {
        let at_home = glob
            .replace("~/", &format!("{}/", self.user_home))
            .replace("$home/", &format!("{}/", self.user_home));
        (at_home != glob).then_some(at_home)
    }

    fn put(&mut self, text: &str, room: &mut usize) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        match room.checked_sub(text.len()) {
            Some(left) => {
                *room = left;
                self.texts.push(text.to_lowercase());
            }
            None => self.too_many = true,
        }
    }

    fn invocation(&mut self, invocation: &Invocation, room: &mut usize) {
        let Some(program) = invocation.program() else {
            return;
        };
        // What does not fit any more is not even joined.
        if self.too_many {
            return;
        }
        let mut rest = String::new();
        for word in invocation.arguments() {
            rest.push(' ');
            rest.push_str(value(word));
        }
        let name = invocation.name().unwrap_or_default();
        let names = program.candidates().chain([value(program), name]);
        let mut seen: Vec<&str> = Vec::new();
        for name in names {
            let base = name.rsplit(['/', '\\']).next().unwrap_or(name);
            for name in [name, base] {
                if !name.is_empty() && !seen.contains(&name) {
                    seen.push(name);
                    self.put(&format!("{name}{rest}"), room);
                }
            }
        }
        for redirect in invocation.redirects.iter().filter(|r| r.writes()) {
            self.redirect(name, &rest, redirect, room);
        }
    }

    /// `echo x > /etc/passwd`, however it was spaced.
    fn redirect(&mut self, name: &str, rest: &str, redirect: &Redirect, room: &mut usize) {
        if let Some(target) = &redirect.target {
            let sign = if redirect.truncates() { ">" } else { ">>" };
            self.put(&format!("{name}{rest} {sign} {}", value(target)), room);
        }
    }

    /// What is not well formed is cut at every sign that could begin a command.
    fn pieces(&mut self, analysis: &Analysis<'_>, room: &mut usize) {
        let separators = [';', '&', '|', '\n', '(', ')', '{', '}', '`', '"', '\''];
        for piece in analysis.normalised().split(separators) {
            self.put(piece, room);
        }
    }
}

/// A word's value; as it was typed, where that is not known.
fn value(word: &Word) -> &str {
    word.known().unwrap_or_else(|| word.raw())
}

/// A person's `approvals.allow`: like an entry of the allowlist that is the text of a command.
pub(super) fn allows<'g>(globs: &'g [String], command: &str) -> Option<&'g str> {
    let command = command.trim();
    if command.is_empty() || crate::allowlist::has_shell_operator(command) {
        return None;
    }
    globs
        .iter()
        .find(|glob| *glob == command || matches_glob(glob, command))
        .map(String::as_str)
}
