//! Numbered descriptors that the text opens for reading: `exec 3<<<'…'; sh <&3`,
//! `sh 3<file /dev/fd/3`.

use std::sync::Arc;

use super::Walker;
use super::scene::Feed;
use crate::invocation::{InvocationId, RedirectOperator, Stdin};
use crate::word::{Unknown, Word};

/// What is open, by its number. Few texts open any.
#[derive(Debug, Clone, Default)]
pub(crate) struct Descriptors(Option<Arc<Vec<(u32, Feed)>>>);

/// What a command's redirections make of its input.
pub(super) enum Input {
    /// Nothing: it is that of the place where it stands.
    Same,
    /// Something of its own.
    Own(Stdin),
    /// What a descriptor reads from.
    From(Feed),
}

impl Input {
    pub(super) fn feed(self) -> Option<Feed> {
        match self {
            Self::Same => None,
            Self::Own(stdin) => Some(Feed::Given(Arc::new(stdin))),
            Self::From(feed) => Some(feed),
        }
    }
}

impl Descriptors {
    pub(crate) fn get(&self, number: u32) -> Option<&Feed> {
        let open = self.0.as_ref()?;
        let found = open.iter().find(|(open, _)| *open == number);
        found.map(|(_, feed)| feed)
    }

    pub(super) fn set(&mut self, number: u32, feed: Feed) {
        let open = Arc::make_mut(self.0.get_or_insert_default());
        if let Some((_, old)) = open.iter_mut().find(|(open, _)| *open == number) {
            *old = feed;
        } else if open.len() < MAX_OPEN {
            open.push((number, feed));
        }
    }

    /// The number that a shell gives the next `{name}<…`.
    pub(super) fn next(&self) -> u32 {
        let open = self.0.iter().flat_map(|open| open.iter());
        open.map(|(number, _)| number + 1)
            .max()
            .map_or(10, |next| next.max(10))
    }
}

impl Walker<'_> {
    /// What a redirection for input reads from; none if it is for something else, or can't be told.
    pub(super) fn fed_by(&self, operator: RedirectOperator, word: &Word) -> Option<Input> {
        use RedirectOperator as Op;
        match operator {
            Op::HereString => Some(Input::Own(Stdin::HereString(word.clone()))),
            Op::Input | Op::ReadWrite => {
                let open = descriptor_of(word).and_then(|number| self.descriptors.get(number));
                Some(match open {
                    Some(feed) => Input::From(feed.clone()),
                    None => Input::Own(input_from(word)),
                })
            }
            // Which way it is written makes no difference.
            Op::DuplicateInput | Op::DuplicateOutput => {
                let number = word.known()?.trim_end_matches('-').parse().ok()?;
                self.descriptors.get(number).cloned().map(Input::From)
            }
            _ => None,
        }
    }

    /// Lets an invocation read from a descriptor; false if it isn't known what that reads from.
    pub(crate) fn read_descriptor(&mut self, id: InvocationId, number: u32) -> bool {
        let Some(feed) = self.descriptors.get(number).cloned() else {
            return false;
        };
        let stdin = self.stdin_of(&feed);
        if let Some(invocation) = self.found.invocations.get_mut(id.0) {
            invocation.stdin = stdin;
        }
        if let Some(slot) = self.feeds.get_mut(id.0) {
            *slot = feed;
        }
        true
    }

    /// Lets the commands of a script read what the shell that runs it reads.
    pub(crate) fn keep_input(&mut self, id: InvocationId) {
        let Some(invocation) = self.found.invocations.get(id.0) else {
            return;
        };
        let feed = match (&invocation.stdin, self.feeds.get(id.0)) {
            (Stdin::Inherited, _) => return,
            (_, Some(feed @ (Feed::Pipe(_) | Feed::Given(_)))) => feed.clone(),
            (stdin, _) => Feed::Given(Arc::new(stdin.clone())),
        };
        self.descriptors.set(0, feed);
    }

    /// True if an invocation reads from a descriptor that the text hasn't opened.
    pub(crate) fn reads_elsewhere(&self, id: InvocationId) -> bool {
        let redirects = self.found.invocations.get(id.0).map(|i| &i.redirects);
        redirects.into_iter().flatten().any(|r| {
            r.operator == RedirectOperator::DuplicateInput
                && r.descriptor == 0
                && !r
                    .target
                    .as_ref()
                    .is_some_and(|w| matches!(w.known(), Some("0" | "-" | "0-")))
        })
    }
}

/// The number of a descriptor that has a path: `/dev/fd/3`, `/proc/self/fd/3`.
pub(crate) fn descriptor_of(word: &Word) -> Option<u32> {
    let text = match word.unknowns().next() {
        // `/proc/$$/fd/3`
        Some(Unknown::Special('$')) | None => word.text(),
        _ => return None,
    };
    if text == "/dev/stdin" {
        return Some(0);
    }
    let rest = text
        .strip_prefix("/dev/fd/")
        .or_else(|| Some(text.strip_prefix("/proc/")?.split_once("/fd/")?.1))?;
    rest.parse().ok()
}

fn input_from(word: &Word) -> Stdin {
    match word.unknowns().next() {
        Some(Unknown::Process(id)) => Stdin::Process(*id),
        _ => Stdin::File(word.clone()),
    }
}

/// More of them than this are not followed.
const MAX_OPEN: usize = 32;
